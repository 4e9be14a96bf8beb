# SPDX-License-Identifier: MIT
"""What SciPy's arguments ask for, checked once: terms, and how each filters each axis."""

from __future__ import annotations

import operator
from contextlib import suppress
from functools import lru_cache, partial
from itertools import repeat
from typing import Any, NamedTuple
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from ._arguments import (
    EDGES,
    NANS,
    Axis,
    axis_of,
    check_choice,
    edge_of,
    find_axes,
    for_each_axis,
)

# Of arguments by which a call is remembered: they never change. Equal tuples may have entries of other
# types, and a tensor has a hash, though its value changes.
SCALARS = frozenset((bool, int, float, complex, str, type(None), np.float64, np.int64))


class Asked(NamedTuple):
    """The sum of terms, or a magnitude: the root of the sum of their squares."""

    terms: tuple[tuple[Axis, ...], ...]  # for each axis of the array
    magnitude: bool
    outside: complex  # with mode "constant"; for real samples a float, or an int of 64 bits
    skip_nan: bool

    @property
    def radii(self) -> tuple[int, ...]:
        """How far a sample's surroundings reach, along each axis."""
        return tuple(max(how.radius for how in axis) for axis in zip(*self.terms))


def ask_filter(
    ndim: int,
    is_complex: bool,
    sigma: Any,
    order: Any,
    mode: Any,
    cval: Any,
    truncate: Any,
    radius: Any,
    axes: Any,
    nan: Any,
) -> Asked:
    """gaussian_filter's one term, for arrays of `ndim` axes."""
    found = find_axes(axes, ndim)
    edges = _edges(mode, len(found))
    term = _term(ndim, found, sigma, truncate, radius, order, edges)
    skip_nan = check_choice(nan, "nan", NANS)
    return Asked((term,), False, _outside(cval, edges, is_complex), skip_nan)


def ask_derivatives(
    ndim: int,
    is_complex: bool,
    order: int,
    sigma: Any,
    mode: Any,
    cval: Any,
    truncate: Any,
    radius: Any,
    axes: Any,
) -> Asked:
    """One term for each axis, with the derivative along it: their sum, or of order 1 the magnitude.
    Without an axis the array itself, as in SciPy."""
    found = find_axes(axes, ndim)
    edges = _edges(mode, len(found))
    term = partial(_term, ndim, found, sigma, truncate, radius)
    terms = [
        # As in SciPy, a term has the mode of its own axis along all axes.
        term([order * (axis == along) for axis in found], [edge] * len(found))
        for along, edge in zip(found, edges)
    ] or [(Axis(0, 0.0),) * ndim]
    outside = _outside(cval, edges, is_complex)
    return Asked(tuple(terms), order == 1 and bool(found), outside, False)


def are_scalars(arguments: Iterable[Any]) -> bool:
    return SCALARS.issuperset(map(type, arguments))


@lru_cache(maxsize=256, typed=True)
def _remember(ask: Callable[..., Asked], *arguments: Any) -> Asked:
    return ask(*arguments)


def ask_once(ask: Callable[..., Asked], *arguments: Any) -> Asked:
    """ask(*arguments), remembered."""
    return _remember(ask, *arguments) if are_scalars(arguments) else ask(*arguments)


def _edges(mode: Any, count: int) -> list[int]:
    return [edge_of(one) for one in for_each_axis(mode, count, "mode")]


def _term(
    ndim: int,
    axes: Sequence[int],
    sigma: Any,
    truncate: Any,
    radius: Any,
    order: Any,
    edges: Sequence[int],
) -> tuple[Axis, ...]:
    term, count = [Axis(0, 0.0)] * ndim, len(axes)
    sigmas = for_each_axis(sigma, count, "sigma")
    radii = for_each_axis(radius, count, "radius")
    orders = for_each_axis(order, count, "order")
    for axis, *how in zip(axes, sigmas, radii, repeat(truncate), orders, edges):
        term[axis] = axis_of(*how)
    return tuple(term)


def _outside(cval: Any, edges: Sequence[int], is_complex: bool) -> complex:
    """0 where no axis has the mode "constant": cval has no effect then, but is checked."""
    value = _constant(cval)
    if value.imag != 0 and not is_complex:
        raise TypeError(f"cval is {cval!r}; the array's samples are real")
    if EDGES["constant"] not in edges:
        return 0.0
    return value if value.imag != 0 else value.real


def _constant(cval: Any) -> complex:
    wrong = f"cval is {cval!r}; it has to be a number"
    if isinstance(cval, (str, bytes)):  # which complex() reads too
        raise TypeError(wrong)
    with suppress(TypeError):  # where it is no integer
        return _integer(operator.index(cval))
    try:
        return complex(cval)
    except TypeError:
        raise TypeError(wrong) from None
    except OverflowError:
        raise ValueError(wrong) from None


def _integer(cval: int) -> float:
    """As an int of 64 bits, or as a float of the same value."""
    if -(2**63) <= cval < 2**64:
        return cval
    if cval.bit_length() > 1024 or float(cval) != cval:
        raise ValueError(
            f"cval is {cval!r}; it has to be a number that a float64 holds, or an integer of at most 64 "
            "bits; float(cval) is the nearest"
        )
    return float(cval)
