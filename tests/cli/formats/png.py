# SPDX-License-Identifier: MIT
"""Reads and writes PNG files of every kind. (damage.py tests damaged files.)

usage: png.py PROGRAM IMAGES GROUP"""
import itertools
import random
from array import array

import program
from pictures import Picture, read_pictures, write_pictures
from png_reader import CHANNELS, DEPTHS, GREY_ALPHA, PALETTE, RGB_ALPHA, chunks_of, decode_png
from png_writer import png_file, some_samples

# Sizes for which Adam7, the interlacing of PNG, has passes with incomplete rows, empty passes, or passes of several
# rows.
SIZES = (13, 11), (1, 1), (3, 2), (2, 5), (33, 18)


def with_alpha(picture, key, maxval):
    """Adds an alpha channel, as a PNG's tRNS chunk does: pixels of the colour `key` get alpha 0, the others are opaque.
    The key's samples are from 0 to maxval."""
    channels, samples = picture.channels, array("H")
    key = [int.from_bytes(key[i:i + 2], "big") * picture.maxval // maxval for i in range(0, len(key), 2)]
    for i in range(0, len(picture.samples), channels):
        pixel = picture.samples[i:i + channels].tolist()
        samples.extend([*pixel, 0 if pixel == key else picture.maxval])
    return picture._replace(channels=channels + 1, samples=samples)


def a_file(size, colour, depth, interlaced, is_clear):
    """Returns a PNG file and the picture that must be read from it. If is_clear, the file has a tRNS chunk: the
    palette's colours have alphas, or, without a palette, all pixels of the first pixel's colour are transparent."""
    samples, draw = some_samples(*size, colour, depth), random.Random(depth)
    palette = draw.randbytes(3 << depth) if colour == PALETTE else None
    key = draw.randbytes(max((1 << depth) - 2, 1)) if colour == PALETTE else b"".join(
        sample.to_bytes(2, "big") for sample in samples[0][:CHANNELS[colour]])
    data = png_file(*size, colour, depth, samples, interlaced, palette, key if is_clear else None)
    picture = Picture(*decode_png(data))
    return data, with_alpha(picture, key, (1 << depth) - 1) if is_clear and colour != PALETTE else picture


def kinds(workshop):
    """Reads every colour type and depth, interlaced or not, with and without transparency."""
    files, wanted = {}, {}
    for colour, interlaced, is_clear, size in itertools.product(CHANNELS, (False, True), (False, True), SIZES):
        for depth in DEPTHS.get(colour, (8, 16)):
            if not is_clear or colour not in (GREY_ALPHA, RGB_ALPHA):
                kind = size, colour, depth, interlaced, is_clear
                name = f"{len(files)}.png"
                files[name], picture = a_file(*kind)
                wanted[name] = kind, picture
    for name, (status, said, output) in workshop.run_each(files, "--halo", "0", "--format", "pam").items():
        kind, picture = wanted[name]
        if workshop.check(status == 0, f"{kind}: {status}, {said}"):
            workshop.check(read_pictures(output) == [picture], f"{kind}: other samples")


def depths(workshop):
    """An output in PNG has the smallest bit depth that holds the maxval. Depths below 8 are only for grey images whose
    maxval is the largest sample of the depth. The PNG has no sBIT chunk, because readers would shift its samples to the
    right."""
    for maxval, channels, scales, depth in (
            (1, 1, False, 1), (3, 1, True, 2), (15, 1, False, 4), (255, 1, False, 8), (65535, 1, True, 16),
            (1, 3, False, 8), (1, 3, True, 8), (2, 1, False, 8), (100, 1, False, 8), (100, 4, True, 8),
            (256, 1, False, 16), (4095, 2, False, 16), (4095, 2, True, 16)):
        draw, what = random.Random(maxval), f"maxval {maxval}, {channels} channels, scaled {scales}"
        samples = array("H", [draw.randint(0, maxval) for _ in range(20 * 5 * channels)])
        write_pictures(workshop.folder / "in.pam", [Picture(20, 5, channels, maxval, samples)])
        chunks = dict(chunks_of(workshop.made("--halo", "0", *["--scale"] * scales, "in.pam", "out.png")))
        workshop.check(chunks[b"IHDR"][8] == depth and b"sBIT" not in chunks, f"{what}: {chunks[b'IHDR'][8]} bits")
        full = 65535 if depth == 16 else 255
        wanted = [(2 * v * full + maxval) // (2 * maxval) if scales or depth < 8 else v for v in samples]
        [found] = read_pictures(workshop.folder / "out.png")
        workshop.check((found.maxval, found.samples.tolist()) == (full, wanted), f"{what}: other samples")


if __name__ == "__main__":
    program.main(__doc__, {"kinds": [kinds, depths]})
