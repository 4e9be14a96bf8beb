# SPDX-License-Identifier: MIT
"""gaussian_filter and its sisters, with the arguments of SciPy's."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from collections.abc import Sequence

from ._arguments import SAMPLES, Integers, Numbers, check_int
from ._arrays import (
    Part,
    check_type,
    check_type_on_device,
    compute as compute_array,
    compute_on_device,
    is_array,
    is_complex,
    name_of,
    type_of,
)
from ._asked import Asked, are_scalars, ask_derivatives, ask_filter, ask_once
from ._cuda import HOST, Taken, is_on_device, take_on_device
from ._host import as_numpy
from ._operations import Call, Kinds, Note, Weights, compute, smooth_call

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
        array of them, or one that they can look at.
    sigma : number or sequence of numbers
        Standard deviation in samples, for all axes or each of them. An axis with 0 is left alone.
    order : int or sequence of ints
        The order of the derivative along all axes or each of them. 0 smooths. High orders need a
        sigma that is not too small: with sigma 1 they go up to 11.
    output : array or dtype, optional
        Where the result goes, or its type. It may be the input itself.
    mode : str or sequence of strs
        What is outside the array: "reflect" (= "grid-mirror"), "mirror", "nearest", "wrap"
        (= "grid-wrap"), "constant" (= "grid-constant"); for all axes or each of them.
    cval : number
        With mode "constant" what each sample outside the array is, whatever the order and the array's
        type: exactly, of integers of at most 64 bits; any other as the float64 nearest to it. NaN and
        infinities only beside floats.
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
        For what is served only in images, or only on the host.
    RuntimeError
        For an array on a device if the package was built without CUDA, or if CUDA fails.

    Notes
    -----
    Arrays are read and written in place, but for those of a foreign byte order, which are copied on the
    host, and refused on a device. Images (uint8, uint16, float32, one or two axes, order 0) are the
    fastest; of these, arrays are copied first whose rows have gaps between their samples, or a
    negative stride.

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
    source = see(input)
    asked = ask_once(
        ask_filter, *describe(source), sigma, order, mode, cval, truncate, radius, axes, nan
    )
    note = None if kinds is None else kinds.note(input, axes, 0)
    return run(asked, source, output, note=note)


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
    array([0.8 , 2.16, 3.88, 4.74, 3.2 ])
    """
    along = check_int(axis, "axis", "an integer")
    return gaussian_filter(
        input, sigma, order, output, mode, cval, truncate, radius=radius, axes=along
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
    """The Laplacian of a smoothed array: the sum of its second derivatives, as one exact sum that is
    rounded once.

    The arguments are those of ``scipy.ndimage.gaussian_laplace``, and as for `gaussian_filter`; of
    several modes, each is that of the derivative along its axis, on all axes. Integers are clamped
    to their range: for unsigned ones choose an `output` that has a sign.

    Examples
    --------
    >>> import numpy as np, smoothimg
    >>> smoothimg.gaussian_laplace(np.eye(3, dtype=np.uint8) * 100, 1, output=np.int16)
    array([[-38,   4,  35],
           [  4,  -7,   4],
           [ 35,   4, -38]], dtype=int16)
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
    derivatives, correctly rounded.

    The arguments are those of ``scipy.ndimage.gaussian_gradient_magnitude``, and as for
    `gaussian_laplace`. NotImplementedError is raised for complex samples that are not real.

    Examples
    --------
    >>> import numpy as np, smoothimg
    >>> smoothimg.gaussian_gradient_magnitude(np.arange(5) * 100, 1)
    array([36, 85, 97, 85, 36])
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
    source = see(input)
    asked = ask_once(
        ask_derivatives, *describe(source), order, sigma, mode, cval, truncate, radius, axes
    )
    return run(asked, source, output)


def see(input: Any) -> Taken:
    """The array as the library or NumPy sees it."""
    if is_on_device(input):
        taken = take_on_device(input)
        check_type_on_device(taken.array.dtype)
        return taken
    array = as_numpy(input)
    check_type(array.dtype)
    return Taken(HOST, array, lambda made: made)


def describe(source: Taken) -> tuple[int, bool]:
    """How many axes there are, and whether samples are complex: what an argument may be depends on
    it."""
    return len(source.array.shape), is_complex(source.array.dtype)


def run(
    asked: Asked,
    source: Taken,
    output: Any,
    threads: int = 0,
    part: Part | None = None,
    note: Note | None = None,
) -> Any:
    """part: of the result, into a new array; output is a type then."""
    call = _image_call(asked, source, output)
    if call is None and source.kind is HOST:
        return compute_array(asked, source.array, output, threads, part)
    if call is None:
        return compute_on_device(asked, source, output)
    accepted = source._replace(array=source.kind.accept(source.array))
    made = compute(call, accepted, output if is_array(output) else None, threads, note)
    if part is None:
        return made
    # A view, so that no third array is there beside the source, unless it keeps too much memory.
    found = made[part]
    return found if made.size < 2 * found.size else found.copy()


def _image_call(asked: Asked, source: Taken, output: Any) -> Call | None:
    """A call of the functions for images, which are faster and serve devices, or None."""
    obstacle = _obstacle(asked, source, output)
    if obstacle is None:
        (term,) = asked.terms
        edge = next((how.edge for how in term if how.radius > 0), 0)
        return smooth_call(tuple(range(len(term))), term, Weights(edge, skip_nan=asked.skip_nan))
    if asked.skip_nan and name_of(source.array.dtype)[:2] in ("fl", "co"):
        raise NotImplementedError(f"with nan='skip' {obstacle}")
    return None


def _obstacle(asked: Asked, source: Taken, output: Any) -> str | None:
    """What the functions for images ask for in vain."""
    dtype = source.array.dtype
    if name_of(dtype) not in SAMPLES:
        return f"samples are {', '.join(SAMPLES)}"
    term = asked.terms[0]
    if len(asked.terms) > 1 or asked.magnitude or any(how.order > 0 for how in term):
        return "there are no derivatives"
    if sum(how.radius > 0 for how in term) > 2:
        return (
            "at most two axes are smoothed: axes=(0, 1) for channels last, axes=(1, 2) for a stack"
        )
    if len({how.edge for how in term if how.radius > 0}) > 1:
        return "all axes have the same mode"
    if asked.outside != 0:
        return f"cval is 0, not {asked.outside}"
    wanted = type_of(output, dtype)
    if wanted is not dtype and name_of(wanted) != name_of(dtype):
        return f"the output has the input's type, not {wanted}"
    return None


@lru_cache(maxsize=64, typed=True)
def _remembered(*arguments: Any) -> Kinds:
    return Kinds()


def _kinds_of(*arguments: Any) -> Kinds | None:
    return _remembered(*arguments) if are_scalars(arguments) else None
