#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts the float32 samples of scipy.ndimage.gaussian_filter that differ from the exact results, rounded once.

Both libraries get the same array, sigma, radius (SciPy's truncate of 4) and edge rule ("reflect"). SciPy rounds to
float32 after each axis. When SciPy computes in double precision instead, its result is rounded once, at the end. For an
array of --part x --part pixels, smoothimg's samples are also compared with the definition, computed in Python's
fractions (tests/definition), so that a mistake of smoothimg does not count as a mistake of SciPy.
"""

import argparse
import platform
import sys
from pathlib import Path

import numpy as np
import scipy
from scipy import ndimage

import smoothimg

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "definition"))
from definition_arrays import filter_array  # noqa: E402


def noise(side, draw):
    return draw.random((side, side), np.float32)


def star_field(side, draw):
    """Returns an image of noise, with a mean of 100 and a deviation of 10, to which stars are added:
    on average one for 500 pixels. A star is a Gaussian with a sigma of one pixel and a height of
    about 10^2 to 10^5."""
    sky = draw.normal(100, 10, (side, side))
    stars = (draw.random((side, side)) < 0.002) * 10 ** draw.uniform(2, 5, (side, side))
    return (sky + 6 * ndimage.gaussian_filter(stars, 1)).astype(np.float32)


def bits(image):
    return image.view(np.uint32)


def differing(found, exact):
    """Returns the share of samples that differ, and the largest difference in units of the last place."""
    apart = np.abs(bits(found).astype(np.int64) - bits(exact).astype(np.int64))
    return np.count_nonzero(apart) / apart.size, apart.max()


def check_definition(paint, side, sigma):
    image = paint(side, np.random.default_rng(2))
    radius = int(4 * sigma + 0.5)
    axis = radius, sigma, 0, "reflect"
    plane = filter_array(image.ravel().tolist(), image.shape, [[axis] * 2], False, "f32", "f32", 0.0)
    wrong = np.count_nonzero(bits(smoothimg.gaussian_filter(image, sigma)).ravel() != np.frombuffer(b"".join(plane), "u4"))
    if wrong:
        sys.exit(f"{paint.__name__}, sigma {sigma}: {wrong} samples are not the definition's")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--side", type=int, default=2048, help="pixels of a side (2048)")
    parser.add_argument("--part", type=int, default=64, help="of what the definition computes (64)")
    parser.add_argument("--sigmas", default="1,2.5,5", help="1,2.5,5")
    options = parser.parse_args()
    print(f"SciPy {scipy.__version__}, NumPy {np.__version__}, {platform.machine()}\n")
    print("| image, sigma | SciPy, float32 | largest error, in last places | SciPy, double |")
    print("| --- | --- | --- | --- |")
    for paint in (noise, star_field):
        image = paint(options.side, np.random.default_rng(1))
        for sigma in map(float, options.sigmas.split(",")):
            check_definition(paint, options.part, sigma)
            exact = smoothimg.gaussian_filter(image, sigma)
            share, largest = differing(ndimage.gaussian_filter(image, sigma), exact)
            doubles = ndimage.gaussian_filter(image.astype(float), sigma).astype(np.float32)
            count = np.count_nonzero(bits(doubles) != bits(exact))
            print(
                f"| {paint.__name__}, {sigma:g} | {share:.1%} | {largest} | {count} |", flush=True
            )


if __name__ == "__main__":
    main()
