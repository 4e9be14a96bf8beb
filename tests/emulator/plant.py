# SPDX-License-Identifier: MIT
"""plant.py KERNEL STEM OLD NEW OUTPUT: a copy of a kernel, as variant STEM, with a fault in it.

OLD, which has to be there exactly once, is replaced by NEW. Headers beside the kernel that OLD may be
in, those named *_tile.cuh, are copied into the place where they are included."""
import pathlib
import re
import sys


def included(match, folder):
    return (folder / match.group(1)).read_text()


def main():
    kernel, stem, old, new, output = sys.argv[1:]
    path = pathlib.Path(kernel)
    text = re.sub(r'#include "(\w+_tile\.cuh)"\n', lambda m: included(m, path.parent), path.read_text())
    if text.count(old) != 1:
        sys.exit(f'plant.py: {path.name} has {text.count(old)} times: {old}')
    # The kernel's name changes, too: of templates of one name the linker keeps one.
    pathlib.Path(output).write_text(re.sub(rf'\b{path.stem}\b', stem, text.replace(old, new)))


main()
