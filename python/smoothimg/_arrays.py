# SPDX-License-Identifier: MIT
"""Filters of NumPy arrays of any number of axes and any type, with derivatives."""

from __future__ import annotations

import cmath
from functools import lru_cache
from typing import Any
from collections.abc import Sequence

import numpy as np

from . import _core
from ._arguments import EDGES
from ._asked import Asked
from ._cuda import HOST

# smoothimg.h's numbers. Types of a foreign byte order are none of these.
TYPES = {
    np.dtype(name): number
    for number, name in enumerate(
        "uint8 uint16 float32 bool int8 int16 int32 uint32 int64 uint64 float16 float64".split()
    )
}
Part = tuple[slice, ...]
COMPLEX = (np.dtype(np.complex64), np.dtype(np.complex128))

make_filter = lru_cache(maxsize=256)(_core.ArrayFilter)


def check_type(dtype: np.dtype[Any]) -> None:
    native = dtype.newbyteorder("=")
    if native not in TYPES and native not in COMPLEX:
        raise TypeError(
            f"samples of type {dtype}; pass bool, integers, or floats of up to 64 bits, or complex "
            "numbers of two such floats: array.astype(numpy.float64)"
        )


def is_array(output: Any) -> bool:
    """And not a type, of which some have a shape too."""
    return hasattr(output, "shape") and not isinstance(output, (type, np.dtype))


def type_of(output: Any, like: Any) -> Any:
    """Of the samples of an output that is given as an array, a type or None; like: the input's."""
    if output is None:
        return like
    if is_array(output):
        return output.dtype
    if isinstance(output, type(like)):  # PyTorch's types are not NumPy's
        return output
    try:
        return np.dtype(output)
    except TypeError:
        raise TypeError(f"output is {output!r}; it has to be an array, or a type") from None


def compute(
    asked: Asked, array: Any, output: Any, threads: int = 0, part: Part | None = None
) -> Any:
    """Filters `array` into a new array or the caller's. part: of the result, into a new one."""
    if not cmath.isfinite(asked.outside):
        asked, array, part = _surround(asked, array, part)
    target = _output_of(output, array if part is None else array[part])
    first = None if part is None else [place.start for place in part]
    if np.may_share_memory(array, target):
        array = array.copy()
    if target.dtype.kind != "c":
        _filter(asked, asked.outside.real, array, target, first, threads)
        return target
    if asked.magnitude and (asked.outside.imag != 0 or np.any(array.imag != 0)):
        raise NotImplementedError(
            "the magnitude of the gradient of complex samples is not defined here; filter their real "
            "and imaginary parts"
        )
    _filter(asked, asked.outside.real, array.real, target.real, first, threads)
    if array.dtype.kind == "c":
        _filter(asked, asked.outside.imag, array.imag, target.imag, first, threads)
    else:
        target.imag = 0
    return target


def _surround(asked: Asked, array: Any, part: Part | None) -> tuple[Asked, Any, Part]:
    """An array with what is outside around it: NaN and infinities, which the library takes for
    samples alone."""
    wrong = f"cval is {asked.outside}"
    if array.dtype.kind not in "fc":
        raise ValueError(f"{wrong}; it has to be finite for samples of type {array.dtype}")
    edges = [{how.edge for how in axis} for axis in zip(*asked.terms)]
    beside = [EDGES["constant"] in one for one in edges]
    if any(len(one) > 1 and has for one, has in zip(edges, beside)):
        raise NotImplementedError(f"{wrong}; it has to be finite where a term has another mode")
    widths = [radius * has for radius, has in zip(asked.radii, beside)]
    whole = part or tuple(slice(0, extent) for extent in array.shape)
    moved = tuple(slice(at.start + width, at.stop + width) for at, width in zip(whole, widths))
    around = np.pad(array, [(width, width) for width in widths], constant_values=asked.outside)
    return asked._replace(outside=0.0), around, moved


def _output_of(output: Any, like: Any) -> Any:
    given = is_array(output)
    if given:
        HOST.check_place(output, like.shape)
    dtype = type_of(output, like.dtype)
    check_type(dtype)
    if like.dtype.kind == "c" and dtype.kind != "c":
        raise TypeError(f"samples of type {like.dtype} need a complex output, not {dtype}")
    return output if given else np.empty_like(like, dtype.newbyteorder("="), subok=False)


def _filter(
    asked: Asked,
    outside: float,
    array: Any,
    target: Any,
    first: Sequence[int] | None,
    threads: int,
) -> None:
    """Real numbers into real numbers. Those of a foreign byte order are copied."""
    source, into = array, target
    if array.dtype not in TYPES:
        source = array.astype(array.dtype.newbyteorder("="))
    if target.dtype not in TYPES:
        into = np.empty_like(target, target.dtype.newbyteorder("="), subok=False)
    made = make_filter(source.ndim, asked.terms, asked.magnitude, outside)
    context, _ = HOST.context(source, threads)
    _core.filter_array(context, made, source, TYPES[source.dtype], into, TYPES[into.dtype], first)
    if into is not target:
        target[...] = into
