# SPDX-License-Identifier: MIT
"""The definition's integers in NumPy: the same samples, sooner."""
import numpy

U64 = numpy.uint64


def pad(plane, index, axis):
    """index: for each position the sample to take, or None for a zero (see definition.source)."""
    padded = plane.take([0 if i is None else i for i in index], axis=axis)
    outside = [i for i, where in enumerate(index) if where is None]
    padded[(slice(None), outside) if axis else outside] = 0
    return padded


def sum_limbs(plane, w, columns, rows):
    """The sums of definition.sum_plane for samples of 16 bits, in limbs, so that nothing leaves 64
    bits: high_high 2^52 + low_high 2^32 + high_low 2^20 + low_low."""
    plane = numpy.array(plane, dtype=U64)
    height, width = plane.shape
    wx, wy = w
    # The weights sum to less than 2^48 and the samples are below 2^16: 64 bits hold a row's sum.
    wide = pad(plane, columns, axis=1)
    row = sum(U64(weight) * wide[:, j:j + width] for j, weight in enumerate(wx))
    tall = pad(row, rows, axis=0)
    # A weight is high 2^20 + low, a row's sum high 2^32 + low. Their total is
    # high_high 2^52 + low_high 2^32 + high_low 2^20 + low_low (the weight's half is named first).
    # There are at most 2049 weights: the largest sum, of low_*, stays below 2^(11.1 + 20 + 32).
    high_high, high_low, low_high, low_low = (numpy.zeros(plane.shape, U64) for _ in range(4))
    for i, weight in enumerate(wy):
        part = tall[i:i + height]
        part_high, part_low = part >> U64(32), part & U64(2**32 - 1)
        high_high += U64(weight >> 20) * part_high
        high_low += U64(weight >> 20) * part_low
        low_high += U64(weight % 2**20) * part_high
        low_low += U64(weight % 2**20) * part_low
    return high_high, low_high, high_low, low_low


def smooth_plane(plane, w, columns, rows, maxval):
    """What definition.smooth_plane computes."""
    high_high, low_high, high_low, low_low = sum_limbs(plane, w, columns, rows)
    # Cutting low bits off step by step floors the same as cutting them off at once.
    total = high_low + (low_low >> U64(20))     # total >> 20, still without the terms above
    total = low_high + (total >> U64(12))       # total >> 32, still without high_high
    total = high_high + (total >> U64(20))      # total >> 52
    return numpy.minimum((total + U64(2**39)) >> U64(40), U64(maxval)).tolist()


def sum_plane(plane, w, columns, rows):
    """The same as Python's integers."""
    limbs = sum_limbs(plane, w, columns, rows)
    return sum(limb.astype(object) << shift for limb, shift in zip(limbs, (52, 32, 20, 0)))


def weighted_plane(plane, alpha, w, columns, rows):
    """What definition.weighted_plane computes: alpha times a colour in two halves of 16 bits."""
    plane, alpha = numpy.array(plane, dtype=U64), numpy.array(alpha, dtype=U64)
    product = plane * alpha
    upper, lower = (sum_plane(half, w, columns, rows)
                    for half in (product >> U64(16), product & U64(0xffff)))
    cover = sum_plane(alpha, w, columns, rows)
    means = (2 * ((upper << 16) + lower) + cover) // numpy.maximum(2 * cover, 1)
    return numpy.where(cover == 0, plane.astype(object), means).tolist()
