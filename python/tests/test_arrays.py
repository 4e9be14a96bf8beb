# SPDX-License-Identifier: MIT
"""Tests properties of results, for arrays of any type and number of axes. (test_same_bytes tests the samples, for every
pair of types.)"""

import itertools
import math
import unittest

import numpy as np
from common import noise

import smoothimg
from smoothimg import (
    gaussian_filter,
    gaussian_filter1d,
    gaussian_gradient_magnitude,
    gaussian_laplace,
)

TYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()
# Integers for the argument cval. A double cannot represent them, except the last two.
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


def raw(array):
    """Returns the array's bytes in C order and the machine's byte order."""
    return np.ascontiguousarray(array, array.dtype.newbyteorder("=")).tobytes()


class Rules(unittest.TestCase):
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
                if len(shape) > 1:
                    image = np.zeros(shape, source)
                    turned = smoothimg.transpose(image)
                    self.assertEqual((turned.shape, turned.dtype), (np.swapaxes(image, 0, 1).shape, image.dtype))
                    self.assertIs(smoothimg.reverse(image, out=image), image)

        nothing = np.zeros(9)[3:3].reshape(0, 3)
        self.assertIs(gaussian_filter(nothing, 1, output=nothing), nothing)

    def test_no_axes(self):
        """As in SciPy, samples do not change if no axis is filtered: a scalar has none, and axes=() selects none."""
        for image in (np.array(-3), np.array(2.5), np.uint8(7), 4, np.arange(-3, 3), noise((3, 4))):
            named = {"axes": ()} if np.ndim(image) else {}
            for function in (gaussian_filter, gaussian_laplace, gaussian_gradient_magnitude):
                made = function(image, 1, **named)
                self.assertTrue((made == image).all() and made.shape == np.shape(image))
                self.assertFalse(np.shares_memory(made, image))

    def test_many_axes(self):
        """A window of 12 axes has 9^12 taps, but only 2^12 samples. The order of axes does not matter."""
        image = np.random.default_rng(1).random((2,) * 12)
        made = gaussian_filter(image, 1)
        self.assertEqual(raw(gaussian_filter(image.T, 1)), raw(made.T))
        self.assertEqual(raw(gaussian_filter(np.flip(image), 1)), raw(np.flip(made)))

    def test_sigma_of_nothing(self):
        """Along an axis with sigma 0 a filter leaves the samples as they are, even if it would compute a derivative. So
        the Laplacian, a sum of two such filters, gives twice the samples."""
        for source in ("u1", "i4", "f4", "f8"):
            image = noise((5, 6)).astype(source)
            self.assertTrue((gaussian_filter(image, 0, 2) == image).all())
            self.assertTrue((gaussian_filter(image, (0, 1)) == gaussian_filter1d(image, 1)).all())
            doubled = gaussian_laplace(image, 0, output="i4")
            self.assertTrue((doubled == 2 * image.astype("i4")).all())
        found = gaussian_gradient_magnitude(np.array([-3, 0, 4], "f4"), 0)
        self.assertEqual(found.tolist(), [3, 0, 4])

    def test_derivatives_of_no_radius(self):
        """With radius 0 the only weight is that of the sample itself: 0 for the first derivative, and -1 / sigma^2 for
        the second one. The Laplacian adds the second derivatives along the two axes."""
        image = noise((6, 7)).astype(float)
        self.assertTrue((gaussian_laplace(image, 2, radius=0) == -image / 2).all())
        self.assertTrue(
            (gaussian_laplace(image, 0.1, truncate=1, output=int) == -200 * image).all()
        )
        self.assertFalse(gaussian_gradient_magnitude(image, 1, radius=0).any())

    def test_overlapping(self):
        """The output has wider samples than the input, and overlaps it in memory."""
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
            self.assertIs(gaussian_filter(given, 1, output=given), given)

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
        # A sigma of 0 filters nothing: the mode has no effect on that term.
        for cval in (math.nan, math.inf):
            named = {"mode": "constant", "cval": cval}
            expected = np.stack([image, gaussian_filter(image, (0, 1, 0), **named)])
            self.assertEqual(raw(smoothimg.gaussian_filters(image, (0, (0, 1, 0)), **named)), raw(expected))
            found = smoothimg.difference_of_gaussians(image, 0, 1, **named)
            self.assertTrue((np.isfinite(found) == np.isfinite(gaussian_filter(image, 1, **named))).all())
            named["cval"] = complex(1, cval)
            expected = gaussian_filter(image * 1j, 1, **named)
            self.assertEqual(raw(smoothimg.Filter(1, **named)(image * 1j)), raw(expected))

    def test_cval_is_exact(self):
        """cval, the constant outside of an array of 64-bit integers, is not rounded. The result is the same as for a
        larger array in which the samples are surrounded by this constant."""
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


if __name__ == "__main__":
    unittest.main()
