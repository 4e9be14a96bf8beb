# SPDX-License-Identifier: MIT
"""Compares variants of smooth with definition_floats.py, bit for bit: hostile floats and ordinary
ones, and cases whose answers are known by hand.

usage: floats_test.py SMOOTH_FLOATS VARIANT [PLANES [FIRST]]     PLANES random planes from number
                                                                 FIRST on; 150 from 0 if not given

SMOOTH_FLOATS may be several words, as of a shell: 'qemu-s390x build-s390x/tests/definition/smooth_floats'.
BYTE_ORDER=big in the environment: of the processor that it runs on.
"""
import os
import random
import shlex
import struct
import subprocess
import sys
from collections import namedtuple

from definition import EDGES
from definition_floats import QUIET_NAN, smooth_plane

NORMS = ("sum", "analytic")
ONE, TWO, MINUS_ONE, INF, MINUS_INF = 0x3f800000, 0x40000000, 0xbf800000, 0x7f800000, 0xff800000
MOST, LEAST_NORMAL, MINUS_ZERO = 0x7f7fffff, 0x00800000, 0x80000000

ORDER = ">" if os.environ.get("BYTE_ORDER") == "big" else "="
BATCH = 300  # planes at a time: their samples are Python's integers

Plane = namedtuple("Plane", "rows halos sigmas edge norm skip", defaults=("reflect", "sum", False))


def flat(bits, width=5, height=3):
    return [[bits] * width for _ in range(height)]


HALVES = 0.8493218002880191  # sqrt(1 / (2 log 2)): at halo 1 the weights are 1/4, 1/2 and 1/4


def halved(*bits):
    """A row that repeats: of two samples the mean, of three the second counts as the others do."""
    return Plane([list(bits)], (1, 0), (HALVES, 0.0), "wrap")


# What is wanted of each plane: rows of bits, or the bits that all samples have; None: not looked at.
KNOWN = {
    "a tie, to the even one below": (halved(ONE, ONE + 1), ONE),
    "a tie, to the even one above": (halved(ONE + 1, ONE + 2), ONE + 2),
    "a negative tie": (halved(MINUS_ONE + 1, MINUS_ONE + 2), MINUS_ONE + 2),
    "a tie of subnormal numbers": (halved(1, 2), 2),
    "a half of the least number": (halved(0, 1), 0),
    "the tie at the least normal number": (halved(LEAST_NORMAL - 1, LEAST_NORMAL), LEAST_NORMAL),
    "a tie between three": (halved(TWO, ONE + 1, 0), [[None, ONE, None]]),
    "a bit above a tie": (halved(TWO, ONE + 1, 1), [[None, ONE + 1, None]]),
    "a bit below a tie": (halved(TWO, ONE + 2, 0x80000001), [[None, ONE + 1, None]]),
    "a bit above a tie, beside an infinity": (
        Plane([[INF, TWO, ONE + 1, 1, ONE]], (1, 0), (HALVES, 0.0)), [[INF, INF, ONE + 1, None, None]]),
    "half of it vanishes": (halved(MOST, MOST | MINUS_ZERO), 0),
    "one pixel, and a halo far beyond it": (Plane(flat(0x3dcccccd, 1, 1), (9, 9), (3.0, 3.0)), 0x3dcccccd),
    "flat stays flat": (Plane(flat(0x40490fdb), (4, 4), (1.5, 1.5)), 0x40490fdb),
    "the greatest stays": (Plane(flat(MOST), (4, 2), (1.5, 1.0)), MOST),
    "the least stays": (Plane(flat(1), (4, 4), (1.5, 1.5)), 1),
    "the least normal stays": (Plane(flat(LEAST_NORMAL), (1, 1), (0.5, 0.5)), LEAST_NORMAL),
    "negative zeros sum to a positive one": (Plane(flat(MINUS_ZERO), (1, 1), (0.5, 0.5)), 0),
    "the identity keeps no negative zero": (Plane([[MINUS_ZERO, ONE]], (0, 0), (0.0, 0.0)), [[0, ONE]]),
    # The centre's weight is less than a half of 2^-149: a sum that is not 0 rounds to a signed zero.
    "a tiny negative": (Plane([[0, 0x80000001, 0]], (1, 0), (1e9, 0.0), "zero"), [[MINUS_ZERO] * 3]),
    "a tiny positive": (Plane([[0, 1, 0]], (1, 0), (1e9, 0.0), "zero"), [[0, 0, 0]]),
    "sums that vanish": (Plane([[ONE, 0, MINUS_ONE]], (1, 0), (1.0, 0.0), "zero"), None),
    "a NaN spreads, whatever its payload": (
        Plane([[ONE] * 5 + [0xffc12345] + [ONE] * 5], (2, 0), (1.0, 0.0)),
        [[ONE] * 3 + [QUIET_NAN] * 5 + [ONE] * 3]),
    "a signalling NaN": (Plane([[ONE, ONE, ONE, 0x7f800001]], (1, 0), (1.0, 0.0)),
                         [[ONE, ONE, QUIET_NAN, QUIET_NAN]]),
    "infinities": (Plane([[INF, ONE, ONE, ONE, MINUS_INF]], (1, 0), (1.0, 0.0)),
                   [[INF, INF, ONE, MINUS_INF, MINUS_INF]]),
    "both infinities": (Plane([[INF, ONE, MINUS_INF]], (1, 0), (1.0, 0.0)), [[INF, QUIET_NAN, MINUS_INF]]),
    # At 9 sigma and beyond the weights are 0.
    "what has no weight does not count": (
        Plane([[ONE] * 20 + [QUIET_NAN]], (9, 0), (0.25, 0.0)),
        [[ONE] * 18 + [QUIET_NAN] * 3]),
    "a NaN is skipped": (Plane([[ONE, QUIET_NAN, ONE]], (1, 0), (1.0, 0.0), "clamp", "sum", True), ONE),
    "nothing is there": (Plane(flat(QUIET_NAN), (1, 1), (1.0, 1.0), "clamp", "sum", True), QUIET_NAN),
    "skipped beside infinities": (
        Plane([[INF, QUIET_NAN, MINUS_INF, ONE]], (1, 0), (1.0, 0.0), "clamp", "sum", True),
        [[INF, QUIET_NAN, MINUS_INF, MINUS_INF]]),
    "skipping divides by analytic weights": (
        Plane(flat(ONE), (1, 1), (1.0, 1.0), "clamp", "analytic", True), ONE),
    "analytic weights of more than 1 reach infinity": (
        Plane(flat(MOST), (1, 1), (0.2, 0.2), "clamp", "analytic"), INF),
    "analytic weights of 0": (Plane(flat(ONE), (1, 1), (1e14, 1e14), "clamp", "analytic"), 0),
    "weights of 0 are nothing there": (
        Plane(flat(ONE), (1, 1), (1e14, 1e14), "clamp", "analytic", True), QUIET_NAN),
}


# --- random planes ------------------------------------------------------------------------------

def ordinary(draw):
    """A photograph's range."""
    return lambda: struct.unpack("<I", struct.pack("<f", draw.random()))[0]


def signed(draw):
    return lambda: struct.unpack("<I", struct.pack("<f", draw.gauss(0, 1)))[0]


def any_finite(draw):
    """Every exponent alike: 254 binades in one window."""
    return lambda: draw.getrandbits(1) << 31 | draw.randrange(255) << 23 | draw.getrandbits(23)


def subnormal(draw):
    return lambda: draw.getrandbits(1) << 31 | draw.getrandbits(draw.randrange(1, 26))


def one_bit_apart(draw):
    """Means of two neighbours lie close to the middle between them, where the rounding is decided."""
    base = draw.randrange(1, INF - 1)
    return lambda: base + draw.getrandbits(1)


def opposite(draw):
    """Sums that nearly vanish."""
    base = draw.randrange(1, INF - 1)
    return lambda: base ^ draw.getrandbits(1) << 31 ^ (draw.random() < 0.1)


def stars(draw):
    return lambda: draw.choice([draw.getrandbits(30) | 0x40000000, *[draw.getrandbits(23) | ONE] * 30]) % INF


def holes(draw):
    paint = draw.choice([ordinary, signed, any_finite, one_bit_apart])(draw)
    return lambda: draw.choice([0x7fc00000 | draw.getrandbits(22), *[paint()] * 4])


def anything(draw):
    return lambda: draw.getrandbits(32)


def extremes(draw):
    return lambda: draw.choice([0, MINUS_ZERO, 1, MOST, MOST | MINUS_ZERO, INF, ONE, *[LEAST_NORMAL] * 9])


PAINTS = (ordinary, signed, any_finite, subnormal, one_bit_apart, opposite, stars, holes, anything, extremes)


def random_plane(seed):
    draw = random.Random(seed)
    paint = PAINTS[seed % len(PAINTS)](draw)
    width, height = draw.choice([(1, 1), (1, 9), (40, 2), (33, 17), (150, 11), (70, 40), (300, 5)])
    halos = [draw.choice([0, 1, 2, 3, 4, 7, 12, 30]) for _ in "xy"]
    sigmas = [draw.choice([halo / 3, 0.3, 0.8, 2.5, 1e9]) if halo else 0.0 for halo in halos]
    if draw.random() < 0.5:
        halos[1], sigmas[1] = halos[0], sigmas[0]
    norm = draw.choice(["sum", "sum", "sum", "analytic"])
    return Plane([[paint() for _ in range(width)] for _ in range(height)], tuple(halos), tuple(sigmas),
                 draw.choice(EDGES), norm if min(x or 1 for x in sigmas) > 0.2 else "sum",
                 draw.random() < 0.4)


# --- the comparison -----------------------------------------------------------------------------

def request_of(plane):
    width, height = len(plane.rows[0]), len(plane.rows)
    head = struct.pack(ORDER + "8q2d", width, height, 1, *plane.halos, EDGES.index(plane.edge),
                       NORMS.index(plane.norm), plane.skip, *plane.sigmas)
    return head + b"".join(struct.pack(f"{ORDER}{width}I", *line) for line in plane.rows)


def answers(program, variant, planes):
    """The rows of bits that the program makes of each plane."""
    data = subprocess.run([*shlex.split(program), variant], input=b"".join(map(request_of, planes)), check=True,
                          capture_output=True).stdout
    place = 0
    for plane in planes:
        width = len(plane.rows[0])
        rows = []
        for _ in plane.rows:
            rows.append(list(struct.unpack_from(f"{ORDER}{width}I", data, place)))
            place += 4 * width
        yield rows


def wanted_of(plane):
    return smooth_plane(plane.rows, plane.halos, plane.sigmas, plane.edge, plane.norm, plane.skip)


def difference(name, plane, wanted, got):
    """A line that says what is wrong, or None."""
    wrong = [(y, x) for y, line in enumerate(wanted) for x, bits in enumerate(line)
             if bits is not None and got[y][x] != bits]
    if not wrong:
        return None
    y, x = wrong[0]
    return (f"{name}: {len(wrong)} samples differ; row {y}, column {x}: wanted {wanted[y][x]:08x}, got "
            f"{got[y][x]:08x}; halos {plane.halos}, sigmas {plane.sigmas}, {plane.edge}, {plane.norm}, "
            f"{'skip' if plane.skip else 'propagate'}")


def check_known(program, variant):
    planes = [plane for plane, _ in KNOWN.values()]
    for (name, (plane, known)), got in zip(KNOWN.items(), answers(program, variant, planes)):
        wanted = wanted_of(plane)
        if known is not None:
            rows = known if isinstance(known, list) else [[known] * len(line) for line in plane.rows]
            yield difference(f"definition, {name}", plane, rows, wanted)
        yield difference(name, plane, wanted, got)


def check_random(program, variant, start, count):
    for first in range(start, start + count, BATCH):
        seeds = range(first, min(first + BATCH, start + count))
        planes = [random_plane(seed) for seed in seeds]
        for seed, plane, got in zip(seeds, planes, answers(program, variant, planes)):
            yield difference(f"plane {seed}, {PAINTS[seed % len(PAINTS)].__name__}", plane,
                             wanted_of(plane), got)


def main():
    program, variant = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 150
    turn = int(os.environ.get("SMOOTHIMG_TEST_TURN", "0"))
    first = int(sys.argv[4]) if len(sys.argv) > 4 else turn * count
    found = [*check_known(program, variant), *check_random(program, variant, first, count)]
    wrong = [line for line in found if line]
    print("".join(line + "\n" for line in wrong), end="")
    print(f"{variant}: {len(KNOWN)} known planes and {count} random ones, {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
