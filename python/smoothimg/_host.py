# SPDX-License-Identifier: MIT
"""Arrays in the host's memory: NumPy arrays, and objects that NumPy can make into arrays."""

from __future__ import annotations

from typing import Any
from collections.abc import Callable

import numpy as np

from . import _core  # pyright: ignore[reportPrivateUsage]
from ._arguments import check_threads

# NumPy can make an array from an object with one of these attributes. An object that has only __dlpack__ is converted
# through DLPack.
LOOKS = ("__array__", "__array_interface__", "__array_struct__", "__buffer__")


def set_threads(threads: int) -> None:
    """Sets the default number of threads for calls on the host, for the whole process. 0, the initial value, means one
    thread for each processor. The argument `threads` of a call overrides this default."""
    _core.set_threads(check_threads(threads))


def get_threads() -> int:
    """Returns the number of threads that `set_threads` has set; 0 means one for each processor."""
    return _core.get_threads()


def as_numpy(given: Any) -> Any:
    """Returns the object as a NumPy array. Copies only objects without a memory that NumPy can view, such as lists."""
    if hasattr(given, "__dlpack__") and not any(hasattr(given, name) for name in LOOKS):
        return np.from_dlpack(given)
    return np.asarray(given)


class Host:
    """The interface to arrays for _call.py. This class is for arrays in the host's memory; its subclasses in _cuda.py
    are for arrays on a device."""

    def new(self, like: Any, shape: tuple[int, ...] | None = None, dtype: Any = None) -> Any:
        """Returns a new array of the type `dtype`, or of the type of `like`, in native byte order. With a shape the
        array is contiguous; without one it has the shape of `like` and the same order of axes in memory."""
        dtype = (dtype or like.dtype).newbyteorder("=")
        return np.empty_like(like, dtype, subok=False) if shape is None else np.empty(shape, dtype)

    def type_of(self, dtype: Any) -> Any:
        """Returns the framework's own type for a NumPy type."""
        return dtype

    def take_output(self, output: Any, array: Any, shape: tuple[int, ...]) -> Any:
        """Checks a caller's output and returns it."""
        if not isinstance(output, np.ndarray):
            raise TypeError(f"the output is of type {type(output).__name__}; pass a NumPy array")
        found: Any = output  # pyright: ignore[reportUnknownVariableType]
        if found.shape != shape:
            raise ValueError(f"the output has shape {found.shape}; it has to be {shape}")
        if not found.flags.writeable:
            raise ValueError("the output is read-only")
        return found

    def fits(self, target: Any, source: Any) -> bool:
        """True if the library can write the target while it reads the source."""
        return bool(target.dtype.isnative) and not np.may_share_memory(source, target)

    def copy(self, target: Any, source: Any) -> None:
        target[...] = source

    def compute(self, function: Callable[..., bool], how: Any, source: Any, target: Any, threads: Any) -> None:
        """Calls a function of _core, with its arguments `how`, for arrays of real samples."""
        if not function(threads, *how, source, target):
            raise TypeError(f"samples of type {source.dtype} into {target.dtype}")
