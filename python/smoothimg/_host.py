# SPDX-License-Identifier: MIT
"""Arrays in the host's memory: NumPy's, and what NumPy can look at without a copy."""

from __future__ import annotations

import threading
from typing import Any
from collections.abc import Sequence

import numpy as np

from . import _core
from ._arguments import SAMPLES, check_samples

LOOKS = ("__array__", "__array_interface__", "__array_struct__", "__buffer__")


class _Thread(threading.local):
    def __init__(self) -> None:
        self.contexts: dict[int, _core.Context] = {}  # by their threads


_thread = _Thread()


def as_numpy(given: Any) -> Any:
    """As NumPy sees it: without a copy, but for lists."""
    if type(given) is np.ndarray:
        return given
    if hasattr(given, "__dlpack__") and not any(hasattr(given, name) for name in LOOKS):
        return np.from_dlpack(given)
    return np.asarray(given)


def _look(given: Any) -> Any:
    """Lists are no arrays, but for those of arrays: their samples have a type."""
    try:
        array = as_numpy(given)
        if array.dtype.name in SAMPLES or any(
            hasattr(given, name) for name in (*LOOKS, "__dlpack__")
        ):
            return array
    except ValueError:  # lists of several lengths
        pass
    raise TypeError(
        f"{type(given).__name__} is no array; pass uint8, uint16 or float32 in one: "
        "numpy.array(samples, numpy.uint8)"
    )


class Host:
    """What _operations.py needs of a kind of arrays. _cuda.py has the other kinds."""

    def accept(self, given: Any) -> Any:
        """As an array that can be described by an address and strides. Raises TypeError for samples
        of another type."""
        array = _look(given)
        check_samples(array.dtype.name, ".astype(numpy.float32)")
        if not (array.dtype.isnative and array.flags.aligned):
            array = array.astype(array.dtype.newbyteorder("="))
        return array

    def check_out(self, out: Any, like: Any, shape: tuple[int, ...]) -> None:
        self.check_place(out, shape)
        if out.dtype.type != like.dtype.type:
            raise TypeError(f"the output has samples of type {out.dtype}, the input {like.dtype}")

    def check_place(self, out: Any, shape: tuple[int, ...]) -> None:
        """For samples of any type."""
        if not isinstance(out, np.ndarray):
            raise TypeError(f"the output is of type {type(out).__name__}; pass a NumPy array")
        if out.shape != shape:
            raise ValueError(f"the output has shape {out.shape}; it has to be {shape}")
        if not out.flags.writeable:
            raise ValueError("the output is read-only")

    def direct(self, out: Any, source: Any) -> bool:
        """Can the library write into it, while it reads the source?"""
        fit: bool = (
            out.dtype.isnative and out.flags.aligned and not np.may_share_memory(out, source)
        )
        return fit

    def strides(self, array: Any) -> tuple[int, ...]:
        found: tuple[int, ...] = array.strides
        return found

    def size(self, array: Any) -> int:
        return int(array.itemsize)

    def address(self, array: Any) -> int:
        return int(array.__array_interface__["data"][0])

    def empty(self, like: Any, shape: tuple[int, ...], order: Sequence[int]) -> Any:
        """A new array of like's type, without gaps; order: its axes, the outermost first."""
        made = np.empty([shape[axis] for axis in order], like.dtype)
        return made.transpose(np.argsort(order))

    def copy(self, target: Any, source: Any) -> None:
        target[...] = source

    def context(self, array: Any, threads: int) -> tuple[_core.Context, int | None]:
        """A context of this thread, and no stream."""
        context = _thread.contexts.get(threads)
        if context is None:
            context = _thread.contexts[threads] = _core.Context(threads, -1)
        return context, None

    def again(self, filter_: _core.Filter, images: _core.Images, src: Any, dst: Any) -> Again:
        return Again(self, _core.Again(filter_, images, src, dst))


class Again:
    """How to smooth arrays of NumPy that are alike."""

    def __init__(self, host: Host, again: _core.Again) -> None:
        self._host, self._again = host, again

    def smooth(self, image: Any, out: Any, threads: int) -> Any:
        target = np.empty_like(image) if out is None else out
        context, _ = self._host.context(image, threads)
        return target if self._again.run(context, image, target) else None
