# SPDX-License-Identifier: MIT
"""Tests host arrays that are passed to the package, or returned to other packages, by the DLPack protocol."""

import importlib.util
import unittest

import numpy as np
from common import DTYPES, noise

import smoothimg


class Exporter:
    """An array with the methods of the DLPack protocol and no others."""

    def __init__(self, array):
        self.array, self.asked = array, 0

    def __dlpack__(self, **arguments):
        self.asked += 1
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Dlpack(unittest.TestCase):
    def test_inputs(self):
        for dtype in (*DTYPES, np.float64):
            for image in (
                noise((20, 30), dtype),
                noise((20, 30), dtype)[::2],
                noise((20, 30), dtype).T,
                noise((0, 5), dtype),
            ):
                exporter = Exporter(image)
                found = smoothimg.gaussian_filter(exporter, 1)
                self.assertTrue((found == smoothimg.gaussian_filter(image, 1)).all())
                self.assertEqual(exporter.asked, 1)
                self.assertTrue((smoothimg.Filter(1)(exporter) == found).all())

    def test_read_only(self):
        image = noise((20, 30))
        image.flags.writeable = False
        expected = smoothimg.gaussian_filter(image.copy(), 1)
        try:
            found = smoothimg.gaussian_filter(Exporter(image), 1)
        except BufferError as error:  # NumPy before 2.1 does not export read-only arrays
            self.assertIn("readonly", str(error))
        else:
            self.assertTrue((found == expected).all())

    def test_results(self):
        found = smoothimg.transpose(noise((20, 30)))
        self.assertTrue((np.from_dlpack(found) == found).all())

    @unittest.skipUnless(importlib.util.find_spec("torch"), "there is no PyTorch")
    def test_torch_on_the_host(self):
        import torch

        image = noise((20, 30, 3))
        expected = smoothimg.gaussian_filter(image, 1, axes=(0, 1))
        tensor = torch.from_numpy(image)
        for given in (tensor, tensor.permute(2, 0, 1).contiguous().permute(1, 2, 0)):
            found = smoothimg.gaussian_filter(given, 1, axes=(0, 1))
            self.assertIs(type(found), np.ndarray)
            self.assertTrue((found == expected).all())


if __name__ == "__main__":
    unittest.main()
