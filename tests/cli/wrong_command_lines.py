# SPDX-License-Identifier: MIT
"""Tests wrong command lines. The program must exit with the right status, say what is wrong, and write no file.

refused.txt has pairs of lines: an exit status and the command line's words, then the message, in which [...] stands for
any text. --update writes the program's messages into the file.

usage: wrong_command_lines.py PROGRAM IMAGES GROUP [--update]"""
import os
import pty
import re
from array import array
from pathlib import Path

import program
from npy_files import npy_file
from odd_numbers import odd_texts
from pictures import Picture, read_pictures, write_pictures

ROWS = Path(__file__).with_name("refused.txt")
NO_GPU = "(this smoothimg was built without CUDA|there is no usable GPU: ).*"  # the message without CUDA or a GPU


def names_what(words, text):
    """Returns whether the message names one of the command line's words, or a letter of joined options such as -qj. An
    empty word is named by 'empty', and - by 'standard input' or 'standard output'. Without words there is nothing to
    name."""
    bundles = "".join(word[1:] for word in words if re.match("-[a-z][a-z0-9]", word))
    names = {part for word in words for part in (word, *re.split("[=/]", word)[:1])}
    return (not words or any(len(name) > 1 and name in text for name in names)
            or text.startswith(tuple(name + end for name in names for end in ":/" if name)) or "empty" in text
            or "-" in words and text.startswith("standard ")
            or bool(bundles) and re.match(f"--?[{re.escape(bundles)}]", text))


def make_inputs(workshop):
    """Makes the inputs of refused.txt: images, links to flat.pgm, and masks of its size, of other sizes, and
    truncated."""
    workshop.take("flat.pgm", "rgb.ppm", "two.pgm", "alpha.pam", "gradient12.pgm")
    (workshop.folder / "soft.pgm").symlink_to("flat.pgm")
    (workshop.folder / "dangling.pgm").symlink_to("nothing")
    os.link(workshop.folder / "flat.pgm", workshop.folder / "hard.pgm")
    alpha = read_pictures(workshop.folder / "alpha.pam")[0]
    for name, width, height in (("mask", 64, 48), ("other", 5, 4), ("low", 64, 47), ("alpha", alpha.width, alpha.height)):
        there = Picture(width, height, 1, 255, array("H", [1]) * (width * height))
        write_pictures(workshop.folder / f"{name}.pgm", [there])
    (workshop.folder / "cut.pgm").write_bytes((workshop.folder / "mask.pgm").read_bytes()[:-3])
    (workshop.folder / "float.npy").write_bytes(npy_file("<f4", (2, 2), [0] * 4))
    workshop.plant("file", "clash/a/x.pgm", "clash/b/x.pgm", "clash/b/y.pgm", "clash/b/y.png")
    (workshop.folder / "clash/links").mkdir()
    (workshop.folder / "clash/links/x.pgm").symlink_to("../a/x.pgm")
    (workshop.folder / "clash/b/z.pgm").symlink_to("x.pgm")
    planes = npy_file("|u1", (3, 4, 5), list(range(60)))
    for name, data in (("planes", planes), ("cut", planes[:-1]), ("long", planes.replace(b"(3,", b"(%d," % 10**17)),
                       ("line", npy_file("|u1", (60,), [0] * 60)), ("five", npy_file("|u1", (1,) * 5, [0])),
                       ("empty", npy_file("|u1", (0, 4, 5), [])), ("many", npy_file("|u1", (2, 2, 5), [0] * 20)), ("rows", npy_file("|u1", (4, 5), [0] * 20))):
        (workshop.folder / f"{name}.npy").write_bytes(data)
    page, unlike = Picture(4, 5, 1, 255, array("H", [0] * 20)), Picture(5, 4, 1, 255, array("H", [0] * 20))
    write_pictures(workshop.folder / "pages.pgm", [page] * 2)
    write_pictures(workshop.folder / "unlike.pgm", [page, unlike])
    write_pictures(workshop.folder / "alphas.pam", [alpha] * 2)


def refused(workshop):
    make_inputs(workshop)
    for words, said in program.check_refusals(workshop, ROWS):
        workshop.check(names_what(words, said), f"{words}: what is wrong has no name: {said}")


def no_gpu(workshop):
    """Without a GPU, a run with a GPU variant (an implementation for GPUs) exits with 6, and the message says what to
    do. The test hides real GPUs from the program. It cannot hide an emulated GPU: if there is one, it checks
    nothing."""
    workshop.take("flat.pgm")
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    if workshop.run("--list-devices").status == 0:
        return
    for words in ("--variant gpu", "--variant shared", "--op transpose --variant naive"):
        wanted = f"(--variant \\w+: )?{NO_GPU}; use --variant cpu to do without"
        workshop.check_ends(f"{words} flat.pgm out.pgm", 6, re.compile(wanted))
    listed = workshop.check_ends("--list-devices", 6, re.compile(NO_GPU))
    workshop.check("--variant" not in listed, f"advice for a run: {listed}")


def terminal(workshop):
    """The program refuses to write an image to a terminal. If it reads an image from a terminal, it says so, except
    with -q."""
    workshop.take("flat.pgm")
    outer, inner = pty.openpty()
    workshop.check_ends("flat.pgm -", 2, "not writing an image to a terminal; redirect it or "
                        "name a file", stdout=inner)
    os.set_blocking(outer, False)
    try:
        workshop.check(not os.read(outer, 1), "bytes came to the terminal")
    except BlockingIOError:
        pass  # the terminal got nothing
    for line, quiet in (("- out.pgm", False), ("- -", False), ("-q - out.pgm", True)):
        os.write(outer, b"x\n\x04\x04")  # Ctrl-D ends the input
        ended = workshop.run(*line.split(), stdin=inner)
        workshop.check(ended.status == 3, f"{line}, from a terminal: {ended}")
        workshop.check(ended.err.startswith("smoothimg: reading an image from the terminal; Ctrl-C "
                                            "ends this") == (not quiet), f"{line}: {ended.err!r}")
    os.close(outer)
    os.close(inner)


# For each option that takes a number: a valid number, and a command line in which * stands for the number, or None if
# no such command line works on every machine.
ODD = {
    "amount": (2, "--op sharpen --amount * flat.pgm out.pgm"),
    "offset": (3, "--op difference --offset * flat.pgm out.pgm"),
    "halo": (2, "--halo * flat.pgm out.pgm"),
    "sigma": (2, "--sigma * flat.pgm out.pgm"),
    "truncate": (3, "--sigma 2 --truncate * flat.pgm out.pgm"),
    "png-level": (3, "--png-level * flat.pgm out.png"),
    "quality": (90, "--quality * flat.pgm out.jpg"),
    "jobs": (2, "--jobs * flat.pgm out.pgm"),
    "max-memory": (1 << 26, "--max-memory * flat.pgm out.pgm"),
    "max-pixels": (5000, "--max-pixels * flat.pgm out.pgm"),
    "max-side": (500, "--max-side * flat.pgm out.pgm"),
    "max-channels": (5, "--max-channels * flat.pgm out.pgm"),
    "max-metadata": (1 << 16, "--max-metadata * flat.pgm out.pgm"),
    "shard": (1, None),
    "device": (0, None),
    "block": (8, None),
}
# Arguments of several numbers, in which * stands for the number that is tested.
OF_PAIRS = ("*,1", "1,*")
OF_SHARDS = ("*/4", "1/*", "auto/*")
INTEGERS = {"offset", "halo", "png-level", "quality", "jobs", "max-pixels", "max-side", "max-channels", "device", "block"}
DECIMALS = {"amount", "sigma", "truncate"}
SIZES = {"max-memory", "max-metadata"}


def is_good(option, text):
    """Returns whether the option accepts this text of odd_texts(). An integer or a decimal may have a plus sign, a
    decimal may end with a point, and --max-pixels, --max-memory and --max-metadata accept up to 63 bits."""
    good = ODD[option][0]
    large = option in SIZES | {"max-pixels"} and text.isascii() and text.isdigit() and good <= int(text) < 2 ** 63
    return (large or (option in INTEGERS | DECIMALS and text == f"+{good}")
            or (option in DECIMALS and text == f"{good}."))


def odd_numbers(workshop):
    """The program refuses each odd text, or treats it as the number that it is. The test reads in --help which options
    take numbers, and fails if ODD lacks one."""
    told = workshop.check_works("--help").decode()
    taking = set(re.findall(r"--([a-z-]+) (?:N|S|T|A|SIZE|PART)(?: |$)", told, re.M))
    workshop.check(taking == set(ODD), f"options that take numbers: {sorted(taking)}")
    workshop.take("flat.pgm")
    for option, (good, line) in ODD.items():
        forms = OF_SHARDS if option == "shard" else ("*", *(OF_PAIRS if option in ("halo", "sigma") else ()))
        for text in odd_texts(good):
            if is_good(option, text):
                if line:
                    same(workshop, line.split(), str(good), text)
                continue
            for form in forms:
                odd_argument(workshop, option, form.replace("*", text))


def odd_argument(workshop, option, argument):
    """Checks that a long option with this argument is refused. Adds other options that the option needs."""
    before = {"amount": ["--op", "sharpen"], "offset": ["--op", "difference"], "truncate": ["--sigma", "2"]}
    words = [*before.get(option, ()), f"--{option}={argument}", "flat.pgm", "out.png"]
    workshop.check_ends(words, 2, re.compile(f"--({option}|sigma)[ :].*"))


def same(workshop, words, *numbers):
    """Checks that all these notations of a number give the same output. A * in `words` stands for the number."""
    results = []
    for number in numbers:
        out = workshop.folder / words[-1]
        workshop.check_works("-q", *(word.replace("*", number) for word in words))
        results.append(out.read_bytes() if out.exists() else None)
        out.unlink(missing_ok=True)
    workshop.check(results[0] and results.count(results[0]) == len(results), f"{words} {numbers}: they differ")


if __name__ == "__main__":
    program.main(__doc__, {
        "refused": [refused],
        "numbers": [odd_numbers],
        "elsewhere": [no_gpu, terminal],
    })
