#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests a release's wheel in clean Debians in which only Python is installed. pip installs the wheel with NumPy, and
# three lines of Python smooth an array. See debian.sh for what this needs; exits with 77 where it cannot run.
#
# usage: tests/ci/clean/wheel.sh WHEEL [CODENAME...]    versions of Debian; trixie and sid by default
set -eu
[ $# -ge 1 ] || {
    echo "usage: tests/ci/clean/wheel.sh WHEEL [CODENAME...]" >&2
    exit 2
}
wheel=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- trixie sid
cd "$(dirname "$0")/../../.."
# shellcheck source=tests/ci/clean/debian.sh
. tests/ci/clean/debian.sh

# Tests the wheel in the system $1. Keeps the wheel's file name, from which pip reads the platform.
try() {
    cp "$wheel" "$1/root/"
    cp /etc/ssl/certs/ca-certificates.crt "$1/root/"
    in_system "$1" apt-get install -q -y --no-install-recommends python3-venv >"$1/root/log"
    in_system "$1" python3 -m venv /root/venv
    in_system "$1" env PIP_CERT=/root/ca-certificates.crt /root/venv/bin/pip install -q \
        --disable-pip-version-check "/root/$(basename "$wheel")"
    in_system "$1" /root/venv/bin/python -c '
import importlib.util, platform, numpy, smoothimg
smooth = smoothimg.gaussian_filter(numpy.arange(5, dtype=numpy.uint8) * 50, sigma=1)
assert smooth.tolist() == [21, 53, 100, 147, 179], smooth
assert importlib.util.find_spec("scipy") is None
print(f"Python {platform.python_version()}, NumPy {numpy.__version__}: right;", end=" ")
try:
    smoothimg.check_cuda()
except RuntimeError as error:
    print(error)
'
}

need_clean_debian # the mirror that has version $codename has the other versions, too
make_place "$(mktemp -d)"
kept=no
for codename; do
    system=$place/$codename
    mkdir "$system"
    make_system "$system" >"$place/log"
    echo "Debian $codename: $(try "$system")"
done
