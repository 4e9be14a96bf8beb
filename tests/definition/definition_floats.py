# SPDX-License-Identifier: MIT
"""The definition of smoothimg's filter for float samples (binary32), after definition.py.

The weights and the edges are definition.py's. A finite sample is the real number that it stands
for, so that sums are exact:

    V = sum over i, j of wy(i) wx(j) in(r+i, c+j)
    out(r,c) = V / 2^92, rounded to the nearest binary32, ties to even, gradual underflow included;
               beyond the greatest of them to infinity; an exact zero is +0

A sample whose weight is 0 does not count. Of the others, a NaN, or infinities of both signs, give
the NaN 0x7fc00000, and infinities of one sign that infinity. Where a NaN is skipped, it is no
sample, and the mean is taken over those that are there:

    N = sum of wy(i) wx(j) in(r+i, c+j),  A = sum of wy(i) wx(j),  both over these
    out(r,c) = N / A, rounded in the same way; the NaN above where A is 0
"""
from fractions import Fraction
from math import inf, isinf, isnan
import struct

from definition import axis_of, sources, weights
from definition_arrays import round_value

QUIET_NAN = 0x7fc00000
SCALE = 2**149  # every finite binary32 is an integer times 1 / SCALE


def number_of(bits):
    """Returns the bits' value as a Python float, which holds it exactly."""
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of(value):
    """Returns the bits of a Fraction that a binary32 holds, or of an infinity."""
    return struct.unpack("<I", struct.pack("<f", float(value)))[0]


def nearest(value):
    """Returns the bits of the binary32 nearest to a Fraction."""
    return struct.unpack("=I", round_value(value, "f32"))[0]


class Sample:
    """A sample, or the weighted sum of several: an exact number, and the kinds of samples in it that are not
    finite."""

    def __init__(self, total=0, there=0, kinds=frozenset()):
        self.total, self.there, self.kinds = total, there, kinds


def sample_of(bits, skip):
    value = number_of(bits)
    if isnan(value):
        return Sample() if skip else Sample(there=1, kinds=frozenset({"nan"}))
    if isinf(value):
        return Sample(there=1, kinds=frozenset({value}))
    return Sample(int(Fraction(value) * SCALE), 1)


def weighted_sum(w, samples):
    """Returns the sum of the samples whose weight is not 0."""
    counted = [(weight, sample) for weight, sample in zip(w, samples) if weight]
    return Sample(sum(weight * sample.total for weight, sample in counted),
                  sum(weight * sample.there for weight, sample in counted),
                  frozenset().union(*(sample.kinds for _, sample in counted)))


def result_of(window, skip):
    if window.kinds:
        return bits_of(*window.kinds) if window.kinds <= {inf} or window.kinds <= {-inf} else QUIET_NAN
    whole = window.there if skip else 2**92
    return nearest(Fraction(window.total, SCALE * whole)) if whole else QUIET_NAN


def smooth_plane(plane, halos, sigmas, edge="reflect", norm="sum", skip=False):
    """plane: rows of bits. halos, sigmas: pairs for x and y, as for definition.smooth."""
    (halo_x, sigma_x), (halo_y, sigma_y) = (axis_of(halos, sigmas, axis) for axis in (0, 1))
    wx, wy = weights(halo_x, sigma_x, norm), weights(halo_y, sigma_y, norm)
    height, width = len(plane), len(plane[0])
    columns, rows = sources(width, halo_x, edge), sources(height, halo_y, edge)
    zero = Sample(0, 1)
    row_sums = []
    for line in plane:
        line = [sample_of(bits, skip) for bits in line]
        padded = [zero if c is None else line[c] for c in columns]
        row_sums.append([weighted_sum(wx, padded[c:]) for c in range(width)])
    nothing = [Sample(0, sum(wx))] * width
    padded = [nothing if r is None else row_sums[r] for r in rows]
    return [[result_of(weighted_sum(wy, column), skip) for column in zip(*padded[r:r + len(wy)])]
            for r in range(height)]
