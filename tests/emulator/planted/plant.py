# SPDX-License-Identifier: MIT
"""plant.py KERNEL STEM OLD NEW OUTPUT: copies a kernel, as the variant STEM (operation and name, such as smooth_tiled),
with a planted fault.

Replaces OLD, which must occur exactly once, by NEW. OLD may be in a header named tile.cuh: each #include of such a
header is replaced by the header's text first."""
import pathlib
import re
import sys


ROOT = pathlib.Path(__file__).resolve().parents[3]


def included(match):
    return (ROOT / match.group(1)).read_text()


def main():
    kernel, stem, old, new, output = sys.argv[1:]
    path = pathlib.Path(kernel)
    text = re.sub(r'#include "(kernels/[\w/]+/tile\.cuh)"\n', included, path.read_text())
    if text.count(old) != 1:
        sys.exit(f'plant.py: {path.name} has {text.count(old)} times: {old}')
    name = f"{path.parent.name}_{path.stem}"
    # Renames the kernel: if the copy and the original had one name, the linker would keep only one of the two templates.
    text = re.sub(rf'\b{name}\b', stem, text.replace(old, new))
    words = f'.name = "{path.stem}"', f'.name = "{stem.partition("_")[2]}"'
    pathlib.Path(output).write_text(text.replace(*words))


main()
