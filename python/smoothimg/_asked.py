# SPDX-License-Identifier: MIT
"""Requests to filter an array, made from checked arguments. A request consists of terms, each of which filters every
axis by a Gaussian, by a derivative of a Gaussian, or not at all."""

from __future__ import annotations

import cmath
from functools import lru_cache, partial
from itertools import combinations_with_replacement, repeat
from typing import Any, NamedTuple
from collections.abc import Callable, Sequence

import numpy as np

from . import _core  # pyright: ignore[reportPrivateUsage]
from ._arguments import (
    ADD,
    ALPHA,
    APART,
    EDGES,
    MAGNITUDE,
    NANS,
    NORMS,
    Axis,
    axis_of,
    axis_of_radius,
    check_choice,
    check_flag,
    find_axes,
    for_each_axis,
    outside_of,
)

# Types of arguments that the cache of remembered() may have as keys. The cache compares the types of arguments, so 1
# and 1.0 are different keys. But it does not compare types inside a tuple: (1,) and (1.0,) would be the same key. So
# tuples are not allowed.
SCALARS = {bool, int, float, complex, str, type(None), np.float64, np.int64}

_make = lru_cache(maxsize=256, typed=True)(_core.Filter)


class Asked(NamedTuple):
    """A request. Its `combination` says how the terms become the result: ADD adds them; MAGNITUDE takes the root of the
    sum of their squares; APART makes each term a result of its own."""

    terms: tuple[tuple[Axis, ...], ...]  # for each term, an Axis for each axis of the array
    outside: complex  # for mode "constant"; for real samples a float or a 64-bit int
    combination: int = ADD  # or MAGNITUDE, or APART
    norm: int = 0  # a value of NORMS
    missing: int = 0  # a value of NANS, or ALPHA
    is_signed: bool = False  # True: results may be negative, so their default type has a sign
    adjoint: int = 0  # 1: multiply by the transpose of the filter's matrix; `outside` is then 0

    @property
    def radii(self) -> tuple[int, ...]:
        """Returns the radius along each axis, the largest one of all terms."""
        return tuple(max(0, *(how.radius for how in axis)) for axis in zip(*self.terms))

    @property
    def results(self) -> tuple[int, ...]:
        """Returns the extents that precede the array's in the result's shape: the number of terms for APART, else
        none."""
        return (len(self.terms),) if self.combination == APART else ()

    def filters(self, is_complex: bool) -> tuple[_core.Filter, ...]:
        """Returns the library's filters: one for real samples, or two for complex samples, for the real and the
        imaginary part; none if `outside` is not finite."""
        if not cmath.isfinite(self.outside):
            return ()
        rest = self.combination, self.norm, self.missing
        parts = (self.outside.real, self.outside.imag)[: 1 + is_complex]
        return tuple(
            [_make(len(self.terms[0]), self.terms, *rest, part, self.adjoint) for part in parts]
        )


# A request, and the library's filters that compute it.
class Plan(NamedTuple):
    asked: Asked
    filters: tuple[_core.Filter, ...]


def ask_filter(
    axes: Any,
    ndim: int,
    is_complex: bool,
    sigma: Any,
    order: Any,
    mode: Any,
    cval: Any,
    truncate: Any,
    radius: Any,
    nan: Any,
    norm: Any = "sum",
    alpha: Any = False,
    thirds: bool = False,
) -> Asked:
    """Returns the request of gaussian_filter, which has one term, for arrays with `ndim` axes. If `thirds` is true,
    sigma is a third of the radius."""
    alpha = check_flag(alpha, "alpha")
    found = find_axes(range(ndim - 1) if alpha and axes is None else axes, ndim)
    if alpha and (ndim < 2 or ndim - 1 in found):
        raise ValueError("alpha=True needs an image whose last axis is colours and then alpha")
    edges = _edges(mode, len(found))
    term = _term(ndim, found, sigma, truncate, radius, order, edges, thirds)
    norm, missing = check_choice(norm, "norm", NORMS), check_choice(nan, "nan", NANS)
    if is_complex and missing:
        raise NotImplementedError(
            "with nan='skip' samples have to be real; filter their real and imaginary parts"
        )
    if alpha and missing:
        raise NotImplementedError("nan='skip' and alpha=True: samples are weighted by one of these")
    return Asked(
        (term,), _outside(cval, edges, is_complex), ADD, norm, ALPHA if alpha else missing
    )


def ask_derivatives(
    axes: Any,
    ndim: int,
    is_complex: bool,
    order: int,
    sigma: Any,
    mode: Any,
    cval: Any,
    truncate: Any,
    radius: Any,
) -> Asked:
    """Returns a request with one term for each of `axes`: the derivative of this order along that axis. The terms are
    added, or for order 1 combined by MAGNITUDE. If there are no axes, the result is the array itself, as in SciPy."""
    found = find_axes(axes, ndim)
    edges = _edges(mode, len(found))
    term = partial(_term, ndim, found, sigma, truncate, radius)
    terms = tuple(
        # As in SciPy, a term uses the same mode along all axes: that of the axis along which it is a derivative.
        term([order * (axis == along) for axis in found], [edge] * len(found))
        for along, edge in zip(found, edges)
    )
    outside = _outside(cval, edges, is_complex)
    return Asked(
        terms or ((Axis(),) * ndim,), outside, MAGNITUDE if order == 1 and found else ADD
    )


def ask_apart(
    axes: Any,
    ndim: int,
    is_complex: bool,
    order: int,
    mode: Any,
    cval: Any,
    truncate: Any,
    radius: Any,
    *sigmas: Any,
) -> Asked:
    """Returns a request whose terms are results of their own (APART): for each of the sigmas, all derivatives of this
    order. For order 2 these are the entries of a Hessian."""
    found, edges = _some_axes(axes, ndim, mode)
    terms = tuple(
        _term(ndim, found, sigma, truncate, radius, list(map(along.count, found)), edges)
        for sigma in sigmas
        for along in combinations_with_replacement(found, order)
    )
    return Asked(terms, _outside(cval, edges, is_complex), APART, is_signed=order > 0)


def ask_difference(
    axes: Any,
    ndim: int,
    is_complex: bool,
    low: Any,
    high: Any,
    mode: Any,
    cval: Any,
    truncate: Any,
    radius: Any,
) -> Asked:
    """Returns the request of difference_of_gaussians."""
    found, edges = _some_axes(axes, ndim, mode)
    added = _term(ndim, found, low, truncate, radius, 0, edges)
    if high is None:
        high = [1.6 * added[axis].sigma for axis in found]
    term = list(_term(ndim, found, high, truncate, radius, 0, edges))
    if any(one.sigma < other.sigma for one, other in zip(term, added)):
        raise ValueError(f"high_sigma is {high}; it has to be at least low_sigma, {low}")
    term[found[0]] = term[found[0]]._replace(scale=-1.0)
    return Asked((added, tuple(term)), _outside(cval, edges, is_complex), is_signed=True)


@lru_cache(maxsize=256, typed=True)
def remembered(
    ask: Callable[..., Asked], entries: int | None, ndim: int, *arguments: Any
) -> Plan | None:
    """Returns plan() for real samples, from a cache, or None if the type of an argument is not in SCALARS. If axes is a
    tuple, `entries` is its length, and the last arguments are its entries, so that the cache compares their types. If
    `entries` is None, the last argument is axes."""
    if not SCALARS.issuperset(map(type, arguments)):
        return None
    if entries is None:
        *arguments, axes = arguments  # type: ignore[assignment]
    else:
        end = len(arguments) - entries
        arguments, axes = arguments[:end], arguments[end:]
    return plan(ask, axes, ndim, False, *arguments)


def plan(
    ask: Callable[..., Asked], axes: Any, ndim: int, is_complex: bool, *arguments: Any
) -> Plan:
    return plan_of(ask(axes, ndim, is_complex, *arguments), is_complex)


def plan_of(asked: Asked, is_complex: bool) -> Plan:
    return Plan(asked, asked.filters(is_complex))


def _some_axes(axes: Any, ndim: int, mode: Any) -> tuple[tuple[int, ...], list[int]]:
    """Returns the axes, of which there must be at least one, and the edge rule of each."""
    found = find_axes(axes, ndim)
    if not found:
        raise ValueError(f"axes is {axes!r}, of an array of {ndim} axes; at least one is filtered")
    return found, _edges(mode, len(found))


def _edges(mode: Any, count: int) -> list[int]:
    return [check_choice(one, "mode", EDGES) for one in for_each_axis(mode, count, "mode")]


def _term(
    ndim: int,
    axes: Sequence[int],
    sigma: Any,
    truncate: Any,
    radius: Any,
    order: Any,
    edges: Sequence[int],
    thirds: bool = False,
) -> tuple[Axis, ...]:
    term, count = [Axis()] * ndim, len(axes)
    rest = (
        for_each_axis(radius, count, "radius"),
        repeat(truncate),
        for_each_axis(order, count, "order"),
        edges,
    )
    sigmas = () if thirds else for_each_axis(sigma, count, "sigma")
    made = map(axis_of_radius, *rest) if thirds else map(axis_of, sigmas, *rest)
    for axis, how in zip(axes, made):
        term[axis] = how
    return tuple(term)


def _outside(cval: Any, edges: Sequence[int], is_complex: bool) -> complex:
    """Returns cval after checking it. Returns 0 instead if no axis has the mode "constant", since cval then has no
    effect."""
    value = outside_of(cval, is_complex)
    return value if EDGES["constant"] in edges else 0.0
