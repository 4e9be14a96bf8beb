# SPDX-License-Identifier: MIT
"""Arrays in the memory of a CUDA device: PyTorch's, CuPy's, and others that say where they are. No
framework is imported here: an array of one comes from a program that has imported it."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from typing import Any, NamedTuple
from collections.abc import Callable, Sequence

import numpy as np

from . import _core
from ._arguments import SMOOTH, check_samples, outermost_first
from ._host import Host

DLPACK_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged
MOST_CONTEXTS = 64  # each holds some of its device's memory

_contexts: OrderedDict[tuple[int, int], _core.Context] = OrderedDict()
_lock = threading.Lock()


def context_of(device: int, stream: int) -> _core.Context:
    """The context of a device's stream. Calls on other streams have others, and wait for none."""
    with _lock:
        context = _contexts.get((device, stream))
        if context is None:
            context = _core.Context(1, device)
            _contexts[device, stream] = context
            if len(_contexts) > MOST_CONTEXTS:
                _contexts.popitem(last=False)
        _contexts.move_to_end((device, stream))
        return context


def check_cuda(device: int = 0) -> None:
    """Opens a CUDA device. Raises RuntimeError that says why its arrays cannot be filtered: this build
    of the package is without CUDA, or there is no driver, or no such device."""
    context_of(device, 0)


def cuda_available(device: int = 0) -> bool:
    """Whether arrays on a CUDA device can be filtered. check_cuda() says why not."""
    try:
        check_cuda(device)
    except RuntimeError:
        return False
    return True


class Device:
    """What the kinds have in common. They have the methods of _host.Host."""

    TO_FLOAT = ""  # the method that makes an array of float32

    def _type(self, array: Any) -> str:
        return str(array.dtype).rpartition(".")[2]

    def _device(self, array: Any) -> int:
        raise NotImplementedError

    def look(self, array: Any) -> Any:
        """What arrays of one shape have in common that are alike. Quick."""
        raise NotImplementedError

    def stream(self, device: int) -> int:
        """The framework's current one."""
        raise NotImplementedError

    def like(self, array: Any, dtype: Any = None) -> Any:
        """A new array of the same type, or the given one; its strides are the framework's choice."""
        raise NotImplementedError

    def type_of(self, dtype: Any) -> Any:
        """The framework's type that NumPy's is."""
        return dtype

    def context(self, array: Any, threads: int) -> tuple[_core.Context, int | None]:
        device = self._device(array)
        stream = self.stream(device)
        return context_of(device, stream), stream

    def again(self, filter_: _core.Filter, images: _core.Images, src: Any, dst: Any) -> Again:
        return Again(self, filter_, images, src, dst)

    def span(self, array: Any) -> tuple[int, int]:
        """The first byte, and the one after the last."""
        first = last = self.address(array)
        for extent, stride in zip(array.shape, self.strides(array)):
            first += min(stride, 0) * (extent - 1)
            last += max(stride, 0) * (extent - 1)
        return first, last + self.size(array)

    def accept(self, given: Any) -> Any:
        check_samples(self._type(given), self.TO_FLOAT)
        return self.accept_any(given)

    def accept_any(self, given: Any) -> Any:
        """With samples of any type."""
        size = self.size(given)
        strides = [step for step, extent in zip(self.strides(given), given.shape) if extent > 1]
        if any(place % size for place in (self.address(given), *strides)):
            raise ValueError(
                f"samples of {size} bytes at addresses that are no multiple of it, which a device "
                "does not read; copy them to the host, or as bytes"
            )
        return given

    def check_out(self, out: Any, like: Any, shape: tuple[int, ...]) -> None:
        if self._type(out) != self._type(like):
            raise TypeError(f"the output has samples of type {out.dtype}, the input {like.dtype}")
        self.check_place(out, like, shape)

    def check_place(self, out: Any, like: Any, shape: tuple[int, ...]) -> None:
        """For samples of any type."""
        if tuple(out.shape) != shape:
            raise ValueError(f"the output has shape {tuple(out.shape)}; it has to be {shape}")
        if self._device(out) != self._device(like):
            raise ValueError("the input and the output are on different devices")

    def direct(self, out: Any, source: Any) -> bool:
        first, last = self.span(out)
        begin, end = self.span(source)
        return last <= begin or end <= first

    def size(self, array: Any) -> int:
        """Bytes of a sample."""
        raise NotImplementedError

    def address(self, array: Any) -> int:
        raise NotImplementedError

    def strides(self, array: Any) -> tuple[int, ...]:
        raise NotImplementedError

    def empty(self, like: Any, shape: tuple[int, ...], order: Sequence[int]) -> Any:
        raise NotImplementedError


class Torch(Device):
    TO_FLOAT = ".float()"

    def accept_any(self, given: Any) -> Any:
        if given.requires_grad:
            raise TypeError("a tensor that requires a gradient, which is not there; pass .detach()")
        if given.is_neg() or given.is_conj():
            raise TypeError(
                "a tensor whose memory holds the negated or conjugated samples; pass "
                ".resolve_neg().resolve_conj()"
            )
        return super().accept_any(given)

    def _device(self, array: Any) -> int:
        return int(array.device.index)

    def address(self, array: Any) -> int:
        return int(array.data_ptr())

    def strides(self, array: Any) -> tuple[int, ...]:
        size = self.size(array)
        return tuple(stride * size for stride in array.stride())

    def look(self, array: Any) -> Any:
        return array.dtype, array.stride(), array.device, array.requires_grad, array.is_neg()

    def empty(self, like: Any, shape: tuple[int, ...], order: Sequence[int]) -> Any:
        made = like.new_empty([shape[axis] for axis in order])
        return made if _in_order(order) else made.permute(_back(order))

    def like(self, array: Any, dtype: Any = None) -> Any:
        return sys.modules["torch"].empty_like(array, dtype=dtype)

    def type_of(self, dtype: Any) -> Any:
        if not isinstance(dtype, np.dtype):
            return dtype
        return getattr(sys.modules["torch"], dtype.name, dtype)

    def size(self, array: Any) -> int:
        return int(array.element_size())

    def copy(self, target: Any, source: Any) -> None:
        target.copy_(source)

    def stream(self, device: int) -> int:
        torch = sys.modules["torch"]
        # What current_stream() asks, for a tenth of its time.
        raw = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)
        return int(raw(device) if raw else torch.cuda.current_stream(device).cuda_stream)


class CuPy(Device):
    TO_FLOAT = ".astype(cupy.float32)"

    def accept_any(self, given: Any) -> Any:
        if not given.dtype.isnative:
            raise TypeError(
                f"samples of type {given.dtype}, a foreign byte order, which a device does not read; "
                "change it on the host: array.astype(array.dtype.newbyteorder('='))"
            )
        return super().accept_any(given)

    def _device(self, array: Any) -> int:
        return int(array.device.id)

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def strides(self, array: Any) -> tuple[int, ...]:
        return tuple(array.strides)

    def look(self, array: Any) -> Any:
        return array.dtype, array.strides, array.device.id

    def empty(self, like: Any, shape: tuple[int, ...], order: Sequence[int]) -> Any:
        with like.device:
            made = sys.modules["cupy"].empty([shape[axis] for axis in order], like.dtype)
        return made if _in_order(order) else made.transpose(_back(order))

    def like(self, array: Any, dtype: Any = None) -> Any:
        with array.device:
            return sys.modules["cupy"].empty(array.shape, dtype or array.dtype)

    def size(self, array: Any) -> int:
        return int(array.itemsize)

    def copy(self, target: Any, source: Any) -> None:
        with target.device:
            target[...] = source

    def stream(self, device: int) -> int:
        return int(sys.modules["cupy"].cuda.get_current_stream(device).ptr)


class Again:
    """How to smooth arrays of a kind that are alike."""

    def __init__(
        self, kind: Device, filter_: _core.Filter, images: _core.Images, src: Any, dst: Any
    ) -> None:
        self._kind, self._filter, self._images = kind, filter_, images
        self._src, self._dst, self._shape = kind.look(src), kind.look(dst), dst.shape
        order = outermost_first(kind.strides(src))
        # Arrays without gaps have a quicker way.
        self._like = _in_order(order) and kind.look(kind.like(src)) == self._dst
        self._order = order
        self._device = kind._device(src)
        self._size = kind.size(src)
        # From its address on, the first byte of an array and the one after the last.
        self._reach = [[end - kind.address(one) for end in kind.span(one)] for one in (src, dst)]

    def smooth(self, image: Any, out: Any, threads: int) -> Any:
        """Or None: they are not alike, share memory, or lie where a device reads no samples."""
        kind = self._kind
        if kind.look(image) != self._src:
            return None
        if out is None:
            out = kind.like(image) if self._like else kind.empty(image, self._shape, self._order)
        if out.shape != self._shape or kind.look(out) != self._dst:
            return None
        src, dst = kind.address(image), kind.address(out)
        (first, last), (begin, end) = self._reach
        if src + first < dst + end and dst + begin < src + last or (src | dst) % self._size:
            return None
        stream = kind.stream(self._device)
        context = context_of(self._device, stream)
        _core.run(context, SMOOTH, self._filter, self._images, src, dst, stream)
        return out


def _in_order(order: Sequence[int]) -> bool:
    return all(place == axis for place, axis in enumerate(order))


def _back(order: Sequence[int]) -> list[int]:
    """Where each axis is in the order."""
    return [list(order).index(axis) for axis in range(len(order))]


TORCH, CUPY, HOST = Torch(), CuPy(), Host()


class Taken(NamedTuple):
    """A caller's array, its kind, and what makes the caller's kind of array out of a result."""

    kind: Any
    array: Any
    back: Callable[[Any], Any]


def take(given: Any) -> Taken:
    """An array of the caller's. Raises TypeError for samples of another type."""
    if is_on_device(given):
        taken = take_on_device(given)
        return taken._replace(array=taken.kind.accept(taken.array))
    return Taken(HOST, HOST.accept(given), lambda made: made)


def take_on_device(given: Any) -> Taken:
    """An array on a device, with samples of any type."""
    kind = _framework_of(given)
    if kind is None:
        return _adopt(given)
    return Taken(kind, kind.accept_any(given), lambda made: made)


def check_output(given: Any) -> None:
    """An array of PyTorch or CuPy is never read-only; another says so itself."""
    if _framework_of(given) is None:
        interface = getattr(given, "__cuda_array_interface__", None)
        if interface and interface["data"][1]:
            raise ValueError("the output is read-only")


def _framework_of(given: Any) -> Device | None:
    torch = getattr(sys.modules.get("torch"), "Tensor", None)
    if torch is not None and isinstance(given, torch) and given.is_cuda:
        return TORCH
    cupy = getattr(sys.modules.get("cupy"), "ndarray", None)
    return CUPY if cupy is not None and isinstance(given, cupy) else None


def is_on_device(given: Any) -> bool:
    """A framework's array, or one that says so itself."""
    return _framework_of(given) is not None or _on_device(given)


def _on_device(given: Any) -> bool:
    """The array itself says so."""
    if hasattr(given, "__cuda_array_interface__"):
        return True
    return hasattr(given, "__dlpack_device__") and given.__dlpack_device__()[0] in DLPACK_CUDA


def _adopt(given: Any) -> Taken:
    """Another framework's array, seen as one of CuPy or PyTorch without a copy: they wait for what
    its stream still does. A result goes back where the array's namespace can take it, else stays.
    """
    cupy, torch = sys.modules.get("cupy"), sys.modules.get("torch")
    if cupy is not None:
        seen = cupy.from_dlpack(given) if hasattr(given, "__dlpack__") else cupy.asarray(given)
    elif torch is not None:
        seen = (
            torch.from_dlpack(given)
            if hasattr(given, "__dlpack__")
            else torch.as_tensor(given, device="cuda")
        )
    else:
        raise TypeError(
            f"a {type(given).__name__} on a CUDA device; import cupy or torch first: results are "
            "allocated by one of them"
        )
    kind = CUPY if cupy is not None else TORCH
    namespace = getattr(given, "__array_namespace__", None)
    back = namespace().from_dlpack if namespace else lambda made: made
    return Taken(kind, kind.accept_any(seen), back)
