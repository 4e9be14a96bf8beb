#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An image larger than a machine's memory, smoothed chunk by chunk with Dask.

Every sample is exact, so a chunk that sees `radius` pixels of its neighbours has the same bytes as
that part of the whole image: no seams, whatever the chunks, the processes and the machines are.

usage: dask_chunks.py [SIZE]    smooths SIZE x SIZE pixels (4096) on two processes, and compares
"""

import sys

import dask.array as da
import numpy as np

import smoothimg


def smooth_chunks(image, sigma, mode="reflect"):
    """A Dask array (y, x) or (y, x, channels) of uint8 or uint16, smoothed when it is computed."""
    # One thread each: Dask runs as many chunks as there are processors.
    soften = smoothimg.Filter(sigma, mode=mode)
    depth = dict(enumerate(soften.radius + (0,) * (image.ndim - 2)))
    # At the image's own edges the filter's edge rule is enough, unless it needs the far side.
    boundary = "periodic" if mode in ("wrap", "grid-wrap") else "none"
    return da.map_overlap(
        soften,
        image,
        depth=depth,
        boundary=boundary,
        dtype=image.dtype,
        meta=np.empty((0,) * image.ndim, image.dtype),
        axes=(0, 1),
        threads=1,
    )


def main(size=4096):
    from dask.distributed import Client, LocalCluster

    rows = np.random.default_rng(1).integers(0, 256, (size, size, 3), np.uint8)
    chunks = da.from_array(rows, chunks=(1000, 1500, 3))
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster):
            found = smooth_chunks(chunks, sigma=3).compute()
    whole = smoothimg.gaussian_filter(rows, sigma=3, axes=(0, 1))
    different = np.count_nonzero(found != whole)
    print(f"{chunks.npartitions} chunks; {different} of {whole.size} samples differ from the whole")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
