# SPDX-License-Identifier: MIT
"""Declares the type of the array that each call returns: a NumPy array for a NumPy array, Any for an array of another
framework."""

# pyright: reportInvalidTypeVarUse=false
# In a call without `output` the type variables take their defaults, which is intended here.

from typing import Any, SupportsIndex, overload
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeVar

from ._arguments import Integers, Mode, Modes, Nan, Number, Numbers

_Sample = TypeVar("_Sample", bound=np.generic, default=Any)
_Array = TypeVar("_Array", bound=np.ndarray[Any, Any], default=npt.NDArray[Any])
_Type = type[_Sample] | np.dtype[_Sample]
_Host = np.ndarray[Any, Any] | Sequence[Any] | complex | np.generic | memoryview

@overload
def gaussian_filter(
    input: npt.NDArray[_Sample],
    sigma: Numbers,
    order: Integers = 0,
    output: None = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Integers | None = None,
    axes: Integers | None = None,
    nan: Nan = "propagate",
    threads: int | None = None,
) -> npt.NDArray[_Sample]: ...
@overload
def gaussian_filter(
    input: _Host,
    sigma: Numbers,
    order: Integers = 0,
    output: _Array = ...,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Integers | None = None,
    axes: Integers | None = None,
    nan: Nan = "propagate",
    threads: int | None = None,
) -> _Array: ...
@overload
def gaussian_filter(
    input: _Host,
    sigma: Numbers,
    order: Integers = 0,
    output: _Type[_Sample] = ...,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Integers | None = None,
    axes: Integers | None = None,
    nan: Nan = "propagate",
    threads: int | None = None,
) -> npt.NDArray[_Sample]: ...
@overload
def gaussian_filter(
    input: _Host,
    sigma: Numbers,
    order: Integers = 0,
    output: npt.DTypeLike | None = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Integers | None = None,
    axes: Integers | None = None,
    nan: Nan = "propagate",
    threads: int | None = None,
) -> npt.NDArray[Any]: ...
@overload
def gaussian_filter(
    input: object,
    sigma: Numbers,
    order: Integers = 0,
    output: object = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Integers | None = None,
    axes: Integers | None = None,
    nan: Nan = "propagate",
    threads: int | None = None,
) -> Any: ...
@overload
def gaussian_filter1d(
    input: npt.NDArray[_Sample],
    sigma: Number,
    axis: SupportsIndex = -1,
    order: SupportsIndex = 0,
    output: None = None,
    mode: Mode = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: SupportsIndex | None = None,
    threads: int | None = None,
) -> npt.NDArray[_Sample]: ...
@overload
def gaussian_filter1d(
    input: _Host,
    sigma: Number,
    axis: SupportsIndex = -1,
    order: SupportsIndex = 0,
    output: _Array = ...,
    mode: Mode = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: SupportsIndex | None = None,
    threads: int | None = None,
) -> _Array: ...
@overload
def gaussian_filter1d(
    input: _Host,
    sigma: Number,
    axis: SupportsIndex = -1,
    order: SupportsIndex = 0,
    output: _Type[_Sample] = ...,
    mode: Mode = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: SupportsIndex | None = None,
    threads: int | None = None,
) -> npt.NDArray[_Sample]: ...
@overload
def gaussian_filter1d(
    input: _Host,
    sigma: Number,
    axis: SupportsIndex = -1,
    order: SupportsIndex = 0,
    output: npt.DTypeLike | None = None,
    mode: Mode = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: SupportsIndex | None = None,
    threads: int | None = None,
) -> npt.NDArray[Any]: ...
@overload
def gaussian_filter1d(
    input: object,
    sigma: Number,
    axis: SupportsIndex = -1,
    order: SupportsIndex = 0,
    output: object = None,
    mode: Mode = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: SupportsIndex | None = None,
    threads: int | None = None,
) -> Any: ...
@overload
def gaussian_laplace(
    input: npt.NDArray[_Sample],
    sigma: Numbers,
    output: None = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    *,
    axes: Integers | None = None,
    truncate: float = 4.0,
    radius: Integers | None = None,
    threads: int | None = None,
) -> npt.NDArray[_Sample]: ...
@overload
def gaussian_laplace(
    input: _Host,
    sigma: Numbers,
    output: _Array = ...,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    *,
    axes: Integers | None = None,
    truncate: float = 4.0,
    radius: Integers | None = None,
    threads: int | None = None,
) -> _Array: ...
@overload
def gaussian_laplace(
    input: _Host,
    sigma: Numbers,
    output: _Type[_Sample] = ...,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    *,
    axes: Integers | None = None,
    truncate: float = 4.0,
    radius: Integers | None = None,
    threads: int | None = None,
) -> npt.NDArray[_Sample]: ...
@overload
def gaussian_laplace(
    input: _Host,
    sigma: Numbers,
    output: npt.DTypeLike | None = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    *,
    axes: Integers | None = None,
    truncate: float = 4.0,
    radius: Integers | None = None,
    threads: int | None = None,
) -> npt.NDArray[Any]: ...
@overload
def gaussian_laplace(
    input: object,
    sigma: Numbers,
    output: object = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    *,
    axes: Integers | None = None,
    truncate: float = 4.0,
    radius: Integers | None = None,
    threads: int | None = None,
) -> Any: ...

gaussian_gradient_magnitude = gaussian_laplace
