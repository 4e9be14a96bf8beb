# SPDX-License-Identifier: MIT
"""Permutations and reversals of axes, sample by sample: check_moves.py LIBRARY [CASES [SEED]]."""

from __future__ import annotations

import ctypes as c
import itertools
import math
import os
import random
import struct
import sys
from collections import Counter

import definition
from check_arrays import TYPES, Library, array_of


def draw(rng):
    """A shape, the order of its axes in the result, which of them are reversed, and how odd the
    places in memory are."""
    axes = rng.choice([0, 1, 2, 2, 2, 3, 3, 4, 5])
    while True:
        shape = [rng.choice([1, 2, 3, 4, 5, 8, 16, 33, 70]) for _ in range(axes)]
        if math.prod(shape) <= 5000:
            break
    order, flip = list(range(axes)), [0] * axes
    kind = rng.choice(["swap", "reverse", "any"])
    if kind == "swap" and axes > 1:
        a, b = rng.sample(order, 2)
        order[a], order[b] = order[b], order[a]
    elif kind == "reverse":
        for axis in rng.sample(order, min(axes, 2)):
            flip[axis] = 1
    elif kind == "any":
        rng.shuffle(order)
        flip = [rng.randint(0, 1) for _ in order]
    return shape, order, flip, rng.choice([0.0, 0.0, 0.15])


def run_case(libraries, rng):
    shape, order, flip, oddity = draw(rng)
    kind = rng.choice(TYPES)
    size = struct.calcsize(definition.TYPES[kind][0])
    from_memory, from_array, from_places = array_of(shape, kind, oddity, rng)
    for at in from_places:
        from_memory[at : at + size] = rng.randbytes(size)
    samples = dict(zip(itertools.product(*(range(n) for n in shape)), from_places))
    wrong = 0
    for library in libraries:
        turned = [shape[axis] for axis in order]
        to_memory, to_array, to_places = array_of(turned, kind, oddity, rng)
        expected = bytearray(to_memory.raw)
        for place, at in zip(itertools.product(*(range(n) for n in turned)), to_places):
            came = [0] * len(shape)
            for axis, index in enumerate(place):
                came[order[axis]] = turned[axis] - 1 - index if flip[axis] else index
            source = samples[tuple(came)]
            expected[at : at + size] = from_memory[source : source + size]
        numbers = c.c_int * max(len(shape), 1)
        library.check(
            library.calls.smoothimg_move(
                library.context,
                numbers(*order),
                numbers(*flip),
                c.byref(from_array),
                c.byref(to_array),
                None,
            )
        )
        library.note()
        if to_memory.raw != bytes(expected):
            wrong += 1
            print(
                f"wrong: {library.name}, {kind}, shape {shape}, order {order}, flip {flip}, "
                f"strides {list(from_array.strides[: len(shape)])} to "
                f"{list(to_array.strides[: len(shape)])}"
            )
    return wrong


def main() -> int:
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    seed = int(sys.argv[3] if len(sys.argv) > 3 else os.environ.get("SMOOTHIMG_TEST_TURN", 1))
    libraries = [Library(sys.argv[1], None, 1), Library(sys.argv[1], "reference", 3)]
    wrong = 0
    for case in range(cases):
        bad = run_case(libraries, random.Random(f"{seed} {case}"))
        if bad:
            print(f"  case {case} of seed {seed}")
        wrong += bad
    chosen = sum((library.chosen for library in libraries), Counter())
    print(", ".join(f"{name or 'copied'} {count}" for name, count in sorted(chosen.items())))
    print(f"{cases} cases, {wrong} wrong")
    return wrong > 0 or not {"reference", "copy", "cpu"} <= set(chosen)


if __name__ == "__main__":
    sys.exit(main())
