# SPDX-License-Identifier: MIT
"""Tests --verify: if the result of a variant (implementation of an operation) is wrong, the status is 7 and no output
is written. (execution_modes.py tests right results.)

usage: verify.py PROGRAM IMAGES finds    PROGRAM: a smoothimg with variants that are wrong on purpose"""
import re

import program

OLD = b"P5 1 1 255\n\7"  # content of old.pgm before the run
ADVICE = ("nothing was written; use --variant reference until it is fixed; in a build folder, "
          "'tests/random/check --engine {}' finds a request to replay")

# (operation, broken variant, an image for which the variant gives a wrong result)
BROKEN = [
    ("smooth", "lazy", "gradient12.pgm"), ("smooth", "short", "gradient12.pgm"),
    ("smooth", "offbyone", "dot.pgm"), ("smooth", "offbyone", "alpha16.png"),
    ("transpose", "square", "gradient12.pgm"), ("reverse", "samples", "rgb.ppm"),
    ("reverse", "untailed", "gradient12.pgm"),
]


def first_difference(workshop):
    """The message names the first sample that differs, its value, and the right value."""
    workshop.take("flat.pgm", "two.pgm")
    (workshop.folder / "old.pgm").write_bytes(OLD)
    message = ("smooth offbyone differs from the reference in 1 samples; the first is column 63, "
               "row 47, channel 0: 201, where the reference has 200; "
               + ADVICE.format("offbyone"))
    message = re.compile(re.escape(message).replace("1\\ samples", "1\\ sample"))
    chain = re.compile("the chain that ends with " + message.pattern)
    for target in ("old.pgm", "new.pgm", "new.png", "-"):
        for words, said in ((["--op", "smooth"], message), ([], message),
                            (["--op", "smooth", "--op", "smooth"], chain)):
            workshop.check_ends(["--verify", "--variant", "offbyone", *words, "flat.pgm", target], 7, said)
    workshop.check_ends("--verify --variant offbyone --in-place flat.pgm", 7, message)
    ended = workshop.run("--variant", "offbyone", "flat.pgm", "wrong.pgm")
    wrong = (workshop.folder / "wrong.pgm").read_bytes()
    workshop.check(ended.status == 0 and wrong[-1] == 201, "without --verify nobody looks")


def every_fault(workshop):
    for op, variant, name in BROKEN:
        workshop.take(name)
        target = "out" + name[-4:]
        (workshop.folder / target).write_bytes(OLD)
        workshop.check_ends(
            ["--verify", "--op", op, "--variant", variant, name, target], 7,
            re.compile(rf"{op} {variant} differs from the reference in \d+ samples?; the first is "
                       rf"column \d+, row \d+, channel \d+: (\d+), where the reference has (?!\1;)"
                       rf"\d+; {ADVICE.format(variant)}"))


def folder(workshop):
    """If a variant's result for one file of a folder is wrong, that file gets no output, and the other files are
    processed."""
    workshop.make_folder("in", "rgb.ppm", "flat.pgm")
    ended = workshop.run("--verify", "--op", "reverse", "--variant", "samples", "in", "out")
    workshop.check(ended.status == 1 and "reverse samples differs" in ended.err and
                   ended.err.endswith(program.summary(1, 1)),
                   f"{ended}")
    left = {path.name for path in (workshop.folder / "out").iterdir()}
    workshop.check(left == {"flat.pgm"}, f"written: {left}")


def refusal(workshop):
    workshop.take("flat.pgm")
    workshop.check_ends("--op reverse --variant unwilling flat.pgm out.pgm", 4,
                        re.compile(r"reverse unwilling cannot do this: .+"))


if __name__ == "__main__":
    program.main(__doc__, {
        "finds": [first_difference, every_fault, folder, refusal],
    })
