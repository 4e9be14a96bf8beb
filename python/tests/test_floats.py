# SPDX-License-Identifier: MIT
"""Tests floats: NaN and infinities, and filters that do not change samples. (test_same_bytes tests the samples.)"""

import re
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np
from common import noise

import smoothimg


def bits(image):
    return np.ascontiguousarray(image).view(np.uint32)


class Floats(unittest.TestCase):
    def test_nothing_is_filtered(self):
        """A filter with sigma 0, radius 0 or no axes leaves samples as they are, except that -0 becomes +0, and every
        NaN becomes the same NaN. This holds for every type and function."""
        calls = [
            lambda image: smoothimg.gaussian_filter(image, 0),
            lambda image: smoothimg.gaussian_filter(image, 3, axes=()),
            lambda image: smoothimg.gaussian_filter(image, 3, radius=0, output=image),
            lambda image: smoothimg.gaussian_filter(image.T, 0).T,
            lambda image: np.array([smoothimg.gaussian_filter(one, 0) for one in image.flat]),
            lambda image: smoothimg.gaussian_filter1d(image, 0),
            lambda image: smoothimg.gaussian_laplace(image, 3, axes=()),
            lambda image: smoothimg.gaussian_gradient_magnitude(image, 3, axes=()),
        ]
        calls_of_images = [
            lambda image: smoothimg.gaussian_filter(image, 3, radius=0, nan="skip"),
            lambda image: smoothimg.Filter(radius=0)(image),
            lambda image: smoothimg.Filter(radius=0)(np.stack([image] * 3), axes=(1, 2))[1],
        ]
        for dtype in (np.float16, np.float32, np.float64):
            unsigned = np.dtype(f"u{dtype().itemsize}")
            given = np.array([[-0.0, 0.0, 1.5, -np.inf, np.nan, -np.nan]] * 2, dtype)
            given.view(unsigned)[1, 4] += 1  # a NaN with other bits
            expected = np.array([[0.0, 0.0, 1.5, -np.inf, np.nan, np.nan]] * 2, dtype)
            for call in calls + calls_of_images * (dtype is np.float32):
                found = call(given.copy()).reshape(given.shape)
                self.assertEqual(found.tobytes(), expected.tobytes(), (dtype, found))

    def test_nothing_is_there(self):
        image = np.full((9, 9), np.nan, np.float32)
        found = smoothimg.gaussian_filter(image, 1, nan="skip")
        self.assertTrue((bits(found) == 0x7FC00000).all())
        image[4, 4] = 7
        self.assertTrue((smoothimg.gaussian_filter(image, 1, nan="skip") == 7).all())

    def test_filter(self):
        image = noise((40, 50), np.float32)
        image[20, 25] = np.nan
        for nan in ("propagate", "skip"):
            found = smoothimg.Filter(1.5, nan=nan)(image)
            self.assertEqual(
                found.tobytes(), smoothimg.gaussian_filter(image, 1.5, nan=nan).tobytes()
            )
            self.assertEqual(np.isnan(found).any(), nan == "propagate")

    def test_moves_keep_bits(self):
        image = np.array([[0x7F800001, 0xFFC12345], [0x80000000, 1]], np.uint32).view(np.float32)
        self.assertTrue((bits(smoothimg.transpose(image)) == bits(image).T).all())
        self.assertTrue((bits(smoothimg.reverse(image)) == bits(image)[::-1, ::-1]).all())

    def test_benchmark(self):
        """benchmarks/floats.py runs, and prints a row for each image and sigma."""
        script = Path(__file__).resolve().parents[1] / "benchmarks" / "floats.py"
        printed = subprocess.run(
            [sys.executable, script, "--side", "96", "--part", "24", "--sigmas", "1,2.5"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        rows = re.findall(r"^\| (\w+), ([\d.]+) \| [\d.]+% \| 1 \| \d+ \|$", printed, re.MULTILINE)
        wanted = [(name, sigma) for name in ("noise", "star_field") for sigma in ("1", "2.5")]
        self.assertEqual(rows, wanted, printed)


if __name__ == "__main__":
    unittest.main()
