#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times Gaussian filters for arrays from Python, and counts samples that differ from smoothimg's.

On the host it compares SciPy (with results of the image's type, and with doubles that are then rounded), OpenCV and
scikit-image. With --device it compares, on a CUDA device, CuPy, torchvision, and NPP, which it calls by ctypes. The
script names libraries that are not installed, and leaves them out.

Every library gets the same image, sigma and radius, and the edge rule "reflect". torchvision has only the rule
"mirror", and NPP only "nearest"; their samples are compared with smoothimg's samples by the same rule. smoothimg and
OpenCV use --threads threads; the other libraries use one. The libraries take turns; the first call of a turn is not
timed. A cell of the printed table has the median time of a call into a new array, or with --out into an existing one.
On a device, calls follow each other without waiting, and a second number in the cell is the time to enqueue a call. The
share of samples that differ is in brackets.
"""

import argparse
import contextlib
import ctypes
import importlib.metadata
import itertools
import json
import os
import platform
import statistics
import time
from pathlib import Path

import numpy as np

import smoothimg

ROUNDS = 15  # turns of each library for an image
TURN = 0.01  # seconds: a turn makes calls until this time has passed, but at most 20 calls
REST = 0.002  # seconds before a turn, in which the previous library's threads fall asleep
EDGE_RULES = {"torchvision": "mirror", "NPP": "nearest"}  # all other libraries use "reflect"
PATIENCE = 1  # seconds: when a library has had three turns with an image and this much time, it gets no more turns


class Case:
    def __init__(self, shape, halo, sample, into):
        random = np.random.default_rng(1)
        self.is_float = sample == "float32"
        self.image = (
            random.random(shape, np.float32)
            if self.is_float
            else random.integers(0, 256, shape, np.uint8)
        )
        self.halo, self.sigma = halo, halo / 3
        self.into = into  # True: results go into an existing array
        self.channel_axis = 2 if len(shape) == 3 else None
        self.exact = {
            mode: smoothimg.Filter(self.sigma, radius=halo, mode=mode)(self.image, axes=(0, 1))
            for mode in ("reflect", "mirror", "nearest")
        }

    def target(self, like, name):
        """Returns {name: a copy of `like`}, the keyword argument for the output, if results go into an existing array;
        else no arguments."""
        return {name: like.copy()} if self.into else {}

    def sigmas(self):
        return (self.sigma, self.sigma, 0)[: self.image.ndim]


# Each function in the tables HOST and DEVICE below returns a function that filters the case's image by one library, and
# raises ImportError if that library is not installed. The parameters of each function are the case and the number of
# threads.


def ours(case, threads):
    soften = smoothimg.Filter(case.sigma, radius=case.halo)
    target = case.target(case.image, "out")
    return lambda: soften(case.image, axes=(0, 1), threads=threads, **target)


def scipy(case, _):
    from scipy import ndimage

    target = case.target(case.image, "output")
    return lambda: ndimage.gaussian_filter(case.image, case.sigmas(), radius=case.halo, **target)


def rounded(doubles, case):
    if case.is_float:
        return doubles.astype(np.float32)
    doubles += 0.5
    return doubles.astype(np.uint8)  # truncates: together with the 0.5 that was added, this rounds


def scipy_double(case, _):
    from scipy import ndimage

    options = {"radius": case.halo, "output": np.float64}
    return lambda: rounded(ndimage.gaussian_filter(case.image, case.sigmas(), **options), case)


def opencv(case, threads):
    import cv2

    cv2.setNumThreads(threads)
    size = (2 * case.halo + 1,) * 2
    options = {"borderType": cv2.BORDER_REFLECT, **case.target(case.image, "dst")}
    return lambda: cv2.GaussianBlur(case.image, size, case.sigma, **options)


def scikit_image(case, _):
    from skimage.filters import gaussian

    options = {
        "mode": "reflect",
        "truncate": 3,
        "preserve_range": True,
        "channel_axis": case.channel_axis,
    }
    return lambda: rounded(gaussian(case.image, case.sigma, **options), case)


def torch_image(case):
    """Returns the image as (channels, y, x), as torchvision takes it."""
    import torch

    image = case.image if case.channel_axis else case.image[..., None]
    return torch.from_numpy(np.ascontiguousarray(image.transpose(2, 0, 1))).cuda()


def ours_torch(case, _):
    image, soften = torch_image(case), smoothimg.Filter(case.sigma, radius=case.halo)
    image = image.permute(1, 2, 0).contiguous() if case.channel_axis else image[0]
    target = {"out": image.clone()} if case.into else {}
    return lambda: soften(image, axes=(0, 1), **target)


def ours_cupy(case, _):
    import cupy

    image, soften = cupy.asarray(case.image), smoothimg.Filter(case.sigma, radius=case.halo)
    target = case.target(image, "out")
    return lambda: soften(image, axes=(0, 1), **target)


def cupy_ndimage(case, _):
    import cupy
    from cupyx.scipy import ndimage

    image = cupy.asarray(case.image)
    options = {"truncate": 3, **case.target(image, "output")}
    return lambda: ndimage.gaussian_filter(image, case.sigmas(), **options)


def torchvision(case, _):
    from torchvision.transforms.functional import gaussian_blur

    image = torch_image(case)
    return lambda: gaussian_blur(image, [2 * case.halo + 1] * 2, [case.sigma] * 2)


class NppPair(ctypes.Structure):
    """NppiSize or NppiPoint of nppdefs.h."""

    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int)]


class NppStreamContext(ctypes.Structure):
    """NppStreamContext of nppdefs.h."""

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
    kind = "32f" if case.is_float else "8u"
    function = library[f"nppiFilterGaussAdvancedBorder_{kind}_C{channels}R_Ctx"]
    replicate = 2
    there = cupy.empty_like(image)

    def smooth():
        result = there if case.into else cupy.empty_like(image)
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
    "kornia": ("kornia",),
}


def on_host(result, case):
    """Returns a result, which may be on a device, as a NumPy array with the shape of the case's image."""
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


def turn(name, call):
    """Returns two mean times of a call in seconds: until its work on a device is done, and until the call returns."""
    time.sleep(REST)
    call()
    synchronize(name)
    begin, calls = time.perf_counter(), 0
    while calls == 0 or calls < 20 and time.perf_counter() - begin < TURN:
        call()
        calls += 1
    enqueued = time.perf_counter()
    synchronize(name)
    return (time.perf_counter() - begin) / calls, (enqueued - begin) / calls


def measure(calls):
    """Returns, for each library, the medians of the two times that turn() returns."""
    taken = {name: [] for name in calls}
    spent = dict.fromkeys(calls, 0.0)
    for _ in range(ROUNDS):
        for name, call in calls.items():
            if len(taken[name]) < 3 or spent[name] < PATIENCE:
                begin = time.perf_counter()
                taken[name].append(turn(name, call))
                spent[name] += time.perf_counter() - begin
    return {
        name: [statistics.median(some) for some in zip(*turns, strict=True)]
        for name, turns in taken.items()
    }


def row(case, subjects, threads, device, missing):
    calls, shares = {}, {}
    for name, subject in subjects.items():
        try:
            calls[name] = subject(case, threads)
        except ImportError as error:
            missing[name] = str(error)
            continue
        found = on_host(calls[name](), case)  # the library's first call, which is not timed
        exact = case.exact[EDGE_RULES.get(name, "reflect")]
        shares[name] = np.count_nonzero(found != exact) / exact.size
    for name, (median, enqueue) in measure(calls).items():
        its = {"name": name, "median_s": median, "share_wrong": shares[name]}
        yield {**its, "enqueue_s": enqueue} if device else its


def cell(row):
    """Formats the result of a library: "0.52 ms (88 %)" is the median and the share of wrong samples; in "45 us, 9
    (0)", 9 is the time in microseconds to enqueue a call on a device."""
    enqueue = f", {row['enqueue_s'] * 1e6:.2g}" if "enqueue_s" in row else ""
    unit, factor = ("us", 1e6) if enqueue else ("ms", 1e3)
    share = f"{row['share_wrong'] * 100:.2g}"
    return f"{row['median_s'] * factor:.3g} {unit}{enqueue} ({share + ' %' if share != '0' else 0})"


def processor(device):
    """Returns the names of the device, if any, and of the processor."""
    name = platform.processor() or platform.machine()
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    with contextlib.suppress(ImportError):
        if device:
            import cupy

            name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode() + ", " + name
    return f"{name} ({platform.machine()})"


def versions():
    for name, packages in PACKAGES.items():
        for package in packages:
            try:
                yield f"{name} {importlib.metadata.version(package)}"
                break
            except importlib.metadata.PackageNotFoundError:
                pass


def listed(words):
    """Returns the entries of an option as a list. `words` are the option's words; a word may be several entries with
    commas between them."""
    return ",".join(words).split(",")


def cases(options):
    """Yields the name, halo and Case of each combination of the options."""
    for size, sample, channels, halo in itertools.product(
        listed(options.sizes),
        listed(options.types),
        map(int, listed(options.channels)),
        map(int, listed(options.halos)),
    ):
        width, height = map(int, size.split("x"))
        shape = (height, width, channels)[: 3 if channels > 1 else 2]
        name = f"{size} {'RGB' if channels > 1 else 'grey'}{' float32' * (sample == 'float32')}"
        yield name, halo, Case(shape, halo, sample, options.out)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--device", action="store_true", help="on a CUDA device, in its memory")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    lists = {
        "--sizes": ("64x64,512x512,1920x1080,4096x4096", "width x height"),
        "--types": ("uint8,float32", "of samples"),
        "--channels": ("1,3", "of a pixel"),
        "--halos": ("1,4,16", "radii in pixels"),
    }
    for name, (default, about) in lists.items():
        parser.add_argument(name, nargs="+", default=[default], help=f"{about}: {default}")
    parser.add_argument("--out", action="store_true", help="results go into an array that is there")
    parser.add_argument("--json", help="a file, of which src/bench/scripts/plot.py makes a picture")
    options = parser.parse_args()
    subjects, missing = DEVICE if options.device else HOST, {}
    about = (
        f"smoothimg {smoothimg.__version__}, {', '.join(versions())}; {processor(options.device)}, "
        f"{options.threads} thread{'s' * (options.threads > 1)}"
    )
    document = {"program": "compare.py", "about": about, "groups": []}
    print(f"{about}\n")
    print(f"| image | halo | {' | '.join(subjects)} |\n|{' --- |' * (len(subjects) + 2)}")
    for name, halo, case in cases(options):
        rows = list(row(case, subjects, options.threads, options.device, missing))
        document["groups"].append({"image": name, "halo": halo, "rows": rows})
        cells = {one["name"]: cell(one) for one in rows}
        line = " | ".join(cells.get(subject, "-") for subject in subjects)
        print(f"| {name} | {halo} | {line} |", flush=True)
    for name, why in missing.items():
        print(f"left out: {name}: {why}")
    if options.json:
        Path(options.json).write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
