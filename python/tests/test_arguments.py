# SPDX-License-Identifier: MIT
"""Tests that invalid arguments raise an exception whose message says what is valid."""

import inspect
import itertools
import unittest

import numpy as np
from common import noise

import smoothimg
from smoothimg import Filter, gaussian_filter

IMAGE = noise((12, 14))
STACK = noise((6, 7, 3))
FLOATS = noise((6, 7), np.float32)

# Values of wrong types: NO_NUMBER, NO_INTEGER and NO_WORD are wrong for parameters that take a number, an integer and a
# string. A list has one value for each axis.
NO_NUMBER = ("a", "2", b"2", 1j, object(), ["a", 1], [[1, 2], 3])
NO_INTEGER = (2.5, *NO_NUMBER)
NO_WORD = (3, 2.5, True, b"sum", object())

SCIPY = "smooth line laplace magnitude"
# (functions of FUNCTIONS, parameter, words that the message contains, values of a wrong type, values out of range)
WRONG = (
    (
        f"{SCIPY} make",
        "sigma",
        "0 or more pixels",
        ([None, 1], *NO_NUMBER),
        (-1, 10**400, float("inf"), float("nan")),
    ),
    # As in SciPy, a radius of 2.5 raises a ValueError, not a TypeError.
    (
        f"{SCIPY} make",
        "radius",
        "0 to 1024 pixels, an integer",
        NO_NUMBER,
        (2.5, -1, 1025, 10**30, (2, -1)),
    ),
    (f"{SCIPY} make", "truncate", "0 or more", (None, *NO_NUMBER), (-2, float("nan"), 10**400)),
    (
        f"{SCIPY} make",
        "mode",
        "pass one of nearest, reflect",
        (None, [3, 3], *NO_WORD),
        ("clamp", ""),
    ),
    ("smooth make", "nan", "pass one of propagate, skip", (None, ["skip"], *NO_WORD), ("Skip", "")),
    ("make", "norm", "pass one of sum, analytic", (None, ["sum"], *NO_WORD), ("l2", "")),
    ("make", "alpha", "True or False", (None, 0, 1, "no", [True, True], np.array([1, 2])), ()),
    ("smooth line make", "order", "0 to 2147483647, an integer", (None, *NO_INTEGER), (-1, (0, -2), 2**31, 10**30)),
    (f"{SCIPY} make", "cval", "a number", (None, "a", "2", b"2", object(), ["a", 1], [1, 2]), (10**400,)),
    ("smooth laplace magnitude call transpose reverse", "axes", "an integer", NO_INTEGER, ()),
    ("line", "axis", "an integer", (None, (0, 1), *NO_INTEGER), ()),
    (f"{SCIPY} call transpose reverse", "threads", "1 to 1024, or 0", NO_INTEGER, (-1, 1025)),
    (SCIPY, "output", "an array, or a type", (3, "uint7", [1, 2]), ()),
)
# {name: (function, arguments with which it can be called)}
FUNCTIONS = {
    "smooth": (gaussian_filter, {"input": IMAGE, "sigma": 1}),
    "line": (smoothimg.gaussian_filter1d, {"input": IMAGE, "sigma": 1}),
    "laplace": (smoothimg.gaussian_laplace, {"input": IMAGE, "sigma": 1}),
    "magnitude": (smoothimg.gaussian_gradient_magnitude, {"input": IMAGE, "sigma": 1}),
    "make": (Filter, {"sigma": 1}),
    "call": (Filter(1).__call__, {"image": IMAGE}),
    "transpose": (smoothimg.transpose, {"image": IMAGE}),
    "reverse": (smoothimg.reverse, {"image": IMAGE}),
}


def call_of(name, **named):
    function, usual = FUNCTIONS[name]
    return function(**{**usual, **named})


class Arguments(unittest.TestCase):
    def refused(self, kind, words, call, *positional, **named):
        with self.assertRaises(kind) as caught:
            call(*positional, **named)
        self.assertIs(type(caught.exception), kind)
        self.assertIn(words, str(caught.exception))

    def test_types_of_samples(self):
        others = (object, "U3", "S3", "M8[s]", "V2", [("r", "u1"), ("g", "u1")])
        for dtype in (*others, np.longdouble, np.clongdouble):
            for call in (
                lambda image: gaussian_filter(image, 1),
                lambda image: smoothimg.gaussian_laplace(image, 1),
                lambda image: gaussian_filter(np.zeros((3, 3)), 1, output=image),
                Filter(1),
                smoothimg.transpose,
                smoothimg.reverse,
            ):
                self.refused(TypeError, "pass bool, integers", call, np.zeros((3, 3), dtype))

    def test_no_arrays(self):
        """Functions accept lists as arrays, as SciPy does, and refuse other objects."""
        for call in (lambda given: gaussian_filter(given, 1), Filter(1), smoothimg.reverse):
            for given in (None, "image.png", object()):
                self.refused(TypeError, "samples of type", call, given)
            self.refused(ValueError, "inhomogeneous", call, [[1, 2], [3]])
            found = call(IMAGE.tolist())
            self.assertEqual(found.dtype, np.int64)
            self.assertTrue((found == call(IMAGE)).all())
        self.assertTrue((Filter(1)(list(IMAGE)) == gaussian_filter(IMAGE, 1)).all())

    def test_number_of_axes(self):
        for image in (IMAGE, STACK, IMAGE[0], np.uint8(7)):
            self.assertTrue((Filter(1)(image) == gaussian_filter(image, 1)).all())
            self.assertTrue((smoothimg.reverse(image, axes=None) == np.flip(image)).all())
        self.refused(ValueError, "the array has 0 axes", smoothimg.reverse, np.uint8(1))

    def test_axes(self):
        """The arrays have two axes. Each function accepts the axes -2 and -1 as other names of 0 and 1, and refuses -3
        and 2."""
        for call in (row for row in FUNCTIONS if row != "make"):
            def along(axis, call=call):
                axes = (axis, 1 - axis % 2) if call == "transpose" else axis
                return call_of(call, **{"axis" if call == "line" else "axes": axes})

            for axis in (0, 1):
                self.assertTrue((along(axis - 2) == along(axis)).all(), (call, axis))
            for axis in (-3, 2):
                self.refused(ValueError, f"axis {axis} is out of range", along, axis)
        self.refused(ValueError, "must be unique", gaussian_filter, IMAGE, 1, axes=(1, -1))
        for axes in ((0,), (0, 1, 2), None):
            self.refused(ValueError, "has to be two", smoothimg.transpose, STACK, axes=axes)

    def test_wrong_types_and_values(self):
        """The message names the parameter, the given value and the valid values."""
        for calls, name, allowed, types, values in WRONG:
            given = [(TypeError, one) for one in types] + [(ValueError, one) for one in values]
            for call, (kind, value) in itertools.product(calls.split(), given):
                if call == "line" and name != "axis" and isinstance(value, (list, tuple)):
                    continue  # gaussian_filter1d takes lists of one entry only, see test_lengths
                with self.subTest(call=call, name=name, value=value):
                    with self.assertRaises(kind) as caught:
                        call_of(call, **{name: value})
                    self.assertIs(type(caught.exception), kind)
                    entries = value if isinstance(value, (list, tuple)) else [value]
                    shown = [f"{name} is {one!r}" for one in (value, *entries)]
                    shown += [f"{name} is {one}.0" for one in entries if type(one) is int]
                    words = str(caught.exception)
                    self.assertTrue(words.startswith(tuple(shown)), words)
                    self.assertIn(allowed, words)

    def test_every_parameter_is_tried(self):
        tried = {(call, row[1]) for row in WRONG for call in row[0].split()}
        arrays = {"input", "image", "out"}  # tested by test_no_arrays and test_output
        for call, (function, _) in FUNCTIONS.items():
            for name in set(inspect.signature(function).parameters) - arrays:
                self.assertIn((call, name), tried)

    def test_numbers_of_numpy(self):
        expected = gaussian_filter(IMAGE, 2.0, radius=5)
        for sigma in (np.float32(2), np.int8(2), np.array(2.0), np.array([2.0, 2]), [2, 2]):
            for radius in (np.uint8(5), np.array(5), np.array([5, 5])):
                found = gaussian_filter(IMAGE, sigma, radius=radius)
                self.assertTrue((found == expected).all())
                self.assertTrue((Filter(sigma, radius=radius)(IMAGE) == expected).all())

    def test_neither(self):
        self.refused(ValueError, "a sigma, or a radius", Filter)

    def test_lengths(self):
        """A list with a wrong number of entries raises a RuntimeError, as in SciPy."""
        for name, value in (("sigma", 1), ("order", 0), ("mode", "wrap"), ("radius", 2)):
            for length, axes in ((3, None), (1, None), (2, 0)):
                words = f"{name} has {length} entries, and {2 if axes is None else 1} axes"
                given = {"sigma": 1, name: [value] * length}
                self.refused(RuntimeError, words, gaussian_filter, IMAGE, axes=axes, **given)
                self.refused(RuntimeError, words, Filter(**given), IMAGE, axes=axes)

    def test_radius(self):
        self.refused(ValueError, "a radius of 1200", gaussian_filter, IMAGE, 300)
        self.refused(ValueError, "a radius of 1e+200", gaussian_filter, IMAGE, 1e200, truncate=1)
        self.assertEqual(smoothimg.MAX_RADIUS, 1024)

    def test_mode_cval(self):
        modes = ("wrap", "mirror")
        pixels = STACK.copy()
        pixels[..., -1] = 9
        found = Filter(1, mode=modes, alpha=True)(pixels)
        self.assertTrue((found == Filter(1, mode=modes)(pixels, axes=(0, 1))).all())
        self.assertTrue(
            (Filter(1, mode=modes)(IMAGE) == gaussian_filter(IMAGE, 1, mode=modes)).all()
        )
        for mode in ("reflect", "constant"):
            words = "cval is 1j; the array's samples are real"
            self.refused(TypeError, words, gaussian_filter, IMAGE, 1, mode=mode, cval=1j)
            gaussian_filter(IMAGE.astype(complex), 1, mode=mode, cval=1j)
        laplace = smoothimg.gaussian_laplace
        for cval in (float("inf"), float("nan")):
            named = {"mode": "constant", "cval": cval}
            self.refused(ValueError, "has to be finite for", gaussian_filter, IMAGE, 1, **named)
            gaussian_filter(IMAGE, 1, mode="wrap", cval=cval)
            named["mode"] = ("constant", "wrap")
            words = "finite where a term has another mode"
            self.refused(NotImplementedError, words, laplace, FLOATS, 1, **named)

    def test_nan(self):
        for image, named, words in (
            (FLOATS, {"order": 1}, "there are no derivatives"),
            (FLOATS.astype(complex), {}, "samples have to be real"),
        ):
            self.refused(
                NotImplementedError, words, gaussian_filter, image, 1, nan="skip", **named
            )
        gaussian_filter(STACK, 1, nan="skip")
        self.refused(NotImplementedError, "one of these", Filter, 1, nan="skip", alpha=True)

    def test_complex_magnitude(self):
        magnitude, image = smoothimg.gaussian_gradient_magnitude, IMAGE.astype(complex)
        magnitude(image, 1, mode="constant", cval=1)
        words = "of complex samples is not defined"
        self.refused(NotImplementedError, words, magnitude, image * 1j, 1)
        self.refused(NotImplementedError, words, magnitude, image, 1, mode="constant", cval=1j)

    def test_output(self):
        self.refused(ValueError, "shape (14, 12)", gaussian_filter, IMAGE, 1, output=IMAGE.T.copy())
        wider = IMAGE.astype("u2")
        self.refused(TypeError, "samples of type uint16", smoothimg.reverse, IMAGE, out=wider)
        self.assertTrue((Filter(1)(IMAGE, out=wider) == gaussian_filter(IMAGE, 1)).all())
        memory = memoryview(bytearray(12 * 14)).cast("B", IMAGE.shape)
        self.refused(TypeError, "NumPy array", Filter(1), IMAGE, out=memory)
        self.refused(ValueError, "shape (12, 14)", smoothimg.transpose, IMAGE, out=IMAGE.copy())
        for dtype in (np.uint8, np.float64):
            read_only = np.zeros_like(IMAGE, dtype)
            read_only.flags.writeable = False
            self.refused(ValueError, "read-only", gaussian_filter, IMAGE, 1, output=read_only)
            self.assertFalse(read_only.any())
        for output in (np.uint8, "uint8", np.dtype("u1"), np.float64, "float16", int, ">u4"):
            made = gaussian_filter(IMAGE, 1, output=output)
            self.assertEqual(made.dtype, np.dtype(output).newbyteorder("="))
        words = "need a complex output"
        for output in (float, np.zeros((12, 14))):
            self.refused(TypeError, words, gaussian_filter, IMAGE * 1j, 1, output=output)

    def test_norm_and_alpha(self):
        self.refused(ValueError, "analytic", Filter(0.09, radius=1, norm="analytic"), IMAGE)
        white = np.full((9, 9), 255, np.uint8)
        self.assertTrue((Filter(1, radius=1)(white) == 255).all())
        self.assertTrue((Filter(1, radius=1, norm="analytic")(white) < 255).all())
        for image, axes in ((IMAGE, (0, 1)), (STACK, (1, 2)), (IMAGE[0], None)):
            self.refused(
                ValueError, "colours and then alpha", Filter(1, alpha=True), image, axes=axes
            )
        self.refused(ValueError, "1 channel", Filter(1, alpha=True), STACK[..., :1])

    def test_device_without_cuda(self):
        """Arrays on a device need CuPy or PyTorch. This test needs no device, only an object that claims to be a device
        array."""

        class Elsewhere:
            __cuda_array_interface__ = {
                "shape": (3, 3),
                "typestr": "|u1",
                "data": (0, False),
                "version": 3,
            }

        self.refused(TypeError, "import cupy or torch", gaussian_filter, Elsewhere(), 1)
        try:
            smoothimg._core.Context(1, 0, 0)
        except RuntimeError as error:
            self.assertRegex(str(error), "CUDA|device|GPU")


if __name__ == "__main__":
    unittest.main()
