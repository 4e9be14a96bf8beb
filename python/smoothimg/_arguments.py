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

# SciPy's names of the edge rules, and their numbers in smoothimg.h.
EDGES = {
    **{"nearest": 1, "reflect": 0, "grid-mirror": 0, "mirror": 2},
    **{"wrap": 3, "grid-wrap": 3, "constant": 4, "grid-constant": 4},
}
ADD, MAGNITUDE, APART = range(3)  # smoothimg_combination of smoothimg.h
NORMS = {"sum": 0, "analytic": 1}
ALPHA = 1  # SMOOTHIMG_ALPHA of smoothimg.h
NANS = {"propagate": 0, "skip": 2}
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


def check_number(value: Any, name: str, allowed: str) -> float:
    """Returns a float. Text is refused, though float() accepts it."""
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
    if type(value) not in (bool, np.bool_):
        raise TypeError(f"{name} is {value!r}; it has to be True or False")
    return bool(value)


def is_numpys(value: Any) -> bool:
    """True for an array or a number of NumPy."""
    return isinstance(value, (np.ndarray, np.generic))


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


def check_order(order: Any) -> int:
    return check_int(order, "order", "0 or more, an integer", 0)


def check_truncate(truncate: Any) -> float:
    number = check_number(truncate, "truncate", "a number, 0 or more")
    if not math.isfinite(number) or number < 0:
        raise ValueError(f"truncate is {number}; it has to be 0 or more")
    return number


def axis_of_radius(radius: Any, truncate: Any, order: Any, edge: int) -> Axis:
    """Returns an axis with this radius and a sigma of exactly a third of it."""
    check_truncate(truncate)
    return Axis(0.0, check_radius(radius) or -1, check_order(order), edge)


def axis_of(sigma: Any, radius: Any, truncate: Any, order: Any, edge: int) -> Axis:
    """Returns an axis by SciPy's rule: if radius is None, the axis has the radius int(truncate * sigma + 0.5)."""
    order = check_order(order)
    sigma = check_number(sigma, "sigma", "a number, 0 or more pixels")
    if not math.isfinite(sigma) or sigma < 0:
        raise ValueError(f"sigma is {sigma}; it has to be 0 or more pixels")
    truncate = check_truncate(truncate)
    reach = truncate * sigma + 0.5 if radius is None else check_radius(radius)
    if reach >= _core.MAX_RADIUS + 1:
        raise ValueError(
            f"sigma {sigma} with truncate {truncate} gives a radius of {reach:.4g} pixels; it has "
            f"to be 0 to {_core.MAX_RADIUS}: choose a smaller truncate, or pass radius="
        )
    return Axis(sigma, int(reach) or -1, order, edge) if sigma > SMALLEST_SIGMA else Axis()


def outside_of(cval: Any, is_complex: bool) -> complex:
    """Returns cval after checking it: for real samples a 64-bit int or a float."""
    value = _constant(cval)
    if value.imag != 0 and not is_complex:
        raise TypeError(f"cval is {cval!r}; the array's samples are real")
    return value if value.imag != 0 else value.real


def _constant(cval: Any) -> complex:
    wrong = f"cval is {cval!r}; it has to be a number"
    if isinstance(cval, (str, bytes)):  # complex() would accept it
        raise TypeError(wrong)
    with suppress(TypeError):  # raised for a number that is no integer
        return _integer(operator.index(cval))
    try:
        return complex(cval)
    except TypeError:
        raise TypeError(wrong) from None
    except OverflowError:
        raise ValueError(wrong) from None


def _integer(cval: int) -> float:
    """Returns the number as a 64-bit int, or as a float of the same value."""
    if -(2**63) <= cval < 2**64:
        return cval
    if cval.bit_length() > 1024 or float(cval) != cval:
        raise ValueError(
            f"cval is {cval!r}; it has to be a number that a float64 holds, or an integer of at most 64 "
            "bits; float(cval) is the nearest"
        )
    return float(cval)


def check_threads(threads: Any) -> int:
    return check_int(threads, "threads", "1 to 1024, or 0 for all processors", 0, 1024)
