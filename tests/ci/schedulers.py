# SPDX-License-Identifier: MIT
"""Runs the manual's examples for many machines as they are printed: the script of a Slurm job array, once for each
task, and the commands of GNU parallel.

usage: schedulers.py PROGRAM IMAGES GROUP
"""
import os
import re
import shutil
import subprocess
from pathlib import Path

import program

MANUAL = Path(__file__).resolve().parents[2] / "man" / "smoothimg.1"
SUMMARY = re.compile(r"smoothimg: shard (\d+) of (\d+): (\d+) done,(?: (\d+) skipped [^,]*,)? 0 failed")


def example(beginning):
    """Returns the text of the manual's display that begins with `beginning`."""
    text = MANUAL.read_text().replace(r"\-", "-").replace(r"\e", "\\")
    displays = re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", text, re.M | re.S)
    found = [display for display in displays if display.startswith(beginning)]
    if len(found) != 1:
        raise ValueError(f"{len(found)} displays of the manual begin with {beginning!r}")
    return found[0]


def prepare(workshop):
    """Makes the folder `in`. Returns the outputs of a run without shards, and an environment with smoothimg on PATH."""
    sources = [path for path in sorted(workshop.images.iterdir()) if path.is_file()]
    (workshop.folder / "in").mkdir()
    for path in sources:
        shutil.copyfile(path, workshop.folder / "in" / path.name)
    (workshop.folder / "bin").mkdir()
    (workshop.folder / "bin" / "smoothimg").symlink_to(workshop.program)
    workshop.check_works("-q", "in", "wanted")
    wanted = content(workshop.folder / "wanted")
    workshop.check(len(wanted) > 10, f"only {len(wanted)} images to share")
    return wanted, {**os.environ, "PATH": f"{workshop.folder / 'bin'}:{os.environ['PATH']}"}


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def run(workshop, script, environment):
    """Runs a shell script. Returns the lines that it prints on standard error."""
    ended = subprocess.run(["sh", "-c", script], cwd=workshop.folder, env=environment, capture_output=True,
                           text=True, timeout=program.PATIENCE, stdin=subprocess.DEVNULL)
    workshop.check(ended.returncode == 0, f"{script}: {ended}")
    return ended.stderr.splitlines()


def check_shares(workshop, texts, wanted, done):
    """Checks that each shard printed a summary, that the summaries' counts add up, and that the outputs equal those of
    a run without shards."""
    found = [SUMMARY.search(text) for text in texts]
    if not workshop.check(all(found), f"no summary, or failures: {texts}"):
        return
    parts = sorted(int(match[1]) for match in found)
    workshop.check(parts == list(range(1, len(texts) + 1)), f"parts {parts} of {len(texts)}")
    workshop.check({int(match[2]) for match in found} == {len(texts)}, f"not of {len(texts)} parts")
    counts = [int(match[3]) for match in found]
    workshop.check(sum(counts) == done, f"{counts} files done, where {done} were to be done")
    skipped = sum(int(match[4] or 0) for match in found)
    workshop.check(sum(counts) + skipped == len(wanted), f"{counts} done, {skipped} skipped")
    workshop.check(content(workshop.folder / "out") == wanted, "other files or bytes than of one run")


def slurm(workshop):
    """Runs each task of the job array with the variables that Slurm sets for the task."""
    wanted, environment = prepare(workshop)
    script = example("#!/bin/sh\n#SBATCH --array")
    count = int(re.search("--array=1-(\\d+)", script)[1])
    for done in (len(wanted), 0):
        texts = [line for task in range(1, count + 1) for line in
                 run(workshop, script, {**environment, "SLURM_ARRAY_TASK_ID": str(task),
                                        "SLURM_CPUS_PER_TASK": "1"})]
        check_shares(workshop, texts, wanted, done)


def parallel(workshop):
    if not shutil.which("parallel") or not shutil.which("seq"):
        raise program.Skip("setup.sh --developer would install: parallel")
    wanted, environment = prepare(workshop)
    (workshop.folder / "hosts").write_text(":\n")  # this machine, without ssh
    commands = example("seq 4 |").replace("\\\n", " ").splitlines()
    workshop.check(len(commands) == 2, f"{commands}: not the two that are known here")
    for command, done in zip(commands, (len(wanted), 0)):
        check_shares(workshop, run(workshop, command, environment), wanted, done)


if __name__ == "__main__":
    program.main(__doc__, {"slurm": [slurm], "parallel": [parallel]})
