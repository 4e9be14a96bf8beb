# SPDX-License-Identifier: MIT
"""Converts samples to linear light and back, by the formulas of sRGB (IEC 61966-2-1) and of PNG's gAMA, with decimal
numbers of 60 digits or more. This file shares no code with the C program, which computes no power for light.

    decode(v) = floor(65535 f(v / maxval) + 1/2)     of a sample v
    encode(L) = floor(maxval g(L / 65535) + 1/2)     of a level L of light, 0..65535; g is the inverse of f

sRGB: f(x) = x / 12.92 up to 0.04045, else ((x + 0.055) / 1.055)^2.4
      g(y) = 12.92 y up to 0.0031308, else 1.055 y^(1/2.4) - 0.055
gamma: f(x) = x^(1/gamma), g(y) = y^gamma
"""
import bisect
import math
from array import array
from decimal import Decimal, getcontext
from fractions import Fraction
from functools import lru_cache

MAXVAL = 65535
getcontext().prec = 60


def rounded(number):
    return math.floor(number + (Fraction(1, 2) if isinstance(number, Fraction) else Decimal("0.5")))


def power(x, exponent):
    return Decimal(0) if x == 0 else (Decimal(x.numerator) / x.denominator) ** exponent


def to_light(x, gamma=None):
    """Returns f(x). x: a Fraction."""
    if gamma:
        return power(x, 1 / Decimal(gamma))
    if x <= Fraction("0.04045"):
        return x / Fraction("12.92")
    return power((x + Fraction("0.055")) / Fraction("1.055"), Decimal("2.4"))


def from_light(y, gamma=None):
    """Returns g(y). y: a Fraction."""
    if gamma:
        return power(y, Decimal(gamma))
    if y <= Fraction("0.0031308"):
        return Fraction("12.92") * y
    return Decimal("1.055") * power(y, 1 / Decimal("2.4")) - Decimal("0.055")


@lru_cache(None)
def decode(v, maxval, gamma=None):
    return rounded(MAXVAL * to_light(Fraction(v, maxval), gamma))


def encode_exactly(level, maxval, gamma=None):
    return rounded(maxval * from_light(Fraction(level, MAXVAL), gamma))


@lru_cache(None)
def least_levels(maxval):
    """Returns a list with a level of light for each sample from 1 on: the lowest level that sRGB encodes as that sample
    or a greater one."""
    found = [0]
    for sample in range(1, maxval + 1):
        low, high = found[-1], MAXVAL
        while low < high:
            middle = (low + high) // 2
            if encode_exactly(middle, maxval) < sample:
                low = middle + 1
            else:
                high = middle
        found.append(low)
    return found[1:]


@lru_cache(None)
def encode(level, maxval, gamma=None):
    """Returns the sample for a level of light. Powers take long, so for sRGB of up to 8 bits this function searches the
    list least_levels() instead."""
    if gamma or maxval > 255:
        return encode_exactly(level, maxval, gamma)
    return bisect.bisect(least_levels(maxval), level)


def alpha_factor(maxval):
    """Returns the factor by which apply() multiplies alpha: the largest odd number f with f * maxval <= 65535. Since f
    is odd, dividing by f never gives a number halfway between two samples."""
    return max(c for c in range(1, MAXVAL // maxval + 1, 2))


def each(picture, maxval, of_colour, of_alpha):
    """Returns the picture with converted samples. The last of two or four channels is alpha."""
    channels = picture.channels
    samples = array("H", (
        of_alpha(sample) if channels in (2, 4) and i % channels == channels - 1 else of_colour(sample)
        for i, sample in enumerate(picture.samples)))
    return picture._replace(maxval=maxval, samples=samples)


def apply(picture, change, gamma=None):
    """Decodes the picture, applies `change`, and encodes the result."""
    maxval, factor = picture.maxval, alpha_factor(picture.maxval)
    light = each(picture, MAXVAL, lambda v: decode(v, maxval, gamma), lambda a: a * factor)
    return each(change(light), maxval, lambda level: encode(level, maxval, gamma),
                lambda a: min(rounded(Fraction(a, factor)), maxval))
