# SPDX-License-Identifier: MIT
"""PNG files that are damaged: before the last sample an error, after it a warning, on every way.

usage: damage.py PROGRAM IMAGES GROUP
"""
import re
import struct
import zlib

import program
from pictures import read_pictures
from png_reader import GREY, PALETTE, RGB
from png_writer import SIGNATURE, chunk, filtered_pixels, png_file, some_samples

BAD = 3
KINDS = ((9, 5, GREY, 8, False), (9, 5, RGB, 16, True), (300, 200, PALETTE, 4, False), (1, 1, GREY, 1, True))
COLOURS = bytes(range(48))
END = chunk(b"IEND", b"")
WRONG_CRC = 1234567

# Through bands, as a whole, and from a stream: words before the input's name, which is the last.
WAYS = (["--halo", "0"], ["--op", "reverse"], ["--op", "transpose"], ["--verify", "--halo", "0"],
        ["--halo", "2", "-j", "3"], ["--variant", "reference", "--halo", "1"])


class Kind:
    """A kind of image: its head, up to the samples; the filtered rows; and these compressed."""
    def __init__(self, width, height, colour, depth, interlaced):
        self.shape = width, height, colour, depth
        samples = some_samples(width, height, colour, depth, 16)
        whole = png_file(*self.shape, samples, interlaced, COLOURS if colour == PALETTE else None)
        self.head = whole[:whole.index(b"IDAT") - 4]
        self.rows = filtered_pixels(*self.shape, interlaced, samples)

    def file(self, *idats, after=END):
        """idats: what is in each chunk of samples; or whole chunks."""
        return self.head + b"".join(bytes(idat) if isinstance(idat, Whole) else chunk(b"IDAT", idat)
                                    for idat in idats) + after


class Whole(bytes):
    """A chunk with its length and checksum."""


def unfinished(rows, level=6):
    """Compressed to a whole byte, without the last block, and what would end the stream."""
    packer = zlib.compressobj(level)
    return packer.compress(rows) + packer.flush(zlib.Z_FULL_FLUSH), zlib.adler32(rows).to_bytes(4, "big")


def cuts(data, count):
    """The data in one chunk, in chunks of few bytes, and with its last bytes apart."""
    yield [data]
    yield [data[i:i + 3] for i in range(0, len(data), 3)] if len(data) < 3000 else [data[:700], data[700:]]
    yield [data[:-count], data[-count:]] if count else [data, b""]
    yield [data[:-4], data[-4:]]
    yield [b"", data, b""]


def tails(rows):
    """What is wrong after the last sample: the stream, how many bytes are not samples, the fault."""
    for level in (0, 1, 9):
        sound = zlib.compress(rows, level)
        yield sound[:-1] + bytes([sound[-1] ^ 1]), 4, "incorrect data check"
        yield sound[:-4], 0, "no end of the compressed data"
        yield sound[:-1], 3, "no end of the compressed data"
        yield sound + b"more", 8, "extra bytes"
        yield sound + b"more", 4, "extra bytes"
        yield zlib.compress(rows + b"\0", level), 0, "more data than the image has"
        yield zlib.compress(rows * 3, level), 0, "more data than the image has"
        start, check = unfinished(rows, level)
        yield start, 0, "no end of the compressed data"
        yield start + b"\x07" + check, 5, "invalid block type"
        yield start + b"\1\1\0\0\0" + check, 9, "invalid stored block lengths"


def warned(workshop, data, fault, wanted, ways=range(len(WAYS))):
    """Done, with one warning, on these ways; wanted: the outputs, by way, of the sound file."""
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


def refused(workshop, data, fault):
    """Ended by status 3, with no output, on every way."""
    (workshop.folder / "in.png").write_bytes(data)
    (workshop.folder / "out.pam").unlink(missing_ok=True)
    for words in WAYS:
        workshop.check_ends([*words, "in.png", "out.pam"], BAD, re.compile(f"in.png: {fault}"))
        workshop.check_ends([*words, "-", "out.pam"], BAD, re.compile(f"standard input: {fault}"), data=data)
        workshop.check(not (workshop.folder / "out.pam").exists(), f"{fault}: an output was left")


def outputs(workshop, data):
    """Of a sound file, by way."""
    (workshop.folder / "in.png").write_bytes(data)
    for words in WAYS:
        workshop.check_works(*words, "in.png", "out.pam")
        yield read_pictures(workshop.folder / "out.pam")


def after_samples(workshop):
    for number, kind in enumerate(Kind(*shape) for shape in KINDS):
        wanted = list(outputs(workshop, kind.file(zlib.compress(kind.rows))))
        for i, (stream, count, fault) in enumerate(tails(kind.rows)):
            idats, turn = list(cuts(stream, count)), i + number
            warned(workshop, kind.file(*idats[turn % len(idats)]), f"IDAT after the last sample ({fault})",
                   wanted, (turn % len(WAYS), (turn + 1) % len(WAYS)))


def every_cut(workshop):
    """Where a stream is cut into chunks does not matter, nor what comes with the last sample."""
    kind = Kind(*KINDS[0])
    (workshop.folder / "in.png").write_bytes(kind.file(zlib.compress(kind.rows)))
    wanted = workshop.check_works("--halo", "0", "--format", "pgm", "in.png", "-")
    for stream, count, fault in tails(kind.rows):
        for idats in cuts(stream, count):
            ended = workshop.run("--halo", "0", "--format", "pgm", "-", "-", data=kind.file(*idats))
            said = f"smoothimg: standard input: damaged in part: IDAT after the last sample ({fault})\n"
            workshop.check(ended == (0, wanted, said), f"{fault}, {len(idats)} chunks: {ended.err}")


def checksums(workshop):
    """A wrong checksum matters where there are samples in the chunk, and the stream ends elsewhere."""
    for kind in map(lambda shape: Kind(*shape), KINDS):
        stream, adler = zlib.compress(kind.rows)[:-4], zlib.compress(kind.rows)[-4:]
        wanted = list(outputs(workshop, kind.file(stream, adler)))
        wrong = Whole(chunk(b"IDAT", adler, WRONG_CRC))
        warned(workshop, kind.file(stream, wrong), r"IDAT after the last sample (wrong checksum)", wanted)
        warned(workshop, kind.file(stream + adler, Whole(chunk(b"IDAT", b"", WRONG_CRC))),
               r"IDAT after the last sample (wrong checksum)", wanted)
        fault = r"damaged: wrong checksum in the image data \(IDAT\)"
        refused(workshop, kind.file(Whole(chunk(b"IDAT", stream + adler, WRONG_CRC))), fault)
        refused(workshop, kind.file(Whole(chunk(b"IDAT", stream, WRONG_CRC)), adler), fault)
        refused(workshop, kind.file(stream[:1], Whole(chunk(b"IDAT", stream[1:], WRONG_CRC)), adler), fault)
        refused(workshop, kind.file(stream + adler, after=chunk(b"IEND", b"", WRONG_CRC)),
                "damaged: wrong checksum in the chunk IEND")


def before_the_last(workshop):
    """One byte of the rows is missing, or cannot be had."""
    for kind in map(lambda shape: Kind(*shape), KINDS):
        for level in (0, 6):
            short = zlib.compress(kind.rows[:-1], level)
            refused(workshop, kind.file(short), r"damaged: the image data \(IDAT\) ends too early")
            start, _ = unfinished(kind.rows[:-1], level)
            where = r"damaged: chunk IEND where more image data \(IDAT\) was expected"
            refused(workshop, kind.file(start), where)
            refused(workshop, kind.file(start, b"", b""), where)
            refused(workshop, kind.file(start + b"\x07"),
                    r"damaged: bad image data \(IDAT\): invalid block type")
        refused(workshop, kind.file(b"\x78\x02" + zlib.compress(kind.rows)[2:]),
                r"damaged: bad image data \(IDAT\): incorrect header check")
        refused(workshop, kind.file(), "IEND: out of place")


# --- chunks: those that make pixels, where none may be --------------------------------------------

def in_between(workshop):
    """Chunks of samples follow each other, also where all samples are in the first of them."""
    for kind in map(lambda shape: Kind(*shape), KINDS):
        stream = zlib.compress(kind.rows)
        for name, data in ((b"tEXt", b"Title\0text"), (b"PLTE", COLOURS), (b"CRIT", b""), (b"prVT", b"")):
            other = Whole(chunk(name, data))
            refused(workshop, kind.file(stream[:2], other, stream[2:]),
                    rf"damaged: chunk {name.decode()} where more image data \(IDAT\) was expected")
            critical = name[:1].isupper()
            refused(workshop, kind.file(stream[:-4], other, stream[-4:]),
                    rf"damaged: chunk {name.decode()} not allowed after .*" if critical else
                    r"damaged: another chunk between two chunks of image data \(IDAT\)")


def after_all(workshop):
    """After the samples: no critical chunk but IEND; and a late tRNS does nothing."""
    for kind in map(lambda shape: Kind(*shape), KINDS):
        stream = zlib.compress(kind.rows)
        for name, data in ((b"CRIT", b"some"), (b"PLTE", COLOURS), (b"IHDR", kind.head[16:29])):
            for first in (b"", chunk(b"tEXt", b"Title\0text")):
                refused(workshop, kind.file(stream, after=first + chunk(name, data) + END),
                        rf"damaged: chunk {name.decode()} not allowed after the image data \(IDAT\)")
        data = kind.file(stream, after=chunk(b"tRNS", b"\0\0") + END)
        (workshop.folder / "in.png").write_bytes(data)
        ended = workshop.run("--halo", "0", "in.png", "out.pam")
        said = "smoothimg: in.png: damaged in part; left out: tRNS (out of place)\n"
        workshop.check(ended == (0, b"", said), ended)


def before_all(workshop):
    kind = Kind(*KINDS[0])
    whole = kind.file(zlib.compress(kind.rows))
    for name in (b"tEXt", b"prVt", b"CRIT", b"IDAT", b"PLTE", b"IEND"):
        refused(workshop, SIGNATURE + chunk(name, b"") + whole[8:],
                rf"damaged: chunk {name.decode()} before the header \(IHDR\)")
    refused(workshop, whole[:12] + b"\x1b[2J" + whole[16:], r"damaged: chunk \?\?\?J before .*")
    refused(workshop, whole[:33] + struct.pack(">I", 1 << 31) + whole[37:],
            r"damaged: the length of a chunk \(IDAT\) is 2147483648, above 2147483647")


def after_the_end(workshop):
    kind = Kind(*KINDS[0])
    whole = kind.file(zlib.compress(kind.rows))
    wanted = list(outputs(workshop, whole))
    warned(workshop, whole + b"\n", "other bytes after the end, not read", wanted)
    warned(workshop, whole + bytes(100000), "other bytes after the end, not read", wanted)
    warned(workshop, whole + whole, "another PNG image after the end, not read", wanted)
    data = kind.file(zlib.compress(kind.rows) + b"x", after=chunk(b"tIME", b"") + END) + b"x"
    (workshop.folder / "in.png").write_bytes(data)
    ended = workshop.run("in.png", "out.png")
    said = "smoothimg: in.png: damaged in part: IDAT after the last sample (extra bytes), other bytes " \
           "after the end, not read; left out: tIME (wrong length)\n"
    workshop.check(ended == (0, b"", said), f"{ended}, not {said}")


def palettes(workshop):
    """An index without a colour is black, opaque, and named, once."""
    for depth, interlaced, alphas in ((8, False, None), (8, True, b"\0\1\2"), (4, True, None),
                                      (2, False, b"\x80"), (1, False, None)):
        full = (1 << depth) - 1
        samples = [[(x * y) % (full + 1) for x in range(33)] for y in range(40)]
        size = min(full, 3)
        data = png_file(33, 40, PALETTE, depth, samples, interlaced, bytes(range(9))[:3 * size], alphas)
        (workshop.folder / "in.png").write_bytes(data)
        for words in (["--halo", "0"], ["--halo", "0", "--verify"], ["--op", "reverse", "--op", "reverse"]):
            ended = workshop.run(*words, "in.png", "out.pam").without_notes()
            said = f"smoothimg: in.png: damaged in part: palette index {full}, but only {size} " \
                   f"colour{'s' if size > 1 else ''}: black\n"
            workshop.check(ended == (0, b"", said), f"{ended}, not {said}")
            alpha = [[*(alphas or b""), 255, 255, 255][i] for i in range(3)]
            pixels = [[3 * i, 3 * i + 1, 3 * i + 2, alpha[i]] if i < size else [0, 0, 0, 255]
                      for row in samples for i in row]
            channels = 4 if alphas else 3
            wanted = [sample for pixel in pixels for sample in pixel[:channels]]
            got = read_pictures(workshop.folder / "out.pam")[0].samples.tolist()
            workshop.check(got == wanted, f"depth {depth}: other samples")
        good = png_file(33, 40, PALETTE, depth, samples, interlaced, bytes(3 * full + 3), alphas)
        (workshop.folder / "in.png").write_bytes(good)
        workshop.check_works("in.png", "out.pam")


def transparency(workshop):
    """What libpng leaves out is called that, and what it does not is not."""
    samples = some_samples(9, 5, GREY, 8)
    for key, said in ((b"\1\0", ": tRNS chunk has out-of-range samples for bit_depth"),
                      (b"\0\0\0", "; left out: tRNS (invalid)")):
        (workshop.folder / "in.png").write_bytes(png_file(9, 5, GREY, 8, samples, key=key))
        ended = workshop.run("--halo", "0", "in.png", "out.pam")
        workshop.check(ended == (0, b"", f"smoothimg: in.png: damaged in part{said}\n"), ended)
        picture = read_pictures(workshop.folder / "out.pam")[0]
        workshop.check(picture.channels == (2 if len(key) == 2 else 1), f"{key}: {picture.channels}")
        if len(key) == 2:  # its lowest bits count
            workshop.check(picture.samples[:2].tolist() == [0, 0] and
                           picture.samples[1::2].tolist().count(0) == sum(samples, []).count(0), "alpha")


if __name__ == "__main__":
    program.main(__doc__, {
        "samples": [after_samples, every_cut, checksums, before_the_last],
        "chunks": [in_between, after_all, before_all, after_the_end, palettes, transparency],
    })
