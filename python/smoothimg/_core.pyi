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
    def __init__(self, threads: int, device: int) -> None: ...

class Filter:
    def __init__(
        self,
        axes: int,
        terms: Sequence[Sequence[tuple[float, int, int, int, float]]],
        combination: int,
        norm: int,
        missing: int,
        outside: float,
        adjoint: int,
    ) -> None: ...

def set_threads(threads: int) -> None: ...
def get_threads() -> int: ...
def chosen(threads: int | None) -> str: ...
def filter(
    threads: int | None, filter: Filter, src: Any, dst: Any, first: Sequence[int] | None
) -> bool: ...
def move(
    threads: int | None, axes: Sequence[int], flip: Sequence[int], src: Any, dst: Any
) -> bool: ...
def filter_placed(
    context: Context,
    filter: Filter,
    src: Placed,
    dst: Placed,
    first: Sequence[int] | None,
    stream: int,
) -> None: ...
def move_placed(
    context: Context,
    axes: Sequence[int],
    flip: Sequence[int],
    src: Placed,
    dst: Placed,
    stream: int,
) -> None: ...
