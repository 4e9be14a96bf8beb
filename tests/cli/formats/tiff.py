# SPDX-License-Identifier: MIT
"""Tests TIFF: files of every supported kind are read, and other programs can read the files that are written.

usage: tiff.py PROGRAM IMAGES GROUP    GROUP: kinds, smoothed, tags, refused;
                                       tools (needs libtiff's programs), tifffile (needs NumPy
                                       and tifffile)

The files are made and read by tiff_files.py, by libtiff's programs and by tifffile.
"""
import itertools
import random
import re
import shutil
import struct
import subprocess

import program
from npy import moved
from npy_files import read_npy
from tiff_files import (ASCII, BYTE, DEFLATE, DOUBLE, FLOAT, LONG, LZW, NONE, OLD_DEFLATE, PACKBITS,
                        RATIONAL, SHORT, UNDEFINED, read_directories, read_tiff, tiff_file)

GOOD, BAD, FOREIGN = 0, 3, 4
SIZES = [(1, 1, 1), (61, 37, 1), (33, 20, 3), (19, 40, 4), (17, 18, 2), (5, 9, 6)]


def some_image(width, height, channels, kind="B", **more):
    """Returns an image of random samples, of which some are repeated, so that PackBits writes literal runs and
    repeated bytes."""
    chance = random.Random(f"{width} {height} {channels}")
    most = {"B": 2 ** 8, "H": 2 ** 16, "I": 2 ** 32}[kind] - 1
    samples = []
    while len(samples) < width * height * channels:
        samples += [chance.randint(0, most)] * chance.choice((1, 1, 2, 9))
    return {"width": width, "height": height, "channels": channels, "kind": kind,
            "samples": samples[:width * height * channels], **more}


def same(image, other):
    return all(image[key] == other[key] for key in ("width", "height", "channels", "kind", "samples"))


def transposed(op, image):
    shape, samples = moved(op, (image["height"], image["width"], image["channels"]), image["samples"])
    return {**image, "height": shape[0], "width": shape[1], "samples": samples}


def written(workshop, *words):
    return workshop.made(*words, "out.tif")


def layouts(channels):
    """Yields the ways in which a file may store its samples."""
    for compression, predictor in ((NONE, 1), (LZW, 1), (LZW, 2), (DEFLATE, 1), (DEFLATE, 2),
                                   (OLD_DEFLATE, 1), (PACKBITS, 1)):
        for more in ({}, {"rows": 7}, {"rows": 7, "backwards": True}, {"tile": (16, 32)}, {"planar": True, "rows": 4},
                     {"planar": True, "tile": (32, 16)}):
            if channels > 1 or not more.get("planar"):
                yield {"compression": compression, "predictor": predictor, **more}


def every_layout(workshop):
    """Each size and depth gives the same samples in each layout and byte order."""
    cases = [(size, kind, layout) for size in SIZES for kind in "BH" for layout in layouts(size[2])]
    for number, (size, kind, layout) in enumerate(cases):
        image = some_image(*size, kind, **layout)
        if size[2] > 4:
            image["tags"] = {338: (SHORT, [0] * (size[2] - 1))}
        data = tiff_file(image, order="<>"[number % 2], big=number % 4 > 1)
        (workshop.folder / "in.tif").write_bytes(data)
        found = read_tiff(written(workshop, "--halo", "0", "in.tif"))
        workshop.check(len(found) == 1 and same(found[0], image), f"{size} {kind} {layout}")
        deflated = layout["compression"] != NONE
        workshop.check(found[0]["tags"][259] == [DEFLATE if deflated else NONE], f"{layout}")
        op = ("transpose", "reverse")[number % 3 == 0]
        how = ("none", "deflate")[number % 5 == 0]
        found = read_tiff(written(workshop, "--op", op, "--tiff-compression", how, "in.tif"))
        workshop.check(same(found[0], transposed(op, image)), f"{op} {size} {kind} {layout}")


def smoothed(workshop):
    """Smoothing a TIFF gives the same samples as smoothing a PAM of the same image: in bands, with several threads and
    with --verify."""
    for size, kind, layout in itertools.product(
            ((61, 300, 1), (33, 200, 3), (40, 150, 4)), "BH",
            ({}, {"rows": 7}, {"tile": (16, 32), "compression": DEFLATE}, {"planar": True})):
        (workshop.folder / "in.tif").write_bytes(tiff_file(some_image(*size, kind, **layout)))
        workshop.check_works("--halo", "0", "in.tif", "in.pam")
        for words in (["--halo", "3"], ["--halo", "5", "--edge", "wrap"], ["--op", "reverse"],
                      ["--halo", "2", "--op", "smooth", "--op", "transpose"]):
            wanted = read_npy(workshop.made(*words, "in.pam", "wanted.npy"))[2]
            for more in (["-j", "1"], ["-j", "3", "--max-memory", "4M"], ["--verify"],
                         ["--tiff-compression", "deflate", "-j", "2"]):
                found = read_tiff(written(workshop, *words, *more, "in.tif"))[0]
                workshop.check(found["samples"] == wanted, f"{words} {more} {size} {kind} {layout}")


def several(workshop):
    """Images of different sizes and sample types in one file keep their order. Reduced copies (NewSubfileType 1) are
    dropped."""
    images = [some_image(9, 7, 1), some_image(5, 12, 3, "H"), some_image(20, 3, 4, compression=LZW)]
    copy = some_image(4, 3, 1, tags={254: (LONG, [1])})
    data = tiff_file(images[0], copy, *images[1:], copy)
    (workshop.folder / "in.tif").write_bytes(data)
    found = read_tiff(written(workshop, "--halo", "0", "in.tif"))
    workshop.check(len(found) == 3 and all(map(same, found, images)), "three images")
    workshop.check_tells("-v --halo 0 in.tif out.tif", "smaller copies and masks")
    workshop.check_works("--halo", "0", "in.tif", "out.pam")
    found = read_tiff(written(workshop, "--halo", "0", "out.pam"))
    workshop.check(all(map(same, found, images)), "three images by way of PAM")
    found = read_tiff(workshop.made("--op", "reverse", "--in-place", "in.tif"))
    workshop.check(all(same(a, transposed("reverse", b)) for a, b in zip(found, images)), "in place")
    damaged = bytearray(tiff_file(images[0], images[1]))
    damaged[-200:] = bytes(200)
    (workshop.folder / "in.tif").write_bytes(damaged)
    workshop.check_ends("in.tif out.pam", BAD, re.compile(r"in.tif: .* \(after 1 good image\)"))


def many(workshop):
    """A stack of 200 pages takes little memory."""
    pages = [some_image(64, 48, 1, tags={297: (SHORT, [number, 200])}) for number in range(200)]
    (workshop.folder / "in.tif").write_bytes(tiff_file(*pages))
    found = read_tiff(written(workshop, "--op", "reverse", "--max-memory", "1M", "in.tif"))
    workshop.check(len(found) == 200 and all(
        same(a, transposed("reverse", b)) and a["tags"][297] == b["tags"][297][1]
        for a, b in zip(found, pages)), "200 pages")


def floats(workshop):
    """Transposed and reversed floats keep their bits, in every layout. Smoothing gives the same floats for a TIFF as
    for an NPY."""
    cases = [(size, layout) for size in SIZES[:5] for layout in layouts(size[2])
             if layout["predictor"] == 1]
    for number, (size, layout) in enumerate(cases):
        image = some_image(*size, "I", **layout)
        data = tiff_file(image, order="<>"[number % 2], big=number % 4 > 1)
        (workshop.folder / "in.tif").write_bytes(data)
        op = ("transpose", "reverse")[number % 3 == 0]
        for how in ("none", "deflate"):
            found = read_tiff(written(workshop, "--op", op, "--tiff-compression", how, "in.tif"))[0]
            workshop.check(same(found, transposed(op, image)) and
                           found["tags"][339] == [3] * size[2], f"{op} {how} {size} {layout}")
        numbers = {**image, "samples": [bits & 0xbfffffff for bits in image["samples"]],
                   "tags": {338: (SHORT, [0])} if size[2] in (2, 4) else {}}
        (workshop.folder / "in.tif").write_bytes(tiff_file(numbers))
        workshop.check_works("--op", "reverse", "in.tif", "in.npy")
        wanted = read_npy(workshop.made("--op", "reverse", "--op", "smooth", "in.npy", "wanted.npy"))[2]
        found = read_tiff(written(workshop, "--halo", "4", "in.tif"))[0]
        workshop.check(found["samples"] == wanted, f"smooth {size} {layout}")
    (workshop.folder / "in.tif").write_bytes(tiff_file(some_image(5, 5, 1, "I", tags={262: (SHORT, [0])})))
    workshop.check_ends("in.tif out.tif", FOREIGN, re.compile(
        "in.tif: TIFF with floating-point samples of 32 bits, and 0 for white is not supported; .*"))


def wide(workshop):
    """Rows of floats that expand to far more bytes than the file has are read."""
    page = {285: (ASCII, b"page\0")}
    images = [some_image(9, 7, 1, "I"),
              {"width": 400000, "height": 3, "channels": 1, "kind": "I", "samples": [1 << 29] * 1200000, "tags": page},
              some_image(33, 20, 3, "I", tags=page),
              {"width": 900000, "height": 1, "channels": 1, "kind": "I", "samples": [1 << 30] * 900000},
              some_image(17, 18, 2, "I", tags=page)]
    (workshop.folder / "in.tif").write_bytes(tiff_file(*images))
    workshop.check_works("--op", "reverse", "--tiff-compression", "deflate", "in.tif", "deflated.tif")
    workshop.check((workshop.folder / "deflated.tif").stat().st_size < 60000, "the file is not small")
    found = read_tiff(written(workshop, "--op", "reverse", "--tiff-compression", "none", "deflated.tif"))
    workshop.check(len(found) == len(images) and all(map(same, found, images)), "wide rows")
    workshop.check([285 in image["tags"] for image in found] == ["tags" in image for image in images], "tags")


def white(workshop):
    """The grey of an image in which 0 is white is inverted when it is read; alpha and other extra samples are not."""
    for kind, most in (("B", 255), ("H", 65535)):
        for layout, extra in itertools.product(
                ({}, {"compression": DEFLATE}, {"tile": (16, 16)}, {"planar": True}), ([], [2], [1], [0], [0, 0])):
            channels = 1 + len(extra)
            image = some_image(9, 8, channels, kind, **layout,
                               tags={262: (SHORT, [0]), 338: extra and (SHORT, extra)})
            (workshop.folder / "in.tif").write_bytes(tiff_file(image))
            found = read_tiff(written(workshop, "--halo", "0", "in.tif"))[0]
            wanted = [s if i % channels else most - s for i, s in enumerate(image["samples"])]
            workshop.check(found["samples"] == wanted and found["tags"][262] == [1], f"{kind} {layout} {extra}")


def colourless(workshop):
    """An image that should have a palette, but lacks it, is read as grey."""
    image = some_image(9, 8, 1, tags={262: (SHORT, [3])})
    (workshop.folder / "in.tif").write_bytes(tiff_file(image))
    found = read_tiff(written(workshop, "--halo", "0", "in.tif"))[0]
    workshop.check(found["samples"] == image["samples"] and found["tags"][262] == [1], f"{found}")


def alpha(workshop):
    """The last channel weights the colours, as in a PAM, if the tag ExtraSamples calls it unassociated alpha (2). The
    channel does not weight the colours if the tag calls it associated alpha (1), by which the colours are already
    multiplied, or unspecified (0)."""
    for channels, kind in itertools.product((2, 4), "BH"):
        for extra, words in ((2, ["--alpha", "weighted"]), (1, ["--alpha", "separate"]), (0, ["--alpha", "separate"])):
            image = some_image(20, 30, channels, kind, tags={338: (SHORT, [extra])})
            plain = some_image(20, 30, channels, kind)
            (workshop.folder / "in.tif").write_bytes(tiff_file(image))
            (workshop.folder / "plain.tif").write_bytes(tiff_file(plain))
            workshop.check_works("--halo", "0", "plain.tif", "in.pam")
            wanted = read_npy(workshop.made(*words, "in.pam", "wanted.npy"))[2]
            found = read_tiff(written(workshop, "in.tif"))[0]
            workshop.check(found["samples"] == wanted and found["tags"][338] == [extra], f"{channels} {kind} {extra}")
            if extra == 1:
                for name in ("out.png", "out.pam"):
                    workshop.check_ends(["in.tif", name], FOREIGN, re.compile(
                        f"{name}: .*associated alpha.*; name the output .tif or .npy"))
                workshop.check_works("in.tif", "out.npy")
                workshop.check_ends("--linear in.tif out.tif", FOREIGN, re.compile(
                    "in.tif: .*associated alpha.* have no linear light; leave out --linear"))
    workshop.take("badge.png")
    found = read_tiff(written(workshop, "--halo", "0", "badge.png"))[0]
    workshop.check(found["tags"][338] == [2] and found["tags"][262] == [2], "from PNG")


def pipes(workshop):
    """Reading and writing TIFF needs a file in which the program can seek, so the program refuses to write TIFF to
    a pipe. (broken_files.py tests that it refuses to read TIFF from a pipe.)"""
    data = tiff_file(some_image(9, 7, 1))
    (workshop.folder / "in.tif").write_bytes(data)
    workshop.check_ends("in.tif -", FOREIGN, re.compile("standard output: TIFF is written to a file only, .*"))
    with open(workshop.folder / "in.tif", "rb") as file:
        workshop.check_works("--halo", "0", "-", "out.tif", stdin=file)
    workshop.check(same(read_tiff((workshop.folder / "out.tif").read_bytes())[0], some_image(9, 7, 1)), "redirected")


TEXTS = {269: b"name\0", 270: b"what it \xc3\xa9s\0", 271: b"maker\0", 272: b"model\0",
         285: b"page\0", 305: b"software\0", 306: b"2024:01:02 03:04:05\0", 315: b"artist\0",
         316: b"host\0", 33432: b"copyright\0"}
# Tags, in runs without --strip-metadata: GEO are kept only if all pixels keep their places; ALWAYS are kept; in PLACES
# a transpose exchanges the values for x and y.
GEO = {33550: (DOUBLE, [1.5, 2.5, 0.0]), 33922: (DOUBLE, [0.0, 0.0, 0.0, 1e6, 2e6, 0.0]),
       34735: (SHORT, [1, 1, 0, 1, 1024, 0, 1, 1]), 34736: (DOUBLE, [0.25]), 34737: (ASCII, b"abc|\0")}
ALWAYS = {34675: (UNDEFINED, bytes(range(200))), 700: (BYTE, b"<x:xmpmeta/>"),
          42112: (ASCII, b"<GDALMetadata/>\0"), 42113: (ASCII, b"-1\0"), 296: (SHORT, [3]),
          297: (SHORT, [3, 7]), 254: (LONG, [2])}
PLACES = {282: (RATIONAL, [(300, 1)]), 283: (RATIONAL, [(150, 2)]), 286: (RATIONAL, [(1, 4)]),
          287: (RATIONAL, [(7, 2)])}
# {orientation: the orientation after a transpose}
ORIENTATIONS = {1: 1, 2: 4, 3: 3, 4: 2, 5: 5, 6: 8, 7: 7, 8: 6}


def plain(tags):
    """Converts tags to the form in which read_directories() returns them."""
    return {number: bytes(value) if kind in (ASCII, UNDEFINED) else
            [v[0] / v[1] if isinstance(v, tuple) else v for v in value]
            for number, (kind, value) in tags.items()}


def tags_of_result(workshop, tags, *words):
    (workshop.folder / "in.tif").write_bytes(tiff_file(some_image(9, 7, 1, tags=tags)))
    found = read_tiff(written(workshop, *words, "in.tif"))[0]["tags"]
    return {number: value for number, value in found.items() if number in tags}


def kept_tags(workshop):
    """Checks which tags the output has after each operation."""
    everything = {**{number: (ASCII, text) for number, text in TEXTS.items()}, **ALWAYS, **PLACES}
    with_places = plain({**everything, **GEO})
    turned = plain(everything)
    exchanged = {**turned, **{a: turned[b] for a, b in ((282, 283), (283, 282), (286, 287), (287, 286))}}
    for words, wanted in ((["--halo", "2"], with_places), (["--op", "reverse"], turned),
                          (["--op", "transpose"], exchanged),
                          (["--op", "transpose", "--op", "transpose"], with_places),
                          (["--strip-metadata"], {})):
        found = tags_of_result(workshop, {**everything, **GEO}, *words)
        workshop.check(found == wanted, f"{words}: {found}\n  wanted {wanted}")
        said = "in.tif: not carried over to TIFF: georeference\n" in workshop.run(*words, "in.tif", "said.tif").err
        workshop.check(said == (wanted in (turned, exchanged)), f"{words}: the note on the georeference")


def orientations(workshop):
    """Viewers rotate an image by its orientation tag. The program sets the output's tag so that the
    rotated output equals the operation's result for the rotated input."""
    for orientation, other in ORIENTATIONS.items():
        for words, wanted in ((["--halo", "1"], orientation), (["--op", "transpose"], other),
                              (["--op", "reverse"], orientation)):
            found = tags_of_result(workshop, {274: (SHORT, [orientation])}, *words)
            workshop.check(found.get(274, [1]) == [wanted], f"{words} {orientation}: {found}")


def descriptions(workshop):
    """The tag ImageDescription is kept. A transpose drops a description that contains width and height."""
    for text, names_sides in ((b"ImageJ=1.53\nimages=1\nunit=um\n\0", False),
                              (b'{"shape": [7, 9]}\0', True), (b'{"axes": "YX", "shape": [7, 9]}\0', True),
                              (b'<?xml?><OME><Pixels SizeX="9"/></OME>\0', True)):
        for op in ("smooth", "reverse", "transpose"):
            found = tags_of_result(workshop, {270: (ASCII, text)}, "--op", op)
            wanted = {} if names_sides and op == "transpose" else {270: text}
            workshop.check(found == wanted, f"{op}: {found}")


def dropped(workshop):
    """-v names dropped tags. A note names metadata that the output's format cannot keep."""
    tags = {34665: (LONG, [8]), 50838: (LONG, [1, 2]), 330: (LONG, [8]), 270: (ASCII, b"text\0"),
            34675: (UNDEFINED, b"profile")}
    (workshop.folder / "in.tif").write_bytes(tiff_file(some_image(9, 7, 1, tags=tags)))
    ended = workshop.run("-v", "in.tif", "out.tif")
    for name in ("EXIFIFDOffset", "Tag 50838", "SubIFDs"):
        workshop.check(f"{name} (not kept)" in ended.err, f"{name}: {ended}")
    workshop.check_says("in.tif out.png", "smoothimg: in.tif: not carried over to PNG: description\n")
    workshop.check_says("in.tif out.npy", "smoothimg: in.tif: not carried over to NPY: description, colour profile\n")


def of_all_images(workshop):
    """Messages name the faults and the dropped tags of all images of a file, not only of the last, and each once."""
    fault, unknown, copy = {282: (SHORT, [1, 2, 3])}, {50838: (LONG, [1, 2])}, {254: (LONG, [1])}
    pages = [some_image(9, 7, 1, tags=tags) for tags in (fault, unknown, copy, fault, {})]
    (workshop.folder / "in.tif").write_bytes(tiff_file(*pages))
    ended = workshop.run("-v", "in.tif", "out.tif")
    for said in ("smoothimg: in.tif: damaged in part: Incorrect count for \"XResolution\"; tag ignored\n",
                 "left_out Tag 50838 (not kept), smaller copies and masks\n"):
        workshop.check(ended.joined().count(said) == 1, f"{said!r}: {ended}")


def linear(workshop):
    """A note says that --linear does not read a colour profile."""
    (workshop.folder / "in.tif").write_bytes(tiff_file(some_image(9, 7, 3, "H", tags={34675: (UNDEFINED, b"profile")})))
    workshop.check_tells("--linear in.tif out.tif", "profile")


def metadata_limit(workshop):
    (workshop.folder / "in.tif").write_bytes(tiff_file(some_image(9, 7, 1, tags={34675: (UNDEFINED, bytes(2000))})))
    workshop.check_ends("--max-metadata 1K in.tif out.tif", BAD, re.compile(
        "in.tif: more metadata than the limit of .*, at the tag 34675; .*"))
    workshop.check_works("--max-metadata", "3K", "in.tif", "out.tif")


def refuse(workshop, status, cases):
    """Checks that each (file, message) is refused with that message and this exit status, and has no output."""
    cases = list(cases)
    files = {f"{number}.tif": data for number, (data, _) in enumerate(cases)}
    for name, (found, said, output) in workshop.run_each(files).items():
        message = cases[int(name[:-4])][1]
        workshop.check(found == status and re.fullmatch(f"(.*/)?{name}: {message}", said) and not output.exists(),
                       f"{message}: {found}, {said}, an output: {output.exists()}")


def old_jpeg():
    """Yields (file, message) for files whose first or second image has an unsupported compression. The message names
    the compression, even if libtiff cannot read the image's tags."""
    message = "TIFF with compression by Old-style JPEG is not supported; .*"
    for photometric, channels, planar, other, (order, big) in itertools.product(
            ([6], None), (1, 3), (1, 2), ({}, {273: None}), (("<", False), (">", True))):
        tags = {259: (SHORT, [6]), 262: photometric and (SHORT, photometric), 284: (SHORT, [planar]), **other}
        image = some_image(8, 8, channels, tags=tags)
        yield tiff_file(image, order=order, big=big), message
        yield tiff_file(some_image(8, 8, 1), image, order=order, big=big), message


def refused_kinds():
    """Yields (file, message) for unsupported kinds of TIFF. The message names the kind, and a tool that converts it."""
    for tags, message in (
            ({262: (SHORT, [3]), 320: (SHORT, [0] * 768)}, "TIFF with a palette"),
            ({259: (SHORT, [6])}, "TIFF with compression by Old-style JPEG"),
            ({262: (SHORT, [5])}, "TIFF with CMYK"), ({262: (SHORT, [32803])}, "TIFF with colours by a colour filter array"),
            ({262: (SHORT, [8])}, r"TIFF with colours by CIE L\*a\*b\*"),
            ({262: (SHORT, [32845])}, "TIFF with colours by LogLuv"),
            ({262: (SHORT, [4])}, "TIFF with a transparency mask"),
            ({262: (SHORT, [777])}, "TIFF with colours by number 777"),
            ({258: (SHORT, [1])}, "TIFF with unsigned samples of 1 bit"),
            ({258: (SHORT, [4])}, "TIFF with unsigned samples of 4 bits"),
            ({258: (SHORT, [32])}, "TIFF with unsigned samples of 32 bits"),
            ({258: (SHORT, [64]), 339: (SHORT, [3])}, "TIFF with floating-point samples of 64 bits"),
            ({258: (SHORT, [16]), 339: (SHORT, [3])}, "TIFF with floating-point samples of 16 bits"),
            ({339: (SHORT, [2])}, "TIFF with signed samples of 8 bits"),
            ({259: (SHORT, [7])}, "TIFF with compression by JPEG"),
            ({259: (SHORT, [4])}, "TIFF with compression by CCITT Group 4"),
            ({259: (SHORT, [12345])}, "TIFF with compression by number 12345"),
            ({32997: (LONG, [2])}, "TIFF with volumes"),
            ({254: (LONG, [1])}, "TIFF that begins with a smaller copy, as camera raw files do,"),
            ({270: (ASCII, b"ImageJ=1.53\nimages=30\n\0")}, "an ImageJ stack with a directory for "
                                                            "its first image only")):
        yield (tiff_file(some_image(8, 8, 1, tags=tags)),
               f"{message} is not supported; convert it first, for example with .+")
    yield (tiff_file(some_image(8, 8, 5, tags={262: (SHORT, [2]), 338: (SHORT, [0, 2])})),
           ".*alpha beside other extra samples.*")


def damaged():
    image = some_image(9, 7, 1)
    for tags, message in (
            ({262: None}, "the tag PhotometricInterpretation is missing"),
            ({262: (SHORT, [2])}, "RGB with 1 samples a pixel"),
            ({273: (LONG, [10**6])}, "strip 1 of 1 is not in the file"),
            ({257: (LONG, [10**6]), 278: (LONG, [10**6])}, ".* bytes, but only .* follow: .*"),
            ({257: (LONG, [10**6]), 278: (LONG, [1])}, "Memory allocation of 8000000 bytes is beyond .* limit.*"),
            ({256: None}, ".*"), ({273: None}, ".*"), ({278: (LONG, [0])}, ".*"),
            ({256: (LONG, [0])}, ".*"), ({257: (LONG, [0])}, ".*"), ({277: (SHORT, [0])}, ".*"),
            ({256: (LONG, [10**6]), 257: (LONG, [10**6]), 278: (LONG, [10**6])}, ".*--max-pixels.*"),
            ({277: (SHORT, [60000]), 258: (SHORT, [8])}, ".*")):
        yield tiff_file({**image, "tags": tags}), f"(damaged: )?{message}"


def too_much_data(workshop):
    """The program refuses a file in which a strip or tile has more data than its rows need. Only the last strip may
    have the data of a full strip even if the image ends within it."""
    for compression, (layout, height, tags) in itertools.product((DEFLATE, OLD_DEFLATE, LZW, PACKBITS), (
            ({"rows": 11}, 33, {257: (LONG, [30]), 278: (LONG, [10])}),
            ({"rows": 33}, 33, {257: (LONG, [32]), 278: (LONG, [32])}),
            ({"rows": 33, "planar": True}, 33, {257: (LONG, [32]), 278: (LONG, [32])}),
            ({"tile": (32, 32), "planar": True}, 32, {323: (SHORT, [16]), 257: (LONG, [16])}),
            ({"tile": (48, 32)}, 32, {322: (SHORT, [32]), 256: (LONG, [32])}))):
        image = some_image(40, height, 3, compression=compression, **layout, tags=tags)
        (workshop.folder / "in.tif").write_bytes(tiff_file(image))
        workshop.check_ends("in.tif out.tif", BAD, re.compile(
            r"in.tif: damaged in row \d+ of \d+: (its strip or tile has more data than rows|Discarding \d+ bytes .*)"))
    for compression, planar, rows in itertools.product((DEFLATE, LZW), (False, True), (11, 22)):
        image = some_image(40, 22, 3, compression=compression, rows=rows, planar=planar)
        (workshop.folder / "in.tif").write_bytes(tiff_file({**image, "tags": {257: (LONG, [15])}}))
        found = read_tiff(written(workshop, "--halo", "0", "in.tif"))[0]
        workshop.check(found["samples"] == image["samples"][:15 * 40 * 3], f"{compression} {planar} {rows}")


def late_ends(workshop):
    """LZW data may have one byte too many, as Photoshop writes them, or an end code that is one bit too short, as old
    libtiff writes it. Two bytes too many are damage."""
    layout = {"compression": LZW, "rows": 11}
    for image in ({**some_image(40, 22, 3, **layout), "more": 1}, some_image(227, 2, 1, compression=LZW)):
        (workshop.folder / "in.tif").write_bytes(tiff_file(image))
        found = read_tiff(written(workshop, "--halo", "0", "in.tif"))[0]
        workshop.check(found["samples"] == image["samples"], f"{image['width']}: not its samples")
    (workshop.folder / "in.tif").write_bytes(tiff_file({**some_image(40, 22, 3, **layout), "more": 2}))
    workshop.check_ends("in.tif out.tif", BAD, re.compile(r"in.tif: damaged in row \d+ of 22: its strip or tile has .*"))


def converters():
    """Yields (file, message) for unsupported sample types. The message names a converter, and says how it changes the
    values."""
    for bits, sample_format, words in (
            (1, 1, "tifftopnm, which keeps their values"),
            (12, 1, "tifftopnm, which keeps their values"),
            *((bits, kind, "gdal_translate -ot Float32, which keeps 24 significant bits of each")
              for bits, kind in ((8, 2), (16, 3), (32, 1), (64, 3))),
            (64, 6, "NumPy, the real and the imaginary parts by themselves")):
        yield (tiff_file(some_image(8, 8, 1, tags={258: (SHORT, [bits]), 339: (SHORT, [sample_format])})),
               f".* is not supported; convert it first, for example with {words}")


def refused(workshop):
    refuse(workshop, FOREIGN, itertools.chain(refused_kinds(), old_jpeg(), converters()))
    refuse(workshop, BAD, damaged())


def missing_parts(workshop):
    """A file is refused if its first, its middle or its last strip or tile has a wrong offset or length: offset and
    length 0, or an offset in the header; without compression also an offset 3 bytes before the end of the file, or a
    length of 1."""
    layouts_with_parts = [
        (channels, big, {**layout, "compression": compression})
        for channels, big in ((1, False), (3, True)) for compression in (NONE, LZW, PACKBITS)
        for layout in ({"tile": (16, 16)}, {"rows": 7}, {"planar": True, "rows": 9}, {"planar": True, "tile": (16, 32)})
        if channels > 1 or not layout.get("planar")]
    for channels, big, layout in layouts_with_parts:
        image = some_image(40, 33, channels, **layout)
        data = tiff_file(image, big=big)
        _, tags = next(read_directories(data))
        at, lengths = (324, 325) if "tile" in layout else (273, 279)
        planes = channels if layout.get("planar") else 1
        count = len(tags[at])
        cases = [(0, 0), (8 if big else 4, None)]
        if layout["compression"] == NONE:
            cases += [(len(data) - 3, None), (None, 1)]
        files, wanted = {}, {}
        for part, (offset, length) in itertools.product((0, count // 2, count - 1), cases):
            changed = {at: (LONG, list(tags[at])), lengths: (LONG, list(tags[lengths]))}
            if offset is not None:
                changed[at][1][part] = offset
            if length is not None:
                changed[lengths][1][part] = length
            name = f"{len(files)}.tif"
            files[name] = tiff_file({**image, "tags": changed}, big=big)
            wanted[name] = length, f"{'tile' if 'tile' in layout else 'strip'} {part % (count // planes) + 1} of " \
                f"{count // planes}" + (f" in plane {part // (count // planes) + 1} of {planes}" if planes > 1 else "")
        for name, (status, said, output) in workshop.run_each(files, "--halo", "0").items():
            length, what = wanted[name]
            bad = status == BAD and f"{name}: damaged: {what} is not in the file" in said and not output.exists()
            # If the first two lengths of strips differ, libtiff computes all lengths anew. The program then need not
            # refuse the file, but the image must be right.
            mended = length == 1 and planes == 1 and status == GOOD
            workshop.check(bad or mended, f"{layout} {what} {length}: {status}, {said}")
            workshop.check(not mended or same(read_tiff(output.read_bytes())[0], image), f"{layout} {what} {length}")


def tags_without_rule(workshop):
    """If a tag of metadata has no values or an unknown type, the samples are right. A tag without values is dropped,
    also if it follows the valid text tag in `first`. The test requires the message about the dropped tag only if
    `first` is empty."""
    image = some_image(9, 7, 1)
    for number, kind, count, first in itertools.product(
            (700, 33550, 34675, 33723, 34735, 65000), (BYTE, LONG, DOUBLE, 14, 200), (0, 1),
            ({}, {270: (ASCII, b"text\0")})):
        data = bytearray(tiff_file({**image, "tags": {**first, number: (BYTE, [1])}}))
        entry = data.rindex(struct.pack("<HHI", number, BYTE, 1))
        struct.pack_into("<HHI", data, entry, number, kind, count)
        (workshop.folder / "in.tif").write_bytes(data)
        what = f"{number} {kind} {count} {first}"
        ended = workshop.run("--halo", "0", "in.tif", "out.tif")
        workshop.check(ended.status == GOOD, f"{what}: {ended}")
        data = (workshop.folder / "out.tif").read_bytes()
        workshop.check(same(read_tiff(data)[0], image), what)
        _, tags = next(read_directories(data))
        workshop.check((270 in tags) == bool(first) and not (number in tags and count == 0), f"{what}: {tags}")
        if not first and (count == 0 and kind in (BYTE, LONG) or number == 65000 and kind > DOUBLE):
            workshop.check(ended.err.startswith("smoothimg: in.tif: damaged in part: "), f"{what}: {ended}")


def harmless_values(workshop):
    """A wrong value of a tag that does not describe samples leaves out this tag, and a message says so."""
    for number, kind, value in ((274, SHORT, 0), (274, SHORT, 9), (296, SHORT, 0), (296, SHORT, 4), (282, FLOAT, -1.5),
                                (283, FLOAT, float("nan")), (283, FLOAT, -0.25)):
        image = some_image(9, 7, 1, tags={number: (kind, [value]), 305: (ASCII, b"software\0")})
        (workshop.folder / "in.tif").write_bytes(tiff_file(some_image(9, 7, 1), image))
        ended = workshop.run("--halo", "0", "in.tif", "out.tif")
        said = re.fullmatch(r'smoothimg: in.tif: damaged in part: Bad value .* for "\w+" tag\n', ended.err)
        workshop.check(ended.status == GOOD and said, f"{number} {value}: {ended}")
        found = read_tiff((workshop.folder / "out.tif").read_bytes())[1]
        workshop.check(same(found, image) and number not in found["tags"] and found["tags"][305] == b"software\0",
                       f"{number} {value}: {found}")


def no_memory_for(workshop):
    """A tile or a strip that takes more memory than --max-memory is refused before it is read."""
    image = some_image(16, 16, 1, tile=(16, 16), compression=DEFLATE)
    image["tags"] = {322: (LONG, [16384]), 323: (LONG, [16384])}
    (workshop.folder / "in.tif").write_bytes(tiff_file(image))
    workshop.check_ends("in.tif out.tif", BAD, re.compile("in.tif: .* only .* follow: .*"))
    image = some_image(1000, 3000, 1, compression=DEFLATE, tile=(992, 2992))
    (workshop.folder / "in.tif").write_bytes(tiff_file(image))
    workshop.check_ends("--max-memory 1M in.tif out.tif", BAD, re.compile(".*above the limit of 1048576 .*"))
    workshop.check_works("--max-memory", "20M", "in.tif", "out.tif")


def tool(*words, **more):
    if not shutil.which(words[0]):
        raise program.Skip(f"{words[0]} is not installed")
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, **more).stdout


def by_tools(workshop):
    """The program reads files of tiffcp and raw2tiff, and tiffcmp and tiffinfo read the program's files."""
    for size, kind in itertools.product(SIZES[:5], "BH"):
        image = some_image(*size, kind)
        (workshop.folder / "raw.tif").write_bytes(tiff_file(image))
        for words in (["-c", "none"], ["-c", "lzw"], ["-c", "lzw:2"], ["-c", "zip"], ["-c", "zip:2"],
                      ["-c", "packbits"], ["-B"], ["-8"], ["-8", "-L", "-r", "3"],
                      ["-t", "-w", "16", "-l", "48"], ["-t", "-c", "lzw"]):
            tool("tiffcp", *words, workshop.folder / "raw.tif", workshop.folder / "in.tif")
            found = read_tiff(written(workshop, "--halo", "0", "in.tif"))[0]
            workshop.check(same(found, image), f"tiffcp {words} {size} {kind}")
            for how in ("none", "deflate"):
                written(workshop, "--halo", "0", "--tiff-compression", how, "in.tif")
                tool("tiffcmp", "-t", workshop.folder / "raw.tif", workshop.folder / "out.tif")
                said = tool("tiffinfo", "-D", workshop.folder / "out.tif").decode()
                workshop.check(f"Image Width: {size[0]} Image Length: {size[1]}" in said, said)
    (workshop.folder / "raw").write_bytes(bytes(range(256)) * 6)
    tool("raw2tiff", "-p", "rgb", "-w", "32", "-l", "16", "-b", "3", workshop.folder / "raw",
         workshop.folder / "in.tif")
    found = read_tiff(written(workshop, "--halo", "0", "in.tif"))[0]
    workshop.check(found["samples"] == list(range(256)) * 6, "raw2tiff")
    tool("tiffset", "-s", "282", "72.5", workshop.folder / "in.tif")
    tool("tiffset", "-s", "270", "by tiffset", workshop.folder / "in.tif")
    found = read_tiff(written(workshop, "--op", "transpose", "in.tif"))[0]["tags"]
    workshop.check(found[283] == [72.5] and found[270] == b"by tiffset\0", f"tiffset: {found}")


def by_tifffile(workshop):
    """Tests stacks in the forms that tifffile writes: plain, ImageJ's, OME."""
    try:
        import numpy
        import tifffile
    except ImportError as why:
        raise program.Skip(str(why)) from why
    chance = numpy.random.default_rng(1)
    read = lambda name: tifffile.imread(workshop.folder / name)
    for kind, more in itertools.product(
            ("u1", "u2", "f4"), ({}, {"imagej": True}, {"ome": True}, {"bigtiff": True}, {"byteorder": ">"},
                           {"compression": "zlib", "predictor": True}, {"tile": (16, 32)},
                           {"imagej": True, "resolution": (3, 2), "metadata": {"unit": "um"}})):
        for shape in ((61, 97), (5, 40, 30), (2, 20, 24, 3)):
            array = chance.integers(0, 200, shape).astype(kind)
            if more.get("imagej") and (len(shape) == 2 or kind != "u1" and len(shape) == 4):
                continue  # tifffile's ImageJ form needs a stack, and 8 bits for RGB
            if kind == "f4" and more.get("compression"):
                continue  # tifffile needs another package for the predictor of floats
            tifffile.imwrite(workshop.folder / "in.tif", array, **more,
                             **({"photometric": "rgb"} if len(shape) == 4 else {}))
            axis = array.ndim - (3 if len(shape) == 4 else 2)
            workshop.check_works("--halo", "0", "in.tif", "out.tif")
            workshop.check(numpy.array_equal(read("out.tif"), read("in.tif")), f"{kind} {more} {shape}")
            for op, wanted in (("transpose", array.swapaxes(axis, axis + 1)),
                               ("reverse", numpy.flip(array, (axis, axis + 1)))):
                workshop.check_works("--op", op, "in.tif", "out.tif")
                got = read("out.tif")
                workshop.check(numpy.array_equal(got.squeeze(), wanted.squeeze()),
                               f"{op} {kind} {more} {shape}: {got.shape}")


if __name__ == "__main__":
    program.main(__doc__, {
        "kinds": [every_layout, floats, wide, white, colourless, alpha, several, many, pipes],
        "smoothed": [smoothed],
        "tags": [kept_tags, orientations, descriptions, dropped, of_all_images, linear, metadata_limit],
        "refused": [refused, too_much_data, late_ends, missing_parts, tags_without_rule,
                    no_memory_for, harmless_values],
        "tools": [by_tools],
        "tifffile": [by_tifffile],
    })
