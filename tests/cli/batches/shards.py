# SPDX-License-Identifier: MIT
"""Tests shards, which divide a batch among machines: each file is in exactly one shard, and every machine computes the
same division.

usage: shards.py PROGRAM IMAGES GROUP"""
import re
import shutil

import program


def part(workshop, number, count, *words, others=0):
    """Runs the program with --shard number/count, and removes the outputs. Returns the names of the outputs, and how
    many files the program left to other shards. `others`: how many files must be skipped because they are no images."""
    ended = workshop.run("--shard", f"{number}/{count}", *words)
    names = set(workshop.outputs())
    shutil.rmtree(workshop.folder / "out")
    found = re.search(r"(\d+) left to other shards", ended.err)
    left = int(found[1]) if found else 0
    wanted = program.summary(len(names), 0, foreign=left, others=others)
    wanted = wanted.replace(": ", f": shard {number} of {count}: ", 1)
    workshop.check(ended == (0, b"", wanted), f"{number}/{count} of {words}: {ended}")
    return names, left


def whole(workshop):
    """Each file of a folder and its subfolders is in exactly one shard."""
    names = {f"{folder}{i}.pgm" for folder in ("", "a/", "a/b/") for i in range(12)}
    workshop.plant(*(f"in/{name}" for name in names))
    (workshop.folder / "in/notes").write_text("no image\n")
    for count in (1, 2, 3, 8):
        for words in (["-r", "in", "out"], ["-r", "-j2", "-O", "out", "in"]):
            parts = [part(workshop, i, count, *words, others=1) for i in range(1, count + 1)]
            found = sorted(name for part_names, _ in parts for name in part_names)
            workshop.check(found == sorted(names), f"{count} parts of {words}: {found}")
            workshop.check(all(len(part_names) + left == len(names) for part_names, left in parts),
                           f"{count} parts of {words}: not all are counted")


def stable(workshop):
    """A file's shard depends only on the file's name: not on the path to the folder, other files, or the output."""
    names = {f"{i}.pgm" for i in range(20)}
    workshop.plant(*(f"in/{name}" for name in names))
    first, _ = part(workshop, 1, 3, "in", "out")
    workshop.check(0 < len(first) < 20, f"part 1 of 3 has {len(first)} of 20")
    workshop.plant(*(f"in/{i}.pgm" for i in range(20, 40)))
    (workshop.folder / "in/3.pgm").unlink()
    (workshop.folder / "elsewhere").mkdir()
    (workshop.folder / "in").rename(workshop.folder / "elsewhere/moved")
    moved = workshop.folder / "elsewhere/moved"
    for words in (["elsewhere/moved", "out"], ["-O", "out", str(moved)],
                  ["-O", "out", *sorted(map(str, moved.iterdir()))]):
        found, _ = part(workshop, 1, 3, *words)
        workshop.check(found & names == first - {"3.pgm"}, f"{words}: {found & names}, not {first}")
    found, _ = part(workshop, 1, 3, "--suffix", "_x", "elsewhere/moved", "out")
    workshop.check({name.replace("_x", "") for name in found} & names == first - {"3.pgm"}, f"--suffix: {found}")


def known(workshop):
    """The program finds a file's shard by a hash of the file's name. The hash must never change, or different versions
    of the program would divide the work differently."""
    for number, count, name in ((1, 4, "a.pgm"), (22, 64, "image-0001.png"), (918, 1000, "folder/gr\u00fcn.pgm")):
        workshop.plant(f"in/{name}")
        found, _ = part(workshop, number, count, "-r", "in", "out")
        workshop.check(name in found, f"{name} is not in part {number} of {count}")
    workshop.check_works("-q", "--shard", "1000000/1000000", "-r", "in", "out")


def unreadable(workshop):
    """A folder that cannot be read is an error in every shard: any shard might have some of the folder's files."""
    nobody = program.as_nobody(workshop)
    workshop.plant("in/a.pgm", "in/closed/b.pgm")
    (workshop.folder / "in/closed").chmod(0)
    for number in (1, 2, 3):
        workshop.check_tells(["-r", "--shard", f"{number}/3", "in", f"out{number}"], "1 failed", 1, **nobody)
    (workshop.folder / "in/closed").chmod(0o700)


def wrong(workshop):
    workshop.plant("in/a.pgm", "a.pgm")
    for number in range(1, 5):  # a shard refuses two inputs with one output, even if neither belongs to it
        workshop.check_ends(["-O", "out", "--shard", f"{number}/4", "in", "a.pgm"], 2,
                            re.compile("in/a.pgm and a.pgm would both become out/a.pgm; .*"))


if __name__ == "__main__":
    program.main(__doc__, {"shares": [whole, stable, known], "faults": [unreadable, wrong]})
