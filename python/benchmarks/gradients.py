#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times smoothimg's Gaussian filter and its gradient in PyTorch, beside those of torchvision and kornia.

Every library gets the same images, N x C x H x W of float32, with the same sigma and radius, and the edge rule
"mirror", which torchvision and kornia call reflect. smoothimg is also timed with "reflect", its default. A cell of the
table has the milliseconds of the forward and of the backward pass. In brackets are the share of the result's samples
and the share of the gradient's samples that differ from smoothimg's, which are the exact ones, rounded; smoothimg's own
cells have no brackets. compare.py says how the time is taken.
"""

import argparse
import contextlib
import itertools

import torch
from compare import listed, measure, processor, versions

import smoothimg
import smoothimg.torch

SUBJECTS = ("smoothimg", "smoothimg, reflect", "torchvision", "kornia")


def ours(radius, mode):
    options = {"mode": mode, "radius": radius, "axes": (-2, -1)}
    return lambda images: smoothimg.torch.gaussian_filter(images, radius / 3, **options)


def filters_of(radius):
    """Returns {subject: its filter} for the libraries that are installed."""
    found = {"smoothimg": ours(radius, "mirror"), "smoothimg, reflect": ours(radius, "reflect")}
    sizes, sigmas = [2 * radius + 1] * 2, [radius / 3] * 2
    with contextlib.suppress(ImportError):
        from torchvision.transforms.functional import gaussian_blur

        found["torchvision"] = lambda images: gaussian_blur(images, sizes, sigmas)
    with contextlib.suppress(ImportError):
        from kornia.filters import gaussian_blur2d

        found["kornia"] = lambda images: gaussian_blur2d(images, tuple(sizes), tuple(sigmas))
    return found


def timed(calls, device):
    """Returns the median milliseconds of each call. The names contain "PyTorch" for calls on a device, since compare.py
    then waits for the device."""
    named = {f"PyTorch {i}" if device else str(i): call for i, call in enumerate(calls)}
    return [median * 1e3 for median, _ in measure(named).values()]


def row(images, radius, device):
    """Returns {subject: its cell}."""
    incoming = torch.randn_like(images)
    filters = filters_of(radius)
    results = {name: blur(images) for name, blur in filters.items()}

    def derive(name):
        return torch.autograd.grad(results[name], images, incoming, retain_graph=True)[0]

    forward = timed([lambda blur=blur: blur(images.detach()) for blur in filters.values()], device)
    backward = timed([lambda name=name: derive(name) for name in filters], device)
    exact = (results["smoothimg"], derive("smoothimg"))
    cells = {}
    for name, *times in zip(filters, forward, backward):
        pairs = zip((results[name], derive(name)), exact)
        wrong = ["{:.2g} %".format((a != b).double().mean().item() * 100) for a, b in pairs]
        shares = "" if name.startswith("smoothimg") else f" ({', '.join(wrong)})"
        cells[name] = "{:.3g}, {:.3g}".format(*times) + shares
    return cells


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--device", action="store_true", help="on a CUDA device, in its memory")
    parser.add_argument("--threads", type=int, default=1, help="on the host (1)")
    lists = {"--shapes": "1x1x512x512,8x3x256x256,1x3x1080x1920", "--radii": "1,4,8"}
    for name, default in lists.items():
        parser.add_argument(name, nargs="+", default=[default], help=default)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    smoothimg.set_threads(options.threads)
    print(
        f"smoothimg {smoothimg.__version__}, PyTorch {torch.__version__}, {', '.join(versions())}"
    )
    print(f"{processor(options.device)}; milliseconds forward, backward\n")
    print(f"| N x C x H x W | radius | {' | '.join(SUBJECTS)} |")
    print("|" + " --- |" * (len(SUBJECTS) + 2))
    for shape, radius in itertools.product(listed(options.shapes), map(int, listed(options.radii))):
        device = "cuda" if options.device else "cpu"
        images = torch.rand(*map(int, shape.split("x")), device=device, requires_grad=True)
        cells = row(images, radius, options.device)
        print(f"| {shape} | {radius} | {' | '.join(cells.get(n, '-') for n in SUBJECTS)} |")


if __name__ == "__main__":
    main()
