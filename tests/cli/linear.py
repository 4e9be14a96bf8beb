# SPDX-License-Identifier: MIT
"""Compares --linear with its definition in Python. --linear converts samples to light by a curve (sRGB or a gamma),
filters the light, and converts the result back. Tests every curve. (results.py tests --linear with images of
every kind.)

usage: linear.py PROGRAM IMAGES GROUP"""
import json
import random
import struct
from array import array
from decimal import Decimal

import definition
import linear_light
import program
from pictures import Picture, read_pictures, write_pictures
from png_reader import GREY, GREY_ALPHA, PALETTE, RGB, RGB_ALPHA, chunks_of
from png_writer import png_file, some_samples
from results import compare, some_samples as some_samples_of

GAMMA = {gamma: (b"gAMA", struct.pack(">I", gamma)) for gamma in (45455, 55556, 100000, 220000, 0, 5)}
SRGB, PROFILE = (b"sRGB", b"\0"), (b"iCCP", b"some profile\0\0no profile")


def wanted_of(picture, gamma=None, halo=2, **options):
    return linear_light.apply(picture, lambda light: definition.smooth(light, halo, **options), gamma)


def curves(workshop):
    """--linear uses the curve that the PNG's chunks give, for every colour type, also with --strip-metadata."""
    cases = ((None, (), ""), ("0.45455", (GAMMA[45455],), "a gamma of 0.45455"),
             ("0.55556", (GAMMA[55556],), "a gamma of 0.55556"), ("1", (GAMMA[100000],), "a gamma of 1"),
             ("2.2", (GAMMA[220000],), "a gamma of 2.2"), (None, (GAMMA[45455], SRGB), ""),
             (None, (SRGB, GAMMA[55556]), ""), (None, (GAMMA[0],), ""), (None, (PROFILE,), ""),
             ("0.55556", (PROFILE, GAMMA[55556]), "a gamma of 0.55556"))
    for number, (gamma, chunks, said) in enumerate(cases):
        kinds_of_png = ((GREY, 8), (RGB_ALPHA, 16), (PALETTE, 4), (GREY, 2), (GREY_ALPHA, 8), (RGB, 8))
        for colour, depth in kinds_of_png if number < 2 else kinds_of_png[:3]:
            more = {"palette": bytes(range(48)), "key": b"\x80\0\x40"} if colour == PALETTE else {}
            data = png_file(13, 9, colour, depth, some_samples(13, 9, colour, depth),
                            interlaced=number % 2 == 1, first=chunks, **more)
            (workshop.folder / "in.png").write_bytes(data)
            [picture] = read_pictures(workshop.folder / "in.png")
            wanted = [wanted_of(picture, gamma and Decimal(gamma))]
            what = f"{[name for name, _ in chunks]}, colour {colour}, depth {depth}"
            err = compare(workshop, wanted, ["-v", "--linear", "--halo", "2", "in.png", "out.png"], what)
            workshop.check(f" linear {said.replace('a gamma of ', '') or 'sRGB'}" in err, f"{what}: {err}")
            workshop.check(("does not read its colour profile" in err) == (PROFILE in chunks), err)
            kept = [item for item in chunks_of((workshop.folder / "out.png").read_bytes())
                    if item[0][0] & 32]
            workshop.check(kept == list(chunks), f"{what}: {kept}")
            compare(workshop, wanted, ["-q", "--linear", "--strip-metadata", "--halo", "2", "in.png", "out.png"], what)


def gammas_refused(workshop):
    data = png_file(5, 4, GREY, 8, some_samples(5, 4, GREY, 8), first=[GAMMA[5]])
    (workshop.folder / "in.png").write_bytes(data)
    workshop.check_ends("--linear in.png out.png", 4, "in.png: a gamma of 5e-05 (gAMA), and linear "
                        "light needs one from 0.1 to 10; leave out --linear")
    workshop.check_works("in.png", "out.png")


def folder_of_curves(workshop):
    """Tests a folder that needs more tables of curves than a run keeps in memory."""
    folder = workshop.make_folder("in")
    pictures = {}
    for number, maxval in enumerate([255, 65535, *range(2, 14)]):
        samples = array("H", some_samples_of(random.Random(number), 72, maxval))
        pictures[f"{number}.pgm"] = Picture(9, 8, 1, maxval, samples)
        write_pictures(folder / f"{number}.pgm", [pictures[f"{number}.pgm"]])
    for _ in range(2):
        workshop.check_works("-q", "--linear", "--halo", "2", "-j4", "in", "out")
        for name, picture in pictures.items():
            workshop.check(read_pictures(workshop.folder / "out" / name) == [wanted_of(picture)],
                           f"in a folder: {name}")


# --- lost: samples that --linear changes although the filter itself changes none (the manual has the figures) ---

def unchanged(workshop):
    """With --linear a flat image of 8 bits does not change, at any level."""
    for maxval in (1, 15, 255):
        flats = [Picture(5, 4, 1, maxval, array("H", [level] * 20)) for level in range(maxval + 1)]
        write_pictures(workshop.folder / "in.pgm", flats)
        compare(workshop, flats, ["--linear", "--halo", "2", "in.pgm", "out.pgm"])


def dark_steps(workshop):
    """Filters an image of all 16-bit samples. The filter's weights are 0, except the weight of the pixel itself, so
    without --linear no sample would change. Counts the samples that --linear changes."""
    samples = array("H", range(65536))
    write_pictures(workshop.folder / "in.pgm", [Picture(256, 256, 1, 65535, samples)])
    workshop.check_works("--linear", "--halo", "1", "--sigma", "0.01", "in.pgm", "out.pgm")
    found = read_pictures(workshop.folder / "out.pgm")[0].samples
    apart = [after - before for before, after in zip(samples, found)]
    figures = (sum(map(bool, apart)), min(apart), max(apart), len(set(found)))
    workshop.check(figures == (18817, -6, 6, 46719), f"changed, by at least, by at most, left: {figures}")
    workshop.check(not any(apart[34829:]), "above 53 % nothing changes")


def lines(workshop):
    """--json names the curve, and --dry-run writes no file."""
    data = png_file(5, 4, GREY, 16, some_samples(5, 4, GREY, 16), first=[GAMMA[55556]])
    (workshop.folder / "in.png").write_bytes(data)
    for words, wanted in ((["--linear"], 0.55556), ([], None)):
        line = json.loads(workshop.check_works("--json", *words, "in.png", "out.png").splitlines()[0])
        workshop.check(line.get("linear") == wanted and line["maxval"] == 65535, f"{words}: {line}")
    workshop.take("flat.pgm")
    line = json.loads(workshop.check_works("--json", "--linear", "flat.pgm", "o.pgm").splitlines()[0])
    workshop.check(line["linear"] == "sRGB" and line["maxval"] == 255, f"{line}")
    workshop.check_works("--dry-run", "--linear", "flat.pgm", "dry.pgm")
    workshop.check(not (workshop.folder / "dry.pgm").exists(), "--dry-run")


if __name__ == "__main__":
    program.main(__doc__, {
        "curves": [curves, gammas_refused, folder_of_curves],
        "lost": [unchanged, dark_steps, lines],
    })
