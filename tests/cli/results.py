# SPDX-License-Identifier: MIT
"""Makes random images, arrays and command lines, and compares the program's samples with those of the definitions in
Python.

usage: results.py PROGRAM IMAGES GROUP

Each day has other random cases. SMOOTHIMG_TEST_TURN=N in the environment repeats those of day N since 1970."""
import itertools
import os
import random
import struct
import time
from array import array
from fractions import Fraction

import definition
import definition_arrays
import program
from npy_files import npy_file, read_npy
from pictures import Picture, read_pictures, write_pictures

COUNT = 60  # cases that a run tests
TURN = int(os.environ.get("SMOOTHIMG_TEST_TURN") or time.time() // 86400)
WAYS = "", "-j3", "--verify", "--variant reference"
ON_DEVICE = "--variant gpu --device emulated"


def ways_of(workshop):
    return (*WAYS, ON_DEVICE) if "--device emulated is one" in workshop.run("--list-devices").err else WAYS


def some_samples(draw, count, maxval):
    """Returns samples of one of three kinds: noise; noise with many samples 0 or maxval, so that results are clamped;
    mostly dark samples, where the curve of linear light is steep."""
    fill = draw.choice((lambda: draw.randint(0, maxval), lambda: draw.choice((0, maxval, draw.randint(0, maxval))),
                        lambda: min(int(draw.random() ** 3 * (maxval + 1)), maxval)))
    return [fill() for _ in range(count)]


def compare(workshop, wanted, words, what=""):
    """Runs the program with these words, of which the last names the output, and compares the output with the wanted
    pictures. Returns the messages."""
    ended = workshop.run(*words)
    if workshop.check(ended.status == 0, f"{what}: {ended}"):
        found = read_pictures(workshop.folder / words[-1])
        workshop.check(found == wanted, f"{what} {words}: other samples")
    return ended.err


# --- images: chains of operations, with alpha, masks and linear light ---------------------------------

def an_image(draw):
    channels, maxval = draw.choice((1, 2, 3, 4, 5)), draw.choice((1, 7, 100, 255, 255, 256, 4095, 65535))
    width, height = draw.randint(1, 20), draw.randint(1, 14)
    samples = array("H", some_samples(draw, width * height * channels, maxval))
    if channels in (2, 4):
        for i in range(channels - 1, len(samples), channels):
            samples[i] = draw.choice((0, 1, maxval, samples[i]))
    return Picture(width, height, channels, maxval, samples)


def masked(picture, there, halo, sigma=None, edge="reflect", norm="sum", alpha="separate"):
    """Returns the smoothed picture. `there` is the mask. A sample is the sum of weight * value * mask, divided by the
    sum of weight * mask and rounded. If the mask is 0 in the whole window, the pixel keeps its value. Alpha is smoothed
    like the other channels."""
    (halo_x, sigma_x), (halo_y, sigma_y) = (definition.axis_of(halo, sigma, axis) for axis in (0, 1))
    w = definition.weights(halo_x, sigma_x, norm), definition.weights(halo_y, sigma_y, norm)
    columns, rows = definition.sources(picture.width, halo_x, edge), definition.sources(picture.height, halo_y, edge)
    out = array("H", picture.samples)
    for channel in range(picture.channels):
        smoothed = definition.weighted_plane(definition.plane_of(picture, channel), there, w, columns, rows)
        out[channel::picture.channels] = array("H", itertools.chain(*smoothed))
    return picture._replace(samples=out)


def a_filter(draw):
    halos = draw.choice(((draw.randint(1, 5),) * 2, (draw.randint(0, 5), draw.randint(1, 9))))
    sigmas = draw.choice((None, tuple(halo and round(draw.uniform(0.3, 3), 2) for halo in halos)))
    return ["--halo", "{},{}".format(*halos), *(["--sigma", "{},{}".format(*sigmas)] if sigmas else []),
            "--edge", draw.choice(definition.EDGES), "--norm", draw.choice(("sum", "sum", "analytic"))]


def a_chain(draw, is_masked, is_linear):
    """Returns options for one or three operations."""
    amount, offset = draw.choice(("0", "0.001", "0.5", "1", "1.333", "16")), draw.choice((None, 0, 1))
    filters = ["smooth", "sharpen", *([] if is_linear else ["difference"])]
    ops = [draw.choice(filters), *draw.choices(["reverse", "transpose"] + ([] if is_masked else filters), k=draw.choice((0, 0, 2)))]
    if not is_masked:
        draw.shuffle(ops)  # with a mask the filter is first, since the mask has the input's size
    return [*itertools.chain(*(("--op", op) for op in ops)), *(["--amount", amount] if "sharpen" in ops else []),
            *(["--offset", str(offset)] if "difference" in ops and offset is not None else [])]


def images(workshop):
    ways = ways_of(workshop)
    for case in range(TURN * COUNT, (TURN + 1) * COUNT):
        draw = random.Random(case)
        picture, is_masked, is_linear = an_image(draw), draw.random() < 0.3, draw.random() < 0.3
        write_pictures(workshop.folder / "in.pam", [picture])
        there = [[draw.random() < 0.7 and (x > 6 or y > 6) for x in range(picture.width)] for y in range(picture.height)]
        levels = array("H", (one and draw.randint(1, 999) for line in there for one in line))
        write_pictures(workshop.folder / "mask.pgm", [Picture(picture.width, picture.height, 1, 999, levels)])
        words = [*a_filter(draw), "--alpha", "separate" if is_masked else draw.choice(("weighted", "separate")),
                 *a_chain(draw, is_masked, is_linear), *["--linear"] * is_linear]
        with_mask = lambda one, *how: masked(one, there, *how)
        wanted = definition.change_of(words, with_mask if is_masked else definition.smooth)(picture)
        words += ["--mask", "mask.pgm"] * is_masked + draw.choice(ways).split()
        compare(workshop, [wanted], ["-q", *words, "in.pam", "out.pam"], f"case {case}, {picture[:4]}")


# --- arrays: volumes, derivatives and floats ----------------------------------------------------------

ORDERS = {"smooth": 0, "gradient": 1, "laplace": 2, "sharpen": 0, "difference": 0}


def floats_of(bits):
    return list(struct.unpack(f"<{len(bits)}f", struct.pack(f"<{len(bits)}I", *bits)))


def bits_of(floats):
    return list(struct.unpack(f"<{len(floats)}I", struct.pack(f"<{len(floats)}f", *floats)))


def terms_of(op, axes, amount):
    """Returns the list of filters whose results an operation combines, in the form that definition_arrays takes. For
    gradient and laplace each filter takes a derivative along one axis; the other operations have a single filter, which
    smooths. axes: for each axis, None or (halo, sigma, edge)."""
    order = ORDERS[op]
    chosen = [i for i, how in enumerate(axes) if how] if order else [None]
    return [[how and (*how[:2], order if i == along else 0, how[2], *([amount] if i == along else []))
             for i, how in enumerate(axes)] for along in chosen]


def wanted_of(op, values, shape, axes, kind, maxval, amount, offset, floats):
    """Returns the samples that the definition gives. A float is represented by the integer with the same bits."""
    target = "f32" if floats else "i32"
    found = [struct.unpack(definition_arrays.TYPES[target][0], one)[0] for one in definition_arrays.filter_array(
        values, shape, terms_of(op, axes, float(amount)), op == "gradient", kind, target, 0.0)]
    if floats:
        return bits_of(found)
    half = (maxval + 1) // 2 if offset is None else offset
    if op == "sharpen":
        found = [(2 * v + 2 * Fraction(amount) * (v - s) + 1) // 2 for v, s in zip(values, found)]
    elif op == "difference":
        found = [v - s + half for v, s in zip(values, found)]
    elif op == "laplace":
        found = [one + half for one in found]
    return [min(max(one, 0), maxval) for one in found]


def mean_of(values, shape, axes):
    """Yields one result for each sample: the weighted mean of those samples in its window that are not NaN, or NaN if
    all of them are NaN. A result is represented by the integer with the same bits."""
    numbers, there = [0 if value != value else value for value in values], [int(value == value) for value in values]
    for place in itertools.product(*map(range, shape)):
        [term] = terms_of("smooth", axes, 1)
        total, kinds = definition_arrays.filter_sample(numbers, shape, place, term, 46, 0)
        weight, _ = definition_arrays.filter_sample(there, shape, place, term, 46, 1)
        made = definition_arrays.round_value(total / weight, "f32") if weight and not kinds \
            else definition_arrays.special(kinds or {"nan"}, "f32")
        yield struct.unpack("=I", made)[0]


def some_floats(draw, count):
    """Returns random binary32 values, sometimes with NaN and infinities."""
    draws = lambda: draw.choice((draw.uniform(-5, 5), draw.uniform(-5, 5), 0.0, -0.0, 1e38))
    values = floats_of(bits_of([draws() for _ in range(count)]))
    for odd in (float("nan"), float("inf"), float("-inf")):
        if draw.random() < 0.5:
            values[draw.randrange(count)] = odd
    return values


def write_array(workshop, draw, values, shape, maxval):
    """Writes the array as an NPY file, or as a PNM file with an image for each page. Returns the file's name. shape:
    pages, height, width, channels."""
    pages, height, width, channels = shape
    kept = tuple(shape[pages == 1:3 + (channels > 1)])
    if maxval in (0, 255, 65535) and (maxval == 0 or draw.random() < 0.6):
        descr = {0: "<f4", 255: "|u1"}.get(maxval) or draw.choice(("<u2", ">u2"))
        data = npy_file(descr, kept, values if maxval else bits_of(values))
        (workshop.folder / "in.npy").write_bytes(data)
        return "in.npy"
    page = height * width * channels
    write_pictures(workshop.folder / "in.pnm", [Picture(width, height, channels, maxval, array("H", values[i:i + page]))
                                                for i in range(0, len(values), page)])
    return "in.pnm"


def read_array(workshop, name):
    path = workshop.folder / name
    if name.endswith(".pnm"):
        return list(itertools.chain(*(picture.samples for picture in read_pictures(path))))
    descr, shape, found = read_npy(path.read_bytes())
    workshop.check(path.read_bytes() == npy_file(descr, shape, found), f"{name}: not numpy.save's bytes")
    return list(found)


def arrays(workshop):
    """Tests stacks of pages, and NPY arrays. Floats include NaN, infinities and zeros of both signs."""
    ways = ways_of(workshop)  # ON_DEVICE, if it is among them, is used for derivatives only
    for case in range(TURN * COUNT, (TURN + 1) * COUNT):
        draw = random.Random(case)
        maxval, pages = draw.choice((0, 1, 200, 255, 255, 1000, 65535)), draw.choice((1, 1, 2, 5, 9))
        op = draw.choice(list(ORDERS)[:3 if pages == 1 or maxval == 0 else None])
        shape = [pages, draw.randint(1, 7), draw.randint(1, 8), draw.choice((1, 1, 3))]
        count = shape[0] * shape[1] * shape[2] * shape[3]
        values = some_samples(draw, count, maxval) if maxval else some_floats(draw, count)
        floats = maxval == 0 or op in ("gradient", "laplace", "smooth") and draw.random() < 0.4
        halos = [draw.randint(0, 3), draw.randint(1, 3), *([draw.randint(1, 3)] if pages > 1 else [])]
        sigmas = [f"{draw.uniform(0.5, 2):.3f}" if halo else "0" for halo in halos]
        edge = draw.choice(definition.EDGES)
        amount = "1" if op in ("smooth", "difference") else draw.choice(("1", "0.001", "2.5", "16"))
        offset = draw.choice((None, 0, maxval // 3)) if op in ("laplace", "difference") and not floats else None
        axes = [None] * (pages == 1) + [(halo, float(sigma), edge) if halo else None
                                       for halo, sigma in zip(halos[::-1], sigmas[::-1])]
        kind = "f32" if maxval == 0 else "u8" if maxval < 256 else "u16"
        wanted = wanted_of(op, values, shape, [*axes, None], kind, maxval, amount, offset, floats)
        skips = maxval == 0 and op == "smooth" and pages == 1 and draw.random() < 0.5
        wanted = list(mean_of(values, shape, [*axes, None])) if skips else wanted
        words = ["--op", op, "--halo", ",".join(map(str, halos)), "--sigma", ",".join(sigmas), "--edge", edge]
        words += [*(["--amount", amount] if amount != "1" else []), *(["--float"] if floats else []), *["--nan", "skip"] * skips,
                  *([] if offset is None else ["--offset", str(offset)]), *draw.choice(ways if ORDERS[op] else WAYS).split()]
        source = write_array(workshop, draw, values, shape, maxval)
        target = "out.npy" if floats or source == "in.npy" else "out.pnm"
        workshop.check_works("-q", *words, source, target)
        workshop.check(read_array(workshop, target) == wanted, f"case {case}: {shape} {maxval} {' '.join(words)}: other samples")


if __name__ == "__main__":
    program.main(__doc__, {"images": [images], "arrays": [arrays]})
