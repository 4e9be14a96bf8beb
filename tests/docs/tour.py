# SPDX-License-Identifier: MIT
"""Runs the guided tour of man/smoothimg-memory.7: runs each command, and compares its output with the manual.

usage: tour.py BENCH TRACER UNSYNCED PAGE ROOT     UNSYNCED: a tracer that is built from a swap.cu without a barrier

The commands run one after another, and a cd stays in effect for later commands. They begin in a folder with kernels/
and build/smoothimg-bench; ninja makes build/smoothimg-tracer. The folder's setup.sh does nothing. On the page, the
reader removes a barrier from swap.cu and runs ninja. The test's ninja does not compile. If there is no tracer yet, or
swap.cu is newer, ninja copies one to build/smoothimg-tracer: UNSYNCED if swap.cu has no barrier, else TRACER. A
command must exit with 0, or with N if it ends with `# exits N`. Its output must have the lines below it, in their
order; `...` stands for any text."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import manual

NINJA = """#!/bin/sh
test -e build/smoothimg-tracer && ! test kernels/memory/lists/swap.cu -nt build/smoothimg-tracer && exit 0
if grep -q __syncthreads kernels/memory/lists/swap.cu; then from={whole}; else from={unsynced}; fi
cp -f $from build/smoothimg-tracer
"""


def steps(text):
    """Yields (command, expected output)."""
    for display in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", manual.plain(text), re.M | re.S):
        display = display.replace("\\&", "").replace("\\\n", "")
        for step in re.split(r"^\$ ", display, flags=re.M)[1:]:
            command, _, printed = step.partition("\n")
            yield command, printed


def write_script(path, text):
    path.write_text(text)
    path.chmod(0o755)


def make_folder(folder, bench, tracer, unsynced, root):
    shutil.copytree(root / "kernels", folder / "kernels")
    for name in ("bin", "build"):
        (folder / name).mkdir()
    shutil.copy(bench, folder / "build/smoothimg-bench")  # a copy, since it looks for the tracer in its own folder
    write_script(folder / "setup.sh", "#!/bin/sh\n")
    write_script(folder / "bin/ninja", NINJA.format(whole=tracer, unsynced=unsynced))


def is_in(printed, output):
    """Returns whether `output` has the pieces of `printed` between `...`, in their order. Line breaks may differ."""
    at, output = 0, " ".join(output.split())
    for piece in " ".join(printed.split()).split("..."):
        at = output.find(piece.strip(), at)
        if at < 0:
            return False
        at += len(piece.strip())
    return True


def run(command, printed, folder, here):
    """Runs a command in the working directory that the file `here` names. Returns what is wrong, or None. Afterwards
    `here` names the directory into which the command has changed."""
    remark = re.search(r"# exits (\d+)$", command)
    ended = subprocess.run(["sh", "-c", f"{command}\nstatus=$?; pwd > '{here}'; exit $status"],
                           cwd=here.read_text().strip(), stdin=subprocess.DEVNULL, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           env={**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"})
    if ended.returncode != int(remark[1] if remark else 0):
        return f"exit status {ended.returncode}: {ended.stdout}"
    return None if is_in(printed, ended.stdout) else f"not as the page has it:\n{printed}it prints\n{ended.stdout}"


def main(bench, tracer, unsynced, page, root):
    found = list(steps(Path(page).read_text()))
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        make_folder(folder, *(Path(path).resolve() for path in (bench, tracer, unsynced, root)))
        here = folder / "here"
        here.write_text(str(folder))
        for command, printed in found:
            what = run(command, printed, folder, here)
            wrong += what is not None
            if what:
                print(f"{command}\n    {what}")
    print(f"{len(found)} commands, {wrong} wrong")
    sys.exit(1 if wrong or len(found) < 15 else 0)


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
