# SPDX-License-Identifier: MIT
"""Every machine gives the same bytes: the SHA-256 of results that are recorded here. Samples,
infinities and NaNs among the floats, come from SHAKE-128, so that no generator's version matters.
As a program with the argument --record it prints what to record."""

import hashlib
import itertools
import sys
import unittest
from decimal import Decimal, getcontext

import numpy as np

from smoothimg import (
    MAX_RADIUS,
    Filter,
    gaussian_filter,
    gaussian_filter1d,
    gaussian_gradient_magnitude,
    gaussian_laplace,
    reverse,
    transpose,
)

REAL = ("?", "u1", "i1", "u2", "i2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")
TYPES = (*REAL, "c8", "c16")
IMAGES = ("u1", "u2", "f4")
SHAPES = ((201,), (37, 53), (9, 17, 23), (3, 5, 7, 11))

RECORDED = {
    "smooth ?": "0e6a3870e38868bfef91c8eef6df6781",
    "smooth u1": "0da0a9f7ad232d404b55e4c5103fbf2b",
    "smooth i1": "618349b1f2d6dbfa1990ab40dd2f0176",
    "smooth u2": "e7217bb81f6d87f3a4a54e00618f9322",
    "smooth i2": "d87607496f3f1ae246cdac217fb8c2bc",
    "smooth i4": "ad3a1d10bcb122ca71d17c0d5e72593d",
    "smooth u4": "8b1dc08118e07cadd7133e419fb7865e",
    "smooth i8": "85d587a21f37bcb23a881eb5d255178c",
    "smooth u8": "df6ba424821a8dd9caa7d28ee4d89a4b",
    "smooth f2": "b0998796a3657cea749073ba7e08acd4",
    "smooth f4": "1f6d1c78c747e1db7452356472111336",
    "smooth f8": "8347c9059ee0712510e8b8cc4e1d4df6",
    "smooth c8": "e2130207fde4074f3fcd009797192250",
    "smooth c16": "aa8406cc3cfc5ab0adb882a4367354f5",
    "derivatives ?": "5d78d6ee27cc23c22e1fa1e01ccb1634",
    "derivatives u1": "f8f7f159f5955ee104ef2c6f8f881b1f",
    "derivatives i1": "535a79d45148da7466092ff7c6993523",
    "derivatives u2": "774db9f0ca0f5a9015fd282de3c9f9e0",
    "derivatives i2": "31cc1317710d2ee730b9415674b94821",
    "derivatives i4": "87081231793cccdc18810f5ae5505049",
    "derivatives u4": "519ca71cd75d2f557b224dcbd4aeb447",
    "derivatives i8": "1bd2366dbe2cda83cfa0300fba87f0c2",
    "derivatives u8": "aebad56ac20ff19d64f4661bb54badb0",
    "derivatives f2": "e1cd7c2cf60ca9817cd98b55bbe5fc15",
    "derivatives f4": "6678d3c7705ae51f09519523665daf8f",
    "derivatives f8": "6cd85d40b84f31761cb165a1b8eb9e26",
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
    "hostile f2": "f9b32b4b6e59607feec09699fbc5e147",
    "hostile f4": "d2a36c3a6f4eb778a0348e070c70644f",
    "hostile f8": "c748de0425495cf8208966920caf105c",
    "hostile c8": "5c829df15a4fbc5e6f565b565eb521e9",
    "hostile c16": "e586b302c3158040895d11e433af0702",
}


def samples(shape, kind, hostile=False):
    """Any bytes, but floats from 0 to 1, unless hostile: then of any size, not finite ones too."""
    kind = np.dtype(kind)
    size = int(np.prod(shape)) * kind.itemsize
    drawn = np.frombuffer(hashlib.shake_128(f"{shape} {kind.str[1:]}".encode()).digest(size), "u1")
    if kind.kind == "b":
        drawn = drawn & 1
    elif kind.kind in "fc" and not hostile:
        size = kind.itemsize // (2 if kind.kind == "c" else 1)
        fractions = np.ldexp(drawn.view(f"<u{size}").astype("f8"), -8 * size)
        return fractions.astype(f"f{size}").view(kind).reshape(shape)
    return drawn.view(kind.newbyteorder("<")).astype(kind).reshape(shape)


def smooth(kind):
    for shape, mode in itertools.product(SHAPES, ("reflect", "nearest", "constant")):
        yield gaussian_filter(samples(shape, kind), 1.7, mode=mode)


def derivatives(kind):
    image = samples((40, 61), kind)
    for order in range(5):
        yield gaussian_filter(image, (2, 1.3), order=(order, 0), output="f8")
        yield gaussian_laplace(image, 1 + order / 3, output="f4")
        yield gaussian_gradient_magnitude(image, 1 + order / 3)


def images(kind):
    for channels in ((), (3,), (4,)):
        image = samples((150, 263, *channels), kind)
        yield transpose(image, axes=(0, 1))
        yield reverse(image, axes=(0, 1))
        for sigma, axes in itertools.product((0.4, 1, 2.5, 7, 30, 90), ((0, 1), (0,), (1,))):
            yield gaussian_filter(image, sigma, axes=axes, mode="nearest")


def calls(kind):
    """Every argument, into every type."""
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


def hostile(kind):
    for sigma in (0.5, 3):
        yield gaussian_filter(samples((30, 50), kind, hostile=True), sigma, truncate=2)
    if kind == "f4":
        yield gaussian_filter(samples((30, 50), kind, hostile=True), 1, nan="skip")


def weights_by_a_third(radius):
    """Those at 0 .. radius, in units of 2^-46, of exactly radius / 3."""
    getcontext().prec = 60
    ratio = (-Decimal(9) / (2 * radius**2)).exp()
    densities, step = [Decimal(1)], ratio**2
    for _ in range(radius):
        densities.append(densities[-1] * ratio)
        ratio *= step
    scale = 2**46 / (2 * sum(densities) - 1)
    others = [int(one * scale + Decimal("0.5")) for one in densities[1:]]
    return [2**46 - 2 * sum(others), *others]


def digest(arrays):
    """Of all bytes, little end first."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes())
    return found.hexdigest()[:32]


def digests():
    """(name, digest) of each group."""
    for function, kinds in (
        (smooth, TYPES),
        (derivatives, REAL),
        (images, IMAGES),
        (calls, TYPES),
        (hostile, ("f2", "f4", "f8", "c8", "c16")),
    ):
        for kind in kinds:
            yield f"{function.__name__} {kind}", digest(function(kind))


class SameBytes(unittest.TestCase):
    def test_recorded(self):
        for name, found in digests():
            with self.subTest(name):
                self.assertEqual(found, RECORDED[name])

    def test_third_of_radius(self):
        """As a double it changes weights of radius 749. Of samples 1, -2, 1 the results are the weights'
        second differences, in a column and in a row."""
        for radius in (*range(1, 1025, 31), 749, MAX_RADIUS):
            column = np.zeros((2 * radius + 3, 1), np.float32)
            column[radius : radius + 3, 0] = 1, -2, 1
            centre, *others = weights_by_a_third(radius)
            weights = [0, 0, *others[::-1], centre, *others, 0, 0]
            expected = np.ldexp(np.diff(np.array(weights, np.int64), 2).astype(float), -46)
            for image, radii in ((column, (radius, 0)), (column.T, (0, radius))):
                with self.subTest(radius=radii):
                    soften = Filter(radius=radii, mode="constant")
                    self.assertEqual(soften.sigma, tuple(one / 3 for one in radii))
                    self.assertTrue((soften(image).ravel() == expected.astype("f4")).all())



if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        print(*(f'    "{name}": "{found}",' for name, found in digests()), sep="\n")
    else:
        unittest.main()
