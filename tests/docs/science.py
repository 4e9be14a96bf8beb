# SPDX-License-Identifier: MIT
"""Runs the manual's section SCIENTIFIC IMAGES: blocks of Python and of commands, in their order, in the same folder.
Fails if an assertion or a command fails.

usage: science.py PROGRAM MANUAL

Does not run blocks of the subsection FITS, since they need astropy. Leaves out blocks that need the Python package
if it is not installed. Exit status 77: NumPy or tifffile is not installed."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

from manual import blocks_of

TITLE, LEFT_OUT = "SCIENTIFIC IMAGES", "FITS"
COMMANDS = ("smoothimg", "cmp")
LEAST = 10  # number of blocks that must run even without the Python package


def run(lines, space):
    """Runs a block as commands, or as Python. Raises an exception if it fails."""
    text = "\n".join(lines)
    if lines[0].split()[0] in COMMANDS:
        subprocess.run(["sh", "-e", "-c", text], check=True)
    else:
        exec(compile(text, lines[0], "exec"), space)


def run_all(blocks):
    """Runs the blocks. Returns how many were run, and how many of these failed."""
    space, count, wrong = {}, 0, 0
    for part, lines in blocks:
        if part == LEFT_OUT:
            continue
        if "import smoothimg" in lines and not importlib.util.find_spec("smoothimg"):
            print("left out: the Python package is not there")
            continue
        count += 1
        try:
            run(lines, space)
        except Exception:
            traceback.print_exc(file=sys.stdout)
            print("wrong:", *lines, sep="\n    ")
            wrong += 1
    return count, wrong


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    missing = [name for name in ("numpy", "tifffile") if not importlib.util.find_spec(name)]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed")
        sys.exit(77)
    program, blocks = Path(sys.argv[1]).resolve(), blocks_of(sys.argv[2], TITLE)
    os.environ["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        count, wrong = run_all(blocks)
        os.chdir("/")
    print(f"{count} of {len(blocks)} blocks, {wrong} wrong")
    sys.exit(1 if wrong or count < LEAST else 0)


if __name__ == "__main__":
    main()
