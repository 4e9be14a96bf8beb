# SPDX-License-Identifier: MIT
"""Tests that the program and the package have the same defaults: test_program.py PROGRAM compares the bytes of their
results."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
from common import noise

import smoothimg

PROGRAM = sys.argv.pop() if len(sys.argv) > 1 else "smoothimg"


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def smooth(self, array, *words):
        np.save(self.folder / "in.npy", array)
        subprocess.run(
            [PROGRAM, "-q", *words, self.folder / "in.npy", self.folder / "out.npy"], check=True
        )
        return np.load(self.folder / "out.npy")

    def test_defaults(self):
        """Compares images with one and three channels, smoothed along rows and columns, with only a sigma or only a
        radius given."""
        for dtype in (np.uint8, np.uint16, np.float32):
            for shape in ((60, 71), (40, 50, 3)):
                array = noise(shape, dtype)
                for sigma in (0.7, 1.125, 2.5):
                    wanted = smoothimg.gaussian_filter(array, sigma, axes=(0, 1))
                    found = self.smooth(array, "--sigma", str(sigma))
                    self.assertEqual(found.tobytes(), wanted.tobytes(), (dtype, shape, sigma))
                wanted = smoothimg.Filter(radius=7)(array, axes=(0, 1))
                self.assertEqual(self.smooth(array, "--halo", "7").tobytes(), wanted.tobytes())

    def test_volume(self):
        array = noise((9, 20, 21), np.uint16)
        wanted = smoothimg.gaussian_filter(array, 1.5)
        self.assertEqual(self.smooth(array, "--sigma", "1.5,1.5,1.5").tobytes(), wanted.tobytes())


if __name__ == "__main__":
    unittest.main()
