#!/bin/bash
# SPDX-License-Identifier: MIT
# The README's two commands in a Debian 12 with its base system and nothing else, and the time that each
# takes. The packages come from the mirror that this machine's apt uses.
# Needs root, debootstrap and 2 GB of space; exits with 77 where it cannot run.
#
# usage: tests/ci/minimal.sh [FOLDER]    the system is made in FOLDER, and stays there
set -eu
cd "$(dirname "$0")/../.."
codename=bookworm

skip() {
    echo "minimal.sh: skipped: $1"
    exit 77
}

# Where apt gets that Debian's packages.
mirror() {
    # shellcheck disable=SC2016 # apt's own variables
    apt-get indextargets --format '$(CODENAME) $(SITE)' 'Identifier: Packages' |
        sed -n "s/^$codename //p" | sort -u | head -n 1
}

# shellcheck disable=SC2317 # the trap calls it
clean_up() {
    umount "$system/dev/pts" "$system/proc" 2>/dev/null || true
    [ "$kept" = yes ] || rm -rf --one-file-system "$system"
}

# Runs a line in the new system's copy of the sources.
in_system() {
    chroot "$system" env -i ${http_proxy+"http_proxy=$http_proxy"} HOME=/root \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "cd /smoothimg && $1"
}

timed() {
    echo "== $1"
    TIMEFORMAT="== %R s, and %U + %S s of the processors: $1"
    time in_system "$1"
}

[ "$(id -u)" -eq 0 ] || skip 'it needs root'
command -v debootstrap >/dev/null || skip 'there is no debootstrap'
site=$(mirror)
[ -n "$site" ] || skip "this machine's apt has no mirror of Debian $codename"

kept=no
[ $# -eq 0 ] || kept=yes
system=${1-$(mktemp -d)}
trap clean_up EXIT
debootstrap --variant=minbase "$codename" "$system" "$site"
cp /etc/resolv.conf /etc/hosts "$system/etc/"
mount -t proc proc "$system/proc"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$system/dev/pts" # for tests on terminals
mkdir "$system/smoothimg"
git ls-files -z | xargs -0 cp --parents -t "$system/smoothimg"

first=$(grep -x -m 1 '\./setup\.sh && build/smoothimg .*' README.md)
second=$(grep -x -m 1 '\./setup\.sh && meson test .*' README.md)
timed "$first"
timed "$second"
