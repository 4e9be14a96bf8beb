# SPDX-License-Identifier: MIT
"""Arrays wherever their samples lie: the same result as for an array without gaps, the input is not
changed, and what needs no copy gets none."""

import itertools
import random
import unittest
from unittest import mock

import numpy as np
from common import DTYPES, noise, overlapping, strange_layouts, strided

import smoothimg
from smoothimg import _core, _host


def flipped(image, axes):
    return np.flip(image, axes)


def swapped(image, axes):
    return np.swapaxes(image, *axes)


MOVES = ((smoothimg.transpose, swapped), (smoothimg.reverse, flipped))


class Layouts(unittest.TestCase):
    def test_smooth(self):
        soften = smoothimg.Filter(1.3)
        for shape, dtype in itertools.product(
            ((23, 19), (1, 9), (9, 1), (12, 9, 3), (4, 9, 11)), DTYPES
        ):
            image = noise(shape, dtype)
            for axes in itertools.combinations(range(len(shape)), 2):
                expected = soften(image, axes=axes)
                for name, strange in strange_layouts(image):
                    with self.subTest(shape=shape, axes=axes, layout=name):
                        self.assertTrue((soften(strange, axes=axes) == expected).all())
                        self.assertTrue((strange == image).all())

    def test_moves_of_any_type(self):
        """And any number of axes."""
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

    def test_moves(self):
        for shape, dtype in itertools.product(
            ((23, 19), (1, 9), (9, 1, 3), (12, 9, 3), (4, 9, 11)), DTYPES
        ):
            image = noise(shape, dtype)
            for axes, (move, by_numpy) in itertools.product(
                itertools.permutations(range(len(shape)), 2), MOVES
            ):
                expected = by_numpy(image, axes)
                for name, strange in strange_layouts(image):
                    with self.subTest(shape=shape, axes=axes, layout=name, move=move.__name__):
                        self.assertTrue((move(strange, axes=axes) == expected).all())

    def test_outputs(self):
        soften = smoothimg.Filter(1.3)
        for shape in ((23, 19), (12, 9, 3)):
            image = noise(shape, np.uint16)
            expected = soften(image, axes=(0, 1))
            for name, out in strange_layouts(np.zeros_like(image)):
                if not out.flags.writeable:
                    continue
                with self.subTest(shape=shape, layout=name):
                    self.assertIs(soften(image, axes=(0, 1), out=out), out)
                    self.assertTrue((out == expected).all())
                    out[...] = 0
                    self.assertIs(
                        smoothimg.gaussian_filter(image, 1.3, output=out, axes=(0, 1)), out
                    )
                    self.assertTrue((out == expected).all())

    def test_outputs_with_alpha(self):
        soften = smoothimg.Filter(1.3, alpha=True)
        image = noise((12, 9, 4), np.uint16)
        expected = soften(image)
        for name, out in strange_layouts(np.zeros_like(image)):
            if out.flags.writeable:
                self.assertIs(soften(image, out=out), out)
                self.assertTrue((out == expected).all(), name)

    def test_nothing_else_is_written(self):
        image = noise((20, 30))
        wide = np.full((24, 40), 77, np.uint8)
        smoothimg.gaussian_filter(image, 2, output=wide[2:22, 5:35])
        wide[2:22, 5:35] = 77
        self.assertTrue((wide == 77).all())

    def test_in_place(self):
        for name, image in strange_layouts(noise((23, 19, 3))):
            if image.flags.writeable:
                expected = smoothimg.gaussian_filter(image, 2, axes=(0, 1))
                smoothimg.gaussian_filter(image, 2, output=image, axes=(0, 1))
                self.assertTrue((image == expected).all(), name)
        image = noise((20, 20))
        expected = smoothimg.reverse(image[:15])
        smoothimg.reverse(image[:15], out=image[5:])
        self.assertTrue((image[5:] == expected).all())

    def test_strides(self):
        """Each pattern of strides, read and written."""
        calls = (
            lambda image, out=None: smoothimg.gaussian_filter(image, 1.3, output=out, axes=(0, 1)),
            lambda image, out=None: smoothimg.gaussian_filter(image, 1.3, output=out, axes=1),
            lambda image, out=None: smoothimg.reverse(image, out=out),
        )
        for shape, dtype in itertools.product(((12, 9), (1, 9), (6, 7, 3)), DTYPES):
            image = noise(shape, dtype)
            for call in calls:
                expected = call(image)
                for name, strange in strided(image):
                    with self.subTest(shape=shape, dtype=dtype, source=name):
                        self.assertTrue((call(strange) == expected).all())
                        self.assertTrue((strange == image).all())
                for name, out in strided(np.zeros_like(image)):
                    with self.subTest(shape=shape, dtype=dtype, out=name):
                        memory = out if out.base is None else out.base
                        self.assertIs(call(image, out), out)
                        self.assertTrue((out == expected).all())
                        out[...] = 0  # and nothing else was written
                        self.assertFalse(any(memory.tobytes()))

    def test_outputs_that_overlap(self):
        for dtype, (name, source, out) in itertools.product(DTYPES, overlapping()):
            memory = noise((20, 9), dtype)
            image, result = source(memory), out(memory)
            for call in (
                lambda image, out=None: smoothimg.gaussian_filter(image, 1.3, output=out),
                lambda image, out=None: smoothimg.gaussian_filter(image, 1.3, axes=0, output=out),
                lambda image, out=None: smoothimg.gaussian_filter(image, 0, output=out),
                lambda image, out=None: smoothimg.reverse(image, out=out),
            ):
                with self.subTest(dtype=dtype, pair=name):
                    expected = call(image.copy())
                    call(image, result)
                    self.assertTrue((result == expected).all())

    def test_random_views(self):
        choose = random.Random(7)
        soften = smoothimg.Filter(0.9)
        for _ in range(1500):
            view = random_view(choose, choose.randint(2, 5))
            axes = tuple(choose.sample(range(view.ndim), 2))
            whole = np.ascontiguousarray(view)
            with self.subTest(shape=view.shape, strides=view.strides, axes=axes):
                self.assertTrue((soften(view, axes=axes) == one_by_one(soften, whole, axes)).all())
                for move, by_numpy in MOVES:
                    self.assertTrue((move(view, axes=axes) == by_numpy(view, axes)).all())

    def test_random_views_along_one_axis(self):
        choose = random.Random(8)
        for _ in range(1000):
            view = random_view(choose, choose.randint(1, 5))
            axis = choose.randrange(view.ndim)
            expected = np.empty(view.shape, view.dtype)
            for index in np.ndindex(view.shape[:axis] + (1,) + view.shape[axis + 1 :]):
                line = index[:axis] + (slice(None),) + index[axis + 1 :]
                expected[line] = smoothimg.gaussian_filter(view[line].copy(), 0.9)
            with self.subTest(shape=view.shape, strides=view.strides, axis=axis):
                self.assertTrue((smoothimg.gaussian_filter(view, 0.9, axes=axis) == expected).all())

    def test_no_copy(self):
        """Wherever samples lie nothing is copied, and images are found: the engines of images and the
        transposes and reverses compute."""
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

    def test_order_in_memory(self):
        image = noise((30, 20))
        self.assertTrue(smoothimg.gaussian_filter(image, 1).flags.c_contiguous)
        self.assertTrue(smoothimg.gaussian_filter(np.asfortranarray(image), 1).flags.f_contiguous)
        self.assertTrue(smoothimg.transpose(image).flags.c_contiguous)

    def test_empty(self):
        for shape in ((0, 5), (5, 0), (0, 0), (4, 5, 0), (0, 4, 5, 3)):
            for dtype in DTYPES:
                image = np.zeros(shape, dtype)
                found = smoothimg.gaussian_filter(image, 2, axes=(0, 1))
                self.assertEqual((found.shape, found.dtype), (shape, dtype))
                self.assertEqual(smoothimg.transpose(image).shape, np.swapaxes(image, 0, 1).shape)
                out = np.zeros(shape, dtype)
                self.assertIs(smoothimg.reverse(image, out=out), out)

    def test_subclasses(self):
        class Own(np.ndarray):
            pass

        image = noise((9, 9)).view(Own)
        self.assertIs(type(smoothimg.gaussian_filter(image, 1)), np.ndarray)
        out = np.zeros((9, 9), np.uint8).view(Own)
        self.assertIs(smoothimg.gaussian_filter(image, 1, output=out), out)
        self.assertTrue((out == smoothimg.gaussian_filter(np.asarray(image), 1)).all())

    def test_what_numpy_looks_at(self):
        image = noise((9, 11))
        expected = smoothimg.gaussian_filter(image, 1)
        self.assertTrue((smoothimg.gaussian_filter(memoryview(image), 1) == expected).all())

        class Interface:
            __array_interface__ = image.__array_interface__

        self.assertTrue((smoothimg.gaussian_filter(Interface(), 1) == expected).all())

    def test_alpha(self):
        """Batches of any layout, against one image at a time."""
        soften = smoothimg.Filter(1.5, alpha=True)
        for name, frames in strange_layouts(noise((3, 8, 9, 4))):
            expected = np.stack([soften(np.ascontiguousarray(frame)) for frame in frames])
            self.assertTrue((soften(frames, axes=(1, 2)) == expected).all(), name)
            inside = np.moveaxis(frames, 0, 2)  # rows, columns, batch, channels
            self.assertTrue((soften(inside, axes=(0, 1)) == np.moveaxis(expected, 0, 2)).all(), name)
            self.assertTrue(
                (
                    soften(np.ascontiguousarray(inside), axes=(0, 1)) == np.moveaxis(expected, 0, 2)
                ).all(),
                name,
            )
        weighted, separate = soften(frames[0]), smoothimg.Filter(1.5)(frames[0], axes=(0, 1))
        self.assertTrue((weighted[..., 3] == separate[..., 3]).all())
        self.assertTrue((weighted != separate).any())
        hidden = np.zeros((5, 5, 4), np.uint8)
        hidden[:, :, 0] = 200
        hidden[2, 2] = 0, 100, 0, 255
        self.assertEqual(soften(hidden)[2, 1, :3].tolist(), [0, 100, 0])


def random_view(choose, ndim):
    """Axes in any order, with gaps, backwards, and repeated."""
    big = noise(
        [choose.choice((1, 2, 3, 5, 20)[: 7 - ndim]) for _ in range(ndim)],
        choose.choice(DTYPES),
        choose.randint(0, 9),
    )
    view = big.transpose(choose.sample(range(ndim), ndim))[
        tuple(slice(None, None, choose.choice((1, 1, 1, -1, 2))) for _ in range(ndim))
    ]
    return np.broadcast_to(view[..., :1], view.shape) if choose.random() < 0.2 else view


def one_by_one(soften, image, axes):
    """Each image of a batch by itself."""
    whole = np.moveaxis(image, axes, (-2, -1))
    result = np.empty_like(whole)
    for index in np.ndindex(whole.shape[:-2]):
        result[index] = soften(np.ascontiguousarray(whole[index]))
    return np.moveaxis(result, (-2, -1), axes)


if __name__ == "__main__":
    unittest.main()
