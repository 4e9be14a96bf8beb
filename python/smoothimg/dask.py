# SPDX-License-Identifier: MIT
"""The Gaussian filters for Dask arrays, computed chunk by chunk. Every sample is the same as if the whole array were
filtered at once.

>>> import dask.array, numpy as np, smoothimg.dask
>>> image = np.arange(1200.0).reshape(30, 40)
>>> chunks = dask.array.from_array(image, (7, 40))
>>> smooth = smoothimg.dask.gaussian_filter(chunks, 3, mode="wrap")
>>> smooth.chunks == chunks.chunks
True
>>> bool((smooth == smoothimg.gaussian_filter(image, 3, mode="wrap")).all())
True

The functions have the arguments of the functions in smoothimg, but `output` can only be a type. They check the
arguments and return at once, before anything is computed. When the result is computed, each chunk has a task, which
filters the chunk together with the samples around it that the radius reaches. These samples may be in several chunks. A
task uses one thread: Dask runs as many tasks as there are processors.

If the array is in Zarr or HDF5, each task reads the samples that it needs itself, so no chunk waits in memory for
neighbouring chunks. A chunk of the result consists of one or more chunks of the array, up to the size
"array.chunk-size" of Dask's configuration. All chunks have one size, except the last ones, so they can be written as
chunks of Zarr.
"""

from __future__ import annotations

import math
from functools import partial, wraps
from itertools import accumulate, combinations_with_replacement, pairwise
from typing import Any, NamedTuple
from collections.abc import Callable, Sequence

import dask.array
import numpy as np

from . import _scipy, _several  # pyright: ignore[reportPrivateUsage]
from ._arguments import EDGES, Integers, Modes, Numbers, check_int, find_axes
from ._asked import Asked, ask_apart, plan_of
from ._call import Part, describe, is_array, run, see, signed_type, tensor_types

da: Any = dask.array

__all__ = [
    "difference_of_gaussians",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_filters",
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "hessian",
    "pyramid",
    "structure_tensor",
]


class _ByChunks(NamedTuple):
    """Holds a Dask array, so that the functions of the package can take it as their input."""

    input: Any

    def by_chunks(self, ask: Callable[..., Asked], output: Any, axes: Any, *arguments: Any) -> Any:
        x = _lazy(self.input)
        asked = ask(axes, *describe(see(x._meta)), *arguments)
        return _by_chunks(asked, self.input, x, signed_type(asked, output, x))


def _lazily(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function like the given one of the package that takes a Dask array as input. The argument `threads` then
    has no effect."""

    @wraps(function)
    def lazy(input: Any, *arguments: Any, **named: Any) -> Any:
        return function(_ByChunks(input), *arguments, **named)

    return lazy


difference_of_gaussians = _lazily(_several.difference_of_gaussians)
gaussian_filter = _lazily(_scipy.gaussian_filter)
gaussian_filter1d = _lazily(_scipy.gaussian_filter1d)
gaussian_filters = _lazily(_several.gaussian_filters)
gaussian_gradient_magnitude = _lazily(_scipy.gaussian_gradient_magnitude)
gaussian_laplace = _lazily(_scipy.gaussian_laplace)
hessian = _lazily(_several.hessian)


@wraps(_several.structure_tensor)
def structure_tensor(
    input: Any,
    sigma: Numbers,
    rho: Numbers,
    output: Any = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    products: Any = None,
    axes: Integers | None = None,
) -> Any:
    output, products = tensor_types(_lazy(input), output, products)
    slopes = _ByChunks(input).by_chunks(
        ask_apart, products, axes, 1, mode, cval, truncate, None, sigma
    )
    pairs = combinations_with_replacement(slopes, 2)
    return da.stack(
        [gaussian_filter(a * b, rho, 0, output, mode, 0, truncate, axes=axes) for a, b in pairs]
    )


def pyramid(
    input: Any,
    levels: int,
    sigma: Numbers = 1.0,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Integers | None = None,
    axes: Integers | None = None,
) -> list[Any]:
    """Returns a pyramid: a list of the array and `levels - 1` smaller arrays. Each smaller array is made from the one
    before: `gaussian_filter` smooths that array with these arguments, into the same type, and then every second sample
    along `axes` is kept, beginning with the first. So n samples become (n + 1) // 2, and these stay at their places.

    A sigma of 1 is the standard deviation of the kernel 1 4 6 4 1 of Burt and Adelson (IEEE Transactions on
    Communications 31, 1983): at the highest frequency that a smaller array can hold, 0.29 of the amplitude remains.
    With a sigma of 0 every second sample is kept as it is.

    The chunks of a smaller array are as large as the largest chunk of `input`, so there are fewer of them. The samples
    that are not kept are also computed.

    >>> [level.shape for level in pyramid(dask.array.ones((9, 300, 301)), 3, axes=(1, 2))]
    [(9, 300, 301), (9, 150, 151), (9, 75, 76)]
    """
    made = [_lazy(input)]
    check_int(levels, "levels", "1 or more, an integer", 1)
    halved = find_axes(axes, made[0].ndim)
    every = tuple(slice(None, None, 2 if at in halved else 1) for at in range(made[0].ndim))
    merged = {at: max(1, *made[0].chunks[at]) for at in halved}
    for _ in range(levels - 1):
        smooth = gaussian_filter(
            input, sigma, 0, None, mode, cval, truncate, radius=radius, axes=axes
        )
        input = smooth[every].rechunk(merged, method="tasks")
        made.append(input)
    return made


def _is_stored(input: Any) -> bool:
    """True for an array of Zarr or HDF5, of which a slice can be read without the rest."""
    return hasattr(input, "chunks") and not hasattr(input, "__dask_graph__")


def _lazy(input: Any) -> Any:
    if not _is_stored(input):
        return da.asarray(input)
    # Dask may make the last chunk larger than the others, which Zarr cannot store.
    extents = tuple(along[0] for along in da.from_array(input).chunks)
    return da.from_array(input, chunks=extents)


def _by_chunks(asked: Asked, input: Any, x: Any, output: Any) -> Any:
    """Filters x, which is `input` as a Dask array, by chunks."""
    if is_array(output):
        raise TypeError("output is an array; for a Dask array pass a type, and store the result")
    if any(math.isnan(extent) for extent in x.shape):
        raise ValueError("the chunks' sizes are unknown; call compute_chunk_sizes() before")
    meta = _run(asked, x._meta, output)  # checks the types
    apart = tuple((count,) for count in asked.results)  # the chunks along the axis that counts the results
    chunks = apart + x.chunks
    if 0 in x.shape:
        return da.empty_like(meta, shape=(*asked.results, *x.shape), chunks=chunks)
    filter_one = partial(_filter_chunk, asked=asked, output=meta.dtype)
    if _is_stored(input):
        filter_one = partial(_filter_stored, input, asked=asked, output=meta.dtype)
        return da.map_blocks(filter_one, chunks=chunks, meta=meta)
    # Removes chunks without samples, because Dask loses such chunks when it concatenates arrays. The last rechunk()
    # restores them.
    full = tuple([tuple([one for one in extents if one > 0]) for extents in x.chunks])
    seen = _gather(asked, x.rechunk(full, method="tasks"))
    before = 0 if apart else None
    filtered = da.map_blocks(filter_one, seen, chunks=apart + full, new_axis=before, meta=meta)
    return filtered.rechunk(chunks, method="tasks")


def _gather(asked: Asked, x: Any) -> Any:
    """Returns an array in which each chunk consists of a chunk of x and the samples around that chunk."""
    for axis, radius in enumerate(asked.radii):
        if radius > 0:
            ends = list(accumulate(x.chunks[axis], initial=0))
            seen = [
                _take(x, axis, _see_along(asked, axis, begin, end, ends[-1]).parts)
                for begin, end in pairwise(ends)
            ]
            x = da.concatenate(seen, axis)
    return x


def _take(x: Any, axis: int, parts: Sequence[slice]) -> Any:
    """Returns the parts of x as one chunk along the axis."""
    taken = da.concatenate([x[(slice(None),) * axis + (part,)] for part in parts], axis)
    return taken.rechunk({axis: -1}, method="tasks")


def _filter_chunk(seen: Any, asked: Asked, output: Any, block_info: Any) -> Any:
    chunk = tuple(along.chunk for along in _see(asked, block_info[None]))
    return _run(asked, seen, output, chunk)


def _run(asked: Asked, array: Any, output: Any, part: Part | None = None) -> Any:
    source = see(array)
    return run(plan_of(asked, describe(source)[1]), source, output, threads=1, part=part)


def _filter_stored(stored: Any, asked: Asked, output: Any, block_info: Any) -> Any:
    parts = [along.parts for along in _see(asked, block_info[None])]
    return _filter_chunk(_read(stored, parts), asked, output, block_info)


def _read(stored: Any, parts: list[list[slice]], at: Part = ()) -> Any:
    """Reads the samples in the given parts of each axis, and joins them. `at` has the slices that are already chosen,
    for the first axes."""
    if len(at) == len(parts):
        return np.asarray(stored[at])
    read = [_read(stored, parts, (*at, part)) for part in parts[len(at)]]
    return read[0] if len(read) == 1 else np.concatenate(read, len(at))


class Seen(NamedTuple):
    """The samples that a chunk needs along an axis."""

    parts: list[slice]  # slices of the array, which are joined in this order
    chunk: slice  # where the chunk is in the joined slices


def _see(asked: Asked, block: Any) -> list[Seen]:
    """Returns the samples that a block of the result needs along each axis. `block` is the value that map_blocks passes
    as block_info[None]."""
    apart = len(asked.results)  # 1 if an axis that counts the results comes before the array's axes
    return [
        _see_along(asked, axis, begin, end, length)
        for axis, ((begin, end), length) in enumerate(
            zip(block["array-location"][apart:], block["shape"][apart:])
        )
    ]


def _see_along(asked: Asked, axis: int, begin: int, end: int, length: int) -> Seen:
    """Returns which samples of the array are needed to compute samples begin..end - 1 of the result along an axis. If
    the array ends within the radius, only the samples up to its end are returned, and the edge rule gives the samples
    beyond the end. With "wrap" these are samples at the other end of the axis. If then the parts at both ends would
    overlap, or another term has another mode, the whole axis is returned."""
    radius = asked.radii[axis]
    edges = {term[axis].edge for term in asked.terms}
    first, last = begin - radius, end + radius
    if EDGES["wrap"] not in edges or 0 <= first and last <= length:
        first, last = max(first, 0), min(last, length)
        parts = [slice(first, last)]
    elif last - first < length and len(edges) == 1:
        parts = [slice(first % length, length), slice(0, last % length)]
    else:
        first = 0
        parts = [slice(0, length)]
    return Seen(parts, slice(begin - first, end - first))
