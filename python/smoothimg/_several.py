# SPDX-License-Identifier: MIT
"""Functions that return several results in one call, or combine several Gaussians in one result."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

from ._arguments import find_axes, is_one
from ._asked import ask_apart, ask_difference
from ._call import call, is_array, see, tensor_types, type_of
from ._scipy import gaussian_filter


def hessian(
    input: Any,
    sigma: Any,
    output: Any = None,
    mode: Any = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Any = None,
    axes: Any = None,
    threads: Any = None,
) -> Any:
    """Returns all second derivatives of the smoothed array, each rounded once.

    The arguments have the meaning that they have in `gaussian_filter`. The result has one more axis than the array.
    This axis is the first, with an entry for each pair of filtered axes: with three filtered axes, the derivatives
    along (0, 0), (0, 1), (0, 2), (1, 1), (1, 2) and (2, 2). By default the result has the type
    `numpy.result_type(input, numpy.float32)`. Besides the array and the result, a call on the host needs some megabytes
    of memory for each thread.

    Examples
    --------
    >>> import numpy as np, smoothimg
    >>> xx, xy, yy = smoothimg.hessian(np.diag([0.0, 0, 8, 0, 0]), 1)
    >>> bool((xx == yy.T).all()), float(xy[2, 2].round(3)), float(xx[2, 2].round(3))
    (True, 0.0, -1.273)
    """
    return call(
        ask_apart, input, output, threads, axes, 2, mode, cval, truncate, radius, sigma
    )


def structure_tensor(
    input: Any,
    sigma: Any,
    rho: Any,
    output: Any = None,
    mode: Any = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    products: Any = None,
    axes: Any = None,
    threads: Any = None,
) -> Any:
    """Returns the smoothed product of each pair of first derivatives, in the order of `hessian`.

    The first derivatives, with `sigma`, are exact, and each is rounded once to `products`, a type of floats. Each
    product is rounded once to this type. The products are smoothed with the standard deviation `rho`, exactly, and
    rounded once to the type of the result. By default `products` is the type of the result if that is a type of floats,
    else float64. In mode "constant" the products outside the array are 0. Other arguments and the result are as for
    `hessian`; complex samples raise NotImplementedError. If the result has the type `products`, the call needs memory
    for one product besides the result.

    Examples
    --------
    >>> import numpy as np, smoothimg
    >>> smoothimg.structure_tensor(np.arange(12.0).reshape(3, 4), 1, 2, axes=1).round(3)[0, 0]
    array([0.412, 0.416, 0.416, 0.412])
    """

    def derive(output: Any) -> Any:
        return call(ask_apart, input, output, threads, axes, 1, mode, cval, truncate, None, sigma)

    def smooth(product: Any, output: Any) -> Any:
        return gaussian_filter(product, rho, 0, output, mode, 0, truncate, axes=axes, threads=threads)

    if hasattr(input, "by_chunks"):
        return input.tensor(derive, smooth, output, products)
    kind, array = source = see(input)
    output, of = tensor_types(source, output, products)
    count = len(find_axes(axes, len(array.shape)))
    shape, given = (count * (count + 1) // 2, *array.shape), is_array(output)
    result: Any = (
        kind.take_output(output, array, shape)
        if given
        else kind.new(array, shape, type_of(source, output))
    )
    # If the types are the same, the last `count` entries of the result hold the derivatives at first. Each of these
    # entries gets its own result only after the last product that uses the derivative in it.
    slopes = result[-count:] if result.dtype == of else kind.new(array, (count, *array.shape), of)
    derive(slopes)
    for number, (a, b) in enumerate(combinations_with_replacement(range(count), 2)):
        smooth(slopes[a] * slopes[b], result[number])
    return output if given else result


def difference_of_gaussians(
    input: Any,
    low_sigma: Any,
    high_sigma: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Any = None,
    axes: Any = None,
    threads: Any = None,
) -> Any:
    """Returns the array smoothed with `low_sigma` minus the array smoothed with `high_sigma`: one exact sum, rounded
    once.

    Along each axis `high_sigma` is at least `low_sigma`; by default it is 1.6 times as much. Other arguments have the
    meaning that they have in `gaussian_filter`; `radius` applies to both filters. By default the result has the type
    `numpy.result_type(input, numpy.float32)`.

    Examples
    --------
    >>> import numpy as np, smoothimg
    >>> smoothimg.difference_of_gaussians(np.eye(3, dtype=np.uint8) * 200, 1, 2, output=np.int16)
    array([[ 33,  -1, -32],
           [ -1,   2,  -1],
           [-32,  -1,  33]], dtype=int16)
    """
    sigmas = low_sigma, high_sigma
    return call(
        ask_difference, input, output, threads, axes, *sigmas, mode, cval, truncate, radius
    )


def gaussian_filters(
    input: Any,
    sigmas: Any,
    output: Any = None,
    mode: Any = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Any = None,
    axes: Any = None,
    threads: Any = None,
) -> Any:
    """Applies `gaussian_filter` with each of several sigmas. A sigma is a number, or a sequence with a number for each
    axis. The result has one more axis than the array. This axis is the first, with an entry for each sigma.

    Examples
    --------
    >>> import numpy as np, smoothimg
    >>> smoothimg.gaussian_filters(np.array([0, 0, 200, 0, 0], np.uint8), [0.5, 1, 2])
    array([[  0,  21, 157,  21,   0],
           [ 12,  48,  80,  48,  12],
           [ 37,  41,  43,  41,  37]], dtype=uint8)
    """
    if is_one(sigmas) or len(sigmas) == 0:
        raise ValueError(f"sigmas is {sigmas!r}; pass a sequence, with an entry for each result")
    return call(
        ask_apart, input, output, threads, axes, 0, mode, cval, truncate, radius, *sigmas
    )
