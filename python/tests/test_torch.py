# SPDX-License-Identifier: MIT
"""Tests the operator for PyTorch: compares its gradient with the definition in fractions, and runs PyTorch's own checks
of operators. Parts that need a CUDA device are skipped without one."""

import doctest
import itertools
import math
import subprocess
import sys
import unittest
from pathlib import Path

from common import need

need("torch")

import numpy as np  # noqa: E402
import torch  # noqa: E402

import smoothimg  # noqa: E402
import smoothimg.torch  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "definition"))
import definition_arrays as definition  # noqa: E402

MODES = ("reflect", "nearest", "mirror", "wrap", "constant")
RULES = {"nearest": "clamp", "constant": "zero"}
TYPES = {torch.float16: "f16", torch.float32: "f32", torch.float64: "f64"}
OPERATORS = (
    torch.ops.smoothimg.gaussian_filter.default,
    torch.ops.smoothimg.gaussian_filter_adjoint.default,
)


def listed(sigma=1.0, order=0, mode="reflect", radius=None, axes=None, cval=0.0):
    """Returns the operators' arguments after the input, in the operators' order."""
    many = [one if isinstance(one, (list, tuple)) else [one] for one in (sigma, order, mode)]
    return (*map(list, many), cval, 4.0, radius, axes)


def adjoint(gradient, **arguments):
    return torch.ops.smoothimg.gaussian_filter_adjoint(gradient, *listed(**arguments))


def same(one, other):
    """Returns whether the two tensors have the same bits."""
    whole = {2: torch.int16, 4: torch.int32, 8: torch.int64}[one.element_size()]
    return torch.equal(one.view(whole), other.view(whole))


def hostile(shape, dtype, seed):
    """Returns samples of both signs and of nearly all exponents. About a fifth of them are one number, drawn for the
    whole tensor: a zero of either sign, a number of greatest magnitude, the smallest normal number, or 1."""
    random, limits = np.random.default_rng(seed), torch.finfo(dtype)
    least, most = math.log2(limits.smallest_normal) - 5, math.log2(limits.max) - 8
    samples = np.exp2(random.uniform(least, most, shape)) * random.choice([-1, 1], shape)
    place = random.random(shape)
    samples[place < 0.2] = random.choice([0, -0.0, limits.max, -limits.max, limits.tiny, 1])
    return torch.from_numpy(np.asarray(samples)).to(dtype)


def layouts(tensor):
    """Yields (name, tensor): tensors of the same shape with different strides. All but the last have the samples of the
    given tensor, which has four axes."""
    yield "contiguous", tensor
    yield "channels_last", tensor.to(memory_format=torch.channels_last)
    yield "transposed", tensor.transpose(0, 3).contiguous().transpose(0, 3)
    wide = tensor.new_zeros([extent + 2 for extent in tensor.shape])
    inside = wide[tuple(slice(1, extent + 1) for extent in tensor.shape)]
    inside.copy_(tensor)
    yield "slice", inside
    yield "expanded", tensor[:1].expand(tensor.shape)


class Exactness(unittest.TestCase):
    def check(self, shape, dtype, radius, order, modes, seed):
        """Compares the adjoint with the definition. radius, order, modes: one for each axis."""
        gradient = hostile(shape, dtype, seed)
        sigma = [1.0] * len(shape)
        made = adjoint(gradient, sigma=sigma, order=order, mode=modes, radius=radius)
        term = [
            (reach, 1.0, power, RULES.get(mode, mode), 1.0)
            for reach, power, mode in zip(radius, order, modes)
        ]
        kind = TYPES[dtype]
        wanted = definition.adjoint_array(gradient.flatten().tolist(), shape, [term], kind, kind)
        self.assertEqual(made.numpy().tobytes(), b"".join(wanted), (shape, dtype, term))

    def test_lengths(self):
        """Tests all edge rules and orders, with lengths above and below the radius."""
        for mode, order, radius in itertools.product(MODES, (0, 1, 2), (1, 3)):
            for length in range(1, 2 * radius + 4):
                for seed, dtype in enumerate(TYPES):
                    self.check((length,), dtype, [radius], [order], [mode], length + seed)

    def test_axes(self):
        """Tests two axes with each pair of edge rules, and three axes."""
        for seed, modes in enumerate(itertools.product(MODES, repeat=2)):
            dtype = list(TYPES)[seed % 3]
            self.check((7, 4), dtype, [2, 1], [seed % 2, 0], modes, seed)
        for seed, mode in enumerate(MODES):
            self.check((4, 2, 5), torch.float32, [1, 2, 1], [0, 0, seed % 2], [mode] * 3, seed)
        self.check(
            (4, 3, 3), torch.float64, [1, 1, 1], [1, 0, 2], ["mirror", "reflect", "nearest"], 1
        )

    def test_twice(self):
        """The adjoint is the gradient of the filter. The gradient of the adjoint must be the filter, bit for bit."""
        for mode in MODES:
            gradient = hostile((9, 8), torch.float32, 1).requires_grad_()
            other = torch.rand(9, 8)
            made = adjoint(gradient, mode=mode, cval=3.0)
            (twice,) = torch.autograd.grad(made, gradient, other)
            self.assertTrue(same(twice, smoothimg.torch.gaussian_filter(other, 1, mode=mode)))

    def test_forward(self):
        """The result has the bits that smoothimg.gaussian_filter gives, for every type."""
        for dtype in (np.uint8, np.int16, np.int64, np.bool_, np.float16, np.float32, np.float64):
            array = (np.random.default_rng(1).random((9, 8)) * 100).astype(dtype)
            made = smoothimg.torch.gaussian_filter(
                torch.from_numpy(array), 2, mode="constant", cval=7
            )
            wanted = smoothimg.gaussian_filter(array, 2, mode="constant", cval=7)
            self.assertEqual(made.numpy().tobytes(), wanted.tobytes())
            self.assertEqual(str(made.dtype), f"torch.{np.dtype(dtype).name}")


class Operators(unittest.TestCase):
    def test_gradients(self):
        for mode, order in itertools.product(MODES, (0, [1, 2])):
            input = torch.rand(2, 6, 5, dtype=torch.float64, requires_grad=True)

            def filtered(input, mode=mode, order=order):
                return smoothimg.torch.gaussian_filter(
                    input, (1.0, 0.8), order, mode, 0.5, axes=(-2, -1)
                )

            self.assertTrue(torch.autograd.gradcheck(filtered, input))
            self.assertTrue(torch.autograd.gradgradcheck(filtered, input))

    def test_opcheck(self):
        image = torch.rand(2, 3, 7, 6)
        for operator, (_, tensor) in itertools.product(OPERATORS, layouts(image)):
            arguments = listed([1.0, 2.0], [0, 1], ["mirror", "nearest"], None, [-2, -1])
            torch.library.opcheck(operator, (tensor.detach().requires_grad_(), *arguments))
        torch.library.opcheck(OPERATORS[0], (torch.ones(4, 5, dtype=torch.uint8), *listed()))

    def test_layouts(self):
        """The strides of the input change no bit of the result. The result has the strides of the input, unless the
        input has gaps."""
        image = torch.rand(2, 3, 7, 6)
        arguments = listed(1.5, 0, "mirror", None, [2, 3])
        for operator, (name, tensor) in itertools.product(OPERATORS, layouts(image)):
            made = operator(tensor, *arguments)
            self.assertTrue(same(made, operator(tensor.contiguous(), *arguments)), name)
            self.assertEqual(made.stride(), torch.empty_like(tensor).stride(), name)

    def test_compile(self):
        """torch.compile() makes one graph, without breaks. Its gradients have the bits of the function that is not
        compiled."""

        def loss(image, sigma):
            made = smoothimg.torch.gaussian_filter(
                2 * image, sigma, mode=("mirror", "nearest"), axes=(-2, -1)
            )
            return made.sin().sum()

        for dynamic in (False, True):
            compiled = torch.compile(loss, fullgraph=True, backend="aot_eager", dynamic=dynamic)
            for height, sigma in ((7, 1.5), (9, 1.5), (9, 2.5)):
                image = torch.rand(2, 3, height, 6).to(memory_format=torch.channels_last)
                image.requires_grad_()
                (wanted,) = torch.autograd.grad(loss(image, sigma), image)
                (made,) = torch.autograd.grad(compiled(image, sigma), image)
                self.assertTrue(same(made, wanted))

    def test_transforms(self):
        """vmap applies the operator to a batch along any axis, and its adjoint to a batch of incoming gradients."""
        batch = torch.rand(4, 5, 6)
        made = torch.func.vmap(lambda one: smoothimg.torch.gaussian_filter(one, 1), in_dims=1)(
            batch
        )
        self.assertTrue(
            same(made, smoothimg.torch.gaussian_filter(batch, 1, axes=(0, 2)).movedim(1, 0))
        )
        image = torch.rand(5, 6, requires_grad=True)
        smooth = smoothimg.torch.gaussian_filter(image, 1, mode="nearest", axes=-1)
        (made,) = torch.autograd.grad(smooth, image, batch, is_grads_batched=True)
        self.assertTrue(same(made, adjoint(batch, mode="nearest", axes=[2])))

        with self.assertRaisesRegex(ValueError, "axis -3 is out of range: the array has 2 axes"):
            torch.func.vmap(lambda one: smoothimg.torch.gaussian_filter(one, 1, axes=-3))(batch)

    def test_numbers(self):
        """Numbers of NumPy and of PyTorch are valid arguments, and give the same result as Python's numbers."""
        image = torch.rand(6, 7)
        wanted = smoothimg.torch.gaussian_filter(image, 1.5, 1, axes=1, radius=3)
        for real, whole in ((np.float32, np.int64), (torch.tensor, torch.tensor)):
            made = smoothimg.torch.gaussian_filter(
                image, real(1.5), whole(1), axes=whole(1), radius=whole(3)
            )
            self.assertTrue(same(made, wanted))

    def test_refused_arguments(self):
        """The error messages are the same as those of smoothimg.gaussian_filter."""
        image = torch.zeros(4, 4)
        for error, message, arguments in (
            (TypeError, "sigma is '1'; it has to be a number", {"sigma": "1"}),
            (TypeError, "order is 1.5, which cannot", {"order": 1.5}),
            (TypeError, "mode is None; pass one of nearest", {"mode": None}),
            (TypeError, "axes is 0.5, which cannot", {"axes": 0.5}),
            (ValueError, "radius is 1.5; it has to be 0 to 1024", {"radius": 1.5}),
            (TypeError, "cval is None; it has to be a number", {"cval": None}),
            (ValueError, "that a float64 holds; float", {"cval": 2**53 + 1}),
            (TypeError, "truncate is '4'; it has to be a number", {"truncate": "4"}),
        ):
            with self.assertRaisesRegex(error, message):
                smoothimg.torch.gaussian_filter(image, **{"sigma": 1, **arguments})
        with self.assertRaisesRegex(TypeError, r"of type ndarray; pass a Tensor, torch\.as_tensor"):
            smoothimg.torch.gaussian_filter(image.numpy(), 1)
        with self.assertRaisesRegex(NotImplementedError, "derivatives in forward mode"):
            torch.func.jvp(lambda one: smoothimg.torch.gaussian_filter(one, 1), (image,), (image,))

    def test_refusals(self):
        for dtype in (torch.bfloat16, torch.complex64, torch.float8_e5m2):
            with self.assertRaisesRegex(TypeError, r"pass input\.float\(\)"):
                smoothimg.torch.gaussian_filter(torch.zeros(4, dtype=dtype), 1)
        image = torch.zeros(2, 2, 2, 2, requires_grad=True)
        with self.assertRaisesRegex(NotImplementedError, "a sum of 81 filters"):
            smoothimg.torch.gaussian_filter(image, 1, mode="mirror").sum().backward()
        with self.assertRaises(RuntimeError):
            smoothimg.torch.gaussian_filter(torch.zeros(4, 4), (1, 2, 3))

    def test_import(self):
        """PyTorch is imported only with smoothimg.torch."""
        program = "import sys, smoothimg; sys.exit('torch' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", program]).returncode, 0)

    def test_examples(self):
        found = doctest.testmod(smoothimg.torch)
        self.assertEqual(found.failed, 0)
        self.assertGreater(found.attempted, 0)


@unittest.skipUnless(torch.cuda.is_available() and smoothimg.cuda_available(), "no CUDA device")
class Cuda(unittest.TestCase):
    def test_same_bits(self):
        """A device gives the bits of the CPU, also on a stream other than the default one, and for every layout."""
        image = torch.rand(2, 3, 40, 70)
        for operator, mode, order in itertools.product(OPERATORS, MODES, (0, 1)):
            for dtype, (name, tensor) in itertools.product(TYPES, layouts(image)):
                arguments = listed(1.5, [order, 0], mode, None, [2, 3])
                wanted = operator(tensor.to(dtype), *arguments)
                with torch.cuda.stream(torch.cuda.Stream()):
                    made = operator(tensor.to(dtype).cuda(), *arguments).cpu()
                self.assertTrue(same(made, wanted), (operator, mode, order, dtype, name))

    def test_hostile(self):
        for mode, dtype in itertools.product(MODES, TYPES):
            gradient = hostile((33, 65), dtype, 3)
            made = adjoint(gradient.cuda(), sigma=2.0, mode=mode).cpu()
            self.assertTrue(same(made, adjoint(gradient, sigma=2.0, mode=mode)), (mode, dtype))

    def test_volumes(self):
        for mode in MODES:
            volume = torch.rand(1, 2, 20, 30, 40)
            made = adjoint(volume.cuda(), mode=mode, axes=[2, 3, 4]).cpu()
            self.assertTrue(same(made, adjoint(volume, mode=mode, axes=[2, 3, 4])), mode)

    def test_opcheck(self):
        for operator in OPERATORS:
            image = torch.rand(2, 3, 7, 6, device="cuda", requires_grad=True)
            torch.library.opcheck(operator, (image, *listed(mode="nearest", axes=[-2, -1])))


if __name__ == "__main__":
    unittest.main()
