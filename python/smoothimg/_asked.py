# SPDX-License-Identifier: MIT
"""Requests to filter an array, made from checked arguments. A request consists of terms, each of which filters every
axis by a Gaussian, by a derivative of a Gaussian, or not at all."""

from __future__ import annotations

import cmath
from functools import lru_cache
from itertools import combinations_with_replacement
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
    check_choice,
    check_flag,
    find_axes,
    for_each_axis,
    outside_of,
)

# The types of arguments for which remembered() returns a plan. Its cache compares the types of arguments, so 1 and 1.0
# are different keys. But it does not compare types inside a tuple: (1,) and (1.0,) would be the same key. So tuples are
# not among these types.
SCALARS = {bool, int, float, complex, str, type(None), np.float64, np.int64}


class Asked(NamedTuple):
    """A request. Its `combination` says how the terms become the result: ADD adds them; MAGNITUDE takes the root of the
    sum of their squares; APART makes each term a result of its own."""

    terms: tuple[tuple[Axis, ...], ...]  # for each term, an Axis for each axis of the array
    outside: complex  # the samples outside the array in mode "constant"; a float or a 64-bit int for real samples
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


class Plan(NamedTuple):
    """A request, and the library's filters that compute it: one for real samples, or two for complex samples, for the
    real and the imaginary part; none if asked.outside is not finite."""

    asked: Asked
    filters: tuple[_core.Filter, ...]


@lru_cache(maxsize=256)
def plan_of(asked: Asked, is_complex: bool) -> Plan:
    """Returns the plan of a request. The library computes the weights of each filter once, as long as the plan is in
    the cache."""
    how, outside = (asked.combination, asked.norm, asked.missing, asked.adjoint), asked.outside
    parts = (outside.real, outside.imag)[: 1 + is_complex] if cmath.isfinite(outside) else ()
    return Plan(asked, tuple([_core.Filter(asked.terms, *how, part) for part in parts]))


@lru_cache(maxsize=256, typed=True)
def remembered(
    ask: Callable[..., Asked], ndim: int, axes: Any, types: tuple[type, ...], *arguments: Any
) -> Plan | None:
    """Returns the plan for real samples, from a cache, or None if the type of an argument is not in SCALARS. `types`
    has the types of the entries of `axes`, so that the cache compares them too."""
    if not SCALARS.issuperset((*types, *map(type, arguments))):
        return None
    return plan_of(ask(axes, ndim, False, *arguments), False)


class _Given:
    """The arguments that all requests have, after checking them. At least `least` axes have to be filtered."""

    def __init__(
        self, axes: Any, ndim: int, is_complex: bool, mode: Any, cval: Any, truncate: Any, radius: Any, least: int = 0
    ) -> None:
        self.axes = find_axes(axes, ndim)
        if len(self.axes) < least:
            raise ValueError(f"axes is {axes!r}, of an array of {ndim} axes; at least one is filtered")
        self.edges = [check_choice(one, "mode", EDGES) for one in for_each_axis(mode, len(self.axes), "mode")]
        outside = outside_of(cval, is_complex)
        self.outside = outside if EDGES["constant"] in self.edges else 0.0  # else cval has no effect
        self.ndim, self.truncate, self.radius = ndim, truncate, radius

    def term(self, sigma: Any, order: Any, edges: Sequence[int] | None = None) -> tuple[Axis, ...]:
        named = {"sigma": sigma, "radius": self.radius, "order": order}
        each = zip(*[for_each_axis(value, len(self.axes), name) for name, value in named.items()])
        term = [Axis()] * self.ndim
        for axis, how, edge in zip(self.axes, each, edges or self.edges):
            term[axis] = axis_of(edge, self.truncate, *how)
        return tuple(term)


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
) -> Asked:
    """Returns the request of gaussian_filter, which has one term, for arrays with `ndim` axes."""
    alpha = check_flag(alpha, "alpha")
    if alpha and axes is None:
        axes = range(ndim - 1)
    given = _Given(axes, ndim, is_complex, mode, cval, truncate, radius)
    if alpha and (ndim < 2 or ndim - 1 in given.axes):
        raise ValueError("alpha=True needs an image whose last axis is colours and then alpha")
    term = given.term(sigma, order)
    norm, missing = check_choice(norm, "norm", NORMS), check_choice(nan, "nan", NANS)
    if is_complex and missing:
        raise NotImplementedError(
            "with nan='skip' samples have to be real; filter their real and imaginary parts"
        )
    if alpha and missing:
        raise NotImplementedError("nan='skip' and alpha=True: samples are weighted by one of these")
    return Asked((term,), given.outside, ADD, norm, ALPHA if alpha else missing)


def ask_derivatives(
    axes: Any, ndim: int, is_complex: bool, order: int, sigma: Any, mode: Any, cval: Any, truncate: Any, radius: Any
) -> Asked:
    """Returns a request with one term for each of `axes`: the derivative of this order along that axis. The terms are
    added, or for order 1 combined by MAGNITUDE. If there are no axes, the result is the array itself, as in SciPy."""
    given = _Given(axes, ndim, is_complex, mode, cval, truncate, radius)
    terms = tuple(
        # As in SciPy, a term uses the same mode along all axes: that of the axis along which it is a derivative.
        given.term(sigma, [order * (axis == along) for axis in given.axes], [edge] * len(given.axes))
        for along, edge in zip(given.axes, given.edges)
    )
    combination = MAGNITUDE if order == 1 and terms else ADD
    return Asked(terms or ((Axis(),) * ndim,), given.outside, combination)


def ask_apart(
    axes: Any, ndim: int, is_complex: bool, order: int, mode: Any, cval: Any, truncate: Any, radius: Any, *sigmas: Any
) -> Asked:
    """Returns a request whose terms are results of their own (APART): for each of the sigmas, all derivatives of this
    order. For order 2 these are the entries of a Hessian."""
    given = _Given(axes, ndim, is_complex, mode, cval, truncate, radius, 1)
    terms = tuple(
        given.term(sigma, list(map(along.count, given.axes)))
        for sigma in sigmas
        for along in combinations_with_replacement(given.axes, order)
    )
    return Asked(terms, given.outside, APART, is_signed=order > 0)


def ask_difference(
    axes: Any, ndim: int, is_complex: bool, low: Any, high: Any, mode: Any, cval: Any, truncate: Any, radius: Any
) -> Asked:
    """Returns the request of difference_of_gaussians."""
    given = _Given(axes, ndim, is_complex, mode, cval, truncate, radius, 1)
    added = given.term(low, 0)
    if high is None:
        high = [1.6 * added[axis].sigma for axis in given.axes]
    term = list(given.term(high, 0))
    if any(one.sigma < other.sigma for one, other in zip(term, added)):
        raise ValueError(f"high_sigma is {high}; it has to be at least low_sigma, {low}")
    first = given.axes[0]
    term[first] = term[first]._replace(scale=-1.0)
    return Asked((added, tuple(term)), given.outside, is_signed=True)
