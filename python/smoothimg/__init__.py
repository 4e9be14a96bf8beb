# SPDX-License-Identifier: MIT
"""Exact Gaussian filters of arrays of any number of axes and any type, with derivatives, on the CPU
and on CUDA devices; also transpose and reverse. Every machine, number of threads and device gives the same
samples. smoothimg.dask filters Dask arrays, smoothimg.ome_zarr writes pyramids of Dask arrays, and
smoothimg.torch.gaussian_filter is an operator of PyTorch with an exact gradient.

>>> import numpy as np, smoothimg
>>> smoothimg.gaussian_filter(np.arange(5, dtype=np.uint8) * 50, sigma=1)
array([ 21,  53, 100, 147, 179], dtype=uint8)
"""

from ._core import MAX_RADIUS
from ._core import version as _version
from ._cuda import check_cuda, cuda_available
from ._filter import Filter, reverse, transpose
from ._host import get_threads, set_threads
from ._scipy import (
    gaussian_filter,
    gaussian_filter1d,
    gaussian_gradient_magnitude,
    gaussian_laplace,
)
from ._several import difference_of_gaussians, gaussian_filters, hessian, structure_tensor

__version__: str = _version()
__all__ = [
    "MAX_RADIUS",
    "Filter",
    "check_cuda",
    "cuda_available",
    "difference_of_gaussians",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_filters",
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "get_threads",
    "hessian",
    "reverse",
    "set_threads",
    "structure_tensor",
    "transpose",
]
