# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Functions for .ci/run and .ci/full, which source this file: they run checks and count them.
passed=0
failed=0
skipped=0
failures= # a line for each failure; conclude() prints them
how_to_test= # arguments that are added to the README's test command
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Tests that run only a sample of their cases (suite `sampled`) run another sample each day.
export SMOOTHIMG_TEST_TURN=$(($(date +%s) / 86400))
echo "SMOOTHIMG_TEST_TURN=$SMOOTHIMG_TEST_TURN"

# Prints the name of the next step, and the seconds so far.
heading() {
    echo "== [$SECONDS s] $1"
}

fail() {
    echo "FAILED: $1"
    failures="$failures$1
"
    failed=$((failed + 1))
}

# Runs a command and counts it as one check.
check() {
    heading "$*"
    if "$@" </dev/null; then
        passed=$((passed + 1))
    else
        fail "$*"
    fi
}

# Runs a command as one check. If it exits with 77, it cannot run here and counts as skipped.
check_if_possible() {
    heading "$*"
    "$@" </dev/null
    case $? in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) fail "$*" ;;
    esac
}

# Runs a shell command, whose last part is `meson test`, and adds the numbers of its summary to the totals.
# The command has failed if its summary has no passed test, or if it exits with an error without a
# failed test.
tests() {
    heading "$1"
    sh -c "$1" </dev/null 2>&1 | tee "$log"
    local status=${PIPESTATUS[0]} ok bad skip
    ok=$(sum 'Ok|Expected Fail')
    bad=$(sum 'Fail|Unexpected Pass|Timeout')
    skip=$(sum 'Skipped')
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ] || [ "$ok" -eq 0 ]; then
        fail "exit status $status of $1"
    fi
    failures="$failures$(grep -E '^ *[0-9]+/[0-9]+ .* (FAIL|TIMEOUT|UNEXPECTEDPASS) ' "$log")
"
    passed=$((passed + ok))
    failed=$((failed + bad))
    skipped=$((skipped + skip))
}

sum() {
    awk -v rows="^($1): " '$0 ~ rows {n += $NF} END {print n + 0}' "$log"
}

# Runs the README's test command.
readme_tests() {
    tests "$(grep -x -m 1 '\./setup\.sh && meson test .*' README.md) $how_to_test"
}

# Prints which tests the last `meson test` of the build folder $1 skipped, and why. Fails if one of them
# could have run after `./setup.sh --developer`.
no_skips() {
    python3 tests/ci/skips.py "$1"
}

# Runs a command that makes a build folder, in which warnings are errors.
strict() {
    CFLAGS=-Werror CXXFLAGS=-Werror "$@"
}

# Makes a build folder anew, after removing an old one.
configure() {
    rm -rf "$1" && meson setup "$@"
}

build() {
    configure "$@" && ninja -C "$1"
}

# Makes the build folder for tests under the sanitizers. With -O1 -g1 (-g1 records line numbers, but no
# variables) compiling takes half as long as with -O2 -g, and the compiler optimises fewer faults away.
configure_sanitized() {
    configure build-sanitized -Dcuda=disabled -Dpeers=disabled -Dtracing=disabled \
        -Db_sanitize=address,undefined -Doptimization=1 -Ddebug=true -Dc_args=-g1 -Dcpp_args=-g1
}

# True if nvcc is where Meson looks for it.
nvcc_is_here() {
    command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]
}

# Compiles the kernels by nvcc for the compute capabilities $1 (90 is 9.0); returns 77 without nvcc.
kernels_for() {
    nvcc_is_here || return 77
    configure build-cuda -Dcuda=enabled "-Dgpu_archs=$1" -Dpeers=disabled -Dtests=false &&
        ninja -C build-cuda kernels/libgpu_kernels.a
}

# Checks that clang-format would change no source.
formatted() {
    git ls-files -z '*.c' '*.h' '*.cu' '*.cuh' '*.cpp' | xargs -0 clang-format --dry-run -Werror
}

shell_scripts() {
    git ls-files -z '*.sh' .ci debian/tests/smoke debian/tests/library | xargs -0 shellcheck -x
}

# Checks the manuals. Runs in man/, because mandoc looks there for the other manuals that a manual refers to.
manuals() {
    (cd man && mandoc -T lint -W all ./*.1 ./*.7)
}

# Runs the checks that need no build.
lint() {
    check manuals
    check python3 tests/docs/manual.py clean man/smoothimg.3
    check shell_scripts
    check formatted
    check python3 tests/mutants/run.py --check
    check python3 tests/mutants/run.py --rate
}

# Prints the summary, and sets the exit status.
conclude() {
    [ "$skipped" -eq 0 ] || echo "skipped tests: $skipped"
    heading 'the end'
    printf '%s' "$failures" | sed '/^$/d; s/^/FAILED: /'
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
