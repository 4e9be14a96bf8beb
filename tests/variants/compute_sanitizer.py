# SPDX-License-Identifier: MIT
"""Runs random requests, or the checks of experiments, on a GPU under one of NVIDIA's sanitizers.

usage: compute_sanitizer.py CHECK_GPU TOOL --engines
       compute_sanitizer.py CHECK_EXPERIMENTS TOOL GROUP...

TOOL is memcheck, racecheck, initcheck or synccheck. Without a GPU or without compute-sanitizer the exit
status is 77 (skipped), or 1 if SMOOTHIMG_REQUIRE_GPU is set.
"""
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FOUND = 9  # the exit status with which compute-sanitizer reports a finding
SKIPPED = 1 if "SMOOTHIMG_REQUIRE_GPU" in os.environ else 77


def check(program, tool, *words):
    """Runs the program with these arguments. Returns the arguments, the exit status, and the last lines of output."""
    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", str(FOUND), program, *words]
    ended = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return words, ended.returncode, (ended.stdout + ended.stderr).strip().splitlines()[-8:]


def main(program, tool, *runs):
    if not shutil.which("compute-sanitizer"):
        print("there is no compute-sanitizer")
        return SKIPPED
    if subprocess.run([program, runs[0], "1"], stdout=subprocess.DEVNULL).returncode == 77:
        return SKIPPED
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda words: check(program, tool, words), runs))
    for words, status, lines in results:
        print(f"{tool} {' '.join(words)}: exit status {status}", *lines, sep="\n    ")
    return int(any(status != 0 for _, status, _ in results))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
