# SPDX-License-Identifier: MIT
"""Runs SciPy's own tests of its Gaussian filters on this package's functions. Fails if a test fails that is not in
EXPECTED, or if a test in EXPECTED passes. Needs SciPy 1.15 or later, with its tests. With --cupy the functions get and
return CuPy arrays, so the tests run on a GPU."""

import inspect
import re
import sys
from pathlib import Path

from common import need

need("numpy", "scipy", "pytest", "hypothesis")
import numpy as np  # noqa: E402
import pytest  # noqa: E402
import scipy.ndimage  # noqa: E402

import smoothimg  # noqa: E402

NAMES = ("gaussian_filter", "gaussian_filter1d", "gaussian_laplace", "gaussian_gradient_magnitude")

# SciPy's tests that must fail here, with the sample types for which they fail ("": the test has no types). Most of
# these tests expect a value that SciPy rounds several times; this package rounds once.
EXPECTED = {
    # These tests demand that a sum of two rounded second derivatives equals the Laplacian. For their images the exact
    # sum, rounded, is another integer, or a float beyond the test's tolerance of 1.5e-6.
    "test_gaussian_laplace01": "int32 float32 complex64",
    "test_gaussian_laplace02": "int32 float32 complex64",
    "test_generic_laplace01": "int8 uint8 int16 uint16 int32 uint32 int64 uint64",
    # The test's expected value is the root of a sum of squares of rounded derivatives, truncated to an integer.
    "test_gaussian_gradient_magnitude01": "int32",
    "test_gaussian_gradient_magnitude02": "int32",
    # The test computes the expected value by one call for each axis. Each call rounds, so the last bit differs.
    "test_multiple_modes_sequentially": "",
    # The test expects an error for float16, which this package supports. (The second name is the test's name in SciPy
    # 1.15.)
    "test_gaussian_filter_float16": "",
    "test_gaussian_filter": "",
}


def is_expected(name):
    """Returns whether the test is expected to fail. name: for example TestClass::test_name[numpy-int32]."""
    test, *parameters = re.split(r"[\[\]-]", name.rpartition("::")[2])
    types = EXPECTED.get(test)
    return types == "" or bool(types) and not {*types.split()}.isdisjoint(parameters)


def on_gpu(function):
    """Returns a function that takes and returns NumPy arrays, and calls `function` with CuPy arrays."""
    import cupy

    def called(*arguments, **named):
        named = inspect.signature(function).bind(*arguments, **named).arguments
        output = named.get("output")
        for name in ("input", "output"):
            if isinstance(named.get(name), (np.ndarray, list)):
                named[name] = cupy.asarray(named[name])
        result = cupy.asnumpy(function(**named))
        if not isinstance(output, np.ndarray):
            return result
        output[...] = result
        return output

    return called


class Count:
    """A pytest plugin that counts the tests that call this package. place() gets a function of this package and returns
    the function that the tests call in its place: the same function, or on_gpu() of it."""

    def __init__(self, place):
        self.place = place
        self.called, self.passed, self.failed = False, [], []
        self.ours = {getattr(scipy.ndimage, name): self.replace(name) for name in NAMES}

    def pytest_collection_modifyitems(self, items):
        """Replaces SciPy's functions by this package's, also where they are parameters of tests. Does so only after
        pytest has collected the tests, because SciPy looks its functions up in a table during collection."""
        for name in NAMES:
            setattr(scipy.ndimage, name, self.ours[getattr(scipy.ndimage, name)])
        for item in items:
            values = getattr(getattr(item, "callspec", None), "params", {})
            for name, value in values.items():
                if callable(value) and value in self.ours:
                    values[name] = self.ours[value]

    def replace(self, name):
        ours = self.place(getattr(smoothimg, name))

        def called(*arguments, **named):
            self.called = True
            return ours(*arguments, **named)

        called.__name__ = name
        return called

    def pytest_runtest_setup(self, item):
        self.called = False

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and self.called:
            (self.passed if report.passed else self.failed).append(report.nodeid.split("::", 1)[1])


def main():
    suite = Path(scipy.ndimage.__file__).parent / "tests" / "test_filters.py"
    version = tuple(map(int, re.findall(r"\d+", scipy.__version__)[:2]))
    if version < (1, 15) or not suite.exists():
        print(f"skipped: SciPy {scipy.__version__} is too old, or came without its tests")
        return 77
    count = Count(on_gpu if sys.argv[1:] == ["--cupy"] else lambda function: function)
    folder = suite.parents[2]  # the tests need the conftest.py in this folder
    pytest.main(
        [
            *("-q", "-p", "no:cacheprovider", "--no-header", "--tb=short", "-W", "ignore"),
            *(f"--rootdir={folder}", f"--confcutdir={folder}", str(suite)),
        ],
        [count],
    )
    unexpected = [name for name in count.failed if not is_expected(name)]
    unexpected += [f"{name} passed" for name in count.passed if is_expected(name)]
    for name in unexpected:
        print(f"not as expected: {name}")
    print(
        f"SciPy {scipy.__version__}: {len(count.passed)} passed, {len(count.failed)} failed, "
        f"{len(unexpected)} not as expected"
    )
    return int(bool(unexpected) or len(count.passed) < 80)


if __name__ == "__main__":
    sys.exit(main())
