# SPDX-License-Identifier: MIT
"""What callers may pass, checked: axes, sigmas, radii, modes. A message says what can be passed."""

from __future__ import annotations

import math
import operator
from typing import Any, NamedTuple, TypeVar
from collections.abc import Sequence

import numpy as np

from . import _core

Numbers = float | Sequence[float]
Integers = int | Sequence[int]
Choice = TypeVar("Choice")

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
SMOOTH, TRANSPOSE, REVERSE = range(3)  # smoothimg.h's numbers
NORMS = {"sum": 0, "analytic": 1}
NANS = {"propagate": False, "skip": True}  # and are they skipped?
SAMPLES = {"uint8": 1, "uint16": 2, "float32": 4}  # bytes of one
SMALLEST_SIGMA = 1e-15  # SciPy leaves an axis alone whose sigma is not above this


class Axis(NamedTuple):
    """How an axis is filtered. Not at all: radius and sigma are 0. sigma 0: a third of the radius."""

    radius: int
    sigma: float
    order: int = 0
    edge: int = 0


def check_samples(name: str, to_float: str) -> None:
    """name: of their type. to_float: the method that makes float32 of other floats."""
    if name not in SAMPLES:
        remedy = f": array{to_float}" if "float" in name else ""
        raise TypeError(f"samples of type {name}; pass uint8, uint16 or float32{remedy}")


def check_int(value: Any, name: str, allowed: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name} is {value!r}, which cannot be interpreted as an integer; it has to be {allowed}"
        ) from None


def check_number(value: Any, name: str, allowed: str) -> float:
    """Not text, which float() reads too."""
    wrong = f"{name} is {value!r}; it has to be {allowed}"
    try:
        math.isnan(value)
    except TypeError:
        raise TypeError(wrong) from None
    except OverflowError:
        raise ValueError(wrong) from None
    return float(value)


def check_choice(value: Any, name: str, choices: dict[str, Choice]) -> Choice:
    wrong = f"{name} is {value!r}; pass one of {', '.join(choices)}"
    if not isinstance(value, str):
        raise TypeError(wrong)
    if value not in choices:
        raise ValueError(wrong)
    return choices[value]


def check_flag(value: Any, name: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}; it has to be True or False")
    return bool(value)


class WrongLength(ValueError, RuntimeError):
    """SciPy raises a RuntimeError where a sequence has not one entry for each axis."""


def find_axes(axes: Integers | None, ndim: int) -> tuple[int, ...]:
    """Each from 0 on. None: all."""
    if axes is None:
        return tuple(range(ndim))
    entries: Any = axes
    if isinstance(axes, (str, bytes)) or not np.iterable(axes):
        entries = (axes,)
    given = tuple(entries)
    found = []
    for entry in given:
        one = check_int(entry, "axes", "an integer, or one for each axis")
        if not -ndim <= one < ndim:
            raise ValueError(f"axis {one} is out of range: the array has {ndim} axes")
        found.append(one % ndim)
    if len(set(found)) != len(found):
        raise ValueError(f"axes must be unique; {given} name one twice")
    return tuple(found)


def for_each_axis(value: Any, count: int, name: str) -> tuple[Any, ...]:
    """A value for all axes, or one for each."""
    if isinstance(value, (str, bytes)) or not np.iterable(value):
        return (value,) * count
    values = tuple(value)
    if len(values) != count:
        raise WrongLength(
            f"{name} has {len(values)} entries, and {count} axes are filtered; "
            "a sequence argument must have length equal to input rank, or to that of axes"
        )
    return values


def check_radius(radius: Any) -> int:
    allowed = f"0 to {_core.MAX_HALO} pixels, an integer"
    if isinstance(radius, float):  # SciPy's exception
        raise ValueError(f"radius is {radius}; it has to be {allowed}")
    radius = check_int(radius, "radius", allowed)
    if not 0 <= radius <= _core.MAX_HALO:
        raise ValueError(f"radius is {radius}; it has to be {allowed}")
    return int(radius)


def check_truncate(truncate: Any) -> float:
    number = check_number(truncate, "truncate", "a number, 0 or more")
    if not math.isfinite(number) or number < 0:
        raise ValueError(f"truncate is {number}; it has to be 0 or more")
    return number


def axis_of(sigma: Any, radius: Any, truncate: Any, order: Any = 0, edge: int = 0) -> Axis:
    """By SciPy's rule the radius is int(truncate * sigma + 0.5) where none is given."""
    order = check_int(order, "order", "0 or more, an integer")
    if order < 0:
        raise ValueError(f"order is {order}; it has to be 0 or more, an integer")
    sigma = check_number(sigma, "sigma", "a number, 0 or more pixels")
    if not math.isfinite(sigma) or sigma < 0:
        raise ValueError(f"sigma is {sigma}; it has to be 0 or more pixels")
    truncate = check_truncate(truncate)
    reach = truncate * sigma + 0.5 if radius is None else check_radius(radius)
    if reach >= _core.MAX_HALO + 1:
        raise ValueError(
            f"sigma {sigma} with truncate {truncate} gives a radius of {reach:.4g} pixels; it has "
            f"to be 0 to {_core.MAX_HALO}: choose a smaller truncate, or pass radius="
        )
    if sigma <= SMALLEST_SIGMA:
        return Axis(0, 0.0)
    return Axis(int(reach), sigma, order, edge)


def edge_of(mode: Any) -> int:
    return check_choice(mode, "mode", EDGES)


def same_edge(mode: str | Sequence[str], count: int) -> int:
    """The edge rule that all axes have."""
    modes = for_each_axis(mode, count, "mode")
    edges = {edge_of(one) for one in modes}
    if len(edges) > 1:
        raise NotImplementedError(f"modes {modes} differ; pass the same one for all axes")
    return edges.pop()


def check_threads(threads: Any) -> int:
    allowed = "1 to 1024, or 0 for all processors"
    threads = check_int(threads, "threads", allowed)
    if not 0 <= threads <= 1024:
        raise ValueError(f"threads is {threads}; it has to be {allowed}")
    return int(threads)


def outermost_first(strides: Sequence[int]) -> list[int]:
    """The axes of an array in the order in which they lie in memory."""
    return sorted(range(len(strides)), key=lambda axis: (-abs(strides[axis]), axis))
