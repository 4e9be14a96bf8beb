# SPDX-License-Identifier: MIT
"""Checks that sources include only headers of allowed folders: arrows.py TREE. A room is a folder with an entry in the
table ROOMS, which says whose headers its sources may include. Fails for an #include that the table does not allow, and
for a source in no room. --bites checks that the script finds faults."""
import re
import sys
import tempfile
from pathlib import Path

BASE = "src/lib/base"
KERNELS = "kernels/common kernels"
LIB = f"src/lib src/lib/gpu src/lib/filter src/text {KERNELS} {BASE}"
FILES = f"src/files src/files/image src/files/light {LIB}"
# The rooms whose headers the program smoothimg may include.
PROGRAM = (
    "src/files src/files/image src/files/light src/lib/api src/lib src/lib/gpu src/lib/filter src/text kernels/common "
    + BASE
)

# {room: the rooms whose headers it may include, or "*" for all}. An entry may name only rooms whose own entries are
# further below, so that no two rooms include each other. Subfolders belong to a room, except those that are rooms
# themselves.
ROOMS = {
    "tests": "*",
    "images/make": "",
    "docs/editions": "",
    "docs/notebook": "src/emulator",
    "docs/pictures": "src/bench/transactions/tracer src/emulator",
    "src/app/cli": f"src/app/batch src/app/stream {PROGRAM}",
    "src/app/batch": f"src/app/stream {PROGRAM}",
    "src/app/stream": PROGRAM,
    "src/bench": "src/bench/memory src/bench/variants src/bench/transactions src/bench/core "
    f"src/bench/options src/bench/baselines {FILES}",
    "src/bench/memory": f"src/bench/core src/bench/options src/bench/run kernels/memory {FILES}",
    "src/bench/variants": f"src/bench/core src/bench/options src/bench/baselines src/bench/run {FILES}",
    "src/bench/transactions": f"src/bench/options {LIB}",
    "src/bench/transactions/tracer": f"src/emulator src/bench/core kernels/memory src/bench/run {LIB}",
    "src/bench/core": f"src/bench/options src/bench/baselines {FILES}",
    "src/bench/run": f"src/files/image {LIB}",
    "src/bench/options": FILES,
    "src/bench/baselines": LIB,
    "python": "src/lib",
    "src/emulator": "",
    "src/files": f"src/files/image src/files/light {LIB}",
    "src/files/image": f"src/files/light {KERNELS} {BASE}",
    "src/files/light": f"src/lib/filter {KERNELS} {BASE}",
    "src/lib/api": f"src/lib src/lib/gpu src/lib/filter {KERNELS} {BASE}",
    "src/lib": "",
    "src/lib/gpu": f"src/lib/filter {KERNELS} {BASE}",
    "src/lib/filter": f"{KERNELS} {BASE}",
    "src/text": f"kernels/common {BASE}",
    "src/lib/base": KERNELS,
    "kernels/memory": KERNELS,
    "kernels/smooth": KERNELS,
    "kernels/transpose": KERNELS,
    "kernels/reverse": KERNELS,
    "kernels/common": "kernels",
    "kernels": "",
}

SOURCES = {".c", ".h", ".cu", ".cuh", ".cpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def room_of(path):
    """Returns the deepest room that contains the file, or None."""
    return next((str(folder) for folder in path.parents if str(folder) in ROOMS), None)


def sources(tree, within=Path()):
    """Yields the paths of a tree's sources, relative to the tree. Skips folders at the top whose names begin with a
    point or with `build`."""
    for entry in sorted((tree / within).iterdir()):
        name = within / entry.name
        if entry.is_dir():
            if not name.as_posix().startswith(("build", ".")):
                yield from sources(tree, name)
        elif entry.suffix in SOURCES:
            yield name


def faults(tree):
    """Yields a line for each #include that the table does not allow, and for each source in no room."""
    for source in sources(tree):
        room = room_of(source)
        if room is None:
            yield f"{source}: is in no room of the table in tests/ci/arrows.py"
            continue
        allowed = {room, *ROOMS[room].split()}
        for name in INCLUDE.findall((tree / source).read_text()):
            target = room_of(Path(name)) if (tree / name).exists() else room
            if target not in allowed and "*" not in allowed:
                yield f"{source}: {room} may not use {target}: {name}"


def rows_that_run_up():
    """Yields `room: used` for each entry of ROOMS that names a room whose own entry is not further below."""
    order = list(ROOMS)
    for i, (room, used) in enumerate(ROOMS.items()):
        yield from (f"{room}: {one}" for one in used.split() if one not in [*order[i + 1 :], "*"])


def bites():
    """Checks that the script finds the faults of a made-up tree: an #include of a room further up in ROOMS, an #include
    that ROOMS does not allow, a source in no room."""
    tree = {
        "src/app/cli/main.c": '#include "src/app/batch/batch.h"\n#include <stdio.h>\n',
        "src/app/batch/batch.h": '#include "src/app/batch/plan/plan.h"\n',
        "src/app/batch/plan/plan.h": '#  include "src/app/cli/options.h"\n',
        "src/app/cli/options.h": "",
        "src/lib/gpu/deep/gpu.cu": "#include <src/files/codec.h>\n",
        "src/files/codec.h": "",
        "src/new/new.c": "",
        "build-mutants/0/sources/new.c": "",
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = list(faults(Path(folder)))
    wanted = ["src/app/batch/plan/plan.h: src/app/batch may not use src/app/cli",
              "src/lib/gpu/deep/gpu.cu: src/lib/gpu may not use src/files",
              "src/new/new.c: is in no room"]
    assert len(found) == len(wanted), found
    for line, start in zip(found, wanted):
        assert line.startswith(start), line


if __name__ == "__main__":
    if sys.argv[1] == "--bites":
        bites()
    else:
        sys.exit("\n".join([*rows_that_run_up(), *faults(Path(sys.argv[1]))]) or 0)
