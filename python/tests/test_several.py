# SPDX-License-Identifier: MIT
"""Tests the functions with several results, or several Gaussians in one result."""

import itertools
import sys
import unittest
from fractions import Fraction
from pathlib import Path

import numpy as np
from common import noise

import smoothimg

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "definition"))
import definition_arrays as definition  # noqa: E402

EDGES = {"nearest": "clamp", "constant": "zero"}
NAMES = {"uint8": "u8", "int16": "i16", "float16": "f16", "float32": "f32", "float64": "f64"}


def pairs(count):
    return list(itertools.combinations_with_replacement(range(count), 2))


def defined(array, terms, output, cval):
    """Returns the sum of the terms by the definition. A term is a list of (sigma, order, edge, scale) for each axis."""
    source, target = NAMES[array.dtype.name], NAMES[np.dtype(output).name]
    whole = [[(int(4 * one[0] + 0.5), *one) for one in term] for term in terms]
    numbers = [Fraction(float(one)) for one in array.flat]
    made = definition.filter_array(numbers, array.shape, whole, False, source, target, cval)
    return np.frombuffer(b"".join(made), output).reshape(array.shape)


class Several(unittest.TestCase):
    def same(self, found, expected):
        self.assertEqual((found.shape, found.dtype), (expected.shape, expected.dtype))
        self.assertEqual(found.tobytes(), expected.tobytes())

    def test_definition(self):
        """Tests all edge rules and several types against the definition in fractions."""
        shapes = itertools.cycle([(7,), (4, 5), (3, 2, 4)])
        types = itertools.product(("uint8", "int16", "float32"), ("int16", "float16", "float32", "float64"))
        modes = itertools.cycle(("reflect", "nearest", "mirror", "wrap", "constant"))
        for (source, output), shape, mode in zip(types, shapes, modes):
            array = (noise(shape, np.float32) * 100).astype(source)
            axes, edge = range(len(shape)), EDGES.get(mode, mode)
            named = {"mode": mode, "cval": 3, "output": output}
            with self.subTest(array=array, **named):
                terms = [
                    [(0.6, (a == axis) + (b == axis), edge, 1.0) for axis in axes] for a, b in pairs(len(shape))
                ]
                expected = np.stack([defined(array, [term], output, 3) for term in terms])
                self.same(smoothimg.hessian(array, 0.6, **named), expected)
                low = [(0.5, 0, edge, 1.0) for _ in axes]
                high = [(0.8, 0, edge, 1.0 if axis else -1.0) for axis in axes]
                expected = defined(array, [low, high], output, 3)
                self.same(smoothimg.difference_of_gaussians(array, 0.5, 0.8, **named), expected)

    def test_one_by_one(self):
        """Compares results with the results of gaussian_filter: for several layouts, for complex samples, and for an
        array so large that the package checks for Ctrl-C between the pieces of the call."""
        volume = np.moveaxis(noise((40, 90, 70), np.uint16), 0, 2)[::-1, ::2]
        for array in (volume, volume[0] + 1j * volume[1], np.asfortranarray(noise((400, 300, 50)))):
            second = [[along.count(axis) for axis in range(array.ndim)] for along in pairs(array.ndim)]
            output = np.result_type(array, np.float32)
            expected = [smoothimg.gaussian_filter(array, 1, order, output) for order in second]
            self.same(smoothimg.hessian(array, 1), np.stack(expected))
            self.same(smoothimg.hessian(array, 0), np.stack([array.astype(output)] * len(second)))
            sigmas = [1, (2, 0, 3)[: array.ndim]]
            expected = np.stack([smoothimg.gaussian_filter(array, sigma, mode="wrap") for sigma in sigmas])
            self.same(smoothimg.gaussian_filters(array, sigmas, mode="wrap"), expected)
            gaps = np.zeros((2, *array.shape, 2), array.dtype)[..., 1]
            self.assertIs(smoothimg.gaussian_filters(array, sigmas, gaps, "wrap"), gaps)
            self.same(gaps.copy(), expected)

    def test_structure_tensor(self):
        array = noise((12, 13, 14), np.float32)
        for output, products, axes in ((None, None, None), ("f4", "f8", (0, 2)), ("i2", None, 1)):
            tensor = smoothimg.structure_tensor(array, 1, 2, output, axes=axes, products=products)
            along = [0, 1, 2] if axes is None else np.atleast_1d(axes).tolist()
            kind = products or ("f8" if output == "i2" else "f4")
            slopes = [
                smoothimg.gaussian_filter(array, 1, [int(one == axis) for one in along], kind, axes=along)
                for axis in along
            ]
            expected = [
                smoothimg.gaussian_filter(slopes[a] * slopes[b], 2, 0, output, axes=along) for a, b in pairs(len(along))
            ]
            self.same(tensor, np.stack(expected))
            given = np.empty_like(tensor)
            self.assertIs(smoothimg.structure_tensor(array, 1, 2, given, axes=axes, products=products), given)
            self.same(given, tensor)

    def test_refusals(self):
        array = np.zeros((4, 5))
        for error, words, call in (
            (ValueError, "high_sigma", lambda: smoothimg.difference_of_gaussians(array, 2, 1)),
            (ValueError, "sigmas", lambda: smoothimg.gaussian_filters(array, 2)),
            (ValueError, "at least one", lambda: smoothimg.hessian(array, 2, axes=())),
            (ValueError, "shape", lambda: smoothimg.hessian(array, 2, np.zeros((2, 4, 5)))),
            (NotImplementedError, "complex", lambda: smoothimg.structure_tensor(array + 1j, 1, 1)),
            (TypeError, "floats", lambda: smoothimg.structure_tensor(array, 1, 1, products="i2")),
        ):
            self.assertRaisesRegex(error, words, call)


if __name__ == "__main__":
    unittest.main()
