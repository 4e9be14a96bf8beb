#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes build/smoothimg: installs the missing packages (apt; as root, or through sudo), configures
# build/ in release mode, and compiles. A second run has little to do. `ninja -C build` compiles the
# rest.
#
#   ./setup.sh               what building and testing need
#   ./setup.sh --developer   also what .ci/run needs: clang, linters, valgrind, NumPy, SciPy,
#                            Matplotlib, GNU parallel, programs of netpbm and libtiff, pngcheck,
#                            zsh, fish, what makes Debian packages
#   ./setup.sh --cross       also cross compilers, an emulator, and libraries of other processors in
#                            build-sysroots/, for tests/ci/builds.sh
#   ./setup.sh --peers       also the programs that src/bench/scripts/programs.py compares with, and
#                            Matplotlib for src/bench/scripts/plot.py
#   ./setup.sh ... -DOPTION=VALUE ...   also configures a new build/ with these options, which
#                            meson_options.txt lists
set -eu
cd "$(dirname "$0")"

usage() {
    echo "usage: ./setup.sh [--developer | --cross | --peers] [-DOPTION=VALUE ...]" >&2
    exit 2
}

packages='gcc g++ libc6-dev meson ninja-build pkg-config libpng-dev zlib1g-dev libnetpbm-dev
    libxxhash-dev libtiff-dev libjpeg-dev mandoc'
choice=${1-}
case $choice in
'' | -D*) choice= ;;
*) shift ;;
esac
case $choice in
'') ;;
--developer)
    packages="$packages clang libclang-rt-dev clang-format cmake shellcheck valgrind
        python3-dev python3-matplotlib python3-numpy python3-scipy python3-tifffile python3-venv
        parallel libtiff-tools netpbm pngcheck bash-completion zsh fish debhelper dh-python dpkg-dev fakeroot lintian"
    ;;
--cross)
    packages="$packages clang g++-i686-linux-gnu g++-aarch64-linux-gnu gcc-s390x-linux-gnu qemu-user"
    ;;
--peers)
    packages="$packages libvips-tools graphicsmagick imagemagick python3-matplotlib"
    ;;
*) usage ;;
esac
for option; do
    case $option in
    -D*) ;;
    *) usage ;;
    esac
done

missing_packages() {
    for package in $packages; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -q '^installed$' ||
            printf ' %s' "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "setup.sh: to install$missing it needs root or sudo; as root, run:" >&2
        echo "    apt-get install --no-install-recommends$missing" >&2
        exit 1
    fi
}

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
    missing=$(missing_packages)
    if [ -n "$missing" ]; then
        echo "setup.sh: installing$missing"
        as_root apt-get update -q
        # shellcheck disable=SC2086 # a list of words
        as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -q -y --no-install-recommends $missing
    fi
elif ! command -v meson >/dev/null || ! command -v ninja >/dev/null ||
    ! command -v pkg-config >/dev/null || ! pkg-config --exists libpng zlib libxxhash libtiff-4 libjpeg; then
    echo "setup.sh: this system has no apt; install by its own means what Debian calls" >&2
    echo "    $packages" >&2
    echo "and run setup.sh again" >&2
    exit 1
fi

if [ "$choice" = --cross ]; then
    tests/ci/cross/sysroot.sh i386 arm64 s390x
fi

# Without dpkg-dev Meson would install the library in lib64, where Debian does not look for it.
multiarch=
command -v dpkg-architecture >/dev/null || multiarch=$(gcc -print-multiarch 2>/dev/null) || true

if [ ! -f build/build.ninja ]; then
    meson setup --buildtype=release ${multiarch:+"-Dlibdir=lib/$multiarch"} "$@" build
elif [ -n "${missing-}" ]; then
    meson setup --reconfigure build # finds the packages that were installed above
fi
echo 'setup.sh: compiling, which takes some minutes the first time'
ninja -C build smoothimg
echo 'setup.sh: build/smoothimg is ready; ninja -C build smoothimg-bench smoothimg-tracer builds the measurements'
