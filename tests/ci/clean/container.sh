#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the steps of the Containerfile without a container engine, and then the program in the system that they make.
#
# Each stage is a clean Debian in a folder (see debian.sh), and RUN runs a command in it by chroot. This test shows that
# the steps work, that the packages that they name exist, and that the program needs no other packages. It does not show
# how an engine reads the file. The base is debootstrap's smallest system, not the image that FROM names; there are no
# volumes, users or limits of a container.
#
# usage: tests/ci/clean/container.sh [FOLDER]    the systems are made in FOLDER, and stay there
set -eu
cd "$(dirname "$0")/../../.."
# shellcheck source=tests/ci/clean/debian.sh
. tests/ci/clean/debian.sh

# Runs the instruction FROM; the arguments are IMAGE [AS NAME].
begin_stage() {
    [ "$1" = "debian:$codename-slim" ] || fail "FROM $1: tested with Debian $codename only"
    stage=$stages/${3-last}
    workdir=/
    mkdir -p "$stage"
    make_system "$stage"
}

# Runs the instruction COPY; the arguments are [--from=STAGE] SOURCE... TARGET. Without --from, copies only files that
# git tracks.
copy() {
    local from=$stages/context target=${*: -1}
    case $1 in --from=*)
        from=$stages/${1#--from=}
        shift
        ;;
    esac
    set -- "${@:1:$#-1}"
    case $target in /*) ;; *) target=$workdir/$target ;; esac
    mkdir -p "$stage$target"
    for source; do
        # shellcheck disable=SC2086 # $source may be a pattern
        if [ "$source" = . ]; then cp -a "$from/." "$stage$target"; else cp -a "$from"/$source "$stage$target"; fi
    done
}

fail() {
    echo "container.sh: $1" >&2
    exit 1
}

step() {
    local instruction=$1
    shift
    case $instruction in
    FROM) begin_stage "$@" ;;
    WORKDIR)
        workdir=$1
        mkdir -p "$stage$1"
        ;;
    COPY) copy "$@" ;;
    RUN) in_system "$stage" sh -c "cd $workdir && $*" </dev/null ;;
    ENTRYPOINT) entry_point=$* ;;
    *) fail "$instruction: not known here" ;;
    esac
}

need_clean_debian
make_place "$@"
stages=$place
copy_sources "$stages/context"

# Without -r, `read` joins lines that end with a backslash.
# shellcheck disable=SC2162
while read line; do
    case $line in '' | '#'*) continue ;; esac
    echo "== $line"
    IFS=' ' read -r -a words <<<"$line"
    step "${words[@]}"
done <<<"$(cat Containerfile)" # read at once: a person may edit the file meanwhile

program=$(python3 -c 'import json, sys; print(*json.loads(sys.argv[1]))' "$entry_point")
mkdir -p "$stage/data/in"
cp images/*.p?? "$stage/data/in"
in_system "$stage" "$program" --version
in_system "$stage" "$program" -q --verify /data/in/chart.png /data/chart.png
echo 'container.sh: the program runs in what the Containerfile makes'
