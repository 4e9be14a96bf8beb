# SPDX-License-Identifier: MIT
"""Arrays in the memory of a CUDA device: PyTorch's, CuPy's, and others that describe their memory by
__cuda_array_interface__ or DLPack. No framework is imported here: a caller who has an array of a framework has imported
that framework."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from functools import lru_cache
from typing import Any, NamedTuple
from collections.abc import Callable, Sequence

import numpy as np

from . import _core  # pyright: ignore[reportPrivateUsage]
from ._host import Host, as_numpy

DLPACK_CUDA = (2, 13)  # DLPack's device types kDLCUDA and kDLCUDAManaged
MOST_CONTEXTS = 64  # each context holds some of its device's memory

# The sample types, in the order of smoothimg.h.
TYPES: tuple[str, ...] = (
    *("uint8", "uint16", "float32", "bool", "int8", "int16"),
    *("int32", "uint32", "int64", "uint64", "float16", "float64"),
)

_contexts: OrderedDict[tuple[int, int], _core.Context] = OrderedDict()
_lock = threading.Lock()


def context_of(device: int, stream: int) -> _core.Context:
    """Returns the library's context for a stream of a device. Each stream has a context of its own, so that calls on
    different streams do not wait for each other."""
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
    """Opens a CUDA device. If its arrays cannot be filtered, raises RuntimeError with the reason: this build
    of the package has no CUDA, or there is no driver, or no such device."""
    context_of(device, 0)


def cuda_available(device: int = 0) -> bool:
    """True if arrays on a CUDA device can be filtered. If not, check_cuda() raises an error with the reason."""
    try:
        check_cuda(device)
    except RuntimeError:
        return False
    return True


@lru_cache(maxsize=64)
def name_of(dtype: Any) -> str:
    """Returns NumPy's name for a type of any framework."""
    return str(getattr(dtype, "name", None) or str(dtype).rpartition(".")[2])


class Device(Host):
    """The interface to arrays on a device for _call.py (see Host): a subclass for each framework."""

    device_of: Callable[[Any], int]
    stream: Callable[[int], int]  # the framework's current stream
    address: Callable[[Any], int]
    strides: Callable[[Any], tuple[int, ...]]  # in bytes
    size: Callable[[Any], int]  # bytes of a sample
    assign: Callable[[Any, Any], None]

    def take(self, given: Any) -> Any:
        """Returns the caller's input or output. Raises TypeError for an array that cannot be used."""
        return given

    def native(self, array: Any) -> Any:
        return array

    def take_output(self, output: Any, array: Any, shape: tuple[int, ...]) -> Any:
        taken = take_on_device(output) if is_on_device(output) else None
        if taken is None or taken.kind is not self:
            raise TypeError("the output is not on a device, or of another framework than the input")
        found, interface = taken.array, getattr(output, "__cuda_array_interface__", None)
        # Arrays of PyTorch and CuPy are never read-only; for other arrays the interface says whether they are.
        if _framework_of(output) is None and interface and interface["data"][1]:
            raise ValueError("the output is read-only")
        if tuple(found.shape) != shape:
            raise ValueError(f"the output has shape {tuple(found.shape)}; it has to be {shape}")
        if self.device_of(found) != self.device_of(array):
            raise ValueError("the input and the output are on different devices")
        if any(step == 0 and n > 1 for step, n in zip(self.strides(found), shape)):
            raise ValueError("places of the output share their memory; pass a copy")
        return found

    def _span(self, array: Any) -> tuple[int, int]:
        """Returns the lowest address of the array's samples, and the address after its last byte."""
        first = last = self.address(array)
        for extent, stride in zip(array.shape, self.strides(array)):
            first += min(stride, 0) * (extent - 1)
            last += max(stride, 0) * (extent - 1)
        return first, last + self.size(array)

    def meet(self, one: Any, other: Any) -> bool:
        first, last = self._span(one)
        begin, end = self._span(other)
        return first < end and begin < last

    def copy(self, target: Any, source: Any) -> None:
        """Copies samples. Refuses arrays with misaligned samples: frameworks do not check the alignment, and a
        device that accesses such a sample becomes unusable for the process."""
        self._check_places(target)
        self._check_places(source)
        self.assign(target, source)

    def _check_places(self, array: Any) -> None:
        size = self.size(array)
        strides = (step for step, extent in zip(self.strides(array), array.shape) if extent > 1)
        if any(place % size for place in (self.address(array), *strides)):
            raise ValueError(
                f"samples of {size} bytes at addresses that are no multiple of it, which a device "
                "does not read; copy them to the host, or as bytes"
            )

    def _placed(self, array: Any) -> _core.Placed:
        number = TYPES.index(name_of(array.dtype))
        return self.address(array), tuple(array.shape), self.strides(array), number

    def _context(self, array: Any) -> tuple[_core.Context, int]:
        device = self.device_of(array)
        stream = self.stream(device)
        return context_of(device, stream), stream

    def filter(
        self, made: _core.Filter, source: Any, target: Any, first: Any, threads: Any
    ) -> None:
        context, stream = self._context(source)
        _core.filter_placed(
            context, made, self._placed(source), self._placed(target), first, stream
        )

    def move(
        self, axes: Sequence[int], flip: Sequence[int], source: Any, target: Any, threads: Any
    ) -> None:
        context, stream = self._context(source)
        _core.move_placed(context, axes, flip, self._placed(source), self._placed(target), stream)


class Torch(Device):
    def take(self, given: Any) -> Any:
        if given.requires_grad:
            raise TypeError("a tensor that requires a gradient, which is not there; pass .detach()")
        if given.is_neg() or given.is_conj():
            raise TypeError(
                "a tensor whose memory holds the negated or conjugated samples; pass "
                ".resolve_neg().resolve_conj()"
            )
        return given

    def device_of(self, array: Any) -> int:
        return int(array.device.index)

    def address(self, array: Any) -> int:
        return int(array.data_ptr())

    def size(self, array: Any) -> int:
        return int(array.element_size())

    def strides(self, array: Any) -> tuple[int, ...]:
        size = array.element_size()
        return tuple([stride * size for stride in array.stride()])

    def stream(self, device: int) -> int:
        torch = sys.modules["torch"]
        # This function of PyTorch returns the same as current_stream(), in a tenth of the time.
        raw = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)
        return int(raw(device) if raw else torch.cuda.current_stream(device).cuda_stream)

    def new(self, like: Any, shape: tuple[int, ...], dtype: Any = None) -> Any:
        return like.new_empty(shape, dtype=dtype)

    def like(self, array: Any, dtype: Any) -> Any:
        return sys.modules["torch"].empty_like(array, dtype=dtype)

    def type_of(self, dtype: Any) -> Any:
        return getattr(sys.modules["torch"], name_of(dtype), dtype)

    def assign(self, target: Any, source: Any) -> None:
        target.copy_(source)


class CuPy(Device):
    def take(self, given: Any) -> Any:
        if not given.dtype.isnative:
            raise TypeError(
                f"samples of type {given.dtype}, a foreign byte order, which a device does not read; "
                "change it on the host: array.astype(array.dtype.newbyteorder('='))"
            )
        return given

    def device_of(self, array: Any) -> int:
        return int(array.device.id)

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def size(self, array: Any) -> int:
        return int(array.itemsize)

    def strides(self, array: Any) -> tuple[int, ...]:
        return tuple(array.strides)

    def stream(self, device: int) -> int:
        return int(sys.modules["cupy"].cuda.get_current_stream(device).ptr)

    def new(self, like: Any, shape: tuple[int, ...], dtype: Any = None) -> Any:
        with like.device:
            return sys.modules["cupy"].empty(shape, dtype or like.dtype)

    def like(self, array: Any, dtype: Any) -> Any:
        with array.device:
            return sys.modules["cupy"].empty_like(array, dtype)

    def assign(self, target: Any, source: Any) -> None:
        with target.device:
            target[...] = source


TORCH, CUPY, HOST = Torch(), CuPy(), Host()


def _itself(made: Any) -> Any:
    return made


class Taken(NamedTuple):
    """A caller's array, the interface to its framework (`kind`: TORCH, CUPY or HOST), and a function that turns a
    result into an array of the caller's framework."""

    kind: Any
    array: Any
    back: Callable[[Any], Any]


def take(given: Any) -> Taken:
    """Finds the framework of a caller's array: TORCH, CUPY or HOST. Views an object in the host's memory as a NumPy
    array. Does not check the sample type."""
    if type(given) is not np.ndarray and is_on_device(given):
        return take_on_device(given)
    return Taken(HOST, as_numpy(given), _itself)


def take_on_device(given: Any) -> Taken:
    kind = _framework_of(given)
    if kind is None:
        return _adopt(given)
    return Taken(kind, kind.take(given), _itself)


def _framework_of(given: Any) -> Device | None:
    torch = getattr(sys.modules.get("torch"), "Tensor", None)
    if torch is not None and isinstance(given, torch) and given.is_cuda:
        return TORCH
    cupy = getattr(sys.modules.get("cupy"), "ndarray", None)
    return CUPY if cupy is not None and isinstance(given, cupy) else None


def is_on_device(given: Any) -> bool:
    """True for an array of PyTorch or CuPy on a device, or for another object that says that it is on one."""
    if _framework_of(given) is not None or hasattr(given, "__cuda_array_interface__"):
        return True
    return hasattr(given, "__dlpack_device__") and given.__dlpack_device__()[0] in DLPACK_CUDA


def _adopt(given: Any) -> Taken:
    """Returns another framework's array as an array of CuPy or PyTorch, without a copy. CuPy and PyTorch then wait for
    work that is pending on the given array's stream. If the array has a namespace of the array API standard, its
    from_dlpack() turns a result into an array of the same framework."""
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
    kind: Device = CUPY if cupy is not None else TORCH
    namespace = getattr(given, "__array_namespace__", None)
    back: Callable[[Any], Any] = namespace().from_dlpack if namespace else _itself
    return Taken(kind, kind.take(seen), back)
