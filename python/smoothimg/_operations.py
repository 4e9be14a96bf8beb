# SPDX-License-Identifier: MIT
"""One call: finds a layout that the library takes, copies what has none, and runs."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any, NamedTuple
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from . import _core, _layout
from ._arguments import (
    REVERSE,
    SMOOTH,
    TRANSPOSE,
    Axis,
    check_threads,
    find_axes,
    outermost_first,
)
from ._cuda import HOST, Taken, check_output, take

MOST_KINDS = 64  # of arrays, that are remembered for a filter


class Weights(NamedTuple):
    """What a filter is made of, but for the axes."""

    edge: int
    norm: int = 0
    alpha: bool = False
    skip_nan: bool = False


class Call(NamedTuple):
    """An operation on two axes; of a smooth, those that it smooths: none, one or two."""

    op: int
    axes: tuple[int, ...]
    smoothed: dict[int, Axis] = {}
    weights: Weights = Weights(0)


make_filter = lru_cache(maxsize=256)(_core.Filter)


def smooth_call(axes: tuple[int, ...], smoothing: Sequence[Axis], weights: Weights) -> Call:
    """Smooths each of the axes as `smoothing` says."""
    smoothed = {axis: how for axis, how in zip(axes, smoothing) if how.radius > 0}
    if len(smoothed) > 2:
        raise too_many(len(smoothed))
    return Call(SMOOTH, axes if weights.alpha else tuple(smoothed), smoothed, weights)


class Known(NamedTuple):
    """Arguments of a call on an array, and how to do it once more."""

    axes: tuple[int, ...] | None
    threads: int
    again: Any  # has smooth(image, out, threads), which returns None for arrays that are not alike


class Ran(NamedTuple):
    """What the library was called with."""

    kind: Any
    filter: _core.Filter | None
    images: _core.Images
    src: Any
    dst: Any


Note = Callable[[Ran], None]


class Kinds:
    """What was found out about arrays that one filter smoothed, by their types and shapes: for a
    short way, which calls on arrays that are alike take."""

    def __init__(self) -> None:
        self._known: dict[type, dict[tuple[int, ...], Known]] = {}

    def smooth(self, image: Any, axes: Any, out: Any, threads: Any) -> Any:
        """The result, or None: the arguments are not like those of a call before."""
        shapes = self._known.get(type(image))
        if shapes is None or not (out is None or type(out) is type(image)):
            return None
        known = shapes.get(image.shape)
        # Not ==, which 1.0 and True pass that are no number of threads.
        if known is None or known.axes is not axes or known.threads is not threads:
            return None
        return known.again.smooth(image, out, threads)

    def note(self, image: Any, axes: Any, threads: Any) -> Note | None:
        """What remembers a call with these arguments, as they were given. None: they are of types that
        may change, which `is` does not notice."""
        ints = (threads,) if axes is None else (threads, *axes) if type(axes) is tuple else (None,)
        constant = all(type(one) is int for one in ints)
        return partial(self._remember, image, axes, threads) if constant else None

    def _remember(self, image: Any, axes: Any, threads: Any, ran: Ran) -> None:
        # Only where the library had the caller's own arrays: the layout and the order of bytes of a
        # copy are not those that arrays like the caller's have.
        if ran.src is not image or type(ran.dst) is not type(image):
            return
        shapes = self._known.setdefault(type(image), {})
        if len(shapes) >= MOST_KINDS:
            shapes.clear()
        again = ran.kind.again(ran.filter, ran.images, ran.src, ran.dst)
        shapes[image.shape] = Known(axes, threads, again)


def too_many(axes: int) -> NotImplementedError:
    return NotImplementedError(
        f"{axes} axes cannot be smoothed by a Filter, but by gaussian_filter; name the axes of rows "
        "and columns: axes=(0, 1) for channels last, axes=(1, 2) for a stack of images"
    )


def move(op: int, source: Taken, out: Any, axes: Sequence[int], threads: int) -> Any:
    """Transposes or reverses."""
    found = find_axes(axes, source.array.ndim)
    if len(found) != 2:
        raise ValueError(f"axes is {axes!r}; it has to be two: the rows' and the columns'")
    return compute(Call(op, found), source, out, threads)


def compute(
    call: Call, source: Taken, out: Any, threads: int = 0, note: Note | None = None
) -> Any:
    """note: called with what ran, if the library wrote the result where it stays."""
    kind, array, back = source
    threads = check_threads(threads)
    shape = list(array.shape)
    if call.op == TRANSPOSE:
        y, x = call.axes
        shape[y], shape[x] = shape[x], shape[y]
    target = _take_out(out, source, tuple(shape))
    if 0 in shape:
        made = kind.empty(array, tuple(shape), range(len(shape))) if target is None else target
    else:
        ran = _run(call, kind, array, target, tuple(shape), threads)
        made = ran.dst
        if note and (target is None or made is target):
            note(ran)
    if out is None:
        return back(made)
    if made is not target:
        kind.copy(target, made)
    return out


def _take_out(out: Any, source: Taken, shape: tuple[int, ...]) -> Any:
    if out is None:
        return None
    if source.kind is HOST:
        HOST.check_out(out, source.array, shape)
        return out
    check_output(out)
    kind, target, _ = take(out)
    if kind is not source.kind:
        raise TypeError("the output is not on a device, or of another framework than the input")
    kind.check_out(target, source.array, shape)
    return target


def _run(call: Call, kind: Any, array: Any, out: Any, shape: tuple[int, ...], threads: int) -> Ran:
    """The result is in `out`, where the library can write there."""
    for src, dst in _candidates(call, kind, array, out, shape):
        layout = _plan(call, kind, src, dst)
        if layout:
            context, stream = kind.context(src, threads)
            filter_, places = _filter(call, layout), (kind.address(src), kind.address(dst))
            _core.run(context, call.op, filter_, layout.images, *places, stream)
            return Ran(kind, filter_, layout.images, src, dst)
    raise AssertionError("an array without gaps has a layout")


def _candidates(
    call: Call, kind: Any, array: Any, out: Any, shape: tuple[int, ...]
) -> Iterator[tuple[Any, Any]]:
    """What to read and what to write, with as few copies as can be."""
    axes = range(len(shape))
    direct = out is not None and kind.direct(out, array)
    strides = kind.strides(array)
    order = outermost_first(strides)
    if direct:
        yield array, out
    yield array, kind.empty(array, shape, order)
    if call.weights.alpha:  # batches, rows, columns, channels
        order = sorted(axes, key=lambda axis: (axis == len(shape) - 1, axis in call.axes, axis))
    else:
        order = list(axes)
    copied = kind.empty(array, tuple(array.shape), order)
    kind.copy(copied, array)
    if direct:
        yield copied, out
    yield copied, kind.empty(array, shape, order)


def _plan(call: Call, kind: Any, src: Any, dst: Any) -> _layout.Layout | None:
    to = list(kind.strides(dst))
    turned = call.op == TRANSPOSE
    if turned:
        y, x = call.axes
        to[y], to[x] = to[x], to[y]
    return _layout.plan(
        tuple(src.shape),
        kind.strides(src),
        tuple(to),
        kind.size(src),
        call.axes,
        turned=turned,
        alpha=call.weights.alpha,
    )


def _filter(call: Call, layout: _layout.Layout) -> _core.Filter | None:
    if call.op != SMOOTH:
        return None
    y, x = (call.smoothed.get(axis, Axis(0, 0.0)) for axis in (layout.y, layout.x))
    weights = call.weights
    return make_filter(
        (y.radius, x.radius),
        (y.sigma, x.sigma),
        weights.norm,
        weights.edge,
        weights.alpha,
        weights.skip_nan,
    )
