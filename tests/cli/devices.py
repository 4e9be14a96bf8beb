# SPDX-License-Identifier: MIT
"""Batches on several emulated devices, and on devices that fail (src/emulator/README.md).

usage: devices.py SMOOTHIMG-ON-THE-EMULATED-DEVICE IMAGES GROUP
"""
import json
import os
import re
import shutil

import program

NAMES = ("flat.pgm", "two.pgm", "rgb.ppm", "alpha.pam", "palette.png", "alpha16.png", "dot.pgm",
         "row.pgm", "column.pgm", "impulse.pgm", "gradient12.pgm")
WORDS = ("--halo", "2")


def prepare(workshop):
    """A folder, and what the processor makes of it."""
    workshop.make_folder("in", *NAMES)
    ended = workshop.run("-q", *WORDS, "--variant", "cpu", "in", "wanted")
    workshop.check(ended == (0, b"", ""), f"on the processor: {ended}")
    return written(workshop, "wanted")


def written(workshop, folder="out"):
    path = workshop.folder / folder
    return {item.name: item.read_bytes() for item in path.iterdir()} if path.exists() else None


def batch(workshop, *words, **variables):
    """A batch on the devices that the variables describe."""
    shutil.rmtree(workshop.folder / "out", ignore_errors=True)
    smooths = () if "--op" in words else WORDS
    return workshop.run(*smooths, *words, "in", "out", env={**os.environ, **variables})


def shared(workshop):
    """A batch takes all devices, or the one that is named; the bytes are the same."""
    wanted = prepare(workshop)
    for words, devices in (((), {"0", "1", "2"}), (("--device", "all"), {"0", "1", "2"}),
                           (("--device", "1"), {"1"}), (("--device", "0"), {"0"})):
        for variant in ("gpu", "naive"):
            ended = batch(workshop, "-j3", "--json", "--variant", variant, *words, EMULATED_DEVICES="3")
            workshop.check(ended.status == 0, f"{words}: {ended.status}, {ended.err}")
            workshop.check(written(workshop) == wanted, f"{words} {variant}: other files or bytes")
            workshop.check(ended.err.count("the GPU is emulated") == 1, f"{words}: {ended.err}")
            lines = [json.loads(line) for line in ended.out.splitlines()][:-1]
            used = {line["ops"][0]["device"][0] for line in lines}
            workshop.check(used and used <= devices, f"{words}: on devices {used}")
    ended = batch(workshop, "--variant", "gpu", "--device", "3", EMULATED_DEVICES="3")
    workshop.check(ended.status == 6 and "there is no device 3; the last is 2" in
                   ended.err and written(workshop) is None, f"no such device: {ended}")


def one_fails(workshop):
    """As long as there is another device, a batch loses nothing; whichever fails, and whenever."""
    wanted = prepare(workshop)
    for failing in ("0", "1"):
        for after in ("0", "1", "7", "20", "40", "90"):
            for jobs in ("-j1", "-j4"):
                ended = batch(workshop, jobs, "--variant", "shared", EMULATED_DEVICES="2",
                              EMULATED_FAILING_DEVICE=failing, EMULATED_FAILS_AFTER=after)
                what = f"device {failing} after {after} requests, {jobs}"
                workshop.check(ended.status == 0, f"{what}: {ended}")
                workshop.check(written(workshop) == wanted, f"{what}: other files or bytes")


def all_fail(workshop):
    """Without a device the batch ends with 6; what is done is whole, and the rest can be done later,
    on the processor."""
    wanted = prepare(workshop)
    for after in ("7", "20", "60"):
        for jobs in ("-j1", "-j3"):
            ended = batch(workshop, jobs, "--variant", "shared", "--failed-list", "bad",
                          EMULATED_FAILING_DEVICE="0", EMULATED_FAILS_AFTER=after)
            what = f"after {after} requests, {jobs}"
            workshop.check(ended.status == 6 and "smoothimg: the GPU failed: " in ended.err and
                           "--variant cpu" in ended.err, f"{what}: {ended}")
            found = written(workshop) or {}
            workshop.check(found.items() <= wanted.items() and len(found) < len(wanted),
                           f"{what}: {found.keys()}")
            counts = re.search(r"(\d+) done, (\d+) failed(?:, (\d+) not begun)?\n", ended.err)
            workshop.check(counts and sum(int(n or 0) for n in counts.groups()) == len(NAMES) and
                           int(counts[1]) == len(found), f"{what}: {ended.err}")
            listed = (workshop.folder / "bad").read_text().split()
            workshop.check({name.split("/./")[1] for name in listed} == set(NAMES) - set(found),
                           f"{what}: the list has {listed}")
            ended = workshop.run("-q", *WORDS, "--variant", "cpu", "--files-from", "bad", "-O", "out")
            workshop.check(ended.status == 0 and written(workshop) == wanted, f"{what}, again: {ended}")
    ended = batch(workshop, "--variant", "shared", EMULATED_FAILING_DEVICE="0", EMULATED_FAILS_AFTER="0")
    workshop.check(ended.status == 6 and written(workshop) is None, f"none at all: {ended}")


def automatic(workshop):
    """auto goes on without."""
    wanted = prepare(workshop)
    for after in ("0", "7", "40"):
        ended = batch(workshop, "-j3", EMULATED_AUTO="0", EMULATED_SPEED="1e9", EMULATED_FAILING_DEVICE="0",
                      EMULATED_FAILS_AFTER=after)
        workshop.check(ended.status == 0 and written(workshop) == wanted, f"auto, {after}: {ended}")


def no_room(workshop):
    """What is too large for a device is smoothed or reversed in parts, or fails by itself."""
    wanted = prepare(workshop)
    ended = batch(workshop, "-j1", "--variant", "shared", EMULATED_MEMORY="30000")
    workshop.check(ended.status == 0 and written(workshop) == wanted, f"in bands: {ended}")
    shutil.rmtree(workshop.folder / "wanted")
    workshop.check_works("-q", "--op", "reverse", "--variant", "cpu", "in", "wanted")
    for variant in ("naive", "vector"):
        ended = batch(workshop, "-j1", "--variant", variant, "--op", "reverse", EMULATED_MEMORY="8000")
        workshop.check(ended.status == 0 and written(workshop) == written(workshop, "wanted"),
                       f"reversed in parts: {ended}")
    ended = batch(workshop, "-j2", "--variant", "shared", "--op", "transpose", EMULATED_MEMORY="8000")
    workshop.check(ended.status == 1 and "has no memory for the image" in ended.err and
                   0 < len(written(workshop)) < len(NAMES), f"transpose: {ended}")


if __name__ == "__main__":
    program.main(__doc__, {"shared": [shared], "failing": [one_fails, all_fail, automatic, no_room]})
