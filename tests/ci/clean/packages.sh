#!/bin/bash
# SPDX-License-Identifier: MIT
# Installs Debian packages by apt in a clean Debian, as a user would. Finds the manuals, types lines that bash, zsh and
# fish complete, and runs the packages' own tests. Then removes the packages, and checks that they leave no files. See
# debian.sh for what the script needs; exits with 77 where it cannot run.
#
# usage: tests/ci/clean/packages.sh DEBS [FOLDER]    DEBS has the packages; the system is made in FOLDER,
#                                                    and stays there
set -eu
cd "$(dirname "$0")/../../.."
# shellcheck source=tests/ci/clean/debian.sh
. tests/ci/clean/debian.sh
: "${1:?the folder of the packages}"
wrong=0

# Runs the command $2 in the system's copy of the sources, and prints the outcome under the name $1.
check() {
    if in_system "$system" sh -c "cd /smoothimg && $2" >"$system/tmp/log" 2>&1; then
        echo "clean Debian: $1: right"
    else
        echo "clean Debian: $1: WRONG"
        tail -n 40 "$system/tmp/log"
        wrong=1
    fi
}

# Lists the system's packages, and all its paths except caches, logs, the files of apt and dpkg, /tmp and /packages.
content() {
    # shellcheck disable=SC2016 # ${Package} is for dpkg-query, not for the shell
    in_system "$system" dpkg-query -W -f 'package ${Package} ${db:Status-Abbrev}\n'
    (cd "$system" && find . -xdev -path ./var/cache -prune -o -path ./var/log -prune -o -path ./var/lib/apt \
        -prune -o -path ./var/lib/dpkg -prune -o -path ./tmp -prune -o -path ./packages -prune -o -print)
}

need_clean_debian
make_place "${@:2}"
system=$place
make_system "$system"
copy_sources "$system/smoothimg"
mkdir "$system/packages"
cp "$1"/*.deb "$system/packages"
mapfile -t names < <(for deb in "$1"/*.deb; do dpkg-deb -f "$deb" Package; done | grep -v dbgsym)

# Installs packages that the checks use, before the list of packages is taken.
in_system "$system" sh -c 'apt-get update -q && apt-get install -q -y --no-install-recommends \
    man-db bash-completion zsh fish python3 gcc libc6-dev pkg-config cmake make' >"$system/tmp/log" 2>&1
content >"$system/tmp/before"

check 'apt-get install' "apt-get install -q -y --no-install-recommends \
    $(printf '/packages/%s_*.deb ' "${names[@]}")"
for page in '1 smoothimg' '1 smoothimg-bench' '3 smoothimg' '7 smoothimg-memory' smoothimg; do
    check "man $page" "man $page | grep -q 'smooth'"
done
# shellcheck disable=SC2016 # the shell in the system expands $(...)
check 'whatis' 'mandb -q; whatis smoothimg && [ "$(whatis smoothimg | grep -c "^smoothimg ([13])")" = 2 ]'
for shell in bash zsh fish; do
    check "completions in $shell" \
        "python3 -B tests/docs/typed_completions.py /usr/bin/smoothimg $shell installed"
done
check 'the programs' 'debian/tests/smoke'
check 'the library' 'debian/tests/library'
if [[ " ${names[*]} " == *' python3-smoothimg '* ]]; then
    check 'the Python package' 'debian/tests/python'
else
    echo 'clean Debian: there is no Python package to check'
fi
check 'apt-get purge' "apt-get purge -q -y --autoremove ${names[*]}"
content >"$system/tmp/after"
check 'nothing is left' 'sort /tmp/before > /tmp/1; sort /tmp/after > /tmp/2; diff /tmp/1 /tmp/2'
exit "$wrong"
