# SPDX-License-Identifier: MIT
"""Checks that images/, without its sources and its folder docs/, has just the files that the generator makes, unchanged.

usage: images.py MAKE_IMAGES IMAGES_DIR      MAKE_IMAGES may be a command with arguments, quoted as for a shell

Files are compared byte for byte. The IDAT chunks of an undamaged PNG file are inflated first, since versions
of zlib compress differently.
"""
import shlex
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

from png_reader import chunks_of

SOURCES = {".c", ".h", ".md", ".build"}


def names(folder):
    files = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    return {path.as_posix() for path in files
            if path.suffix not in SOURCES and path.parts[0] != "docs"}


def content(folder, name):
    """Returns what must be equal in the generator's file and in the file of images/: all bytes of the file, or, for an
    undamaged PNG file, the chunks except IDAT, and the inflated pixels."""
    data = (folder / name).read_bytes()
    if not name.endswith(".png") or name.startswith("broken/"):
        return data
    chunks = chunks_of(data)
    pixels = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    return data[:8], [chunk for chunk in chunks if chunk[0] != b"IDAT"], pixels


def same(name, *folders):
    try:
        ours, theirs = (content(folder, name) for folder in folders)
    except (ValueError, zlib.error):
        return False  # only files in broken/ may be damaged
    return ours == theirs


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    kept = Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as temporary:
        made = Path(temporary)
        subprocess.run([*shlex.split(sys.argv[1]), temporary], check=True)
        missing, extra = names(made) - names(kept), names(kept) - names(made)
        common = names(made) & names(kept)
        differing = {name for name in common if not same(name, kept, made)}
    for what, which in (("missing", missing), ("extra", extra), ("different", differing)):
        for name in sorted(which):
            print(f"{what}: {kept / name}")
    print(f"{len(common) - len(differing)} files are what the generator makes")
    sys.exit(1 if missing or extra or differing or not common else 0)


if __name__ == "__main__":
    main()
