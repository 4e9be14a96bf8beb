# SPDX-License-Identifier: MIT
"""Filter, transpose and reverse."""

from __future__ import annotations

from typing import Any
from collections.abc import Sequence

from ._arguments import (
    NANS,
    NORMS,
    REVERSE,
    TRANSPOSE,
    Axis,
    Integers,
    Numbers,
    axis_of,
    check_choice,
    check_flag,
    check_radius,
    check_truncate,
    find_axes,
    for_each_axis,
    same_edge,
)
from ._cuda import take
from ._operations import Kinds, Weights, compute, move, smooth_call, too_many


class Filter:
    """A Gaussian filter for images, to be used repeatedly, by any number of threads. A call smooths
    two axes: of arrays that have more, name them.

    Parameters
    ----------
    sigma : number or (y, x), optional
        Standard deviation in pixels; along rows and columns, or for both. By default exactly a third
        of the radius.
    radius : int or (y, x), optional
        In pixels, 0 to 1024. By default ``int(truncate * sigma + 0.5)``.
    truncate : float
        See `radius`.
    mode : str
        What is outside the image, as for `gaussian_filter`.
    norm : str
        "sum": the weights sum to 1, so that constant areas stay unchanged. "analytic": they are the
        density of the normal distribution at whole pixels.
    alpha : bool
        The last axis holds colours and then alpha, which weighs the colours: what is transparent
        does not show. Of integers; with floats NotImplementedError is raised.
    nan : str
        As for `gaussian_filter`.

    Raises
    ------
    TypeError
        If a parameter is of another type.
    ValueError
        If a parameter is out of range, or neither `sigma` nor `radius` is given.

    Examples
    --------
    >>> import numpy as np, smoothimg
    >>> soften = smoothimg.Filter(2.5, mode="nearest")
    >>> frames = np.full((8, 120, 160, 3), 7, np.uint8)
    >>> int(soften(frames, axes=(1, 2)).max())
    7
    >>> soften
    Filter(sigma=2.5, mode='nearest')
    """

    def __init__(
        self,
        sigma: Numbers | None = None,
        *,
        radius: Integers | None = None,
        truncate: float = 4.0,
        mode: str = "reflect",
        norm: str = "sum",
        alpha: bool = False,
        nan: str = "propagate",
    ) -> None:
        if sigma is None and radius is None:
            raise ValueError("a filter needs a sigma, or a radius, or both")
        radii = for_each_axis(radius, 2, "radius")
        if sigma is None:
            check_truncate(truncate)
            self._smoothing = [Axis(check_radius(one), 0.0) for one in radii]  # which is a third
        else:
            sigmas = for_each_axis(sigma, 2, "sigma")
            self._smoothing = [axis_of(*one, truncate) for one in zip(sigmas, radii)]
        self._weights = Weights(
            same_edge(mode, 2),
            check_choice(norm, "norm", NORMS),
            check_flag(alpha, "alpha"),
            check_choice(nan, "nan", NANS),
        )
        self._kinds = Kinds()
        self._text = f"sigma={sigma}" if sigma is not None else f"radius={radius}"
        if sigma is not None and radius is not None:
            self._text += f", radius={radius}"
        self._text += f", mode={mode!r}"

    @property
    def radius(self) -> tuple[int, int]:
        """(y, x), in pixels: how far a sample's surroundings reach."""
        y, x = self._smoothing
        return y.radius, x.radius

    @property
    def sigma(self) -> tuple[float, float]:
        """(y, x), in pixels, as doubles. 0 for an axis with radius 0."""
        y, x = ((how.sigma or how.radius / 3) if how.radius else 0.0 for how in self._smoothing)
        return y, x

    def __repr__(self) -> str:
        return f"Filter({self._text})"

    def __call__(
        self, image: Any, *, axes: Integers | None = None, out: Any = None, threads: int = 0
    ) -> Any:
        """Smooths an image, or each image of a batch.

        image: uint8, uint16 or float32, in the memory of the host or of a CUDA device, as for
        `gaussian_filter`. axes: the rows' and the columns'. By default all, as for
        `gaussian_filter`, but the last with alpha=True; NotImplementedError is raised if they are
        more than two: axes=(0, 1) for channels last, axes=(1, 2) for a stack of images. out: where
        the result goes, or None for a new array; it may be the image itself. threads: how many
        compute on the host; 0: one for each processor. Errors are those of `gaussian_filter`.
        """
        made = self._kinds.smooth(image, axes, out, threads)
        if made is not None:
            return made
        source = take(image)
        ndim = source.array.ndim
        found = self._find_axes(axes, source.array.shape)
        if len(found) > 2:
            raise too_many(len(found))
        if len(found) < 2:
            given = f"axes is {axes!r}" if axes is not None else f"the array has {ndim} axes"
            raise ValueError(
                f"{given}; a Filter smooths two, the rows' and the columns': "
                "gaussian_filter smooths one"
            )
        call = smooth_call(found, self._smoothing, self._weights)
        return compute(call, source, out, threads, self._kinds.note(image, axes, threads))

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_kinds": Kinds()}

    def _find_axes(self, axes: Integers | None, shape: Sequence[int]) -> tuple[int, ...]:
        """The channels, which alpha is one of, are not smoothed."""
        last = len(shape) - 1
        if not self._weights.alpha:
            return find_axes(axes, len(shape))
        found = find_axes(range(last) if axes is None else axes, len(shape))
        if last < 2 or last in found or shape[last] < 2:
            raise ValueError("alpha=True needs an image whose last axis is colours and then alpha")
        return found


def transpose(
    image: Any, *, axes: Sequence[int] = (0, 1), out: Any = None, threads: int = 0
) -> Any:
    """Swaps two axes, and moves the samples: the result has no gaps in memory.

    image, out, threads and errors: as for `Filter`; any other axes are channels or batches. A copy
    is made if out shares memory with the image.

    >>> import numpy as np, smoothimg
    >>> smoothimg.transpose(np.array([[1, 2, 3], [4, 5, 6]], np.uint8))
    array([[1, 4],
           [2, 5],
           [3, 6]], dtype=uint8)
    """
    return move(TRANSPOSE, take(image), out, axes, threads)


def reverse(image: Any, *, axes: Sequence[int] = (0, 1), out: Any = None, threads: int = 0) -> Any:
    """Turns by 180 degrees: reverses the order along two axes, and moves the samples.

    The parameters are those of `transpose`.

    >>> import numpy as np, smoothimg
    >>> smoothimg.reverse(np.array([[1, 2, 3], [4, 5, 6]], np.uint8))
    array([[6, 5, 4],
           [3, 2, 1]], dtype=uint8)
    """
    return move(REVERSE, take(image), out, axes, threads)
