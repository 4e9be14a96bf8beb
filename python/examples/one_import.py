#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts dim cells in a photograph, once with SciPy, and once with one import changed:

    from scipy import ndimage          # before
    import smoothimg as ndimage        # after

Samples have 8 bits. SciPy truncates them after each axis, so its results are about one grey level too dark. For a dim
signal, which has only a few levels, this is much.
"""

import numpy as np
import scipy.ndimage

import smoothimg


def photograph():
    """Returns an image of 70 cells, 3 grey levels above a background of 20, with Poisson noise, as when light is
    counted."""
    light = np.full((400, 600), 20.0)
    for y in range(15, 400, 60):
        for x in range(15, 600, 60):
            light[y : y + 13, x : x + 13] += 3
    return np.random.default_rng(1).poisson(light).astype(np.uint8)


def count_cells(image, ndimage):
    """Stands for a user's own code. It is the same with both libraries. Returns the number of cells that it finds, and
    by how much smoothing changed the mean."""
    smooth = ndimage.gaussian_filter(image, sigma=4)
    _, cells = scipy.ndimage.label(smooth >= 22)
    return cells, smooth.mean() - image.mean()


def main():
    image, ones = photograph(), np.ones((40, 60), np.uint8)
    for name, ndimage in (("scipy.ndimage", scipy.ndimage), ("smoothimg", smoothimg)):
        cells, darker = count_cells(image, ndimage)
        flat = np.unique(ndimage.gaussian_filter(ones, sigma=2.5)).tolist()
        print(f"{name:13}: {cells} of 70 cells; mean {darker:+.2f} levels; of ones it makes {flat}")


if __name__ == "__main__":
    main()
