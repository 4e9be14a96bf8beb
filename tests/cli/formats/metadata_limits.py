# SPDX-License-Identifier: MIT
"""Tests how much metadata a file may have: chunks, comments, wrong lengths, and compressed texts that inflate to much
more.

usage: metadata_limits.py PROGRAM IMAGES GROUP"""
import os
import re
import resource
import struct
import zlib

import program
from jpeg_files import APP0, COMMENT, jpeg_file, segment
from metadata import BAD, REVERSE, metadata_of, output
from png_reader import GREY
from png_writer import chunk, png_file, some_samples
from tiff_files import DEFLATE, tiff_file
from limits import peak_of


def advice(what, limit):
    return (f"more metadata than the limit of {limit}, at {what}; raise it with --max-metadata, "
            "or drop metadata with --strip-metadata")


def large_chunks(workshop):
    """Tests --max-metadata with one large chunk and with many small chunks, in a file and in a stream."""
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
        workshop.check_ends("- out.png", BAD, re.compile("standard input: " + (re.escape(said) or ".+")), data=data)


def bombs(workshop):
    """Three chunks have 200 MB each, compressed to 200 kB. The program copies the chunks without inflating them, so
    they take little memory."""
    # The script compresses 1 MB at a time, because its own peak memory also counts for the programs that it starts.
    packer, piece = zlib.compressobj(9), bytes(1_000_000)
    packed = b"".join(packer.compress(piece) for _ in range(200)) + packer.flush()
    items = [(b"zTXt", b"Comment\0\0" + packed), (b"iTXt", b"Comment\0\1\0\0\0" + packed),
             (b"iCCP", b"profile\0\0" + packed)]
    data = png_file(9, 5, GREY, 8, some_samples(9, 5, GREY, 8), first=items)
    (workshop.folder / "in.png").write_bytes(data)
    peak = peak_of(workshop, *REVERSE, "in.png", "out.png")
    workshop.check(peak < 100_000_000, f"{peak} bytes of memory")
    workshop.check(metadata_of((workshop.folder / "out.png").read_bytes()) == (items, []), "kept")


def long_headers(workshop):
    header = b"P5\n#" + b"x" * 5000 + b"\n2 1\n255\n"
    message = advice("the comments of the header", "4.0 KiB")
    workshop.check_ends("--max-metadata 4K - -", BAD, "standard input: " + message, data=header + b"AB")
    (workshop.folder / "in.pgm").write_bytes(header + b"AB")
    workshop.check_ends("--max-metadata 4K in.pgm out.pgm", BAD, "in.pgm: " + message)
    workshop.check_works("--strip-metadata", "in.pgm", "out.pgm")
    workshop.check_works("--max-metadata", "8K", "in.pgm", "out.pgm")
    data = b"P5\n" + b"#\n" * 200 + b"2 1\n255\nAB"  # a comment counts as its length + 64 bytes
    workshop.check_ends("--max-metadata 12K - -", BAD, "standard input: " +
                        message.replace("4.0", "12.0"), data=data)


def many_of(data, at, *items):
    """Returns a function of n that inserts n copies of each item into `data` at offset `at`."""
    return lambda n: data[:at] + b"".join(item * n for item in items) + data[at:]


def many_segments():
    data, com = jpeg_file(8, 8), segment(COMMENT, b"")
    for head in (b"", b"JFIF\0\1\1\1\0\1\0\1\1\1", b"JFXX\0\x13"):
        yield f"APP0 {head}", many_of(data, 20, segment(APP0, head), com)
    for number, head in ((1, b"Exif\0\0"), (1, b"http://ns.adobe.com/xap/1.0/\0"), (2, b"ICC_PROFILE\0\5\7x"),
                         (2, b"ICC_PROFILE\0\1\1x"), (5, b""), (13, b"Photoshop 3.0\0"), (14, b"")):
        yield f"APP{number} {head}", many_of(data, 20, segment(APP0 + number, head), com)
    yield "late", many_of(data, len(data) - 2, com, segment(APP0, b""))
    yield "between segments", many_of(data, 20, com + b"junk")


def many_chunks():
    data = png_file(9, 5, GREY, 8, some_samples(9, 5, GREY, 8))
    texts = chunk(b"tEXt", b"a\0")
    for name, body in ((b"prVt", b""), (b"prVT", b""), (b"iTXt", b"a\0\0\0\0\0"), (b"sPLT", b"a\0\x08"), (b"gAMA", b"\0\0\1\0"),
                       (b"hIST", b""), (b"bKGD", b"\0\0"), (b"sBIT", b"\x08"), (b"eXIf", b"II*\0"), (b"IDAT", b"")):
        yield name, many_of(data, 33, texts, chunk(name, body))
    yield "late", many_of(data, len(data) - 12, texts, chunk(b"tIME", bytes(7)))


def many_comments():
    pgm, pam = b"P5\n#\n1 1\n255\n\1", b"P7\n#\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\n\1"
    for data in pgm, pam:
        for what, at, item in (("comments", 3, b"#\n"), ("a long comment", 4, b"a comment"), ("empty lines", 3, b"\n")):
            yield f"{what} {data[:2]}", many_of(data, at, item)
    yield "empty types", many_of(pam, 3, b"TUPLTYPE\n")
    yield "images", many_of(b"", 0, pgm)


def many_tags():
    grey = {"width": 1, "channels": 1, "kind": "B", "rows": 1}
    yield "strips", lambda n: tiff_file({**grey, "height": n, "samples": [1] * n, "compression": DEFLATE})
    yield "pages", lambda n: tiff_file(*[{**grey, "height": 1, "samples": [1]}] * n)


def cpu_seconds(workshop, name, data, limit=resource.RLIM_INFINITY):
    """Returns the seconds of processor time that the program takes for this file, which it must accept. A run of more
    than `limit` seconds is killed and counts as infinite."""
    confined = lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    (workshop.folder / name).write_bytes(data)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Meson sets this variable to make malloc fill memory, which would take longer than the program's own work.
    ended = workshop.run("-q", "-j1", name, "-o", f"out{name}", preexec_fn=confined,
                         env={**os.environ, "MALLOC_PERTURB_": "0"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    workshop.check(ended.status <= 0, f"{ended}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime if ended.status >= 0 else float("inf")


def growth(workshop):
    """For 8 n segments, chunks, comments, strips or pages, the program may take at most 20 times the processor time
    that it takes for n. Linear work takes 8 times as long, quadratic work 64 times; 20 leaves room for noise on a
    busy machine."""
    for name, n, kinds in ((".jpg", 10_000, many_segments()), (".png", 10_000, many_chunks()),
                           (".pnm", 10_000, many_comments()), (".tif", 2_000, many_tags())):
        for what, many in kinds:
            once = max(cpu_seconds(workshop, name, many(n)), .02)
            again = cpu_seconds(workshop, name, many(8 * n), int(20 * once) + 2)
            workshop.check(again <= 20 * once, f"{name} {what}: {once:.3f} s, of 8 times as many {again:.3f} s")


if __name__ == "__main__":
    program.main(__doc__, {"all": [large_chunks, lies, bombs, long_headers, growth]})
