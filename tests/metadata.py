# SPDX-License-Identifier: MIT
"""Metadata: chunks of PNG and comments of PNM before and after, mended, damaged and over limits.

usage: metadata.py PROGRAM IMAGES GROUP
"""
import os
import re
import shutil
import struct
import subprocess
import zlib

import program
from pictures import read_pictures
from png_codec import CHANNELS, DEPTHS, GREY, GREY_ALPHA, PALETTE, RGB, RGB_ALPHA, chunks_of
from png_writer import SIGNATURE, chunk, png_file, some_samples
from ways import peak_of

BAD = 3
SMOOTH, SAME = ["--halo", "2"], ["--halo", "0"]
TRANSPOSE, REVERSE = ["--op", "transpose"], ["--op", "reverse"]

PROFILE = b"some profile\0\0" + zlib.compress(bytes(range(256)) * 9)

# One of each kind, in an order that the format allows: behind IHDR, before IDAT, before IEND.
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
    (b"hIST", bytes(8)),
    (b"pHYs", struct.pack(">IIB", 11811, 3780, 1)),
    (b"oFFs", struct.pack(">iiB", -7, 1000, 0)),
    (b"sCAL", b"\x01" + b"0.0025\0" + b"1.5e-3"),
    (b"pCAL", b"depth\0" + struct.pack(">iiBB", 0, 255, 0, 2) + b"m\0" + b"0\0" + b"1.5"),
    (b"sPLT", b"a palette\0\x08" + bytes(12)),
    (b"sPLT", b"another\0\x08" + bytes(6)),
    (b"sTER", b"\1"),
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
LEFT_OUT = {b"hIST", b"prVT", b"acTL", b"prVS"}


def swapped(data, size):
    return data[size:2 * size] + data[:size] + data[2 * size:]


def mended(name, data, transposed):
    if transposed and name in (b"pHYs", b"oFFs"):
        return swapped(data, 4)
    if transposed and name == b"sCAL":
        return data[:1] + b"\0".join(reversed(data[1:].split(b"\0")))
    return data


def expected(items, left_out, transposed=False):
    return [(name, mended(name, data, transposed)) for name, data in items if name not in left_out]


def metadata_of(data):
    """Two lists: the chunks before the first IDAT, and those behind the last; no critical ones."""
    chunks = chunks_of(data)
    names = [name for name, _ in chunks]
    first, last = names.index(b"IDAT"), len(names) - names[::-1].index(b"IDAT")
    assert set(names[first:last]) == {b"IDAT"}
    return ([item for item in chunks[:first] if item[0][0] & 32],
            [item for item in chunks[last:] if item[0][0] & 32])


def rich_file(colour=RGB, depth=8, width=21, height=17, samples=None, first=(), middle=()):
    samples = samples or some_samples(width, height, colour, depth)
    return png_file(width, height, colour, depth, samples, first=[*FIRST, *first],
                    middle=[*middle, *MIDDLE], last=LAST)


def output(workshop, words, name="out.png", data=None):
    """The bytes of what a run makes of in.png."""
    if data is not None:
        (workshop.folder / "in.png").write_bytes(data)
    workshop.check_works(*words, "in.png", name)
    return (workshop.folder / name).read_bytes()


# --- png: what is kept, by every operation and on every way ---------------------------------------

OPERATIONS = {  # words, and the chunks that it makes wrong, and does it exchange the axes?
    "halo 0": (SAME, set(), False),
    "smooth": (SMOOTH, {b"sBIT"}, False),
    "transpose": (TRANSPOSE, {b"sTER"}, True),
    "reverse": (REVERSE, {b"sTER"}, False),
    "transpose twice": (TRANSPOSE * 2, set(), False),
    "transpose, reverse": (TRANSPOSE + REVERSE, {b"sTER"}, True),
    "all three": (["--op", "smooth"] + SMOOTH + TRANSPOSE + REVERSE, {b"sBIT", b"sTER"}, True),
}


def kept(workshop):
    """A line for each chunk: what becomes of it."""
    significant = (b"sBIT", bytes([5, 6, 5]))
    background = (b"bKGD", struct.pack(">3H", 1, 2, 255))
    data = rich_file(first=[significant], middle=[background])
    before, behind = metadata_of(data)
    found = {}
    for name, (words, wrong, transposed) in OPERATIONS.items():
        result = output(workshop, words, data=data)
        left_out = LEFT_OUT | wrong
        wanted = expected(before, left_out, transposed), expected(behind, left_out, transposed)
        found[name] = sum(metadata_of(result), [])
        workshop.check(metadata_of(result) == wanted,
                       f"{name}: {metadata_of(result)}\n  wanted {wanted}")
    print("chunk  " + "  ".join(found))
    for chunk_name, body in before + behind:
        cells = []
        for name, items in found.items():
            there = [item for item in items if item[0] == chunk_name]
            cell = "-" if not there else "as it was" if (chunk_name, body) in there else "mended"
            cells.append(f"{cell:{len(name)}}")
        print(f"{chunk_name.decode():7}" + "  ".join(cells).rstrip())


def every_way(workshop):
    """In bands, as a whole, by one thread or several, to a file or a stream: the same file."""
    wide, high = 700, 500  # several pieces of the stream, several bands
    samples = [[(x * y) & 255 for x in range(wide)] for y in range(high)]
    (workshop.folder / "in.png").write_bytes(
        rich_file(GREY, 8, wide, high, samples, first=[(b"sBIT", b"\7")],
                  middle=[(b"bKGD", b"\0\7")]))
    for operation in (SMOOTH, TRANSPOSE, REVERSE):
        results = {}
        for more in (["-j", "1"], ["-j", "3"], ["--max-memory", "1M"], ["--variant", "reference"],
                     ["--verify"], ["--png-level", "1"], ["--checksum", "--json"]):
            workshop.run(*operation, *more, "in.png", "out.png")
            results[" ".join(more)] = (workshop.folder / "out.png").read_bytes()
        results["stdout"] = workshop.check_works(*operation, "in.png", "-")
        with open(workshop.folder / "in.png", "rb") as file:
            results["stdin"] = workshop.check_works(*operation, "-", "-", stdin=file)
        wanted = results["-j 1"]
        workshop.check(len(metadata_of(wanted)[0]) > 15 and len(metadata_of(wanted)[1]) == 4,
                       f"{operation}: metadata is missing")
        for way, result in results.items():
            workshop.check(result == wanted, f"{operation}, {way}: another file")


def readable(workshop):
    """pngcheck has no complaint about results, whatever they were made of."""
    if not shutil.which("pngcheck"):
        raise program.Skip("pngcheck is not installed")
    good = [item for item in FIRST + MIDDLE if item[0] not in (
        b"acTL", b"hIST",   # of an animation, of a palette
        b"iCCP",            # only one of sRGB and iCCP may be there
        b"cICP", b"mDCV", b"cLLI", b"prVt", b"prVT", b"oFFs")]  # what it does not know
    for operation in (SAME, SMOOTH, TRANSPOSE, REVERSE):
        data = png_file(21, 17, RGB, 16, some_samples(21, 17, RGB, 16), first=good, last=LAST[:3])
        output(workshop, operation, data=data)
        ended = subprocess.run(["pngcheck", workshop.folder / "out.png"], capture_output=True,
                               text=True, check=False)
        workshop.check(ended.returncode == 0, f"{operation}: {ended.stdout}")


def stripped(workshop):
    """Nothing is left, whatever was there; and a limit does not matter."""
    (workshop.folder / "in.png").write_bytes(
        rich_file(middle=[(b"pHYs", b"wrong length"), chunk(b"gAMA", bytes(4), crc=1)]))
    for operation in (SMOOTH, TRANSPOSE):
        result = output(workshop, [*operation, "--strip-metadata", "--max-metadata", "1K"])
        workshop.check(metadata_of(result) == ([], []), f"{operation}: {metadata_of(result)}")
    result = output(workshop, SAME, "out.ppm", rich_file())
    workshop.check(result.startswith(b"P6\n21 17\n255\n"), "chunks are no comments")


# --- samples: backgrounds and significant bits of every kind of samples ---------------------------

def in_samples(workshop):
    for colour, channels in CHANNELS.items():
        for depth in DEPTHS.get(colour, (8, 16)):
            for key in ([None, b"\0\1" * channels] if colour in (GREY, RGB) else
                        [None, b"\x80"] if colour == PALETTE else [None]):
                check_samples(workshop, colour, depth, key)


def check_samples(workshop, colour, depth, key):
    full = (1 << depth) - 1
    palette = bytes(range(10, 16)) if colour == PALETTE else None
    samples = some_samples(9, 5, colour, depth, 2)
    stored = 1 if colour == PALETTE else 3 if colour in (RGB, RGB_ALPHA) else 1
    value = [min(full, 9 + i) for i in range(stored)]
    background = b"\1" if palette else struct.pack(f">{stored}H", *value)
    bits = bytes([3, 4, 5, 6][:len(background) // 2 if not palette else 3])
    bits = bytes(min(depth, b) if not palette else b for b in bits)
    if colour in (GREY_ALPHA, RGB_ALPHA):
        bits += bytes([min(depth, 7)])
    data = png_file(9, 5, colour, depth, samples, palette=palette, key=key,
                    first=[(b"sBIT", bits)], middle=[(b"bKGD", background)])
    if palette:
        background = bytes([0, 13, 0, 14, 0, 15])
    elif depth < 8:
        background = struct.pack(">H", value[0] * (255 // full))
    if key is not None:
        bits += bytes([16 if depth == 16 else 8])
    result = metadata_of(output(workshop, REVERSE, data=data))
    wanted = [(b"sBIT", bits), (b"bKGD", background)], []
    workshop.check(result == wanted, f"{colour}, {depth}, {key}: {result}, not {wanted}")


# --- damaged: what cannot be right is left out, and said ------------------------------------------

def wrong_crc(name, data):
    return chunk(name, data, crc=zlib.crc32(name + data) ^ 1)


DAMAGED = {  # chunks, where they stand, and what is said
    "iCCP (wrong CRC)": ("first", [wrong_crc(b"iCCP", PROFILE)]),
    "iCCP (no keyword)": ("first", [(b"iCCP", b"x" * 200 + b"\0\0")]),
    "gAMA (wrong length)": ("first", [(b"gAMA", b"\0\0\1")]),
    "gAMA (a second one)": ("first", [(b"gAMA", b"\0\0\1\0"), (b"gAMA", b"\0\0\1\1")]),
    "sRGB (too late in the file)": ("palette", [(b"sRGB", b"\1")]),
    "pHYs (too late in the file)": ("last", [(b"pHYs", bytes(9))]),
    "pHYs (wrong CRC), tIME (wrong length)": (
        "first", [wrong_crc(b"pHYs", bytes(9)), (b"tIME", bytes(8))]),
    "bKGD (it does not fit the samples)": ("first", [(b"bKGD", b"\1")]),
    "bKGD (it does not fit the samples), sBIT (it does not fit the samples)": (
        "first", [(b"bKGD", b"\0\1\0\1\1\1"), (b"sBIT", bytes([8, 8, 9]))]),
    "sBIT (it does not fit the samples)": ("first", [(b"sBIT", bytes([8, 0, 8]))]),
    "sCAL (no two scales)": ("first", [(b"sCAL", b"\x011.0 1.0")]),
    "tEXt (no keyword)": ("last", [(b"tEXt", b"\0text")]),
    "tEXt (no keyword), zTXt (no keyword)": ("last", [(b"tEXt", b"k" * 99), (b"zTXt", b"key\0")]),
    "iTXt (no keyword)": ("last", [(b"iTXt", b"key\0\0\0")]),
    "eXIf (no byte order)": ("last", [(b"eXIf", b"Exif\0\0II*\0")]),
}


def damaged(workshop):
    for said, (place, items) in DAMAGED.items():
        places = {"first": [(b"prVt", b"good")], "middle": [], "last": [(b"tEXt", b"Title\0good")]}
        if place == "palette":
            places["middle"] = [(b"PLTE", bytes(3)), *items]
        else:
            places[place] = places[place] + items
        data = png_file(9, 5, RGB, 8, some_samples(9, 5, RGB, 8), **places)
        (workshop.folder / "in.png").write_bytes(data)
        ended = workshop.run(*REVERSE, "in.png", "out.png")
        wanted = f"smoothimg: in.png: damaged in part; left out: {said}\n"
        workshop.check(ended == (0, b"", wanted), f"{ended}, not {wanted}")
        before, behind = metadata_of((workshop.folder / "out.png").read_bytes())
        good = {b"gAMA": [(b"gAMA", b"\0\0\1\0")]}.get(items[0][0], []) if len(items) > 1 else []
        workshop.check(before == [(b"prVt", b"good")] + good and behind == [(b"tEXt", b"Title\0good")],
                       f"{said}: {before}, {behind}")
        workshop.check(workshop.run("-q", *REVERSE, "in.png", "out.png") == (0, b"", ""), "--quiet")


def transparency(workshop):
    """tRNS makes pixels: a wrong CRC there is an error, as in all chunks that do."""
    samples = some_samples(9, 5, GREY, 8)
    data = png_file(9, 5, GREY, 8, samples, middle=[wrong_crc(b"tRNS", b"\0\1")])
    (workshop.folder / "in.png").write_bytes(data)
    workshop.check_ends("in.png out.png", BAD, "in.png: tRNS: CRC error")
    data = png_file(9, 5, GREY, 8, samples, middle=[(b"tRNS", b"\0\1\0")])
    (workshop.folder / "in.png").write_bytes(data)
    ended = workshop.run("in.png", "out.png")
    workshop.check(ended.status == 0 and "damaged in part; left out: tRNS: " in ended.err, ended)


def many_notes(workshop):
    """However much is wrong, the line has an end."""
    items = [(b"tEXt", b"\0")] * 5000
    data = png_file(9, 5, GREY, 8, some_samples(9, 5, GREY, 8), last=items)
    (workshop.folder / "in.png").write_bytes(data)
    ended = workshop.run("in.png", "out.png")
    workshop.check(ended.status == 0 and len(ended.err) < 400 and ended.err.endswith(", ...\n"), ended)


def places(workshop):
    """Chunks where none may be: before IHDR, and between those of samples."""
    samples = some_samples(40, 40, GREY, 8)
    whole = png_file(40, 40, GREY, 8, samples)
    text = chunk(b"tEXt", b"Title\0text")
    second = whole.index(b"IDAT", whole.index(b"IDAT") + 4) - 4
    for data, said in ((SIGNATURE + text + whole[8:], "in.png: .*missing IHDR.*"),
                       (whole[:second] + text + whole[second:],
                        "in.png: another chunk stands between those of the samples .*"),
                       (whole[:second] + chunk(b"CRIT", b"") + whole[second:], "in.png: .*"),
                       (whole[:33] + chunk(b"CRIT", b"") + whole[33:], "in.png: CRIT: .*"),
                       (whole[:33] + chunk(b"t3xt", b"") + whole[33:], "in.png: .*")):
        (workshop.folder / "in.png").write_bytes(data)
        workshop.check_ends("in.png out.png", BAD, re.compile(said))
        workshop.check(not (workshop.folder / "out.png").exists(), "an output was left")


def said_in_detail(workshop):
    (workshop.folder / "in.png").write_bytes(rich_file())
    err = workshop.run("-v", *REVERSE, "in.png", "out.png").err
    wanted = "  metadata left out: prVT (not safe to copy), acTL (not safe to copy), " \
             "hIST (of a palette), prVS (not safe to copy)\n"
    workshop.check(wanted in err, f"{err}: lacks {wanted}")


# --- limits ---------------------------------------------------------------------------------------

def advice(what, limit):
    return (f"its metadata is above the limit of {limit}, in {what}; raise it with --max-metadata, "
            "or leave metadata out with --strip-metadata")


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
            result = output(workshop, [*words, "--strip-metadata", *REVERSE], "out.png")
            workshop.check(metadata_of(result) == ([], []), "stripped")
            os.remove(workshop.folder / "out.png")


def lies(workshop):
    head = png_file(9, 5, GREY, 8, some_samples(9, 5, GREY, 8))[:33]
    for length, said in ((60 << 20, "the file ends in the middle of a chunk; it is truncated"),
                         (0x7fffffff, advice("the chunk tEXt", "64.0 MiB")),
                         (0xffffffff, "")):
        data = head + struct.pack(">I", length) + b"tEXtTitle\0text"
        (workshop.folder / "in.png").write_bytes(data)
        workshop.check_ends("in.png out.png", BAD, re.compile("in.png: " + (re.escape(said) or ".+")))
        workshop.check_ends("- out.png", BAD, re.compile("standard input: " + (re.escape(said) or ".+")),
                            data=data)


def bombs(workshop):
    """A text of 200 MB in 200 kB, three times: never inflated, so it takes neither time nor memory."""
    packed = zlib.compress(bytes(200_000_000), 9)
    items = [(b"zTXt", b"Comment\0\0" + packed), (b"iTXt", b"Comment\0\1\0\0\0" + packed),
             (b"iCCP", b"profile\0\0" + packed)]
    data = png_file(9, 5, GREY, 8, some_samples(9, 5, GREY, 8), first=items)
    (workshop.folder / "in.png").write_bytes(data)
    peak = peak_of(workshop, *REVERSE, "in.png", "out.png")
    workshop.check(peak < 100_000_000, f"{peak} bytes of memory")
    workshop.check(metadata_of((workshop.folder / "out.png").read_bytes()) == (items, []), "kept")


def words(workshop):
    for line in ("--max-metadata 0 a b", "--max-metadata 12X a b", "--max-metadata 100 a b"):
        workshop.check_ends(line, 2, re.compile(r"--max-metadata \S+: it must be .*; 1.0 KiB is the least"))


# --- comments -------------------------------------------------------------------------------------

HEADERS = {  # a header with comments, and the comments
    b"P5\n#one\n# two #\n2 1\n#\n255\n": [b"one", b" two #", b""],
    b"P5#one\n2#two\r1 255#three\n": [b"one", b"two", b"three"],
    b"P5 2 1 255 ": [],
    b"P7\n#one\nWIDTH 2\nHEIGHT 1\n# \xff\0two\r#b\nDEPTH 1\nMAXVAL 255\n#three\nENDHDR\n":
        [b"one", b" \xff\0two", b"#b", b"three"],
    b"P5 # " + b"long" * 500 + b"\n2 1 255\n": [b" " + b"long" * 500],
}


def comments_in(data):
    """The lines of comments behind the magic number, and the rest."""
    found, start = [], 3
    while data[start:start + 1] == b"#":
        end = data.index(b"\n", start)
        found.append(data[start + 1:end])
        start = end + 1
    return found, data[:3] + data[start:]


def comments(workshop):
    """From each format into each, in any place, of each image of a stream."""
    heads = {"pgm": b"P5\n2 1\n255\n", "pam": b"P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\n"
                                              b"TUPLTYPE GRAYSCALE\nENDHDR\n"}
    for header, wanted in HEADERS.items():
        (workshop.folder / "in.pnm").write_bytes(header + b"#\n")  # samples that look like a comment
        for ending, bare in heads.items():
            workshop.check_works(*SAME, "in.pnm", "out." + ending)
            found, rest = comments_in((workshop.folder / ("out." + ending)).read_bytes())
            if ending == "pam" and max(map(len, wanted), default=0) > 250:
                workshop.check(max(map(len, found)) < 254, "a line that readers of PAM would cut")
                found = [b"".join(found)]
            workshop.check(found == wanted, f"{header[:60]}: {found}, not {wanted}")
            workshop.check(rest == bare + b"#\n", f"{header[:60]}: {rest}")
        workshop.check(workshop.check_works(*SAME, "--strip-metadata", "in.pnm", "-").count(b"#") == 1,
                       "stripped")
    many = b"P5 #first\n1 1 255\nA" + b"P5 1 1 255 B" + b"P5 #third\n1 1 255\nC"
    result = workshop.check_works(*SAME, "-", "-", data=many)
    workshop.check(result == b"P5\n#first\n1 1\n255\nA" + b"P5\n1 1\n255\nB" +
                   b"P5\n#third\n1 1\n255\nC", f"each its own: {result}")


def other_ways(workshop):
    """In bands and strips, plain, bitmaps and colours; and PNG does not take them."""
    workshop.take("letters.pbm", "rgb.ppm", "starfield.pgm")
    star = (workshop.folder / "starfield.pgm").read_bytes()
    (workshop.folder / "star.pgm").write_bytes(b"P5\n# of the sky\n" + star[3:])
    for name, magic, comment in (("letters.pbm", b"P4", b"black is 1"), ("star.pgm", b"P5", b"of the sky"),
                                 ("rgb.ppm", b"P6", b"a comment in the header")):
        for operation in (SMOOTH, TRANSPOSE, REVERSE):
            result = output_of(workshop, operation, name)
            workshop.check(result.startswith(magic + b"\n# " + comment + b"\n"), (name, operation))
            plain = workshop.check_works(*operation, "--plain", name, "-")
            workshop.check(plain.startswith(b"P%d\n# " % (magic[1] - 51) + comment + b"\n"), (name, plain[:40]))
        workshop.check_works(*SAME, name, "out.png")
        workshop.check(metadata_of((workshop.folder / "out.png").read_bytes()) == ([], []), name)


def output_of(workshop, operation, name):
    out = "out" + name[name.index("."):]
    workshop.check_works(*operation, name, out)
    return (workshop.folder / out).read_bytes()


def hostile_comments(workshop):
    """Whatever bytes a comment has: what is written reads back with the same pixels and comments,
    here and by Netpbm."""
    texts = [b"\rP5 9 9 255", b"\0\0WIDTH 9", b"#" * 300, b"x" * 253 + b"WIDTH 9", b"ENDHDR", b"\xff" * 255,
             b"y" * 249 + b"\rWIDTH 9", b"", b" ENDHDR\rENDHDR"]
    for text in texts:
        if b"\r" in text:
            header = b"P7\n#" + text[:240] + b"\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\n"
        else:
            header = b"P5\n#" + text + b"\n2 1\n255\n"
        (workshop.folder / "in.pnm").write_bytes(header + b"AB")
        for ending in ("pgm", "pam"):
            out = workshop.folder / ("out." + ending)
            workshop.check_works(*SAME, "in.pnm", out.name)
            workshop.check_works(*SAME, out.name, "again." + ending)
            workshop.check((workshop.folder / ("again." + ending)).read_bytes() == out.read_bytes(),
                           f"{text[:30]}: {ending} is not its own copy")
            if shutil.which("pamtopam"):
                copy = subprocess.run(["pamtopam"], input=out.read_bytes(), capture_output=True,
                                      check=False).stdout
                workshop.check(copy.endswith(b"ENDHDR\nAB") and b"WIDTH 2\n" in copy,
                               f"{text[:30]}: Netpbm reads {copy} from {ending}")


def long_headers(workshop):
    header = b"P5\n#" + b"x" * 5000 + b"\n2 1\n255\n"
    message = advice("the comments of the header", "4.0 KiB")
    workshop.check_ends("--max-metadata 4K - -", BAD, "standard input: " + message, data=header + b"AB")
    (workshop.folder / "in.pgm").write_bytes(header + b"AB")
    workshop.check_ends("--max-metadata 4K in.pgm out.pgm", BAD, "in.pgm: " + message)
    workshop.check_works("--max-metadata", "4K", "--strip-metadata", "in.pgm", "out.pgm")
    workshop.check_works("--max-metadata", "8K", "in.pgm", "out.pgm")


# --- same: the same bytes, always -----------------------------------------------------------------

def same_bytes(workshop):
    """Twice, at another time, in another place, by any variant and number of threads, by bands or as
    a whole, from a file or a stream: every format that is written."""
    samples = [[(x * x + 3 * y * y) >> 3 & 255 for x in range(3 * 300)] for y in range(411)]
    (workshop.folder / "in.png").write_bytes(rich_file(RGB, 8, 300, 411, samples))
    (workshop.folder / "in.ppm").write_bytes(
        b"P6\n# a comment\n300 411\n255\n" + b"".join(bytes(row) for row in samples))
    for operation in (SMOOTH, TRANSPOSE, REVERSE):
        for source in ("in.png", "in.ppm"):
            for ending in ("png", "ppm", "pam"):
                results = {way: result_of(workshop, [*operation, *more], source, ending)
                           for way, more in WAYS.items()}
                results |= other_results(workshop, operation, source, ending)
                wanted = results["once"]
                for way, result in results.items():
                    workshop.check(result == wanted, f"{operation} {source} to {ending}: {way}")


WAYS = {
    "once": [], "again": [], "one thread": ["-j", "1"], "five threads": ["-j", "5"],
    "the reference": ["--variant", "reference"], "the processor": ["--variant", "cpu"],
    "little memory": ["--max-memory", "1M"], "verified": ["--verify"], "timed": ["-q", "--checksum", "--json"],
}


def result_of(workshop, words_, source, ending):
    workshop.run(*words_, source, "out." + ending)
    return (workshop.folder / ("out." + ending)).read_bytes()


def other_results(workshop, operation, source, ending):
    """Through streams; into a folder; and with another clock, name, and environment."""
    data = (workshop.folder / source).read_bytes()
    other = workshop.folder / "another place"
    other.mkdir(exist_ok=True)
    (other / ("name" + source[2:])).write_bytes(data)
    environment = {"TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "MALLOC_PERTURB_": "165",
                   "SMOOTHIMG_CPU": "base", "PATH": os.environ["PATH"]}
    found = {"streams": workshop.check_works(*operation, "--format", ending, "-", "-", data=data)}
    workshop.check_works(*operation, "--format", ending, other.name + "/name" + source[2:], "odd",
                         env=environment)
    found["elsewhere"] = (workshop.folder / "odd").read_bytes()
    workshop.check_works("-q", *operation, "--format", ending, other.name, "folder")
    found["folder"] = (workshop.folder / "folder" / ("name." + ending)).read_bytes()
    shutil.rmtree(workshop.folder / "folder")
    shutil.rmtree(other)
    return found


if __name__ == "__main__":
    program.main(__doc__, {
        "png": [kept, every_way, readable, stripped, said_in_detail],
        "samples": [in_samples],
        "damaged": [damaged, transparency, many_notes, places],
        "limits": [large_chunks, lies, bombs, words],
        "comments": [comments, other_ways, hostile_comments, long_headers],
        "same": [same_bytes],
    })
