# SPDX-License-Identifier: MIT
"""Checks the arguments that callers pass: axes, sigmas, radii, modes. The message of an error says what is allowed."""

from __future__ import annotations

import math
import operator
from contextlib import suppress
from typing import Any, Literal, NamedTuple, SupportsIndex, TypeVar, Union
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from . import _core  # pyright: ignore[reportPrivateUsage]

Number = Union[float, "np.floating[Any]", "np.integer[Any]"]
Numbers = Union[Number, Sequence[Number], "npt.NDArray[np.floating[Any] | np.integer[Any]]"]
Integers = Union[SupportsIndex, Sequence[SupportsIndex], "npt.NDArray[np.integer[Any]]"]
Mode = Literal[
    "nearest", "reflect", "grid-mirror", "mirror", "wrap", "grid-wrap", "constant", "grid-constant"
]
Modes = Union[Mode, Sequence[Mode]]
Nan = Literal["propagate", "skip"]
Choice = TypeVar("Choice")

# SciPy's names of the edge rules, and the numbers of these rules in smoothimg.h (smoothimg_edge).
EDGES = {
    **{"nearest": 1, "reflect": 0, "grid-mirror": 0, "mirror": 2},
    **{"wrap": 3, "grid-wrap": 3, "constant": 4, "grid-constant": 4},
}
ADD, MAGNITUDE, APART = range(3)  # smoothimg_combination of smoothimg.h
NORMS = {"sum": 0, "analytic": 1}
ALPHA = 1  # SMOOTHIMG_ALPHA of smoothimg.h
NANS = {"propagate": 0, "skip": 2}
A_THIRD = object()  # passed as a sigma, this means exactly a third of the radius
MOST_ORDER = 2**31 - 1  # the greatest `order` of struct smoothimg_axis, an int
SMALLEST_SIGMA = 1e-15  # an axis with this sigma or a smaller one is not filtered, as in SciPy


class Axis(NamedTuple):
    """How an axis is filtered: a struct smoothimg_axis of smoothimg.h. With the default values the axis is not
    filtered."""

    sigma: float = 0.0  # in samples; 0: a third of the radius
    radius: int = 0  # in samples; -1: a radius of 0; 0: the library's default for the sigma
    order: int = 0  # of the derivative; 0 smooths
    edge: int = 0  # a value of EDGES
    scale: float = 0.0  # -1: the term is subtracted; 0: it is added


def check_int(
    value: Any, name: str, allowed: str, least: float = -math.inf, most: float = math.inf
) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name} is {value!r}, which cannot be interpreted as an integer; it has to be {allowed}"
        ) from None
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}; it has to be {allowed}")
    return int(number)


def check_number(value: Any, name: str, unit: str = "") -> float:
    """Returns a finite float of 0 or more. Refuses text, though float() accepts it."""
    wrong = f"{name} is {value!r}; it has to be a number, 0 or more{unit}"
    try:
        number = float(value) if math.isfinite(value) else -1.0
    except TypeError:
        raise TypeError(wrong) from None
    except OverflowError:
        raise ValueError(wrong) from None
    if number < 0:
        raise ValueError(wrong)
    return number


def check_choice(value: Any, name: str, choices: dict[str, Choice]) -> Choice:
    wrong = f"{name} is {value!r}; pass one of {', '.join(choices)}"
    if not isinstance(value, str):
        raise TypeError(wrong)
    if value not in choices:
        raise ValueError(wrong)
    return choices[value]


def check_flag(value: Any, name: str) -> bool:
    if type(value) not in (bool, np.bool_):
        raise TypeError(f"{name} is {value!r}; it has to be True or False")
    return bool(value)


def is_one(value: Any) -> bool:
    """True for a single value, False for a sequence with a value for each axis."""
    return isinstance(value, (str, bytes)) or not np.iterable(value)


def find_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """Returns the axes as numbers from 0 on; None means all."""
    if axes is None:
        return tuple(range(ndim))
    given = (axes,) if is_one(axes) else tuple(axes)
    found: list[int] = []
    for entry in given:
        one = check_int(entry, "axes", "an integer, or one for each axis")
        if not -ndim <= one < ndim:
            raise ValueError(f"axis {one} is out of range: the array has {ndim} axes")
        found.append(one % ndim)
    if len(set(found)) != len(found):
        raise ValueError(f"axes must be unique; {given} name one twice")
    return tuple(found)


def for_each_axis(value: Any, count: int, name: str) -> tuple[Any, ...]:
    """Returns a value for each axis. `value` is one value for all axes, or a sequence with one for each. Raises
    RuntimeError for a sequence of another length, as SciPy does."""
    if is_one(value):
        return (value,) * count
    values = tuple(value)
    if len(values) != count:
        raise RuntimeError(
            f"{name} has {len(values)} entries, and {count} axes are filtered; "
            "a sequence argument must have length equal to input rank, or to that of axes"
        )
    return values


def check_radius(radius: Any) -> int:
    allowed = f"0 to {_core.MAX_RADIUS} pixels, an integer"
    if isinstance(radius, float):  # SciPy raises ValueError for floats
        raise ValueError(f"radius is {radius}; it has to be {allowed}")
    return check_int(radius, "radius", allowed, 0, _core.MAX_RADIUS)


def axis_of(edge: int, truncate: Any, sigma: Any, radius: Any, order: Any) -> Axis:
    """Returns how an axis is filtered. As in SciPy, if radius is None, the radius is int(truncate * sigma + 0.5)."""
    order = check_int(order, "order", f"0 to {MOST_ORDER}, an integer", 0, MOST_ORDER)
    truncate = check_number(truncate, "truncate")
    if sigma is A_THIRD:
        return Axis(0.0, check_radius(radius) or -1, order, edge)
    sigma = check_number(sigma, "sigma", " pixels")
    reach = truncate * sigma + 0.5 if radius is None else check_radius(radius)
    if reach >= _core.MAX_RADIUS + 1:
        raise ValueError(
            f"sigma {sigma} with truncate {truncate} gives a radius of {reach:.4g} pixels; it has "
            f"to be 0 to {_core.MAX_RADIUS}: choose a smaller truncate, or pass radius="
        )
    return Axis(sigma, int(reach) or -1, order, edge) if sigma > SMALLEST_SIGMA else Axis()


def outside_of(cval: Any, is_complex: bool) -> complex:
    """Returns cval after checking it: a 64-bit int or a float, or for complex samples a complex number."""
    value: Any = None if isinstance(cval, str) else cval  # refuses text, though complex() accepts it
    wrong = f"cval is {cval!r}; it has to be a number"
    with suppress(TypeError):  # raised for a number that is no integer
        value = operator.index(value)
    is_int = isinstance(value, int)
    if is_int and -(2**63) <= value < 2**64:
        return int(value)
    try:
        number = complex(value)
    except TypeError:
        raise TypeError(wrong) from None
    except OverflowError:
        raise ValueError(wrong) from None
    if is_int and number.real != value:
        raise ValueError(f"{wrong} that a float64 holds, or an integer of at most 64 bits; float(cval) is the nearest")
    if number.imag != 0 and not is_complex:
        raise TypeError(f"cval is {cval!r}; the array's samples are real")
    return number if number.imag != 0 else number.real


def check_threads(threads: Any) -> int:
    return check_int(threads, "threads", "1 to 1024, or 0 for all processors", 0, 1024)
