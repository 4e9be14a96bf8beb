# SPDX-License-Identifier: MIT
"""Tests arrays of many layouts: transposes and reverses of any type, and that no array is copied without need.
(test_again tests each function with each layout of its input and output.)"""

import itertools
import mmap
import unittest
from unittest import mock

import numpy as np
from common import DTYPES, noise, strange_layouts, strided

import smoothimg
from smoothimg import _core, _host


MOVES = (
    (smoothimg.transpose, lambda image, axes: np.swapaxes(image, *axes)),
    (smoothimg.reverse, np.flip),
)


class Layouts(unittest.TestCase):
    def test_moves_of_any_type(self):
        """Tests transposes and reverses of arrays of any type and number of axes."""
        types = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()
        for dtype, shape in itertools.product(types, ((5,), (4, 7), (3, 1, 5, 2), (2, 3, 4, 3, 2))):
            image = (noise(shape) % 2).astype(dtype) if dtype == "?" else noise(shape).astype(dtype)
            if dtype.startswith("c"):
                image += 1j * noise(shape, seed=2)
            others = strided(image) if dtype in ("u2", "c16") and len(shape) < 3 else ()
            for name, strange in itertools.chain(strange_layouts(image), others):
                with self.subTest(dtype=dtype, shape=shape, layout=name):
                    expected = np.flip(strange)
                    found = smoothimg.reverse(strange, axes=None)
                    self.assertEqual(found.dtype, image.dtype)
                    self.assertTrue((found == expected).all())
                    if len(shape) > 1:
                        found = smoothimg.transpose(strange, axes=(0, -1))
                        self.assertTrue((found == np.swapaxes(strange, 0, -1)).all())
                        out = np.zeros_like(np.swapaxes(strange, 0, 1))
                        self.assertIs(smoothimg.transpose(strange, out=out), out)
                        self.assertTrue((out == np.swapaxes(strange, 0, 1)).all())

    def test_nothing_else_is_written(self):
        image = noise((20, 30))
        wide = np.full((24, 40), 77, np.uint8)
        smoothimg.gaussian_filter(image, 2, output=wide[2:22, 5:35])
        wide[2:22, 5:35] = 77
        self.assertTrue((wide == 77).all())
        for shape, dtype in itertools.product(((12, 9), (1, 9), (6, 7, 3)), DTYPES):
            for name, out in strided(np.zeros(shape, dtype)):
                memory = out if out.base is None else out.base
                smoothimg.gaussian_filter(noise(shape, dtype), 1.3, output=out, axes=(0, 1))
                self.assertTrue(out.any())
                out[...] = 0
                self.assertFalse(any(memory.tobytes()), (shape, dtype, name))

    def test_no_copy(self):
        """The package does not copy images of these layouts before it smooths, transposes or reverses them. The variant
        `cpu`, the fast variant for the host, must smooth the images in the list `fast`."""
        wide = noise((40, 60, 3))
        fast = (
            (wide, (0, 1)),
            (wide[3:30, 7:50], (0, 1)),
            (wide[::3], (0, 1)),
            (np.asfortranarray(wide[..., 0]), (0, 1)),
            (wide, (1, 2)),
            (wide, (0, 2)),
            (wide.transpose(2, 0, 1), (1, 2)),
            (wide.transpose(1, 0, 2), (0, 1)),
        )
        with mock.patch.object(_host.Host, "copy", side_effect=AssertionError):
            for image, axes in fast:
                what = image.shape, image.strides, axes
                smoothimg.Filter(1)(image, axes=axes)
                self.assertTrue(_core.chosen(None).startswith("cpu"), what)
                for move, by_numpy in MOVES:
                    self.assertTrue((move(image, axes=axes) == by_numpy(image, axes)).all(), what)
            for image in (wide[:, ::-1], wide[:, ::2], np.broadcast_to(wide[:1], wide.shape)):
                for call in (smoothimg.Filter(1), smoothimg.reverse, smoothimg.transpose):
                    call(image, axes=(0, 1))

    def test_far_apart(self):
        """The images of a stack may be more than 2 GiB apart in memory. Here the package cuts the call into several
        pieces, between images."""
        image, step = noise((16, 260, 260), np.uint16).astype(np.int32), (1 << 31) + 8
        no_reserve = 0x4000  # Linux's MAP_NORESERVE: pages that nothing touches take no memory
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve
        memory = np.frombuffer(mmap.mmap(-1, 16 * step, flags), np.uint8)
        far = np.ndarray(image.shape, image.dtype, memory, 0, (step, *image.strides[1:]))
        smooth = smoothimg.Filter(1)
        smooth(image, axes=(1, 2), out=far, threads=1)
        self.assertTrue((far == smooth(image, axes=(1, 2))).all())

    def test_what_numpy_looks_at(self):
        image = noise((9, 11))
        expected = smoothimg.gaussian_filter(image, 1)
        self.assertTrue((smoothimg.gaussian_filter(memoryview(image), 1) == expected).all())

        class Interface:
            __array_interface__ = image.__array_interface__

        self.assertTrue((smoothimg.gaussian_filter(Interface(), 1) == expected).all())


if __name__ == "__main__":
    unittest.main()
