# SPDX-License-Identifier: MIT
"""SciPy's own tests of its Gaussian filters, with this package's functions in their place:
scipy_suite.py [FOLDER], where the package is. Fails where a test fails that is not in EXPECTED. Needs
SciPy with its tests, and pytest."""

import importlib.util
import sys
from pathlib import Path

NAMES = ("gaussian_filter", "gaussian_filter1d", "gaussian_laplace", "gaussian_gradient_magnitude")

# Tests that fail since a result is rounded once, or is there at all; their names begin so.
ONCE = "expects the sum of two filters that were rounded, and here the Laplacian is one exact sum"
EXPECTED = {
    "TestNdimageFilters::test_gaussian_laplace01[numpy-int32]": ONCE,
    "TestNdimageFilters::test_gaussian_laplace01[numpy-float32]": ONCE,
    "TestNdimageFilters::test_gaussian_laplace01[numpy-complex64]": ONCE,
    "TestNdimageFilters::test_gaussian_laplace02[numpy-int32]": ONCE,
    "TestNdimageFilters::test_gaussian_laplace02[numpy-float32]": ONCE,
    "TestNdimageFilters::test_gaussian_laplace02[numpy-complex64]": ONCE,
    "TestNdimageFilters::test_generic_laplace01[numpy-int": ONCE,
    "TestNdimageFilters::test_generic_laplace01[numpy-uint": ONCE,
    "TestNdimageFilters::test_gaussian_gradient_magnitude01[numpy-int32]": "expects a root that is "
    "cut off, of derivatives that were cut off",
    "TestNdimageFilters::test_gaussian_gradient_magnitude02[numpy-int32]": "the same",
    "test_multiple_modes_sequentially[numpy]": "expects what two filters give, each rounded",
    "test_gaussian_filter_float16[numpy]": "expects that float16 is refused",
}

missing = [name for name in ("numpy", "scipy", "pytest") if not importlib.util.find_spec(name)]
if missing:
    print(f"skipped: {sys.executable} has no module {', '.join(missing)}")
    sys.exit(77)
if len(sys.argv) > 1:
    sys.path.insert(0, sys.argv[1])

import pytest  # noqa: E402
import scipy.ndimage  # noqa: E402

import smoothimg  # noqa: E402


class Count:
    """Of the tests that called us."""

    def __init__(self):
        self.called, self.passed, self.failed = False, [], []
        self.ours = {getattr(scipy.ndimage, name): self.replace(name) for name in NAMES}

    def pytest_collection_modifyitems(self, items):
        """Not before: SciPy looks its functions up in a table when tests are collected."""
        for name in NAMES:
            setattr(scipy.ndimage, name, self.ours[getattr(scipy.ndimage, name)])
        for item in items:
            values = getattr(getattr(item, "callspec", None), "params", {})
            for name, value in values.items():
                if callable(value) and value in self.ours:
                    values[name] = self.ours[value]

    def replace(self, name):
        ours = getattr(smoothimg, name)

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
    if not suite.exists():
        print("skipped: this SciPy came without its tests")
        return 77
    count = Count()
    folder = suite.parents[2]  # whose conftest.py the tests need
    pytest.main(
        [
            *("-q", "-p", "no:cacheprovider", "--no-header", "--tb=short", "-W", "ignore"),
            *(f"--rootdir={folder}", f"--confcutdir={folder}", str(suite)),
        ],
        [count],
    )
    unexpected = [name for name in count.failed if not name.startswith(tuple(EXPECTED))]
    missing = [name for name in EXPECTED if not any(one.startswith(name) for one in count.failed)]
    for name in unexpected:
        print(f"failed: {name}")
    for name in missing:
        print(f"passed, and was expected to fail: {name}")
    print(
        f"{len(count.passed)} passed, {len(count.failed)} failed, of which "
        f"{len(count.failed) - len(unexpected)} were expected to"
    )
    return len(unexpected) + len(missing) > 0 or not count.passed


if __name__ == "__main__":
    sys.exit(main())
