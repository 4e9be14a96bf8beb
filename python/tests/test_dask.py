# SPDX-License-Identifier: MIT
"""The example: chunk by chunk, the same bytes as the whole image at once."""

import sys
import unittest
from pathlib import Path

from common import need, noise

need("dask", "distributed")
sys.path.append(str(Path(__file__).parent.parent / "examples"))
import dask  # noqa: E402
import dask.array as da  # noqa: E402
import dask_chunks  # noqa: E402

import smoothimg  # noqa: E402

MODES = ("nearest", "reflect", "mirror", "wrap", "constant")


class Dask(unittest.TestCase):
    def test_threads(self):
        for image, chunks in (
            (noise((150, 131)), (50, 40)),
            (noise((90, 80, 3), "u2"), (31, 80, 3)),
            (noise((60, 60)), (7, 60)),
        ):
            for mode in MODES:
                whole = smoothimg.gaussian_filter(image, 2, axes=(0, 1), mode=mode)
                with dask.config.set(scheduler="threads"):
                    found = dask_chunks.smooth_chunks(
                        da.from_array(image, chunks), 2, mode
                    ).compute()
                self.assertEqual((found.dtype, found.shape), (image.dtype, image.shape))
                self.assertTrue((found == whole).all(), (image.shape, mode))

    def test_without_overlap_it_differs(self):
        image = noise((100, 100))
        found = (
            da.from_array(image, (50, 100)).map_blocks(smoothimg.Filter(2), dtype="u1").compute()
        )
        self.assertTrue((found != smoothimg.gaussian_filter(image, 2)).any())

    def test_processes(self):
        self.assertEqual(dask_chunks.main(1700), 0)


if __name__ == "__main__":
    unittest.main()
