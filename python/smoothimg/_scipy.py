# SPDX-License-Identifier: MIT
"""Defines gaussian_filter and the other functions that SciPy also has, with SciPy's arguments."""

from __future__ import annotations

from typing import Any

from ._arguments import Integers, Mode, Modes, Nan, Numbers, check_int
from ._asked import ask_derivatives, ask_filter
from ._call import call_at_once


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
    nan: Nan = "propagate",
    threads: int | None = None,
) -> Any:
    """Smooths with a Gaussian filter, or a derivative of it, exactly.

    The arguments and their meaning are those of ``scipy.ndimage.gaussian_filter``. Every sample of the result is the
    real number that the filter gives, rounded once into the output's type. Integers are rounded to the nearest integer,
    halves up, and clamped to their range: for 8 and 16 bits the result equals SciPy's in double precision, rounded by
    ``numpy.floor(scipy.ndimage.gaussian_filter(input.astype(float), ...) + 0.5)``. Floats are rounded to the nearest
    float, ties to even. (SciPy rounds after each axis, and truncates integers.)

    Parameters
    ----------
    input : array
        It may have any number of axes. On the host it is a NumPy array, or an object that NumPy can view, of bool,
        integers of 8 to 64 bits, floats of 16 to 64 bits or complex numbers. On a CUDA device it is a PyTorch or CuPy
        array of these types, or an array that PyTorch or CuPy can view.
    sigma : number or sequence of numbers
        Standard deviation in samples, for all axes or each of them. An axis whose sigma is 0 is not filtered.
    order : int or sequence of ints
        Order of the derivative, for all axes or each of them. 0 smooths. High orders need a large
        enough sigma: with sigma 1 they go up to 11.
    output : array or dtype, optional
        The array for the result, which may be the input itself; or the type of the result. After Ctrl-C this array
        holds parts of the result and parts of its old contents.
    mode : str or sequence of strs
        How the array continues outside its edges: "reflect" (= "grid-mirror"), "mirror", "nearest", "wrap" (=
        "grid-wrap"), "constant" (= "grid-constant"); for all axes or each of them.
    cval : number
        The value of each sample outside the array in mode "constant", whatever the order and the
        array's type. Integers of at most 64 bits are exact; other numbers become the nearest float64.
        NaN and infinities need an array of floats or complex numbers.
    truncate : float
        The radius is ``int(truncate * sigma + 0.5)``.
    radius : int or sequence of ints, optional
        The radius in samples, 0 to 1024. It replaces the radius that `truncate` gives.
    axes : int or sequence of ints, optional
        The filtered axes. By default these are all axes, as in SciPy. So in an image with channels last, of shape (H,
        W, 3) or (H, W, 4), the channels are filtered, too; pass axes=(0, 1) to filter each channel by itself.
    nan : str
        Treatment of NaN. "propagate": the result is NaN where a NaN has a weight that is not 0, or where weights times
        infinities have both signs. "skip": NaN marks a missing sample, and the result is the weighted mean of the
        samples that are not missing; it is NaN if all are missing. For integers both give the same.
    threads : int, optional
        Number of threads for an array on the host; 0 means one for each processor. The default is set
        by `set_threads`.

    Returns
    -------
    array
        `output`, if it is an array; else a new array with the input's shape and order of axes in memory, of the type
        `output` or the input's type. On a device the result is on the input's device, and the work is on the current
        stream of the input's framework.

    Raises
    ------
    TypeError
        If the samples or a parameter have a type that is not supported.
    ValueError
        If a parameter is out of range or does not fit the array.
    NotImplementedError
        If the filter is not defined for these samples, such as "skip" for derivatives or for complex
        samples; the message names the conditions.
    RuntimeError
        If a sequence has another length than the number of filtered axes. For an array on a device, also if the package
        was built without CUDA, or if CUDA fails.

    Notes
    -----
    Arrays are read and written in place, without copies. Arrays of foreign byte order are copied on the host and
    refused on a device; an input that shares memory with the output is copied. Images (uint8, uint16 or float32, of
    which one or two axes are filtered with order 0) whose pixels are adjacent in memory are the fastest.

    The interpreter's lock is released while the library computes. Ctrl-C ends a call on the host
    after some tenths of a second, later if the radius is hundreds of samples.

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
    return call_at_once(
        ask_filter, input, output, threads, axes, sigma, order, mode, cval, truncate, radius, nan
    )


def gaussian_filter1d(
    input: Any,
    sigma: float,
    axis: int = -1,
    order: int = 0,
    output: Any = None,
    mode: Mode = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | None = None,
    threads: int | None = None,
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
        input, sigma, order, output, mode, cval, truncate, radius=radius, axes=along, threads=threads
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
    threads: int | None = None,
) -> Any:
    """Returns the Laplacian of the smoothed array: the exact sum of its second derivatives, rounded once.

    The arguments are those of ``scipy.ndimage.gaussian_laplace``, with the meaning that they have in `gaussian_filter`.
    If `mode` is a sequence, the derivative along an axis uses that axis's mode on all axes. Integers are clamped to
    their range, so for unsigned integers choose a signed `output`.

    Examples
    --------
    >>> import numpy as np, smoothimg
    >>> smoothimg.gaussian_laplace(np.eye(3, dtype=np.uint8) * 100, 1, output=np.int16)
    array([[-38,   4,  35],
           [  4,  -7,   4],
           [ 35,   4, -38]], dtype=int16)
    """
    return call_at_once(
        ask_derivatives, input, output, threads, axes, 2, sigma, mode, cval, truncate, radius
    )


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
    threads: int | None = None,
) -> Any:
    """Returns the length of the gradient of the smoothed array: the root of the sum of the squares of its first
    derivatives, correctly rounded.

    The arguments are those of ``scipy.ndimage.gaussian_gradient_magnitude``, with the meaning that they have in
    `gaussian_laplace`. Complex samples whose imaginary part is not 0 raise NotImplementedError.

    Examples
    --------
    >>> import numpy as np, smoothimg
    >>> smoothimg.gaussian_gradient_magnitude(np.arange(5) * 100, 1)
    array([36, 85, 97, 85, 36])
    """
    return call_at_once(
        ask_derivatives, input, output, threads, axes, 1, sigma, mode, cval, truncate, radius
    )
