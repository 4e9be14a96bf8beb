# SPDX-License-Identifier: MIT
"""Compares two exact implementations of filters: the oracle of tests/random, in C, and the definition in Python's
fractions (definition_arrays.py). Also tests that the samples of ramps (fill.h) are not all equal.

usage: check_oracle.py CHECK [COUNT]

CHECK is the program of check.c. It prints COUNT requests, their samples and the oracle's results."""

from __future__ import annotations

import itertools
import math
import struct
import subprocess
import sys
from fractions import Fraction

import definition_arrays as definition

NAMES = {"bool": "bool", "float16": "f16", "float32": "f32", "float64": "f64"}
for bits in (8, 16, 32, 64):
    NAMES |= {f"int{bits}": f"i{bits}", f"uint{bits}": f"u{bits}"}
EDGES = {"nearest": "clamp", "constant": "zero"}


class Request:
    """A request, from a line that CHECK prints. Its members are named as in tests/random/request.c."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.members = dict(word.split("=") for word in line.split())
        self.axes, self.terms = self.number("axes"), self.number("terms") + 1
        self.shape = self.many("shape", self.axes, int, 0)
        self.source, self.target = NAMES[self.word("src")], NAMES[self.word("dst")]
        self.maxval = self.number("dst_maxval")

    def word(self, name: str, otherwise: str = "uint8") -> str:
        return self.members.get(name, otherwise)

    def number(self, name: str) -> int:
        return int(self.word(name, "0"))

    def many(self, name: str, count: int, kind, otherwise) -> list:
        return [kind(one) for one in self.word(name, ",".join([str(otherwise)] * count)).split(",") if one]

    def all_terms(self) -> list:
        """Returns the axes of all terms, in the form that definition.filter_sample takes. An axis
        that only other terms filter has a single weight, 1."""
        count = self.axes * self.terms
        members = zip(
            self.many("radius", count, int, 0),
            self.many("sigma", count, float, 0.0),
            self.many("order", count, int, 0),
            self.many("edge", count, str, "reflect"),
            self.many("scale", count, float, 0.0),
        )
        found = [self.axis(*one) for one in members]
        rows = [found[t * self.axes : (t + 1) * self.axes] for t in range(self.terms)]
        used = [any(row[a] for row in rows) for a in range(self.axes)]
        return [[how or ((0, 0.5, 0, "clamp") if used[a] else None) for a, how in enumerate(row)] for row in rows]

    def axis(self, radius, sigma, order, edge, scale):
        if radius <= 0 and sigma == 0 and scale >= 0:
            return None
        halo = radius if radius > 0 else 0 if radius < 0 else math.floor(4 * sigma + 0.5)
        last = scale or 1.0
        if self.word("norm") == "analytic":
            last = definition.ANALYTIC
        return (halo, sigma, order, EDGES.get(edge, edge), last)

    def outside(self):
        if "outside" in self.members:
            return float(self.members["outside"])
        return self.number("outside_i64") or self.number("outside_u64")


def places(shape):
    return itertools.product(*(range(extent) for extent in shape))


def numbers(words: str, kind: str) -> list:
    letter = definition.TYPES[kind][0]
    size = struct.calcsize(letter)
    return [struct.unpack(f"<{letter}", int(word, 16).to_bytes(size, "little"))[0] for word in words.split()]


def bits_of(made: bytes) -> int:
    return int.from_bytes(made, sys.byteorder)


def rounded(request: Request, total, kinds) -> int:
    made = definition.special(kinds, request.target) if kinds else definition.round_value(total, request.target)
    return min(bits_of(made), request.maxval) if request.maxval else bits_of(made)


def product(value, alpha):
    """Returns a colour times alpha. The product is 0 if alpha is 0, and NaN if alpha is not finite."""
    if alpha == 0:
        return 0
    if not math.isfinite(alpha):
        return math.nan
    return Fraction(value) * Fraction(alpha) if math.isfinite(value) else value * math.copysign(1, alpha)


def mean_of(request: Request, values, place, term, bits) -> int:
    """Returns the weighted mean at a place. If the weights sum to 0, it is the sample itself when
    alpha weights the samples, and NaN when NaNs are left out."""
    index = sum(at * math.prod(request.shape[a + 1 :]) for a, at in enumerate(place))
    outside = request.outside()
    if request.word("missing") == "alpha":
        channels = request.shape[-1]
        if place[-1] == channels - 1:
            return rounded(request, *definition.filter_sample(values, request.shape, place, term, bits, outside))
        counts, beside = [values[i // channels * channels + channels - 1] for i in range(len(values))], outside
        counted, outside = [product(a, b) for a, b in zip(values, counts)], product(outside, outside)
    else:
        counts, beside = [int(not math.isnan(value)) for value in values], 1
        counted = [value if count else 0 for value, count in zip(values, counts)]
    total, kinds = definition.filter_sample(counted, request.shape, place, term, bits, outside)
    weight, unknown = definition.filter_sample(counts, request.shape, place, term, bits, beside)
    if unknown or (weight == 0 and request.word("missing") == "nan"):
        return rounded(request, 0, {"nan"})
    if weight == 0:
        own = values[index]
        kinds = {"nan" if math.isnan(own) else "above" if own > 0 else "below"} if not math.isfinite(own) else set()
        return rounded(request, 0 if kinds else Fraction(own), kinds)
    if kinds:
        turned = {"above": "below", "below": "above", "nan": "nan"}
        return rounded(request, total, {turned[kind] for kind in kinds} if weight < 0 else kinds)
    return rounded(request, total / weight, set())


def answers(request: Request, values) -> list[int]:
    bits = definition.definition_bits(request.source, request.target)
    terms, how = request.all_terms(), request.word("combination", "add")
    outside = request.outside()
    missing = request.word("missing", "all")
    if missing == "alpha" or (missing == "nan" and request.source in definition.FLOATS):
        return [mean_of(request, values, place, terms[0], bits) for place in places(request.shape)]
    if how == "apart":
        return [
            rounded(request, *definition.filter_sample(values, request.shape, place, term, bits, outside))
            for term in terms
            for place in places(request.shape)
        ]
    if request.number("adjoint"):
        made = definition.adjoint_array(values, request.shape, terms, request.source, request.target)
    else:
        made = definition.filter_array(
            values, request.shape, terms, how == "magnitude", request.source, request.target, outside
        )
    return [min(bits_of(one), request.maxval) if request.maxval else bits_of(one) for one in made]


def main() -> int:
    count = sys.argv[2] if len(sys.argv) > 2 else "500"
    printed = subprocess.run([sys.argv[1], "--print", count], check=True, capture_output=True, text=True).stdout
    wrong = 0
    for text in printed.splitlines():
        line, samples, results = text.split("|")
        request = Request(line)
        values = numbers(samples, request.source)
        wanted = answers(request, values)
        found = [int(word, 16) for word in results.split()]
        differ = [i for i, (a, b) in enumerate(zip(wanted, found)) if a != b]
        if differ or len(wanted) != len(found):
            wrong += 1
            print(f"{line}: {len(differ)} differ")
            print(*(f"  {i}: wanted {wanted[i]:x}, the oracle has {found[i]:x}" for i in differ[:3]), sep="\n")
        if request.word("fill") == "ramp" and len(values) > 1 and len(set(values)) == 1:
            wrong += 1
            print(f"{line}: all samples of the ramp are {values[0]}")
    print(f"{len(printed.splitlines())} requests, {wrong} wrong")
    return wrong > 0 or not printed


if __name__ == "__main__":
    sys.exit(main())
