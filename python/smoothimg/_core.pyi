# SPDX-License-Identifier: MIT
"""The compiled part of the package. It is private, because it does not check addresses and strides on a device."""

from typing import Any
from collections.abc import Sequence

MAX_RADIUS: int

# An array on a device: its address, its shape, its strides in bytes, and its sample type (smoothimg_type in
# smoothimg.h).
Placed = tuple[int, Sequence[int], Sequence[int], int]

def version() -> str: ...

class Context:
    def __init__(self, threads: int, device: int, stream: int) -> None: ...

class Filter:
    def __init__(
        self,
        terms: Sequence[Sequence[tuple[float, int, int, int, float]]],
        combination: int,
        norm: int,
        missing: int,
        adjoint: int,
        outside: float,
    ) -> None: ...

# Where a call on arrays computes: on a device by a context, or on the host by this number of threads (None: the
# default number).
Where = Context | int | None

def set_threads(threads: int) -> None: ...
def get_threads() -> int: ...
def chosen(threads: int | None) -> str: ...
def filter(where: Where, filter: Filter, first: Sequence[int] | None, src: Any, dst: Any) -> bool: ...
def move(where: Where, axes: Sequence[int], flip: Sequence[int], src: Any, dst: Any) -> bool: ...
