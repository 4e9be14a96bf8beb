# SPDX-License-Identifier: MIT
"""The examples of the manual for many machines, under a real Slurm, under GNU parallel, and as the
pods of a Kubernetes indexed Job. What the manual says is what is run here.

usage: schedulers.py PROGRAM IMAGES GROUP
"""
import ctypes
import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import program

MANUAL = Path(__file__).resolve().parents[2] / "man" / "smoothimg.1"
SUMMARY = re.compile(r"smoothimg: shard (\d+) of (\d+): (\d+) done,(?: (\d+) skipped [^,]*,)? 0 failed")


def example(beginning):
    """The text of the manual's display that begins so."""
    text = MANUAL.read_text().replace(r"\-", "-").replace(r"\e", "\\")
    displays = re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", text, re.M | re.S)
    found = [display for display in displays if display.startswith(beginning)]
    if len(found) != 1:
        raise ValueError(f"{len(found)} displays of the manual begin with {beginning!r}")
    return found[0]


def need(*programs):
    missing = [name for name in programs if not shutil.which(name)]
    if missing:
        raise program.Skip(f"setup.sh --developer would install: {', '.join(missing)}")


def prepare(workshop):
    """The folder `in`; returns what one run makes of it, and an environment with `smoothimg`."""
    sources = [path for path in sorted(workshop.images.iterdir()) if path.is_file()]
    (workshop.folder / "in").mkdir()
    for path in sources:
        shutil.copyfile(path, workshop.folder / "in" / path.name)
    (workshop.folder / "bin").mkdir()
    (workshop.folder / "bin" / "smoothimg").symlink_to(workshop.program)
    workshop.check_works("-q", "in", "wanted")
    wanted = content(workshop.folder / "wanted")
    workshop.check(len(wanted) > 10, f"only {len(wanted)} images to share")
    path = f"{workshop.folder / 'bin'}:{os.environ['PATH']}"
    names = ("SLURM_", "JOB_COMPLETION_INDEX")
    return wanted, {**{name: value for name, value in os.environ.items()
                       if not name.startswith(names)}, "PATH": path}


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def check_shares(workshop, texts, wanted, done):
    """One summary for each part, of files that sum up; and the outputs of a run without parts."""
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


# --- Slurm --------------------------------------------------------------------------------------

SLURM_CONF = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
SlurmctldPort={port}
SlurmdPort={next_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
TaskPlugin=task/none
ProctrackType=proctrack/linuxproc
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmctldParameters=config_overrides
SchedulerParameters=sched_interval=1,bf_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=test Nodes={host} Default=YES State=UP
"""


def free_ports():
    """Two free ports in a row, the first of them."""
    for _ in range(100):
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 1))
                return port
            except (OSError, OverflowError):
                pass
    raise program.Skip("no two free ports")


def end_with_parent():
    """In a daemon: whatever ends the test, it ends too."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


class Slurm:
    """A cluster of this machine, of two processors, in a folder of its own."""

    def __init__(self, folder, environment):
        self.folder, self.daemons = folder, []
        self.environment = {**environment, "SLURM_CONF": str(folder / "slurm.conf")}
        for name in ("state", "spool"):
            (folder / name).mkdir(parents=True)
        port = free_ports()
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        (folder / "slurm.conf").write_text(SLURM_CONF.format(
            host=socket.gethostname().split(".")[0], user=pwd.getpwuid(os.geteuid()).pw_name,
            port=port, next_port=port + 1, folder=folder))

    def __enter__(self):
        try:
            for words in (["slurmctld", "-D", "-i"], ["slurmd", "-D"]):
                self.daemons.append(subprocess.Popen(
                    words, env=self.environment, preexec_fn=end_with_parent,
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            self.wait("sinfo", "-h", "-o", "%T", until="idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.ask("scancel", "--partition=test")
        self.ask("scontrol", "shutdown")
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(2)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def ask(self, *words, **more):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True,
                              timeout=30, **more)

    def wait(self, *words, until):
        limit = time.monotonic() + program.PATIENCE / 2
        while True:
            ended = self.ask(*words)
            if ended.returncode == 0 and ended.stdout.strip() == until:
                return
            if time.monotonic() > limit:
                logs = "".join(path.read_text()[-1500:] for path in self.folder.glob("*.log"))
                raise TimeoutError(f"{words}: {ended}\n{logs}")
            time.sleep(0.1)

    def submit(self, *words, folder):
        """What each task of the array wrote, once all have ended."""
        ended = self.ask("sbatch", "--parsable", "--output=task-%A-%a", *words, cwd=folder)
        if ended.returncode != 0:
            raise RuntimeError(f"sbatch: {ended}")
        job = ended.stdout.strip()
        self.wait("squeue", "-h", "-j", job, until="")
        return [path.read_text() for path in sorted(folder.glob(f"task-{job}-*"))]


def slurm(workshop):
    need("slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scontrol", "scancel")
    wanted, environment = prepare(workshop)
    script = workshop.folder / "job.sh"
    script.write_text(example("#!/bin/sh\n#SBATCH"))
    # This cluster has two processors; what stands on the line goes before what the script says.
    two = ["--array=1-2", "--cpus-per-task=1", script]
    with Slurm(workshop.folder / "slurm", environment) as cluster:
        texts = cluster.submit(*two, folder=workshop.folder)
        check_shares(workshop, texts, wanted, len(wanted))
        before = {path: path.stat() for path in (workshop.folder / "out").iterdir()}
        check_shares(workshop, cluster.submit(*two, folder=workshop.folder), wanted, 0)
        workshop.check({path: path.stat() for path in before} == before, "a repetition wrote files")
        # What is missing is done, in parts of other sizes, counted with gaps.
        for name in sorted(wanted)[::2]:
            (workshop.folder / "out" / name).unlink()
        texts = cluster.submit("--array=10-14:2", *two[1:], folder=workshop.folder)
        check_shares(workshop, texts, wanted, len(sorted(wanted)[::2]))
        texts = cluster.submit("--array=1,3,4", *two[1:], folder=workshop.folder)
        workshop.check(len(texts) == 3 and all("sbatch --array=1-N" in text for text in texts),
                       f"--array=1,3,4: {texts}")


# --- GNU parallel -------------------------------------------------------------------------------

def parallel(workshop):
    need("parallel", "seq")
    wanted, environment = prepare(workshop)
    (workshop.folder / "hosts").write_text(":\n")  # this machine, without ssh
    commands = example("seq ").replace("\\\n", " ").splitlines()
    workshop.check(len(commands) == 2, f"{commands}: not the two that are known here")
    for command, done in zip(commands, (len(wanted), 0)):
        ended = subprocess.run(["sh", "-c", command], cwd=workshop.folder, env=environment,
                               capture_output=True, text=True, timeout=program.PATIENCE,
                               stdin=subprocess.DEVNULL)
        workshop.check(ended.returncode == 0, f"{command}: {ended}")
        check_shares(workshop, ended.stderr.splitlines(), wanted, done)


# --- Kubernetes ---------------------------------------------------------------------------------

def entry_point():
    """What the image of the project's Containerfile runs."""
    lines = (MANUAL.parents[1] / "Containerfile").read_text().splitlines()
    line, = (line for line in lines if line.startswith("ENTRYPOINT "))
    return json.loads(line.removeprefix("ENTRYPOINT "))


def kubernetes(workshop):
    """The containers of an indexed Job, as many at a time as it says."""
    try:
        import yaml
    except ImportError:
        raise program.Skip("setup.sh --developer would install: python3-yaml") from None
    job = yaml.safe_load(example("apiVersion:"))
    spec = job["spec"]
    workshop.check((job["kind"], spec["completionMode"]) == ("Job", "Indexed"), job)
    container, = spec["template"]["spec"]["containers"]
    mount, = container["volumeMounts"]
    wanted, environment = prepare(workshop)
    command = [word.replace(mount["mountPath"], ".", 1) for word in entry_point() + container["args"]]
    workshop.check(f"auto/{spec['completions']}" in command, f"{command}: not all parts")
    texts = []
    for first in range(0, spec["completions"], spec["parallelism"]):
        pods = [subprocess.Popen(command, cwd=workshop.folder, stderr=subprocess.PIPE, text=True,
                                 env={**environment, "JOB_COMPLETION_INDEX": str(index)})
                for index in range(first, min(first + spec["parallelism"], spec["completions"]))]
        texts += [pod.communicate(timeout=program.PATIENCE)[1] for pod in pods]
    check_shares(workshop, texts, wanted, len(wanted))


def end_by_signal(*_):
    raise SystemExit("ended by a signal")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, end_by_signal)  # so that daemons are ended
    program.main(__doc__, {"slurm": [slurm], "parallel": [parallel], "kubernetes": [kubernetes]})
