# SPDX-License-Identifier: MIT
"""Tests smoothimg.ome_zarr: the written arrays and metadata follow OME-Zarr 0.5, and the file has the samples of the
pyramid."""

import doctest
import importlib.util
import json
import tempfile
import unittest
from pathlib import Path

import numpy as np
from common import need, noise

need("dask", "zarr")
import dask.array as da  # noqa: E402
import zarr  # noqa: E402

import smoothimg  # noqa: E402
import smoothimg.dask  # noqa: E402
import smoothimg.ome_zarr  # noqa: E402


def levels_of(shape, axes=None):
    return smoothimg.dask.pyramid(da.from_array(noise(shape), 10), 3, axes=axes)


class OmeZarr(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "image.zarr"

    def test_samples(self):
        """Compares the samples in the file with those of whole arrays, smoothed and halved in memory, for odd sizes and
        for chunks of any size."""
        for number, chunks in enumerate((7, (8, 16, 5), ((3, 9, 8), (1, 30), (5, 5, 7)))):
            array = noise((20, 31, 17), np.uint16)
            levels = smoothimg.dask.pyramid(da.from_array(array, chunks), 4)
            path = f"{self.path}{number}"
            smoothimg.ome_zarr.write(path, levels, "zyx")
            group = zarr.open_group(path, mode="r", zarr_format=3)
            for name in "0123":
                self.assertEqual(group[name].metadata.dimension_names, ("z", "y", "x"))
                self.assertTrue(np.array_equal(group[name][...], array), (chunks, name))
                array = smoothimg.gaussian_filter(array, 1)[::2, ::2, ::2]

    def test_metadata(self):
        """Checks the metadata in the file. The scale of the second, third, ... level must be 2, 4, ... times the scale
        of the first level, although an odd size is not exactly halved."""
        levels = levels_of((2, 3, 9, 21, 20), (3, 4))
        scale, units = {"z": 2, "y": 0.5, "x": 0.25}, {"x": "micrometer", "t": "second"}
        smoothimg.ome_zarr.write(self.path, levels, "tczyx", scale=scale, units=units, name="dots")
        kinds = ("time", "channel", "space", "space", "space")
        axes = [{"name": name, "type": kind} for name, kind in zip("tczyx", kinds)]
        axes[0]["unit"], axes[4]["unit"] = "second", "micrometer"
        still = {"type": "translation", "translation": [0] * 5}
        scales = [[1, 1, 2, 0.5, 0.25], [1, 1, 2, 1, 0.5], [1, 1, 2, 2, 1]]
        datasets = [
            {"path": path, "coordinateTransformations": [{"type": "scale", "scale": one}, still]}
            for path, one in zip("012", scales)
        ]
        image = {"name": "dots", "type": "gaussian", "axes": axes, "datasets": datasets}
        found = json.loads((self.path / "zarr.json").read_text())
        self.assertEqual(found["zarr_format"], 3)
        self.assertEqual(found["attributes"]["ome"], {"version": "0.5", "multiscales": [image]})

    @unittest.skipUnless(importlib.util.find_spec("ome_zarr_models"), "there is no ome-zarr-models")
    def test_others_find_it_valid(self):
        from ome_zarr_models.v05 import Image

        for shape, axes in (((21, 30), "yx"), ((3, 21, 30), "cyx"), ((2, 3, 9, 21, 20), "tczyx")):
            halved = range(len(shape) - 2, len(shape))
            path = f"{self.path}{axes}"
            levels = levels_of(shape, halved)
            smoothimg.ome_zarr.write(path, levels, axes, units={"x": "micrometer"})
            image = Image.from_zarr(zarr.open_group(path, mode="r"))
            self.assertEqual(len(image.ome_attributes.multiscales[0].datasets), 3)

    def test_places(self):
        """The metadata must give the right coordinates for the samples of each level. In this ramp each sample is the
        sum of its own coordinates, also after smoothing and halving."""
        ramp = np.add.outer(np.arange(64.0) * 3, np.arange(51.0) * 2)
        levels = smoothimg.dask.pyramid(da.from_array(ramp, 16), 3)
        group = smoothimg.ome_zarr.write(self.path, levels, "yx", scale={"y": 3, "x": 2})
        for dataset in group.attrs["ome"]["multiscales"][0]["datasets"]:
            scale, shift = (list(one.values())[1] for one in dataset["coordinateTransformations"])
            found = group[dataset["path"]][...]
            y, x = (step * np.arange(n) + at for step, at, n in zip(scale, shift, found.shape))
            inside = (slice(4, -4),) * 2  # away from the edges a filter does not change a ramp
            self.assertTrue(np.allclose(found[inside], np.add.outer(y, x)[inside]))

    def test_groups(self):
        """write() makes a group at a path where none exists, or writes into the caller's group, which must have format
        3."""
        inner = zarr.open_group(self.path, mode="w", zarr_format=3).create_group("a")
        self.assertIs(smoothimg.ome_zarr.write(inner, levels_of((9, 9)), "yx"), inner)
        self.assertEqual(zarr.open_array(self.path / "a" / "1").shape, (5, 5))
        with self.assertRaises(FileExistsError):
            smoothimg.ome_zarr.write(self.path, levels_of((9, 9)), "yx")
        old = zarr.open_group(f"{self.path}2", mode="w", zarr_format=2)
        with self.assertRaisesRegex(ValueError, "needs format 3"):
            smoothimg.ome_zarr.write(old, levels_of((9, 9)), "yx")

    def test_not_an_image_before_it_is_complete(self):
        def fails(block):
            raise InterruptedError

        level = da.map_blocks(fails, da.zeros((9, 9)), dtype="u1", meta=np.zeros((0, 0), "u1"))
        with self.assertRaises(InterruptedError):
            smoothimg.ome_zarr.write(self.path, [level], "yx")
        self.assertEqual(dict(zarr.open_group(self.path, mode="r").attrs), {})

    def test_compressors(self):
        group = smoothimg.ome_zarr.write(self.path, levels_of((9, 9)), "yx", compressors=None)
        self.assertEqual({group[name].compressors for name in "012"}, {()})

    def test_arguments(self):
        good = levels_of((9, 9))
        for words, levels, axes, named in (
            ("axes are 'xy'", good, "xy", {}),
            ("axes are 'zyx'", good, "zyx", {}),
            ("axes are 'ctyx'", levels_of((1, 1, 9, 9)), "ctyx", {}),
            ("names other axes than 'yx'", good, "yx", {"scale": {"z": 2}}),
            ("names other axes than 'yx'", good, "yx", {"units": {"z": "micrometer"}}),
            ("no levels", [], "yx", {}),
            ("not every second sample", [good[0], good[2]], "yx", {}),
            ("not every second sample", [good[0], good[1][0]], "yx", {}),
        ):
            with self.assertRaisesRegex(ValueError, words):
                smoothimg.ome_zarr.write(self.path, levels, axes, **named)
        self.assertFalse(self.path.exists())

    def test_examples(self):
        failed, tried = doctest.testmod(smoothimg.ome_zarr)
        self.assertTrue(failed == 0 and tried > 0)


if __name__ == "__main__":
    unittest.main()
