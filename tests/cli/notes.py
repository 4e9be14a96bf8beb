# SPDX-License-Identifier: MIT
"""Tests notes on results that may surprise: they are printed once in a run, with -v for each file, and never with -q.

notes.txt has pairs of lines: an exit status and the command line's words, then the program's messages on standard
error. Lines of messages are joined by " | ", and [...] stands for any text. --update writes the program's messages into
the file.

usage: notes.py PROGRAM IMAGES GROUP [--update]"""
import re
import shlex
import shutil
from pathlib import Path

import program
from npy_files import npy_file
from png_reader import GREY
from png_writer import png_file, some_samples
from tiff import some_image
from tiff_files import ASCII, DOUBLE, tiff_file


def make_inputs(workshop):
    """Makes the inputs of notes.txt: images with properties that another format lacks, arrays, folders, and an existing
    output."""
    workshop.take("flat.pgm", "rgb.ppm", "alpha.pam", "gradient12.pgm", "two.pgm", "badge.png")
    workshop.make_folder("in", "rgb.ppm", "letters.pbm", "flat.pgm")
    workshop.make_folder("dark", "gradient12.pgm")
    workshop.plant("dark/b.pgm", data=(workshop.images / "gradient12.pgm").read_bytes())
    workshop.plant("pages.pgm", data=2 * (workshop.images / "flat.pgm").read_bytes())
    workshop.plant("one/flat.pgm", "made/flat.pgm")
    arrays = {"ones": ("<f4", (1, 2), [0x3f800000] * 2), "stack": ("|u1", (4, 48, 16), bytes(4 * 48 * 16)),
              "four": ("|u1", (4, 48, 4), bytes(4 * 48 * 4))}
    for name, array in arrays.items():
        workshop.plant(f"{name}.npy", data=npy_file(*array))
    tagged = some_image(9, 7, 1, tags={42113: (ASCII, b"-9999\0"), 33550: (DOUBLE, [1.5, 2.5, 0.0]),
                                       270: (ASCII, b"<OME/>\0")})
    workshop.plant("tagged.tif", data=tiff_file(tagged, tagged))
    workshop.plant("mask.pgm", data=b"P5 9 7 1 " + b"\1" * 63)
    profile = png_file(5, 4, GREY, 8, some_samples(5, 4, GREY, 8), first=[(b"iCCP", b"some profile\0\0no profile")])
    workshop.plant("profiles/a.png", "profiles/b.png", data=profile)


def results(workshop):
    make_inputs(workshop)
    before, texts = workshop.content(), program.Goldens(Path(__file__).with_name("notes.txt"))
    for status, line, number in texts:
        ended = workshop.run(*shlex.split(line))
        workshop.check(ended.status == status, f"{line}: {ended}")
        texts.check(workshop, number, " | ".join(ended.err.replace("smoothimg: ", "").splitlines()) or "nothing")
        for name in set(workshop.content()) - set(before):
            path = workshop.folder / name.decode()
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def each_file(workshop):
    """With -v a note is printed for each file, not once in a run."""
    workshop.make_folder("in", "rgb.ppm", "letters.pbm", "flat.pgm")
    said = workshop.run("-v", "-j1", "--format", "png", "in", "out").err
    workshop.check(len(re.findall(r"\bnot_carried comments$", said, re.M)) == 2, said)


if __name__ == "__main__":
    program.main(__doc__, {"results": [results, each_file]})
