# SPDX-License-Identifier: MIT
"""Filters of arrays of any number of axes and any type, with derivatives."""

from __future__ import annotations

import cmath
from functools import lru_cache
from typing import Any
from collections.abc import Sequence

import numpy as np

from . import _core
from ._arguments import EDGES
from ._asked import Asked
from ._cuda import HOST, Taken, check_output, is_on_device, take_on_device

# smoothimg.h's numbers. Types of a foreign byte order are none of these.
TYPES = {
    np.dtype(name): number
    for number, name in enumerate(
        "uint8 uint16 float32 bool int8 int16 int32 uint32 int64 uint64 float16 float64".split()
    )
}
NUMBERS = {dtype.name: number for dtype, number in TYPES.items()}
Part = tuple[slice, ...]
COMPLEX = (np.dtype(np.complex64), np.dtype(np.complex128))

WRONG_TYPE = (
    "samples of type {}; pass bool, integers, or floats of up to 64 bits, or complex numbers of two "
    "such floats, float64 for example"
)

make_filter = lru_cache(maxsize=256)(_core.ArrayFilter)


def check_type(dtype: np.dtype[Any]) -> None:
    native = dtype.newbyteorder("=")
    if native not in TYPES and native not in COMPLEX:
        raise TypeError(WRONG_TYPE.format(dtype))


def check_type_on_device(dtype: Any) -> None:
    if name_of(dtype) not in NUMBERS and not is_complex(dtype):
        raise TypeError(WRONG_TYPE.format(dtype))


def name_of(dtype: Any) -> str:
    """Without the framework's."""
    return getattr(dtype, "name", None) or str(dtype).rpartition(".")[2]


def is_complex(dtype: Any) -> bool:
    return name_of(dtype) in ("complex64", "complex128")


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
        asked, array, part = _surround(asked, HOST, array, part)
    target = _output_of(output, array if part is None else array[part])
    first = None if part is None else [place.start for place in part]
    if np.may_share_memory(array, target):
        array = array.copy()
    if target.dtype.kind != "c":
        _filter(asked, asked.outside.real, array, target, first, threads)
        return target
    _check_magnitude(asked, array)
    _filter(asked, asked.outside.real, array.real, target.real, first, threads)
    if array.dtype.kind == "c":
        _filter(asked, asked.outside.imag, array.imag, target.imag, first, threads)
    else:
        target.imag = 0
    return target


def _check_magnitude(asked: Asked, array: Any) -> None:
    """array: into complex samples."""
    if not asked.magnitude:
        return
    if asked.outside.imag != 0 or is_complex(array.dtype) and (array.imag != 0).any():
        raise NotImplementedError(
            "the magnitude of the gradient of complex samples is not defined here; filter their real "
            "and imaginary parts"
        )


def _surround(asked: Asked, kind: Any, array: Any, part: Part | None) -> tuple[Asked, Any, Part]:
    """An array with what is outside around it: NaN and infinities, which the library takes for
    samples alone. With it the part of its result that is wanted."""
    wrong = f"cval is {asked.outside}"
    if not name_of(array.dtype).startswith(("float", "complex")):
        raise ValueError(f"{wrong}; it has to be finite for samples of type {array.dtype}")
    edges = [{how.edge for how in axis} for axis in zip(*asked.terms)]
    beside = [EDGES["constant"] in one for one in edges]
    if any(len(one) > 1 and has for one, has in zip(edges, beside)):
        raise NotImplementedError(f"{wrong}; it has to be finite where a term has another mode")
    widths = [radius * has for radius, has in zip(asked.radii, beside)]
    shape = tuple(extent + 2 * width for extent, width in zip(array.shape, widths))
    inside = tuple(slice(width, width + extent) for extent, width in zip(array.shape, widths))
    around = kind.empty(array, shape, range(len(shape)))
    around[...] = asked.outside
    kind.copy(around[inside], array)
    whole = part or tuple(slice(0, extent) for extent in array.shape)
    moved = tuple(slice(at.start + width, at.stop + width) for at, width in zip(whole, widths))
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


def compute_on_device(asked: Asked, source: Taken, output: Any) -> Any:
    """The same on a device: enqueues on the framework's stream. Arrays that overlap the result, or
    are it, are copied first."""
    kind, array = source.kind, source.array
    if not cmath.isfinite(asked.outside):
        return _compute_surrounded(asked, source, output)
    dtype = kind.type_of(type_of(output, array.dtype))
    for one in (array.dtype, dtype):
        check_type_on_device(one)
    if is_complex(array.dtype) and not is_complex(dtype):
        raise TypeError(f"samples of type {array.dtype} need a complex output, not {dtype}")
    if is_complex(dtype):
        _check_magnitude(asked, array)
    target, back = _output_on_device(source, output, dtype)
    if not kind.direct(target, array):
        apart = kind.like(array)
        kind.copy(apart, array)
        array = apart
    if not is_complex(dtype):
        _filter_on_device(asked, asked.outside.real, kind, array, target)
    else:
        _filter_on_device(asked, asked.outside.real, kind, array.real, target.real)
        if is_complex(array.dtype):
            _filter_on_device(asked, asked.outside.imag, kind, array.imag, target.imag)
        else:
            target.imag[...] = 0
    return back(target)


def _compute_surrounded(asked: Asked, source: Taken, output: Any) -> Any:
    """The same, with what is outside around a copy."""
    kind = source.kind
    dtype = kind.type_of(type_of(output, source.array.dtype))
    target, back = _output_on_device(source, output, dtype)
    asked, array, inside = _surround(asked, kind, source.array, None)
    around = Taken(kind, array, lambda made: made)
    kind.copy(target, compute_on_device(asked, around, dtype)[inside])
    return back(target)


def _output_on_device(source: Taken, output: Any, dtype: Any) -> tuple[Any, Any]:
    """The array that is written, and what makes the caller's of it."""
    if not is_array(output):
        return source.kind.like(source.array, dtype), source.back
    taken = take_on_device(output) if is_on_device(output) else None
    if taken is None or taken.kind is not source.kind:
        raise TypeError("the input and the output are arrays of different kinds")
    check_output(output)
    source.kind.check_place(taken.array, source.array, tuple(source.array.shape))
    if any(s == 0 and n > 1 for s, n in zip(source.kind.strides(taken.array), taken.array.shape)):
        raise ValueError("places of the output share their memory; pass a copy")
    return taken.array, lambda made: output


def _filter_on_device(asked: Asked, outside: float, kind: Any, array: Any, target: Any) -> None:
    made = make_filter(array.ndim, asked.terms, asked.magnitude, outside)
    context, stream = kind.context(array, 0)
    src, dst = (
        (kind.address(one), kind.strides(one), NUMBERS[name_of(one.dtype)])
        for one in (array, target)
    )
    _core.filter_placed(context, made, tuple(array.shape), src, dst, stream)
