#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpacks Debian's packages of the libraries that smoothimg links, for other processors, into
# build-sysroots/ARCHITECTURE, where the Meson cross files beside this script look. Needs no root, and changes nothing
# in this system's apt and dpkg.
#
# usage: tests/ci/cross/sysroot.sh ARCHITECTURE...      Debian's name: arm64, i386, s390x
set -eu
cd "$(dirname "$0")/../../.."

packages='libc6-dev libpng-dev zlib1g-dev libnetpbm-dev libxxhash-dev libtiff-dev libjpeg-dev'
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# shellcheck disable=SC1091 # every system has this file
codename=$(. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME") || {
    echo "sysroot.sh: it takes its packages from Debian's archive, and this is no Debian" >&2
    exit 1
}

# Runs apt-get as on a system of architecture $1 without any installed package. apt's files are in the folder $2.
foreign_apt() {
    architecture=$1
    state=$2
    shift 2
    apt-get -q -q -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" \
        -o "Dir::Etc::SourceList=$state/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o "Dir::State=$state" -o "Dir::State::status=$state/status" -o "Dir::Cache=$state" \
        -o APT::Sandbox::User= -o Acquire::Languages=none -o Debug::NoLocking=1 "$@"
}

unpack() {
    target=build-sysroots/$1
    state=$PWD/$target.apt
    rm -rf "$target" "$target.new" "$state"
    mkdir -p "$target.new" "$state/lists/partial" "$state/archives/partial"
    : >"$state/status"
    echo "deb [signed-by=$keyring] http://deb.debian.org/debian $codename main" >"$state/sources.list"
    foreign_apt "$1" "$state" update
    # shellcheck disable=SC2086 # $packages is a list of words
    foreign_apt "$1" "$state" install --download-only -y --no-install-recommends $packages
    for package in "$state"/archives/*.deb; do
        dpkg-deb -x "$package" "$target.new"
    done
    # Debian's static libtiff needs liblerc, which is written in C++, and its .pc file does not say so.
    sed -i 's/-lLerc/& -lstdc++/' "$target.new"/usr/lib/*/pkgconfig/libtiff-4.pc
    rm -rf "$state"
    mv "$target.new" "$target" # so that the folder is complete, or absent
}

mkdir -p build-sysroots
cat >build-sysroots/place.ini <<END
# The folder of the libraries, for tests/ci/cross/*.ini: cross files cannot ask for their own folder.
[constants]
sysroots = '$PWD/build-sysroots'
END
for architecture; do
    if [ ! -d "build-sysroots/$architecture" ]; then
        echo "sysroot.sh: unpacking libraries for $architecture"
        unpack "$architecture"
    fi
done
