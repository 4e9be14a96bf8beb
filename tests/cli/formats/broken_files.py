# SPDX-License-Identifier: MIT
"""Tests files that are no good images: they are refused with a message that names file and fault, and leave
no trace. (Files that are truncated anywhere are in tests/unit/files/test_codec_broken.c.)

usage: broken_files.py PROGRAM IMAGES GROUP [--update]    --update, with the group named: broken.txt becomes
                                                          what the program says
"""
import re
import struct
import zlib
from pathlib import Path

import program

BAD, FOREIGN = 3, 4  # exit statuses

# For each file of images/broken, the message after its name.
TEXTS = program.Goldens(Path(__file__).with_name("broken.txt"))
FAULTS = {name: (status, TEXTS.pattern(number)) for status, name, number in TEXTS}

# Messages that say less for a pipe: its length and the position in it are unknown.
PIPED = {
    "truncated.npy": (BAD, r"truncated: the file ends in row 3 of 4"),
    "truncated.pgm": (BAD, r"truncated: the file ends in row 3 of 8"),
    "huge.jpg": (BAD, r"damaged in row 1 of 4000: .* not defined"),
    "trailing_junk.pgm": (BAD, r"unexpected byte 6a after the image; .* \(after 1 good image\)"),
}

for name in FAULTS:
    if name.endswith(".tif"):
        PIPED[name] = FOREIGN, r"TIFF cannot be read from a pipe, .*; save it as a file first"

# Files that begin with good images of this many bytes.
GOOD_BEGINNING = {"trailing_junk.pgm": 15}

# The first bytes of other kinds of images.
FOREIGNERS = {
    "GIF": b"GIF89a\1\0\1\0", "BMP": b"BM\x46\0\0\0\0\0",
    "WebP": b"RIFF\x24\0\0\0WEBPVP8 ", "PFM": b"PF\n2 2\n-1.0\n", "FITS": b"SIMPLE  =   T",
    "AVIF": b"\0\0\0\x20ftypavif",
}


def every_file_is_known(workshop):
    names = {path.name for path in (workshop.images / "broken").iterdir()}
    workshop.check(names == FAULTS.keys(), f"on one side only: {sorted(names ^ FAULTS.keys())}")
    for status, name, number in TEXTS:
        workshop.take("broken/" + name)
        said = workshop.said_at_end([name, "new.pgm"], status)
        workshop.check(said.startswith(f"{name}: "), f"{name} has no name: {said}")
        TEXTS.check(workshop, number, said.partition(": ")[2])


def refused(workshop, words, status, message, **more):
    """Checks the refusal, and that nothing changes: neither the folder nor standard output (check_ends checks
    that)."""
    before = workshop.content()
    workshop.check_ends(words, status, re.compile(message), **more)
    workshop.check(workshop.content() == before, f"{words}: files came, went or changed")


def named_files(workshop):
    """Each file into a new file, over an old one, in place, and to standard output."""
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
    """The good images of a stream have been written when the fault is met: whole ones; then the status is 3."""
    for name, count in GOOD_BEGINNING.items():
        data = (workshop.images / "broken" / name).read_bytes()
        ended = workshop.run("--op", "reverse", "--op", "reverse", "-", "-", data=data)
        workshop.check(ended.status == BAD and ended.out == data[:count], f"{name}: {ended}")


def foreigners(workshop):
    for kind, head in FOREIGNERS.items():
        (workshop.folder / "in.pgm").write_bytes(head + bytes(100))
        refused(workshop, ["in.pgm", "out.pgm"], FOREIGN,
                f"in.pgm: .*{kind}.* is not supported; convert it first, for example with .*")


def limits(workshop):
    """--max-pixels limits what a header may declare, not what the file contains."""
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


def header(width, height):
    """Returns the signature and the header of a grey PNG of 8 bits."""
    body = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + body + struct.pack(">I", zlib.crc32(body))


def odd_headers(workshop):
    for data, fault in (
            (b"P5", r"not a supported image \(starts with 'P5'\); .*"),
            (b"not ", r"not a supported image \(starts with 'not '\); .*"),
            (b"\x89HDF\r\n\x1a\n", r"not a supported image \(starts with 89 48 44 46 0d 0a 1a 0a\); .*"),
            (b"a\x1b[2J", r"not a supported image \(starts with 61 1b 5b 32 4a\); .*"),
            (b"ab\x1b[2J", r"not a supported image \(starts with 'ab'\); .*"), (b"P5\n", ".+"), (b"P5\n1", ".+"),
            (b"P5\n1 1\n255", ".+"), (b"P5\n1 1\n255\n", ".*(truncated|ends).*"),
            (b"P5\n4294967297 1\n255\nA", ".+"), (b"P5\n1 1\n4294967551\nA", ".+"),
            (b"P5\n99999999999999999999 1\n255\nA", ".+"),
            (b"P5\n1 1\n255XA", "bad header: unexpected byte 58; .*"),
            (b"P5\n1\f1\n255\nA", "bad header: unexpected byte 0c; .*"),
            (b"P5\n1 1\n255\0A", "bad header: unexpected byte 00; .*"),
            (b"P4\n1,1\nA", "bad header: unexpected byte 2c; .*"),
            (b"P2\n#$\r1 #$\n1#$\n9#$\r7 1 5$", "unexpected byte 31 at offset 21 after the image; .*"),
            (b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nTUPLTYPE\nENDHDR\n", ".*1 bytes, but only 0 follow: .*"),
            (b"P2\n2 1\n255\n7 x\n", "unexpected byte 78 in row 1 of 1; expected a sample"),
            (b"P2\n2 1\n255\n7 256\n", "the sample in column 2 of 2, row 1 of 1 is 256, above .*"),
            (b"P2\n1 1\n255\n99999999999\n", "the sample in column 1 .* above the maxval of 255"),
            (b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 0\nMAXVAL 255\nENDHDR\nA", ".+"),
            (b"P7\nWIDTH 1\nHEIGHT 1\nMAXVAL 255\nENDHDR\nA", "(?i:.*depth.*)"),
            (b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\n", ".+"),
            # Control bytes in a file are not printed to the terminal.
            (b"P7\nWIDTH 1\n\x1b[31m\xff\x07 1\nENDHDR\n", "bad header: [ -~]*[?]\\[31m[?]{2}[ -~]*"),
            (header(0, 4), ".+"), (header(4, 4), ".+"), (header(2**31, 1), ".+")):
        (workshop.folder / "odd.pgm").write_bytes(data)
        refused(workshop, ["odd.pgm", "out.pgm"], BAD, f"odd.pgm: ({fault})")


if __name__ == "__main__":
    program.main(__doc__, {
        "named": [every_file_is_known, named_files],
        "streams": [streams, passed_on],
        "others": [foreigners, limits, odd_headers],
    })
