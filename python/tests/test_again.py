# SPDX-License-Identifier: MIT
"""Tests repeated calls. The package keeps what it has prepared for a call, and uses it for later calls with equal
arguments and similar arrays. The results of such calls must be right, and wrong arguments refused."""

import itertools
import random
import unittest

import numpy as np
from common import DTYPES, noise, overlapping, strange_layouts, strided

import smoothimg

SHAPE = (40, 40)


def fresh(image, **options):
    return smoothimg.Filter(1.5)(image, **options)


class Again(unittest.TestCase):
    def check(self, found, expected, message=None):
        self.assertTrue((found == expected).all(), message)
        self.assertEqual(found.dtype, expected.dtype, message)
        self.assertEqual(found.strides, expected.strides, message)

    def test_gaussian_filter_is_strict(self):
        for right, wrong, error in (
            ({"order": 0}, {"order": 0.0}, TypeError),
            ({"order": (0, 0)}, {"order": (0.0, 0)}, TypeError),
            ({"radius": 2}, {"radius": 2.0}, ValueError),
            ({"radius": (2, 2)}, {"radius": (2.0, 2)}, ValueError),
            ({"cval": 1}, {"cval": 1j}, TypeError),
            ({"axes": (0, 1)}, {"axes": (0.0, 1)}, TypeError),
            ({"nan": "skip"}, {"nan": "skipped"}, ValueError),
            ({"truncate": 4}, {"truncate": -4}, ValueError),
        ):
            for dtype in (np.uint8, np.int32) * 2:
                image = noise(SHAPE).astype(dtype)
                smoothimg.gaussian_filter(image, 1, **right)
                with self.assertRaises(error, msg=wrong):
                    smoothimg.gaussian_filter(image, 1, **wrong)

    def test_gaussian_filter_takes_another_way(self):
        """A call that differs from the call before in a single argument does not get the result of that call. The first
        call, repeated, gives its first result."""
        for dtype, wrong in itertools.product(
            (np.uint8, np.float64),
            (
                {"order": 1},
                {"mode": "constant", "cval": 1},
                {"output": np.float32},
                {"sigma": (1, 2)},
                {"axes": 1},
                {"radius": 1},
                {"truncate": 1},
            ),
        ):
            image = noise(SHAPE).astype(dtype)
            usual = smoothimg.gaussian_filter(image, 1)
            found = smoothimg.gaussian_filter(image, **{"sigma": 1, **wrong})
            self.assertTrue((found != usual).any(), wrong)
            self.check(smoothimg.gaussian_filter(image, 1), usual)

    def test_wrong_arguments(self):
        soften, image = smoothimg.Filter(1.5), noise(SHAPE)
        soften(image, threads=1, axes=(0, 1))
        for error, wrong in (
            (TypeError, {"threads": 1.0}),
            (ValueError, {"threads": 1025}),
            (TypeError, {"axes": (0.0, 1.0)}),
            (ValueError, {"axes": (0, 2)}),
            (ValueError, {"out": np.empty((40, 41), np.uint8)}),
            (TypeError, {"out": [1]}),
        ):
            with self.assertRaises(error, msg=wrong):
                soften(image, **{"threads": 1, "axes": (0, 1), **wrong})

    def test_axes(self):
        soften, image = smoothimg.Filter((1, 2)), noise((8, 8, 8))
        for axes in ((0, 1), (1, 2), (0, 1), (2, 0), [0, 1], [1, 2]):
            for _ in range(2):
                expected = smoothimg.Filter((1, 2))(image, axes=axes)
                self.check(soften(image, axes=axes), expected, axes)
        lasting = [0, 1]
        soften(image, axes=lasting)
        lasting[1] = 2
        self.check(
            soften(image, axes=lasting), smoothimg.Filter((1, 2))(image, axes=(0, 2)), lasting
        )

    def test_arguments_that_change(self):
        """An argument may be the same object as in the call before and have another value, for example a tensor of one
        sample. The result must be that for the new value."""

        class Number:
            def __init__(self, value):
                self.value = value

            def __float__(self):
                return float(self.value)

            __index__ = __int__ = lambda self: int(self.value)

        image, sigma, axis, radius = noise((8, 8, 8)), Number(1.5), Number(0), Number(2)
        soften = smoothimg.Filter(1.5)
        for sigma.value, axis.value, radius.value in ((1.5, 0, 2), (0.7, 1, 3), (1.5, 0, 2)):
            for axes in ((axis, 2), (axis.value, 2)):
                found = smoothimg.gaussian_filter(image, sigma, radius=radius, axes=axes)
                expected = smoothimg.gaussian_filter(
                    image, float(sigma), radius=int(radius), axes=axes
                )
                self.check(found, expected, (sigma.value, axis.value, radius.value))
        lasting = (axis, 2)
        for axis.value in (0, 1, 0):
            self.check(soften(image, axes=lasting), fresh(image, axes=(axis.value, 2)), axis.value)


def layouts(image):
    """Yields (name, array). The arrays equal the image, and have many layouts and both byte orders."""
    for order in "=", "S":
        swapped = image.astype(image.dtype.newbyteorder(order))
        for name, array in itertools.chain(strange_layouts(swapped), strided(swapped)):
            yield f"{array.dtype.str} {name}", array


def with_nan(shape):
    image = noise(shape, np.float32)
    image[tuple(extent // 2 for extent in shape)] = np.nan
    return image


def smooth(sigma, **options):
    return lambda image, out=None: smoothimg.gaussian_filter(image, sigma, output=out, **options)


def again(soften, **options):
    return lambda image, out=None: soften(image, out=out, **options)


# {name: (a function that calls the package, images for it)}.
CALLS = {
    "gaussian_filter": (smooth(1.3), [noise((7, 6), dtype) for dtype in DTYPES]),
    "rows": (smooth(1.3, axes=(1,)), [noise((7, 6), dtype) for dtype in DTYPES]),
    "a column": (smooth(1.3), [noise((7, 1), dtype) for dtype in DTYPES]),
    "colours": (smooth(1.3, axes=(0, 1)), [noise((5, 6, 3), dtype) for dtype in DTYPES]),
    "a batch": (smooth(1.3, axes=(1, 2)), [noise((3, 5, 4), dtype) for dtype in DTYPES]),
    "NaN is skipped": (smooth(1.3, nan="skip"), [with_nan((7, 6))]),
    "NaN": (smooth(1.3), [with_nan((7, 6))]),
    "Filter": (again(smoothimg.Filter(1.3)), [noise((7, 6), dtype) for dtype in DTYPES]),
    "Filter of a batch": (
        again(smoothimg.Filter(1.3, mode="wrap"), axes=(1, 2), threads=1),
        [noise((3, 5, 4), dtype) for dtype in DTYPES],
    ),
    "alpha": (
        again(smoothimg.Filter(1.3, alpha=True)),
        [noise((5, 6, 4), dtype) for dtype in DTYPES[:2]],
    ),
    "alpha of a batch": (
        again(smoothimg.Filter(1.3, alpha=True), axes=(1, 2)),
        [noise((3, 4, 5, 4), dtype) for dtype in DTYPES[:2]],
    ),
    "any type": (
        smooth(1.3, mode="constant", cval=7),
        [noise((7, 6)).astype(dtype) for dtype in "i2 i4 u8 f2 f4 f8 c8".split()],
    ),
    "a derivative": (smooth(1.3, order=(0, 1)), [noise((7, 6), dtype) for dtype in DTYPES]),
    "transpose": (
        lambda image, out=None: smoothimg.transpose(image, out=None if out is None else out.T),
        [noise((7, 6), dtype) for dtype in DTYPES],
    ),
    "reverse": (
        lambda image, out=None: smoothimg.reverse(image, out=out),
        [noise((7, 6), dtype) for dtype in DTYPES],
    ),
}


class ThreeTimes(unittest.TestCase):
    """Makes each call three times, with arrays of each layout. The results must have the bytes that the call gives for
    contiguous arrays."""

    def three_times(self, call, image, source, out, expected, what):
        """Copies the image into out, and into source if it is writable, before each of three calls. The two arrays may
        overlap, and out may be None."""
        strides = set()
        for turn in range(3):
            if out is not None:
                out[...] = image
            if source.flags.writeable:
                source[...] = image
            made = call(source, out)
            strides.add(made.strides)
            native = made.dtype.newbyteorder("=")
            self.assertEqual(made.astype(native).tobytes(), expected.tobytes(), (*what, turn))
        self.assertEqual(len(strides), 1, what)

    def test_layouts(self):
        """The arrays of a call, of all layouts and types, follow each other in a random order."""
        choose = random.Random(3)
        for name, (call, images) in CALLS.items():
            tries = []
            for image in images:
                expected = call(image.copy())
                sources, outs = list(layouts(image)), list(layouts(np.zeros_like(image)))
                pairs = [(one, (None, None)) for one in sources] + list(zip(sources, outs))
                pairs += [(one, one) for one in sources]
                pairs += zip(choose.choices(sources, k=100), choose.choices(outs, k=100))
                tries += [(image, expected, *pair) for pair in choose.sample(pairs, 200)]
            for image, expected, (source, array), (place, out) in choose.sample(tries, len(tries)):
                what = name, image.dtype, source, place
                if out is not None and not out.flags.writeable:
                    with self.assertRaisesRegex(ValueError, "read-only", msg=what):
                        call(array, out)
                else:
                    self.three_times(call, image, array, out, expected, what)

    def test_overlaps(self):
        for (name, source, out), order, dtype in itertools.product(
            overlapping(), "=S", (*DTYPES, "i4", "c8")
        ):
            memory = np.zeros((20, 9), np.dtype(dtype).newbyteorder(order))
            image = noise(source(memory).shape, dtype) if dtype in DTYPES else noise(source(memory).shape).astype(dtype)
            image = image + 2j * image[::-1] if dtype == "c8" else image
            for which in "gaussian_filter", "rows", "Filter", "a derivative", "reverse":
                call, what = CALLS[which][0], (which, name, order)
                expected = call(image.copy())
                self.three_times(call, image, source(memory), out(memory), expected, what)


if __name__ == "__main__":
    unittest.main()
