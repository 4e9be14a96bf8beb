#!/bin/bash
# SPDX-License-Identifier: MIT
# Makes a release's wheel for 64-bit ARM and runs the Python package's tests on it, without an ARM machine. In a clean
# Debian of this machine's architecture, only Python and its libraries are for ARM. QEMU runs Python by binfmt_misc
# (qemu-user-static). So Python reports an ARM machine, and pip builds for ARM. The compilers are cross compilers, since
# compilers would be slow in QEMU. See debian.sh for what this needs; exits with 77 where it cannot run.
#
# usage: tests/ci/clean/wheel_arm64.sh FOLDER    FOLDER gets the wheel
set -eu
[ $# -eq 1 ] || {
    echo "usage: tests/ci/clean/wheel_arm64.sh FOLDER" >&2
    exit 2
}
mkdir -p "$1"
folder=$(realpath "$1")
cd "$(dirname "$0")/../../.."
# shellcheck source=tests/ci/clean/debian.sh
. tests/ci/clean/debian.sh
# shellcheck source=tests/ci/steps.sh
. tests/ci/steps.sh # with `set -e` a step that fails ends the script

# Installs Python for ARM. Uses dpkg-deb to unpack the packages that `python3 -m venv` needs, since apt would install
# pip's wheel only together with a Python of this machine's architecture.
# shellcheck disable=SC2016 # the shell in the system expands $deb
foreign_python() {
    in_system "$system" dpkg --add-architecture arm64 && in_system "$system" apt-get update -q &&
        in_system "$system" apt-get install -q -y --no-install-recommends \
            ca-certificates git ninja-build g++-aarch64-linux-gnu python3:arm64 python3-dev:arm64 libstdc++6:arm64 &&
        in_system "$system" sh -c 'cd /tmp && apt-get download python3.13-venv:arm64 python3-pip-whl \
            python3-setuptools-whl && for deb in *.deb; do dpkg-deb -x "$deb" / || exit; done'
}

on_arm() {
    in_system "$system" env PIP_CERT=/root/ca-certificates.crt PIP_NO_COMPILE=1 AR=aarch64-linux-gnu-ar \
        CC=aarch64-linux-gnu-gcc CXX=aarch64-linux-gnu-g++ STRIP=aarch64-linux-gnu-strip "$@"
}

install_wheel() {
    on_arm python3 -m venv /root/venv && on_arm sh -c \
        '/root/venv/bin/pip install numpy scipy pytest hypothesis /root/wheels/*_aarch64.whl'
}

run_test() {
    on_arm /root/venv/bin/python /root/source/python/tests/run.py installed "$1"
}

need_clean_debian # the mirror that has version $codename has the other versions, too
[ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] || skip 'binfmt_misc does not run programs for ARM in QEMU'
codename=trixie # the first Debian whose Python has the stable ABI of the wheel
make_place "$(mktemp -d)"
kept=no
log=$place/log
system=$place/system
mkdir "$system"
step 'a clean Debian' make_system "$system"
cp /etc/ssl/certs/ca-certificates.crt "$system/root/"
git clone -q . "$system/root/source"
step "ARM's Python" foreign_python
on_arm /root/source/tests/ci/wheels.sh /root/wheels
cp "$system"/root/wheels/*.whl "$folder"
step 'NumPy, SciPy and the wheel' install_wheel
# test_calls is left out, since its time limits are too short in QEMU.
for test in same_bytes again arguments arrays dlpack floats layouts scipy; do
    step "test_$test" run_test "test_$test.py"
done
step "SciPy's own tests" run_test scipy_suite.py
