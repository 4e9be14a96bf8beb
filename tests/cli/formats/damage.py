# SPDX-License-Identifier: MIT
"""Tests damaged PNG files in every execution mode: they are refused if a sample is missing or could be wrong. Also
tests interlaced files.

usage: damage.py PROGRAM IMAGES GROUP"""
import re
import zlib

import program
from pictures import read_pictures
from png_reader import GREY, PALETTE, RGB
from png_writer import chunk, filtered_pixels, png_file, some_samples

BAD = 3
# (width, height, colour type, depth, interlaced)
KINDS = ((9, 5, GREY, 8, False), (9, 5, RGB, 16, True), (300, 200, PALETTE, 4, False), (1, 1, GREY, 1, True))
COLOURS = bytes(range(48))  # a palette of 16 colours
END = chunk(b"IEND", b"")

# The options of each execution mode, in bands or for the whole image.
WAYS = (["--halo", "0"], ["--op", "reverse"], ["--op", "transpose"], ["--verify", "--halo", "0"],
        ["--halo", "2", "-j", "3"], ["--variant", "reference", "--halo", "1"])


class Kind:
    """A kind of PNG: `head` is the file up to the samples, and `rows` are the filtered rows, not yet compressed."""
    def __init__(self, width, height, colour, depth, interlaced):
        self.shape = width, height, colour, depth
        samples = some_samples(width, height, colour, depth, 16)
        whole = png_file(*self.shape, samples, interlaced, COLOURS if colour == PALETTE else None)
        self.head = whole[:whole.index(b"IDAT") - 4]
        self.rows = filtered_pixels(*self.shape, interlaced, samples)

    def file(self, *idats, after=END):
        """Returns a file whose IDAT chunks have these contents."""
        return self.head + b"".join(chunk(b"IDAT", idat) for idat in idats) + after


def unfinished(rows, level):
    """Compresses the rows. Returns the zlib stream without its last block, and the checksum that would follow that
    block."""
    packer = zlib.compressobj(level)
    return packer.compress(rows) + packer.flush(zlib.Z_FULL_FLUSH), zlib.adler32(rows).to_bytes(4, "big")


def ends(rows):
    """Yields (stream, fault): zlib streams that are wrong after the last sample. libpng may miss the fault if the end
    of the stream is in another chunk than the last sample."""
    for level in (0, 1, 9):
        sound = zlib.compress(rows, level)
        yield sound[:-1] + bytes([sound[-1] ^ 1]), r"incorrect data check in the image data \(IDAT\)"
        yield sound[:-4], "not enough image data"
        yield sound[:-1], "not enough image data"
        start, check = unfinished(rows, level)
        yield start, "not enough image data"
        yield start + b"\x07" + check, r"invalid block type in the image data \(IDAT\)"
        yield start + b"\1\1\0\0\0" + check, r"invalid stored block lengths in the image data \(IDAT\)"


def more(rows):
    """Yields (stream, message): streams with more data than the rows."""
    for level in (0, 1, 9):
        yield zlib.compress(rows, level) + b"more", "Extra compressed data"
        yield zlib.compress(rows + b"\0", level), "Too much image data"
        yield zlib.compress(rows * 3, level), "Too much image data"


def warned(workshop, data, fault, wanted, ways=range(len(WAYS))):
    """Checks that the program processes the file and prints one warning, about `fault`, in the mode WAYS[i] for each i
    in `ways`. wanted[i] is the output for the undamaged file in this mode."""
    (workshop.folder / "in.png").write_bytes(data)
    said = f"damaged in part: {fault}\n"
    for words, result in ((WAYS[way], wanted[way]) for way in ways):
        ended = workshop.run(*words, "in.png", "out.pam").without_notes()
        workshop.check(ended == (0, b"", f"smoothimg: in.png: {said}"), f"{words}: {ended}, not {said}")
        same = read_pictures(workshop.folder / "out.pam") == result
        workshop.check(same, f"{words}, {fault}: other samples")
        ended = workshop.run(*words, "--format", "pam", "-", "-", data=data).without_notes()
        workshop.check(ended.status == 0 and ended.err == f"smoothimg: standard input: {said}",
                       f"{words}, a stream: {ended.status}, {ended.err}, not {said}")
    workshop.check(workshop.run("-q", "in.png", "out.pam") == (0, b"", ""), "--quiet")


def refused(workshop, cases):
    """`cases` has pairs (file, fault). Checks that the program refuses each file with a message that names the fault,
    with status 3 and without an output: from a file in every execution mode (WAYS), and from a pipe in one mode."""
    cases = list(cases)
    files = {f"{number}.png": data for number, (data, _) in enumerate(cases)}
    for words in WAYS:
        for name, (status, said, output) in workshop.run_each(files, *words).items():
            fault = cases[int(name[:-4])][1]
            good = status == BAD and re.fullmatch(f"(.*/)?{name}: {fault}", said) and not output.exists()
            workshop.check(good, f"{words}: {status}, {said}, not {fault}; {output.exists()}")
    for number, (data, fault) in enumerate(cases):
        words = [*WAYS[number % len(WAYS)], "-", "out.pam"]
        workshop.check_ends(words, BAD, re.compile(f"standard input: {fault}"), data=data)


def outputs(workshop, data):
    """Yields the output of an undamaged file in each execution mode (WAYS)."""
    (workshop.folder / "in.png").write_bytes(data)
    for words in WAYS:
        workshop.check_works(*words, "in.png", "out.pam")
        yield read_pictures(workshop.folder / "out.pam")


def after_samples(workshop):
    """Data after the rows cause a warning; a wrong end of the zlib stream is an error. In the files of this test one
    IDAT chunk holds the whole stream."""
    for number, kind in enumerate(Kind(*shape) for shape in KINDS):
        wanted = list(outputs(workshop, kind.file(zlib.compress(kind.rows))))
        for i, (stream, fault) in enumerate(more(kind.rows)):
            turn = i + number
            warned(workshop, kind.file(stream), f"IDAT after the last sample ({fault})", wanted,
                   (turn % len(WAYS), (turn + 1) % len(WAYS)))
        refused(workshop, [(kind.file(stream), f"damaged: {fault}") for stream, fault in [*ends(kind.rows)][number::4]])


def missing():
    """Yields (file, fault): files that lack all rows or the last byte of the rows, or whose zlib stream is invalid."""
    for kind in map(lambda shape: Kind(*shape), KINDS):
        for level in (0, 6):
            short = zlib.compress(kind.rows[:-1], level)
            yield (kind.file(short), "damaged: not enough image data")
            start, _ = unfinished(kind.rows[:-1], level)
            yield (kind.file(start, b"", b""), "damaged: not enough image data")
            yield (kind.file(start + b"\x07"), r"damaged: invalid block type in the image data \(IDAT\)")
        yield (kind.file(b"\x78\x02" + zlib.compress(kind.rows)[2:]),
               r"damaged: incorrect header check in the image data \(IDAT\)")
        yield (kind.file(), r"damaged: out of place \(IEND\)")


def before_the_last(workshop):
    refused(workshop, missing())


def between_and_after():
    """Yields (file, fault): files with a critical chunk between or after the IDAT chunks."""
    for kind in map(lambda shape: Kind(*shape), KINDS):
        stream = zlib.compress(kind.rows)
        for name, data in ((b"CRIT", b"some"), (b"PLTE", COLOURS), (b"IHDR", kind.head[16:29])):
            other = chunk(name, data)
            yield kind.file(stream[:2], after=other + chunk(b"IDAT", stream[2:]) + END), "damaged: not enough image data"
            yield kind.file(stream, after=other + END), rf"damaged: .*{name.decode()}\)?"


def out_of_place(workshop):
    refused(workshop, between_and_after())


def late(workshop):
    """A tRNS chunk after the samples has no effect, and a warning names it."""
    for kind in map(lambda shape: Kind(*shape), KINDS):
        data = kind.file(zlib.compress(kind.rows), after=chunk(b"tRNS", b"\0\0") + END)
        (workshop.folder / "in.png").write_bytes(data)
        workshop.check_says("--halo 0 in.png out.pam", "smoothimg: in.png: damaged in part; left out: tRNS (out of place)\n")


def after_the_end(workshop):
    kind = Kind(*KINDS[0])
    whole = kind.file(zlib.compress(kind.rows))
    wanted = list(outputs(workshop, whole))
    warned(workshop, whole + b"\n", "other bytes after the end, not read", wanted)
    warned(workshop, whole + bytes(100000), "other bytes after the end, not read", wanted)
    warned(workshop, whole + whole, "another PNG image after the end, not read", wanted)
    data = kind.file(zlib.compress(kind.rows) + b"x", after=chunk(b"tIME", b"", crc=1) + END) + b"x"
    (workshop.folder / "in.png").write_bytes(data)
    workshop.check_says("in.png out.png", "smoothimg: in.png: damaged in part: IDAT after the last sample (Extra "
                        "compressed data), other bytes after the end, not read; left out: tIME (wrong checksum)\n")


def palettes(workshop):
    """A sample that is too large to be an index of the palette is read as opaque black."""
    for depth, interlaced, alphas in ((8, False, None), (8, True, b"\0\1\2"), (4, True, None),
                                      (2, False, b"\x80"), (1, False, None)):
        full = (1 << depth) - 1
        samples = [[(x * y) % (full + 1) for x in range(33)] for y in range(40)]
        size = min(full, 3)
        data = png_file(33, 40, PALETTE, depth, samples, interlaced, bytes(range(9))[:3 * size], alphas)
        (workshop.folder / "in.png").write_bytes(data)
        alpha = [[*(alphas or b""), 255, 255, 255][i] for i in range(3)]
        pixels = [[3 * i, 3 * i + 1, 3 * i + 2, alpha[i]] if i < size else [0, 0, 0, 255]
                  for row in samples for i in row]
        wanted = [sample for pixel in pixels for sample in pixel[:4 if alphas else 3]]
        for words in (["--halo", "0"], ["--halo", "0", "--verify"], ["--op", "reverse", "--op", "reverse"]):
            workshop.check_works(*words, "in.png", "out.pam")
            got = read_pictures(workshop.folder / "out.pam")[0].samples.tolist()
            workshop.check(got == wanted, f"depth {depth}: other samples")


def transparency(workshop):
    """libpng drops an invalid tRNS chunk, and the warning says that it is left out. libpng uses a tRNS chunk whose
    samples are out of range."""
    samples = some_samples(9, 5, GREY, 8)
    for key, said in ((b"\1\0", ": tRNS chunk has out-of-range samples for bit_depth"),
                      (b"\0\0\0", "; left out: tRNS (invalid)")):
        (workshop.folder / "in.png").write_bytes(png_file(9, 5, GREY, 8, samples, key=key))
        workshop.check_says("--halo 0 in.png out.pam", f"smoothimg: in.png: damaged in part{said}\n")
        picture = read_pictures(workshop.folder / "out.pam")[0]
        workshop.check(picture.channels == (2 if len(key) == 2 else 1), f"{key}: {picture.channels}")
        if len(key) == 2:  # libpng uses the low 8 bits of the out-of-range key
            workshop.check(picture.samples[:2].tolist() == [0, 0] and
                           picture.samples[1::2].tolist().count(0) == sum(samples, []).count(0), "alpha")


def in_bands(workshop):
    """The program reads all rows of an interlaced file before it computes the first band. The results equal those of
    the same image without interlacing."""
    samples = some_samples(300, 400, RGB, 8)
    for interlaced in (False, True):
        name = f"{'interlaced' if interlaced else 'plain'}.png"
        (workshop.folder / name).write_bytes(png_file(300, 400, RGB, 8, samples, interlaced))
        for words in ("--halo 3 -j1", "--halo 3 -j4", "--op reverse -j4"):
            workshop.check_works(*words.split(), name, f"{name}{words.replace(' ', '')}.ppm")
    for path in workshop.folder.glob("plain*.ppm"):
        other = workshop.folder / path.name.replace("plain", "interlaced")
        workshop.check(path.read_bytes() == other.read_bytes(), f"{path.name}: interlaced differs")


if __name__ == "__main__":
    program.main(__doc__, {
        "samples": [after_samples, before_the_last],
        "chunks": [out_of_place, late, after_the_end, palettes, transparency, in_bands],
    })
