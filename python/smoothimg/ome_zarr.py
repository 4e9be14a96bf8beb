# SPDX-License-Identifier: MIT
"""Writes arrays of decreasing size as an OME-Zarr 0.5 image, a format that viewers of large volumes read. Needs zarr 3
and Dask.

>>> import dask.array, smoothimg.dask, smoothimg.ome_zarr, zarr
>>> volume = dask.array.ones((20, 301, 300), dtype="uint16", chunks=(10, 100, 150))
>>> levels = smoothimg.dask.pyramid(volume, 3, axes=(1, 2))
>>> size = {"z": 2, "y": 0.5, "x": 0.5}
>>> group = smoothimg.ome_zarr.write(zarr.storage.MemoryStore(), levels, "zyx", scale=size)
>>> group["2"].shape
(20, 76, 75)
>>> group.attrs["ome"]["multiscales"][0]["datasets"][2]["coordinateTransformations"][0]
{'type': 'scale', 'scale': [2.0, 2.0, 2.0]}
"""

from __future__ import annotations

import importlib
import re
from itertools import pairwise
from typing import Any
from collections.abc import Mapping, Sequence

import dask.array

da: Any = dask.array

__all__ = ["write"]


def write(
    store: Any,
    levels: Sequence[Any],
    axes: str,
    *,
    scale: Mapping[str, float] | None = None,
    units: Mapping[str, str] | None = None,
    name: str = "",
    compressors: Any = "auto",
) -> Any:
    """Computes the levels that `smoothimg.dask.pyramid` returned, in one Dask graph, and writes them.

    Parameters
    ----------
    store : path, zarr store or zarr.Group
        A path or a store without a group: write() makes a new group there. Or a group, to which write() adds the
        arrays.
    levels : sequence of Dask arrays
        The levels, the largest first. Along each axis a level has the extent of the previous level, or half of that
        extent, rounded up. The chunks of a level become the chunks of the Zarr array.
    axes : str
        A letter for each axis: "t", "c" and "z", if these axes exist, and then "yx", in this order.
    scale, units : mappings of letters, optional
        `scale` gives the distance of neighbouring samples of the first level along an axis, by default 1; `units` gives
        the unit of this distance, such as "micrometer" or "second".
    name : str
        Name of the image.
    compressors
        As for `zarr.create_array`.

    Returns
    -------
    zarr.Group
        The group with the arrays "0", "1", ... It is marked as an image when all arrays are complete.

    Notes
    -----
    The samples that `pyramid` keeps stay at their places: the first sample of each level has the same place, so the
    translations are 0. Along a halved axis the scale is twice the scale of the level before, also for odd extents. (The
    mean of 2 x 2 samples would lie half a sample further on.)
    """
    zarr: Any = importlib.import_module("zarr")
    arrays = [da.asarray(level) for level in levels]
    steps = _steps([array.shape for array in arrays])
    for given in (scale or {}, units or {}):
        if not set(given) <= set(axes):
            raise ValueError(f"{given} names other axes than {axes!r}")
    described = _describe(axes, steps, scale or {}, units or {})
    group = store
    if not isinstance(store, zarr.Group):
        group = zarr.open_group(store, mode="w-", zarr_format=3)
    if group.metadata.zarr_format != 3:
        raise ValueError("the group is of Zarr format 2; OME-Zarr 0.5 needs format 3")
    # Makes all chunks of an array the same size, so that each chunk of the Zarr array is written by a single task.
    regular = [array.rechunk(array.chunksize, method="tasks") for array in arrays]
    made = [
        group.create_array(
            str(number),
            shape=array.shape,
            dtype=array.dtype,
            chunks=array.chunksize,
            dimension_names=list(axes),
            compressors=compressors,
        )
        for number, array in enumerate(regular)
    ]
    da.store(regular, made, lock=False)
    image = {"name": name, "type": "gaussian", **described}
    group.attrs["ome"] = {"version": "0.5", "multiscales": [image]}
    return group


def _steps(shapes: Sequence[tuple[int, ...]]) -> list[list[int]]:
    """Returns, for each level, the distance of neighbouring samples along each axis, in units of the distance in the
    first level."""
    if not shapes:
        raise ValueError("there are no levels")
    steps = [[1] * len(shapes[0])]
    for large, small in pairwise(shapes):
        halves = [(extent + 1) // 2 for extent in large]
        if len(small) != len(large) or any(
            one not in pair for one, pair in zip(small, zip(large, halves))
        ):
            raise ValueError(f"a level of shape {small} is not every second sample of {large}")
        steps.append([step * (1 + (b < a)) for step, a, b in zip(steps[-1], large, small)])
    return steps


def _describe(
    axes: str, steps: list[list[int]], scale: Mapping[str, float], units: Mapping[str, str]
) -> dict[str, Any]:
    """Returns the entries "axes" and "datasets" of an OME-Zarr 0.5 image (ngff.openmicroscopy.org/0.5,
    "multiscales")."""
    if not re.fullmatch("t?c?z?yx", axes) or len(axes) != len(steps[0]):
        raise ValueError(
            f"axes are {axes!r}; of {len(steps[0])} axes, name each by a letter: yx, after t, c and z"
        )
    still = {"type": "translation", "translation": [0.0] * len(axes)}
    scales = [[float(scale.get(at, 1) * one) for at, one in zip(axes, step)] for step in steps]
    datasets = [
        {"path": str(number), "coordinateTransformations": [{"type": "scale", "scale": one}, still]}
        for number, one in enumerate(scales)
    ]
    kinds = {"t": "time", "c": "channel"}
    named: list[dict[str, str]] = [{"name": at, "type": kinds.get(at, "space")} for at in axes]
    for one, at in zip(named, axes):
        one.update({"unit": units[at]} if at in units else {})
    return {"axes": named, "datasets": datasets}
