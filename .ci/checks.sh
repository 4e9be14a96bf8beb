# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For .ci/run and .ci/full, which source it: checks are run and counted here.
passed=0
failed=0
skipped=0
failures= # a line for each, said again at the end
how_to_test= # what is added to README's test command
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Tests that take a sample of their cases (suite `sampled`) take another one each day.
export SMOOTHIMG_TEST_TURN=$(($(date +%s) / 86400))
echo "SMOOTHIMG_TEST_TURN=$SMOOTHIMG_TEST_TURN"

# What comes now, and the seconds until here.
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

# Runs a command that exits with 77 where it cannot run: then it is skipped.
check_if_possible() {
    heading "$*"
    "$@" </dev/null
    case $? in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) fail "$*" ;;
    esac
}

# Runs a shell line that ends in `meson test`, and adds up its summary; without one, it has failed.
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

# The README's test command.
readme_tests() {
    tests "$(grep -x -m 1 '\./setup\.sh && meson test .*' README.md) $how_to_test"
}

# Says which tests the last `meson test` of a build folder skipped, and why. False: one could have run.
no_skips() {
    python3 tests/ci/skips.py "$1"
}

# A warning is an error in a build folder that the command makes.
strict() {
    CFLAGS=-Werror CXXFLAGS=-Werror "$@"
}

# A build folder of its own, from nothing.
configure() {
    rm -rf "$1" && meson setup "$@"
}

build() {
    configure "$@" && ninja -C "$1"
}

# For the tests under the sanitizers. -O1 with the lines of the source, but not its variables, takes
# half as long to compile as -O2 -g, and fewer faults are optimised away.
configure_sanitized() {
    configure build-sanitized -Dcuda=disabled -Dpeers=disabled -Dtracing=disabled \
        -Db_sanitize=address,undefined -Doptimization=1 -Ddebug=true -Dc_args=-g1 -Dcpp_args=-g1
}

# Where Meson looks for it.
nvcc_is_here() {
    command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]
}

# Kernels as nvcc compiles them; 77 where it is not.
kernels_for() {
    nvcc_is_here || return 77
    configure build-cuda -Dcuda=enabled "-Dgpu_archs=$1" -Dpeers=disabled -Dtests=false &&
        ninja -C build-cuda kernels/libgpu_kernels.a
}

# Every source is as clang-format writes it.
formatted() {
    git ls-files -z '*.c' '*.h' '*.cu' '*.cuh' '*.cpp' | xargs -0 clang-format --dry-run -Werror
}

shell_scripts() {
    git ls-files -z '*.sh' .ci debian/tests/smoke debian/tests/library | xargs -0 shellcheck -x
}

# In their folder, where mandoc looks for the pages that they refer to.
manuals() {
    (cd man && mandoc -T lint -W all ./*.1 ./*.7)
}

# What takes no build.
lint() {
    check manuals
    check python3 tests/docs/manual.py clean man/smoothimg.3
    check shell_scripts
    check formatted
    check python3 tests/mutants/run.py --check
    check python3 tests/mutants/run.py --rate
}

# The line that everything ends with, and the exit status.
conclude() {
    [ "$skipped" -eq 0 ] || echo "skipped tests: $skipped"
    heading 'the end'
    printf '%s' "$failures" | sed '/^$/d; s/^/FAILED: /'
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
