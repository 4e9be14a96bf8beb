# SPDX-License-Identifier: MIT
"""How much metadata a file may have: chunks, comments, lengths that lie, and what would inflate.

usage: metadata_limits.py PROGRAM IMAGES GROUP    GROUP: all
"""
import os
import re
import struct
import time
import zlib

import program
from metadata import BAD, REVERSE, metadata_of, output
from png_reader import GREY
from png_writer import png_file, some_samples
from execution_modes import peak_of


def advice(what, limit):
    return (f"more metadata than the limit of {limit}, at {what}; raise it with --max-metadata, "
            "or drop metadata with --strip-metadata")


def large_chunks(workshop):
    """One chunk, many small ones, and a length that is a lie: in the file, and in a stream."""
    samples = some_samples(9, 5, GREY, 8)
    large = (b"tEXt", b"Title\0" + bytes(5000))
    for items, limit, name in (([large], "4K", "tEXt"), ([large] * 3, "12K", "tEXt"),
                               ([(b"prVt", b"")] * 200, "12K", "prVt"),
                               ([(b"iCCP", b"p\0\0" + bytes(9000))], "8K", "iCCP")):
        words = ["--max-metadata", limit]
        message = advice(f"the chunk {name}", limit.replace("K", ".0 KiB"))
        for place in ("first", "last"):
            if name == "iCCP" and place == "last":
                continue
            data = png_file(9, 5, GREY, 8, samples, **{place: items})
            (workshop.folder / "in.png").write_bytes(data)
            workshop.check_ends([*words, "in.png", "out.png"], BAD, f"in.png: {message}")
            workshop.check_ends([*words, "-", "-"] if place == "first" else
                                [*words, "-", "out.png"], BAD, f"standard input: {message}", data=data)
            workshop.check(not (workshop.folder / "out.png").exists(), "an output was left")
            result = output(workshop, REVERSE)
            workshop.check(len(sum(metadata_of(result), [])) == len(items), "under the default limit")
            result = output(workshop, ["--strip-metadata", *REVERSE], "out.png")
            workshop.check(metadata_of(result) == ([], []), "stripped")
            os.remove(workshop.folder / "out.png")


def lies(workshop):
    head = png_file(9, 5, GREY, 8, some_samples(9, 5, GREY, 8))[:33]
    for length, said in ((60 << 20, "truncated: the file ends in the middle of a chunk"),
                         (0x7fffffff, advice("the chunk tEXt", "64.0 MiB")),
                         (0xffffffff, "")):
        data = head + struct.pack(">I", length) + b"tEXtTitle\0text"
        (workshop.folder / "in.png").write_bytes(data)
        workshop.check_ends("in.png out.png", BAD, re.compile("in.png: " + (re.escape(said) or ".+")))
        workshop.check_ends("- out.png", BAD, re.compile("standard input: " + (re.escape(said) or ".+")),
                            data=data)


def bombs(workshop):
    """A text of 200 MB in 200 kB, three times: never inflated, so it takes neither time nor memory."""
    # In pieces, since a program counts the memory of the one that started it as its own.
    packer, piece = zlib.compressobj(9), bytes(1_000_000)
    packed = b"".join(packer.compress(piece) for _ in range(200)) + packer.flush()
    items = [(b"zTXt", b"Comment\0\0" + packed), (b"iTXt", b"Comment\0\1\0\0\0" + packed),
             (b"iCCP", b"profile\0\0" + packed)]
    data = png_file(9, 5, GREY, 8, some_samples(9, 5, GREY, 8), first=items)
    (workshop.folder / "in.png").write_bytes(data)
    peak = peak_of(workshop, *REVERSE, "in.png", "out.png")
    workshop.check(peak < 100_000_000, f"{peak} bytes of memory")
    workshop.check(metadata_of((workshop.folder / "out.png").read_bytes()) == (items, []), "kept")


def words(workshop):
    for line in ("--max-metadata 0 a b", "--max-metadata 12X a b", "--max-metadata 100 a b"):
        workshop.check_ends(line, 2, re.compile(r"--max-metadata \S+: must be a size .*; at least 1K"))


def long_headers(workshop):
    header = b"P5\n#" + b"x" * 5000 + b"\n2 1\n255\n"
    message = advice("the comments of the header", "4.0 KiB")
    workshop.check_ends("--max-metadata 4K - -", BAD, "standard input: " + message, data=header + b"AB")
    (workshop.folder / "in.pgm").write_bytes(header + b"AB")
    workshop.check_ends("--max-metadata 4K in.pgm out.pgm", BAD, "in.pgm: " + message)
    workshop.check_works("--strip-metadata", "in.pgm", "out.pgm")
    workshop.check_works("--max-metadata", "8K", "in.pgm", "out.pgm")
    data = b"P5\n" + b"#\n" * 200 + b"2 1\n255\nAB"  # each counts for 64 bytes more
    workshop.check_ends("--max-metadata 12K - -", BAD, "standard input: " +
                        message.replace("4.0", "12.0"), data=data)


def many_chunks(workshop):
    """A million chunks, good ones and then seconds of one: seconds of time, not hours."""
    items = [(b"prVt", b"")] * 500_000 + [(b"gAMA", b"\0\0\1\0")] * 500_000
    data = png_file(9, 5, GREY, 8, some_samples(9, 5, GREY, 8), first=items)
    (workshop.folder / "in.png").write_bytes(data)
    begin = time.monotonic()
    ended = workshop.run("in.png", "out.png")
    passed = time.monotonic() - begin
    workshop.check(ended.status == 0 and passed < 60, f"{ended}, {passed} s")


if __name__ == "__main__":
    program.main(__doc__, {"all": [large_chunks, lies, bombs, long_headers, many_chunks, words]})
