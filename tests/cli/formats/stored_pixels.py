# SPDX-License-Identifier: MIT
"""From PNG to PNG, operations that only move pixels leave them as they are stored: palette, grey of 1,
2 and 4 bits, transparent colour.

usage: stored_pixels.py PROGRAM IMAGES GROUP
"""
import json
import struct

import program
from metadata import metadata_of
from pictures import read_pictures
from png_kinds import key_of, palette_of
from png_reader import DEPTHS, GREY, PALETTE, RGB, chunks_of, decode_png
from png_writer import chunk, png_file, some_samples

SAME, REVERSE, TRANSPOSE = ["--halo", "0"], ["--op", "reverse"], ["--op", "transpose"]
MOVES = {
    "halo 0": (SAME, False),
    "halo 0,0": (["--halo", "0,0", "--sigma", "3"], False),
    "transpose": (TRANSPOSE, True),
    "reverse": (REVERSE, False),
    "chain": (["--op", "smooth", *REVERSE, *TRANSPOSE, *TRANSPOSE, *SAME], False),
}
COMPUTES = [["--halo", "1"], ["--halo", "0,1"], ["--op", "smooth", *REVERSE, "--halo", "1"]]


def kinds():
    """Those that are converted where an operation computes."""
    for colour in (GREY, RGB, PALETTE):
        for depth in DEPTHS.get(colour, (8, 16)):
            for transparent in (False, True):
                if transparent or colour == PALETTE or depth < 8:
                    yield colour, depth, transparent


def kind_file(colour, depth, transparent, width=45, height=37, interlaced=False, **more):
    samples = some_samples(width, height, colour, depth)
    return png_file(width, height, colour, depth, samples, interlaced,
                    palette_of(depth) if colour == PALETTE else None,
                    key_of(colour, depth, samples) if transparent else None, **more)


def stored(data):
    """Depth and colour type, PLTE and tRNS."""
    chunks = dict(chunks_of(data))
    return chunks[b"IHDR"][8:10], chunks.get(b"PLTE"), chunks.get(b"tRNS")


def converted(workshop, words):
    """The result of in.png, but converted, since the output is no PNG."""
    return workshop.check_works(*words, "--format", "pam", "in.png", "-")


def all_kinds(workshop):
    """What is stored, what it means, and that --json is about what it means."""
    for colour, depth, transparent in kinds():
        for name, (words, turned) in MOVES.items():
            data = kind_file(colour, depth, transparent, interlaced=name == "reverse")
            (workshop.folder / "in.png").write_bytes(data)
            lines = workshop.check_works(*words, "--json", "--verify", "in.png", "out.png")
            result = (workshop.folder / "out.png").read_bytes()
            case = f"colour type {colour}, depth {depth}, tRNS {transparent}, {name}"
            workshop.check(stored(result) == stored(data), f"{case}: {stored(result)}")
            workshop.check(decode_png(result)[:2] == ((37, 45) if turned else (45, 37)), case)
            there = converted(workshop, words)
            workshop.check(there == meant(workshop, result), f"{case}: other samples")
            if colour == PALETTE or not transparent:  # decode_png leaves a transparent colour alone
                (workshop.folder / "there.pam").write_bytes(there)
                picture = read_pictures(workshop.folder / "there.pam")[0]
                workshop.check(tuple(picture[:5]) == decode_png(result), f"{case}: not converted")
            same_report(workshop, words, lines, case)


def meant(workshop, data):
    """The converted samples of these bytes."""
    return workshop.check_works("--halo", "0", "--format", "pam", "-", "-", data=data)


def same_report(workshop, words, lines, case):
    """The line is that of an output that has converted samples."""
    others = workshop.check_works(*words, "--json", "in.png", "out.pam")
    for key in ("channels", "maxval"):
        found = [json.loads(text.splitlines()[0])[key] for text in (lines, others)]
        workshop.check(found[0] == found[1], f"{case}: {key} {found}")


def computed(workshop):
    """Where an operation computes, or the output is no PNG, there are colours."""
    for words in COMPUTES:
        for colour, depth, transparent in kinds():
            (workshop.folder / "in.png").write_bytes(kind_file(colour, depth, transparent))
            workshop.check_works(*words, "in.png", "out.png")
            head, palette, key = stored((workshop.folder / "out.png").read_bytes())
            wanted = (16 if depth == 16 else 8), (0 if colour == GREY else 2) + (4 if transparent else 0)
            workshop.check((tuple(head), palette, key) == (wanted, None, None),
                           f"{words}, {colour}, {depth}, {transparent}: {head}, {palette}, {key}")


def every_way(workshop):
    """In bands, as a whole, from and to a stream, in place, in folders: the same file."""
    for colour, depth, transparent in ((PALETTE, 8, True), (PALETTE, 2, False), (GREY, 1, False),
                                       (RGB, 16, True)):
        data = kind_file(colour, depth, transparent, 500, 700)
        (workshop.folder / "in.png").write_bytes(data)
        for words in (SAME, REVERSE, TRANSPOSE):
            ways(workshop, data, words)


def ways(workshop, data, words):
    results = {}
    for more in ("-j1", "-j3", "--max-memory 6M", "--variant reference", "--verify",
                 "--json", "--format png"):
        workshop.check_works(*words, *more.split(), "in.png", "out.png")
        results[more] = (workshop.folder / "out.png").read_bytes()
    results["stdout"] = workshop.check_works(*words, "in.png", "-")
    results["stdin"] = workshop.check_works(*words, "-", "-", data=data)
    for folder in ("place", "tree"):
        (workshop.folder / folder).mkdir(exist_ok=True)
        (workshop.folder / folder / "a.png").write_bytes(data)
    workshop.check_works("-q", *words, "--in-place", "place/a.png")
    workshop.check_works("-q", *words, "-O", "results", "tree")
    results["in place"] = (workshop.folder / "place/a.png").read_bytes()
    results["folder"] = (workshop.folder / "results/a.png").read_bytes()
    for way, result in results.items():
        workshop.check(result == results["-j1"], f"{words}, {way}: another file")
    workshop.check(stored(results["-j1"]) == stored(data), f"{words}: converted")


def sizes(workshop):
    """Smaller than the input, which is interlaced; level 1 is zlib's level 6."""
    workshop.take("palette.png")
    for words in (SAME, REVERSE, TRANSPOSE):
        found = [len(workshop.check_works(*words, "--png-level", level, "palette.png", "-"))
                 for level in ("1", "6")]
        workshop.check(found[0] == found[1] < 481, f"{words}: {found} bytes, from 481")


def metadata(workshop):
    """Nothing about samples is converted, and hIST stays; the palette is where it must be."""
    before = [(b"tEXt", b"Title\0one"), (b"sBIT", b"\3\4\5"), (b"prVt", b"x")]
    behind = [(b"hIST", bytes(range(32))), (b"bKGD", b"\7"), (b"sPLT", b"a\0\x08" + bytes(6))]
    data = kind_file(PALETTE, 4, True, first=before, middle=behind)
    (workshop.folder / "in.png").write_bytes(data)
    for words in (SAME, REVERSE, TRANSPOSE):
        for more in ((), ("--strip-metadata",)):
            workshop.check_works(*words, *more, "in.png", "out.png")
            names = [name for name, _ in chunks_of((workshop.folder / "out.png").read_bytes())]
            wanted = b"IHDR PLTE tRNS IDAT IEND" if more else \
                b"IHDR tEXt sBIT PLTE tRNS prVt hIST bKGD sPLT IDAT IEND"
            workshop.check(names == wanted.split(), f"{words}, {more}: {names}")
        workshop.check_works(*words, "in.png", "out.png")
        found = [item for item in metadata_of((workshop.folder / "out.png").read_bytes())[0]
                 if item[0] != b"tRNS"]
        workshop.check(found == before + behind, f"{words}: {found}")
    workshop.check(workshop.run("-v", "--halo", "1", "in.png", "out.png").err.count(
        "metadata left out: hIST (for a palette)") == 1, "hIST after smoothing")


def damaged(workshop):
    """An index above the palette stays; chunks that do not match are left out."""
    samples = [[0, 5, 3], [3, 3, 2]]
    data = png_file(3, 2, PALETTE, 4, samples, palette=bytes(range(9)), middle=[
        (b"hIST", bytes(8)), (b"bKGD", b"\3")])
    (workshop.folder / "in.png").write_bytes(data)
    said = "smoothimg: in.png: damaged in part: palette index 5, but only 3 colours: {}; " \
           "left out: hIST (does not match the samples), bKGD (does not match the samples)\n"
    ended = workshop.run(*REVERSE, "in.png", "out.png")
    workshop.check(ended == (0, b"", said.format("kept")), ended)
    result = (workshop.folder / "out.png").read_bytes()
    workshop.check(stored(result) == stored(data), f"{stored(result)}")
    back = workshop.run("--halo", "0", "--format", "ppm", "out.png", "-").out
    there = workshop.run(*REVERSE, "--format", "ppm", "in.png", "-").out
    workshop.check(back == there and b"\0\0\0" in back, "other colours")


def out_of_place(workshop):
    """libpng ignores tRNS before a palette, PLTE in grey, and high bits of tRNS: they are not written."""
    samples = some_samples(9, 5, PALETTE, 2)
    data = png_file(9, 5, PALETTE, 2, samples, palette=bytes(12), first=[chunk(b"tRNS", b"\x80")])
    (workshop.folder / "in.png").write_bytes(data)
    workshop.check(workshop.run(*REVERSE, "in.png", "out.png").status == 0, "tRNS before PLTE")
    workshop.check(stored((workshop.folder / "out.png").read_bytes())[1:] == (bytes(12), None), "tRNS")
    data = png_file(9, 5, GREY, 2, some_samples(9, 5, GREY, 2), palette=bytes(12),
                    key=struct.pack(">H", 0xff01))
    (workshop.folder / "in.png").write_bytes(data)
    workshop.run(*REVERSE, "in.png", "out.png")
    result = (workshop.folder / "out.png").read_bytes()
    workshop.check(stored(result)[1:] == (None, struct.pack(">H", 1)), "PLTE of grey")
    there = workshop.run(*REVERSE, "--format", "pam", "in.png", "-").out
    workshop.check(there == meant(workshop, result) and b"\0" in there[-90:],
                   "bits of tRNS above the samples'")


def limits(workshop):
    """--max-channels counts those after conversion, whatever is done."""
    workshop.take("palette.png")
    for words in ("--halo 1", "--halo 0"):
        workshop.check_ends(f"--max-channels 2 {words} palette.png out.png", 3,
                            "palette.png: the header declares 3 channels, above the limit of 2; "
                            "raise it with --max-channels if you trust the file")


if __name__ == "__main__":
    program.main(__doc__, {"kinds": [all_kinds, computed, sizes],
                           "ways": [every_way],
                           "chunks": [metadata, damaged, out_of_place, limits]})
