# SPDX-License-Identifier: MIT
"""gaussian_filter as an operator of PyTorch with an exact gradient, so that models can be trained through a Gaussian
filter.

>>> import torch, smoothimg.torch
>>> images = torch.rand(2, 3, 32, 48, requires_grad=True)  # N C H W
>>> blurred = smoothimg.torch.gaussian_filter(images, sigma=1.5, axes=(-2, -1))
>>> blurred.square().sum().backward()
>>> images.grad.shape
torch.Size([2, 3, 32, 48])

The operators are torch.ops.smoothimg.gaussian_filter and .gaussian_filter_adjoint. Each operator is the gradient of the
other, so gradients of gradients are also exact. torch.compile keeps the operators in its graph, and torch.vmap and
torch.autograd support them. torch.func.grad refuses them, as it refuses all operators that are registered in Python.
The operators have no derivatives in forward mode: gaussian_filter refuses torch.func.jvp, but if the operators
themselves are called, PyTorch silently drops such derivatives.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from ._arguments import Integers, Modes, Numbers, find_axes, is_one, outside_of
from ._asked import Asked, Plan, ask_filter, plan_of
from ._call import run, see
from ._cuda import TYPES, name_of

__all__ = ["gaussian_filter"]

# The types of the entries of sigma, order, mode, radius and axes.
_KINDS: tuple[set[type], ...] = ({float, int}, {int}, {str}, {int}, {int})

_unpack: Any = forward_ad.unpack_dual

# Each of the lists sigma, order, mode and radius has one entry for all filtered axes, or one for each of them.
_SCHEMA = (
    "(Tensor input, float[] sigma, int[] order, str[] mode, float cval, float truncate, int[]? radius, int[]? axes)"
    " -> Tensor"
)


def gaussian_filter(
    input: Tensor,
    sigma: Numbers,
    order: Integers = 0,
    mode: Modes = "reflect",
    cval: float = 0.0,
    truncate: float = 4.0,
    *,
    radius: Integers | None = None,
    axes: Integers | None = None,
) -> Tensor:
    """Smooths a tensor with a Gaussian filter, or a derivative of it, exactly; its gradient is exact too.

    The result is that of `smoothimg.gaussian_filter`: each sample is the real number that the filter gives, rounded
    once. The gradient is the exact product of the incoming gradient with the transpose of the filter's matrix, each
    sample rounded once. Result and gradient have the same bits on the CPU and on every GPU, in every run, for any
    number of threads.

    Parameters
    ----------
    input : Tensor
        A tensor with any number of axes and any strides, on the CPU or a CUDA device. float16, float32 and float64 have
        gradients; integers and bool are filtered without a gradient. bfloat16 and complex numbers are refused.
    sigma, order, mode, cval, truncate, radius
        As for `smoothimg.gaussian_filter`, except that a `cval` that no float64 holds raises ValueError. `cval` has no
        gradient. A sequence with one entry applies to all axes.
    axes : int or sequence of ints, optional
        The filtered axes. By default these are all axes, as in SciPy: for images of shape N C H W pass axes=(-2, -1),
        for volumes of shape N C D H W axes=(-3, -2, -1).

    Returns
    -------
    Tensor
        A tensor with the input's type, device and shape. If the input is dense in memory, the result has the same
        strides, so channels_last is kept. On a CUDA device the work is enqueued on the current stream.

    Raises
    ------
    The errors of `smoothimg.gaussian_filter`, and NotImplementedError for derivatives in forward mode. In mode
    "mirror", the gradient raises NotImplementedError for more than three axes, or a radius of 1024. In that gradient,
    and in the gradient of a derivative, results near the ends of an axis may be NaN if an infinity or a NaN of the
    incoming gradient is within the filter's radius.
    """
    if not isinstance(input, Tensor):
        raise TypeError(
            f"input is of type {type(input).__name__}; pass a Tensor, torch.as_tensor(input) for example"
        )
    if _unpack(input).tangent is not None:
        raise NotImplementedError(
            "no derivatives in forward mode; torch.autograd has those in reverse"
        )
    rest = [None if one is None else _listed(one) for one in (radius, axes)]
    lists: Any = [_listed(sigma), _listed(order), _listed(mode), *rest]
    # Under torch.compile numbers may be symbols, which cannot be checked here. _compute() checks all values later.
    if not torch.compiler.is_compiling() and not _are_plain(cval, truncate, lists):
        cval, truncate, lists = _checked(input.ndim, cval, truncate, lists)
    result: Tensor = _filter(input, *lists[:3], cval, truncate, *lists[3:])
    return result


def _listed(value: Any) -> list[Any]:
    if isinstance(value, (int, float, str)):
        return [value]
    # torch.compile does not trace is_one().
    return [value] if not torch.compiler.is_compiling() and is_one(value) else list(value)


def _are_plain(cval: Any, truncate: Any, lists: Any) -> bool:
    """True if all arguments already have the types that the operators take."""
    return {type(cval), type(truncate)} == {float} and all(
        kinds.issuperset(map(type, one or ())) for kinds, one in zip(_KINDS, lists)
    )


def _checked(ndim: int, cval: Any, truncate: Any, lists: Any) -> tuple[float, float, list[Any]]:
    """Raises the errors of smoothimg.gaussian_filter for wrong arguments. Returns the arguments in the types that the
    operators take."""
    _ask(ndim, cval, truncate, *lists)
    outside = outside_of(cval, False).real
    if isinstance(outside, int) and float(outside) != outside:
        raise ValueError(
            f"cval is {cval!r}; it has to be a number that a float64 holds; float(cval) is the nearest"
        )
    kinds: Any = float, int, str, int, int
    numbers = [one and [kind(entry) for entry in one] for one, kind in zip(lists, kinds)]
    return float(outside), float(truncate), numbers


def _ask(
    ndim: int, cval: Any, truncate: Any, sigma: Any, order: Any, mode: Any, radius: Any, axes: Any
) -> Asked:
    sigma, order, mode, radius = [
        one[0] if one and len(one) == 1 else one for one in (sigma, order, mode, radius)
    ]
    return ask_filter(axes, ndim, False, sigma, order, mode, cval, truncate, radius, "propagate")


@lru_cache(maxsize=256, typed=True)
def _plan(adjoint: bool, *arguments: Any) -> Plan:
    asked = _ask(*arguments)
    return plan_of(asked._replace(adjoint=1, outside=0.0) if adjoint else asked, False)


def _compute(
    adjoint: bool,
    input: Tensor,
    sigma: Any,
    order: Any,
    mode: Any,
    cval: float,
    truncate: float,
    radius: Any,
    axes: Any,
) -> Tensor:
    lists = [None if one is None else tuple(one) for one in (sigma, order, mode, radius, axes)]
    made = _plan(adjoint, input.ndim, cval, truncate, *lists)
    source, result = input.detach(), _like(input)
    if input.is_cuda:
        run(made, see(source), result)
    else:
        run(made, see(source.numpy()), result.numpy())
    return result


def _like(input: Tensor, *_: Any) -> Tensor:
    """Returns a new tensor for the result, whose samples are not initialised."""
    if name_of(input.dtype) not in TYPES:
        raise TypeError(
            f"samples of type {input.dtype}; pass input.float(), or the real and imaginary parts of complex numbers"
        )
    return torch.empty_like(input)


def _keep(ctx: Any, inputs: Any, output: Any) -> None:
    # With a cval that is not 0 the filter adds a constant to a linear function, so its gradient is the gradient of the
    # filter with a cval of 0.
    ctx.arguments = *inputs[1:4], 0.0, *inputs[5:]


def _derive(transposed: Any, ctx: Any, gradient: Tensor) -> Any:
    return transposed(gradient, *ctx.arguments), *([None] * len(ctx.arguments))


def _map(operator: Any, info: Any, in_dims: Any, input: Tensor, *arguments: Any) -> Any:
    """Filters a batch for torch.func.vmap. The batch axis becomes the first axis."""
    moved = [axis + 1 for axis in find_axes(arguments[-1], input.ndim - 1)]
    return operator(input.movedim(in_dims[0], 0), *arguments[:-1], moved), 0


def _register(name: str, adjoint: bool) -> Any:
    made: Any = torch.library.custom_op(
        name,
        partial(_compute, adjoint),
        mutates_args=(),
        schema=_SCHEMA,
        device_types=("cpu", "cuda"),
    )
    made.register_fake(_like)
    made.register_vmap(partial(_map, made))
    return made


_filter: Any = _register("smoothimg::gaussian_filter", False)
_adjoint: Any = _register("smoothimg::gaussian_filter_adjoint", True)
_filter.register_autograd(partial(_derive, _adjoint), setup_context=_keep)
_adjoint.register_autograd(partial(_derive, _filter), setup_context=_keep)
