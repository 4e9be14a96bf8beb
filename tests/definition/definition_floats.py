# SPDX-License-Identifier: MIT
"""Computes smooths of float samples (binary32) by their definition.

The weights and the edge rules are those of definition.py. A finite sample is a real number, and sums
are exact:

    V = sum over i, j of wy(i) wx(j) in(r+i, c+j)
    out(r,c) = V / 2^92, rounded to the nearest binary32, ties to even, gradual underflow included;
               beyond the greatest of them to infinity; an exact zero is +0

Samples of weight 0 are left out. Of the others, a NaN, or infinities of both signs, give the NaN
0x7fc00000; infinities of one sign give that infinity. With skip, NaNs are left out as well, and the
result is the mean of the other samples:

    N = sum of wy(i) wx(j) in(r+i, c+j),  A = sum of wy(i) wx(j),  both over these samples
    out(r,c) = N / A, rounded in the same way; NaN if A is 0
"""
from fractions import Fraction
from math import inf, isinf, isnan
import struct

from definition import axis_of, sources, weights
from definition_arrays import round_value

QUIET_NAN = 0x7fc00000
SCALE = 2**149  # every finite binary32 is an integer times 1 / SCALE


def number_of(bits):
    """Returns the value of a float's bits."""
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of(value):
    """Returns the bits of a float. value: an infinity, or a Fraction that a float holds exactly."""
    return struct.unpack("<I", struct.pack("<f", float(value)))[0]


def nearest(value):
    """Returns the bits of the binary32 nearest to a Fraction."""
    return struct.unpack("=I", round_value(value, "f32"))[0]


class Sample:
    """A sample, or a weighted sum of several. total: its finite part, times SCALE; there: the sum of weights; kinds:
    the kinds of its samples that are not finite."""

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
    """Returns the weighted sum of samples. Those of weight 0 are left out, even if they are NaN."""
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
    """Returns the smoothed rows. plane: rows of floats' bits. halos, sigmas: as for definition.smooth."""
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
