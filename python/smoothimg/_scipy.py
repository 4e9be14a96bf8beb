# SPDX-License-Identifier: MIT
"""gaussian_filter and its sisters, with the arguments of SciPy's."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from collections.abc import Sequence

import numpy as np

from ._arguments import (
    EDGES,
    NANS,
    SAMPLES,
    Axis,
    Integers,
    Numbers,
    axis_of,
    check_choice,
    edge_of,
    find_axes,
    for_each_axis,
)
from ._arrays import Terms, check_outside, compute as compute_array, see
from ._cuda import HOST, is_on_device, take
from ._operations import Kinds, Weights, compute, smooth_call

Modes = str | Sequence[str]


def gaussian_filter(
    input: Any,
    sigma: Numbers,
    order: Integers = 0,
    output: Any = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Integers | None = None,
    axes: Integers | None = None,
    nan: str = "propagate",
) -> Any:
    """Smooths with a Gaussian filter, or a derivative of it, exactly.

    The arguments are those of ``scipy.ndimage.gaussian_filter``, and so is their meaning. Every
    sample of the result is the real number that the filter gives, rounded once into the output's
    type. Integers are rounded to the nearest integer, halves up, and clamped to their range: the
    result equals SciPy's in double precision, rounded by
    ``numpy.floor(scipy.ndimage.gaussian_filter(input.astype(float), ...) + 0.5)``. Floats are
    rounded to the nearest one, ties to even. (SciPy rounds after each axis, and truncates integers.)

    Parameters
    ----------
    input : array
        Any number of axes. On the host a NumPy array or what NumPy can look at, of bool, integers
        of 8 to 64 bits, floats of 16 to 64 or complex numbers. On a CUDA device a PyTorch or CuPy
        array, or one that they can look at, of uint8, uint16 or float32, of which one or two axes
        are smoothed.
    sigma : number or sequence of numbers
        Standard deviation in samples, for all axes or each of them. An axis with 0 is left alone.
    order : int or sequence of ints
        The order of the derivative along all axes or each of them. 0 smooths.
    output : array or dtype, optional
        Where the result goes, or its type. It may be the input itself. On a device it has the
        input's type.
    mode : str or sequence of strs
        What is outside the array: "reflect" (= "grid-mirror"), "mirror", "nearest", "wrap"
        (= "grid-wrap"), "constant" (= "grid-constant"); for all axes or each of them.
    cval : number
        The value outside with mode "constant": of the array, whatever the order. Other modes ignore
        it.
    truncate : float
        The radius is ``int(truncate * sigma + 0.5)``.
    radius : int or sequence of ints, optional
        The radius in samples, 0 to 1024, in the place of what `truncate` gives.
    axes : int or sequence of ints, optional
        The axes that are filtered. By default all.
    nan : str
        Of floats. "propagate": a NaN makes every sample a NaN for which its weight is not
        0, as do infinities of both signs. "skip", for float32 and one or two smoothed axes: a NaN
        is a missing sample, and the mean is taken of those that are there, divided by the sum of
        their weights; NaN where none is. Integers have no NaN: both give the same.

    Returns
    -------
    array
        `output`, or a new array of the input's type, shape and order in memory; on the input's
        device and its framework's current stream.

    Raises
    ------
    TypeError
        For samples of another type, or a parameter of another type.
    ValueError
        For a parameter that is out of range or does not fit the array.
    NotImplementedError
        On a device, for what it does not serve.
    RuntimeError
        For an array on a device if the package was built without CUDA, or if CUDA fails.

    Notes
    -----
    Arrays are read and written in place, but for those of a foreign byte order. Images (uint8,
    uint16, float32, one or two axes, order 0) are the fastest; of these, arrays are copied first
    whose rows have gaps between their samples, or a negative stride.

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
    on_device = is_on_device(input)
    source = take(input) if on_device else None
    array = source.array if source else see(input)
    ndim = len(array.shape)
    if ndim == 0:
        raise ValueError("the input has no axes; pass an array with one or more")
    found = find_axes(axes, ndim)
    filtering = _filtering(len(found), sigma, order, truncate, radius)
    edges = [edge_of(one) for one in for_each_axis(mode, len(found), "mode")]
    outside = check_outside(cval, edges, "complex" in str(array.dtype))
    skip_nan = check_choice(nan, "nan", NANS)
    obstacle = _no_image(array, filtering, edges, outside, output)
    if source and obstacle:
        raise NotImplementedError(f"on a device {obstacle}")
    if obstacle:
        if skip_nan and array.dtype.kind in "fc":
            raise NotImplementedError(f"nan='skip' is for images of float32: {obstacle}")
        asked = _terms(ndim, found, [filtering], [edges], False, outside)
        return compute_array(asked, array, output)
    call = smooth_call(found, filtering, Weights(_edge(filtering, edges), skip_nan=skip_nan))
    made = compute(call, source or take(array), _array_of(output))
    if kinds is not None:
        kinds.remember(call, input, axes, made, 0)
    return made


def gaussian_filter1d(
    input: Any,
    sigma: float,
    axis: int = -1,
    order: int = 0,
    output: Any = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | None = None,
) -> Any:
    """Filters along one axis, exactly: ``gaussian_filter(input, sigma, order, axes=axis, ...)``, with
    the arguments of ``scipy.ndimage.gaussian_filter1d``.

    Examples
    --------
    >>> import numpy as np, smoothimg
    >>> smoothimg.gaussian_filter1d(np.arange(5.0) ** 2, 1, order=1, mode="nearest").round(2)
    array([0.7 , 1.95, 3.72, 4.64, 3.1 ])
    """
    return gaussian_filter(
        input, sigma, order, output, mode, cval, truncate, radius=radius, axes=axis
    )


def gaussian_laplace(
    input: Any,
    sigma: Numbers,
    output: Any = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    *,
    axes: Integers | None = None,
    truncate: float = 4.0,
    radius: Integers | None = None,
) -> Any:
    """The Laplacian of a smoothed array: the sum of its second derivatives, one exact sum that is
    rounded once. Arguments as for `gaussian_filter`, but that of modes that differ each is that of
    one derivative, on all axes. Integers are clamped to their range: of
    unsigned ones choose an `output` that has a sign.
    """
    return _derivatives(input, sigma, 2, output, mode, cval, axes, truncate, radius)


def gaussian_gradient_magnitude(
    input: Any,
    sigma: Numbers,
    output: Any = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    *,
    axes: Integers | None = None,
    truncate: float = 4.0,
    radius: Integers | None = None,
) -> Any:
    """The length of the gradient of a smoothed array: the root of the sum of the squares of its first
    derivatives, correctly rounded. Arguments as for `gaussian_laplace`.
    """
    return _derivatives(input, sigma, 1, output, mode, cval, axes, truncate, radius)


def _derivatives(
    input: Any,
    sigma: Numbers,
    order: int,
    output: Any,
    mode: Modes,
    cval: complex,
    axes: Integers | None,
    truncate: float,
    radius: Integers | None,
) -> Any:
    """One term for each axis, with the derivative along it: their sum, or of order 1 the root of the
    sum of their squares."""
    if is_on_device(input):
        raise NotImplementedError("on a device there are no derivatives; copy the array to the host")
    array = see(input)
    found = find_axes(axes, array.ndim)
    count = len(found)
    edges = [edge_of(one) for one in for_each_axis(mode, count, "mode")]
    outside = check_outside(cval, edges, array.dtype.kind == "c")
    filtering = [
        _filtering(count, sigma, [order * (i == j) for j in range(count)], truncate, radius)
        for i in range(count)
    ]
    magnitude = order == 1 and count > 0
    # As SciPy does: a term has the mode of the axis that it derives along, on all axes.
    term_edges = [[edge] * count for edge in edges]
    asked = _terms(array.ndim, found, filtering or [[]], term_edges or [[]], magnitude, outside)
    return compute_array(asked, array, output)


def _filtering(
    count: int, sigma: Any, order: Any, truncate: Any, radius: Any
) -> list[Axis]:
    """How each axis is filtered."""
    return [
        axis_of(*one)
        for one in zip(
            for_each_axis(sigma, count, "sigma"),
            for_each_axis(radius, count, "radius"),
            (truncate,) * count,
            for_each_axis(order, count, "order"),
        )
    ]


def _terms(
    ndim: int,
    axes: Sequence[int],
    filtering: Sequence[Sequence[Axis]],
    edges: Sequence[Sequence[int]],
    magnitude: bool,
    outside: complex,
) -> Terms:
    """For all axes of an array."""
    terms, all_edges = [], []
    for term, term_edges in zip(filtering, edges):
        whole, whole_edges = [Axis(0, 0.0)] * ndim, [0] * ndim
        for axis, how, edge in zip(axes, term, term_edges):
            whole[axis], whole_edges[axis] = how, edge
        terms.append(tuple(whole))
        all_edges.append(tuple(whole_edges))
    return Terms(tuple(terms), tuple(all_edges), magnitude, outside)


def _edge(filtering: Sequence[Axis], edges: Sequence[int]) -> int:
    """That of the smoothed axes, which have the same."""
    return next((edge for how, edge in zip(filtering, edges) if how.radius > 0), EDGES["reflect"])


def _no_image(
    array: Any, filtering: Sequence[Axis], edges: Sequence[int], outside: complex, output: Any
) -> str | None:
    """Why the faster functions for images do not serve; None: they do."""
    smoothed = {edge for how, edge in zip(filtering, edges) if how.sigma > 0}
    name = str(array.dtype).rpartition(".")[2]
    if name not in SAMPLES:
        return f"samples are {', '.join(SAMPLES)}, not {array.dtype}"
    if any(how.order > 0 for how in filtering):
        return "there are no derivatives"
    if sum(how.radius > 0 for how in filtering) > 2:
        return "at most two axes are smoothed: axes=(0, 1) for channels last, axes=(1, 2) for a stack"
    if len(smoothed) > 1:
        return "all axes have the same mode"
    if outside != 0:
        return f"outside is 0, not cval {outside}"
    wanted = _type_of(output)
    if wanted is not None and wanted != array.dtype:
        return f"the output has the input's type, not {wanted}"
    return None


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


def _array_of(output: Any) -> Any:
    """An output that is given as a type is the input's."""
    return output if hasattr(output, "shape") and not isinstance(output, (type, np.dtype)) else None


def _type_of(output: Any) -> Any:
    """Of an output's samples, as its framework names it."""
    if output is None:
        return None
    if hasattr(output, "shape") and not isinstance(output, (type, np.dtype)):
        return output.dtype
    if type(output).__module__ == "torch":
        return output
    try:
        return np.dtype(output)
    except TypeError:
        raise TypeError(f"output is {output!r}; it has to be an array, or a type") from None
