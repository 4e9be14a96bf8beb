# SPDX-License-Identifier: MIT
"""Two thousand files, twenty of them broken: each good one as if it were alone. (Runs that are killed:
interruptions.py.)

usage: many.py PROGRAM IMAGES GROUP

MANY_FILES=N is another number of them.
"""
import os
import random
import re
import resource

import program

FILES = int(os.environ.get("MANY_FILES", "2000"))
KINDS = 40  # different images among them; each is a PGM and a PNG
MEMORY = 100 << 20  # bytes that a run by 8 threads may take: half of what the images take


def make_image(seed):
    """A raw PGM of noise, of one or two bytes a sample."""
    dice = random.Random(seed)
    width, height, maxval = dice.randint(1, 300), dice.randint(1, 300), dice.choice((255, 65535))
    samples = dice.randbytes(width * height * (1 if maxval == 255 else 2))
    return b"P5\n%d %d\n%d\n" % (width, height, maxval) + samples


def make_kinds(workshop):
    """A folder with each kind of file, and one with what the program makes of each alone."""
    for folder in ("kinds", "wanted"):
        (workshop.folder / folder).mkdir()
    for kind in range(KINDS):
        name = f"kinds/{kind}."
        (workshop.folder / (name + "pgm")).write_bytes(make_image(kind))
        workshop.check_works("--halo", "0", name + "pgm", name + "png")
        for end in ("pgm", "png"):
            workshop.check_works("-j1", f"kinds/{kind}.{end}", f"wanted/{kind}.{end}")


def make_files(workshop, broken):
    """The tree: names below it, each with the kind that it is; and the names of broken ones."""
    dice = random.Random(1)
    kinds, bad = {}, set()
    for i in range(FILES):
        kind = f"{dice.randrange(KINDS)}.{dice.choice(('pgm', 'png'))}"
        name = f"{i % 7}/{i % 3}/{i:04}.{kind[-3:]}" if i % 5 else f"{i:04}.{kind[-3:]}"
        path = workshop.folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if i % (FILES // broken) == 3:
            data = (workshop.folder / "kinds" / kind).read_bytes()
            path.write_bytes(data[:len(data) // 2])
            bad.add(name)
        else:
            os.link(workshop.folder / "kinds" / kind, path)
            kinds[name] = kind
    return kinds, bad


def check_tree(workshop, kinds, what):
    """Everything in the output folder is wanted, and right, and all is there."""
    root = workshop.folder / "out"
    wanted = {kind: (workshop.folder / "wanted" / kind).read_bytes() for kind in set(kinds.values())}
    found = [str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()]
    litter = [name for name in found if name not in kinds]
    wrong = [name for name in found if name in kinds and
             (root / name).read_bytes() != wanted[kinds[name]]]
    workshop.check(not litter and not wrong, f"{what}: litter {litter[:5]}, wrong {wrong[:5]}")
    workshop.check(len(found) == len(kinds), f"{what}: {len(found)} of {len(kinds)}")


def good_and_bad(workshop):
    make_kinds(workshop)
    kinds, bad = make_files(workshop, 20)
    ended = workshop.run("-r", "-j8", "in", "out")
    workshop.check(ended.status == 1 and ended.err.endswith(
        program.summary(len(kinds), len(bad))),
        ended.err[-300:])
    workshop.check(len(bad) == 20 and ended.err.count("\n") == 21, f"{len(bad)} broken")
    failed = re.findall(r"^smoothimg: in/(.*?): ", ended.err, re.M)
    workshop.check(sorted(failed) == sorted(bad), f"failed: {failed[:5]}")
    check_tree(workshop, kinds, "good and bad")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
    print(f"peak memory {peak / 1e6:.0f} MB")
    code = workshop.program.read_bytes()
    if b"__asan_init" not in code and b"__tsan_init" not in code:  # they take memory of their own
        workshop.check(peak < MEMORY, f"{peak} bytes of memory")


if __name__ == "__main__":
    program.main(__doc__, {"batch": [good_and_bad]})
