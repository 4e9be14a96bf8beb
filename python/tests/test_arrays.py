# SPDX-License-Identifier: MIT
"""Filters of arrays of any type and number of axes: against the definition in fractions, and larger
ones against SciPy in double precision, rounded."""

import importlib.util
import itertools
import math
import os
import random
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from common import noise, overlapping, strange_layouts

import smoothimg
from smoothimg import (
    gaussian_filter,
    gaussian_filter1d,
    gaussian_gradient_magnitude,
    gaussian_laplace,
)

PATH = Path(__file__).parents[2] / "tests" / "arrays" / "definition.py"
SPEC = importlib.util.spec_from_file_location("definition_of_arrays", PATH)
definition = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(definition)

# NumPy's types, and the definition's names.
TYPES = {
    "?": "bool",
    "i1": "i8",
    "u1": "u8",
    "i2": "i16",
    "u2": "u16",
    "i4": "i32",
    "u4": "u32",
    "i8": "i64",
    "u8": "u64",
    "f2": "f16",
    "f4": "f32",
    "f8": "f64",
    "c8": "f32",
    "c16": "f64",
}
EDGES = {
    "nearest": "clamp",
    "reflect": "reflect",
    "grid-mirror": "reflect",
    "mirror": "mirror",
    "wrap": "wrap",
    "grid-wrap": "wrap",
    "constant": "zero",
    "grid-constant": "zero",
}
# Integers that no double holds, but for the last two.
CONSTANTS = (
    2**62 + 12345,
    -(2**62) - 1,
    2**63 - 1,
    2**64 - 1,
    np.int64(1 - 2**63),
    np.uint64(2**63 + 1),
    np.array(2**53 + 1),
    -(2**63),
    2**64,
)
PLAIN = ("nearest", "reflect", "mirror", "wrap", "constant")


def exactly(number):
    return int(number) if isinstance(number, (int, np.integer, np.ndarray)) else float(number)


class Case:
    """A call at random. names: of its input's and its output's types, each as NumPy's."""

    def __init__(self, seed, source, target):
        self.rng = random.Random(seed)
        self.function = self.rng.choice(
            (gaussian_filter, gaussian_filter, gaussian_laplace, gaussian_gradient_magnitude)
        )
        if source.startswith("c") and self.function is gaussian_gradient_magnitude:
            self.function = gaussian_laplace
        self.source, self.target = source, target
        ndim = self.rng.randint(1, 5)
        self.shape = [self.rng.randint(1, 9 // ndim + 1) for _ in range(ndim)]
        self.axes = self.rng.sample(range(ndim), self.rng.randint(1, ndim))
        self.sigma = [self.rng.choice((0, 0.4, 0.8, 1, 1.7)) for _ in self.axes]
        self.radius = [self.rng.randint(0, 4 if ndim < 3 else 1) for _ in self.axes]
        self.order = [self.rng.choice((0, 0, 1, 2, 3, 4)) for _ in self.axes]
        self.mode = [self.rng.choice(list(EDGES)) for _ in self.axes]
        self.cval = self.rng.choice((0, 1, -2.5, 1e-3, 2**40, 300, -7, *CONSTANTS))
        if source.startswith("c") and self.rng.random() < 0.5:
            self.cval = complex(self.cval, -3)
        if source[0] in "fc" and self.function is gaussian_filter and self.rng.random() < 0.2:
            self.cval = self.rng.choice((math.nan, math.inf, -math.inf))
        self.array = self.samples()

    def samples(self):
        count = math.prod(self.shape)
        dtype = np.dtype(self.source)
        if dtype.kind == "c":
            dtype = np.dtype(f"f{dtype.itemsize // 2}")
            count *= 2
        made = np.array([self.sample(dtype) for _ in range(count)], dtype)
        return made.view(self.source).reshape(self.shape)

    def sample(self, dtype):
        if dtype.kind == "b":
            return self.rng.random() < 0.5
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            ends = [int(limits.min), int(limits.max), 0, 1]
            return self.rng.choice([*ends, self.rng.randint(ends[0], ends[1])])
        limits = np.finfo(dtype)
        values = [0.0, -0.0, 1.0, -1.0, float(limits.smallest_subnormal), float(limits.max) / 16]
        if self.rng.random() < 0.02:
            return self.rng.choice((math.inf, -math.inf, math.nan))
        return self.rng.choice([*values, *(self.rng.gauss(0, 1) for _ in range(6))])

    def terms(self):
        """For each term, how each axis of the array is filtered, as the definition takes it."""
        if self.function is gaussian_filter:
            return [self.term(self.order, self.mode)]
        order = 2 if self.function is gaussian_laplace else 1
        return [
            self.term([order * (i == j) for j in range(len(self.axes))], [mode] * len(self.axes))
            for i, mode in enumerate(self.mode)
        ]

    def term(self, orders, modes):
        term = [None] * len(self.shape)
        for axis, sigma, radius, order, mode in zip(
            self.axes, self.sigma, self.radius, orders, modes
        ):
            if sigma > 0:
                term[axis] = (radius, sigma, order, EDGES[mode])
        return term

    def expected(self):
        """The bytes of the result's samples, in C order."""
        array = np.ascontiguousarray(self.array)
        parts = [
            part.ravel()
            for part in ((array.real, array.imag) if array.dtype.kind == "c" else (array,))
        ]
        cval = self.cval if isinstance(self.cval, complex) else exactly(self.cval)
        magnitude = self.function is gaussian_gradient_magnitude
        found = [
            list(
                definition.filter_array(
                    part.tolist(),
                    self.shape,
                    self.terms(),
                    magnitude,
                    TYPES[self.source],
                    TYPES[self.target],
                    outside,
                )
            )
            for part, outside in zip(parts, (cval.real, cval.imag))
        ]
        if self.target.startswith("c") and len(found) == 1:
            found.append([bytes(len(found[0][0]))] * len(found[0]))
        return b"".join(itertools.chain(*zip(*found)))

    def is_copied(self):
        """An image that is smoothed along no axis, in which a zero keeps its sign."""
        orders = self.order if self.function is gaussian_filter else [2] * len(self.axes)
        reach = [r or d for s, r, d in zip(self.sigma, self.radius, orders) if s > 0]
        laplace = self.function is gaussian_laplace
        single = self.function is gaussian_filter or laplace and len(self.axes) == 1
        return self.source == self.target == "f4" and single and not any(reach)

    def arguments(self):
        named = {name: getattr(self, name) for name in ("sigma", "radius", "mode", "axes", "cval")}
        if self.function is gaussian_filter:
            named["order"] = self.order
        return named

    def outputs(self):
        """(name, output) for the result."""
        dtype = np.dtype(self.target)
        yield "a type", dtype
        yield "foreign", np.full(self.shape, 1, dtype.newbyteorder())
        yield "Fortran", np.full(self.shape, 1, dtype, order="F")
        yield "upside down", np.full(self.shape, 1, dtype)[::-1]
        doubled = [2 * extent for extent in self.shape]
        yield "every second", np.full(doubled, 1, dtype)[(slice(None, None, 2),) * len(self.shape)]


def raw(array):
    """The bytes of its samples, in C order and the machine's byte order."""
    return np.ascontiguousarray(array, array.dtype.newbyteorder("=")).tobytes()


class Definition(unittest.TestCase):
    def check(self, case, name, given, output):
        found = case.function(given, output=output, **case.arguments())
        self.assertEqual(found.dtype.newbyteorder("="), np.dtype(case.target), name)
        self.assertTrue(output is found or not isinstance(output, np.ndarray), name)
        if case.is_copied():
            found = found + np.zeros((), found.dtype)
        self.assertEqual(
            raw(found), case.wanted, (name, case.function, case.shape, case.arguments())
        )

    def test_every_pair_of_types(self):
        """With inputs and outputs of any layout."""
        for number, (source, target) in enumerate(itertools.product(TYPES, TYPES)):
            if source.startswith("c") and not target.startswith("c"):
                continue
            for turn in range(TURNS):
                seed = TURNS * number + turn + 100000 * SEED
                case = Case(seed, source, target)
                case.wanted = case.expected()
                before = case.array.copy()
                layouts = list(strange_layouts(case.array))
                for (name, given), (other, output) in zip(
                    case.rng.sample(layouts, 5), case.outputs()
                ):
                    with self.subTest(seed=seed, types=f"{source} {target}"):
                        self.check(case, f"{name}, into {other}", given, output)
                self.assertEqual(raw(case.array), raw(before))

    def test_into_itself(self):
        for source in TYPES:
            case = Case(f"{SEED} {source}", source, source)
            case.wanted = case.expected()
            for number in range(len(list(strange_layouts(case.array)))):
                name, array = list(strange_layouts(case.array.copy()))[number]
                if not array.flags.writeable:
                    continue
                with self.subTest(types=source):
                    self.check(case, f"itself, {name}", array, array)

    def test_one_axis(self):
        for number, source in enumerate(TYPES):
            case = Case(f"{number} {SEED}", source, source)
            case.function = gaussian_filter
            for axis in range(len(case.shape)):
                case.axes = [axis]
                case.sigma, case.order, case.mode = [1.2], [number % 5], [PLAIN[axis]]
                case.radius = [3]
                found = gaussian_filter1d(
                    case.array,
                    1.2,
                    axis - len(case.shape),
                    number % 5,
                    None,
                    PLAIN[axis],
                    case.cval,
                    radius=3,
                )
                self.assertEqual(raw(found), case.expected(), (source, axis))


class Rules(unittest.TestCase):
    """What is not in a sample's value."""

    def test_type_of_the_result(self):
        for source in TYPES:
            image = np.zeros((4, 5), source)
            for function in (gaussian_filter, gaussian_laplace, gaussian_gradient_magnitude):
                for made in (
                    function(image, 1),
                    function(image.byteswap().view(image.dtype.newbyteorder()), 1),
                ):
                    self.assertEqual(made.dtype, np.dtype(source))
                self.assertTrue(function(np.asfortranarray(image), 1).flags.f_contiguous)

    def test_no_samples(self):
        for shape in ((0,), (0, 3), (3, 0), (2, 0, 4), (0, 0)):
            for source in TYPES:
                for function in (gaussian_filter, gaussian_laplace, gaussian_gradient_magnitude):
                    made = function(np.zeros(shape, source), 1)
                    self.assertEqual((made.shape, made.dtype), (shape, np.dtype(source)))
                made = gaussian_filter(np.zeros(shape, source), 1, 1, output="c16", mode="wrap")
                self.assertEqual((made.shape, made.dtype), (shape, np.dtype("c16")))

        nothing = np.zeros(9)[3:3].reshape(0, 3)
        self.assertIs(gaussian_filter(nothing, 1, output=nothing), nothing)

    def test_no_axes(self):
        """As in SciPy, what is filtered along no axis is the input."""
        for image in (np.array(-3), np.array(2.5), np.uint8(7), 4, np.arange(-3, 3), noise((3, 4))):
            named = {"axes": ()} if np.ndim(image) else {}
            for function in (gaussian_filter, gaussian_laplace, gaussian_gradient_magnitude):
                made = function(image, 1, **named)
                self.assertTrue((made == image).all() and made.shape == np.shape(image))

    def test_sigma_of_nothing(self):
        """An axis with sigma 0 is left alone, and there is no derivative along it."""
        for source in ("u1", "i4", "f4", "f8"):
            image = noise((5, 6)).astype(source)
            self.assertTrue((gaussian_filter(image, 0, 2) == image).all())
            self.assertTrue((gaussian_filter(image, (0, 1)) == gaussian_filter1d(image, 1)).all())
            doubled = gaussian_laplace(image, 0, output="i4")
            self.assertTrue((doubled == 2 * image.astype("i4")).all())
        found = gaussian_gradient_magnitude(np.array([-3, 0, 4], "f4"), 0)
        self.assertEqual(found.tolist(), [3, 0, 4])

    def test_derivatives_of_no_radius(self):
        """Whose other terms are the array itself."""
        image = noise((6, 7)).astype(float)
        self.assertTrue((gaussian_laplace(image, 2, radius=0) == -image / 2).all())
        self.assertTrue(
            (gaussian_laplace(image, 0.1, truncate=1, output=int) == -200 * image).all()
        )
        self.assertFalse(gaussian_gradient_magnitude(image, 1, radius=0).any())

    def test_overlapping(self):
        """The input and the output in one memory."""
        for dtype, (name, source, out) in itertools.product(("i4", "c8"), overlapping()):
            memory = noise((20, 9)).astype(dtype)
            memory *= np.array(1 + 2j).astype(dtype) if dtype == "c8" else 3
            expected = gaussian_filter(source(memory).copy(), 1, mode="wrap")
            gaussian_filter(source(memory), 1, output=out(memory), mode="wrap")
            self.assertTrue((out(memory) == expected).all(), (dtype, name))
        memory = np.arange(24).astype("c16") * (1 - 2j)
        source = memory.view("c8")[:24]
        expected = gaussian_filter(source.copy(), 1, output="c16")
        gaussian_filter(source, 1, output=memory)
        self.assertTrue((memory == expected).all())

    def test_subclasses(self):
        for given in (np.ma.array(np.eye(4)), np.eye(4).view(np.recarray)):
            found = gaussian_filter(given, 1)
            self.assertIs(type(found), np.ndarray)
            self.assertTrue((found == gaussian_filter(np.eye(4), 1)).all())

    def test_cval_that_is_no_number(self):
        image = noise((9, 8, 7)).astype(float)
        named = {"sigma": 1, "radius": 2, "mode": "constant", "cval": math.nan}
        for function in (gaussian_filter, gaussian_laplace, gaussian_gradient_magnitude):
            found, out = function(image, **named), np.asfortranarray(image)
            inside = (slice(2, -2),) * 3
            self.assertEqual(np.isfinite(found).sum(), np.isfinite(found[inside]).sum())
            expected = function(image, **{**named, "cval": 0})[inside]
            self.assertTrue((found[inside] == expected).all())
            self.assertEqual(raw(function(out, output=out, **named)), raw(found))

    def test_cval_is_exact(self):
        """Of integers of 64 bits: the result is that of an array with the constant around it."""
        functions = (gaussian_filter, gaussian_laplace, gaussian_gradient_magnitude)
        for cval, dtype, shape in itertools.product(CONSTANTS, ("i8", "u8"), ((3,), (4, 5))):
            limits, value = np.iinfo(dtype), int(cval)
            if not limits.min <= value <= limits.max:
                continue
            flat, inside = np.full(shape, value, dtype), (slice(4, -4),) * len(shape)
            around = np.full([extent + 8 for extent in shape], value, dtype)
            for function, output in itertools.product(functions, (dtype, "f8")):
                found = function(flat, 1, output=output, mode="constant", cval=cval)
                expected = function(around, 1, output=output, mode="wrap")[inside]
                self.assertEqual(raw(found), raw(expected), (cval, dtype, function, output))
                if function is gaussian_filter:
                    self.assertTrue((found == flat.astype(output)).all())
        for cval in (2**64 + 1, -(2**63) - 1, 10**30):
            for image in (np.eye(3), np.eye(3, dtype=np.uint64)):
                with self.assertRaisesRegex(ValueError, "at most 64 bits; float"):
                    gaussian_filter(image, 1, mode="constant", cval=cval)
                gaussian_filter(image, 1, mode="constant", cval=float(cval))

    def test_threads(self):
        """Calls at once, each of which uses all processors."""
        images = [np.random.default_rng(seed).normal(size=(30, 40, 20)) for seed in range(8)]
        expected = [gaussian_filter(image, 1.5, (0, 1, 2)) for image in images]
        with ThreadPoolExecutor(8) as pool:
            for _ in range(3):
                found = pool.map(lambda image: gaussian_filter(image, 1.5, (0, 1, 2)), images)
                for one, other in zip(found, expected):
                    self.assertTrue((one == other).all())


class Larger(unittest.TestCase):
    """Against SciPy in double precision, whose errors are far below what integers are rounded at."""

    def test_volumes(self):
        from scipy import ndimage

        for source, target, mode in itertools.product(("u1", "i2", "u2"), ("u1", "i4"), PLAIN):
            image = noise((23, 31, 19), source)
            arguments = {"sigma": (0.8, 2.5, 1.4), "mode": mode, "truncate": 3}
            for name in ("filter", "laplace", "gradient_magnitude"):
                ours = getattr(smoothimg, f"gaussian_{name}")(image, output=target, **arguments)
                theirs = getattr(ndimage, f"gaussian_{name}")(image.astype(float), **arguments)
                limits = np.iinfo(target)
                rounded = np.clip(np.floor(theirs + 0.5), limits.min, limits.max)
                self.assertEqual(np.count_nonzero(ours != rounded), 0, (source, target, mode, name))

    def test_modes_of_each_axis(self):
        from scipy import ndimage

        image = noise((13, 17, 11), np.int16)
        for modes in itertools.product(PLAIN, repeat=3):
            for order in (0, (1, 0, 2)):
                ours = gaussian_filter(image, 1.2, order, "i4", modes)
                theirs = ndimage.gaussian_filter(image.astype(float), 1.2, order, None, modes)
                self.assertTrue((ours == np.floor(theirs + 0.5)).all(), (modes, order))


# Cases of each pair of types; another sample each day, where the tests' runner says which.
TURNS = 3
SEED = int(os.environ.get("SMOOTHIMG_TEST_TURN", "0"))

if __name__ == "__main__":
    unittest.main()
