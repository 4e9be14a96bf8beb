#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sharpens a blurred photograph by gradient descent through the blur, with PyTorch: deblur.py --device cpu|cuda

The blur and its gradient round each sample once. The other operations on samples also round in a defined way. So the
image after twenty steps has the same bits in every run, on every processor and GPU; the hash in the last line of the
output shows this. (The printed losses are sums, whose last digits depend on the order in which PyTorch adds.)
"""

import argparse
import hashlib

import torch

import smoothimg.torch

STEPS, RATE = 20, 1.5


def photograph(dtype):
    """Returns two images of 3 channels, as a tensor with the axes N C H W. They show squares of many sizes and grey
    levels."""
    rows, columns = torch.meshgrid(torch.arange(120), torch.arange(160), indexing="ij")
    sides = torch.tensor([3, 5, 9, 14, 23, 37]).reshape(2, 3, 1, 1)
    return ((rows // sides * 7 + columns // sides * 3) % 8).to(dtype) / 8


def blur(images):
    return smoothimg.torch.gaussian_filter(images, sigma=2, mode="nearest", axes=(-2, -1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", help="cpu (the default) or cuda")
    parser.add_argument("--dtype", default="float32", choices=["float32", "float64"])
    options = parser.parse_args()
    sharp = photograph(getattr(torch, options.dtype)).to(options.device)
    blurred = blur(sharp)
    images = blurred.clone().requires_grad_()
    for step in range(STEPS):
        loss = (blur(images) - blurred).square().sum() / 2
        loss.backward()
        with torch.no_grad():
            images -= RATE * images.grad
        images.grad = None
        print(f"step {step + 1:2}: loss {loss.item():.4f}")
    before, after = (
        (one - sharp).square().mean().sqrt().item() for one in (blurred, images.detach())
    )
    print(f"distance to the sharp images: {before:.4f} before, {after:.4f} after")
    print("sha256", hashlib.sha256(images.detach().cpu().numpy().tobytes()).hexdigest()[:16])


if __name__ == "__main__":
    main()
