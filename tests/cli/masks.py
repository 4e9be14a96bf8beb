# SPDX-License-Identifier: MIT
"""Tests --mask: large masks, floats, --json, folders, memory. (results.py tests --mask with every kind of image.)

usage: masks.py PROGRAM IMAGES GROUP"""
import json
import random
import re
from array import array

import linear_light
import program
from npy_files import npy_file, read_npy, text_of, with_header
from pictures import Picture, read_pictures, write_pictures
from results import compare, masked

UNREADABLE, UNSUPPORTED = 3, 4  # exit statuses
QUIET_NAN = 0x7fc00000


def noise(seed, width, height, channels, maxval):
    draw = random.Random(seed)
    return Picture(width, height, channels, maxval, array("H", (
        draw.randrange(maxval + 1) for _ in range(width * height * channels))))


def holes(seed, width, height):
    """Returns a mask as rows of truth values, True for pixels that the filter uses. The mask is False for random pixels
    (three tenths of all) and for a rectangle in a corner. In some windows of the filters here all pixels are in the
    rectangle."""
    draw = random.Random(f"holes {seed}")
    return [[draw.random() >= 0.3 and not (x < width // 3 and y < height // 3)
             for x in range(width)] for y in range(height)]


def write_mask(path, there, levels=(1,), maxval=255):
    """Writes a mask file with samples 0 for False in `there`, and random samples of `levels` for True."""
    draw = random.Random(7)
    samples = array("H", (draw.choice(levels) if one else 0 for line in there for one in line))
    write_pictures(path, [Picture(len(there[0]), len(there), 1, maxval, samples)])


def large(workshop):
    """Tests a mask of more bytes than the program reads at once (256 KiB), and an image so wide that the program
    encodes only a few rows at a time."""
    picture, there = noise(10, 512, 300, 1, 255), holes(10, 512, 300)
    write_pictures(workshop.folder / "in.pam", [picture])
    write_mask(workshop.folder / "mask.pgm", there, (1, 65535), 65535)
    compare(workshop, [masked(picture, there, (1, 0))], ["--mask", "mask.pgm", "--halo", "1,0", "in.pam", "out.pam"])
    picture, there = noise(8, 3000, 17, 1, 255), holes(8, 3000, 17)
    write_pictures(workshop.folder / "in.ppm", [picture])
    write_mask(workshop.folder / "mask.pgm", there)
    wanted = linear_light.apply(picture, lambda light: masked(light, there, 2))
    for more in (["-j1"], ["-j3", "--max-memory", "3M"], ["--verify"]):
        compare(workshop, [wanted], ["--linear", "--halo", "2", "--mask", "mask.pgm", *more, "in.ppm", "out.pgm"])


# --- floats: a pixel that the mask leaves out is treated as a NaN with --nan skip -----------------

def floats(workshop):
    """A mask gives the bytes that --nan skip gives if the masked pixels are NaN, also on more than 10^5 samples."""
    for width, height, channels in ((37, 29, 1), (17, 13, 2), (401, 301, 1)):
        draw, there = random.Random(width), holes(width, width, height)
        counts = [one for line in there for one in line for _ in range(channels)]
        values = [draw.choice([0x7fc12345, *[draw.getrandbits(30)] * 9]) for _ in counts]
        with_nan = [bits if one else QUIET_NAN for bits, one in zip(values, counts)]
        shape = (height, width, channels)[:2 if channels == 1 else 3]
        (workshop.folder / "in.npy").write_bytes(npy_file("<f4", shape, values))
        (workshop.folder / "nan.npy").write_bytes(npy_file("<f4", shape, with_nan))
        write_mask(workshop.folder / "mask.pgm", there)
        wanted = read_npy(workshop.made("--nan", "skip", "--halo", "2", "nan.npy", "wanted.npy"))[2]
        for more in (["-j1"], ["-j3"], ["--nan", "skip"], ["--variant", "reference"], ["--verify"]):
            found = read_npy(workshop.made("--mask", "mask.pgm", "--halo", "2", *more, "in.npy", "out.npy"))[2]
            differing = sum(a != b for a, b in zip(wanted, found))
            workshop.check(not differing, f"floats, {width} x {height}, {more}: {differing} differ")
        ended = workshop.run("--mask", "mask.pgm", "--halo", "2", "in.npy", "out.npy")
        workshop.check(QUIET_NAN in wanted and ended.err == "", f"a note on NaN that was asked for: {ended}")


# --- --json, folders, memory ----------------------------------------------------------------------

def ways(workshop):
    """Tests what --json and -v say about a mask. (execution_modes.py tests the formats of masks.)"""
    write_pictures(workshop.folder / "in.pgm", [noise(3, 70, 190, 1, 255)])
    write_mask(workshop.folder / "mask.pgm", holes(3, 70, 190))
    line = json.loads(workshop.check_works("--json", "--mask", "mask.pgm", "in.pgm", "out.pgm").splitlines()[0])
    found = line["channels"], line["width"], line["ops"][0]["mask"], line["ops"][0].get("nan")
    workshop.check(found == (1, 70, "mask.pgm", None), f"{line}")
    ended = workshop.run("-v", "--mask", "mask.pgm", "in.pgm", "out.pgm")
    workshop.check("alpha weighted, mask mask.pgm, " in ended.joined() and "nan" not in ended.err, f"{ended}")


def several(workshop):
    """The program applies the mask to all images of a file and of a folder. If an image has another size, only its file
    fails."""
    there, folder = holes(4, 30, 20), workshop.make_folder("in")
    pictures = [noise(seed, 30, 20, channels, 255) for seed, channels in enumerate((1, 3, 1))]
    write_mask(workshop.folder / "mask.pgm", there)
    write_pictures(workshop.folder / "all.pam", pictures)
    wanted = [masked(picture, there, 2) for picture in pictures]
    compare(workshop, wanted, ["--mask", "mask.pgm", "--halo", "2", "all.pam", "out.pam"])
    for number, picture in enumerate(pictures):
        write_pictures(folder / f"{number}.pnm", [picture])
    write_pictures(folder / "large.pgm", [noise(9, 31, 20, 1, 255)])
    workshop.check_tells("--mask mask.pgm --halo 2 in out",
                         "in/large.pgm: 31 x 20 pixels, and the mask mask.pgm has 30 x 20", 1)
    for number, picture in enumerate(wanted):
        found = read_pictures(workshop.folder / "out" / f"{number}.pnm")
        workshop.check(found == [picture], f"in a folder: {number}")
    workshop.check(not (workshop.folder / "out" / "large.pgm").exists(), "an output of another size")


def memory(workshop):
    """The mask takes one bit of --max-memory for each pixel, and the bands of the image may take the rest."""
    picture, there = noise(5, 2000, 1500, 1, 255), [[(x * y) % 7 > 0 for x in range(2000)] for y in range(1500)]
    write_pictures(workshop.folder / "in.pgm", [picture])
    write_mask(workshop.folder / "mask.pgm", there)
    whole, bands = (workshop.made("-j2", "--mask", "mask.pgm", "--halo", "2", *more, "in.pgm", "out.pgm")
                    for more in ([], ["--max-memory", "4M"]))
    workshop.check(whole == bands, "other bytes in little memory")
    workshop.check_ends("-j1 --max-memory 1M --halo 700 --mask mask.pgm in.pgm out.pgm", UNREADABLE, re.compile(
        r"in.pgm: 2000 x 1500 pixels, in bands, would take \d+ bytes .*, above the limit of 1048576 \(1.0 "
        r"MiB\), of which the mask has 375000; raise it with --max-memory.*"))
    tall = noise(6, 3400, 2600, 1, 255)
    write_pictures(workshop.folder / "mask.pgm", [tall])
    workshop.check_ends("--max-memory 1M --mask mask.pgm in.pgm out.pgm", UNREADABLE, re.compile(
        r"mask.pgm: a mask of 3400 x 2600 pixels would take \d+ bytes of memory \(1.* MiB\), above the "
        r"limit of 1048576 \(1.0 MiB\); raise it with --max-memory"))


def alone(workshop):
    """A mask is the only image of its file, also in formats of which only the first image is read."""
    there = [[True, False]]
    write_mask(workshop.folder / "mask.pgm", there)
    write_pictures(workshop.folder / "in.pgm", [noise(1, 2, 1, 1, 255)])
    for name in ("mask.npy", "mask.png"):
        workshop.check_works("--halo", "0", "mask.pgm", name)
        workshop.check_works("--mask", name, "in.pgm", "out.pgm")
        data = (workshop.folder / name).read_bytes()
        (workshop.folder / name).write_bytes(data + data)
        workshop.check_ends(f"--mask {name} in.pgm out.pgm", UNSUPPORTED,
                            f"{name}: several images, and a mask is one; save it alone")


def kept(workshop):
    """No output replaces the mask, in place neither."""
    write_mask(workshop.folder / "mask.pgm", [[True, False]])
    write_pictures(workshop.folder / "in.pgm", [noise(1, 2, 1, 1, 255)])
    for words, of in (("in.pgm mask.pgm", "mask.pgm, to be made from in.pgm"), ("in.pgm -o ./mask.pgm", "./mask.pgm, to be made from in.pgm"),
                      ("--in-place .", "./mask.pgm, to be made from ./mask.pgm")):
        workshop.check_ends(f"--mask mask.pgm {words}", 2, f"{of}, is the mask; nothing was done: name another output, or a copy of the mask")
    workshop.check_works("--mask", "mask.pgm", "--skip-existing", "in.pgm", "mask.pgm")


def channels(workshop):
    """A mask is refused beside the greatest number of channels, since it is one more channel in memory."""
    write_mask(workshop.folder / "mask.pgm", [[True]])
    most = 2 ** 31 - 1
    data = with_header(text_of("|u1", (1, 1, most)), b"")
    with open(workshop.folder / "in.npy", "wb") as file:
        file.write(data)
        file.truncate(len(data) + most)
    workshop.check_ends(f"--max-channels {most} --mask mask.pgm in.npy out.npy", UNSUPPORTED,
                        f"in.npy: {most} channels, and the mask mask.pgm would be one more than are supported; leave "
                        "out --mask")


if __name__ == "__main__":
    program.main(__doc__, {"samples": [large], "floats": [floats], "ways": [ways, several, memory, alone, kept, channels]})
