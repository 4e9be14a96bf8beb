#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the time and memory of several ways to smooth a Zarr array into another one.

The argument `image` stands for an array of --side x --side uint8, smoothed with sigma 2. `volume` stands for an array
of 30 x --side x --side uint8, which becomes OME-Zarr with levels of a half, a quarter and an eighth of the size along y
and x. If ngff-zarr is installed, its methods make these levels, too. These methods are other filters than smoothimg's:
ngff-zarr's sigma is 0.74, and its samples lie between the samples of the level before.

The ways run one after the other on the same source, each in a process of its own with Dask's threads. For each way the
script prints the seconds, and by how much the memory of the process grew at its peak. Sources are written once, into
--folder, and stay there; --folder needs three times the space of the sources.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

import dask
import dask.array as da
import numpy as np
import zarr

import smoothimg.dask
import smoothimg.ome_zarr


def source_of(path, shape, chunks):
    """Writes an array of waves with some noise, which zstd compresses to about nine tenths of its size. Does nothing if
    the array exists."""
    if path.exists():
        return
    made = zarr.create_array(path, shape=shape, chunks=chunks, dtype=np.uint8)
    draw = np.random.default_rng(1)
    for row in range(0, shape[-2], chunks[-2]):
        rows = np.arange(row, min(row + chunks[-2], shape[-2]))
        waves = 100 + 40 * np.add.outer(np.sin(rows / 50), np.cos(np.arange(shape[-1]) / 70))
        band = draw.integers(0, 32, (*shape[:-2], *waves.shape), np.uint8) + waves.astype(np.uint8)
        made[..., rows[0] : rows[-1] + 1, :] = band


def copy(source, target):
    store(da.from_zarr(source, chunks=smoothimg.dask.gaussian_filter(source, 2).chunks), target)


def smooth(source, target):
    store(smoothimg.dask.gaussian_filter(source, 2), target)


def smooth_dask(source, target):
    chunks = smoothimg.dask.gaussian_filter(source, 2).chunks
    store(smoothimg.dask.gaussian_filter(da.from_array(source, chunks), 2), target)


def store(array, target):
    made = zarr.create_array(target, shape=array.shape, chunks=(1024, 1024), dtype=array.dtype)
    da.store(array, made, lock=False)


def pyramid(source, target):
    levels = smoothimg.dask.pyramid(source, 4, axes=(1, 2))
    smoothimg.ome_zarr.write(target, levels, "zyx")


def ngff(method):
    def write(source, target):
        import ngff_zarr

        image = ngff_zarr.to_ngff_image(da.from_zarr(source), dims=("z", "y", "x"))
        factors = [{"z": 1, "y": factor, "x": factor} for factor in (2, 4, 8)]
        levels = ngff_zarr.to_multiscales(image, factors, method=ngff_zarr.Methods[method])
        ngff_zarr.to_ngff_zarr(target, levels, version="0.5")

    return write


IMAGE = {"copied": copy, "smoothimg, Dask's array": smooth_dask, "smoothimg, Zarr's array": smooth}
VOLUME = {"smoothimg": pyramid} | {
    f"ngff-zarr, {method}": ngff(method)
    for method in ("ITKWASM_GAUSSIAN", "DASK_IMAGE_GAUSSIAN", "ITKWASM_BIN_SHRINK", "DASK_BIN_SHRINK")
}


def memory(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))


def measure(way, source, target):
    """Runs one way to smooth (a key of IMAGE or VOLUME) in this process, which has done nothing before, and prints its
    time and memory."""
    before, begin = memory("VmRSS:"), time.perf_counter()
    {**IMAGE, **VOLUME}[way](zarr.open_array(source, mode="r"), target)
    seconds = time.perf_counter() - begin
    print(f"{seconds:.1f} s, {(memory('VmHWM:') - before) / 1e6:.0f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("image", "volume"))
    parser.add_argument("--side", type=int, default=30000)
    parser.add_argument("--chunk", default="16MiB", help="of Dask (%(default)s)")
    parser.add_argument("--folder", type=Path, default=Path("/tmp/smoothimg-volumes"))
    parser.add_argument("--way", help=argparse.SUPPRESS)
    args = parser.parse_args()
    image = args.what == "image"
    source, target = (args.folder / f"{args.what}-{args.side}-{end}.zarr" for end in ("in", "out"))
    if args.way:
        with dask.config.set({"scheduler": "threads", "array.chunk-size": args.chunk}):
            return measure(args.way, source, target)
    shape = (args.side,) * 2 if image else (30, args.side, args.side)
    source_of(source, shape, (1024, 1024) if image else (30, 256, 256))
    print(f"{args.what} {shape}, chunks of {args.chunk}, {os.cpu_count()} processors, {platform.machine()}")
    for way in IMAGE if image else VOLUME:
        shutil.rmtree(target, ignore_errors=True)
        print(f"{way}: ", end="", flush=True)
        subprocess.run([sys.executable, __file__, *sys.argv[1:], "--way", way])
    shutil.rmtree(target, ignore_errors=True)


if __name__ == "__main__":
    main()
