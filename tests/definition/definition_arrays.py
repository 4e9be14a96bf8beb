# SPDX-License-Identifier: MIT
"""Computes filters of arrays by their definition, in Python's decimals and fractions."""

from __future__ import annotations

import collections
import itertools
import math
import struct
from decimal import Decimal, getcontext
from fractions import Fraction
from functools import lru_cache

getcontext().prec = 150

# For each type: its format letter in the module struct, and the least and the greatest value of an integer type, or
# None.
TYPES = {
    "bool": ("B", (0, 1)),
    "i8": ("b", (-(2**7), 2**7 - 1)),
    "u8": ("B", (0, 2**8 - 1)),
    "i16": ("h", (-(2**15), 2**15 - 1)),
    "u16": ("H", (0, 2**16 - 1)),
    "i32": ("i", (-(2**31), 2**31 - 1)),
    "u32": ("I", (0, 2**32 - 1)),
    "i64": ("q", (-(2**63), 2**63 - 1)),
    "u64": ("Q", (0, 2**64 - 1)),
    "f16": ("e", None),
    "f32": ("f", None),
    "f64": ("d", None),
}
# For each type: bits of the significand, exponent of the least subnormal number, least exponent e for which 2^e is
# infinite.
FLOATS = {"f16": (11, -24, 16), "f32": (24, -149, 128), "f64": (53, -1074, 1024)}


LONG = ("i32", "u32", "i64", "u64", "f64")


def definition_bits(source: str, target: str) -> int:
    """Returns how many bits the weights have after the binary point: 62 if the source's type is in LONG (types of 64
    bits, integers of 32 bits), or if the target's type is in LONG and one of the two types is a float; else 46."""
    has_float = source in FLOATS or target in FLOATS
    return 62 if source in LONG or (target in LONG and has_float) else 46


PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534"
    "21170679821480865132823066470938446095505822317253594081284811174502841027019385211055596446229"
)
ANALYTIC = "analytic"  # as taps()'s scale: weights are values of the normal density, and need not sum to 1


@lru_cache(maxsize=None)
def taps(halo: int, sigma: float, order: int, bits: int, scale: float | str = 1.0) -> dict[int, int]:
    """Returns the weights as a dictionary, in units of 2^-bits. The weight at key k multiplies the sample at x + k when
    the result at x is computed. Sigma 0 stands for a third of the halo. `order` is the order of the derivative, 0 for
    smoothing. `scale` is a factor of the weights, or ANALYTIC."""
    if scale != ANALYTIC and scale < 0:
        return {k: -w for k, w in taps(halo, sigma, order, bits, -scale).items()}
    exact = Fraction(sigma) or Fraction(halo, 3)
    if order == 0 and (halo == 0 or exact < 0.05):
        return {0: 2**bits}
    variance = Decimal(exact.numerator) ** 2 / Decimal(exact.denominator) ** 2
    density = [(-Decimal(k * k) / (2 * variance)).exp() for k in range(halo + 1)]
    total = density[0] + 2 * sum(density[1:])
    if scale == ANALYTIC:
        total = (2 * PI * variance).sqrt()
    # The derivative of order d is a polynomial q_d(k) times the density: q_{d+1} = q_d' - (k / sigma^2) q_d. The list q
    # has the polynomial's coefficients, the coefficient of k^0 first.
    q = [Decimal(1)]
    for _ in range(order):
        derivative = [i * c for i, c in enumerate(q)][1:] + [Decimal(0), Decimal(0)]
        q = [a - b / variance for a, b in zip(derivative, [Decimal(0), *q])]
    found = {}
    for k in range(-halo, halo + 1):
        value = sum(c * k**i for i, c in enumerate(q)) * density[abs(k)] / total
        value *= 1 if scale == ANALYTIC else Decimal(scale)
        scaled = abs(value) * 2**bits
        found[-k] = int(scaled + Decimal("0.5")) * (1 if value > 0 else -1)
    if order == 0 and scale != ANALYTIC:
        found[0] = 2**bits - sum(w for k, w in found.items() if k != 0)
    return found


def edge_index(edge: str, i: int, length: int) -> int | None:
    if 0 <= i < length:
        return i
    if edge == "clamp":
        return 0 if i < 0 else length - 1
    if edge == "reflect":
        m = i % (2 * length)
        return m if m < length else 2 * length - 1 - m
    if edge == "mirror":
        if length == 1:
            return 0
        m = i % (2 * length - 2)
        return m if m < length else 2 * length - 2 - m
    if edge == "wrap":
        return i % length
    return None


def root_rounded(square: Fraction, places: int) -> int:
    """Returns floor(sqrt(square) 2^places + 1/2)."""
    scaled = square * Fraction(4) ** (places + 1)  # (2 sqrt(square) 2^places)^2
    twice = math.isqrt(scaled.numerator // scaled.denominator)
    return (twice + 1) // 2


def root_is_above(square: Fraction, value: Fraction) -> int:
    """Returns the sign of sqrt(square) - value, where value >= 0."""
    other = value * value
    return (square > other) - (square < other)


def round_float(sign: int, compare, kind: str) -> bytes:
    """Returns the bytes of the float nearest to sign * x, where x > 0. The function compare(v) returns the sign of
    x - v, so x may be irrational."""
    bits, least, most = FLOATS[kind]
    letter = TYPES[kind][0]
    # Finds the exponent of the last bit of floats near x.
    exponent = least
    while compare(Fraction(2) ** (exponent + bits)) >= 0:
        exponent += 1
    unit = Fraction(2) ** exponent
    low, high = 0, 2**bits  # low * unit <= x < high * unit
    while high - low > 1:
        middle = (low + high) // 2
        if compare(middle * unit) >= 0:
            low = middle
        else:
            high = middle
    half = compare((low + Fraction(1, 2)) * unit)
    kept = low + (half > 0 or (half == 0 and low % 2 == 1))
    value = kept * unit
    if value >= Fraction(2) ** most:
        return struct.pack(letter, sign * math.inf)
    made = float(value) if value > 0 else 0.0
    return struct.pack(letter, math.copysign(made, sign))


def round_value(value: Fraction, kind: str) -> bytes:
    letter, limits = TYPES[kind]
    if limits:
        whole = math.floor(value + Fraction(1, 2))
        return struct.pack(letter, min(max(whole, limits[0]), limits[1]))
    if value == 0:
        return struct.pack(letter, 0.0)
    size = abs(value)
    return round_float(1 if value > 0 else -1, lambda v: (size > v) - (size < v), kind)


def round_root(square: Fraction, kind: str) -> bytes:
    letter, limits = TYPES[kind]
    if limits:
        return struct.pack(letter, min(root_rounded(square, 0), limits[1]))
    if square == 0:
        return struct.pack(letter, 0.0)
    return round_float(1, lambda v: root_is_above(square, v), kind)


# Returns the bytes of a result of type `kind`. `kinds` says which infinities and NaN its window has (see
# filter_sample()).
def special(kinds: set[str], kind: str) -> bytes:
    letter, limits = TYPES[kind]
    if limits:
        value = 0
        if kinds == {"above"}:
            value = limits[1]
        elif kinds == {"below"}:
            value = limits[0]
        return struct.pack(letter, value)
    if kinds == {"above"}:
        return struct.pack(letter, math.inf)
    if kinds == {"below"}:
        return struct.pack(letter, -math.inf)
    return {"f16": b"\x00\x7e", "f32": b"\x00\x00\xc0\x7f", "f64": b"\0\0\0\0\0\0\xf8\x7f"}[kind]


def products(shape, place, term, bits):
    """Yields the products of weights in the window around `place`, each with the indices that the edge rules give, or
    with None for the constant outside. term: see filter_sample()."""
    windows = []
    for axis, how in enumerate(term):
        if how is None:
            windows.append([(place[axis], 1)])
            continue
        halo, sigma, order, edge, *scale = how
        weights = taps(halo, sigma, order, bits, *scale)
        windows.append(
            [(edge_index(edge, place[axis] + k, shape[axis]), w) for k, w in weights.items() if w]
        )
    for window in itertools.product(*windows):
        indices = tuple(at for at, _ in window)
        yield math.prod(w for _, w in window), None if None in indices else indices


def number_of(indices, shape):
    """Returns the number of the sample at these indices, in C order."""
    number = 0
    for at, extent in zip(indices, shape):
        number = number * extent + at
    return number


def kind_of(value, weight):
    """Returns the kind of the product: "nan", "above" or "below" if it is no finite number, else None."""
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    if isinstance(value, float) and math.isinf(value):
        return "above" if (value > 0) == (weight > 0) else "below"
    return None


def filter_sample(values, shape, place, term, bits, outside):
    """Filters one sample, at the indices `place`, by one term of a filter. Returns the exact weighted sum of the finite
    samples, and the set of the kinds of the others: "nan", or "above" or "below" if weight times sample is +infinity or
    -infinity. values: numbers in C order. term: for each axis None, if it is not filtered, or (halo, sigma, order,
    edge[, scale]). outside: the sample outside of the array if an edge rule does not give an index."""
    total, kinds = Fraction(0), set()
    for weight, indices in products(shape, place, term, bits):
        value = outside if indices is None else values[number_of(indices, shape)]
        kind = kind_of(value, weight)
        if kind:
            kinds.add(kind)
        else:
            total += weight * Fraction(value)
    filtered = sum(how is not None for how in term)
    return total / Fraction(2) ** (bits * filtered), kinds


def adjoint_array(values, shape, terms, source, target):
    """Yields the bytes of each sample of the adjoint's result, in C order. The adjoint is the transpose of the filter's
    matrix: it adds the sample at each place, times the filter's weights for this place, to the totals of the samples
    that the filter reads for this place. If the edge rules take a sample several times, its weights are added."""
    bits = definition_bits(source, target)
    totals = [Fraction(0) for _ in values]
    kinds = [set() for _ in values]
    for number, place in enumerate(itertools.product(*(range(extent) for extent in shape))):
        for term in terms:
            unit = Fraction(2) ** (bits * sum(how is not None for how in term))
            entries = collections.Counter()
            for weight, indices in products(shape, place, term, bits):
                if indices is not None:
                    entries[number_of(indices, shape)] += weight
            for to, weight in entries.items():
                if weight and (kind := kind_of(values[number], weight)):
                    kinds[to].add(kind)
                elif weight:
                    totals[to] += weight * Fraction(values[number]) / unit
    for total, found in zip(totals, kinds):
        yield special(found, target) if found else round_value(total, target)


def filter_array(values, shape, terms, magnitude, source, target, outside):
    """Yields the bytes of each sample of the result, in C order: the sum of the terms' results, or, if `magnitude`, the
    root of the sum of their squares."""
    bits = definition_bits(source, target)
    for place in itertools.product(*(range(extent) for extent in shape)):
        found = [filter_sample(values, shape, place, term, bits, outside) for term in terms]
        kinds = set()
        for _, one in found:
            if magnitude and one:
                one = {"nan"} if "nan" in one or len(one) > 1 else {"above"}
            kinds |= one
        if kinds:
            yield special(kinds, target)
        elif magnitude:
            yield round_root(sum(v * v for v, _ in found), target)
        else:
            yield round_value(sum(v for v, _ in found), target)
