# SPDX-License-Identifier: MIT
"""Carries out one call of a user: filters an array, or moves its axes, into a new array or the caller's. The variable
`kind` is always the interface to the array's framework: an object of class Host (_host.py) or of a class in
_cuda.py."""

from __future__ import annotations

from itertools import repeat
from typing import Any
from collections.abc import Callable, Sequence

import numpy as np
from numpy import empty_like, may_share_memory, ndarray

from . import _core  # pyright: ignore[reportPrivateUsage]
from ._arguments import ADD, EDGES, MAGNITUDE, check_threads
from ._asked import Asked, Plan, plan_of, remembered
from ._cuda import TYPES, Taken, framework_of, name_of, take

Part = tuple[slice, ...]  # a part of an array: a slice along each axis


def check_type(dtype: Any) -> None:
    if name_of(dtype) not in TYPES and not is_complex(dtype):
        raise TypeError(
            f"samples of type {dtype}; pass bool, integers, or floats of up to 64 bits, or complex "
            "numbers of two such floats, float64 for example"
        )


def is_complex(dtype: Any) -> bool:
    return name_of(dtype) in ("complex64", "complex128")


def is_array(output: Any) -> bool:
    """True for an array. Types are not arrays, though some have a shape."""
    if isinstance(output, (type, np.dtype)):
        return False
    return hasattr(output, "shape") or hasattr(output, "__cuda_array_interface__")


def see(input: Any) -> Taken:
    taken = take(input)
    check_type(taken.array.dtype)
    return taken


def describe(source: Taken) -> tuple[int, bool]:
    """Returns the number of axes, and whether samples are complex. Checking the arguments needs both."""
    return len(source.array.shape), is_complex(source.array.dtype)


def call_at_once(
    ask: Callable[..., Asked], input: Any, output: Any, threads: Any, axes: Any, *arguments: Any
) -> Any:
    """Does what call() does, for requests whose default output has the type of the input. If the library can filter the
    arrays as they are, skips the general code of call(), which saves time for small arrays."""
    if (
        type(input) is ndarray
        and (threads is None or type(threads) is int and 0 <= threads <= 1024)
        and (output is None or type(output) is ndarray and not may_share_memory(input, output))
    ):
        made = _remembered(ask, input.ndim, axes, arguments)
        if made is not None and made.filters:
            target = empty_like(input) if output is None else output
            if _core.filter(threads, made.filters[0], None, input, target):
                return target
    elif threads is None and (kind := framework_of(input)) is not None:
        made = _remembered(ask, input.ndim, axes, arguments)
        if made is not None and made.filters:
            target = kind.at_once(made.filters[0], input, output)
            if target is not None:
                return target
    return call(ask, input, output, threads, axes, *arguments)


def call(
    ask: Callable[..., Asked], input: Any, output: Any, threads: Any, axes: Any, *arguments: Any
) -> Any:
    """Filters an array by the request that `ask` returns. ask() is called with the axes, the number of the array's
    axes, whether samples are complex, and `arguments`. The input may also be a _ByChunks of dask.py, which holds a Dask
    array."""
    if type(input) is not ndarray and hasattr(input, "by_chunks"):
        return input.by_chunks(ask, output, axes, *arguments)
    threads = None if threads is None else check_threads(threads)
    source = see(input)
    ndim, of_complex = describe(source)
    made = None if of_complex else _remembered(ask, ndim, axes, arguments)
    if made is None:
        made = plan_of(ask(axes, ndim, of_complex, *arguments), of_complex)
    return run(made, source, output, threads)


def _remembered(ask: Callable[..., Asked], ndim: int, axes: Any, arguments: Any) -> Plan | None:
    """Returns the plan for real samples. Returns None if the cache cannot have it, because of an argument that has no
    hash (a list) or a type that is not in SCALARS, or if an argument has a wrong type. Raises the errors of `ask` for
    other wrong arguments."""
    try:
        types = tuple(map(type, axes)) if type(axes) is tuple else (type(axes),)  # pyright: ignore
        return remembered(ask, ndim, axes, types, *arguments)  # pyright: ignore
    except TypeError:
        return None


def signed_type(array: Any) -> Any:
    """Returns the default type of results with a sign: floats of at least 32 bits or complex numbers."""
    return np.result_type(name_of(array.dtype), np.float32)


def type_of(source: Taken, output: Any) -> Any:
    """Returns the framework's type for an output that is a type or None; None stands for the array's type."""
    like = source.array.dtype
    if output is None or isinstance(output, type(like)):  # PyTorch has its own types
        return like if output is None else output
    try:
        return source.kind.type_of(np.dtype(output))
    except TypeError:
        raise TypeError(f"output is {output!r}; it has to be an array, or a type") from None


def tensor_types(source: Taken, output: Any, products: Any) -> tuple[Any, Any]:
    """Returns the output of structure_tensor, or its default type, and the type of the products."""
    if is_complex(source.array.dtype):
        raise NotImplementedError("the structure tensor of complex samples is not defined here")
    if output is None:
        output = signed_type(source.array)
    if products is None:
        made = output.dtype if is_array(output) else type_of(source, output)
        products = made if name_of(made).startswith("float") else np.float64
    dtype = type_of(source, products)
    if not name_of(dtype).startswith("float"):
        raise TypeError(f"products is {products!r}; it has to be a type of floats")
    return output, dtype


def run(
    plan: Plan, source: Taken, output: Any, threads: int | None = None, part: Part | None = None
) -> Any:
    """Filters an array by a plan. If `part` is given, computes only this part of the result; an `output` that is an
    array then has the shape of this part, and must not overlap the array."""
    kind, array = source
    asked, filters = plan
    if not filters:
        asked, array, part = _surround(asked, kind, array, part)
        filters = plan_of(asked, is_complex(array.dtype)).filters
    like = array if part is None else array[part]
    given = is_array(output)
    shape = (*asked.results, *like.shape)
    if output is None and asked.is_signed:
        output = signed_type(array)
    target: Any = kind.take_output(output, array, shape) if given else None
    dtype = target.dtype if given else type_of(source, output)
    check_type(dtype)
    if is_complex(array.dtype) and not is_complex(dtype):
        raise TypeError(f"samples of type {array.dtype} need a complex output, not {dtype}")
    if asked.combination == MAGNITUDE and is_complex(array.dtype):
        if asked.outside.imag != 0 or (array.imag != 0).any():
            raise NotImplementedError(
                "the magnitude of the gradient of complex samples is not defined here; filter their real "
                "and imaginary parts"
            )
    if given and not kind.fits(target, array):
        kind.copy(target, run(plan, source, dtype, threads))
        return output
    if not given:
        target = kind.new(like, shape if asked.results else None, dtype)
    if asked.results and not asked.is_signed:
        # Smoothed arrays of different sigmas share no computation, and for a filter with one term the library can use
        # its faster code for images. So each term is computed by a filter of its own.
        for term, into in zip(asked.terms, target):
            alone = asked._replace(terms=(term,), combination=ADD)
            run(plan_of(alone, is_complex(array.dtype)), Taken(kind, array), into, threads, part)
    else:
        first = None if part is None else [place.start for place in part]
        hows = [(made, first) for made in filters]
        _compute(_core.filter, hows, Taken(kind, array), target, threads, part)
    if is_complex(dtype) and not is_complex(array.dtype):
        target.imag[...] = 0
    return output if given else target


def move(
    axes: Sequence[int], flip: Sequence[int], source: Taken, output: Any, threads: int | None
) -> Any:
    """Moves samples: axis a of the result is axis axes[a] of the array, reversed if flip[a] is not 0."""
    threads = None if threads is None else check_threads(threads)
    kind, array = source
    shape = tuple([array.shape[axis] for axis in axes])
    target = kind.new(array, shape) if output is None else kind.take_output(output, array, shape)
    if name_of(target.dtype) != name_of(array.dtype):
        raise TypeError(
            f"the output has samples of type {name_of(target.dtype)}, the input {name_of(array.dtype)}"
        )
    if output is not None and not kind.fits(target, array):
        kind.copy(target, move(axes, flip, source, None, threads))
    else:
        _compute(_core.move, repeat((axes, flip)), source, target, threads)
    return target if output is None else output


def _compute(
    function: Callable[..., bool], hows: Any, given: Taken, target: Any, threads: Any, part: Part | None = None
) -> None:
    """Calls a function of _core once for real samples, or twice for complex samples: for the real and for the imaginary
    parts. Each of `hows` has the two arguments directly before the arrays of one call."""
    kind, array = given
    for how, source, into in zip(hows, _parts(array), _parts(target)):
        try:
            kind.compute(function, how, source, into, threads)
        except NotImplementedError:
            # The library refuses the arrays' layout, or a part that lacks samples around it. So the library gets a
            # copy of the whole array, and `into` gets the wanted part of the result.
            copied = kind.new(source, tuple(source.shape))
            kind.copy(copied, source)
            shape = into.shape if part is None else (*into.shape[: -len(part)], *source.shape)
            whole = kind.new(into, tuple(shape))
            kind.compute(function, how if part is None else (how[0], None), copied, whole, threads)
            kind.copy(into, whole if part is None else whole[(..., *part)])


def _parts(array: Any) -> tuple[Any, ...]:
    """Returns the real and the imaginary part, or, for real samples, the array itself."""
    return (array.real, array.imag) if is_complex(array.dtype) else (array,)


def _surround(asked: Asked, kind: Any, array: Any, part: Part | None) -> tuple[Asked, Any, Part]:
    """Pads the array with asked.outside, which is NaN or infinite, since the library accepts such values as samples,
    but not as the constant outside. Returns a request for the padded array, the padded array, and the part of its
    result that is wanted."""
    wrong = f"cval is {asked.outside}"
    if not name_of(array.dtype).startswith(("float", "complex")):
        raise ValueError(f"{wrong}; it has to be finite for samples of type {array.dtype}")
    # A term that does not reach over an axis's ends has no mode there.
    edges = [{how.edge for how in axis if how.radius > 0} for axis in zip(*asked.terms)]
    constant = EDGES["constant"]
    if any(constant in one and len(one) > 1 for one in edges):
        raise NotImplementedError(f"{wrong}; it has to be finite where a term has another mode")
    widths = [radius * (constant in one) for radius, one in zip(asked.radii, edges)]
    inside = tuple(slice(width, width + extent) for extent, width in zip(array.shape, widths))
    around = kind.new(array, tuple(at.stop + width for at, width in zip(inside, widths)))
    around[...] = asked.outside
    kind.copy(around[inside], array)
    whole = part or tuple(slice(0, extent) for extent in array.shape)
    moved = tuple(slice(at.start + width, at.stop + width) for at, width in zip(whole, widths))
    return asked._replace(outside=0.0), around, moved
