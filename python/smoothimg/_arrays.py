# SPDX-License-Identifier: MIT
"""Filters of NumPy arrays of any number of axes and any type, with derivatives."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple
from collections.abc import Sequence

import numpy as np

from . import _core
from ._arguments import EDGES, Axis
from ._cuda import HOST

# smoothimg.h's numbers.
TYPES = {
    "uint8": 0,
    "uint16": 1,
    "float32": 2,
    "bool": 3,
    "int8": 4,
    "int16": 5,
    "int32": 6,
    "uint32": 7,
    "int64": 8,
    "uint64": 9,
    "float16": 10,
    "float64": 11,
}
PARTS = {"complex64": np.float32, "complex128": np.float64}

make_filter = lru_cache(maxsize=256)(_core.ArrayFilter)


class Terms(NamedTuple):
    """What is asked of an array: for each term, how each of its axes is filtered, and the edge rule
    there."""

    terms: tuple[tuple[Axis, ...], ...]
    edges: tuple[tuple[int, ...], ...]
    magnitude: bool
    outside: complex


def see(given: Any) -> Any:
    """As NumPy sees it. Raises TypeError for samples that are no numbers of the machine's."""
    if hasattr(given, "__dlpack__") and not hasattr(given, "__array__"):
        given = np.from_dlpack(given)
    array = np.asarray(given)
    check_type(array.dtype)
    return array


def check_type(dtype: np.dtype[Any]) -> None:
    if dtype.name not in TYPES and dtype.name not in PARTS:
        raise TypeError(
            f"samples of type {dtype}; pass bool, integers, or floats or complex numbers of up to 64 "
            "bits: array.astype(numpy.float64)"
        )


def output_of(output: Any, like: Any) -> Any:
    """A new array of a type that is given, or the caller's array."""
    if isinstance(output, np.ndarray):
        check_type(output.dtype)
        if output.shape != like.shape:
            raise ValueError(f"the output has shape {output.shape}; it has to be {like.shape}")
        if not output.flags.writeable:
            raise ValueError("the output is read-only")
        target = output
    elif hasattr(output, "shape") and not isinstance(output, (type, np.dtype)):
        raise TypeError(f"the output is of type {type(output).__name__}; pass a NumPy array")
    else:
        try:
            dtype = np.dtype(like.dtype if output is None else output)
        except TypeError:
            raise TypeError(f"output is {output!r}; it has to be an array, or a type") from None
        check_type(dtype)
        target = np.empty_like(like, dtype.newbyteorder("="), subok=False)
    if like.dtype.kind == "c" and target.dtype.kind != "c":
        raise TypeError(f"samples of type {like.dtype} need a complex output, not {target.dtype}")
    return target


def compute(asked: Terms, array: Any, output: Any, threads: int = 0) -> Any:
    """Filters `array` into a new array or the caller's."""
    target = output_of(output, array)
    if target.dtype.kind != "c":
        _filter(asked, asked.outside, array, target, threads)
        return target
    if asked.magnitude:
        if array.dtype.kind == "c" and (array.imag != 0).any():
            raise NotImplementedError(
                "the magnitude of the gradient of a complex array is not defined here; filter its "
                "real and imaginary parts"
            )
        if isinstance(asked.outside, complex) and asked.outside.imag != 0:
            raise NotImplementedError("cval has an imaginary part: a magnitude is real")
    outside = complex(asked.outside)
    _filter(asked, outside.real, array.real, target.real, threads)
    if array.dtype.kind != "c" or asked.magnitude:
        target.imag = 0
    else:
        _filter(asked, outside.imag, array.imag, target.imag, threads)
    return target


def _filter(asked: Terms, outside: Any, array: Any, target: Any, threads: int) -> None:
    """Real numbers into real numbers. What the library does not take is copied."""
    source = array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    into = target
    if not target.dtype.isnative or np.may_share_memory(source, target):
        into = np.empty_like(target, target.dtype.newbyteorder("="), subok=False)
    terms = tuple(
        tuple((how.radius, how.sigma, how.order, edge) for how, edge in zip(term, edges))
        for term, edges in zip(asked.terms, asked.edges)
    )
    context, _ = HOST.context(source, threads)
    made = make_filter(source.ndim, terms, asked.magnitude, float(outside))
    _core.filter_array(
        context, made, source, TYPES[source.dtype.name], into, TYPES[into.dtype.name]
    )
    if into is not target:
        target[...] = into


def check_outside(cval: Any, edges: Sequence[int], complex_input: bool) -> Any:
    """The constant outside, if an axis has one. Other modes ignore it."""
    wrong = f"cval is {cval!r}; it has to be a number"
    try:
        value = complex(cval)
    except (TypeError, ValueError, OverflowError) as reason:
        kind = TypeError if isinstance(reason, TypeError) or isinstance(cval, (str, bytes)) else ValueError
        raise kind(wrong) from None
    if isinstance(cval, (str, bytes)):
        raise TypeError(wrong)
    if EDGES["constant"] not in edges:
        return 0.0
    if value.imag != 0 and not complex_input:
        raise TypeError(f"cval is {cval!r}; the array's samples are real")
    if not (math.isfinite(value.real) and math.isfinite(value.imag)):
        raise ValueError(f"cval is {cval!r}; it has to be finite")
    return value if complex_input else value.real
