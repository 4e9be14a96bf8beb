# SPDX-License-Identifier: MIT
"""Tests the package's code for device arrays on the emulated device: test_emulated.py EXTENSION. Classes here stand in
for the tensors of PyTorch and the arrays of CuPy; their memory is a NumPy array. The emulated device computes only when
the host waits for it, for example when a context is closed."""

import contextlib
import importlib.util
import itertools
import sys
import types
import unittest
from unittest import mock

from common import DTYPES, noise, overlapping, strided

import numpy as np

found = importlib.util.spec_from_file_location("smoothimg._core", sys.argv.pop(1))
core = importlib.util.module_from_spec(found)
found.loader.exec_module(core)
sys.modules["smoothimg._core"] = core
import smoothimg  # noqa: E402
from smoothimg import _cuda  # noqa: E402


class Type(str):
    """Stands in for torch.dtype."""


class Tensor:
    """Stands in for torch.Tensor, with the members that the package uses."""

    is_cuda, requires_grad, negated, conjugated = True, False, False, False

    def __init__(self, array, device=0):
        self.array = kept(array)
        self.device = types.SimpleNamespace(index=device)
        self.shape, self.ndim, self.dtype = array.shape, array.ndim, Type(f"torch.{array.dtype}")

    def is_neg(self):
        return self.negated

    def is_conj(self):
        return self.conjugated

    def data_ptr(self):
        return self.array.__array_interface__["data"][0]

    def stride(self):
        return tuple(stride // self.array.itemsize for stride in self.array.strides)

    def element_size(self):
        return self.array.itemsize

    @property
    def real(self):
        return Tensor(self.array.real, self.device.index)

    @property
    def imag(self):
        return Tensor(self.array.imag, self.device.index)

    def __getitem__(self, where):
        return Tensor(self.array[where], self.device.index)

    def __setitem__(self, where, number):
        _cuda.context_of.cache_clear()  # waits for the stream's earlier work
        self.array[where] = number

    def __mul__(self, other):
        _cuda.context_of.cache_clear()  # waits for the stream's earlier work
        return Tensor(self.array * other.array, self.device.index)

    def new_empty(self, shape, dtype=None):
        made = np.empty(shape, dtype.split(".")[1] if dtype else self.array.dtype)
        return Tensor(made, self.device.index)

    def permute(self, order):
        return Tensor(self.array.transpose(order), self.device.index)

    def copy_(self, other):
        _cuda.context_of.cache_clear()  # waits for the stream's earlier work
        if self.array is not other.array and np.may_share_memory(self.array, other.array):
            raise RuntimeError("PyTorch copies between no arrays that overlap")
        self.array[...] = other.array


class OnDevice:
    """Stands in for cupy.ndarray, whose strides are in bytes, and may be negative."""

    def __init__(self, array, device=0):
        self.array, self.index = kept(array), device
        self.shape, self.ndim, self.dtype = array.shape, array.ndim, array.dtype
        self.strides, self.itemsize = array.strides, array.itemsize
        self.data = types.SimpleNamespace(ptr=array.__array_interface__["data"][0])

    @property
    def device(self):
        current = contextlib.nullcontext()
        current.id = self.index
        return current

    def transpose(self, order):
        return OnDevice(self.array.transpose(order), self.index)

    def __setitem__(self, where, other):
        _cuda.context_of.cache_clear()  # waits for the stream's earlier work
        if not (self.array.flags.aligned and other.array.flags.aligned):
            raise RuntimeError("misaligned address: the process has no device any more")
        self.array[where] = other.array


class Interface:
    """An array of an unknown framework, which has only __cuda_array_interface__."""

    def __init__(self, array):
        self.array, self.shape, self.dtype = kept(array), array.shape, array.dtype
        self.__cuda_array_interface__ = {**array.__array_interface__, "version": 3}


def kept(array):
    """Keeps a reference to the array until finish(), so that its memory is not freed. A framework does this while a
    stream still uses the memory."""
    pool.append(array)
    return array


def finish():
    _cuda.context_of.cache_clear()
    pool.clear()


def empty(shape, dtype):
    return OnDevice(np.empty(shape, dtype))


def empty_like(array, dtype=None):
    return OnDevice(np.empty_like(array.array, dtype))


def stream_of(device):
    asked.append(device)
    return types.SimpleNamespace(cuda_stream=0)


TYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64".split()
asked = []
pool = []
SOFTEN = smoothimg.Filter(1.5)
torch = types.ModuleType("torch")
torch.Tensor = Tensor
torch.cuda = types.SimpleNamespace(current_stream=stream_of)
torch.empty_like = lambda array, dtype=None: array.new_empty(array.shape, dtype)
for name in TYPES:
    setattr(torch, name, Type(f"torch.{name}"))
torch.as_tensor = lambda given, device: Tensor(given.array)
cupy = types.ModuleType("cupy")
cupy.ndarray, cupy.empty, cupy.asarray = OnDevice, empty, lambda given: OnDevice(given.array)
cupy.empty_like = empty_like
cupy.cuda = types.SimpleNamespace(get_current_stream=lambda device: types.SimpleNamespace(ptr=0))
CALLS = (
    lambda image, out=None: smoothimg.gaussian_filter(image, 1.3, output=out, axes=(0, 1)),
    lambda image, out=None: smoothimg.gaussian_filter(image, 1.3, output=out, axes=1),
    lambda image, out=None: smoothimg.gaussian_filter(image, 0, output=out),
    lambda image, out=None: smoothimg.reverse(image, out=out),
    lambda image, out=None: SOFTEN(image, out=out, axes=(0, 1)),  # the same Filter in all calls
)


REAL = (
    lambda array: smoothimg.gaussian_gradient_magnitude(array, 1),
    lambda array: smoothimg.structure_tensor(array, 1, 2),
    lambda array: smoothimg.structure_tensor(array, 1, 0, products=np.float64),
)
ANY = (
    *REAL,
    lambda array: smoothimg.gaussian_filter(array, 1.3, mode="mirror"),
    lambda array: smoothimg.gaussian_filter(array, 0.7, 1, mode="constant", cval=3),
    lambda array: smoothimg.gaussian_filter1d(array, 2, 0),
    lambda array: smoothimg.gaussian_laplace(array, 1),
    lambda array: smoothimg.hessian(array, 1, mode="wrap"),
    lambda array: smoothimg.difference_of_gaussians(array, 1),
    lambda array: smoothimg.gaussian_filters(array, [0, 1, 0.5]),
    lambda array: smoothimg.transpose(array[None], axes=(0, -1)),
    lambda array: smoothimg.reverse(array, axes=None),
)


class Emulated(unittest.TestCase):
    def setUp(self):
        sys.modules["torch"] = torch
        self.addCleanup(finish)

    def same(self, found, expected, what=""):
        finish()
        self.assertIs(type(found), Tensor)
        self.assertEqual((found.shape, found.array.dtype), (expected.shape, expected.dtype))
        self.assertTrue((found.array == expected).all(), what)

    def test_any_type(self):
        for dtype, shape in itertools.product(TYPES, ((30,), (5, 6, 7))):
            image = (noise(shape, np.uint16) % 200).astype(dtype)
            if dtype == "complex64":
                image = image + np.complex64(1j) * image[::-1]
            for call in ANY:
                if dtype == "complex64" and call in REAL:
                    continue
                self.same(call(Tensor(image)), call(image), (dtype, shape))

    def test_available(self):
        self.assertTrue(smoothimg.cuda_available())
        self.assertFalse(smoothimg.cuda_available(7))
        with self.assertRaisesRegex(RuntimeError, "there is no device 7"):
            smoothimg.check_cuda(7)
        for device in (-1, 2**31):
            self.assertFalse(smoothimg.cuda_available(device))
            with self.assertRaisesRegex(RuntimeError, f"there is no device {device}"):
                smoothimg.check_cuda(device)
        for device in ("0", 1.5):
            self.assertRaises(TypeError, smoothimg.check_cuda, device)

    def test_any_output(self):
        image = noise((9, 8, 7), np.uint8)
        for dtype in (np.float64, "int16", np.complex64):
            expected = smoothimg.gaussian_laplace(image, 1, dtype)
            self.same(smoothimg.gaussian_laplace(Tensor(image), 1, dtype), expected, dtype)
        given = Tensor(np.empty((9, 8, 7), np.float16).transpose(2, 1, 0))
        self.assertIs(smoothimg.gaussian_filter(Tensor(image.T), 1, 1, given, cval=3), given)
        self.same(given, smoothimg.gaussian_filter(image.T, 1, 1, np.float16, cval=3))
        volume = Tensor(image.astype(float))
        self.assertIs(smoothimg.gaussian_filter(volume, 1, output=volume), volume)
        self.same(volume, smoothimg.gaussian_filter(image.astype(float), 1), "in place")
        for output, kind in (
            (Tensor(np.empty((9, 8, 6))), ValueError),
            (Tensor(np.empty((9, 8, 1)).repeat(7, 2), 1), ValueError),
            (Tensor(np.lib.stride_tricks.as_strided(np.empty(7), (9, 8, 7), (0, 0, 8))), ValueError),
            (np.empty((9, 8, 7)), TypeError),
            ("datetime64", TypeError),
        ):
            with self.assertRaises(kind):
                smoothimg.gaussian_filter(volume, 1, output=output)
        expected = smoothimg.gaussian_filter(image.astype(float), 1, mode="constant", cval=np.inf)
        volume = Tensor(image.astype(float))
        self.same(smoothimg.gaussian_filter(volume, 1, mode="constant", cval=np.inf), expected)
        smoothimg.gaussian_filter(volume, 1, output=volume, mode="constant", cval=np.inf)
        self.same(volume, expected, "in place")
        with self.assertRaisesRegex(TypeError, "complex output"):
            smoothimg.gaussian_filter(Tensor(np.ones(3, np.complex64)), 1, output=np.float32)

    def test_outputs(self):
        image = noise((60, 70))
        expected = smoothimg.gaussian_filter(image, 2)
        wide = np.full((64, 80), 9, np.uint8)
        around = wide.copy()
        around[2:62, 4:74] = expected
        out = Tensor(wide[2:62, 4:74])
        self.assertIs(smoothimg.gaussian_filter(Tensor(image), 2, output=out), out)
        self.same(Tensor(wide), around)
        in_place = Tensor(image.copy())
        self.assertIs(smoothimg.gaussian_filter(in_place, 2, output=in_place), in_place)
        self.same(in_place, expected)
        source = Tensor(image)
        for wrong, kind, words in (
            (image.copy(), TypeError, "not on a device"),
            (Tensor(image[1:]), ValueError, "shape"),
            (Tensor(image.copy(), 1), ValueError, "devices"),
        ):
            with self.assertRaisesRegex(kind, words):
                smoothimg.Filter(1)(source, out=wrong)
        with self.assertRaisesRegex(TypeError, "NumPy array"):
            smoothimg.Filter(1)(image, out=source)
        with self.assertRaisesRegex(TypeError, "uint16, the input uint8"):
            smoothimg.reverse(source, out=Tensor(image.astype("u2")))
        learning = Tensor(image)
        learning.requires_grad = True
        with self.assertRaisesRegex(TypeError, r"\.detach\(\)"):
            smoothimg.Filter(1)(learning)

    def test_any_filter(self):
        """Each filter accepts PyTorch's tensors, and arrays of an unknown framework by __cuda_array_interface__."""
        image, smooth = noise((6, 7, 8)), smoothimg.gaussian_filter
        for kind, named in itertools.product(
            (Tensor, Interface),
            (
                {"order": (0, 1, 0)},
                {"axes": (0, 1), "mode": ("wrap", "nearest")},
                {"axes": (0, 1), "mode": "constant", "cval": 1},
                {"axes": (0, 1), "output": np.float32},
            ),
        ):
            self.same(smooth(kind(image), 1, **named), smooth(image, 1, **named), named)
        for dtype in (np.float16, np.float32, np.float64):
            holes = image.astype(dtype)
            holes[2:5, 3, 4] = np.nan
            self.same(smooth(Tensor(holes), 1, nan="skip"), smooth(holes, 1, nan="skip"), dtype)
            weighted = smoothimg.Filter(1, alpha=True)
            self.same(weighted(Tensor(image.astype(dtype))), weighted(image.astype(dtype)), dtype)
        for function in (smoothimg.gaussian_laplace, smoothimg.gaussian_gradient_magnitude):
            for sigma in (0, 1):
                self.same(function(Tensor(image), sigma), function(image, sigma), sigma)

    def test_what_a_device_does_not_serve(self):
        image, smooth = noise((6, 7, 8)), smoothimg.gaussian_filter
        with (
            mock.patch.dict(sys.modules, {"cupy": None}),
            mock.patch.object(torch, "as_tensor", lambda given, device: Tensor(given.array.copy())),
            self.assertRaisesRegex(TypeError, "that PyTorch copies"),
        ):
            smooth(Interface(image), 1)
        with self.assertRaisesRegex(TypeError, "of another framework"):
            smooth(Tensor(image), 1, output=OnDevice(image.astype("u2")))
        with self.assertRaisesRegex(TypeError, "not on a device"):
            smooth(Tensor(image), 1, axes=(0, 1), output=image.copy())
        for output in (None, np.uint8, "uint8"):
            made = smooth(Tensor(image), 1, axes=(0, 1), output=output)
            self.same(made, smooth(image, 1, axes=(0, 1)))

    def test_strides(self):
        """Tests inputs and outputs with strides of many sizes and signs."""
        self.enterContext(mock.patch.dict(sys.modules, cupy=cupy))
        for shape, dtype in itertools.product(((12, 9), (1, 9), (6, 7, 3)), DTYPES):
            image = noise(shape, dtype)
            given, result = list(strided(image)), list(strided(np.zeros_like(image)))
            usual = [("", image)] * len(given), [("", None)] * len(given)
            arrays = [*zip(given, usual[1]), *zip(usual[0], result)]
            for ((name, source), (to, out)), call in itertools.product(arrays, CALLS):
                with self.subTest(shape=shape, dtype=dtype, source=name, out=to):
                    arguments = [OnDevice(array) for array in (source, out) if array is not None]
                    if not all(array.array.flags.aligned for array in arguments):
                        with self.assertRaisesRegex(ValueError, "multiple"):
                            call(*arguments)
                        continue
                    found = call(*arguments)
                    finish()
                    self.assertTrue((found.array == call(image)).all())
                    self.assertTrue((source == image).all())

    def test_outputs_that_overlap(self):
        self.enterContext(mock.patch.dict(sys.modules, cupy=cupy))
        for dtype, call, (name, source, out) in itertools.product(
            DTYPES, CALLS, overlapping()
        ):
            for kind in (OnDevice, Tensor):
                memory = noise((20, 9), dtype)
                image, result = source(memory), out(memory)
                if kind is Tensor and min(image.strides + result.strides) < 0:
                    continue  # PyTorch has no negative strides
                with self.subTest(dtype=dtype, pair=name, kind=kind.__name__):
                    expected = call(image.copy())
                    call(kind(image), kind(result))
                    finish()
                    self.assertTrue((result == expected).all())

    def test_contexts(self):
        """Calls on the same device and stream use the same context. If there are too many contexts, the least
        recently used one is closed."""
        finish()
        asked.clear()
        image = Tensor(noise((20, 30)))
        for _ in range(3):
            smoothimg.reverse(image)
        self.assertEqual((_cuda.context_of.cache_info().misses, asked), (1, [0, 0, 0]))
        first = _cuda.context_of(0, 0)
        for stream in range(1, 100):
            _cuda.context_of(0, stream)
            self.assertIs(_cuda.context_of(0, 0), first)
        self.assertEqual(_cuda.context_of.cache_info().currsize, 64)
        self.assertEqual(_cuda.context_of.cache_info().misses, 100)
        _cuda.context_of(0, 1)
        self.assertEqual(_cuda.context_of.cache_info().misses, 101)
        finish()

    def test_again_is_strict(self):
        soften, memory = smoothimg.Filter(1.5), noise((60, 40))
        expected = soften(memory[:40])
        out = Tensor(np.zeros((40, 40), np.uint8))
        soften(Tensor(memory[:40]), out=out)
        learning = Tensor(memory[:40])
        learning.requires_grad = True
        for error, image, given in (
            (TypeError, learning, {}),
            (TypeError, Tensor(memory[:40]), {"out": learning}),
            (TypeError, Tensor(memory[:40]), {"out": memory[:40]}),
            (TypeError, Tensor(memory[:40]), {"threads": 0.0}),
            (ValueError, Tensor(memory[:40]), {"out": Tensor(memory[:39])}),
            (ValueError, Tensor(memory[:40]), {"out": Tensor(memory[:40].copy(), 1)}),
            (RuntimeError, Tensor(memory[:40], 77), {}),
        ):
            with self.assertRaises(error):
                soften(image, **given)
        self.assertIs(soften(Tensor(memory[:40]), out=out), out)
        finish()
        soften(Tensor(memory[:40]), out=Tensor(memory[20:]))
        finish()
        self.assertTrue((memory[20:] == expected).all())

    def test_samples_that_are_not_in_memory(self):
        """Functions refuse tensors that PyTorch has marked as negated or conjugated but not yet changed in memory, and
        arrays of foreign byte order. They do so also after a call with similar arrays."""
        self.enterContext(mock.patch.dict(sys.modules, cupy=cupy))
        floats, numbers = noise((40, 40), np.float32), np.ones((40, 40), np.complex64)
        negated, conjugated = Tensor(floats), Tensor(numbers)
        negated.negated = conjugated.conjugated = True
        foreign = [OnDevice(floats.astype(">f4")), Interface(floats.astype(">f4"))]
        soften, out = smoothimg.Filter(1.5), Tensor(np.zeros_like(floats))
        for call in (
            soften,
            smoothimg.transpose,
            lambda array, **named: smoothimg.gaussian_filter(array, 1, output=named.get("out")),
            lambda array, **named: smoothimg.gaussian_laplace(array, 1, named.get("out")),
        ):
            call(Tensor(floats), out=out)
            call(OnDevice(floats), out=OnDevice(out.array))
            for wrong, words in ((negated, "resolve_neg"), *((one, "foreign") for one in foreign)):
                like = Tensor if isinstance(wrong, Tensor) else OnDevice
                for given in ({}, {"out": like(out.array)}):
                    with self.assertRaisesRegex(TypeError, words):
                        call(wrong, **given)
                with self.assertRaisesRegex(TypeError, words):
                    call(like(floats), out=wrong)
        for output in (None, Tensor(numbers.copy())):
            with self.assertRaisesRegex(TypeError, "resolve_conj"):
                smoothimg.gaussian_filter(conjugated, 1, output=output)
        with self.assertRaisesRegex(TypeError, "resolve_conj"):
            smoothimg.gaussian_filter(Tensor(numbers), 1, output=conjugated)

    def test_read_only_outputs(self):
        image, out = noise((9, 8)), np.zeros((9, 8), np.uint8)
        out.flags.writeable = False
        for call in (
            lambda out: smoothimg.reverse(Interface(image), out=out),
            lambda out: smoothimg.gaussian_filter(Interface(image), 1, output=out),
            lambda out: smoothimg.gaussian_filter(Interface(image), 1, 1, output=out),
        ):
            with self.assertRaisesRegex(ValueError, "the output is read-only"):
                call(Interface(out))
        finish()
        self.assertFalse(out.any())

    def test_other_frameworks(self):
        image = noise((20, 30))
        self.same(smoothimg.reverse(Interface(image)), smoothimg.reverse(image))
        out = np.zeros_like(image)
        given = Interface(out)
        self.assertIs(smoothimg.reverse(Interface(image), out=given), given)
        self.same(Tensor(out), smoothimg.reverse(image))


if __name__ == "__main__":
    unittest.main()
