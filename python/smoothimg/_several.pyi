# SPDX-License-Identifier: MIT
"""Declares the type of the array that each call returns: a NumPy array for a NumPy array, Any for an array of another
framework."""

from typing import Any, overload
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ._arguments import Integers, Modes, Numbers

_Host = np.ndarray[Any, Any] | Sequence[Any] | complex | np.generic | memoryview
_Output = npt.DTypeLike | np.ndarray[Any, Any] | None

@overload
def hessian(
    input: _Host,
    sigma: Numbers,
    output: _Output = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Integers | None = None,
    axes: Integers | None = None,
    threads: int | None = None,
) -> npt.NDArray[Any]: ...
@overload
def hessian(
    input: object,
    sigma: Numbers,
    output: object = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Integers | None = None,
    axes: Integers | None = None,
    threads: int | None = None,
) -> Any: ...
@overload
def structure_tensor(
    input: _Host,
    sigma: Numbers,
    rho: Numbers,
    output: _Output = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    products: npt.DTypeLike | None = None,
    axes: Integers | None = None,
    threads: int | None = None,
) -> npt.NDArray[Any]: ...
@overload
def structure_tensor(
    input: object,
    sigma: Numbers,
    rho: Numbers,
    output: object = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    products: object = None,
    axes: Integers | None = None,
    threads: int | None = None,
) -> Any: ...
@overload
def difference_of_gaussians(
    input: _Host,
    low_sigma: Numbers,
    high_sigma: Numbers | None = None,
    output: _Output = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Integers | None = None,
    axes: Integers | None = None,
    threads: int | None = None,
) -> npt.NDArray[Any]: ...
@overload
def difference_of_gaussians(
    input: object,
    low_sigma: Numbers,
    high_sigma: Numbers | None = None,
    output: object = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Integers | None = None,
    axes: Integers | None = None,
    threads: int | None = None,
) -> Any: ...
@overload
def gaussian_filters(
    input: _Host,
    sigmas: Sequence[Numbers] | npt.NDArray[np.floating[Any] | np.integer[Any]],
    output: _Output = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Integers | None = None,
    axes: Integers | None = None,
    threads: int | None = None,
) -> npt.NDArray[Any]: ...
@overload
def gaussian_filters(
    input: object,
    sigmas: Sequence[Numbers] | npt.NDArray[np.floating[Any] | np.integer[Any]],
    output: object = None,
    mode: Modes = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Integers | None = None,
    axes: Integers | None = None,
    threads: int | None = None,
) -> Any: ...
