#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the README's two commands, for build and test, in a Debian 12 with only its base system, and prints the time that
# each takes. Then installs smoothimg, and checks that pkg-config and the loader find the library. See debian.sh for
# what the script needs; exits with 77 where it cannot run.
#
# usage: tests/ci/clean/minimal.sh [FOLDER]    the system is made in FOLDER, and stays there
set -eu
cd "$(dirname "$0")/../../.."
# shellcheck source=tests/ci/clean/debian.sh
. tests/ci/clean/debian.sh

timed() {
    echo "== $1"
    TIMEFORMAT="== %R s, and %U + %S s of the processors: $1"
    time in_system "$system" sh -c "cd /smoothimg && $1"
}

need_clean_debian
make_place "$@"
system=$place
make_system "$system"
copy_sources "$system/smoothimg"

first=$(grep -x -m 1 '\./setup\.sh && build/smoothimg .*' README.md)
second=$(grep -x -m 1 '\./setup\.sh && meson test .*' README.md)
timed "$first"
timed "$second"
# shellcheck disable=SC2016 # the shell in the system expands $(...)
timed 'meson install -C build >/tmp/installed && ldconfig &&
    cc src/lib/examples/smooth.c -o /tmp/smooth $(pkg-config --cflags --libs smoothimg) && /tmp/smooth'
