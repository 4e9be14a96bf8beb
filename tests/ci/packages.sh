#!/bin/bash
# SPDX-License-Identifier: MIT
# Checks the files of a release: the archive of `meson dist`, an installation, and Debian packages. The installation and
# the packages are built from the files of the archive alone. Prints a line for each step; exits with 1 if a step fails.
# Installs packages below a temporary folder, and does not change the machine's packages.
#
# usage: tests/ci/packages.sh         tests only what is committed
#
# shellcheck disable=SC2317 # the functions are called by `step`
set -u
cd "$(dirname "$0")/../.." || exit 1
source=$PWD
build=$source/build-packages
work=$(mktemp -d)
log=$work/log
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/ci/steps.sh
. tests/ci/steps.sh

# Lists the files and links below a folder.
files_in() {
    (cd "$1" && find . ! -type d | LC_ALL=C sort)
}

# Lists the files and links that Meson says it installs from the build folder $1, as files_in does.
named_by() {
    meson introspect --installed "$1" | python3 -c 'import json, sys
print(*sorted("." + path for path in json.load(sys.stdin).values()), sep="\n")'
}

make_archive() {
    rm -rf "$build" "$work/source" && mkdir "$work/source" &&
        meson setup "$build" -Dcuda=disabled -Dpeers=disabled -Dtests=false &&
        meson dist -C "$build" --no-tests --allow-dirty --formats gztar &&
        tar -xzf "$build"/meson-dist/smoothimg-*.tar.gz -C "$work/source" --strip-components=1 &&
        [ "$(dpkg-parsechangelog -l "$work/source/debian/changelog" -S Version)" = \
            "$(sed -n "s/^project.* version: '\([^']*\)'.*/\1/p" meson.build)" ]
}

# Installs nanobind from PyPI if Debian's is not installed. Then dpkg lacks a build dependency, so dpkg-buildpackage
# gets -d.
find_nanobind() {
    dpkg-query -W python3-nanobind || {
        python3 -m venv "$work/venv" && "$work/venv/bin/pip" install nanobind &&
            PYTHONPATH=$(echo "$work"/venv/lib/python3*/site-packages) && export PYTHONPATH
    }
}

build_packages() {
    (cd "$work/source" && dpkg-buildpackage -us -uc -b -d -j"$(nproc)" \
        --build-profiles=pkg.smoothimg.python)
}

# Installs stripped programs below $work/place, checks that the installed files are those that Meson names, runs the
# programs, and checks that an uninstall removes every file. Meson does not name Python's compiled modules (__pycache__).
install_and_remove() {
    local folder=$work/source/build-debian place=$work/place
    DESTDIR=$place meson install -C "$folder" --no-rebuild --strip &&
        diff <(named_by "$folder") <(files_in "$place" | grep -v /__pycache__/) && smoke "$place" &&
        ninja -C "$folder" uninstall && [ -z "$(files_in "$place")" ]
}

# Runs the packages' own tests with the programs and the library below the folder $1.
smoke() {
    local libraries
    libraries=$1/usr/lib/$(dpkg-architecture -q DEB_HOST_MULTIARCH)
    (cd "$source" && AUTOPKGTEST_TMP=$(mktemp -d -p "$work") PATH=$1/usr/bin:$PATH \
        debian/tests/smoke) &&
        (cd "$source" && AUTOPKGTEST_TMP=$(mktemp -d -p "$work") LD_LIBRARY_PATH=$libraries \
            PKG_CONFIG_LIBDIR=$libraries/pkgconfig PKG_CONFIG_SYSROOT_DIR=$1 CMAKE_PREFIX_PATH=$1/usr \
            debian/tests/library) &&
        (cd "$source" && AUTOPKGTEST_TMP=$(mktemp -d -p "$work") LD_LIBRARY_PATH=$libraries \
            PYTHONPATH=$1/usr/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 debian/tests/python)
}

# Fails only for lintian's errors and warnings. Its hints are ignored, since it mistakes some bytes of a program for a
# misspelt word.
run_lintian() {
    lintian --allow-root --fail-on error,warning "$work"/*.changes
}

dpkg_below() {
    fakeroot dpkg --root="$work/root" --log=/dev/null --force-depends --force-not-root \
        --force-script-chrootless "$@"
}

# Installs all packages but the Python package, which is only unpacked: configuring it would compile modules in the
# machine's own folders.
install_packages() {
    mkdir -p "$work/root/var/lib/dpkg"/{info,updates} && touch "$work/root/var/lib/dpkg"/status &&
        dpkg_below --install "$work"/smoothimg_*.deb "$work"/smoothimg-bench_*.deb \
            "$work"/libsmoothimg1_*.deb "$work"/libsmoothimg-dev_*.deb &&
        dpkg_below --unpack "$work"/python3-smoothimg_*.deb && smoke "$work/root"
}

purge_packages() {
    dpkg_below --purge python3-smoothimg smoothimg smoothimg-bench libsmoothimg-dev libsmoothimg1 &&
        rm -r "$work/root/var" && files_in "$work/root" &&
        [ -z "$(files_in "$work/root")" ]
}

# Runs the script without step(), since it prints lines itself.
in_clean_debian() {
    tests/ci/clean/packages.sh "$work"
    case $? in 0 | 77) ;; *) false ;; esac
}

step 'meson dist' make_archive || exit 1
step 'nanobind' find_nanobind || exit 1
step 'dpkg-buildpackage, from the archive' build_packages || exit 1
step 'meson install, ninja uninstall' install_and_remove
step 'lintian' run_lintian
step 'dpkg --install' install_packages && step 'dpkg --purge' purge_packages
in_clean_debian || wrong=1
exit "$wrong"
