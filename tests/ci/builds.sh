#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds smoothimg with several compilers, with and without optimisation, and for several processors. Tests each build
# with the known answers, the unit tests and random requests. Compares the images that the build generates with those in
# images/. Prints a line for each build: its name, what was checked, right or wrong. Exits with 1 if any build is wrong.
#
# usage: tests/ci/builds.sh [CONFIGURATION...]   without CONFIGURATION: all
# The environment variable SECONDS_OF_REQUESTS is the time for random requests (40 by default). Emulated processors get
# three times as long.
set -u
cd "$(dirname "$0")/../.." || exit 1

requests=${SECONDS_OF_REQUESTS-40}
units=(u128 u128_words basics codec api_errors)
wrong=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Prints the emulator that must run the programs of a build, or nothing.
runner() {
    case $1 in
    aarch64 | s390x) echo "qemu-$1" ;;
    esac
}

# shellcheck disable=SC2317 # the function `quietly` calls it
build() {
    local folder=build-$1 setup
    local targets=(smoothimg images/make_images tests/random/check
        tests/bounds/plain_floats)
    case $1 in
    *-O0) setup=(-Doptimization=0 -Ddebug=false) ;;
    *-O3) setup=(-Doptimization=3 -Ddebug=false) ;;
    *) setup=(--cross-file build-sysroots/place.ini --cross-file "tests/ci/cross/$1.ini") ;;
    esac
    targets+=("${units[@]/#/tests/unit/test_}")
    rm -rf "$folder"
    CC=${1%-O?} meson setup "$folder" -Dwerror=true -Dcuda=disabled -Dpeers=disabled \
        -Dtracing=disabled "${setup[@]}" && ninja -C "$folder" "${targets[@]}"
}

# Runs a command. If it fails, prints the end of its output.
quietly() {
    if "$@" >"$log" 2>&1; then
        return 0
    fi
    tail -n 20 "$log"
    return 1
}

# Tests known answers and the error bounds of fast paths, with the instruction set that SMOOTHIMG_CPU names.
answers() {
    local name=$1 run
    run=$(runner "$name")
    quietly python3 tests/definition/known_answers.py "$run build-$name/smoothimg" images || return
    known=$(tail -n 1 "$log")
    # shellcheck disable=SC2086 # $run is a list of words, or empty
    quietly $run "build-$name/tests/bounds/plain_floats"
}

# Tests random requests. Each request uses a random instruction set.
random_requests() {
    local run seconds=$requests
    run=$(runner "$1")
    [ -z "$run" ] || seconds=$((3 * requests))
    # shellcheck disable=SC2086 # $run is a list of words, or empty
    quietly $run "build-$1/tests/random/check" --engines "$seconds" || return
    cases=$(($(sed -n 's/.*: \([0-9]*\) requests right.*/\1/p' "$log" | paste -s -d +)))
}

unit_tests() {
    local run unit
    run=$(runner "$1")
    quietly python3 tests/definition/images.py "$run build-$1/images/make_images" images || return
    for unit in "${units[@]}"; do
        # shellcheck disable=SC2086 # $run is a list of words, or empty
        quietly $run "build-$1/tests/unit/test_$unit" || return
        checks=$((checks + $(sed -n 's/ checks, 0 failures//p' "$log")))
    done
    formats "$1" "$run" pnm known && formats "$1" "$run" pnm written && formats "$1" "$run" png kinds
}

# Runs the group $4 of tests/cli/formats/$3.py for the program of the build $1. $2 is the emulator for that program, or
# empty.
formats() {
    local here=$PWD/build-$1/here
    printf '#!/bin/sh\nexec %s "$@"\n' "$2 $PWD/build-$1/smoothimg" >"$here"
    chmod +x "$here"
    PYTHONPATH=tests/definition:tests/cli:tests/cli/formats quietly python3 "tests/cli/formats/$3.py" "$here" images "$4"
}

# Prints the instruction sets that the program of a build can use, on this machine or in the emulator.
levels() {
    echo base
    case $1 in
    *-O?)
        if has avx2; then echo avx2; fi
        if has avx512bw; then echo avx512; fi
        if has avx512_vnni; then echo vnni; fi
        ;;
    aarch64) echo neon ;;
    esac
}

has() {
    grep -m 1 '^flags' /proc/cpuinfo | grep -q -w "$1"
}

check_levels() {
    local level
    for level in $(levels "$1"); do
        SMOOTHIMG_CPU=$level answers "$1" || return
    done
}

check() {
    local checks=0 cases=0 known='' begun=$SECONDS verdict=right
    quietly build "$1" && unit_tests "$1" && random_requests "$1" && check_levels "$1" || verdict=WRONG
    echo "$1: levels $(levels "$1" | paste -s -d ' '), at each ${known:-none}; $cases" \
        "requests, $checks checks of units: $verdict, $((SECONDS - begun)) s"
    [ $verdict = right ]
}

[ $# -gt 0 ] || set -- gcc-O0 gcc-O3 clang-O0 clang-O3 i686 aarch64 s390x
for name; do
    check "$name" || wrong=1
done
exit $wrong
