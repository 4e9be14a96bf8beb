# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The other scripts here source this script. It makes systems: each is a folder with only the base system of Debian,
# version $codename, from the mirror that this machine's apt uses. A system takes 2 GB. Exits with 77 without root,
# debootstrap or such a mirror.
codename=bookworm
systems=()

skip() {
    echo "$(basename "$0"): skipped: $1"
    exit 77
}

# Prints the mirror from which apt gets packages of Debian $codename.
mirror() {
    # shellcheck disable=SC2016 # $(CODENAME) is for apt, not for the shell
    apt-get indextargets --format '$(CODENAME) $(SITE)' 'Identifier: Packages' |
        sed -n "s/^$codename //p" | sort -u | head -n 1
}

need_clean_debian() {
    [ "$(id -u)" -eq 0 ] || skip 'it needs root'
    command -v debootstrap >/dev/null || skip 'there is no debootstrap'
    site=$(mirror)
    [ -n "$site" ] || skip "this machine's apt has no mirror of Debian $codename"
}

# Makes a system in the empty folder $1, as a copy of the folder CLEAN_DEBIAN if that variable is set.
make_system() {
    if [ -n "${CLEAN_DEBIAN-}" ]; then
        cp -a "$CLEAN_DEBIAN/." "$1"
    else
        debootstrap --variant=minbase "$codename" "$1" "$site"
    fi
    systems+=("$1")
    chmod 755 "$1" # apt reads the folder as a user without rights
    cp /etc/resolv.conf /etc/hosts "$1/etc/"
    mount -t proc proc "$1/proc"
    mount -t devpts -o newinstance,ptmxmode=666 devpts "$1/dev/pts" # for tests on terminals
}

unmount_systems() {
    local system
    for system in "${systems[@]}"; do
        umount "$system/dev/pts" "$system/proc" 2>/dev/null || true
    done
}

# shellcheck disable=SC2317 # the trap calls it
clean_up() {
    unmount_systems
    [ "$kept" = yes ] || rm -rf --one-file-system "$place"
}

# Sets `place`, a folder for systems: $1, which is kept, or, without $1, a new folder, which is removed at the end.
make_place() {
    kept=no
    [ $# -eq 0 ] || kept=yes
    place=${1-$(mktemp -d)}
    trap clean_up EXIT
    mkdir -p "$place"
}

# Runs a command in the system $1. Of this machine's environment variables it gets only http_proxy.
in_system() {
    local system=$1
    shift
    chroot "$system" env -i ${http_proxy+"http_proxy=$http_proxy"} HOME=/root \
        DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        "$@"
}

# Copies the files that git tracks into the folder $1.
copy_sources() {
    mkdir -p "$1"
    git ls-files -z | xargs -0 cp --parents -t "$1"
}
