# SPDX-License-Identifier: MIT
"""Tests where outputs go. If an output cannot be written, an older file of its name must stay as it is, and no
temporary file may remain. (See also tests/unit/files/test_output.c.)

usage: outputs.py PROGRAM IMAGES GROUP"""
import os
import re
import resource
import stat
import struct
import threading

import program

OLD = b"P5 1 1 255\n\7"  # content of an output file before the run


def old_file(workshop, name="out.pgm", mode=0o644):
    path = workshop.folder / name
    path.write_bytes(OLD)
    path.chmod(mode)
    return path


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


# --- faults -------------------------------------------------------------------------------------

def full_disk(workshop):
    workshop.take("flat.pgm", "colours.png", "starfield.pgm")
    for name in ("flat.pgm", "colours.png", "starfield.pgm"):
        workshop.check_ends([name, "/dev/full"], 5, re.compile("/dev/full: cannot be written: No space left on device"))
        with open("/dev/full", "wb") as full:
            workshop.check_ends([name, "-"], 5, "standard output: cannot be written: No space left on device", stdout=full)


def too_large(workshop):
    """An output fails if it gets larger than RLIMIT_FSIZE."""
    workshop.take("starfield.pgm")
    old_file(workshop)
    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))}
    workshop.check_ends(["starfield.pgm", "out.pgm"], 5, re.compile("out.pgm: .*File too large.*"), **limit)


def forbidden(workshop):
    """The program refuses to write into a write-protected folder, or to replace a write-protected file."""
    nobody = program.as_nobody(workshop)
    workshop.take("flat.pgm")
    (workshop.folder / "flat.pgm").chmod(0o644)
    folder = workshop.folder / "closed"
    folder.mkdir()
    old_file(workshop, "closed/old.pgm", 0o666)
    old_file(workshop, "kept.pgm", 0o444)
    folder.chmod(0o555)
    denied = re.compile(r"\S+: cannot be written: Permission denied.*")
    for target in ("closed/new.pgm", "closed/old.pgm", "kept.pgm"):
        workshop.check_ends(["flat.pgm", target], 5, denied, **nobody)
    (workshop.folder / "flat.pgm").chmod(0)
    workshop.check_ends("flat.pgm new.pgm", 3, "flat.pgm: cannot be opened: Permission denied", **nobody)
    (workshop.folder / "flat.pgm").chmod(0o644)
    folder.chmod(0o755)


# --- kinds of output ----------------------------------------------------------------------------

def pipes_and_devices(workshop):
    workshop.take("starfield.pgm")
    wanted = workshop.check_works("starfield.pgm", "-")
    workshop.check_works("starfield.pgm", "/dev/null")
    workshop.check(stat.S_ISCHR(os.stat("/dev/null").st_mode), "/dev/null is no device any more")
    fifo = workshop.folder / "fifo.pgm"
    os.mkfifo(fifo)
    for words in ([], ["--no-clobber"]):
        read = []
        reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()), daemon=True)
        reader.start()
        workshop.check_works(*words, "starfield.pgm", "fifo.pgm")
        reader.join(program.PATIENCE / 4)
        workshop.check(read == [wanted], f"{words}: the pipe had other bytes")
    workshop.check(stat.S_ISFIFO(fifo.lstat().st_mode), "the pipe has become a file")
    workshop.check(sorted(os.listdir(workshop.folder)) == ["fifo.pgm", "starfield.pgm"], "litter")


def links(workshop):
    workshop.take("flat.pgm")
    wanted = workshop.check_works("flat.pgm", "-")
    (workshop.folder / "sub").mkdir()
    old_file(workshop, "sub/real.pgm", 0o640)
    (workshop.folder / "sub" / "link.pgm").symlink_to("real.pgm")
    (workshop.folder / "link.pgm").symlink_to("sub/link.pgm")
    workshop.check_works("flat.pgm", "link.pgm")
    found = workshop.content()
    workshop.check((found[b"link.pgm"], found[b"sub/link.pgm"]) == ("sub/link.pgm", "real.pgm"),
                   "a link is no link any more")
    workshop.check(found[b"sub/real.pgm"] == wanted, "what the link points to has other bytes")
    workshop.check(len(found) == 5, f"litter: {found.keys()}")
    os.link(old_file(workshop, "a.pgm"), workshop.folder / "b.pgm")
    workshop.check_works("flat.pgm", "a.pgm")
    found = workshop.content()
    workshop.check((found[b"a.pgm"], found[b"b.pgm"]) == (wanted, OLD),
                   "the other name of an output does not keep the old bytes")


def permissions(workshop):
    workshop.take("flat.pgm")
    for mask in (0o022, 0o027, 0o077, 0):
        workshop.check_works("flat.pgm", "new.pgm", umask=mask)
        new = workshop.folder / "new.pgm"
        workshop.check(mode_of(new) == 0o666 & ~mask, f"umask {mask:o}: {mode_of(new):o}")
        new.unlink()
    for mode in (0o604, 0o600, 0o666, 0o755):
        old = old_file(workshop, "old.pgm", mode)
        workshop.check_works("flat.pgm", "old.pgm", umask=0o077)
        workshop.check(mode_of(old) == mode, f"mode {mode:o} became {mode_of(old):o}")
    if os.geteuid() == 0:
        os.chown(old, program.NOBODY, program.NOBODY)
        workshop.check_works("flat.pgm", "old.pgm")
        owner = old.stat().st_uid, old.stat().st_gid
        workshop.check(owner == (program.NOBODY, program.NOBODY), f"the owner became {owner}")
        rights = program.as_nobody(workshop)
        old.chmod(0o664)
        os.chown(old, 0, 7)
        workshop.check_works("flat.pgm", "old.pgm", **{**rights, "extra_groups": [7]})
        owner = old.stat().st_uid, old.stat().st_gid
        workshop.check(owner == (program.NOBODY, 7) and mode_of(old) == 0o664,
                       f"a group that the user is in: {owner}, {mode_of(old):o}")


ACL, DEFAULT_ACL = "system.posix_acl_access", "system.posix_acl_default"


def acl(others, **entries):
    """Returns an ACL as the bytes of its extended attribute. The entries are user (the owner), named (the user NOBODY),
    group, mask and others. Each parameter is the rights as a sum of 4 (read), 2 (write) and 1 (execute)."""
    tags = {"user": 1, "named": 2, "group": 4, "mask": 16}
    rows = [(tags[name], entries[name], program.NOBODY if name == "named" else 0xFFFFFFFF) for name in tags]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *row) for row in (*rows, (32, others, 0xFFFFFFFF)))


def attributes(workshop):
    """A replaced file keeps its ACL and its user attributes, and gets no ACL from its folder's default ACL. A new file
    does get that ACL."""
    workshop.take("flat.pgm")
    old = old_file(workshop, "old.pgm")
    private, public = acl(0, user=6, named=6, group=4, mask=6), acl(4, user=6, named=7, group=5, mask=7)
    try:
        os.setxattr(old, ACL, private)
        os.setxattr(old, "user.origin", b"a telescope")
        os.setxattr(old, "user.empty", b"")
    except OSError as why:
        raise program.Skip(f"a file system without ACLs, or attributes: {why}")
    kept = {ACL: private, "user.origin": b"a telescope", "user.empty": b""}
    os.mkdir(workshop.folder / "in")
    for words in (["flat.pgm", "old.pgm"], ["-o", "old.pgm", "flat.pgm"], ["--in-place", "old.pgm"], ["in/old.pgm", "."]):
        workshop.plant("in/old.pgm")
        workshop.check_works(*words)
        found = {name: os.getxattr(old, name) for name in os.listxattr(old)}
        workshop.check(found == kept and mode_of(old) == 0o660, f"{words}: {found}, {mode_of(old):o}")
    folder = workshop.make_folder("shared")
    os.setxattr(folder, DEFAULT_ACL, public)
    old = old_file(workshop, "shared/old.pgm", 0o664)
    os.removexattr(old, ACL)
    old.chmod(0o664)
    workshop.check_works("flat.pgm", "shared/old.pgm")
    workshop.check(os.listxattr(old) == [] and mode_of(old) == 0o664,
                   f"no ACL became {os.listxattr(old)}, {mode_of(old):o}")
    workshop.check_works("flat.pgm", "shared/new.pgm")
    workshop.check(os.listxattr(folder / "new.pgm") == [ACL], "a new file has no ACL of its folder")


if __name__ == "__main__":
    program.main(__doc__, {
        "faults": [full_disk, too_large, forbidden],
        "kinds": [pipes_and_devices, links, permissions, attributes],
    })
