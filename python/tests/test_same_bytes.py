# SPDX-License-Identifier: MIT
"""Tests that every machine gives the same bytes: compares SHA-256 digests of results with those recorded here. Samples
come from SHAKE-128, since random generators change with versions. --record prints new digests."""

import hashlib
import itertools
import sys
import unittest

import numpy as np

from smoothimg import (
    Filter,
    gaussian_filter,
    gaussian_filter1d,
    gaussian_gradient_magnitude,
    gaussian_laplace,
    reverse,
    transpose,
)

TYPES = ("?", "u1", "i1", "u2", "i2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16")
IMAGES = ("u1", "u2", "f4")

RECORDED = {
    "images u1": "5f7c98c87bd30d0b0bf30fb5f80de33f",
    "images u2": "094443b52885692dd5ded6a66a22fc69",
    "images f4": "e0d86d95b10d6ae11ea6f973326a7c22",
    "calls ?": "4c080d245a0acf28e2953d57709cca85",
    "calls u1": "32779b9a6422f489ac7474b33b80dcde",
    "calls i1": "24fa1bce99a1ce73b454fc875d0ac97f",
    "calls u2": "61abfe0bad7cf65cc6231b0cfff9459d",
    "calls i2": "cc767b41d3b9435bdf00b152bbbc0e7b",
    "calls i4": "390995b4824e9e37b7bbfd6e4e45a3da",
    "calls u4": "52e3016c7a9de5be08bbfd4ba6a1b20c",
    "calls i8": "d9b1eb03869f683c9cbdd2557a50acaa",
    "calls u8": "436e573852711be5b041128374ee8ed0",
    "calls f2": "27ae2709fbb172bf0c33758167e3e954",
    "calls f4": "708b3dbba40c4e7fbf6de5d8f4310c5d",
    "calls f8": "52a2d9f09845799feefdd92366aa5017",
    "calls c8": "8ddfd052faa7cec51fb8c6e5c3dfe9e8",
    "calls c16": "1f664b8b4b29e194b7948fbb5ee2cc5f",
}


def samples(shape, kind):
    """Returns an array of random samples; floats are from 0 to 1."""
    kind = np.dtype(kind)
    size = int(np.prod(shape)) * kind.itemsize
    drawn = np.frombuffer(hashlib.shake_128(f"{shape} {kind.str[1:]}".encode()).digest(size), "u1")
    if kind.kind == "b":
        drawn = drawn & 1
    elif kind.kind in "fc":
        size = kind.itemsize // (2 if kind.kind == "c" else 1)
        fractions = np.ldexp(drawn.view(f"<u{size}").astype("f8"), -8 * size)
        return fractions.astype(f"f{size}").view(kind).reshape(shape)
    return drawn.view(kind.newbyteorder("<")).astype(kind).reshape(shape)


def images(kind):
    for channels in ((), (3,), (4,)):
        image = samples((150, 263, *channels), kind)
        yield transpose(image, axes=(0, 1))
        yield reverse(image, axes=(0, 1))
        for sigma, axes in itertools.product((0.4, 1, 2.5, 7, 30, 90), ((0, 1), (0,), (1,))):
            yield gaussian_filter(image, sigma, axes=axes, mode="nearest")


def calls(kind):
    """Yields results of each function, with every parameter and every type of output."""
    image = samples((5, 6, 7), kind)
    for output in TYPES:
        if output[0] == "c" or kind[0] != "c":
            shared = {"output": output, "cval": -2.5 + 3j if kind[0] == "c" else -2.5}
            named = {"mode": ("wrap", "constant"), "radius": (3, 2), "axes": (2, 0), **shared}
            yield gaussian_filter(image, (0.8, 1.7), (1, 2), **named)
            yield gaussian_laplace(image, (0.5, 1), mode=["mirror", "constant"], axes=(0, -1), **shared)
            yield gaussian_filter1d(image, 1.2, -2, 3, mode="constant", truncate=2, **shared)
            if kind[0] != "c":
                yield gaussian_gradient_magnitude(image, 1, radius=2, **shared)


def digest(arrays):
    """Returns the digest of all arrays' bytes, in little-endian order."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes())
    return found.hexdigest()[:32]


def digests():
    """Yields (name, digest) for each function and type of samples."""
    for function, kinds in ((images, IMAGES), (calls, TYPES)):
        for kind in kinds:
            yield f"{function.__name__} {kind}", digest(function(kind))


class SameBytes(unittest.TestCase):
    def test_recorded(self):
        for name, found in digests():
            with self.subTest(name):
                self.assertEqual(found, RECORDED[name])

    def test_third_of_radius(self):
        """If no sigma is given, it is exactly a third of the radius. For radius 749 this gives other weights than the
        double 749 / 3."""
        row = np.zeros(1501, np.float32)
        row[749:752] = 1, -2, 1
        exact = Filter(radius=749, mode="constant")(row)
        self.assertTrue((exact != gaussian_filter(row, 749 / 3, radius=749, mode="constant")).any())


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        print(*(f'    "{name}": "{found}",' for name, found in digests()), sep="\n")
    else:
        unittest.main()
