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

The functions have the arguments of the functions in smoothimg, but `output` can only be a type, and `threads` cannot be
given. They check the arguments and return at once, before anything is computed. When the result is computed, each chunk
has a task, which filters the chunk together with the samples around it that the radius reaches. These samples may be in
several chunks. A task uses one thread: Dask runs as many tasks as there are processors.

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
from collections.abc import Callable

import dask.array
import numpy as np

from . import _scipy, _several  # pyright: ignore[reportPrivateUsage]
from ._arguments import EDGES, Integers, Modes, Numbers, check_int, find_axes
from ._asked import Asked, plan_of
from ._call import Part, describe, is_array, run, see, tensor_types

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
        return _by_chunks(ask(axes, *describe(see(x._meta)), *arguments), self.input, x, output)

    def tensor(self, derive: Callable[..., Any], smooth: Callable[..., Any], output: Any, products: Any) -> Any:
        """Returns the result of structure_tensor. `derive` computes the first derivatives, and `smooth` smooths the
        product of two derivatives."""
        output, products = tensor_types(see(_lazy(self.input)._meta), output, products)
        pairs = combinations_with_replacement(derive(products), 2)
        return da.stack([smooth(_ByChunks(one * other), output) for one, other in pairs])


def _lazily(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that does for a Dask array what the given function of the package does for other arrays."""

    @wraps(function)
    def lazy(input: Any, *arguments: Any, **named: Any) -> Any:
        if named.get("threads") is not None:
            raise TypeError("threads cannot be given for a Dask array: each task uses one thread")
        return function(_ByChunks(input), *arguments, **named)

    return lazy


difference_of_gaussians = _lazily(_several.difference_of_gaussians)
gaussian_filter = _lazily(_scipy.gaussian_filter)
gaussian_filter1d = _lazily(_scipy.gaussian_filter1d)
gaussian_filters = _lazily(_several.gaussian_filters)
gaussian_gradient_magnitude = _lazily(_scipy.gaussian_gradient_magnitude)
gaussian_laplace = _lazily(_scipy.gaussian_laplace)
hessian = _lazily(_several.hessian)
structure_tensor = _lazily(_several.structure_tensor)


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
        return da.map_blocks(partial(filter_one, None, stored=input), chunks=chunks, meta=meta)
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
            ends: list[int] = list(accumulate(x.chunks[axis], initial=0))
            seen: list[Any] = []
            for begin, end in pairwise(ends):
                parts, _ = _see(asked, axis, ends[-1], begin, end)
                one = da.concatenate([x[(slice(None),) * axis + (part,)] for part in parts], axis)
                seen.append(one.rechunk({axis: -1}, method="tasks"))
            x = da.concatenate(seen, axis)
    return x


def _filter_chunk(seen: Any, asked: Asked, output: Any, block_info: Any, stored: Any = None) -> Any:
    """Filters a chunk. `seen` is the chunk with the samples around it; if it is None, reads these from `stored`."""
    block, apart = block_info[None], len(asked.results)  # apart: 1 if the first axis counts the results
    places = zip(block["array-location"][apart:], block["shape"][apart:])
    along = [_see(asked, axis, length, *place) for axis, (place, length) in enumerate(places)]
    if seen is None:
        seen = _read(stored, [parts for parts, _ in along])
    return _run(asked, seen, output, tuple(chunk for _, chunk in along))


def _run(asked: Asked, array: Any, output: Any, part: Part | None = None) -> Any:
    source = see(array)
    return run(plan_of(asked, describe(source)[1]), source, output, threads=1, part=part)


def _read(stored: Any, parts: list[list[slice]], at: Part = ()) -> Any:
    """Reads the samples in the given parts of each axis, and joins them. `at` has the slices that are already chosen,
    for the first axes."""
    if len(at) == len(parts):
        return np.asarray(stored[at])
    read = [_read(stored, parts, (*at, part)) for part in parts[len(at)]]
    return read[0] if len(read) == 1 else np.concatenate(read, len(at))


def _see(asked: Asked, axis: int, length: int, begin: int, end: int) -> tuple[list[slice], slice]:
    """Returns which samples of the array are needed to compute samples begin..end - 1 of the result along an axis:
    slices of the array, which are to be joined in this order, and where begin..end - 1 is in the joined slices. If the
    array ends within the radius, only the samples up to its end are returned, and the edge rule gives the samples
    beyond the end. With "wrap" these are samples at the other end of the axis. If then the parts at both ends would
    overlap or touch, or another term has another mode, the whole axis is returned."""
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
    return parts, slice(begin - first, end - first)
