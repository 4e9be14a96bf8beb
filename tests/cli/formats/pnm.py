# SPDX-License-Identifier: MIT
"""Tests PBM, PGM, PPM and PAM: files of few bytes, whose bytes are in pnm.txt, and images that are written in every
format and read back.

usage: pnm.py PROGRAM IMAGES GROUP [--update]    --update: writes results into pnm.txt

pnm.txt has pairs of lines: an exit status and the bytes of a file, then the bytes of the PAM that the program makes of
the file. Bytes are written with Python's escapes."""
import itertools
import random
from array import array
from pathlib import Path

import program
from pictures import Picture, netpbm_header, read_pictures, sample_bytes

MAXVALS = 1, 2, 3, 15, 100, 255, 256, 4095, 65535
SIZES = (1, 1), (1, 7), (9, 1), (17, 13), (70, 3)
# (width, height, channels, maxval) of images wider than the blocks in which the program converts rows.
WIDE = (70001, 2, 1, 1), (9001, 2, 1, 65535)
# (format, option, the numbers of channels that the format allows)
FORMS = (("pbm", "", (1,)), ("pbm", "--plain", (1,)), ("pgm", "", (1,)), ("pgm", "--plain", (1,)), ("ppm", "", (3,)),
         ("ppm", "--plain", (3,)), ("pam", "", range(1, 7)), ("npy", "", range(1, 7)), ("tif", "", range(1, 7)),
         ("png", "", range(1, 5)))


def known(workshop):
    texts = program.Goldens(Path(__file__).with_name("pnm.txt"))
    for status, text, number in texts:
        data = text.encode().decode("unicode_escape").encode("latin-1")
        workshop.plant("in.pnm", data=data)
        made = workshop.run("--halo", "0", "--format", "pam", "in.pnm", "-")
        workshop.check(made.status == status, f"{text}: {made}")
        texts.check(workshop, number, made.out.decode("latin-1").encode("unicode_escape").decode() or "nothing")
        piped = workshop.run("--halo", "0", "--format", "pam", "-", "-", data=data)
        workshop.check(piped.out == made.out, f"{text}: other bytes from a pipe")


def noise(width, height, channels, maxval):
    draw = random.Random(f"{width} {height} {channels} {maxval}")
    return Picture(width, height, channels, maxval, array("H", (
        draw.choice((0, maxval, draw.randint(0, maxval))) for _ in range(width * height * channels))))


def as_pam(pictures):
    return b"".join(netpbm_header(picture) + sample_bytes(picture) for picture in pictures)


def as_kept(form, picture):
    """Returns the picture that is read back after the program has written `picture` in this format. In PNG, TIFF and
    NPY its maxval becomes 255 or 65535. Samples of grey PNGs of 1, 2 and 4 bits are stretched to 255."""
    if form in ("pbm", "pgm", "ppm", "pam"):
        return picture
    full = 65535 if picture.maxval > 255 else 255
    factor = full // picture.maxval if form == "png" and picture.channels == 1 and picture.maxval in (1, 3, 15) else 1
    return picture._replace(maxval=full, samples=array("H", (factor * sample for sample in picture.samples)))


def round_trips(workshop):
    version = workshop.check_works("--version")
    for form, option, channels in FORMS:
        if form == "tif" and b"libtiff" not in version:
            continue
        shapes = [(*size, count, maxval) for size, count, maxval in itertools.product(SIZES, channels, MAXVALS)] + [*WIDE]
        pictures = {f"{i}.pam": noise(*shape) for i, shape in enumerate(shapes)
                    if shape[2] in channels and (form != "pbm" or shape[3] == 1)}
        words = ["-q", "--halo", "0", "--format"]
        made = workshop.run_each({name: as_pam([one]) for name, one in pictures.items()}, *words, form, *option.split())
        files = {f"{name[:-4]}.{form}": output.read_bytes() for name, (_, _, output) in made.items()}
        for name, (_, said, output) in workshop.run_each(files, *words, "pam").items():
            picture = as_kept(form, pictures[name.partition(".")[0] + ".pam"])
            workshop.check(read_pictures(output) == [picture], f"{option} {form}: {picture[:4]}: other samples {said}")
        if option:
            widest = max(len(line) for data in files.values() for line in data.split(b"\n"))
            workshop.check(60 < widest <= 70, f"plain {form}: a line of {widest} columns")
        if form in ("pbm", "pgm", "pam"):
            stream = [noise(*shape, 1, 1) for shape in ((5, 3), (8, 2), (1, 9))]
            workshop.plant("in.pam", data=as_pam(stream))
            workshop.check_works(*words, form, *option.split(), "in.pam", "out.pnm")
            workshop.check(read_pictures(workshop.folder / "out.pnm") == stream, f"{option} {form}: three images")


if __name__ == "__main__":
    program.main(__doc__, {"known": [known], "written": [round_trips]})
