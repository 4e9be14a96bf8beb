#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times the smoothing and the derivatives of volumes, beside SciPy and scikit-image, or with --device beside CuPy.

Every library gets the same volume, sigma and radius, and the edge rule "nearest". A Hessian is one call of smoothimg,
one of scikit-image's hessian_matrix, and with SciPy or CuPy a call of gaussian_filter for each of its six results.
SciPy and scikit-image use one thread, smoothimg uses --threads threads. compare.py says how the time is taken. The last
column is the time of the quickest other library divided by smoothimg's time.
"""

import argparse
import contextlib
import itertools

import numpy as np
from compare import HOST, listed, measure, processor, versions

import smoothimg

OPERATIONS = ("smooth", "laplace", "magnitude", "hessian")
ORDERS = ((2, 0, 0), (1, 1, 0), (1, 0, 1), (0, 2, 0), (0, 1, 1), (0, 0, 2))


def volume_of(side, kind):
    """Returns a volume of noise. Its samples are not negative, except that for kinds such as "float32+-" they have both
    signs."""
    random = np.random.default_rng(1)
    if kind.startswith("uint"):
        return random.integers(0, np.iinfo(kind).max, (side,) * 3, kind, endpoint=True)
    samples = random.random((side,) * 3, np.float32).astype(kind.removesuffix("+-"))
    return samples - 0.5 if kind.endswith("+-") else samples


def ours(volume, operation, sigma, threads):
    options = {"mode": "nearest", **({"threads": threads} if threads else {})}
    function = {
        "smooth": smoothimg.gaussian_filter,
        "laplace": smoothimg.gaussian_laplace,
        "magnitude": smoothimg.gaussian_gradient_magnitude,
        "hessian": smoothimg.hessian,
    }[operation]
    return lambda: function(volume, sigma, **options)


def by(ndimage, volume, operation, sigma):
    """Returns a function without parameters that does the operation by SciPy's or CuPy's functions."""
    functions = {
        "smooth": ndimage.gaussian_filter,
        "laplace": ndimage.gaussian_laplace,
        "magnitude": ndimage.gaussian_gradient_magnitude,
    }
    if operation == "hessian":
        smooth = functions["smooth"]
        return lambda: [smooth(volume, sigma, order=order, mode="nearest") for order in ORDERS]
    return lambda: functions[operation](volume, sigma, mode="nearest")


def calls_of(volume, operation, sigma, threads, device):
    """Returns {library: a function without parameters that does the operation}."""
    if device:
        import cupy
        from cupyx.scipy import ndimage

        there = cupy.asarray(volume)
        return {
            "smoothimg, CuPy": ours(there, operation, sigma, None),
            "CuPy": by(ndimage, there, operation, sigma),
        }
    from scipy import ndimage

    calls = {"smoothimg": ours(volume, operation, sigma, threads)}
    calls["SciPy"] = by(ndimage, volume, operation, sigma)
    if operation == "hessian" and volume.dtype.kind == "f":
        options = {"sigma": sigma, "mode": "nearest", "use_gaussian_derivatives": True}
        with contextlib.suppress(ImportError):
            from skimage.feature import hessian_matrix

            calls["scikit-image"] = lambda: hessian_matrix(volume, **options)
    return calls


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--device", action="store_true", help="on a CUDA device, in its memory")
    parser.add_argument("--threads", type=int, default=1, help="of smoothimg on the host (1)")
    parser.add_argument("--side", type=int, default=128, help="samples of a side (128)")
    lists = {
        "--types": "float32,float32+-,uint16,float64",
        "--operations": ",".join(OPERATIONS),
        "--sigmas": "1,2,5",
    }
    for name, default in lists.items():
        parser.add_argument(name, nargs="+", default=[default], help=default)
    options = parser.parse_args()
    others = ("CuPy",) if options.device else ("SciPy", "scikit-image")
    subjects = ("smoothimg, CuPy" if options.device else next(iter(HOST)), *others)
    print(f"smoothimg {smoothimg.__version__}, {', '.join(versions())}; {processor(options.device)}")
    print(f"{options.side}^3, milliseconds\n")
    print(f"| volume | operation | sigma | {' | '.join(subjects)} | ratio |")
    print("|" + " --- |" * (len(subjects) + 4))
    for kind, operation, sigma in itertools.product(
        listed(options.types), listed(options.operations), map(float, listed(options.sigmas))
    ):
        volume = volume_of(options.side, kind)
        calls = calls_of(volume, operation, sigma, options.threads, options.device)
        taken = {name: median for name, (median, _) in measure(calls).items()}
        cells = [f"{taken[name] * 1e3:.3g}" if name in taken else "-" for name in subjects]
        ratio = min(taken[name] for name in others if name in taken) / taken[subjects[0]]
        print(f"| {kind} | {operation} | {sigma:g} | {' | '.join(cells)} | {ratio:.2g} |", flush=True)


if __name__ == "__main__":
    main()
