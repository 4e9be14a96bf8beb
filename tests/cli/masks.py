# SPDX-License-Identifier: MIT
"""Tests --mask against its definition in Python. (Its execution modes: execution_modes.py.)

usage: masks.py PROGRAM IMAGES GROUP
"""
import json
import random
import re
from array import array

import definition
import linear_light
import program
from definition_floats import QUIET_NAN, smooth_plane
from npy_files import npy_file, read_npy
from pictures import Picture, read_pictures, write_pictures

UNREADABLE = 3  # exit status


def noise(seed, width, height, channels, maxval):
    draw = random.Random(seed)
    return Picture(width, height, channels, maxval, array("H", (
        draw.randrange(maxval + 1) for _ in range(width * height * channels))))


def holes(seed, width, height, share=0.3):
    """Returns a mask, True for pixels that count. Some single pixels do not, nor does a block larger than any window
    here."""
    draw = random.Random(f"holes {seed}")
    return [[draw.random() >= share and not (x < width // 3 and y < height // 3)
             for x in range(width)] for y in range(height)]


def write_mask(path, there, levels=(1,), maxval=255):
    """Writes a mask: a pixel counts if its sample is not 0."""
    draw = random.Random(7)
    samples = array("H", (draw.choice(levels) if one else 0 for line in there for one in line))
    write_pictures(path, [Picture(len(there[0]), len(there), 1, maxval, samples)])


def masked(picture, there, halo, edge="reflect", norm="sum"):
    """Returns the sum of weight * value * mask, divided by the sum of weight * mask and rounded. If the mask has only
    zeros there, returns the pixel's own value."""
    (halo_x, _), (halo_y, _) = (definition.axis_of(halo, None, axis) for axis in (0, 1))
    w = definition.weights(halo_x, None, norm), definition.weights(halo_y, None, norm)
    columns = definition.sources(picture.width, halo_x, edge)
    rows = definition.sources(picture.height, halo_y, edge)
    out = array("H", picture.samples)
    for channel in range(picture.channels):
        smoothed = definition.weighted_plane(definition.plane_of(picture, channel), there, w, columns, rows)
        out[channel::picture.channels] = array("H", (sample for line in smoothed for sample in line))
    return picture._replace(samples=out)


def compare(workshop, wanted, words, target="out.pam"):
    """Runs the program, and compares the target with the wanted pictures. Returns how many samples were compared."""
    workshop.check_works(*words)
    found = read_pictures(workshop.folder / target)
    differing = sum(a != b for one, other in zip(found, wanted) for a, b in zip(one.samples, other.samples))
    same = [one[:4] for one in found] == [one[:4] for one in wanted]
    workshop.check(same and not differing, f"{words}: {differing} samples differ")
    return sum(len(one.samples) for one in wanted)


# --- samples: against the definition --------------------------------------------------------------

def kinds(workshop):
    """Compares more than 10^5 samples, for several channels, maxvals, edges, halos, norms and sizes."""
    compared = 0
    for number, (channels, maxval, halo) in enumerate((
            (1, 255, 4), (1, 65535, 4), (3, 255, 2), (1, 4095, (7, 1)), (2, 65535, 3), (4, 255, 1),
            (5, 100, 2), (1, 1, 3), (3, 65535, (0, 5)), (1, 255, 16))):
        width, height = (61, 43) if channels < 3 else (37, 29)
        picture, there = noise(number, width, height, channels, maxval), holes(number, width, height)
        edge, norm = definition.EDGES[number % 5], ("sum", "analytic")[number % 4 == 3]
        write_pictures(workshop.folder / "in.pam", [picture])
        write_mask(workshop.folder / "mask.pgm", there, (1, 2, 128, 255))
        wanted = [masked(picture, there, halo, edge, norm)]
        reach = ",".join(map(str, halo)) if isinstance(halo, tuple) else str(halo)
        words = ["--mask", "mask.pgm", "--halo", reach, "--edge", edge, "--norm", norm,
                 "--alpha", "separate", "in.pam", "out.pam"]
        for more in (["--variant", "cpu"], ["--variant", "reference"], ["--verify"]):
            if halo == 16 and more != ["--variant", "cpu"]:
                continue  # the reference is slow
            compared += compare(workshop, wanted, [*more, *words])
    # This mask has more than 256 KiB, which are read at a time.
    picture, there = noise(10, 512, 300, 1, 255), holes(10, 512, 300)
    write_pictures(workshop.folder / "in.pam", [picture])
    write_mask(workshop.folder / "mask.pgm", there, (1, 65535), 65535)
    compared += compare(workshop, [masked(picture, there, (1, 0))],
                        ["--mask", "mask.pgm", "--halo", "1,0", "in.pam", "out.pam"])
    workshop.check(compared > 10**5, f"only {compared} samples")
    print(f"{compared} samples compared")


def all_there(workshop):
    """A mask without a 0 has no effect; one that is all 0 leaves the image unchanged."""
    picture = noise(1, 60, 40, 3, 255)
    write_pictures(workshop.folder / "in.ppm", [picture])
    write_mask(workshop.folder / "all.pgm", [[True] * 60] * 40)
    write_mask(workshop.folder / "none.pgm", [[False] * 60] * 40)
    workshop.check_works("--halo", "3", "in.ppm", "plain.ppm")
    compare(workshop, read_pictures(workshop.folder / "plain.ppm"),
            ["--halo", "3", "--mask", "all.pgm", "in.ppm", "out.ppm"], "out.ppm")
    compare(workshop, [picture], ["--halo", "3", "--mask", "none.pgm", "in.ppm", "out.ppm"], "out.ppm")


def combined(workshop):
    """Sharpen and difference combine the pixel's own value with the masked mean. With --linear that is the mean of
    light."""
    there = holes(2, 50, 40)
    write_mask(workshop.folder / "mask.pgm", there)
    for channels in (1, 2, 3, 4):  # with 2 and 4 channels alpha keeps its value
        picture = noise(channels, 50, 40, channels, 255)
        write_pictures(workshop.folder / "in.pam", [picture])
        mean = masked(picture, there, 2)
        for op, of_samples in (("difference", lambda a, s: a - s + 128), ("sharpen", lambda a, s: 2 * a - s)):
            for more in (["-j3"], ["--verify"]):
                compare(workshop, [definition.combine(picture, mean, of_samples)],
                        ["--op", op, "--halo", "2", "--mask", "mask.pgm", "--alpha", "separate", *more,
                         "in.pam", "out.pam"])
        wanted = linear_light.apply(picture, lambda light: masked(light, there, 2))
        compare(workshop, [wanted], ["--linear", "--halo", "2", "--mask", "mask.pgm", "--alpha", "separate",
                                     "in.pam", "out.pam"])
    # An image so wide that only few rows are encoded at a time.
    picture, there = noise(8, 3000, 17, 1, 255), holes(8, 3000, 17)
    write_pictures(workshop.folder / "in.ppm", [picture])
    write_mask(workshop.folder / "mask.pgm", there)
    wanted = linear_light.apply(picture, lambda light: masked(light, there, 2))
    for more in (["-j1"], ["-j3", "--max-memory", "3M"], ["--verify"]):
        compare(workshop, [wanted], ["--linear", "--halo", "2", "--mask", "mask.pgm", *more, "in.ppm",
                                     "out.pgm"], "out.pgm")


# --- floats: a missing pixel is a NaN that is skipped ---------------------------------------------

def floats(workshop):
    """Compares small images with the definition, and a large one with --nan skip."""
    for width, height, channels in ((37, 29, 1), (17, 13, 2), (401, 301, 1)):
        draw, there = random.Random(width), holes(width, width, height)
        counts = [one for line in there for one in line for _ in range(channels)]
        values = [draw.choice([0x7fc12345, *[draw.getrandbits(30)] * 9]) for _ in counts]
        with_nan = [bits if one else QUIET_NAN for bits, one in zip(values, counts)]
        shape = (height, width, channels)[:2 if channels == 1 else 3]
        (workshop.folder / "in.npy").write_bytes(npy_file("<f4", shape, values))
        (workshop.folder / "nan.npy").write_bytes(npy_file("<f4", shape, with_nan))
        write_mask(workshop.folder / "mask.pgm", there)
        workshop.check_works("--nan", "skip", "--halo", "2", "nan.npy", "wanted.npy")
        wanted = read_npy((workshop.folder / "wanted.npy").read_bytes())[2]
        for more in (["-j1"], ["-j3"], ["--nan", "skip"], ["--variant", "reference"], ["--verify"]):
            workshop.check_works("--mask", "mask.pgm", "--halo", "2", *more, "in.npy", "out.npy")
            found = read_npy((workshop.folder / "out.npy").read_bytes())[2]
            differing = sum(a != b for a, b in zip(wanted, found))
            workshop.check(not differing, f"floats, {width} x {height}, {more}: {differing} differ")
        ended = workshop.run("--mask", "mask.pgm", "--halo", "2", "in.npy", "out.npy")
        workshop.check(QUIET_NAN in wanted and ended.err == "", f"a note on NaN that was asked for: {ended}")
        if channels == 1 and width < 100:
            rows = [with_nan[y * width:(y + 1) * width] for y in range(height)]
            exact = smooth_plane(rows, (2, 2), (None, None), skip=True)
            workshop.check(list(found) == [bits for line in exact for bits in line], "the definition")


# --- formats, records, folders, memory ------------------------------------------------------------

def ways(workshop):
    """Tests formats of the mask, and the records of --json and -v. (Formats of the image: execution_modes.py.)"""
    picture, there = noise(3, 70, 190, 1, 255), holes(3, 70, 190)
    wanted = [masked(picture, there, 2)]
    write_pictures(workshop.folder / "in.pgm", [picture])
    write_mask(workshop.folder / "mask.pgm", there)
    write_mask(workshop.folder / "mask.png", there)
    write_mask(workshop.folder / "deep.pgm", there, (1, 256, 65535), 65535)
    masks = ["mask.pgm", "mask.png", "deep.pgm"]
    for name in ("mask.npy", "mask.tif"):
        if workshop.run("--halo", "0", "mask.pgm", name).status == 0:
            masks.append(name)  # TIFF is not in every build
    for mask in masks:
        compare(workshop, wanted, ["--halo", "2", "--mask", mask, "in.pgm", "out.pgm"], "out.pgm")
    write_mask(workshop.folder / "white.pgm", there, maxval=1)
    workshop.check_works("--halo", "0", "white.pgm", "white.pbm")
    compare(workshop, wanted, ["--halo", "2", "--mask", "white.pbm", "in.pgm", "out.pgm"], "out.pgm")
    line = json.loads(workshop.check_works("--json", "--mask", "mask.pgm", "in.pgm", "out.pgm").splitlines()[0])
    found = line["channels"], line["width"], line["ops"][0]["mask"], line["ops"][0].get("nan")
    workshop.check(found == (1, 70, "mask.pgm", None), f"{line}")
    ended = workshop.run("-v", "--mask", "mask.pgm", "in.pgm", "out.pgm")
    workshop.check("alpha weighted,\n    mask mask.pgm, " in ended.err and "nan" not in ended.err, f"{ended}")


def several(workshop):
    """One mask serves for all images of a file and of a folder. An image of another size fails alone."""
    there, folder = holes(4, 30, 20), workshop.make_folder("in")
    pictures = [noise(seed, 30, 20, channels, 255) for seed, channels in enumerate((1, 3, 1))]
    write_mask(workshop.folder / "mask.pgm", there)
    write_pictures(workshop.folder / "all.pam", pictures)
    wanted = [masked(picture, there, 2) for picture in pictures]
    compare(workshop, wanted, ["--mask", "mask.pgm", "--halo", "2", "all.pam", "out.pam"])
    for number, picture in enumerate(pictures):
        write_pictures(folder / f"{number}.pnm", [picture])
    write_pictures(folder / "large.pgm", [noise(9, 31, 20, 1, 255)])
    ended = workshop.run("--mask", "mask.pgm", "--halo", "2", "in", "out")
    workshop.check(ended.status == 1 and "in/large.pgm: 31 x 20 pixels, and the mask mask.pgm has 30 x 20"
                   in ended.err, f"{ended}")
    for number, picture in enumerate(wanted):
        found = read_pictures(workshop.folder / "out" / f"{number}.pnm")
        workshop.check(found == [picture], f"in a folder: {number}")
    workshop.check(not (workshop.folder / "out" / "large.pgm").exists(), "an output of another size")


def memory(workshop):
    """The mask takes one bit for each pixel of the memory limit; bands get the rest."""
    picture, there = noise(5, 2000, 1500, 1, 255), [[(x * y) % 7 > 0 for x in range(2000)] for y in range(1500)]
    write_pictures(workshop.folder / "in.pgm", [picture])
    write_mask(workshop.folder / "mask.pgm", there)
    workshop.check_works("-j2", "--mask", "mask.pgm", "--halo", "2", "in.pgm", "whole.pgm")
    workshop.check_works("-j2", "--mask", "mask.pgm", "--halo", "2", "--max-memory", "3M", "in.pgm", "bands.pgm")
    workshop.check((workshop.folder / "whole.pgm").read_bytes() == (workshop.folder / "bands.pgm").read_bytes(),
                   "other bytes in little memory")
    workshop.check_ends("-j1 --max-memory 1M --halo 700 --mask mask.pgm in.pgm out.pgm", UNREADABLE, re.compile(
        r"in.pgm: 2000 x 1500 pixels, in bands, would take \d+ bytes .*, above the limit of 1048576 \(1.0 "
        r"MiB\), of which the mask has 375000; raise it with --max-memory.*"))
    tall = noise(6, 3400, 2600, 1, 255)
    write_pictures(workshop.folder / "mask.pgm", [tall])
    before = workshop.content()
    workshop.check_ends("--max-memory 1M --mask mask.pgm in.pgm out.pgm", UNREADABLE, re.compile(
        r"mask.pgm: a mask of 3400 x 2600 pixels would take \d+ bytes of memory \(1.* MiB\), above the "
        r"limit of 1048576 \(1.0 MiB\); raise it with --max-memory"))
    workshop.check(workshop.content() == before, "a mask that is too large: files changed")


if __name__ == "__main__":
    program.main(__doc__, {"samples": [kinds, all_there, combined], "floats": [floats],
                           "ways": [ways, several, memory]})
