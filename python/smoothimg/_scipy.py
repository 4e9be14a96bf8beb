# SPDX-License-Identifier: MIT
"""gaussian_filter, with the arguments of SciPy's."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from collections.abc import Sequence

import numpy as np

from ._arguments import (
    NANS,
    Integers,
    Numbers,
    axis_of,
    check_choice,
    check_order,
    edge_of,
    find_axes,
    for_each_axis,
)
from ._cuda import HOST, Taken, take
from ._operations import Kinds, Weights, compute, smooth_call


def gaussian_filter(
    input: Any,
    sigma: Numbers,
    order: Integers = 0,
    output: Any = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    truncate: float = 4.0,
    *,
    radius: Integers | None = None,
    axes: Integers | None = None,
    nan: str = "propagate",
) -> Any:
    """Smooths with a Gaussian filter, exactly.

    The arguments are those of ``scipy.ndimage.gaussian_filter``, and so is their meaning. Every
    sample of the result is the real number that the filter gives, rounded once. Integers are
    rounded to the nearest integer, halves up: the result equals SciPy's in double precision,
    rounded by ``numpy.floor(scipy.ndimage.gaussian_filter(input.astype(float), ...) + 0.5)``.
    Floats are rounded to the nearest float32, ties to even. (SciPy rounds after each axis, and
    truncates integers.)

    Parameters
    ----------
    input : array of uint8, uint16 or float32
        Any number of axes, of which one or two are smoothed: 2-D images, images with channels last
        (``axes=(0, 1)``), batches of images (``axes=(1, 2)``), others. On the host a NumPy array or
        what NumPy can look at; on a CUDA device a PyTorch or CuPy array, or one that they can look
        at.
    sigma : number or sequence of numbers
        Standard deviation in pixels, for all axes or each of them. An axis with 0 is not smoothed.
    order : int
        0; derivatives raise NotImplementedError.
    output : array or dtype, optional
        Where the result goes; it has the input's shape and type. It may be the input itself.
    mode : str
        What is outside the image: "reflect" (= "grid-mirror"), "mirror", "nearest", "wrap"
        (= "grid-wrap"), "constant" (= "grid-constant"); the same for all axes.
    cval : number
        0, the value outside with mode "constant". Other modes ignore it.
    truncate : float
        The radius is ``int(truncate * sigma + 0.5)``.
    radius : int or sequence of ints, optional
        The radius in pixels, 0 to 1024, in the place of what `truncate` gives.
    axes : int or sequence of ints, optional
        The axes that are smoothed. By default all.
    nan : str
        Of float32. "propagate": a NaN makes every sample a NaN for which its weight is not
        0, as do infinities of both signs; weights below 2**-47 are 0. "skip": a NaN is a missing sample, and the mean is taken of those
        that are there, divided by the sum of their weights; NaN where none is. Integers have no
        NaN: both give the same.

    Returns
    -------
    array
        `output`, or a new array of the input's type, shape and order in memory; on the input's
        device and its framework's current stream.

    Raises
    ------
    TypeError
        For samples of another type, of float64 pass ``.astype(numpy.float32)``; for a parameter of
        another type.
    ValueError
        For a parameter that is out of range or does not fit the array.
    NotImplementedError
        For more than two smoothed axes, an order or a `cval` that is not 0, modes that differ.
    RuntimeError
        For an array on a device if the package was built without CUDA, or if CUDA fails.

    Notes
    -----
    Arrays are read and written in place if the samples of a row lie side by side and rows follow
    each other at any positive distance. Arrays in Fortran order, read-only arrays and slices of
    rows and columns are such. Others (negative strides, every second column, some of the
    channels, foreign byte order) are copied first.

    The interpreter's lock is released while the library computes, with a thread for each processor.
    Ctrl-C is noticed between the images of a batch.

    Examples
    --------
    >>> import numpy as np, smoothimg
    >>> image = np.zeros((3, 5), np.uint8)
    >>> image[1, 2] = 100
    >>> smoothimg.gaussian_filter(image, 1)
    array([[ 2,  7, 12,  7,  2],
           [ 2, 10, 16, 10,  2],
           [ 2,  7, 12,  7,  2]], dtype=uint8)
    >>> colours = np.zeros((480, 640, 3), np.uint16)
    >>> smoothimg.gaussian_filter(colours, 2.5, axes=(0, 1)).shape
    (480, 640, 3)
    """
    kinds = _kinds_of(sigma, order, mode, cval, truncate, radius, nan)
    if kinds is not None:
        made = kinds.smooth(input, axes, output, 0)
        if made is not None:
            return made
    source = take(input)
    ndim = source.array.ndim
    if ndim == 0:
        raise ValueError("the input has no axes; pass an array with one or more")
    found = find_axes(axes, ndim)
    count = len(found)
    check_order(order, count)
    edge = edge_of(mode, cval, count)
    smoothing = [
        axis_of(*one, truncate)
        for one in zip(for_each_axis(sigma, count, "sigma"), for_each_axis(radius, count, "radius"))
    ]
    weights = Weights(edge, skip_nan=check_choice(nan, "nan", NANS))
    call = smooth_call(found, smoothing, weights)
    made = compute(call, source, _array_of(output, source))
    if kinds is not None:
        kinds.remember(call, input, axes, made, 0)
    return made


@lru_cache(maxsize=64, typed=True)
def _remembered(*arguments: Any) -> Kinds | None:
    """For these arguments. typed, since 0.0 is no order, for example; tuples, whose entries are not
    looked into, have none."""
    return None if any(type(one) is tuple for one in arguments) else Kinds()


def _kinds_of(*arguments: Any) -> Kinds | None:
    try:
        return _remembered(*arguments)
    except TypeError:  # a list, an array
        return None


def _array_of(output: Any, source: Taken) -> Any:
    """An output that is given as a type has to be the input's."""
    if output is None or hasattr(output, "shape") and not isinstance(output, (type, np.dtype)):
        return output
    wanted = _type_of(output) if source.kind is HOST else output
    if wanted != source.array.dtype:
        raise TypeError(f"the output has samples of type {wanted}, the input {source.array.dtype}")
    return None


def _type_of(output: Any) -> np.dtype[Any]:
    try:
        made: np.dtype[Any] = np.dtype(output)
        return made
    except TypeError:
        raise TypeError(f"output is {output!r}; it has to be an array, or a type") from None
