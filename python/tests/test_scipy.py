# SPDX-License-Identifier: MIT
"""Tests that gaussian_filter gives SciPy's result in double precision, rounded, in every sample."""

import itertools
import unittest

import numpy as np
from common import DTYPES, by_scipy, noise

import smoothimg

MODES = (
    "nearest",
    "reflect",
    "grid-mirror",
    "mirror",
    "wrap",
    "grid-wrap",
    "constant",
    "grid-constant",
)
SIGMAS = (0, 1e-16, 0.3, 0.7, 1, 2.5, 4.123, 9)


class Scipy(unittest.TestCase):
    def same(self, image, expected, **arguments):
        found = smoothimg.gaussian_filter(image, **arguments)
        self.assertEqual((found.dtype, found.shape), (image.dtype, image.shape))
        self.assertEqual(np.count_nonzero(found != expected), 0, (image.shape, arguments))
        self.assertFalse(np.shares_memory(found, image), arguments)

    def test_modes_and_sigmas(self):
        for dtype, mode, sigma in itertools.product(DTYPES, MODES, SIGMAS):
            image = noise((41, 67), dtype)
            self.same(image, by_scipy(image, (sigma, sigma), mode=mode), sigma=sigma, mode=mode)

    def test_truncate(self):
        image = noise((50, 50), np.uint16)
        for truncate, sigma in itertools.product((0, 0.1, 1, 2.5, 3, 4.2, 6), SIGMAS):
            expected = by_scipy(image, (sigma, sigma), truncate=truncate)
            self.same(image, expected, sigma=sigma, truncate=truncate)

    def test_radius(self):
        image = noise((33, 47))
        for radius, sigma in itertools.product((0, 1, 7, 40, 200), (0.5, 3, 40)):
            expected = by_scipy(image, (sigma, sigma), (radius, radius))
            self.same(image, expected, sigma=sigma, radius=radius)
            self.same(image, expected, sigma=[sigma, sigma], radius=(radius, radius))

    def test_axes_of_batches_and_channels(self):
        for shape, dtype in itertools.product(((7, 31, 5), (31, 29, 3), (2, 3, 17, 23)), DTYPES):
            image = noise(shape, dtype)
            pairs = itertools.permutations(range(image.ndim), 2)
            for axes in pairs:
                sigmas = [1.5 if axis in axes else 0 for axis in range(image.ndim)]
                self.same(image, by_scipy(image, sigmas), sigma=1.5, axes=axes)
                negative = tuple(axis - image.ndim for axis in axes)
                self.same(image, by_scipy(image, sigmas), sigma=1.5, axes=negative)

    def test_sigma_for_each_axis(self):
        for shape, dtype in itertools.product(((31, 29), (19, 17, 4), (5, 19, 40)), DTYPES):
            image = noise(shape, dtype)
            for first, second in itertools.permutations(range(image.ndim), 2):
                sigmas = [0.0] * image.ndim
                sigmas[first], sigmas[second] = 0.8, 3
                expected = by_scipy(image, sigmas, truncate=3)
                self.same(image, expected, sigma=sigmas, truncate=3)
                self.same(image, expected, sigma=(0.8, 3), truncate=3, axes=(first, second))

    def test_filter(self):
        """A Filter accepts a radius without a sigma. gaussian_filter, like SciPy's, needs a sigma."""
        image = noise((40, 50, 3))
        expected = by_scipy(image, (3, 3, 0), (9, 9, 0))
        self.assertTrue((smoothimg.Filter(radius=9)(image, axes=(0, 1)) == expected).all())


if __name__ == "__main__":
    unittest.main()
