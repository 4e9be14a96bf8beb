# SPDX-License-Identifier: MIT
"""Tests images larger than --max-memory: the samples must be right, and the peak memory below twice that limit.

The inputs are sparse files: a few hundred rows of noise, and zeros in all other rows.

usage: huge.py PROGRAM IMAGES GROUP"""
import random
import re
import shutil

import program
from limits import check_peak, peak_of

HALO = 4
MIB = 1 << 20


def need_disk(workshop, gigabytes):
    free = shutil.disk_usage(workshop.folder).free
    if free < gigabytes * 10**9:
        raise program.Skip(f"{gigabytes} GB of free disk are needed for temporary files, and "
                           f"{workshop.folder} has {free / 1e9:.1f}")


def make_sparse(path, width, height, parts):
    """Writes a PGM of zeros with noise in rows first..last-1 for each (first, last) of parts."""
    chance = random.Random(2)
    with open(path, "wb") as file:
        file.write(b"P5 %d %d 255\n" % (width, height))
        start = file.tell()
        for first, last in parts:
            file.seek(start + first * width)
            for _ in range(first, last):
                file.write(chance.randbytes(width))
        file.truncate(start + width * height)


def smoothed_crop(workshop, name, width, first, last):
    """Returns the program's result for an image that has only the rows first..last-1 of the file. The program writes to
    standard output, so it computes the image as a whole, not in bands."""
    with open(workshop.folder / name, "rb") as file:
        file.seek(len(file.readline()) + first * width)
        rows = file.read((last - first) * width)
    data = b"P5 %d %d 255\n" % (width, last - first) + rows
    out = workshop.check_works("--halo", str(HALO), "-", "-", data=data)
    return out[-len(rows):]


def check_zeros(workshop, file, count, where):
    zeros = bytes(16 * MIB)
    while count > 0:
        piece = file.read(min(count, len(zeros)))
        if not workshop.check(piece and piece == zeros[:len(piece)], f"{where}: not all zeros"):
            return
        count -= len(piece)


def smooth(workshop):
    """Smooths 100000 x 20000 pixels. The program computes this image in bands of 10 rows, so each part with noise
    extends over several bands, except the part of a single row."""
    need_disk(workshop, 5)
    width, height = 100000, 20000
    parts = [(0, 90), (4995, 5105), (9950, 10050), (13331, 13332), (height - 90, height)]
    make_sparse(workshop.folder / "huge.pgm", width, height, parts)
    peak = peak_of(workshop, "--halo", str(HALO), "--max-memory", "256M", "huge.pgm", "out.pgm")
    print(f"{width} x {height}: {peak / MIB:.0f} MiB at the most")
    check_peak(workshop, peak, 512 * MIB, f"{width} x {height}")
    with open(workshop.folder / "out.pgm", "rb") as file:
        workshop.check(file.readline() + file.readline() + file.readline() ==
                       b"P5\n%d %d\n255\n" % (width, height), "the header is another one")
        done = 0
        for first, last in parts:
            # Smoothing spreads the noise by HALO rows on each side. The crop has HALO more rows of zeros on each side,
            # so that its result does not depend on the edge rule, except where the crop ends with the image.
            begin, end = max(first - 2 * HALO, 0), min(last + 2 * HALO, height)
            wanted = smoothed_crop(workshop, "huge.pgm", width, begin, end)
            check_zeros(workshop, file, (begin - done) * width, f"rows {done} to {begin}")
            workshop.check(file.read(len(wanted)) == wanted, f"rows {begin} to {end} differ")
            workshop.check(any(wanted[:width * HALO * 3]), "only zeros, which show nothing")
            done = end
        check_zeros(workshop, file, (height - done) * width, "the last rows")
        workshop.check(not file.read(1), "there is more than the image")
    workshop.check_ends("--verify --max-memory 256M huge.pgm other.pgm", 3, re.compile(
        r"huge.pgm: 100000 x 20000 pixels, in memory as a whole, would take 6\d{9} bytes of memory "
        r"\(5\.6 GiB\), above the limit of 268435456 \(256\.0 MiB\); raise it with --max-memory; "
        r"less is needed without --verify"))


if __name__ == "__main__":
    program.main(__doc__, {"smooth": [smooth]})
