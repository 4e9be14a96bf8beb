# SPDX-License-Identifier: MIT
"""A user's program, which mypy and pyright must accept in their strict modes. Tests which arguments are valid, and the
type of array that each call returns."""

from typing import Any

import numpy as np
import numpy.typing as npt

import smoothimg

image = np.zeros((12, 14), np.uint8)
volume: npt.NDArray[np.float32] = np.zeros((3, 4, 5), np.float32)
found_1: npt.NDArray[np.float32] = smoothimg.gaussian_filter(volume, 2)
a: npt.NDArray[np.uint8] = smoothimg.gaussian_filter(image, np.float32(2.5), mode="nearest")
b: npt.NDArray[np.float64] = smoothimg.gaussian_filter(image, [1, 2.5], (0, 1), np.float64)
c = smoothimg.gaussian_filter(image, np.array([1.0, 2]), output=volume, radius=np.array([3, 4]))
found_2: npt.NDArray[np.float32] = c
d = smoothimg.gaussian_filter([[1, 2], [3, 4]], (np.float64(1), 2), axes=(0, 1), order=np.int64(1))
found_3: npt.NDArray[Any] = d
e = smoothimg.gaussian_filter(image, 1, output="float32", mode=("wrap", "reflect"), threads=1)
found_4: npt.NDArray[Any] = e
f: npt.NDArray[np.float32] = smoothimg.gaussian_laplace(image, 1, np.float32)
g: npt.NDArray[np.uint8] = smoothimg.gaussian_gradient_magnitude(image, (1, 2), cval=3)
h: npt.NDArray[np.float32] = smoothimg.gaussian_filter1d(
    volume, np.float32(1), np.int64(0), order=1
)
i: npt.NDArray[np.int16] = smoothimg.gaussian_filter1d(volume, 1, output=np.dtype(np.int16))
soften = smoothimg.Filter(np.float32(2), mode="wrap", radius=(3, 4), norm="analytic")
found_5: npt.NDArray[np.float32] = soften(volume, axes=(0, 1))
j: npt.NDArray[np.float64] = soften(volume, axes=np.array([0, 1]), out=np.float64)
k: npt.NDArray[np.uint8] = smoothimg.reverse(image, axes=None)
l: npt.NDArray[np.uint8] = smoothimg.transpose(image, axes=(0, 1), threads=2)
m: npt.NDArray[np.uint8] = smoothimg.transpose(image, out=a)
o: npt.NDArray[np.float32] = smoothimg.hessian(image, (1, 2.5), mode="nearest", axes=(0, 1))
p: npt.NDArray[np.float64] = smoothimg.structure_tensor(volume, 1, 2, products=np.float64)
q: npt.NDArray[np.int16] = smoothimg.difference_of_gaussians(image, 1, output=np.int16)
r: npt.NDArray[np.uint8] = smoothimg.gaussian_filters(image, [1, (2, 3)], radius=4, threads=1)
smoothimg.set_threads(2)
n: int = smoothimg.get_threads() + smoothimg.MAX_RADIUS
