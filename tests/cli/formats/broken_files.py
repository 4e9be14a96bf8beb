# SPDX-License-Identifier: MIT
"""Tests files that are no valid images: they are refused with a message that names the file and the fault, and no
output appears. (tests/unit/files/test_codec_broken.c truncates files anywhere.)

usage: broken_files.py PROGRAM IMAGES GROUP [--update]    --update: writes the program's messages into
                                                          broken.txt (group named) or odd.txt (others)
"""
import re
from pathlib import Path

import program

BAD, FOREIGN = 3, 4  # exit statuses

# The message for each file of images/broken, without the file's name.
TEXTS = program.Goldens(Path(__file__).with_name("broken.txt"))
# odd.txt has pairs of lines: a file's bytes, with Python's escapes, then the message without the file's name.
ODD = program.Goldens(Path(__file__).with_name("odd.txt"))
FAULTS = {name: (status, TEXTS.pattern(number)) for status, name, number in TEXTS}

# Files whose message says less if they come through a pipe, whose length is unknown.
PIPED = {
    "truncated.npy": (BAD, r"truncated: the file ends in row 3 of 4"),
    "truncated.pgm": (BAD, r"truncated: the file ends in row 3 of 8"),
    "huge.jpg": (BAD, r"damaged in row 1 of 4000: .* not defined"),
    "trailing_junk.pgm": (BAD, r"unexpected byte 6a after the image; .* \(after 1 good image\)"),
}

for name in FAULTS:
    if name.endswith(".tif"):
        PIPED[name] = FOREIGN, r"TIFF cannot be read from a pipe, .*; save it as a file first"

# For each file that begins with good images, their length in bytes.
GOOD_BEGINNING = {"trailing_junk.pgm": 15}


def check_row(workshop, texts, number, status, name, *words):
    """Checks that the program refuses the file, and changes no file. After the file's name, its message must be the one
    in line `number` of `texts`."""
    before = workshop.content()
    said = workshop.said_at_end([*words, name, "new.pgm"], status)
    workshop.check(said.startswith(f"{name}: "), f"{name} has no name: {said}")
    workshop.check(workshop.content() == before, f"{name}: files came, went or changed")
    texts.check(workshop, number, said.partition(": ")[2])


def every_file_is_known(workshop):
    names = {path.name for path in (workshop.images / "broken").iterdir()}
    workshop.check(names == FAULTS.keys(), f"on one side only: {sorted(names ^ FAULTS.keys())}")
    for status, name, number in TEXTS:
        workshop.take("broken/" + name)
        check_row(workshop, TEXTS, number, status, name)


def refused(workshop, words, status, message, **more):
    """Checks that the program refuses a file, and that nothing in the folder changes."""
    before = workshop.content()
    workshop.check_ends(words, status, re.compile(message), **more)
    workshop.check(workshop.content() == before, f"{words}: files came, went or changed")


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
            refused(workshop, words, status, f"{re.escape(name)}: ({fault})")


def streams(workshop):
    for name, (status, fault) in {**FAULTS, **PIPED}.items():
        workshop.take("broken/" + name)
        data = (workshop.folder / name).read_bytes()
        refused(workshop, ["-", "new.pgm"], status, f"standard input: ({fault})", data=data)
        if name not in GOOD_BEGINNING:
            refused(workshop, ["-", "-"], status, f"standard input: ({fault})", data=data)


def passed_on(workshop):
    """If a stream has a fault after good images, the program writes these, whole, and ends with status 3."""
    for name, count in GOOD_BEGINNING.items():
        data = (workshop.images / "broken" / name).read_bytes()
        ended = workshop.run("--op", "reverse", "--op", "reverse", "-", "-", data=data)
        workshop.check(ended.status == BAD and ended.out == data[:count], f"{name}: {ended}")


def limits(workshop):
    """A file whose header is within --max-pixels, but declares more than the file contains, is refused."""
    workshop.take("broken/huge.pgm", "broken/huge.png")
    for name in ("huge.pgm", "huge.png"):
        refused(workshop, ["--max-pixels", str(2**62), name, "out.pgm"], BAD,
                f"{name}: the header declares 1000000 x 1000000 pixels, which take at least "
                r"\d+ bytes, but only \d+ follow: .*")
    for words in (["--halo", "0"], ["--halo", "4,4,4"], ["--halo", "4,4,1024"], ["--linear"], ["--op", "gradient"], ["--op", "transpose"]):
        header = f"P7\nWIDTH {2**24}\nHEIGHT {2**24 - 1}\nDEPTH 15\nMAXVAL 255\nENDHDR\n"
        refused(workshop, [*words, "--max-pixels", str(2**62), "-", "out.pam"], BAD, data=header.encode(), message=
                "standard input: the header declares 16777216 x 16777215 pixels of 15 channels, more than the "
                f"{2**46} bytes that an image may have")


def odd_files(workshop):
    """The program refuses files of a few bytes: other kinds of images, headers that end early, numbers that are too
    large."""
    for status, text, number in ODD:
        (workshop.folder / "odd").write_bytes(text.encode().decode("unicode_escape").encode("latin-1"))
        check_row(workshop, ODD, number, status, "odd", "--max-pixels", "1000000")


if __name__ == "__main__":
    program.main(__doc__, {
        "named": [every_file_is_known, named_files],
        "streams": [streams, passed_on],
        "others": [limits, odd_files],
    })
