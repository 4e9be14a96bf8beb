# SPDX-License-Identifier: MIT
"""Tests batches on emulated devices, and on devices that fail (src/emulator/README.md). A variant is an implementation
of an operation, for the processor or for GPUs.

usage: devices.py SMOOTHIMG-ON-THE-EMULATED-DEVICE IMAGES GROUP
       devices.py SMOOTHIMG-WITHOUT-CUDA IMAGES asked
"""
import json
import os
import re
import shutil

import program
from npy_files import npy_file

NAMES = ("flat.pgm", "two.pgm", "rgb.ppm", "alpha.pam", "palette.png", "alpha16.png", "dot.pgm",
         "row.pgm", "column.pgm", "impulse.pgm", "gradient12.pgm")
WORDS = ("--halo", "2")


def prepare(workshop):
    """Makes a folder of images. Returns the outputs of variant cpu for them."""
    workshop.make_folder("in", *NAMES)
    workshop.check_says(["-q", *WORDS, "--variant", "cpu", "in", "wanted"], "")
    return workshop.outputs("wanted")


def batch(workshop, *words, **variables):
    """Runs a batch on the devices that the environment variables describe."""
    shutil.rmtree(workshop.folder / "out", ignore_errors=True)
    smooths = () if "--op" in words else WORDS
    return workshop.run(*smooths, *words, "in", "out", env={**os.environ, **variables})


def shared(workshop):
    """A batch uses device 0, or the device that --device names. With --shard, processes on several devices share the
    files. The outputs have the bytes of variant cpu."""
    wanted = prepare(workshop)
    listed = workshop.run("--list-devices", env={**os.environ, "EMULATED_DEVICES": "3"})
    workshop.check(len(listed.out.splitlines()) == 3, f"{listed}")
    for words, device in (((), "0"), (("--device", "1"), "1"), (("--device", "0"), "0")):
        for variant in ("gpu", "naive"):
            ended = batch(workshop, "-j3", "--json", "--variant", variant, *words, EMULATED_DEVICES="3")
            workshop.check(ended.status == 0, f"{words}: {ended.status}, {ended.err}")
            workshop.check(workshop.outputs() == wanted, f"{words} {variant}: other files or bytes")
            workshop.check(ended.err.count("the GPU is emulated") == 1, f"{words}: {ended.err}")
            lines = [json.loads(line) for line in ended.out.splitlines()][:-1]
            used = {line["ops"][0]["device"][0] for line in lines}
            workshop.check(used == {device}, f"{words}: on devices {used}")
    shutil.rmtree(workshop.folder / "out")
    for device in range(3):
        workshop.check_works("-q", *WORDS, "--variant", "gpu", "--shard", f"{device + 1}/3", "--device", str(device),
                             "in", "out", env={**os.environ, "EMULATED_DEVICES": "3"})
    workshop.check(workshop.outputs() == wanted, "a process for each device: other files or bytes")
    shutil.rmtree(workshop.folder / "out")
    ended = batch(workshop, "--variant", "gpu", "--device", "3", EMULATED_DEVICES="3")
    workshop.check(ended.status == 6 and "there is no device 3; the last is 2" in
                   ended.err and workshop.outputs() is None, f"no such device: {ended}")


def fails(workshop):
    """If the device fails, the batch ends with status 6. The outputs that exist by then are whole, and a run with
    variant cpu can complete the batch."""
    wanted = prepare(workshop)
    for after in ("7", "20", "60"):
        for jobs in ("-j1", "-j3"):
            ended = batch(workshop, jobs, "--variant", "shared", EMULATED_FAILING_DEVICE="0", EMULATED_FAILS_AFTER=after)
            what = f"after {after} requests, {jobs}"
            workshop.check(ended.status == 6 and "smoothimg: the GPU failed: " in ended.err and
                           "--variant cpu" in ended.err, f"{what}: {ended}")
            found = workshop.outputs() or {}
            workshop.check(found.items() <= wanted.items() and len(found) < len(wanted), f"{what}: {found.keys()}")
            counts = re.search(r"(\d+) done, (\d+) failed(?:, (\d+) not begun)?\n", ended.err)
            workshop.check(counts and sum(int(n or 0) for n in counts.groups()) == len(NAMES) and
                           int(counts[1]) == len(found), f"{what}: {ended.err}")
            ended = workshop.run("-q", *WORDS, "--variant", "cpu", "--skip-existing", "in", "out")
            workshop.check(ended.status == 0 and workshop.outputs() == wanted, f"{what}, again: {ended}")
    ended = batch(workshop, "--variant", "shared", EMULATED_FAILING_DEVICE="0", EMULATED_FAILS_AFTER="0")
    workshop.check(ended.status == 6 and workshop.outputs() is None, f"none at all: {ended}")


def no_room(workshop):
    """An image that is too large for a device is processed in parts. If not even the smallest part fits in the device's
    memory, the image's file fails."""
    wanted = prepare(workshop)
    ended = batch(workshop, "-j1", "--variant", "shared", EMULATED_MEMORY="30000")
    workshop.check(ended.status == 0 and workshop.outputs() == wanted, f"in bands: {ended}")
    for op, variants, memory in (("reverse", ("naive", "vector"), "8000"), ("transpose", ("shared", "vector"), "800")):
        shutil.rmtree(workshop.folder / "wanted")
        workshop.check_works("-q", "--op", op, "--variant", "cpu", "in", "wanted")
        for variant in variants:
            ended = batch(workshop, "-j1", "--variant", variant, "--op", op, EMULATED_MEMORY=memory)
            workshop.check(ended.status == 0 and workshop.outputs() == workshop.outputs("wanted"),
                           f"{op} in parts: {ended}")
    ended = batch(workshop, "-j2", "--variant", "shared", EMULATED_MEMORY="400")
    workshop.check(ended.status == 1 and "has no memory for the " in ended.err and not workshop.outputs(),
                   f"no part: {ended}")


def processor_by_default(workshop):
    """Without a GPU variant the program opens no device."""
    workshop.take("flat.pgm")
    for words in ((), ("--variant", "auto"), ("--variant", "cpu")):
        ended = workshop.check_tells(["-v", *words, "flat.pgm", "out.pgm"], "variant cpu, ")
        workshop.check("GPU" not in ended.err, f"{words}: {ended.err}")


def no_memory_at_all(workshop):
    """A run for one image ends with 6 if the device's memory is too small even for the smallest part of the image."""
    workshop.take("flat.pgm")
    workshop.check_ends("-q --variant shared flat.pgm out.pgm", 6, re.compile("device 0 has no memory for the image.*"),
                        env={**os.environ, "EMULATED_MEMORY": "400"})


def asked(workshop):
    """Tests a program that was built without CUDA. With --device emulated, each GPU variant except fused gives the
    bytes of variant cpu. The variant fused, and without this option any GPU variant, is refused. The message says what
    to do."""
    workshop.take("gradient12.pgm", "alpha16.png")
    listed = [line.split()[:3] for line in workshop.run("--list-variants").out.decode().splitlines()]
    variants = [(op, variant) for op, variant, place in listed if place == "GPU"]
    workshop.check(len(variants) == 14, f"{variants}")
    for op, variant in variants:
        words = ["--op", op, "--variant", variant]
        remedy = "-Dcuda=emulated" if variant == "fused" else "--device emulated"
        wanted = f"--variant {variant}: this smoothimg was built without CUDA; .*{remedy} .*"
        for target in ("-", "not.png"):
            workshop.check_ends(["-q", *words, "gradient12.pgm", target], 6, re.compile(wanted))
        words += ["--device", "emulated"]
        for name in ("gradient12.pgm", "alpha16.png"):
            if variant == "fused":
                workshop.check_ends(["-q", *words, name, "not.png"], 6, re.compile(wanted))
                continue
            right = workshop.check_works("-q", "--op", op, name, "-")
            workshop.check(workshop.check_works("-q", *words, name, "-") == right, f"{words} {name}: differs")


def refuse_floats(workshop, variants, *words):
    """Checks that the variants refuse to smooth floats, with a message and without an output, also with --verify.
    `variants` maps the word after --variant to the name in the message."""
    (workshop.folder / "in.npy").write_bytes(npy_file("<f4", (3, 4), [0] * 12))
    for variant, name in variants.items():
        for more in ((), ("--verify",), ("--nan", "skip")):
            workshop.check_ends(["-q", "--variant", variant, *words, *more, "in.npy", "not.npy"], 4,
                                f"smooth {name} cannot do this: it computes integers of 8 and 16 bits; floats "
                                "need the variant fused or cpu")


def asked_floats(workshop):
    """None of the variants that --device emulated offers computes floats."""
    refuse_floats(workshop, {"naive": "naive", "coalesced": "coalesced", "tiled": "tiled", "shared": "shared",
                             "separable": "separable", "gpu": "separable"}, "--device", "emulated")


def emulated_floats(workshop):
    """Only the GPU variant fused computes floats, so --variant gpu selects fused."""
    refuse_floats(workshop, {name: name for name in ("naive", "coalesced", "tiled", "shared", "separable",
                                              "separable_cpu")})
    wanted = workshop.check_works("--variant", "cpu", "in.npy", "-")
    for variant in ("fused", "gpu"):
        found = workshop.check_works("-q", "--verify", "--variant", variant, "in.npy", "-")
        workshop.check(found == wanted, f"{variant}: other bytes")


def asked_for_nothing(workshop):
    """Tests which variant --variant gpu selects, --list-devices, and words that --device refuses."""
    workshop.take("flat.pgm")
    ended = workshop.run("--variant", "gpu", "--device", "emulated", "--json", "flat.pgm", "out.pgm")
    workshop.check(ended.status == 0 and ended.err.count("the GPU is emulated") == 1, f"{ended}")
    workshop.check(json.loads(ended.out.splitlines()[0])["ops"][0]["variant"] == "separable", f"{ended}")
    workshop.check_tells("--list-devices", "; --device emulated is one on the processor", 6)
    workshop.check_ends("--device emulatd --variant gpu flat.pgm not.pgm", 2,
                        "--device 'emulatd': must be a whole number from 0 to 1023, or emulated")
    workshop.check_ends("--device emulated --variant cpu flat.pgm not.pgm", 2,
                        re.compile("--device: has no effect, since the processor computes; .*"))


if __name__ == "__main__":
    program.main(__doc__, {
        "asked": [asked, asked_floats, asked_for_nothing],
        "shared": [shared],
        "failing": [fails, no_room],
        "named": [processor_by_default, no_memory_at_all, emulated_floats],
    })
