# SPDX-License-Identifier: MIT
"""The compiled part. Private: it checks no address and no stride."""

from typing import Any
from collections.abc import Sequence

MAX_HALO: int

def version() -> str: ...

class Context:
    def __init__(self, threads: int, device: int) -> None: ...

class Filter:
    def __init__(
        self,
        halo: Sequence[int],
        sigma: Sequence[float],
        norm: int,
        edge: int,
        alpha: bool,
        skip_nan: bool,
    ) -> None: ...

class Images:
    def __init__(
        self,
        height: int,
        width: int,
        channels: int,
        sample_bytes: int,
        pitch: Sequence[int],
        batch: Sequence[Sequence[int]],
    ) -> None: ...

class Again:
    def __init__(self, filter: Filter, images: Images, src: Any, dst: Any) -> None: ...
    def run(self, context: Context, src: Any, dst: Any) -> bool: ...

class ArrayFilter:
    def __init__(
        self,
        axes: int,
        terms: Sequence[Sequence[tuple[int, float, int, int]]],
        magnitude: bool,
        outside: int | float,
    ) -> None: ...

def filter_array(
    context: Context,
    filter: ArrayFilter,
    src: Any,
    src_type: int,
    dst: Any,
    dst_type: int,
    first: Sequence[int] | None,
) -> None: ...
def filter_placed(
    context: Context,
    filter: ArrayFilter,
    shape: Sequence[int],
    src: tuple[int, Sequence[int], int],
    dst: tuple[int, Sequence[int], int],
    stream: int,
) -> None: ...
def run(
    context: Context,
    op: int,
    filter: Filter | None,
    images: Images,
    src: int,
    dst: int,
    stream: int | None,
) -> None: ...
