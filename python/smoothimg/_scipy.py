# SPDX-License-Identifier: MIT
"""gaussian_filter and its sisters, with the arguments of SciPy's."""

from __future__ import annotations

from typing import Any

from ._arguments import Integers, Mode, Modes, Nan, Numbers, check_int
from ._asked import ask_derivatives, ask_filter
from ._call import call


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
        Where the result goes, or its type. It may be the input itself. After Ctrl-C it holds parts of
        the result beside what it held before.
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
        The axes that are filtered. By default all, as in SciPy: of an image with channels last, of
        shape (H, W, 3) or (H, W, 4), the channels too, unless axes=(0, 1).
    nan : str
        Of floats. "propagate": a NaN makes every sample a NaN for which its weight is not
        0, as do infinities of both signs. "skip", for float32 and one or two smoothed axes: a NaN
        is a missing sample, and the mean is taken of those that are there, divided by the sum of
        their weights; NaN where none is. Integers have no NaN: both give the same.
    threads : int, optional
        How many compute, of an array on the host; 0: one for each processor. By default what
        `set_threads` has set.

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
        For what is served only in images; the message says which.
    RuntimeError
        For an array on a device if the package was built without CUDA, or if CUDA fails.

    Notes
    -----
    Arrays are read and written where they are. Those of a foreign byte order are copied on the host,
    and refused on a device; inputs that share memory with the output are copied. Images (uint8, uint16, float32, one or two axes, order 0) whose
    pixels lie side by side are the fastest.

    The interpreter's lock is released while the library computes. Ctrl-C ends a call on the host
    after some tenths of a second; with a radius of hundreds of samples later.

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
    return call(
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
        input,
        sigma,
        order,
        output,
        mode,
        cval,
        truncate,
        radius=radius,
        axes=along,
        threads=threads,
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
    return call(
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
    return call(
        ask_derivatives, input, output, threads, axes, 1, sigma, mode, cval, truncate, radius
    )
