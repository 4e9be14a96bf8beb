# SPDX-License-Identifier: MIT
"""What callers may pass, checked: axes, sigmas, radii, modes. A message says what can be passed."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any, NamedTuple
from collections.abc import Sequence

from . import _core

Numbers = float | Sequence[float]
Integers = int | Sequence[int]

# SciPy's names, and smoothimg.h's numbers.
EDGES = {
    "nearest": 0,
    "reflect": 1,
    "grid-mirror": 1,
    "mirror": 2,
    "wrap": 3,
    "grid-wrap": 3,
    "constant": 4,
    "grid-constant": 4,
}
NORMS = {"sum": 0, "analytic": 1}
NANS = {"propagate": False, "skip": True}  # and are they skipped?
SAMPLES = {"uint8": 1, "uint16": 2, "float32": 4}  # bytes of one
SMALLEST_SIGMA = 1e-15  # SciPy leaves an axis alone whose sigma is not above this


class Axis(NamedTuple):
    """How an axis is smoothed. Not at all: both are 0."""

    radius: int
    sigma: float


def check_samples(name: str, to_float: str) -> None:
    """name: of their type. to_float: the method that makes float32 of other floats."""
    if name not in SAMPLES:
        remedy = f": array{to_float}" if "float" in name else ""
        raise TypeError(f"samples of type {name}; pass uint8, uint16 or float32{remedy}")


def skips_nan(nan: str) -> bool:
    if nan not in NANS:
        raise ValueError(f"nan {nan!r} is unknown; pass one of {', '.join(NANS)}")
    return NANS[nan]


def find_axes(axes: Integers | None, ndim: int) -> tuple[int, ...]:
    """Each from 0 on. None: all."""
    if axes is None:
        return tuple(range(ndim))
    given = tuple(axes) if isinstance(axes, Iterable) else (axes,)
    found = []
    for one in map(operator.index, given):
        if not -ndim <= one < ndim:
            raise ValueError(f"axis {one} is out of range: the array has {ndim} axes")
        found.append(one % ndim)
    if len(set(found)) != len(found):
        raise ValueError(f"axes {given} name an axis twice")
    return tuple(found)


def for_each_axis(value: Any, count: int, name: str) -> tuple[Any, ...]:
    """A value for all axes, or one for each."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return (value,) * count
    values = tuple(value)
    if len(values) != count:
        raise ValueError(
            f"{name} has {len(values)} entries; pass one, or one for each of {count} axes"
        )
    return values


def axis_of(sigma: Any, radius: Any, truncate: float) -> Axis:
    """By SciPy's rule the radius is int(truncate * sigma + 0.5) where none is given. sigma None: a
    third of the radius."""
    if radius is not None and not 0 <= operator.index(radius) <= _core.MAX_HALO:
        raise ValueError(f"radius is {radius}; it has to be 0 to {_core.MAX_HALO} pixels")
    if sigma is None:
        return Axis(operator.index(radius), radius / 3)
    sigma = float(sigma)
    if not math.isfinite(sigma) or sigma < 0:
        raise ValueError(f"sigma is {sigma}; it has to be 0 or more pixels")
    reach = truncate * sigma + 0.5 if radius is None else operator.index(radius)
    if not 0 <= reach < _core.MAX_HALO + 1:
        raise ValueError(
            f"sigma {sigma} with truncate {truncate} gives a radius of {reach:.4g} pixels; it has "
            f"to be 0 to {_core.MAX_HALO}: choose a smaller truncate, or pass radius="
        )
    if sigma <= SMALLEST_SIGMA or int(reach) == 0:
        return Axis(0, 0.0)
    return Axis(int(reach), sigma)


def edge_of(mode: str | Sequence[str], cval: float, count: int) -> int:
    """The edge rule that all axes have."""
    modes = for_each_axis(mode, count, "mode")
    for one in modes:
        if one not in EDGES:
            raise ValueError(f"mode {one!r} is unknown; pass one of {', '.join(EDGES)}")
    edges = {EDGES[one] for one in modes}
    if len(edges) > 1:
        raise NotImplementedError(f"modes {modes} differ; pass the same one for all axes")
    edge = edges.pop() if edges else EDGES["reflect"]
    if edge == EDGES["constant"] and cval != 0:
        raise NotImplementedError(f"cval is {cval}; outside the image only 0 can be assumed")
    return edge


def check_order(order: Integers, count: int) -> None:
    for one in for_each_axis(order, count, "order"):
        if operator.index(one) != 0:
            raise NotImplementedError(
                f"order {one} is a derivative; only order 0, smoothing, is there"
            )


def check_threads(threads: int) -> int:
    threads = operator.index(threads)
    if not 0 <= threads <= 1024:
        raise ValueError(f"threads is {threads}; it has to be 1 to 1024, or 0 for all processors")
    return threads
