#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times Gaussian filters for arrays from Python, and counts samples that differ from smoothimg's.

On the host: SciPy (on uint8, and in double precision, rounded), OpenCV, scikit-image. With
--device, on a CUDA device: CuPy, torchvision, and NPP called by ctypes. What is not installed is named
and left out.

Every library gets the same uint8 image, sigma and radius, and the edge rule "reflect" (torchvision
has "mirror" only and NPP "nearest": they are compared with that). smoothimg and OpenCV use --threads threads; the others
use one. A cell is the median of several calls, into a new array each; the libraries take turns. The
share of differing samples is in brackets.
"""

import argparse
import ctypes
import importlib.metadata
import json
import os
import platform
import statistics
import time
from pathlib import Path

import numpy as np

import smoothimg

ROUNDS = 15
EDGE_RULES = {"torchvision": "mirror", "NPP": "nearest"}  # the others have "reflect"
PATIENCE = 4  # seconds: a library that has used them in a case takes no more turns, after 3


class Case:
    def __init__(self, shape, halo):
        self.image = np.random.default_rng(1).integers(0, 256, shape, np.uint8)
        self.halo, self.sigma = halo, halo / 3
        self.channel_axis = 2 if len(shape) == 3 else None
        self.exact = {
            mode: smoothimg.Filter(self.sigma, radius=halo, mode=mode)(self.image, axes=(0, 1))
            for mode in ("reflect", "mirror", "nearest")
        }


# Each returns a function that filters the case's image; raises ImportError if it is not there.


def ours(case, threads):
    soften = smoothimg.Filter(case.sigma, radius=case.halo)
    return lambda: soften(case.image, axes=(0, 1), threads=threads)


def scipy(case, _):
    from scipy import ndimage

    sigma = (case.sigma, case.sigma, 0)[: case.image.ndim]
    return lambda: ndimage.gaussian_filter(case.image, sigma, radius=case.halo)


def scipy_double(case, _):
    from scipy import ndimage

    sigma = (case.sigma, case.sigma, 0)[: case.image.ndim]

    def smooth():
        doubles = ndimage.gaussian_filter(case.image, sigma, radius=case.halo, output=np.float64)
        doubles += 0.5
        return doubles.astype(np.uint8)  # truncates

    return smooth


def opencv(case, threads):
    import cv2

    cv2.setNumThreads(threads)
    size = (2 * case.halo + 1,) * 2
    return lambda: cv2.GaussianBlur(case.image, size, case.sigma, borderType=cv2.BORDER_REFLECT)


def scikit_image(case, _):
    from skimage.filters import gaussian

    def smooth():
        doubles = gaussian(
            case.image,
            case.sigma,
            mode="reflect",
            truncate=3,
            preserve_range=True,
            channel_axis=case.channel_axis,
        )
        doubles += 0.5
        return doubles.astype(np.uint8)

    return smooth


def torch_image(case):
    """(channels, y, x): what torchvision takes."""
    import torch

    image = case.image if case.channel_axis else case.image[..., None]
    return torch.from_numpy(np.ascontiguousarray(image.transpose(2, 0, 1))).cuda()


def ours_torch(case, _):
    image, soften = torch_image(case), smoothimg.Filter(case.sigma, radius=case.halo)
    if case.channel_axis:
        image = image.permute(1, 2, 0).contiguous()
        return lambda: soften(image, axes=(0, 1))
    return lambda: soften(image[0], axes=(0, 1))


def ours_cupy(case, _):
    import cupy

    image, soften = cupy.asarray(case.image), smoothimg.Filter(case.sigma, radius=case.halo)
    return lambda: soften(image, axes=(0, 1))


def cupy_ndimage(case, _):
    import cupy
    from cupyx.scipy import ndimage

    image, sigma = cupy.asarray(case.image), (case.sigma, case.sigma, 0)[: case.image.ndim]
    return lambda: ndimage.gaussian_filter(image, sigma, truncate=3)


def torchvision(case, _):
    from torchvision.transforms.functional import gaussian_blur

    image = torch_image(case)
    return lambda: gaussian_blur(image, [2 * case.halo + 1] * 2, [case.sigma] * 2)


class NppPair(ctypes.Structure):
    """NppiSize, NppiPoint."""

    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int)]


class NppStreamContext(ctypes.Structure):
    """As nppdefs.h declares it."""

    _fields_ = [
        ("stream", ctypes.c_void_p),
        ("device", ctypes.c_int),
        ("processors", ctypes.c_int),
        ("threads_per_processor", ctypes.c_int),
        ("threads_per_block", ctypes.c_int),
        ("shared_bytes_per_block", ctypes.c_size_t),
        ("capability_major", ctypes.c_int),
        ("capability_minor", ctypes.c_int),
        ("stream_flags", ctypes.c_uint),
        ("reserved", ctypes.c_int),
    ]


def npp_context(cupy):
    about = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
    return NppStreamContext(
        cupy.cuda.get_current_stream().ptr,
        cupy.cuda.Device().id,
        about["multiProcessorCount"],
        about["maxThreadsPerMultiProcessor"],
        about["maxThreadsPerBlock"],
        about["sharedMemPerBlock"],
        about["major"],
        about["minor"],
    )


def npp_library():
    for version in (13, 12):
        try:
            return ctypes.CDLL(f"libnppif.so.{version}")
        except OSError as error:
            why = error
    raise ImportError(why)


def npp(case, _):
    import cupy

    image, library, context = cupy.asarray(case.image), npp_library(), npp_context(cupy)
    height, width = image.shape[:2]
    size, corner = NppPair(width, height), NppPair(0, 0)
    taps = np.exp(-0.5 * (np.arange(-case.halo, case.halo + 1) / case.sigma) ** 2)
    taps = cupy.asarray((taps / taps.sum()).astype(np.float32))
    channels = 3 if case.channel_axis else 1
    function = library[f"nppiFilterGaussAdvancedBorder_8u_C{channels}R_Ctx"]
    replicate = 2

    def smooth():
        result = cupy.empty_like(image)
        status = function(
            ctypes.c_void_p(image.data.ptr),
            image.strides[0],
            size,
            corner,
            ctypes.c_void_p(result.data.ptr),
            result.strides[0],
            size,
            taps.size,
            ctypes.c_void_p(taps.data.ptr),
            replicate,
            context,
        )
        if status != 0:
            raise RuntimeError(f"NPP's status is {status}")
        return result

    return smooth


HOST = {
    "smoothimg": ours,
    "OpenCV": opencv,
    "SciPy": scipy,
    "SciPy, double": scipy_double,
    "scikit-image": scikit_image,
}
DEVICE = {
    "smoothimg, PyTorch": ours_torch,
    "smoothimg, CuPy": ours_cupy,
    "CuPy": cupy_ndimage,
    "torchvision": torchvision,
    "NPP": npp,
}
PACKAGES = {
    "OpenCV": ("opencv-python-headless", "opencv-python"),
    "SciPy": ("scipy",),
    "scikit-image": ("scikit-image",),
    "CuPy": ("cupy-cuda13x", "cupy-cuda12x", "cupy"),
    "torchvision": ("torchvision",),
}


def on_host(result, case):
    """As the case's image lies."""
    if hasattr(result, "cpu"):
        result = result.cpu().numpy()
    elif hasattr(result, "get"):
        result = result.get()
    if result.shape != case.image.shape:
        result = result.transpose(1, 2, 0).reshape(case.image.shape)
    return result


def synchronize(name):
    if "orch" in name:
        import torch

        torch.cuda.synchronize()
    elif "CuPy" in name or name == "NPP":
        import cupy

        cupy.cuda.Device().synchronize()


def seconds(name, call, times):
    """Of one call; on a device of many in a row, until it has finished."""
    synchronize(name)
    begin = time.perf_counter()
    for _ in range(times):
        call()
    synchronize(name)
    return (time.perf_counter() - begin) / times


def measure(calls, device):
    """The median of each, in turns."""
    taken = {name: [] for name in calls}
    times = 20 if device else 1
    for _ in range(ROUNDS):
        for name, call in calls.items():
            if len(taken[name]) < 3 or sum(taken[name]) * times < PATIENCE:
                taken[name].append(seconds(name, call, times))
    return {name: statistics.median(all_of) for name, all_of in taken.items()}


def row(case, subjects, threads, device, missing):
    calls, shares = {}, {}
    for name, subject in subjects.items():
        try:
            calls[name] = subject(case, threads)
        except ImportError as error:
            missing[name] = str(error)
            continue
        found = on_host(calls[name](), case)  # and a run that is not timed
        exact = case.exact[EDGE_RULES.get(name, "reflect")]
        shares[name] = np.count_nonzero(found != exact) / exact.size
    for name, median in measure(calls, device).items():
        yield {"name": name, "median_s": median, "share_wrong": shares[name]}


def cell(row, device):
    unit, factor = ("us", 1e6) if device else ("ms", 1e3)
    return f"{row['median_s'] * factor:.3g} {unit} ({row['share_wrong']:.2%})"


def versions():
    for name, packages in PACKAGES.items():
        for package in packages:
            try:
                yield f"{name} {importlib.metadata.version(package)}"
                break
            except importlib.metadata.PackageNotFoundError:
                pass


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--device", action="store_true", help="on a CUDA device, in its memory")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--sizes", default="512x512,1920x1080,4096x4096", help="WIDTHxHEIGHT,...")
    parser.add_argument("--channels", default="1,3", help="1, 3 or both")
    parser.add_argument("--halos", default="1,4,16", help="radii in pixels")
    parser.add_argument("--json", help="a file, of which src/bench/scripts/plot.py makes a picture")
    options = parser.parse_args()
    subjects, missing = DEVICE if options.device else HOST, {}
    about = (
        f"smoothimg {smoothimg.__version__}, {', '.join(versions())}; {platform.machine()}, "
        f"{options.threads} thread{'s' * (options.threads > 1)}"
    )
    document = {"program": "compare.py", "about": about, "groups": []}
    print(f"{about}\n")
    print(f"| size | halo | {' | '.join(subjects)} |\n|{' --- |' * (len(subjects) + 2)}")
    for size in options.sizes.split(","):
        width, height = map(int, size.split("x"))
        for channels in map(int, options.channels.split(",")):
            shape = (height, width, channels)[: 3 if channels > 1 else 2]
            for halo in map(int, options.halos.split(",")):
                rows = list(
                    row(Case(shape, halo), subjects, options.threads, options.device, missing)
                )
                kind = "RGB" if channels > 1 else "grey"
                document["groups"].append({"image": f"{size} {kind}", "halo": halo, "rows": rows})
                cells = {one["name"]: cell(one, options.device) for one in rows}
                print(
                    f"| {size} {kind} | {halo} | "
                    + " | ".join(cells.get(name, "-") for name in subjects)
                    + " |",
                    flush=True,
                )
    for name, why in missing.items():
        print(f"left out: {name}: {why}")
    if options.json:
        Path(options.json).write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
