# SPDX-License-Identifier: MIT
"""Filters of arrays against their definition in fractions: check_arrays.py LIBRARY [CASES [SEED]].
Every sample of small arrays at random: types, axes, orders, edge rules, strides, hostile values."""

from __future__ import annotations

import ctypes as c
import itertools
import math
import os
import random
import struct
import sys
from collections import Counter
from fractions import Fraction

import definition

TYPES = ["u8", "u16", "f32", "bool", "i8", "i16", "i32", "u32", "i64", "u64", "f16", "f64"]
EDGES = ["reflect", "clamp", "mirror", "wrap", "zero"]


class Axis(c.Structure):
    _fields_ = [
        ("sigma", c.c_double),
        ("radius", c.c_int64),
        ("order", c.c_int),
        ("edge", c.c_int),
        ("scale", c.c_double),
    ]


class Options(c.Structure):
    _fields_ = [
        ("axes", c.c_int),
        ("terms", c.c_int),
        ("axis", c.POINTER(Axis)),
        ("combination", c.c_int),
        ("norm", c.c_int),
        ("missing", c.c_int),
        ("outside", c.c_double),
        ("outside_i64", c.c_int64),
        ("outside_u64", c.c_uint64),
    ]


class Array(c.Structure):
    _fields_ = [
        ("data", c.c_void_p),
        ("axes", c.c_int),
        ("shape", c.POINTER(c.c_int64)),
        ("strides", c.POINTER(c.c_int64)),
        ("type", c.c_int),
        ("memory", c.c_int),
        ("maxval", c.c_uint64),
    ]


class Library:
    def __init__(self, path: str, variant: str | None, threads: int) -> None:
        self.name = f"{variant or 'fastest'}, {threads} threads"
        self.calls = c.CDLL(path)
        self.calls.smoothimg_message.restype = c.c_char_p
        self.calls.smoothimg_chosen.restype = c.c_char_p
        self.context = c.c_void_p()
        self.chosen: Counter[str] = Counter()
        self.check(self.calls.smoothimg_open(threads, c.byref(self.context)))
        name = variant.encode() if variant else None
        self.check(self.calls.smoothimg_choose(self.context, name))

    def check(self, status: int) -> None:
        if status:
            text = self.calls.smoothimg_message(self.context) if self.context else b""
            raise RuntimeError(f"status {status}: {text.decode()}")

    def note(self) -> None:
        self.chosen[self.calls.smoothimg_chosen(self.context).decode()] += 1

    def run(self, terms, magnitude, outside, source, target, first=None) -> None:
        axes = len(terms[0])
        table = (Axis * max(len(terms) * axes, 1))()
        for i, how in enumerate(itertools.chain(*terms)):
            if how:
                scale = [one for one in how[4:] if one != definition.ANALYTIC]
                table[i] = Axis(how[1], how[0] or -1, how[2], EDGES.index(how[3]), *scale)
        options = Options(axes, len(terms), table, int(magnitude))
        if isinstance(outside, float):
            options.outside = outside
        elif outside < 2**63:
            options.outside_i64 = outside
        else:
            options.outside_u64 = outside
        options.norm = any(definition.ANALYTIC in (how or ()) for how in itertools.chain(*terms))
        made = c.c_void_p()
        self.check(
            self.calls.smoothimg_filter_create(
                self.context, c.byref(options), c.byref(made)
            )
        )
        try:
            self.check(
                self.calls.smoothimg_filter(
                    self.context, made, c.byref(source), c.byref(target), first, None
                )
            )
            self.note()
        finally:
            self.calls.smoothimg_filter_free(made)


def place_of(shape, size, oddity, rng, is_source):
    """Strides, the offset of the first sample, and the bytes of all: any order of the axes, gaps,
    negative strides, of sources also strides of 0, the more the greater the oddity."""
    order = list(range(len(shape)))
    if rng.random() < 2.5 * oddity:
        rng.shuffle(order)
    strides, step = [0] * len(shape), size
    for axis in reversed(order):
        if rng.random() < oddity:
            step += size * rng.randint(1, 3)
        strides[axis] = step
        step *= shape[axis]
    offset = 0
    for axis in range(len(shape)):
        if rng.random() < oddity:
            offset += strides[axis] * (shape[axis] - 1)
            strides[axis] = -strides[axis]
        elif is_source and rng.random() < oddity / 4:
            strides[axis] = 0
    return strides, offset, step + size


def array_of(shape, kind, oddity, rng, is_source=False):
    size = struct.calcsize(definition.TYPES[kind][0])
    strides, offset, total = place_of(shape, size, oddity, rng, is_source)
    memory = c.create_string_buffer(b"\xa5" * total, total)
    array = Array(
        c.addressof(memory) + offset,
        len(shape),
        (c.c_int64 * max(len(shape), 1))(*shape),
        (c.c_int64 * max(len(shape), 1))(*strides),
        TYPES.index(kind),
        0,
    )
    places = [
        offset + sum(i * s for i, s in zip(place, strides))
        for place in itertools.product(*(range(extent) for extent in shape))
    ]
    return memory, array, places


def number(kind, mood, rng):
    limits = definition.TYPES[kind][1]
    if limits:
        low, high = limits
        if mood == "flat":
            return high // 3
        if mood == "ends":
            return rng.choice([low, high])
        if mood == "few":
            return min(max(rng.randint(-2, 4), low), high)
        return rng.randint(low, high)
    bits, least, most = definition.FLOATS[kind]
    if mood == "flat":
        return 0.3125
    if mood == "ends":
        value = rng.choice([math.ldexp(2**bits - 1, most - bits), math.ldexp(1, least), 0.0, -0.0])
        return rng.choice([1, -1]) * value
    if mood == "few":
        return float(rng.randint(-4, 4))
    if mood == "special" and rng.random() < 0.1:
        return rng.choice([math.inf, -math.inf, math.nan])
    if mood == "wide":
        exponent = rng.randint(least, most - 1 - bits)
    else:
        exponent = -bits + rng.randint(-2, 2)
    return rng.choice([1, -1]) * math.ldexp(rng.getrandbits(bits), exponent)


MOODS = ["plain", "plain", "plain", "flat", "ends", "few", "special", "wide"]


def axis_of(how, rng):
    order = rng.choice([0, 0, 1, 2, 3, 4])
    scale = rng.choice([1.0, 1.0, 0.001, 2.5, rng.uniform(0, 16)])
    return (how[0], how[1], order, rng.choice([how[2], *EDGES]), *([scale] if order else []))


def draw(rng):
    """A case whose windows are small enough for fractions."""
    axes = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 5])
    while True:
        shape = [rng.choice([1, 2, 3, 4, 5, 7, 20, 40, 70]) for _ in range(axes)]
        if math.prod(shape) <= 300:
            break
    chosen = [rng.random() < 0.7 for _ in shape]
    terms, window = [], 1
    combined = rng.choice(["one", "one", "one", "sum", "magnitude"])
    how = []
    for axis in range(axes):
        if not chosen[axis]:
            how.append(None)
            continue
        halo = rng.choice([0, 1, 1, 2, 3, 4, 9 if axes < 3 else 2, 30 if axes == 1 else 1])
        if window * (2 * halo + 1) > 130:
            halo = 0
        window *= 2 * halo + 1
        sigma = rng.choice([0.0 if halo else 0.5, rng.uniform(0.3, 3), 1.0, 2.0, 1e3])
        how.append((halo, sigma, rng.choice(EDGES)))
    for t in range(1 if combined == "one" else rng.randint(1, 3)):
        terms.append([one and axis_of(one, rng) for one in how])
    outside = rng.choice([0.0, 0.0, 1.0, -0.3, 1e10, 3e-320, 1e308, rng.uniform(-300, 300)])
    return shape, analytic(terms, rng), combined == "magnitude", outside


def analytic(terms, rng):
    """The terms, sometimes by the other norm, if all smooth."""
    if rng.random() < 0.6 or any(how and how[2] > 0 for how in itertools.chain(*terms)):
        return terms
    return [[how and (*how[:4], definition.ANALYTIC) for how in term] for term in terms]


def draw_constant(rng):
    """A case in which what is outside counts in each term: integers of 64 bits, huge and tiny
    floats. What is inside is the same, or nearly everywhere."""
    shape, terms, magnitude, _ = draw(rng)
    terms = [[how and (*how[:3], "zero", *how[4:]) for how in term] for term in terms]
    source = rng.choice(["i64", "u64", "f32", "f64", *TYPES])
    target = rng.choice([source, source, "i64", "u64", "f64", *TYPES])
    limits = definition.TYPES[source][1]
    if limits and rng.random() < 0.7:
        outside = rng.choice([2**62 + 12345, rng.randrange(-(2**63), 2**64), *limits])
    else:
        kind = rng.choice([source, "f64"])
        outside = float(number(kind, rng.choice(["plain", "ends", "wide"]), rng))
    low, high = limits or [rng.choice([1, -1]) * rounded(Fraction(outside), source)] * 2
    inside = min(max(outside, low), high)
    others = rng.choice([0.0, 0.0, 0.2])
    mood = rng.choice(["plain", "few", "ends"])
    inside = int(inside) if limits else inside
    values = [
        number(source, mood, rng) if rng.random() < others else inside
        for _ in range(math.prod(shape))
    ]
    return shape, terms, magnitude, outside, source, target, values
def draw_images(rng):
    """Arrays that engines of images may take: one or two smoothed axes, any others."""
    axes = rng.choice([1, 2, 2, 3, 3, 4, 5])
    while True:
        shape = [rng.choice([1, 2, 3, 4, 5, 7, 20, 40, 70]) for _ in range(axes)]
        if math.prod(shape) <= 300:
            break
    edge = rng.choice(EDGES)
    term: list = [None] * axes
    for axis in rng.sample(range(axes), min(axes, rng.randint(1, 2))):
        halo = rng.choice([0, 1, 1, 2, 3, 4, 5])
        term[axis] = (halo, rng.choice([halo / 3 or 0.5, rng.uniform(0.3, 3), 1e3]), 0, edge)
    return shape, analytic([term], rng), False, 0.0


def middle(target, rng):
    """Of two neighbouring results of a type: where rounding turns."""
    limits = definition.TYPES[target][1]
    if limits:
        return Fraction(rng.randint(max(limits[0], -(2**20)), min(limits[1], 2**20) - 1) * 2 + 1, 2)
    bits = definition.FLOATS[target][0]
    value = Fraction(2 * rng.randint(2 ** (bits - 1), 2**bits - 1) + 1, 2 ** (bits + 1))
    return value * rng.choice([1, -1])


def rounded(value, kind):
    letter = definition.TYPES[kind][0]
    return struct.unpack(letter, definition.round_value(value, kind))[0]


def near_middle(shape, term, values, source, target, rng):
    """Changes three samples so that the result in the middle of the array lies next to a middle:
    each corrects what the last one leaves."""
    bits = definition.definition_bits(source, target)
    place = [extent // 2 for extent in shape]
    windows = [
        [(at + k, w) for k, w in definition.taps(*how[:3], bits).items() if w]
        for at, how in zip(place, term)
    ]
    window = []
    for one in itertools.product(*windows):
        index = 0
        for (at, _), extent in zip(one, shape):
            index = index * extent + at
        window.append((Fraction(math.prod(w for _, w in one), 2 ** (bits * len(shape))), index))
    window.sort(key=lambda one: -abs(one[0]))
    wanted = middle(target, rng)
    wanted += rng.choice([0, 1, -1]) * Fraction(1, 2 ** rng.randint(40, 110)) * abs(wanted)
    for _, index in window[:3]:
        values[index] = 0.0
    left = wanted - sum(w * Fraction(values[i]) for w, i in window)
    for weight, index in window[:3]:
        value = rounded(left / weight, source)
        values[index] = 0.0 if math.isinf(value) else value
        left -= weight * Fraction(values[index])


def draw_near(rng):
    """A term whose window lies inside of the array, and the types of an attack."""
    axes = rng.choice([1, 1, 2, 2, 3])
    halos = [rng.randint(1, 6 if axes == 1 else 2) for _ in range(axes)]
    shape = [2 * halo + 1 + rng.randint(0, 3) for halo in halos]
    term = [(halo, rng.uniform(0.6, 3), rng.choice([0, 0, 0, 1, 2]), "clamp") for halo in halos]
    shape = [extent + (extent // 2 < halo) for extent, halo in zip(shape, halos)]
    source = rng.choice(["f32", "f32", "f64", "f64", "f16"])
    target = rng.choice([source, source, "u8", "i32", "u16", "f32"])
    values = [number(source, "plain", rng) for _ in range(math.prod(shape))]
    near_middle(shape, term, values, source, target, rng)
    return shape, [term], source, target, values


def run_case(libraries, rng):
    kind, oddity = rng.random(), 0.15
    if kind < 0.3:
        shape, terms, source, target, values = draw_near(rng)
        magnitude, outside, mood = False, 0.0, "near a middle"
    elif kind < 0.5:
        shape, terms, magnitude, outside, source, target, values = draw_constant(rng)
        mood = "a constant"
    else:
        images = rng.random() < 0.4
        shape, terms, magnitude, outside = draw_images(rng) if images else draw(rng)
        oddity = 0.03 if images else oddity
        source, target = rng.choice(TYPES[:3] if images else TYPES), rng.choice(TYPES)
        if images or rng.random() < 0.4:
            target = source
        mood = rng.choice(MOODS)
        values = [number(source, mood, rng) for _ in range(math.prod(shape))]
    count = math.prod(shape)
    letter = definition.TYPES[source][0]
    from_memory, from_array, from_places = array_of(shape, source, oddity, rng, is_source=True)
    for value, at in zip(values, from_places):
        struct.pack_into(letter, from_memory, at, value)
    # As they were rounded, and the last one of those that share a place.
    values = [struct.unpack_from(letter, from_memory, at)[0] for at in from_places]
    expected = list(
        definition.filter_array(values, shape, terms, magnitude, source, target, outside)
    )
    wrong = 0
    for library in libraries:
        part = [range(extent) for extent in shape]
        if rng.random() < 0.3:
            part = [
                range(*sorted((rng.randint(0, n), rng.randint(0, n))))
                if rng.random() < 0.6
                else range(n)
                for n in shape
            ]
        to_memory, to_array, to_places = array_of([len(one) for one in part], target, oddity, rng)
        untouched = bytearray(to_memory.raw)
        first = (c.c_int64 * max(len(shape), 1))(*(one.start for one in part))
        whole = all(len(one) == extent for one, extent in zip(part, shape))
        library.run(terms, magnitude, outside, from_array, to_array, None if whole else first)
        wanted = (
            want
            for want, place in zip(expected, itertools.product(*(range(n) for n in shape)))
            if all(at in one for at, one in zip(place, part))
        )
        for want, at in zip(wanted, to_places):
            got = to_memory.raw[at : at + len(want)]
            untouched[at : at + len(want)] = want
            wrong += got != want
        if to_memory.raw != bytes(untouched):
            wrong += 1
            print(
                f"wrong: {library.name}, {source} to {target}, {mood}, shape {shape}, terms {terms}, "
                f"magnitude {magnitude}, outside {outside}"
            )
    return count * len(libraries), wrong


def check_real(library, rng):
    """Results are the real Gaussian's, rounded, but for what weights of 62 bits leave: how many are
    not."""
    halo, sigma, extent, wrong = 9, 2.5, 60, 0
    term = [(halo, sigma, 0, "reflect")]
    for kinds in ("u8 f64", "f32 f64", "i32 f64", "i32 i32", "f32 i64"):
        source, target = kinds.split()
        letters = [definition.TYPES[kind][0] for kind in (source, target)]
        limits = definition.TYPES[source][1]
        values = [
            rng.randint(*limits) if limits else math.ldexp(rng.getrandbits(24), 38)
            for _ in range(extent)
        ]
        from_memory, from_array, from_places = array_of([extent], source, 0.15, rng)
        to_memory, to_array, to_places = array_of([extent], target, 0.15, rng)
        for value, at in zip(values, from_places):
            struct.pack_into(letters[0], from_memory, at, value)
        library.run([term], False, 0.0, from_array, to_array)
        left = Fraction((2 * halo + 1) * int(max(map(abs, values))), 2**62)
        for x, at in enumerate(to_places):
            real, _ = definition.filter_sample(values, [extent], [x], term, 300, 0.0)
            found = struct.unpack_from(letters[1], to_memory, at)[0]
            half = Fraction(math.ulp(found)) / 2 if target == "f64" else Fraction(1, 2)
            wrong += abs(Fraction(found) - real) > half + left
    if wrong:
        print(f"{library.name}: {wrong} samples are not those of the real Gaussian")
    return wrong


def main() -> int:
    path = sys.argv[1]
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    seed = int(sys.argv[3] if len(sys.argv) > 3 else os.environ.get("SMOOTHIMG_TEST_TURN", 1))
    ways = ((None, 1), (None, 3), ("reference", 1), ("arrays", 2))
    libraries = [Library(path, *way) for way in ways]
    samples = 0
    wrong = sum(check_real(library, random.Random(seed)) for library in libraries)
    for case in range(cases):
        rng = random.Random(f"{seed} {case}")
        some, bad = run_case(libraries, rng)
        samples += some
        if bad:
            print(f"  case {case} of seed {seed}: {bad} wrong")
        wrong += bad
    chosen = sum((library.chosen for library in libraries), Counter())
    print(", ".join(f"{name} {count}" for name, count in sorted(chosen.items())))
    print(f"{cases} cases, {samples} samples, {wrong} wrong")
    return wrong > 0 or not {"arrays", "reference", "cpu:u8", "cpu:lines"} <= set(chosen)


if __name__ == "__main__":
    sys.exit(main())
