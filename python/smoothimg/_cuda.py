# SPDX-License-Identifier: MIT
"""Arrays in the memory of a CUDA device: PyTorch's, CuPy's, and others that describe their memory by
__cuda_array_interface__ or DLPack. No framework is imported here: a caller who has an array of a framework has imported
that framework."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any, NamedTuple
from collections.abc import Callable

import numpy as np

from . import _core  # pyright: ignore[reportPrivateUsage]
from ._arguments import check_int
from ._host import Host, as_numpy

DLPACK_CUDA = (2, 13)  # DLPack's device types kDLCUDA and kDLCUDAManaged

# The sample types, in the order of smoothimg.h.
TYPES: tuple[str, ...] = (
    *("uint8", "uint16", "float32", "bool", "int8", "int16"),
    *("int32", "uint32", "int64", "uint64", "float16", "float64"),
)


@lru_cache(maxsize=64)  # each context holds some of its device's memory
def context_of(device: int, stream: int) -> _core.Context:
    """Returns the library's context for a stream of a device. Each stream has a context of its own, so that calls on
    different streams do not wait for each other."""
    return _core.Context(1, device, stream)


def check_cuda(device: int = 0) -> None:
    """Opens a CUDA device. If its arrays cannot be filtered, raises RuntimeError with the reason: this build
    of the package has no CUDA, or there is no driver, or no such device."""
    number = check_int(device, "device", "the number of a CUDA device, an integer")
    if not 0 <= number < 2**31:  # _core.Context() takes a negative number for the host
        raise RuntimeError(f"there is no device {number}")
    context_of(number, 0)


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


class Memory(NamedTuple):
    """Where an array on a device is, and how its samples lie in memory."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in bytes
    size: int  # bytes of a sample
    device: int  # the number of the device

    def span(self) -> tuple[int, int]:
        """Returns the lowest address of the array's samples, and the address after its last byte. The array has
        samples."""
        last = [stride * (extent - 1) for stride, extent in zip(self.strides, self.shape)]
        first = self.address + sum(min(one, 0) for one in last)
        return first, self.address + sum(max(one, 0) for one in last) + self.size

    def is_apart(self, other: Memory) -> bool:
        (first, last), (begin, end) = self.span(), other.span()
        return end <= first or last <= begin


class Device(Host):
    """The interface to arrays on a device for _call.py (see Host): a subclass for each framework."""

    take: Callable[[Any], Any]  # returns a caller's array; raises TypeError for an array that cannot be used
    memory: Callable[[Any], Memory]
    stream: Callable[[int], int]  # the framework's current stream of a device
    assign: Callable[[Any, Any], None]

    def take_output(self, output: Any, array: Any, shape: tuple[int, ...]) -> Any:
        kind, found = take(output)
        if kind is not self:
            raise TypeError("the output is not on a device, or of another framework than the input")
        # Arrays of PyTorch and CuPy are never read-only; for other arrays the interface says whether they are.
        if framework_of(output) is None:
            interface = getattr(output, "__cuda_array_interface__", None)
            if interface and interface["data"][1]:
                raise ValueError("the output is read-only")
        if tuple(found.shape) != shape:
            raise ValueError(f"the output has shape {tuple(found.shape)}; it has to be {shape}")
        memory = self.memory(found)
        if memory.device != self.memory(array).device:
            raise ValueError("the input and the output are on different devices")
        if any(step == 0 and n > 1 for step, n in zip(memory.strides, shape)):
            raise ValueError("places of the output share their memory; pass a copy")
        return found

    def fits(self, target: Any, source: Any) -> bool:
        return self.memory(target).is_apart(self.memory(source))

    def copy(self, target: Any, source: Any) -> None:
        """Copies samples. Refuses arrays with misaligned samples: frameworks do not check the alignment, and a
        device that accesses such a sample becomes unusable for the process."""
        for address, shape, strides, size, _ in self.memory(target), self.memory(source):
            steps = (step for step, extent in zip(strides, shape) if extent > 1)
            if any(place % size for place in (address, *steps)):
                raise ValueError(
                    f"samples of {size} bytes at addresses that are no multiple of it, which a device "
                    "does not read; copy them to the host, or as bytes"
                )
        self.assign(target, source)

    def compute(self, function: Callable[..., bool], how: Any, source: Any, target: Any, threads: Any) -> None:
        self._launch(function, how, source, self.memory(source), target, self.memory(target))

    def _launch(
        self, function: Callable[..., bool], how: Any, source: Any, begin: Memory, target: Any, into: Memory
    ) -> None:
        """Calls a function of _core for arrays whose memory is `begin` and `into`."""
        types = TYPES.index(name_of(source.dtype)), TYPES.index(name_of(target.dtype))
        context = context_of(begin.device, self.stream(begin.device))
        function(context, *how, (*begin[:3], types[0]), (*into[:3], types[1]))

    def at_once(self, made: _core.Filter, array: Any, output: Any) -> Any:
        """Filters an array of this framework into `output`, or into a new array if `output` is None, and returns the
        result. Returns None if a copy or an error message is needed, which run() of _call.py makes. Without run() a
        small call takes half of the time."""
        if output is not None and framework_of(output) is not self:
            return None
        source = self.take(array)
        target = self.new(source) if output is None else self.take(output)
        begin, into = self.memory(source), self.memory(target)
        if name_of(source.dtype) not in TYPES or name_of(target.dtype) not in TYPES:
            return None
        if output is not None and (
            into.shape != begin.shape or into.device != begin.device or 0 in into.strides or not into.is_apart(begin)
        ):
            return None
        try:
            self._launch(_core.filter, (made, None), source, begin, target, into)
        except NotImplementedError:
            return None
        return target


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

    def memory(self, array: Any) -> Memory:
        size = array.element_size()
        strides = tuple([stride * size for stride in array.stride()])
        return Memory(array.data_ptr(), tuple(array.shape), strides, size, array.device.index)

    def stream(self, device: int) -> int:
        torch = sys.modules["torch"]
        # A private function of PyTorch, which versions may lack, returns current_stream().cuda_stream in a tenth of the time.
        raw = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)
        return int(raw(device) if raw else torch.cuda.current_stream(device).cuda_stream)

    def new(self, like: Any, shape: tuple[int, ...] | None = None, dtype: Any = None) -> Any:
        if shape is None:
            return sys.modules["torch"].empty_like(like, dtype=dtype)
        return like.new_empty(shape, dtype=dtype)

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

    def memory(self, array: Any) -> Memory:
        shape, strides = tuple(array.shape), tuple(array.strides)
        return Memory(array.data.ptr, shape, strides, array.itemsize, array.device.id)

    def stream(self, device: int) -> int:
        return int(sys.modules["cupy"].cuda.get_current_stream(device).ptr)

    def new(self, like: Any, shape: tuple[int, ...] | None = None, dtype: Any = None) -> Any:
        cupy, dtype = sys.modules["cupy"], dtype or like.dtype
        with like.device:
            return cupy.empty_like(like, dtype) if shape is None else cupy.empty(shape, dtype)

    def assign(self, target: Any, source: Any) -> None:
        with target.device:
            target[...] = source


TORCH, CUPY, HOST = Torch(), CuPy(), Host()


class Taken(NamedTuple):
    """A caller's array, and the interface to its framework: TORCH, CUPY or HOST."""

    kind: Any
    array: Any


def take(given: Any) -> Taken:
    """Finds the framework of a caller's array. Views an object in the host's memory as a NumPy array, and copies a
    NumPy array of foreign byte order. Does not check the sample type."""
    if type(given) is not np.ndarray:
        kind = framework_of(given)
        if kind is None and (
            hasattr(given, "__cuda_array_interface__")
            or (hasattr(given, "__dlpack_device__") and given.__dlpack_device__()[0] in DLPACK_CUDA)
        ):
            given = _adopt(given)
            kind = framework_of(given)
        if kind is not None:
            return Taken(kind, kind.take(given))
        given = as_numpy(given)
    native = given.dtype.isnative
    return Taken(HOST, given if native else given.astype(given.dtype.newbyteorder("=")))


def framework_of(given: Any) -> Device | None:
    torch = getattr(sys.modules.get("torch"), "Tensor", None)
    if torch is not None and isinstance(given, torch) and given.is_cuda:
        return TORCH
    cupy = getattr(sys.modules.get("cupy"), "ndarray", None)
    return CUPY if cupy is not None and isinstance(given, cupy) else None


def _adopt(given: Any) -> Any:
    """Returns another framework's array as an array of CuPy or PyTorch, without a copy. The current stream then waits
    for the work that is pending on the given array's stream."""
    modules: Any = sys.modules
    cupy, torch = modules.get("cupy"), modules.get("torch")
    if cupy is None and torch is None:
        raise TypeError(
            f"a {type(given).__name__} on a CUDA device; import cupy or torch first: results are "
            "allocated by one of them"
        )
    if hasattr(given, "__dlpack__"):
        return (cupy or torch).from_dlpack(given)
    if cupy:
        return cupy.asarray(given)
    interface = given.__cuda_array_interface__
    array = torch.as_tensor(given, device="cuda")
    if 0 not in array.shape and array.data_ptr() != interface["data"][0]:
        raise TypeError(f"a {type(given).__name__} that PyTorch copies; put it on the current device")
    stream = interface.get("stream")
    if stream is not None:  # as_tensor() does not wait for it; 1 is the default stream
        earlier = torch.cuda.default_stream() if stream == 1 else torch.cuda.ExternalStream(stream)
        torch.cuda.current_stream().wait_stream(earlier)
    return array
