#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds the fuzz targets, and runs them one after another, beginning with the inputs that earlier runs have found.
#
#   tests/fuzz/fuzz.sh SECONDS [TARGET...]         by libFuzzer: jpeg, npy, pnm, png, tiff,
#                                                  options, requests
#   tests/fuzz/fuzz.sh --afl SECONDS [TARGET...]   by AFL++
#
# New inputs are kept in build-corpus/TARGET (AFL++: afl-TARGET), and the output in build-corpus/TARGET.log. An input on
# which the target crashes is left in build-found/ (AFL++: build-corpus/afl-TARGET/default/crashes/). Prints a line for
# each target, and fails if one has crashed.
set -u
cd "$(dirname "$0")/../.." || exit 1

build="build-fuzz"
compiler=clang
if [ "${1-}" = --afl ]; then
    build="build-afl"
    compiler=afl-clang-fast
    shift
fi
seconds=${1-}
shift
[[ $seconds =~ ^[0-9]+$ ]] || {
    echo "usage: tests/fuzz/fuzz.sh [--afl] SECONDS [TARGET...]" >&2
    exit 2
}
[ $# -gt 0 ] || set -- jpeg npy pnm png tiff options requests
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

make_targets() {
    if [ ! -f $build/build.ninja ]; then
        CC=$compiler meson setup $build -Dfuzzing=enabled -Dtests=false -Dcuda=disabled \
            -Dpeers=disabled -Dtracing=disabled -Db_lundef=false \
            -Db_sanitize=address,undefined -Dbuildtype=debugoptimized || return 1
    fi
    ninja -C $build smoothimg "${@/#/tests/fuzz/fuzz_}"
}

# Runs a target by libFuzzer without a check for leaks, and then once more on the gathered inputs, with one check for
# leaks at the end. With a check after each input a run takes ten times as long, since libnetpbm leaks whenever it
# refuses a header.
libfuzzer() {
    local target=$1 words=(-artifact_prefix="build-found/$1-" -timeout=20 -rss_limit_mb=1024)
    [ ! -f "tests/fuzz/dictionaries/$target.dict" ] || words+=("-dict=tests/fuzz/dictionaries/$target.dict")
    $build/tests/fuzz/fuzz_"$target" "${words[@]}" -detect_leaks=0 -max_len=2048 \
        -max_total_time="$seconds" -print_final_stats=1 "build-corpus/$target" \
        "build-seeds/$target" >"$log" 2>&1 &&
        $build/tests/fuzz/fuzz_"$target" "${words[@]}" -runs=0 "build-corpus/$target" \
            >>"$log" 2>&1
    local status=$?
    awk -v target="$target" '/ cov: / {line = $0; sub(/.* cov:/, "cov:", line); sub(/ exec.*/, "", line)}
        /DONE  / {done = line} /^Done/ {if (!ran) ran = $2 " executions in " $5 " s"}
        /::average_exec_per_sec/ {rate = $2 " a second"}
        END {printf "%-8s %s, %s, %s\n", target, ran, rate, done}' "$log"
    return $status
}

# Runs a target by AFL++, which keeps its inputs in build-corpus/afl-TARGET and continues an earlier run there.
afl() {
    local target=$1 words=(-i "build-seeds/$1" -o "build-corpus/afl-$1" -V "$seconds" -m none -t 2000)
    [ ! -d "build-corpus/afl-$target" ] || words[1]=-
    [ ! -f "tests/fuzz/dictionaries/$target.dict" ] || words+=(-x "tests/fuzz/dictionaries/$target.dict")
    AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 \
        afl-fuzz "${words[@]}" -- $build/tests/fuzz/fuzz_"$target" >"$log" 2>&1 || return 1
    awk -v target="$target" '$1 ~ /^(run_time|execs_done|execs_per_sec|corpus_count|bitmap_cvg|edges_found|total_edges|saved_crashes|saved_hangs)$/ {
        line = line ", " $1 " " $3} END {print "afl " target line}' \
        "build-corpus/afl-$target/default/fuzzer_stats"
    ! compgen -G "build-corpus/afl-$target/default/crashes/id*" >/dev/null
}

mkdir -p build-found build-seeds build-corpus
log="build-corpus/build.log"
make_targets "$@" >"$log" 2>&1 || {
    tail -n 30 "$log"
    exit 1
}
python3 tests/fuzz/seeds.py $build/smoothimg images build-seeds || exit 1
failed=0
for target; do
    mkdir -p "build-corpus/$target"
    log=build-corpus/$target.log
    if [ $build = build-afl ]; then afl "$target"; else libfuzzer "$target"; fi || {
        failed=1
        grep -vE ' (NEW|REDUCE|pulse) ' "$log" | tail -n 60
    }
done
exit $failed
