# SPDX-License-Identifier: MIT
"""Which axes of two arrays are the rows, columns, channels and batches of images that the library
takes: pixels side by side in a row, rows and images at any distance. Nothing is copied here."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple
from collections.abc import Sequence

from . import _core

# More samples than this side by side make a row by themselves; fewer are the channels of a pixel.
MOST_CHANNELS = 16


class Dim(NamedTuple):
    """An axis, or several that are one in both arrays. axis is -1 if it is none of the image's."""

    extent: int
    src: int  # stride in bytes
    dst: int  # of the axis with the same index in the source
    axis: int


class Layout(NamedTuple):
    """The images, and which axis of the array is their y and x: -1 is none."""

    images: _core.Images
    y: int
    x: int


@lru_cache(maxsize=1024)
def plan(
    shape: tuple[int, ...],
    src: tuple[int, ...],
    dst: tuple[int, ...],
    size: int,
    axes: tuple[int, ...],
    *,
    turned: bool = False,
    alpha: bool = False,
) -> Layout | None:
    """The layout of arrays with these strides, in bytes, or None if the library does not take it.
    axes: those that are filtered, two at most. turned: dst is transposed; its strides are in the order
    of the source's axes. alpha: the last axis is the channels of a pixel."""
    dims = [Dim(*parts) for parts in zip(shape, src, dst, range(len(shape)))]
    image = sorted((dims[axis] for axis in axes), key=lambda dim: -dim.src)
    others = sorted(
        (dim for dim in dims if dim.axis not in axes and dim.extent > 1),
        key=lambda dim: (dim.src, dim.dst),
    )
    if len(image) < 2:
        return _plan_line(image[0] if image else Dim(1, size, size, -1), others, size)
    y, x = image
    if alpha:
        channels, others = _last_axis(dims[-1], others, size)
    else:
        adjacent = x.src if x.extent > 1 else y.dst if turned and y.extent > 1 else size
        channels, others = _absorb(others, size, adjacent)
    return _fit(y, x, channels, others, size, turned)


def _absorb(others: Sequence[Dim], size: int, until: int | None) -> tuple[int, list[Dim]]:
    """How many samples lie side by side in both arrays, up to `until` bytes, and what is left."""
    count, rest = 1, list(others)
    while rest and rest[0].src == rest[0].dst == count * size and count * size != until:
        count *= rest.pop(0).extent
    return count, rest


def _last_axis(last: Dim, others: Sequence[Dim], size: int) -> tuple[int, list[Dim]]:
    if last.extent > 1 and not last.src == last.dst == size:
        return 0, []
    return last.extent, [dim for dim in others if dim.axis != last.axis]


def _plan_line(line: Dim, others: Sequence[Dim], size: int) -> Layout | None:
    """Filters along one axis: down the columns of rows as long as can be, or along rows."""
    inner, rest = _absorb(others, size, line.src if line.extent > 1 else None)
    if inner > MOST_CHANNELS:
        return _fit(line, Dim(inner, size, size, -1), 1, rest, size, False)
    merged = _merge(rest)
    row = line.extent * inner * size
    fitting = [dim for dim in merged if min(dim.src, dim.dst) >= row]
    y = fitting[-1] if fitting else Dim(1, 0, 0, -1)
    merged = [dim for dim in merged if dim is not y]
    return _fit(y._replace(axis=-1), line, inner, merged, size, False)


def _merge(dims: Sequence[Dim]) -> list[Dim]:
    """The outermost first; two that are one in both arrays are joined."""
    merged: list[Dim] = []
    for dim in sorted(dims, key=lambda dim: -dim.src):
        last = merged[-1] if merged else None
        if last and last.src == dim.src * dim.extent and last.dst == dim.dst * dim.extent:
            merged[-1] = Dim(last.extent * dim.extent, dim.src, dim.dst, -1)
        else:
            merged.append(dim)
    return merged


def _regular(width: int, step: int, height: int, pitch: int, pixel: int) -> bool:
    """Do pixels lie side by side, and rows behind each other?"""
    return (width == 1 or step == pixel) and (height == 1 or pitch >= width * pixel)


def _fit(
    y: Dim, x: Dim, channels: int, batch: Sequence[Dim], size: int, turned: bool
) -> Layout | None:
    pixel = channels * size
    if not pixel:
        return None
    across, down = (y, x) if turned else (x, y)  # in dst: along its rows, and from row to row
    if not _regular(x.extent, x.src, y.extent, y.src, pixel):
        return None
    if not _regular(across.extent, across.dst, down.extent, down.dst, pixel):
        return None
    images = _core.Images(
        height=y.extent,
        width=x.extent,
        channels=channels,
        sample_bytes=size,
        pitch=(y.src if y.extent > 1 else 0, down.dst if down.extent > 1 else 0),
        batch=[dim[:3] for dim in _merge(batch)],
    )
    return Layout(images, y.axis, x.axis)
