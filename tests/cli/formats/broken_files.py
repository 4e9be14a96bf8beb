# SPDX-License-Identifier: MIT
"""Tests files that are no valid images: they are refused with a message that names the file and the fault, and no
output appears. Also cuts off files of every format at many places, and changes single bits of files.

usage: broken_files.py PROGRAM IMAGES GROUP [--update]    --update: writes the program's messages into
                                                          broken.txt (group named) or odd.txt (others)
"""
import itertools
import os
import re
import time
from array import array
from pathlib import Path

import program
from jpeg_files import BASELINE, PROGRESSIVE, jpeg_file
from pictures import Picture, write_pictures
from tiff import some_image
from tiff_files import DEFLATE, LZW, PACKBITS, tiff_file

BAD, FOREIGN = 3, 4  # exit statuses

# The message for each file of images/broken, without the file's name.
TEXTS = program.Goldens(Path(__file__).with_name("broken.txt"))
# odd.txt has pairs of lines: a file's bytes, with Python's escapes, then the message without the file's name.
ODD = program.Goldens(Path(__file__).with_name("odd.txt"))
FAULTS = {name: (status, TEXTS.pattern(number)) for status, name, number in TEXTS}

# {name: (status, message)} of files that cause another message through a pipe: the program does not know the length of
# a pipe or its place in one, and cannot read TIFF from one.
PIPED = {
    "truncated.npy": (BAD, r"truncated: the file ends in row 3 of 4"),
    "truncated.pgm": (BAD, r"truncated: the file ends in row 3 of 8"),
    "huge.jpg": (BAD, r"damaged in row 1 of 4000: .* not defined"),
    "trailing_junk.pgm": (BAD, r"unexpected byte 0x6a after the image; .* \(after 1 good image\)"),
}

for name in FAULTS:
    if name.endswith(".tif"):
        PIPED[name] = FOREIGN, r"TIFF cannot be read from a pipe, .*; save it as a file first"

# For each file that begins with good images, their length in bytes.
GOOD_BEGINNING = {"trailing_junk.pgm": 15}


def check_row(workshop, texts, number, status, name, *words):
    """Checks that the program refuses the file. The message must begin with the file's name and continue with line
    `number` of `texts`."""
    said = workshop.said_at_end([*words, name, "new.pgm"], status)
    workshop.check(said.startswith(f"{name}: "), f"{name} has no name: {said}")
    texts.check(workshop, number, said.partition(": ")[2])


def every_file_is_known(workshop):
    names = {path.name for path in (workshop.images / "broken").iterdir()}
    workshop.check(names == FAULTS.keys(), f"on one side only: {sorted(names ^ FAULTS.keys())}")
    for status, name, number in TEXTS:
        workshop.take("broken/" + name)
        check_row(workshop, TEXTS, number, status, name)


def named_files(workshop):
    """Processes each file into a new file, over an old one, in place, and to standard output."""
    for name, (status, fault) in FAULTS.items():
        workshop.take("broken/" + name)
        for words in ([name, "new.pgm"], [name, "new.png"], [name, "old.pgm"], [name, "-"],
                      ["--in-place", name], ["--op", "reverse", name, "new.pam"],
                      ["--halo", "0", name, "new"]):
            if words[-1] == "-" and (name in GOOD_BEGINNING or name.endswith(".tif")):
                continue
            (workshop.folder / "old.pgm").write_bytes(b"P5 1 1 255\n\7")
            workshop.check_ends(words, status, re.compile(f"{re.escape(name)}: ({fault})"))


def streams(workshop):
    for name, (status, fault) in {**FAULTS, **PIPED}.items():
        workshop.take("broken/" + name)
        data = (workshop.folder / name).read_bytes()
        workshop.check_ends(["-", "new.pgm"], status, re.compile(f"standard input: ({fault})"), data=data)
        if name not in GOOD_BEGINNING:
            workshop.check_ends(["-", "-"], status, re.compile(f"standard input: ({fault})"), data=data)


def passed_on(workshop):
    """If a stream has a fault after good images, the program writes all good images, and ends with status 3."""
    for name, count in GOOD_BEGINNING.items():
        data = (workshop.images / "broken" / name).read_bytes()
        ended = workshop.run("--op", "reverse", "--op", "reverse", "-", "-", data=data)
        workshop.check(ended.status == BAD and ended.out == data[:count], f"{name}: {ended}")


def limits(workshop):
    """A file whose header declares more pixels than the file contains is refused, even if --max-pixels allows that many
    pixels. An image of more bytes than any image may have is refused, too."""
    workshop.take("broken/huge.pgm", "broken/huge.png")
    for name in ("huge.pgm", "huge.png"):
        workshop.check_ends(["--max-pixels", str(2**62), name, "out.pgm"], BAD, re.compile(
            f"{name}: the header declares 1000000 x 1000000 pixels, which take at least "
            r"\d+ bytes, but only \d+ follow: .*"))
    for words in (["--halo", "0"], ["--halo", "4,4,4"], ["--halo", "4,4,1024"], ["--linear"], ["--op", "gradient"], ["--op", "transpose"]):
        header = f"P7\nWIDTH {2**24}\nHEIGHT {2**24 - 1}\nDEPTH 15\nMAXVAL 255\nENDHDR\n"
        workshop.check_ends([*words, "--max-pixels", str(2**62), "-", "out.pam"], BAD, data=header.encode(), message=
                            "standard input: the header declares 16777216 x 16777215 pixels of 15 channels, more than "
                            f"the {2**46} bytes that an image may have")


def odd_files(workshop):
    """The program refuses files of a few bytes: other kinds of images, headers that end early, numbers that are too
    large."""
    for status, text, number in ODD:
        (workshop.folder / "odd").write_bytes(text.encode().decode("unicode_escape").encode("latin-1"))
        check_row(workshop, ODD, number, status, "odd", "--max-pixels", "1000000")


# --- anywhere: files of every format, cut off at many places; PNG and TIFF with changed bits --------

WRITTEN = (  # name, channels, maxval, options
    ("P1.pbm", 1, 1, "--plain"), ("P2.pgm", 1, 9, "--plain"), ("P3.ppm", 3, 9, "--plain"), ("P4.pbm", 1, 1, ""),
    ("P5.pgm", 1, 255, ""), ("wide.pgm", 1, 4095, ""), ("P6.ppm", 3, 100, ""), ("P7.pam", 4, 65535, ""),
    ("rgb.png", 3, 255, ""), ("wide.png", 2, 65535, ""), ("bits.png", 1, 1, ""), ("bytes.npy", 1, 255, ""),
    ("wide.npy", 3, 65535, ""))


def sound_files(workshop):
    """Yields (name, bytes) of small files."""
    for name, channels, maxval, words in WRITTEN:
        samples = array("H", (i * i * 7 % (maxval + 1) for i in range(9 * 5 * channels)))
        write_pictures(workshop.folder / "in.pam", [Picture(9, 5, channels, maxval, samples)])
        yield name, workshop.made("--halo", "0", *words.split(), "in.pam", name)
    for number, layout in enumerate(({"compression": DEFLATE}, {"compression": LZW}, {"compression": PACKBITS},
                                     {"compression": DEFLATE, "tile": (16, 16)})):
        yield f"{number}.tif", tiff_file(some_image(40, 50, 1, **layout))
    for process, restart in itertools.product((BASELINE, PROGRESSIVE), (0, 2)):
        yield f"{process}-{restart}.jpg", jpeg_file(40, 50, ((2, 2), (1, 1), (1, 1)), process=process, restart=restart)


def cut(workshop):
    """A file that is cut off at any place is refused, also from a pipe. The test always cuts off more than the newline
    at the end of a plain file, and more than the last 4 bytes of a TIFF file, since no sample depends on them. (In a
    TIFF file of one strip these 4 bytes are 0, which says that no directory follows.)"""
    turn = int(os.environ.get("SMOOTHIMG_TEST_TURN") or time.time() // 86400)  # each day has other cuts
    for name, data in sound_files(workshop):
        spare = 1 if name in ("P1.pbm", "P2.pgm", "P3.ppm") else 4 if name.endswith(".tif") else 0
        step = 1 + len(data) // 200
        cuts = [*range(turn % step, len(data) - spare, step), len(data) - spare - 1, len(data)]
        files = {f"{length}{name}": data[:length] for length in cuts}
        for each, (status, said, output) in workshop.run_each(files, "--format", "npy").items():
            bad = status in (BAD, FOREIGN) and re.search(f"{each}: .", said) and not output.exists()
            workshop.check(status == 0 if files[each] == data else bad, f"{each}: {status}, {said}")
        for length in cuts[turn % 9::9] if not name.endswith(".tif") else ():
            ended = workshop.run("-q", "-", "piped.npy", data=data[:length])
            good = length == len(data)
            workshop.check((ended.status == 0) == good and (workshop.folder / "piped.npy").exists() == good, f"{length}{name}: {ended}")
            (workshop.folder / "piped.npy").unlink(missing_ok=True)


def flipped(workshop):
    """If a bit of a file with checksums changes, the program refuses the file, or reads the right samples. It refuses
    every changed PNG file, since all chunks are critical here."""
    image = some_image(17, 9, 3, "H", compression=DEFLATE)
    tiffs = {f"{number}.tif": tiff_file({**image, "predictor": predictor, **layout}) for number, (predictor, layout) in enumerate(
        itertools.product((1, 2), ({}, {"rows": 7}, {"tile": (16, 16)}, {"planar": True, "rows": 4}, {"planar": True, "tile": (16, 16)})))}
    pngs = {name: data for name, data in sound_files(workshop) if name.endswith(".png")}
    for number, (name, data) in enumerate({**tiffs, **pngs}.items()):
        first, end = (0, len(data)) if name in pngs else (8, int.from_bytes(data[4:8], "little"))  # before the directory
        files = {name: data}
        for bit in range(8 * first + number % 13, 8 * end, 13):
            files[f"{bit}{name}"] = data[:bit // 8] + bytes((data[bit // 8] ^ 1 << bit % 8,)) + data[bit // 8 + 1:]
        found = workshop.run_each(files, "-q", "--halo", "0", "--format", "npy")
        right = [each for each, (status, _, output) in found.items() if status == 0]
        samples = {found[each][2].read_bytes() for each in right}
        workshop.check(all(status in (0, BAD, FOREIGN) for status, _, _ in found.values()) and name in right, f"{name}: {found}")
        workshop.check(len(samples) == 1, f"{name}: other samples, without a word: {right}")
        workshop.check(len(right) == 1 if name in pngs else len(right) < len(files) / 5, f"{name}: {right} are read")


if __name__ == "__main__":
    program.main(__doc__, {
        "named": [every_file_is_known, named_files],
        "streams": [streams, passed_on],
        "others": [limits, odd_files],
        "anywhere": [cut, flipped],
    })
