# SPDX-License-Identifier: MIT
"""Compares the samples and files that the program reads and writes with those of libjpeg alone (libjpeg.c).

usage: jpeg.py PROGRAM IMAGES GROUP, with the program libjpeg in the environment's LIBJPEG"""
import itertools
import os
import random
import re
import struct
import subprocess
import zlib

import program
from jpeg_files import (APP0, BASELINE, COMMENT, PROGRESSIVE, SEQUENTIAL, exif, jpeg_file,
                        metadata_of, random_blocks, segment, segments_of)
from png_reader import RGB, chunks_of
from png_writer import chunk, png_file, some_samples
from tiff import ORIENTATIONS
from tiff_files import BYTE, UNDEFINED, read_tiff, tiff_file

BAD, FOREIGN, UNWRITTEN = 3, 4, 5
# Sampling factors (horizontal, vertical) of each component.
GREY, YCC = ((1, 1),), ((1, 1),) * 3
SAMPLINGS = (GREY, YCC, ((2, 2),), ((2, 1), (1, 1), (1, 1)), ((2, 2), (1, 1), (1, 1)),
             ((1, 2), (1, 1), (1, 1)), ((4, 1), (1, 1), (1, 1)), ((2, 2), (2, 1), (1, 2)))
# Options that select an execution mode: one thread or several, bands because of little memory, --verify, variant
# reference.
WAYS = (["-j1"], ["-j3"], ["-j2", "--max-memory", "5M"], ["--verify"], ["--variant", "reference"])


def libjpeg(*words, data):
    return subprocess.run([os.environ["LIBJPEG"], *words], input=data, capture_output=True, check=True).stdout


def place(workshop, name, data):
    (workshop.folder / name).write_bytes(data)
    return data


def every_layout(workshop):
    """The samples of each layout must be those that libjpeg decodes, also from a pipe."""
    files = {}
    for factors, process, together, restart, (width, height) in itertools.product(
            SAMPLINGS, (BASELINE, SEQUENTIAL, PROGRESSIVE), (True, False), (0, 3), ((1, 1), (33, 70))):
        what = f"{len(files)} {factors} {process:x} {together} {restart} {width} x {height}.jpg"
        files[what] = jpeg_file(width, height, factors, process=process, together=together, restart=restart)
    found = workshop.run_each(files, "--halo", "0", "--format", "pnm")
    for number, (what, data) in enumerate(files.items()):
        wanted = libjpeg("decode", data=data)
        workshop.check(found[what][2].read_bytes() == wanted, what)
        if number % 5 == 0:
            piped = workshop.run("--halo", "0", "-", "-", "--format", "pnm", data=data).out
            workshop.check(piped == wanted, f"{what}, from a pipe")


def smoothed(workshop):
    """In each execution mode (WAYS), each operation must give the same result for a JPEG as for a PNM file with the
    samples that libjpeg decodes."""
    for factors, process in itertools.product((GREY, ((2, 2), (1, 1), (1, 1))), (BASELINE, PROGRESSIVE)):
        data = place(workshop, "in.jpg", jpeg_file(150, 203, factors, process=process))
        place(workshop, "in.pnm", libjpeg("decode", data=data))
        for words in (["--halo", "3"], ["--halo", "5", "--edge", "wrap"], ["--op", "transpose"],
                      ["--op", "reverse"], ["--sigma", "2", "--linear"], ["--op", "sharpen"]):
            wanted = workshop.made(*words, "in.pnm", "wanted.png")
            written = workshop.made(*words, "in.pnm", "-o", "wanted.jpg")
            for way in WAYS:
                got = workshop.made(*words, *way, "in.jpg", "out.png")
                workshop.check(got == wanted, f"{factors} {process:x} {words} {way}")
                # in.jpg has a resolution in its JFIF segment, and in.pnm has none. Without metadata the outputs are
                # equal.
                got = workshop.made(*words, *way, "in.jpg", "--strip-metadata", "-o", "out.jpg")
                workshop.check(got == written, f"{factors} {process:x} {words} {way}, as JPEG")


def written(workshop):
    """Written files must have the bytes that libjpeg writes, for any size and quality."""
    for width, height, channels in ((1, 1, 1), (1, 1, 3), (7, 64, 3), (8, 65, 1), (150, 129, 3), (61, 1100, 3)):
        samples = random.Random(width).randbytes(width * height * channels)
        image = place(workshop, "in.pnm", f"P{5 if channels == 1 else 6}\n{width} {height}\n255\n".encode() + samples)
        for quality in (None, 1, 50, 95, 100):
            words = [] if quality is None else ["--quality", str(quality)]
            wanted = libjpeg("encode", str(quality or 95), "8" if height > 64 else "0", data=image)
            for way in WAYS:
                got = workshop.made("--halo", "0", *words, *way, "in.pnm", "-o", "out.jpg")
                workshop.check(got == wanted, f"{width} x {height}, {channels}: {words} {way}")
            got = workshop.run("--halo", "0", *words, "in.pnm", "-", "--format", "jpg")
            workshop.check(got.out == wanted, f"{width} x {height}, {channels}: {words} to a pipe")


def refused_outputs(workshop):
    workshop.take("two.pgm", "alpha.pam", "alpha16.png", "gradient12.pgm", "letters.pbm", "flat.pgm")
    place(workshop, "wide.pgm", b"P5\n65501 1\n255\n" + bytes(65501))
    place(workshop, "tall.pgm", b"P5\n1 65501\n255\n" + bytes(65501))
    for name, message in (("two.pgm", "JPEG holds one image, .*"), ("alpha.pam", "JPEG holds 1 or 3 channels, .*"),
                          ("alpha16.png", "JPEG holds 1 or 3 channels, .*"),
                          ("gradient12.pgm", "JPEG holds samples up to 255, .* 4095; name the output .png"),
                          ("letters.pbm", "JPEG holds samples up to 255, .* is 1; .*"),
                          ("wide.pgm", "JPEG holds sides of up to 65500, but the image has 65501 x 1 pixels; .*"),
                          ("tall.pgm", "JPEG holds sides of up to 65500, but the image has 1 x 65501 pixels; .*")):
        workshop.check_ends([name, "-o", "out.jpg"], FOREIGN, re.compile(f"out.jpg: {message}"))
    place(workshop, "side.pgm", b"P5\n65500 1\n255\n" + bytes(65500))
    workshop.check_works("side.pgm", "side.jpg")
    place(workshop, "wide.jpg", jpeg_file(8, 8).replace(struct.pack(">BHH", 8, 8, 8), struct.pack(">BHH", 8, 8, 65501)))
    workshop.check_ends("wide.jpg out.png", BAD, re.compile("wide.jpg: .*dimension.* 65500 .*"))
    with open("/dev/full", "wb") as full:
        workshop.check_ends("flat.pgm - --format jpg", UNWRITTEN,
                            "standard output: cannot be written: No space left on device", stdout=full)


def names(workshop):
    """Files of a folder keep their names and formats, whatever the case of the extension. The note about losses of JPEG
    is printed once."""
    folder = workshop.make_folder("in", "flat.pgm")
    for name in ("a.jpg", "b.JPEG", "c.jfif", "d.JPG"):
        (folder / name).write_bytes(jpeg_file(20, 30, YCC))
    ended = workshop.run("in", "out")
    found = {path.name: path.read_bytes()[:2] for path in (workshop.folder / "out").iterdir()}
    workshop.check(found == {"a.jpg": b"\xff\xd8", "b.JPEG": b"\xff\xd8", "c.jfif": b"\xff\xd8",
                             "d.JPG": b"\xff\xd8", "flat.pgm": b"P5"}, f"{found}")
    workshop.check(ended.status == 0 and ended.err.count("JPEG is lossy: its samples differ a little from "
                   "the result; --format png keeps it exactly (said once)\n") == 1, f"{ended}")
    workshop.check_says("in/a.jpg -o out.jpeg", "smoothimg: out.jpeg: JPEG is lossy: its samples differ a little from the "
                        "result; name the output .png to keep it exactly\n")
    workshop.check_says("-q in/a.jpg -o out.jpeg", "")
    workshop.check_says("in/a.jpg out.png", "")
    workshop.check_tells("in/a.jpg --format jpg -o jpeg.png", "; --format png keeps it exactly\n")
    ended = workshop.run("--json", "in/a.jpg", "-o", "out.jpg")
    workshop.check(b'"JPEG"' in ended.out, f"{ended}")
    (folder / "flat.pgm").unlink()
    workshop.check_tells("--in-place --op transpose in", "; without --in-place a .png keeps it exactly (said once)\n")
    workshop.check((folder / "b.JPEG").read_bytes()[:2] == b"\xff\xd8", "in place")
    workshop.check_works("-q", "--format", "jpg", "in", "new")
    workshop.check(sorted(path.name for path in (workshop.folder / "new").iterdir()) ==
                   ["a.jpg", "b.jpg", "c.jfif.jpg", "d.jpg"], "--format")


PROFILE = random.Random(1).randbytes(70000)
PACKET = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"
CAMERA = [(0x10F, 4, 1), (0x112, 3, 6), (0x11A, 4, 300), (0x11B, 4, 72)]


def app(number, head, body):
    return segment(APP0 + number, head + body)


def profile_parts(profile, most=65519):
    parts = [profile[i:i + most] for i in range(0, len(profile), most)]
    return [app(2, b"ICC_PROFILE\0", bytes((i + 1, len(parts))) + part) for i, part in enumerate(parts)]


# KEPT: segments that the output keeps; OTHERS: segments that it leaves out.
KEPT = [app(1, b"Exif\0\0", exif(*CAMERA)), app(1, b"http://ns.adobe.com/xap/1.0/\0", PACKET),
        app(1, b"http://ns.adobe.com/xmp/extension/\0", bytes(40)), *profile_parts(PROFILE, 40000),
        app(13, b"Photoshop 3.0\0", b"8BIM"), segment(COMMENT, b"a comment\xff\0"), segment(COMMENT, b"")]
OTHERS = [app(2, b"MPF\0", bytes(20)), app(11, b"JP", bytes(9)), app(1, b"other\0", b"x"), app(15, b"", b"")]


def kept(workshop):
    """Kept segments have the same bytes and order as in the input; -v names the segments that are left out."""
    place(workshop, "in.jpg", jpeg_file(20, 30, YCC, segments=[*KEPT[:3], *OTHERS, *KEPT[3:]]))
    wanted = [*segments_of(b"\xff\xd8" + segment(APP0, b"JFIF\0\1\1\1\0\x48\0\x60\0\0") + b"".join(KEPT) + b"\xff\xda")]
    for words in ([], ["--op", "reverse"], ["--halo", "0"], ["-j1", "--max-memory", "2M"]):
        found = metadata_of(workshop.made(*words, "in.jpg", "-o", "out.jpg"))
        workshop.check(found == wanted, f"{words}: {[(m, b[:20]) for m, b in found]}")
    workshop.check_tells("-v in.jpg -o out.jpg", "left_out APP2 (not kept), APP11 (not kept), APP1 (not kept), APP15 (not kept)")
    found = metadata_of(workshop.made("--strip-metadata", "in.jpg", "-o", "out.jpg"))
    workshop.check(found == [(APP0 + 1, b"Exif\0\0" + exif((0x112, 3, 6)))], f"stripped: {found}")
    found = metadata_of(workshop.made("--op", "transpose", "in.jpg", "-o", "out.jpg"))
    turned = [(0x10F, 4, 1), (0x112, 3, 8), (0x11A, 4, 72), (0x11B, 4, 300)]
    workshop.check(found == [(APP0, b"JFIF\0\1\1\1\0\x60\0\x48\0\0"), (APP0 + 1, b"Exif\0\0" + exif(*turned)), *wanted[2:]],
                   f"transposed: {[(m, b[:40]) for m, b in found]}")
    # A second EXIF segment is left out.
    place(workshop, "in.jpg", jpeg_file(20, 30, YCC, segments=[KEPT[0], KEPT[0].replace(b"\0\6", b"\0\3")]))
    workshop.check_tells("-v in.jpg -o out.jpg", "left_out EXIF (a second one)")
    found = metadata_of((workshop.folder / "out.jpg").read_bytes())
    workshop.check(found[1:] == [(APP0 + 1, b"Exif\0\0" + exif(*CAMERA))], f"two: {found}")
    # The output for a file with EXIF and without a JFIF segment has no JFIF segment.
    place(workshop, "in.jpg", jpeg_file(20, 30, YCC, segments=KEPT[:1], jfif=False))
    found = metadata_of(workshop.made("in.jpg", "-o", "out.jpg"))
    workshop.check(found == [(APP0 + 1, b"Exif\0\0" + exif(*CAMERA))], f"no JFIF: {found}")


def stripped(workshop, op, wanted):
    """With --strip-metadata, the output keeps only the orientation of its input. A transpose changes this orientation
    as it does without the option. `wanted` is [orientation of the output], or None if the output must have none."""
    only = wanted and exif((0x112, 3, wanted[0]))
    place(workshop, "in.tif", workshop.made("in.png", "-o", "new.tif"))
    for name in ("in.jpg", "in.png", "in.tif"):
        words, kept_exif = ["--op", op, "--strip-metadata", name, "-o"], only and name != "in.tif"
        found = [body for marker, body in metadata_of(workshop.made(*words, "out.jpg")) if marker != APP0]
        workshop.check(found == ([b"Exif\0\0" + only] if kept_exif else []), f"{words}: {found}")
        found = [body for chunk_name, body in chunks_of(workshop.made(*words, "out.png")) if chunk_name == b"eXIf"]
        workshop.check(found == ([only] if kept_exif else []), f"{words}: {found}")
        found = read_tiff(workshop.made(*words, "out.tif"))[0]["tags"].get(274)
        workshop.check(found == wanted, f"{words}: {found}")


def orientations(workshop):
    """The program does not rotate the image by its EXIF orientation, but copies the orientation from JPEG to JPEG, PNG
    and TIFF. The EXIF data may have either byte order, and the orientation the type byte, short or long."""
    for orientation, order, kind in (*itertools.product((2, 6), "<>", (1, 4)),
                                     *itertools.product((0, *ORIENTATIONS, 9), "<>", (3,))):
        sides = [(0xA002, 3, 20), (0xA003, 4, 30)]
        before = exif((0x112, kind, orientation), order=order, more=sides)
        place(workshop, "in.jpg", jpeg_file(20, 30, YCC, segments=[app(1, b"Exif\0\0", before)]))
        for op in ("smooth", "transpose", "reverse"):
            turned = ORIENTATIONS.get(orientation, orientation) if op == "transpose" else orientation
            more = [(0xA002, 4, 30), (0xA003, 3, 20)] if op == "transpose" else sides
            after = exif((0x112, kind, turned), order=order, more=more)
            found = metadata_of(workshop.made("--op", op, "in.jpg", "-o", "out.jpg"))
            workshop.check(found[1] == (APP0 + 1, b"Exif\0\0" + after), f"{op} {orientation} {order}: {found}")
            found = dict(chunks_of(workshop.made("--op", op, "in.jpg", "out.png")))
            workshop.check(found[b"eXIf"] == after, f"{op} {orientation} {order}: PNG {found}")
            found = read_tiff(workshop.made("--op", op, "in.jpg", "out.tif"))[0]["tags"].get(274)
            wanted = [turned] if orientation in ORIENTATIONS and turned != 1 else None
            workshop.check(found == wanted, f"{op} {orientation} {order}: TIFF {found}")
            place(workshop, "in.png", workshop.made("in.jpg", "new.png"))
            found = dict(chunks_of(workshop.made("--op", op, "in.png", "out.png")))
            workshop.check(found[b"eXIf"] == after, f"{op} {orientation} {order}: PNG to PNG {found}")
            if (order, kind) == ("<", 3) and orientation in (0, 1, 2, 6, 9):
                stripped(workshop, op, wanted)
    workshop.check_tells("--op transpose in.jpg out.ppm", "not carried over to PPM: EXIF\n")
    place(workshop, "in.jpg", jpeg_file(20, 30, YCC, segments=KEPT[:1]))
    workshop.check_tells("in.jpg out.ppm", "not carried over to PPM: EXIF, orientation\n")


def odd_exif(workshop):
    """The program copies EXIF even if it is invalid. A transpose changes bytes of EXIF, never its length."""
    good = exif(*CAMERA, more=[(0xA002, 4, 20), (0xA003, 4, 30)])
    odd = [b"M", b"MM\0*", good[:8], *(good[:i] for i in range(8, len(good), 7)),
           b"II*\0\xff\xff\xff\xff" + bytes(9), good.replace(b"\x87\x69\0\4", b"\x87\x69\0\3"),
           good[:-40] + b"\xff" * 40]
    for before in odd:
        place(workshop, "in.jpg", jpeg_file(8, 8, GREY, segments=[app(1, b"Exif\0\0", before)]))
        found = metadata_of(workshop.made("in.jpg", "-o", "out.jpg"))
        workshop.check(found[1] == (APP0 + 1, b"Exif\0\0" + before), f"{before}: {found}")
        found = metadata_of(workshop.made("--op", "transpose", "in.jpg", "-o", "out.jpg"))
        workshop.check(len(found[1][1]) == 6 + len(before), f"transposed {before}: {found}")
        workshop.check_works("in.jpg", "out.tif")
    for before, carried in ((b"junkjunk", False), (b"M\0\0\0", False), (b"MMjunk", True)):
        place(workshop, "in.jpg", jpeg_file(8, 8, GREY, segments=[app(1, b"Exif\0\0", before)]))
        ended = workshop.run("in.jpg", "out.png")
        workshop.check((ended.err == "") == carried and ended.status == 0, f"{before} to PNG: {ended}")
        workshop.check_says("out.png again.png", "")


def carried(workshop):
    """The program copies XMP and EXIF from JPEG to PNG and from PNG to JPEG, and XMP and the colour profile from JPEG
    to TIFF and from TIFF to JPEG and PNG. It copies the profile from JPEG to PNG, but not from PNG to JPEG."""
    # The output gets only the first of two XMP packets.
    place(workshop, "in.jpg", jpeg_file(20, 30, YCC, segments=[*KEPT, app(1, b"http://ns.adobe.com/xap/1.0/\0", b"<x/>")]))
    found = dict(chunks_of(workshop.made("in.jpg", "out.png")))
    workshop.check(found[b"eXIf"] == exif(*CAMERA), "EXIF to PNG")
    workshop.check(found[b"iCCP"][:5] == b"icc\0\0" and zlib.decompress(found[b"iCCP"][5:]) == PROFILE, "profile to PNG")
    workshop.check(found[b"iTXt"] == b"XML:com.adobe.xmp\0\0\0\0\0" + PACKET, "XMP to PNG")
    workshop.check_says("in.jpg out.png", "smoothimg: in.jpg: not carried over to PNG: IPTC, comments\n")
    found = metadata_of(workshop.made("out.png", "-o", "again.jpg"))
    workshop.check(found[1:] == [(APP0 + 1, b"Exif\0\0" + exif(*CAMERA)),
                                 (APP0 + 1, b"http://ns.adobe.com/xap/1.0/\0" + PACKET)], f"from PNG: {found}")
    workshop.check_tells("out.png -o again.jpg", "not carried over to JPEG: colour profile\n")
    tags = read_tiff(workshop.made("in.jpg", "out.tif"))[0]["tags"]
    workshop.check(bytes(tags[34675]) == PROFILE and bytes(tags[700]) == PACKET and tags[274] == [6], "to TIFF")
    workshop.check_says("in.jpg out.tif", "smoothimg: in.jpg: not carried over to TIFF: EXIF, IPTC, comments\n")
    found = metadata_of(workshop.made("out.tif", "-o", "again.jpg"))
    wanted = [*segments_of(b"\xff\xd8" + app(1, b"http://ns.adobe.com/xap/1.0/\0", PACKET) +
                           b"".join(profile_parts(PROFILE)) + b"\xff\xda")]
    workshop.check(found[1:] == wanted, f"from TIFF: {[(m, b[:40]) for m, b in found]}")
    workshop.check_tells("out.tif -o again.jpg", "not carried over to JPEG: orientation\n")
    found = dict(chunks_of(workshop.made("out.tif", "again.png")))
    workshop.check(zlib.decompress(found[b"iCCP"][5:]) == PROFILE and found[b"iTXt"][22:] == PACKET, "from TIFF to PNG")


def too_late(workshop):
    """EXIF that follows the samples of a PNG is carried over to no other format, which a message tells, whether rows
    are taken in bands, in memory, or from a pipe."""
    late = png_file(20, 30, RGB, 8, some_samples(20, 30, RGB, 8), last=[(b"eXIf", exif(*CAMERA))])
    place(workshop, "late.png", late)
    for i, words in enumerate(("--op smooth late.png", "--verify late.png", "--op transpose late.png", "--format jpg -")):
        workshop.check_tells([*words.split(), f"{i}.jpg"], "not carried over to JPEG: EXIF", data=late)
        found = metadata_of((workshop.folder / f"{i}.jpg").read_bytes())
        workshop.check(all(b"Exif" not in body for _, body in found), f"{words}: {found}")


def too_long(workshop):
    """XMP and EXIF that are too long for one segment, and a profile that is too long for 255 segments, are left out. A
    message names what is left out."""
    image = {"width": 2, "height": 2, "channels": 1, "kind": "B", "samples": [1, 2, 3, 4]}
    for count, fits in ((65504, True), (65505, False)):
        place(workshop, "in.tif", tiff_file({**image, "tags": {700: (BYTE, [65] * count)}}))
        found = metadata_of(workshop.made("in.tif", "-o", "out.jpg"))
        workshop.check((len(found) == 2) == fits, f"{count} bytes of XMP: {len(found)} segments")
        said = workshop.run("in.tif", "-o", "out.jpg").err
        workshop.check(("not carried over to JPEG: XMP" in said) != fits, f"{count}: {said}")
        workshop.check_works("-q", "in.tif", "-o", "out.png")
        said = workshop.run("out.png", "-o", "out.jpg").err
        workshop.check(("not carried over to JPEG: XMP" in said) != fits and "texts" not in said, f"{count}, from PNG: {said}")
    for count, fits in ((255 * 65519, True), (255 * 65519 + 1, False)):
        place(workshop, "in.tif", tiff_file({**image, "tags": {34675: (UNDEFINED, bytes(count))}}))
        found = metadata_of(workshop.made("in.tif", "-o", "out.jpg"))
        workshop.check(len(found) == (256 if fits else 1), f"{count} bytes of profile: {len(found)} segments")
        said = workshop.run("in.tif", "-o", "out.jpg").err
        workshop.check(("not carried over to JPEG: colour profile" in said) != fits, f"{count}: {said}")
    for count, fits in ((65527, True), (65528, False)):
        place(workshop, "in.jpg", jpeg_file(2, 2))
        png = workshop.made("in.jpg", "out.png")
        place(workshop, "in.png", png[:33] + chunk(b"eXIf", b"II" + bytes(count - 2)) + png[33:])
        found = metadata_of(workshop.made("in.png", "-o", "out.jpg"))
        said = workshop.run("in.png", "-o", "out.jpg").err
        workshop.check((len(found) == 2) == fits and ("not carried over to JPEG: EXIF" in said) != fits,
                       f"{count} bytes of EXIF: {len(found)} segments, {said}")


def limits(workshop):
    segments = [segment(COMMENT, bytes(60000))] * 3
    place(workshop, "in.jpg", jpeg_file(8, 8, segments=segments))
    workshop.check_ends("--max-metadata 150000 in.jpg -o out.jpg", BAD, re.compile(
        "in.jpg: more metadata than the limit of .*, at the segment COM; raise it with --max-metadata, .*"))
    workshop.check_works("--max-metadata", "181000", "in.jpg", "-o", "out.jpg")
    workshop.check_works("--strip-metadata", "in.jpg", "-o", "out.jpg")
    # To decode a progressive file, the program keeps all of its coefficients in memory: 128 bytes for each block of 64
    # samples. For a baseline file (below) it keeps only a few rows.
    place(workshop, "in.jpg", jpeg_file(400, 500, YCC, process=PROGRESSIVE))
    workshop.check_ends("--max-memory 1M -j1 in.jpg -o out.jpg", BAD, re.compile("in.jpg: .*--max-memory.*"))
    workshop.check_works("--max-memory", "8M", "in.jpg", "-o", "out.jpg")
    place(workshop, "in.jpg", jpeg_file(400, 500, YCC))
    workshop.check_works("--max-memory", "1M", "-j1", "in.jpg", "-o", "out.jpg")


def bad_profiles(workshop):
    """A profile with parts that are missing, empty or repeated is left out, and a message says so. Parts in another
    order are sorted."""
    parts = profile_parts(PROFILE, 30000)
    for some in (parts[1:], parts[:2], [parts[0], parts[1], parts[1], parts[2]], [parts[0], parts[0], parts[2]],
                 [app(2, b"ICC_PROFILE\0", b"")], [app(2, b"ICC_PROFILE\0", b"\1\1")]):
        place(workshop, "in.jpg", jpeg_file(8, 8, segments=some))
        ended = workshop.run("in.jpg", "-o", "out.jpg")
        workshop.check(ended.status == 0 and "in.jpg: damaged in part; left out: ICC profile (not all of its parts)\n"
                       in ended.err, f"{ended}")
        workshop.check(len(metadata_of((workshop.folder / "out.jpg").read_bytes())) == 1, "left out")
    for some in (parts[::-1], parts[1:] + parts[:1]):
        place(workshop, "in.jpg", jpeg_file(8, 8, segments=some))
        found = metadata_of(workshop.made("in.jpg", "-o", "out.jpg"))
        workshop.check(found[1:] == list(segments_of(b"\xff\xd8" + b"".join(parts) + b"\xff\xda")), "sorted")
    place(workshop, "in.jpg", jpeg_file(8, 8, segments=parts))
    workshop.check("--linear does not read its colour profile" in workshop.run("--linear", "in.jpg", "-o", "out.jpg").err, "--linear")


def changed(old, new):
    data = jpeg_file(40, 50, YCC)
    assert old in data
    return data.replace(old, new, 1)


def damaged(workshop):
    """A file is refused if damage may have changed samples. Bytes after the end of the image are ignored, and -v names
    them."""
    good = jpeg_file(40, 50, YCC, restart=7)
    first = good.index(b"\xff\xd0")
    for data, status, message in (
            # Bytes of the samples or of a restart marker are missing, wrong or too many.
            (good[:first - 9] + good[first:], BAD, "damaged in row .*: premature end of data segment"),
            (good[:first] + good[first + 2:], BAD, "damaged in row .*: .*"),
            (good.replace(b"\xff\xd1", b"\xff\xd3", 1), BAD, "damaged in row .*: .*"),
            (good[:-40] + b"\xff\xd9", BAD, "damaged in row .*: premature end of data segment"),
            (good[:first - 9] + b"\xff\0" * 4 + good[first - 1:], BAD, "damaged in row .*"),
            (good[:first] + b"U" * 40 + good[first:], BAD, r"damaged in row .*: \d+ extraneous bytes before marker 0xd.*"),
            (good[:-2] + b"U" * 30 + b"\xff\xd9", BAD, r"damaged in what follows the last row: \d+ extraneous bytes before marker 0xd9"),
            (good[:-2] + b"U" * 30 + bytes(30) + b"\xff\xd9", BAD, "damaged in what follows the last row: .*"),
            # The program finds damage before a marker, however many fill bytes 0xff lie between the two.
            *((good[:-2] + b"U" * 30 + b"\xff" * count + b"\xff\xd9", BAD, "damaged in what follows the last row: .*")
              for count in (40, 500, 1000)),
            # Padding of any length before a marker is no damage. The program reads the longest paddings in several
            # parts.
            *((good[:-2] + padding * count + b"\xff\xd9", 0, "")
              for padding in (b"\0", b"\xff\0", b"\xff") for count in (1, 30, 600, 2000)),
            *((good[:first] + padding + good[first:], 0, "") for padding in (bytes(3), bytes(40), b"\xff" * 40)),
            (good[:-2] + b"\xff\xfe\0\x10abc", BAD, "truncated: the file ends in what follows the last row"),
            (good[:-2] + b"\xff\xfe\0\1\xff\xd9", BAD, "damaged in what follows the last row: .*"),
            (good + b"\0" * 7, 0, ""),
            (good + good, 0, ""),
            (changed(b"\xff\xdb", b"\xff\xd8"), BAD, "damaged in the header: .*"),
            *((changed(b"\xff\xc0", bytes((0xFF, marker))), FOREIGN, f"{kind} is not supported; convert it .*")
              for kind, markers in (("lossless JPEG", b"\xc3\xc7\xcb\xcf"), ("hierarchical JPEG", b"\xc5\xc6\xcd\xce"),
                                    ("JPEG of a reserved kind", b"\xc8"), ("JPEG with arithmetic coding", b"\xc9\xca"))
              for marker in markers),
            (changed(b"\x08\0\x32\0\x28", b"\x0c\0\x32\0\x28"), FOREIGN, "JPEG of 12 bits is not supported; convert .*"),
            (changed(b"\x08\0\x32\0\x28", b"\x08\0\x32\0\0"), BAD, "damaged in the header: .*"),
            (changed(b"\x08\0\x32\0\x28", b"\x08\xff\xdc\xff\xdc"), BAD, "the header declares 65500 x .*"),
            (jpeg_file(40, 50, ((3, 1), (2, 1), (1, 1))), FOREIGN, ".*fractional sampling is not supported.*"),
            (b"\xff\xd8\xff\xd9", BAD, "damaged in the header: .*"),
            (b"\xff\xd8\xff\xe1\0\1", BAD, "damaged in the header: .*"),
            (b"\xff\xd8\xff" + bytes(range(256)), BAD, ".*")):
        place(workshop, "in.jpg", data)
        (workshop.folder / "out.png").unlink(missing_ok=True)
        ended = workshop.run("in.jpg", "out.png")
        said = rf"smoothimg: in.jpg: ({message})\n" if message else ""
        workshop.check(ended.status == status and re.fullmatch(said, ended.err), f"{message}: {ended}")
        workshop.check((workshop.folder / "out.png").exists() == (status == 0), message)
        piped = workshop.run("-", "piped.png", data=data)
        workshop.check(piped.status == status, f"{message}, from a pipe: {piped}")
    place(workshop, "in.jpg", good + bytes(7))
    workshop.check("left_out bytes after the end" in workshop.run("-v", "in.jpg", "-o", "out.jpg").err, "padded")
    place(workshop, "in.jpg", good + good)
    workshop.check("left_out pictures after the first one" in workshop.run("-v", "in.jpg", "-o", "out.jpg").err, "-v")


def bad_code(workshop):
    """The program refuses a bad Huffman code anywhere in a file, although libjpeg would only warn and continue."""
    usual = random_blocks(1)
    for process, bad in itertools.product((BASELINE, PROGRESSIVE), ((0, 0, 0), (0, 12, 3), (0, 24, 24))):
        data = place(workshop, "in.jpg", jpeg_file(
            200, 200, process=process, blocks=lambda *at, bad=bad: None if at == bad else usual(*at)))
        workshop.check_ends("in.jpg out.png", BAD, re.compile("in.jpg: damaged in (row|scan) .*: bad Huffman code"))
        workshop.check_ends("- out.png", BAD, re.compile("standard input: damaged in .*: bad Huffman code"), data=data)


def scans(workshop):
    """Tests scans that are missing, in another order, or repeated a hundred times, and comments between scans."""
    for process, parts, status, message in (
            (SEQUENTIAL, lambda scans: scans[:2], BAD, "damaged: the scans lack component 3 of 3"),
            (SEQUENTIAL, lambda scans: scans[::-1], 0, ""),
            (SEQUENTIAL, lambda scans: scans[:1] * 90 + scans, 0, ""),
            (SEQUENTIAL, lambda scans: scans[:1] * 100 + scans, FOREIGN, "JPEG of more than 100 scans is not .*"),
            (SEQUENTIAL, lambda scans: [scans[0], segment(COMMENT, b"late"), *scans[1:]], 0, ""),
            (PROGRESSIVE, lambda scans: scans[1:], BAD, "damaged in scan 1: .*"),
            *((PROGRESSIVE, lambda scans, gone=gone: scans[:gone] + scans[gone + 1:], BAD,
               f"damaged: the scans lack bits of component {component} of 3")
              for gone, component in enumerate((1, 2, 3, 1, 2, 3, 1), start=1)),
            (PROGRESSIVE, lambda scans: scans[:1], BAD, "damaged: the scans lack bits of component 1 of 3")):
        place(workshop, "in.jpg", jpeg_file(40, 50, YCC, process=process, together=False, parts=parts))
        ended = workshop.run("-v", "in.jpg", "out.png")
        workshop.check(ended.status == status and re.search(message, ended.err), f"{process:x} {status} {message}: {ended}")
        (workshop.folder / "out.png").unlink(missing_ok=True)


def flipped_bits(workshop):
    """If a bit of a file is flipped, the program refuses the file or gives the samples that libjpeg decodes without a
    warning."""
    data = bytearray(jpeg_file(24, 24, ((2, 1), (1, 1), (1, 1)), restart=2))
    for bit in range(8 * 20, 8 * len(data), 37):
        data[bit // 8] ^= 1 << bit % 8
        place(workshop, "in.jpg", bytes(data))
        ended = workshop.run("--halo", "0", "in.jpg", "-", "--format", "pnm")
        wanted = subprocess.run([os.environ["LIBJPEG"], "decode"], input=bytes(data), capture_output=True, check=False)
        good = ended.status in (BAD, FOREIGN) and not ended.out or ended.status == 0 and ended.out == wanted.stdout
        workshop.check(good and (ended.status != 0 or wanted.returncode == 0),
                       f"bit {bit}: {ended.status} {ended.err} {wanted.returncode}")
        data[bit // 8] ^= 1 << bit % 8


if __name__ == "__main__":
    program.main(__doc__, {
        "layouts": [every_layout],
        "results": [smoothed, names],
        "written": [written, refused_outputs],
        "metadata": [kept, orientations, odd_exif, carried, too_late, too_long, limits, bad_profiles],
        "damaged": [damaged, bad_code, scans, flipped_bits],
    })
