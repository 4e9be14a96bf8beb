# SPDX-License-Identifier: MIT
"""Runs the examples that the manual prints for work on many machines, without changes: the script of a Slurm job
array, once for each task, and the commands of GNU parallel.

usage: schedulers.py PROGRAM IMAGES GROUP
"""
import os
import re
import shutil
import subprocess
from pathlib import Path

import program

MANUAL = Path(__file__).resolve().parents[2] / "man" / "smoothimg.1"


def example(beginning):
    """Returns the text of the manual's display that begins with `beginning`."""
    text = MANUAL.read_text().replace(r"\-", "-").replace(r"\e", "\\")
    displays = re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", text, re.M | re.S)
    found = [display for display in displays if display.startswith(beginning)]
    if len(found) != 1:
        raise ValueError(f"{len(found)} displays of the manual begin with {beginning!r}")
    return found[0]


def check_shares(workshop, *rounds):
    """Runs shell commands with smoothimg on PATH. Each of the two rounds is a list of commands, as (text, environment
    variables). A round must print a summary for each shard, without failures, and afterwards the outputs must be the
    same as after a run without shards. The first round must process all files, the second one none, since all outputs
    exist."""
    workshop.make_folder("in", *(path.name for path in workshop.images.iterdir() if path.is_file()))
    (workshop.folder / "bin").mkdir()
    (workshop.folder / "bin" / "smoothimg").symlink_to(workshop.program)
    workshop.check_works("-q", "in", "wanted")
    wanted = {path.name: path.read_bytes() for path in (workshop.folder / "wanted").iterdir()}
    path = f"{workshop.folder / 'bin'}:{os.environ['PATH']}"
    for commands, done in zip(rounds, (len(wanted), 0)):
        said = ""
        for text, variables in commands:
            ended = subprocess.run(["sh", "-c", text], cwd=workshop.folder, env={**os.environ, "PATH": path, **variables},
                                   capture_output=True, text=True, timeout=program.PATIENCE, stdin=subprocess.DEVNULL)
            workshop.check(ended.returncode == 0, f"{text}: {ended}")
            said += ended.stderr
        counts = re.findall(r"shard \d+ of \d+: (\d+) done, .*\b0 failed", said)
        workshop.check(len(counts) == len(said.splitlines()) and sum(map(int, counts)) == done, said)
        found = {path.name: path.read_bytes() for path in (workshop.folder / "out").iterdir()}
        workshop.check(found == wanted, "other files or bytes than of one run")


def slurm(workshop):
    """Runs each task of the job array with the variables that Slurm sets for the task."""
    script = example("#!/bin/sh\n#SBATCH --array")
    count = int(re.search(r"--array=1-(\d+)", script)[1])
    tasks = [(script, {"SLURM_ARRAY_TASK_ID": str(task), "SLURM_CPUS_PER_TASK": "1"}) for task in range(1, count + 1)]
    check_shares(workshop, tasks, tasks)


def parallel(workshop):
    if not shutil.which("parallel") or not shutil.which("seq"):
        raise program.Skip("setup.sh --developer would install: parallel")
    (workshop.folder / "hosts").write_text(":\n")  # ":" names this machine, which needs no ssh
    commands = example("seq 4 |").replace("\\\n", " ").splitlines()
    workshop.check(len(commands) == 2, f"{commands}: not the two that are known here")
    check_shares(workshop, *([(command, {})] for command in commands))


if __name__ == "__main__":
    program.main(__doc__, {"slurm": [slurm], "parallel": [parallel]})
