# SPDX-License-Identifier: MIT
"""Compares the program's samples with definition.py's. (known_answers.py has those of the project's
images, and tests/random the library's variants.)

usage: definition_test.py PROGRAM IMAGES GROUP
       definition_test.py PROGRAM IMAGES NUMBER     runs one case of noise, and keeps its files

The cases of noise are numbered: the same in every run and on every machine. A run takes a sixth of
them, in which is each filter with each edge; SMOOTHIMG_TEST_TURN=T says which, modulo 6.
"""
import os
import random
import re
import sys
import tempfile
import time
from array import array
from pathlib import Path

import definition
import program
from pictures import Picture, read_pictures, write_pictures

HALOS = (0, 1, 2, 4, 8, 16, 33)
MAXVALS = (1, 2, 3, 15, 100, 255, 256, 1000, 4095, 65534, 65535)
SIZES = ((1, 1), (1, 9), (9, 1), (2, 2), (3, 40), (40, 3), (7, 5), (16, 8), (17, 9), (31, 30),
         (33, 17), (40, 30))

# halo, sigma and norm; a pair is x and y; None: the option is not given.
FILTERS = [(None, 0.33333333333333337, "sum"), (None, 0.8, "sum"), (None, 2.5, "sum"),
           (2, 0.2, "sum"), (33, 50.0, "sum"), (4, 1e6, "sum"), (3, 0.01, "sum"),
           (None, None, "sum"), (0, None, "analytic"), (1, None, "analytic"),
           (2, None, "analytic"), (16, None, "analytic"), (2, 0.12, "analytic"),
           (3, 20.0, "analytic"), (None, 1.7, "analytic"),
           ((6, 2), None, "sum"), ((0, 5), None, "sum"), ((3, 0), None, "analytic"),
           (None, (2.0, 0.5), "sum"), (None, (0.0, 1.5), "sum"), (4, (1.0, 3.0), "sum"),
           ((1, 17), (0.2, 9.0), "analytic"), ((33, 4), (2.0, 0.0), "sum"),
           (2, (0.6, 1.1), "analytic"), (12, (5.0, 3.0), "sum"), (26, (6.0, 9.0), "sum"),
           ((26, 0), None, "sum"), ((0, 26), None, "analytic")]
FILTERS += [(halo, None, "sum") for halo in HALOS]
CASES = len(FILTERS) * len(definition.EDGES)  # of a run


def noise_case(number):
    """The picture of a case, and its halo, sigma, edge and norm. The number gives the pair of
    filter and edge, in turn; the picture is drawn with the number as seed."""
    draw = random.Random(number)
    halo, sigma, norm = FILTERS[number % len(FILTERS)]
    edge = definition.EDGES[number // len(FILTERS) % len(definition.EDGES)]
    width, height = draw.choice(SIZES)
    channels, maxval = draw.randint(1, 4), draw.choice(MAXVALS)
    if draw.random() < 0.5:
        maxval = draw.randint(1, 65535)
    # Black and white, and nothing between: large steps, and many results near a half.
    levels = [0, maxval] if draw.random() < 0.3 else range(maxval + 1)
    samples = array("H", (draw.choice(levels) for _ in range(width * height * channels)))
    if channels in (2, 4) and draw.random() < 0.5:  # alpha that is often 0 or 1
        for i in range(channels - 1, len(samples), channels):
            samples[i] = draw.choice((0, 0, 1, samples[i]))
    return Picture(width, height, channels, maxval, samples), (halo, sigma, edge, norm)


def words_of(halo, sigma, edge, norm):
    """The same as options of the command line, without those that are the default."""
    words = [] if edge == "reflect" else ["--edge", edge]
    words += [] if norm == "sum" else ["--norm", norm]
    for option, value in (("--halo", halo), ("--sigma", sigma)):
        pair = value if isinstance(value, tuple) else (value,)
        words += [] if value is None else [option, ",".join(map(repr, pair))]
    return words


def difference(wanted, found):
    """The first sample in which pictures differ, in words, or None."""
    if wanted[:4] != found[:4]:
        return f"{found[:4]} where {wanted[:4]} (width, height, channels, maxval) should be"
    for i, (a, b) in enumerate(zip(wanted.samples, found.samples)):
        if a != b:
            pixel, channel = divmod(i, wanted.channels)
            y, x = divmod(pixel, wanted.width)
            return f"column {x}, row {y}, channel {channel}: {b}, and the definition has {a}"
    return None


def compare(workshop, name, words, wanted, what):
    """Runs these words on the file `name`; compares with the pictures wanted."""
    target = workshop.folder / f"out-{name}"
    ended = workshop.run(*words, name, target.name)
    if not workshop.check(ended.status == 0, f"{what}: {ended}"):
        return
    found = read_pictures(target)
    target.unlink()
    different = (len(found) != len(wanted) and f"{len(found)} images" or
                 next(filter(None, map(difference, wanted, found)), None))
    workshop.check(not different, f"{what}: {' '.join(words)}: {different}")


def check_noise_case(workshop, number):
    picture, options = noise_case(number)
    name = "in.pam" if picture.channels in (2, 4) else "in.pnm"
    write_pictures(workshop.folder / name, [picture])
    wanted = definition.smooth(picture, *options)
    what = f"case {number}, {picture.width}x{picture.height}x{picture.channels}"
    compare(workshop, name, words_of(*options), [wanted], what)
    if picture.channels in (2, 4):
        separate = [definition.smooth(picture, *options, alpha="separate")]
        compare(workshop, name, words_of(*options) + ["--alpha", "separate"], separate, what)
    if number % 5 == 0:
        for op in ("transpose", "reverse"):
            compare(workshop, name, ["--op", op], [getattr(definition, op)(picture)], what)


def noise(workshop):
    first = int(os.environ.get("SMOOTHIMG_TEST_TURN", time.time() // 86400)) % 6 * CASES
    for number in range(first, first + CASES):
        check_noise_case(workshop, number)


def kinds(workshop):
    """Which images have alpha: of a PAM the tuple type says it, of a PNG the number of channels."""
    draw = random.Random(5).randrange
    for channels, maxval, kind in (
            (2, 255, "GRAYSCALE_ALPHA"), (4, 65535, "RGB_ALPHA"), (2, 1, "BLACKANDWHITE_ALPHA"),
            (2, 255, "DEPTH_AND_HEAT"), (4, 255, "CMYK"), (4, 255, None), (4, 255, "PNG"),
            (2, 65535, "PNG"), (3, 255, "PNG")):
        samples = array("H", (draw(maxval + 1) for _ in range(9 * 7 * channels)))
        picture = Picture(9, 7, channels, maxval, samples)
        name = "in.png" if kind == "PNG" else "in.pam"
        write_pictures(workshop.folder / name, [picture])
        if name == "in.pam":
            path = workshop.folder / name
            line = f"TUPLTYPE {kind}\n".encode() if kind else b""
            path.write_bytes(re.sub(rb"TUPLTYPE \w+\n", line, path.read_bytes(), count=1))
        has_alpha = kind and (kind.endswith("ALPHA") or kind == "PNG" and channels != 3)
        alpha = "weighted" if has_alpha else "separate"
        once = definition.smooth(picture, 2, alpha=alpha)
        compare(workshop, name, ["--halo", "2"], [once], f"{kind}")
        compare(workshop, name, ["--halo", "2", "--alpha", "separate"],
                [definition.smooth(picture, 2, alpha="separate")], f"{kind}")
        twice = definition.smooth(definition.transpose(once), 2, alpha=alpha)
        compare(workshop, name, "--halo 2 --op smooth --op transpose --op smooth".split(), [twice],
                f"{kind}")
        compare(workshop, name, ["--halo", "2", "-j3", "--max-memory", "4M"], [once], f"{kind}")


# Width, height, maxval, halo; the colour (of all three channels) and alpha of the pixel at x, y.
PLACES = {
    "a mean that is a half": (
        9, 9, 255, 4, lambda x, y: x // 4, lambda x, y: 255 * (y % 4 == 0 and x in (2, 6))),
    "alpha in the last columns only": (
        70, 9, 255, 4, lambda x, y: 37 * x % 256, lambda x, y: 255 * (x != 68)),
    "alpha in the last row only": (
        70, 9, 65535, 4, lambda x, y: 4391 * x % 65536, lambda x, y: 65535 * (y != 8)),
    # So many halves that a whole segment of the row, not its first one, is computed exactly.
    "transparent behind many halves": (
        420, 1, 255, 9, lambda x, y: x // 4 % 2 + 10 * (x // 100),
        lambda x, y: 255 * (x % 4 == 0 and not 300 < x < 340)),
}


def alpha_in_places(workshop):
    for what, (width, height, maxval, halo, colour, alpha) in PLACES.items():
        samples = array("H")
        for y in range(height):
            for x in range(width):
                samples.extend([colour(x, y)] * 3 + [alpha(x, y)])
        picture = Picture(width, height, 4, maxval, samples)
        write_pictures(workshop.folder / "in.pam", [picture])
        for edge in ("clamp", "mirror"):
            wanted = [definition.smooth(picture, halo, None, edge)]
            compare(workshop, "in.pam", words_of(halo, None, edge, "sum"), wanted, what)


def masked(workshop):
    """Alpha 0 marks missing pixels: the manual's normalised convolution, sum(w v m) / sum(w m), in exact
    integers."""
    for seed, (maxval, edge) in enumerate((maxval, edge) for maxval in (255, 4095, 65535)
                                          for edge in ("clamp", "reflect", "zero")):
        draw = random.Random(seed)
        width, height, halo, sigma = 41, 23, 5, 1.75
        values = [draw.randrange(maxval + 1) for _ in range(width * height)]
        mask = [int(draw.random() < 0.6 and not (x < 14 and y < 13))
                for y in range(height) for x in range(width)]
        samples = array("H", (n for v, m in zip(values, mask) for n in (v, m * maxval)))
        write_pictures(workshop.folder / "in.pam", [Picture(width, height, 2, maxval, samples)])
        workshop.check_works("--sigma", "1.75", "--truncate", "3", "--edge", edge, "in.pam", "out.pam")
        found = read_pictures(workshop.folder / "out.pam")[0].samples[::2]
        exact, cover = masked_mean(values, mask, (width, height), definition.weights(halo, sigma), edge)
        workshop.check(list(found) == exact, f"masked, maxval {maxval}, {edge}")
        workshop.check(0 in cover and all(f == v for f, v, c in zip(found, values, cover) if c == 0),
                       f"masked, {edge}: without any pixel, the value stays")


def masked_mean(values, mask, size, w, edge):
    """floor(sum(w v m) / sum(w m) + 1/2) for each pixel, or v where nothing is there; and sum(w m).
    One sum in two dimensions."""
    (width, height), halo = size, len(w) // 2
    columns, rows = (definition.sources(n, halo, edge) for n in size)
    means, cover = [], []
    for y in range(height):
        for x in range(width):
            window = [(w[i] * w[j], rows[y + i] * width + columns[x + j])
                      for i in range(len(w)) for j in range(len(w))
                      if rows[y + i] is not None and columns[x + j] is not None]
            whole = sum(weight for weight, at in window if mask[at])
            colours = sum(weight * values[at] for weight, at in window if mask[at])
            means.append((2 * colours + whole) // (2 * whole) if whole else values[y * width + x])
            cover.append(whole)
    return means, cover


def turned(workshop):
    """Transposing and smoothing x and y is smoothing y and x and transposing."""
    workshop.take("two.pgm", "alpha.pam", "rgb.ppm")
    for name in ("two.pgm", "alpha.pam", "rgb.ppm"):
        for option, x, y in (("--halo", 6, 2), ("--halo", 0, 9), ("--sigma", 2.5, 0.5),
                             ("--sigma", 0, 1.25)):
            outputs = []
            for words in ((option, f"{x},{y}", "--op", "transpose", "--op", "smooth"),
                          (option, f"{y},{x}", "--op", "smooth", "--op", "transpose")):
                ended = workshop.run(*words, name, "out.pam")
                workshop.check(ended.status == 0, f"{name}, {words}: {ended}")
                outputs.append((workshop.folder / "out.pam").read_bytes())
            workshop.check(outputs[0] == outputs[1], f"{name}, {option} {x},{y}")


def again(number):
    """Runs one case, in a folder that is kept."""
    workshop = program.Workshop(*sys.argv[1:3])
    workshop.folder = Path(tempfile.mkdtemp())
    check_noise_case(workshop, number)
    print(f"{workshop.folder}: {workshop.checks} checks, {workshop.faults} wrong")
    sys.exit(1 if workshop.faults else 0)


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[3].isdigit():
        again(int(sys.argv[3]))
    program.main(__doc__, {"noise": [noise],
                           "kinds": [kinds, alpha_in_places, turned], "masked": [masked]})
