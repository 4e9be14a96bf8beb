# SPDX-License-Identifier: MIT
"""Defines the class Filter, and the functions transpose and reverse."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Literal, SupportsIndex, TypeVar, Union, overload
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from ._arguments import A_THIRD, Integers, Modes, Nan, Numbers, find_axes, is_one
from ._asked import ask_filter
from ._call import call_at_once, move, see

Sample = TypeVar("Sample", bound=np.generic)
Array = TypeVar("Array", bound="np.ndarray[Any, Any]")
Axes = Union[Integers, None]
Threads = Union[int, None]


def _fixed(value: Any) -> Any:
    """Returns the value in an immutable form that can be compared: a Python number, a string or None, or a tuple of
    these."""
    fixed: Any = value.tolist() if hasattr(value, "tolist") else value  # an array or number of NumPy has it
    if is_one(fixed):
        return math.nan if fixed != fixed and not isinstance(fixed, complex) else fixed
    return tuple(map(_fixed, fixed))


def _each(function: Callable[[Any], Any], value: Any) -> Any:
    return function(value) if is_one(value) else tuple(map(function, value))


class Filter:
    """A Gaussian filter, to be used repeatedly, by any number of threads, on arrays of any type and
    number of axes. Filters with the same parameters are equal.

    Parameters
    ----------
    sigma, order, mode, cval, truncate, radius, nan
        As for `gaussian_filter`. Here sigma is optional: by default it is exactly a third of the
        radius.
    norm : str
        "sum": the weights sum to 1, so that constant areas stay unchanged. "analytic": the weights are the density of
        the normal distribution at whole pixels; along an axis of radius 0 samples stay unchanged.
    alpha : bool
        The last axis holds colours and then alpha, which weights the colours: transparent pixels do
        not contribute.

    Raises
    ------
    TypeError
        If a parameter has a type that is not supported.
    ValueError
        If a parameter is out of range, or neither `sigma` nor `radius` is given.
    RuntimeError
        If sequences with an entry for each axis differ in length.

    Notes
    -----
    norm="analytic", alpha=True and nan="skip" are for filters without derivatives: with a derivative they raise
    NotImplementedError. With alpha=True, a colour keeps its value where the weights times alpha sum to 0.

    Examples
    --------
    >>> import numpy as np, smoothimg
    >>> soften = smoothimg.Filter(2.5, mode="nearest")
    >>> frames = np.full((8, 120, 160, 3), 7, np.uint8)
    >>> int(soften(frames, axes=(1, 2)).max())
    7
    >>> soften
    Filter(sigma=2.5, mode='nearest')
    >>> soften == smoothimg.Filter(2.5, mode="nearest")
    True
    """

    __slots__ = ("_given", "_ask")

    def __init__(
        self,
        sigma: Numbers | None = None,
        *,
        order: Integers = 0,
        mode: Modes = "reflect",
        cval: complex = 0.0,
        truncate: float = 4.0,
        radius: Integers | None = None,
        nan: Nan = "propagate",
        norm: Literal["sum", "analytic"] = "sum",
        alpha: bool = False,
    ) -> None:
        if sigma is None and radius is None:
            raise ValueError("a filter needs a sigma, or a radius, or both")
        rest = (order, mode, cval, truncate, radius, nan, norm, alpha)
        given = (A_THIRD if sigma is None else sigma, *rest)
        self._given = tuple(map(_fixed, (sigma, *rest)))
        self._ask = partial(ask_filter, **dict(zip(DEFAULTS, map(_fixed, given))))
        # The number of axes is not known yet; everything else is checked here.
        axes = max(1 if is_one(one) else len(one) for one in self._given)
        is_complex = isinstance(self._given[3], complex)
        ask_filter(None, axes + bool(self._given[8]), is_complex, *given)

    @property
    def sigma(self) -> Any:
        """The standard deviation in samples, for all axes or each of them."""
        sigma, radius = self._given[0], self._given[5]
        return _each(lambda one: one / 3, radius) if sigma is None else sigma

    @property
    def radius(self) -> Any:
        """The radius in samples, for all axes or each of them."""
        sigma, truncate, radius = self._given[0], self._given[4], self._given[5]
        return _each(lambda one: int(truncate * one + 0.5), sigma) if radius is None else radius

    def __repr__(self) -> str:
        said = zip(DEFAULTS.items(), self._given)
        given = (f"{name}={one!r}" for (name, default), one in said if one != default)
        return f"Filter({', '.join(given)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Filter) and self._given == other._given

    def __hash__(self) -> int:
        return hash(self._given)

    def __reduce__(self) -> Any:
        return partial(Filter, **dict(zip(DEFAULTS, self._given))), ()

    @overload
    def __call__(
        self,
        image: npt.NDArray[Sample],
        *,
        axes: Axes = None,
        out: None = None,
        threads: Threads = None,
    ) -> npt.NDArray[Sample]: ...
    @overload
    def __call__(
        self, image: Any, *, axes: Axes = None, out: Array, threads: Threads = None
    ) -> Array: ...
    @overload
    def __call__(
        self,
        image: npt.NDArray[Any],
        *,
        axes: Axes = None,
        out: type[Sample] | np.dtype[Sample],
        threads: Threads = None,
    ) -> npt.NDArray[Sample]: ...
    @overload
    def __call__(
        self, image: Any, *, axes: Axes = None, out: Any = None, threads: Threads = None
    ) -> Any: ...
    def __call__(
        self, image: Any, *, axes: Axes = None, out: Any = None, threads: Threads = None
    ) -> Any:
        """Filters an array, as `gaussian_filter` does.

        `image` and `threads` are as for `gaussian_filter`. `axes` are the filtered axes; by default all axes, or with
        alpha=True all but the last. Pass axes=(0, 1) for an image with channels last, axes=(1, 2) for a stack of
        images. `out` is as `output` for `gaussian_filter`. Errors are those of `gaussian_filter`.
        """
        return call_at_once(self._ask, image, out, threads, axes)


# The parameters of Filter and their defaults.
DEFAULTS: dict[str, Any] = {"sigma": None, **(Filter.__init__.__kwdefaults__ or {})}


@overload
def transpose(
    image: npt.NDArray[Sample],
    *,
    axes: Sequence[SupportsIndex] = ...,
    out: npt.NDArray[Sample] | None = None,
    threads: Threads = None,
) -> npt.NDArray[Sample]: ...
@overload
def transpose(
    image: Any, *, axes: Sequence[SupportsIndex] = ..., out: Any = None, threads: Threads = None
) -> Any: ...
def transpose(
    image: Any, *, axes: Sequence[SupportsIndex] = (0, 1), out: Any = None, threads: Threads = None
) -> Any:
    """Swaps two axes and moves the samples, so that the result is contiguous in memory, unless `out` is given.

    `image`, `out`, `threads` and errors are as for `Filter`. Axes that are not swapped are channels or batches. Samples
    keep their bits, and `out` must have the image's sample type. The image is copied first if `out` shares memory with
    it.

    >>> import numpy as np, smoothimg
    >>> smoothimg.transpose(np.array([[1, 2, 3], [4, 5, 6]], np.uint8))
    array([[1, 4],
           [2, 5],
           [3, 6]], dtype=uint8)
    """
    source = see(image)
    ndim = len(source.array.shape)
    found = find_axes(axes, ndim)
    if len(found) != 2:
        raise ValueError(f"axes is {axes!r}; it has to be two: the rows' and the columns'")
    order, (y, x) = list(range(ndim)), found
    order[y], order[x] = x, y
    return move(order, [0] * ndim, source, out, threads)


@overload
def reverse(
    image: npt.NDArray[Sample],
    *,
    axes: Axes = ...,
    out: npt.NDArray[Sample] | None = None,
    threads: Threads = None,
) -> npt.NDArray[Sample]: ...
@overload
def reverse(image: Any, *, axes: Axes = ..., out: Any = None, threads: Threads = None) -> Any: ...
def reverse(image: Any, *, axes: Axes = (0, 1), out: Any = None, threads: Threads = None) -> Any:
    """Reverses the order of samples along axes, and moves the samples. Along two axes this is a turn by 180 degrees.

    The parameters are those of `transpose`, but `axes` may be any number of axes; None means all.

    >>> import numpy as np, smoothimg
    >>> smoothimg.reverse(np.array([[1, 2, 3], [4, 5, 6]], np.uint8))
    array([[6, 5, 4],
           [3, 2, 1]], dtype=uint8)
    """
    source = see(image)
    ndim = len(source.array.shape)
    found = find_axes(axes, ndim)
    return move(range(ndim), [int(axis in found) for axis in range(ndim)], source, out, threads)
