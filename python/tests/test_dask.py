# SPDX-License-Identifier: MIT
"""Tests smoothimg.dask: a chunked array gives the same bytes as the whole array."""

import doctest
import random
import subprocess
import sys
import unittest
import unittest.mock

import numpy as np
from common import need, noise

need("dask")
import dask  # noqa: E402
import dask.array as da  # noqa: E402

import smoothimg  # noqa: E402
import smoothimg.dask  # noqa: E402

MODES = ("nearest", "reflect", "mirror", "wrap", "constant")
FUNCTIONS = ("gaussian_filter", "gaussian_laplace", "gaussian_gradient_magnitude")
dask.config.set(scheduler="synchronous")


def pieces(extent, rng):
    """Yields random extents of chunks that add up to `extent`, some of them 0."""
    while extent > 0:
        piece = min(extent, rng.choice((0, 1, 1, 2, 3, 5, 9, 30)))
        yield piece
        extent -= piece


class Stored:
    """An array that behaves as if it were in a file, as arrays of Zarr and HDF5 are: it has chunks, and counts the
    samples that are read."""

    def __init__(self, array):
        self.array, self.shape, self.dtype, self.ndim = array, array.shape, array.dtype, array.ndim
        self.chunks = tuple(min(extent, 3) for extent in array.shape)
        self.read = 0

    def __getitem__(self, at):
        self.read += self.array[at].size
        return self.array[at]


class Dask(unittest.TestCase):
    def check(self, function, array, chunks, output=None, **named):
        given = da.from_array(array, chunks)
        lazy = getattr(smoothimg.dask, function)(given, output=output, **named)
        found = lazy.compute()
        whole = getattr(smoothimg, function)(array, output=output, **named)
        self.assertEqual((lazy.chunks, lazy.dtype, found.dtype), (given.chunks, *[whole.dtype] * 2))
        same = found.shape == whole.shape and found.tobytes() == whole.tobytes()
        self.assertTrue(same, (function, array.dtype, given.chunks, output, named))

    def test_at_random(self):
        """Tests chunks smaller than the radius and larger than the array, with a mode for each axis."""
        rng = random.Random(1)
        for number in range(120):
            shape = [rng.randint(1, 12) for _ in range(rng.randint(1, 3))]
            dtype = rng.choice(("u1", "u2", "i2", "f4", "f8", "c8"))
            array = (np.random.default_rng(number).normal(size=shape) * 100).astype(dtype)
            function = FUNCTIONS[number % (2 if dtype == "c8" else 3)]
            named = {
                "sigma": [rng.choice((0, 1, 2.5)) for _ in shape],
                "radius": [rng.randint(0, 9) for _ in shape],
                "mode": [rng.choice(MODES) for _ in shape],
                "cval": rng.choice((0, 3)),
            }
            if function == "gaussian_filter":
                named["order"] = [rng.choice((0, 0, 1, 2)) for _ in shape]
                if dtype in ("f8", "c8"):
                    named["cval"] = rng.choice((3, np.inf))
            chunks = tuple(tuple(pieces(extent, rng)) for extent in shape)
            self.check(function, array, chunks, rng.choice((None, "c16")), **named)

    def test_several(self):
        volume = noise((9, 14, 11), np.float32)
        calls = {"hessian": (1,), "difference_of_gaussians": (1,), "gaussian_filters": ([1, (2, 0)],)}
        for name, arguments in {**calls, "structure_tensor": (1, 2)}.items():
            for array in (volume, (volume * 300).astype("i2")):
                named = {"axes": (0, 2), "mode": "wrap", "output": None if name[0] in "hg" else "f8"}
                whole = getattr(smoothimg, name)(array, *arguments, **named)
                for given in (da.from_array(array, (4, 5, (2, 0, 9))), Stored(array)):
                    lazy = getattr(smoothimg.dask, name)(given, *arguments, **named)
                    found = lazy.compute()
                    self.assertEqual((lazy.shape, lazy.dtype), (whole.shape, whole.dtype))
                    self.assertEqual((found.dtype, found.tobytes()), (whole.dtype, whole.tobytes()), name)

    def test_stored(self):
        """No sample of a stored array is read twice for the same chunk of the result. The result has the bytes
        that the whole array in memory gives."""
        rng = random.Random(3)
        dask.config.set({"array.chunk-size": "100B"})
        self.addCleanup(dask.config.set, {"array.chunk-size": "128MiB"})
        for number in range(60):
            shape = [rng.randint(1, 15) for _ in range(rng.randint(1, 3))]
            stored = Stored(noise(shape, rng.choice((np.uint8, np.int16)), number))
            named = {"mode": [rng.choice(MODES) for _ in shape], "sigma": 1, "cval": 3}
            function = rng.choice(FUNCTIONS)
            lazy = getattr(smoothimg.dask, function)(stored, **named)
            for extents, least, extent in zip(lazy.chunks, stored.chunks, shape):
                self.assertTrue(extents[0] % least == 0 or extents[0] == extent, lazy.chunks)
                self.assertTrue({extents[0]} >= set(extents[:-1]) and extents[-1] <= extents[0])
            stored.read = 0
            whole = getattr(smoothimg, function)(stored.array, **named)
            self.assertTrue(lazy.compute().tobytes() == whole.tobytes(), (shape, named))
            around = [sum(min(n, one + 8) for one in k) for n, k in zip(shape, lazy.chunks)]
            # The other functions combine filters, and need more samples if the axes have different modes.
            if function == "gaussian_filter":
                self.assertLessEqual(stored.read, np.prod(around))
            levels = smoothimg.dask.pyramid(stored, 3)
            others = smoothimg.dask.pyramid(da.from_array(stored.array), 3)
            for level, other in zip(levels, others):
                self.assertTrue(np.array_equal(level.compute(), other.compute()))

    def test_images(self):
        colours = noise((40, 30, 3), np.uint16)
        self.check("gaussian_filter", colours, (9, 30, 3), sigma=2, mode="wrap", axes=(0, 1))
        self.check("gaussian_filter1d", colours, (9, 7, 3), sigma=2, axis=-2, order=1)
        stars = noise((50, 40), np.float32)
        stars[noise((50, 40)) < 20] = np.nan
        self.check("gaussian_filter", stars, (20, 7), sigma=1.5, nan="skip")

    def test_pyramid(self):
        """The levels of a pyramid (smoothed and halved again and again) have the samples that whole arrays give,
        without chunks. Sizes may be odd, and chunks may begin anywhere."""
        rng = random.Random(2)
        for number in range(40):
            shape = [rng.randint(1, 40) for _ in range(rng.randint(1, 3))]
            array = noise(shape, rng.choice((np.uint8, np.uint16, np.float32)), number)
            axes = rng.sample(range(len(shape)), rng.randint(0, len(shape)))
            named = {"mode": rng.choice(MODES), "axes": axes, "sigma": rng.choice((0, 0.7, 1))}
            chunks = tuple(tuple(pieces(extent, rng)) for extent in shape)
            levels = smoothimg.dask.pyramid(da.from_array(array, chunks), 4, **named)
            self.assertEqual(len(levels), 4)
            for level in levels:
                found = level.compute()
                self.assertEqual((level.shape, level.dtype), (array.shape, array.dtype))
                self.assertTrue(found.tobytes() == array.tobytes(), (shape, chunks, named))
                every = [slice(None, None, 2 if at in axes else 1) for at in range(array.ndim)]
                array = smoothimg.gaussian_filter(array, **named)[tuple(every)]

    def test_pyramid_of_chunks(self):
        """Halving makes chunks smaller, so the chunks of each level are merged until they are as large as the input's
        chunks. Levels of a constant volume are constant. The first level is the input itself."""
        for flat in (da.ones((40, 90, 81), "u1", chunks=(8, 9, 81)), da.ones((0, 9), "f4")):
            levels = smoothimg.dask.pyramid(flat, 7)
            self.assertIs(levels[0], flat)
            for level in levels:
                self.assertTrue((level == 1).all().compute())
                for extents, largest in zip(level.chunks, flat.chunksize):
                    self.assertTrue(all(one == largest for one in extents[:-1]), level.chunks)
        for error, levels in ((ValueError, 0), (TypeError, 1.5)):
            with self.assertRaisesRegex(error, "levels is .* 1 or more"):
                smoothimg.dask.pyramid(flat, levels)

    def test_no_samples(self):
        for shape, chunks in (((0, 5), (1, 2)), ((4, 0), (2, 2)), ((3, 4), ((0, 3), (4, 0)))):
            for function in FUNCTIONS:
                self.check(function, noise(shape), chunks, "f4", sigma=2)
        self.check("gaussian_filter", np.array(2.5), (), sigma=1)

    def test_what_is_seen(self):
        """One task with one thread computes each chunk of the result. The task gets the chunk with at most `radius`
        samples around it."""
        given = da.from_array(noise((40, 50, 3)), (10, 7, 3))
        for mode in MODES:
            lazy = smoothimg.dask.gaussian_filter(given, 1, radius=(10, 9), axes=(0, 1), mode=mode)
            with unittest.mock.patch("smoothimg.dask.run", side_effect=smoothimg.dask.run) as run:
                lazy.compute()
            shapes = [call.args[1].array.shape for call in run.call_args_list]
            self.assertEqual(len(shapes), given.npartitions)
            self.assertEqual(np.max(shapes, 0).tolist(), [10 + 2 * 10, 7 + 2 * 9, 3])
            self.assertEqual({call.kwargs["threads"] for call in run.call_args_list}, {1})
        graph = dict(smoothimg.dask.gaussian_filter(given, 1, axes=()).__dask_graph__())
        self.assertLessEqual(len(graph), 3 * given.npartitions + 1)

    def test_lazy(self):
        def never(block):
            raise AssertionError

        given = da.map_blocks(never, da.zeros((9, 9), chunks=3), dtype=float, meta=np.zeros((0, 0)))
        smoothimg.dask.gaussian_filter(given, 1)
        self.assertIsInstance(smoothimg.dask.gaussian_laplace(np.eye(5), 1), da.Array)

    def test_names(self):
        """Results of equal calls have equal names, by which Dask recognises them; other results have other names."""
        given = da.zeros((9, 9), chunks=3)
        once, again = (smoothimg.dask.gaussian_filter(given, 1) for _ in range(2))
        self.assertEqual(once.name, again.name)
        for named in ({"sigma": 2}, {"order": 1}, {"mode": "wrap"}, {"output": "f4"}):
            other = smoothimg.dask.gaussian_filter(given, **{"sigma": 1, **named})
            self.assertNotEqual(once.name, other.name)

    def test_arguments(self):
        given = da.zeros((9, 9), chunks=3, dtype=complex)
        smooth = smoothimg.dask.gaussian_filter
        for error, words, named in (
            (ValueError, "sigma is -1", {"sigma": -1}),
            (ValueError, "must be unique", {"axes": (0, 0)}),
            (TypeError, "need a complex output", {"output": float}),
            (TypeError, "output is an array", {"output": np.zeros((9, 9), complex)}),
            (TypeError, "output is an array", {"output": given}),
            (NotImplementedError, "nan='skip'", {"nan": "skip"}),
            (TypeError, "threads cannot be given", {"threads": 2}),
        ):
            with self.assertRaisesRegex(error, words):
                smooth(given, **{"sigma": 1, **named})
        with self.assertRaisesRegex(ValueError, "compute_chunk_sizes"):
            smooth(given[given.real > 0], 1)
        with self.assertRaisesRegex(TypeError, "pass bool, integers"):
            smooth(da.zeros((9, 9), dtype="M8[s]"), 1)
        with self.assertRaisesRegex(TypeError, "axis is None"):
            smoothimg.dask.gaussian_filter1d(given, 1, None)

    def test_import(self):
        """`import smoothimg` does not import Dask, so programs without Dask can use it."""
        program = "import smoothimg, sys; sys.exit('dask' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", program]).returncode, 0)

    def test_examples(self):
        failed, tried = doctest.testmod(smoothimg.dask)
        self.assertTrue(failed == 0 and tried > 0)


if __name__ == "__main__":
    unittest.main()
