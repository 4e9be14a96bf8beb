# SPDX-License-Identifier: MIT
"""Tests which chunks of a PNG file the output keeps byte for byte, changes, or leaves out.

usage: metadata.py PROGRAM IMAGES GROUP"""
import re
import shutil
import struct
import subprocess
import zlib

import program
from png_reader import GREY, PALETTE, RGB, chunks_of
from png_writer import chunk, png_file, some_samples

BAD = 3
SMOOTH, SAME = ["--halo", "2"], ["--halo", "0"]
TRANSPOSE, REVERSE = ["--op", "transpose"], ["--op", "reverse"]

PROFILE = b"some profile\0\0" + zlib.compress(bytes(range(256)) * 9)

# Chunks of each kind, in an order that the format allows. FIRST follow IHDR, MIDDLE precede IDAT, LAST precede IEND.
FIRST = [
    (b"tIME", struct.pack(">HBBBBB", 1996, 2, 29, 23, 59, 60)),
    (b"tEXt", b"Title\0A text in Latin-1: \xe6\xf8\xe5"),
    (b"gAMA", struct.pack(">I", 45455)),
    (b"cHRM", struct.pack(">8I", 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000)),
    (b"sRGB", b"\1"),
    (b"iCCP", PROFILE),
    (b"cICP", bytes([1, 13, 0, 1])),
    (b"mDCV", bytes(range(24))),
    (b"cLLI", struct.pack(">II", 10000000, 5000000)),
    (b"prVt", b"private, safe to copy"),
    (b"prVT", b"private, not safe to copy"),
    (b"acTL", struct.pack(">II", 1, 0)),
]
MIDDLE = [
    (b"pHYs", struct.pack(">IIB", 11811, 3780, 1)),
    (b"oFFs", struct.pack(">iiB", -7, 1000, 0)),
    (b"sCAL", b"\x01" + b"0.0025\0" + b"1.5e-3"),
    (b"pCAL", b"depth\0" + struct.pack(">iiBB", 0, 255, 0, 2) + b"m\0" + b"0\0" + b"1.5"),
    (b"sPLT", b"a palette\0\x08" + bytes(12)),
    (b"sPLT", b"another\0\x08" + bytes(6)),
    (b"zTXt", b"Warning\0\0" + zlib.compress(b"long " * 500)),
    (b"zTXt", b"Comment\0\0" + b"this is nothing that zlib knows"),
    (b"eXIf", b"II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0\0\0\0\0"),
]
LAST = [
    (b"tEXt", b"Author\0somebody"),
    (b"tEXt", b"Author\0somebody else"),
    (b"iTXt", "Comment\0\0\0de\0Kommentar\0Grüße".encode()),
    (b"prVs", b""),
    (b"prVS", b"not safe"),
]
# Chunks that describe the input, so the output leaves them out.
DESCRIBES = [(b"bKGD", struct.pack(">3H", 1, 2, 255)), (b"hIST", bytes(8)), (b"sBIT", bytes([5, 6, 5])), (b"sTER", b"\1")]
UNSAFE = "not safe to copy"
LEFT_OUT = {b"prVT": UNSAFE, b"acTL": UNSAFE, b"prVS": UNSAFE, **dict.fromkeys(dict(DESCRIBES), "describes the input's samples"),
            b"sTER": "describes the input's axes"}


def swapped(data, size):
    return data[size:2 * size] + data[:size] + data[2 * size:]


def mended(name, data, transposed):
    if transposed and name in (b"pHYs", b"oFFs"):
        return swapped(data, 4)
    if transposed and name == b"eXIf":  # a transpose changes the orientation 6 to 8
        return data.replace(b"\1\0\0\0\6", b"\1\0\0\0\x08")
    return data


def expected(items, transposed):
    return [(name, mended(name, data, transposed)) for name, data in items
            if name not in LEFT_OUT and not (transposed and name == b"sCAL")]


def metadata_of(data):
    """Returns two lists of ancillary chunks: those before the first IDAT, and those after the last."""
    chunks = chunks_of(data)
    names = [name for name, _ in chunks]
    first, last = names.index(b"IDAT"), len(names) - names[::-1].index(b"IDAT")
    assert set(names[first:last]) == {b"IDAT"}
    return ([item for item in chunks[:first] if item[0][0] & 32], [item for item in chunks[last:] if item[0][0] & 32])


def rich_file(colour=RGB, depth=8, width=21, height=17, middle=(), **more):
    return png_file(width, height, colour, depth, some_samples(width, height, colour, depth), **more, first=FIRST,
                    middle=[*DESCRIBES, *middle, *MIDDLE], last=LAST)


def output(workshop, words, name="out.png", data=None):
    """Runs the program on in.png, whose bytes are `data` if given. Returns the output's bytes."""
    if data is not None:
        (workshop.folder / "in.png").write_bytes(data)
    return workshop.made(*words, "in.png", name)


# --- which chunks of a PNG the output keeps, for each operation -----------------------------------

OPERATIONS = {  # {name: (words, whether they exchange the axes)}
    "halo 0": (SAME, False),
    "smooth": (SMOOTH, False),
    "transpose": (TRANSPOSE, True),
    "reverse": (REVERSE, False),
    "transpose twice": (TRANSPOSE * 2, False),
    "transpose, reverse": (TRANSPOSE + REVERSE, True),
    "all three": (["--op", "smooth"] + SMOOTH + TRANSPOSE + REVERSE, True),
}


def kept(workshop):
    """Checks the output's chunks for each operation."""
    data = rich_file()
    before, behind = metadata_of(data)
    for name, (words, transposed) in OPERATIONS.items():
        result = output(workshop, words, data=data)
        wanted = expected(before, transposed), expected(behind, transposed)
        workshop.check(metadata_of(result) == wanted, f"{name}: {metadata_of(result)}\n  wanted {wanted}")


def several_exif(workshop):
    """A transpose updates each eXIf chunk for itself, and keeps the chunk's length, though PNG allows only one."""
    exif = dict(MIDDLE)[b"eXIf"]
    first, last = [(b"eXIf", b"none" * 75), (b"eXIf", exif)], [(b"eXIf", exif + b"and a tail")]
    data = png_file(9, 5, RGB, 8, some_samples(9, 5, RGB, 8), first=first, last=last)
    found = metadata_of(output(workshop, TRANSPOSE, data=data))
    workshop.check(found == (expected(first, True), expected(last, True)), f"{found}")


def readable(workshop):
    """pngcheck must not complain about any output."""
    if not shutil.which("pngcheck"):
        raise program.Skip("pngcheck is not installed")
    good = [item for item in FIRST + MIDDLE if item[0] not in (
        b"acTL",            # only for animations
        b"iCCP",            # a file may have sRGB or iCCP, not both
        b"cICP", b"mDCV", b"cLLI", b"prVt", b"prVT", b"oFFs")]  # pngcheck does not know these
    for operation in (SAME, SMOOTH, TRANSPOSE, REVERSE):
        data = png_file(21, 17, RGB, 16, some_samples(21, 17, RGB, 16), first=good, last=LAST[:3])
        output(workshop, operation, data=data)
        ended = subprocess.run(["pngcheck", workshop.folder / "out.png"], capture_output=True, text=True, check=False)
        workshop.check(ended.returncode == 0, f"{operation}: {ended.stdout}")


def stripped(workshop):
    """With --strip-metadata only the orientation is left, whatever chunks the file had."""
    (workshop.folder / "in.png").write_bytes(
        rich_file(middle=[(b"pHYs", b"wrong length"), chunk(b"gAMA", bytes(4), crc=1)]))
    for operation, orientation in ((SMOOTH, 6), (TRANSPOSE, 8)):
        result = output(workshop, [*operation, "--strip-metadata"])
        only = b"MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0" + bytes([orientation, 0, 0, 0, 0, 0, 0])
        workshop.check(metadata_of(result) == ([(b"eXIf", only)], []), f"{operation}: {metadata_of(result)}")
    result = output(workshop, SAME, "out.ppm", rich_file())
    workshop.check(result.startswith(b"P6\n21 17\n255\n"), "chunks are no comments")


def palette_said_once(workshop):
    """A note says that a palette becomes RGB. The note is printed once in a run, and only if the output is a PNG and
    the operation, such as a transpose, computes no new colours."""
    (workshop.folder / "in").mkdir()
    for name in ("a", "b"):
        data = png_file(9, 5, PALETTE, 4, some_samples(9, 5, PALETTE, 4), palette=bytes(48))
        (workshop.folder / f"in/{name}.png").write_bytes(data)
    said = "not carried over to PNG: palette (the colours are RGB)"
    workshop.check("PLTE (the colours are RGB)" in workshop.run("-v", "in/a.png", "a.png").err, "-v")
    workshop.check(workshop.run(*TRANSPOSE, "-O", "out", "in").err.count(said) == 1, "transpose")
    for words in ([*TRANSPOSE, "in/a.png", "a.ppm"], [*SMOOTH, "in/a.png", "a.png"]):
        workshop.check(said not in workshop.run(*words).err, words)


# --- damaged: a chunk with a wrong checksum is left out, with a note ------------------------------

def wrong_crc(name, data):
    return chunk(name, data, crc=zlib.crc32(name + data) ^ 1)


def damaged(workshop):
    """A chunk with a wrong checksum is dropped, with a note."""
    for said, items in (("iCCP (wrong checksum)", [wrong_crc(b"iCCP", PROFILE)]),
                        ("pHYs (wrong checksum), tIME (wrong checksum)",
                         [wrong_crc(b"pHYs", bytes(9)), wrong_crc(b"tIME", bytes(7))])):
        (workshop.folder / "in.png").write_bytes(png_file(
            9, 5, RGB, 8, some_samples(9, 5, RGB, 8), first=[(b"prVt", b"good"), *items],
            last=[(b"tEXt", b"Title\0good")]))
        workshop.check_says([*REVERSE, "in.png", "out.png"], f"smoothimg: in.png: damaged in part; left out: {said}\n")
        found = metadata_of((workshop.folder / "out.png").read_bytes())
        workshop.check(found == ([(b"prVt", b"good")], [(b"tEXt", b"Title\0good")]), f"{said}: {found}")
        workshop.check(workshop.run("-q", *REVERSE, "in.png", "out.png") == (0, b"", ""), "--quiet")


def malformed(workshop):
    """The program copies a chunk whose checksum is right without a note, even if the data of the chunk are invalid."""
    first = [(b"iCCP", b"x" * 200 + b"\0\0"), (b"gAMA", b"\0\0\1"), (b"sRGB", b""), (b"sRGB", b"\1"),
             (b"pHYs", bytes(8))]
    last = [(b"oFFs", b""), (b"gAMA", b"\0\0\1\0"), (b"tEXt", b"\0text"), (b"iTXt", b"key\0"), (b"tIME", b""),
            (b"eXIf", b""), (b"eXIf", b"Exif\0\0II*\0")]
    data = png_file(9, 5, RGB, 8, some_samples(9, 5, RGB, 8), first=first, last=last)
    for words in (TRANSPOSE, SMOOTH, [*SMOOTH, "--linear"]):
        (workshop.folder / "in.png").write_bytes(data)
        ended = workshop.run(*words, "in.png", "out.png")
        workshop.check(ended[0] == 0 and "damaged" not in ended.err, f"{words}: {ended}")
        found = metadata_of((workshop.folder / "out.png").read_bytes())
        workshop.check(found == (first, last), f"{words}: {found}")


def transparency(workshop):
    """A wrong checksum of tRNS is an error, because samples depend on this chunk."""
    samples = some_samples(9, 5, GREY, 8)
    data = png_file(9, 5, GREY, 8, samples, middle=[wrong_crc(b"tRNS", b"\0\1")])
    (workshop.folder / "in.png").write_bytes(data)
    workshop.check_ends("in.png out.png", BAD, "in.png: damaged: wrong checksum (tRNS)")


def many_notes(workshop):
    """The message about damaged chunks names each once, and has a limited length, however many such chunks the file
    has."""
    items = [wrong_crc(b"tEXt", b"\0")] * 2 + [
        wrong_crc(b"no%ct" % letter, b"") for letter in b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"] * 200
    data = png_file(9, 5, GREY, 8, some_samples(9, 5, GREY, 8), last=items)
    (workshop.folder / "in.png").write_bytes(data)
    ended = workshop.run("in.png", "out.png")
    workshop.check(ended.status == 0 and len(ended.err) < 400 and ended.err.endswith(", ...\n") and
                   ended.err.count("tEXt") == ended.err.count("noAt") == 1, ended)


def places(workshop):
    """A file with an unknown critical chunk or a wrong chunk name is refused. (damage.py tests places of chunks.)"""
    whole = png_file(40, 40, GREY, 8, some_samples(40, 40, GREY, 8))
    for data, said in ((whole[:33] + chunk(b"CRIT", b"") + whole[33:], "in.png: damaged: unknown critical chunk CRIT"),
                       (whole[:33] + chunk(b"t3xt", b"") + whole[33:], "in.png: .*")):
        (workshop.folder / "in.png").write_bytes(data)
        workshop.check_ends("in.png out.png", BAD, re.compile(said))


def said_in_detail(workshop):
    (workshop.folder / "in.png").write_bytes(rich_file())
    err = workshop.run("-v", *TRANSPOSE, "in.png", "out.png").err
    left_out = [f"{name.decode()} ({why})" for name, why in LEFT_OUT.items()]
    found = re.search(r"\bleft_out (.*),\s+not_carried (.*)$", err, re.M)
    workshop.check(found and sorted(found[1].split(", ")) == sorted(left_out), f"{err}: lacks {left_out}")
    workshop.check(found and found[2] == "scale, animation (all frames but the still image)", err)


if __name__ == "__main__":
    program.main(__doc__, {
        "png": [kept, several_exif, readable, stripped, said_in_detail, palette_said_once],
        "damaged": [damaged, malformed, transparency, many_notes, places],
    })
