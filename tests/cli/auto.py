# SPDX-License-Identifier: MIT
"""--variant auto: who computes, by -v, with a GPU that is fast, slow, late, or fails; and variants
of the GPU that are named.

usage: auto.py PROGRAM IMAGES GROUP

The group `emulated` wants a program with the emulated device, which auto takes only where
EMULATED_AUTO is set (src/emulator/README.md); `failing` one with the variants of
failing/variants.c too; `plain` takes any.
"""
import contextlib
import os
import random
import re
import time

import program

WIDTH = 80
# Seconds in which the emulated device is certain to be open; on a machine that is busy, more.
WAITS = (1.0, 3.0, 9.0)
FAST = {"EMULATED_AUTO": "0", "EMULATED_SPEED": "1e9"}
SLOW = {"EMULATED_AUTO": "0", "EMULATED_SPEED": "1"}


def chosen(ended):
    """The lines of -v that say who has computed."""
    return re.findall(r"^  chosen: (.*)$", ended.err, re.MULTILINE)


def pieces(ended, op=0):
    """The pieces of an operation that the processor and the GPU have computed, by -v."""
    found = re.fullmatch(r"\w+ in (\d+) pieces?(?:, (\d+) by the GPU)?(?:; .*)?", chosen(ended)[op])
    every, gpu = int(found[1]), int(found[2] or 0)
    return every - gpu, gpu


def result(workshop, *words, data=b""):
    """The bytes that the processor makes of it."""
    return workshop.run("--variant", "cpu", *words, "-", data=data).out


def noise(rows, width=256):
    return b"P5 %d %d 255\n" % (width, rows) + random.Random(rows).randbytes(rows * width)


def in_two_parts(workshop, data, first, *words, until=lambda ended: True, **variables):
    """A run that gets its input from a pipe: so many bytes, and the rest when what they began to open
    is open. `until` what depends on turns of the processor came about, with a longer wait each time."""
    for wait in WAITS:
        with workshop.start("-v", *words, "-", "out.pgm", env={**os.environ, **variables}) as process:
            process.stdin.write(data[:first])
            process.stdin.flush()
            time.sleep(wait)
            out, err = process.communicate(data[first:], program.PATIENCE)
        ended = program.Ended(process.returncode, out, err.decode())
        if ended.status != 0 or until(ended):
            break
    return ended


def check_right(workshop, ended, wanted, what):
    workshop.check(ended.status == 0, f"{what}: {ended}")
    workshop.check((workshop.folder / "out.pgm").read_bytes() == wanted, f"{what}: differs")
    (workshop.folder / "out.pgm").unlink()


@contextlib.contextmanager
def settings(**variables):
    """The environment with these variables in it."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def says_why(workshop):
    """A line for each operation under auto, none where a variant was named."""
    workshop.take("flat.pgm")
    ended = workshop.run("-v", "--op", "smooth", "--op", "transpose", "flat.pgm", "out.pgm")
    lines = chosen(ended)
    workshop.check(ended.status == 0 and len(lines) == 2, f"{ended}")
    for op, line in zip(("smooth", "transpose"), lines):
        good = re.fullmatch(rf"{op} in 1 piece; (no GPU here|no GPU is visible|built without CUDA|"
                            r"the GPU is emulated|too little is left for opening a GPU|"
                            r"files take longer than computing)", line)
        workshop.check(good, f"said {line!r}")
    workshop.check(all(len(line) <= WIDTH for line in ended.err.splitlines()), f"{ended.err}")
    for words in (("--variant", "cpu"), ("--variant", "reference")):
        ended = workshop.run("-v", *words, "flat.pgm", "out.pgm")
        workshop.check(ended.status == 0 and not chosen(ended), f"{words}: {ended}")


def never_by_itself(workshop):
    """The emulated device is no GPU for auto, whatever the work."""
    workshop.take("flat.pgm")
    ended = workshop.run("-v", "--halo", "300", "flat.pgm", "out.pgm")
    workshop.check(chosen(ended)[0].endswith("; the GPU is emulated"), f"{ended}")
    workshop.check("GPU: " not in ended.err, f"it was opened: {ended.err}")


def not_worth_it(workshop):
    """A GPU is not opened for work that the processor would have done before, nor where files take the
    time."""
    (workshop.folder / "in.pgm").write_bytes(noise(400))
    wanted = result(workshop, "--halo", "200", "in.pgm")
    with settings(EMULATED_AUTO="1000", EMULATED_SPEED="1e9"):
        ended = workshop.run("-v", "-j1", "--halo", "200", "in.pgm", "out.pgm")
    check_right(workshop, ended, wanted, "a long opening")
    workshop.check(chosen(ended)[0].endswith("; too little is left for opening a GPU"), f"{ended.err}")
    workshop.check("GPU: " not in ended.err, f"it was opened: {ended.err}")
    data = noise(1000, 4000)
    wanted = result(workshop, "--halo", "1", "--format", "png", "--png-level", "9", "-", data=data)
    ended = in_two_parts(workshop, data, 2000000, "-j1", "--halo", "1", "--format", "png",
                         "--png-level", "9", **FAST)
    check_right(workshop, ended, wanted, "compression")
    workshop.check(chosen(ended)[0].endswith("; files take longer than computing"), f"{ended.err}")
    workshop.check("GPU: " not in ended.err, f"it was opened: {ended.err}")


def fast(workshop):
    """The processor begins; a fast GPU takes pieces as soon as it is open: of an image in bands, and
    of whole images, for each operation. --json has the counts too."""
    data = noise(400)
    for words in (("--halo", "40"), ("--halo", "40", "--edge", "wrap"), ("--halo", "3")):
        wanted = result(workshop, *words, "-", data=data)
        either = words == ("--halo", "3")  # reading may take longer than computing
        least = 0 if either or "wrap" in words else 2
        ended = in_two_parts(workshop, data, 90000, "-j1", *words, **FAST,
                             until=lambda ended, least=least: pieces(ended)[1] >= least)
        check_right(workshop, ended, wanted, f"{words}")
        by_cpu, by_gpu = pieces(ended)
        workshop.check(either or by_cpu > 0 and by_gpu >= least, f"{words}: {ended.err}")
    workshop.check("GPU: Emulated device, opened in" in ended.err or by_gpu == 0, f"{ended.err}")
    data = 6 * noise(60)
    words = ("--halo", "40", "--op", "smooth", "--op", "transpose", "--op", "reverse")
    wanted = result(workshop, *words, "-", data=data)
    ended = in_two_parts(workshop, data, 2 * len(noise(60)), "-j2", "--verify", *words, **FAST,
                         until=lambda ended: all(pieces(ended, op)[1] > 2 for op in range(3)))
    check_right(workshop, ended, wanted, "whole images")
    for op, name in enumerate(("fused", "vector", "vector")):
        by_cpu, by_gpu = pieces(ended, op)
        workshop.check(by_cpu + by_gpu == 6 and by_cpu > 0 and by_gpu > 2, f"{op}: {ended.err}")
        workshop.check(f", variant cpu, {name}" in ended.err, f"{ended.err}")


def slow(workshop):
    """A GPU that turns out slower than a thread gets three small pieces, and no more."""
    data = noise(600)
    wanted = result(workshop, "--halo", "40", "-", data=data)
    for jobs in ("1", "3"):
        least = 3 if jobs == "1" else 1
        ended = in_two_parts(workshop, data, 90000, "-j", jobs, "--halo", "40", **SLOW,
                             until=lambda ended, least=least: pieces(ended)[1] >= least)
        check_right(workshop, ended, wanted, f"-j{jobs}")
        by_cpu, by_gpu = pieces(ended)
        workshop.check(least <= by_gpu <= 3, f"-j{jobs}: {ended.err}")
        workshop.check(chosen(ended)[0].endswith("; the GPU was slower") or by_gpu < 3, f"{ended.err}")


def late(workshop):
    """A GPU that takes long to open is not waited for, in the work or at the end; of many threads one
    waits, but only as long as opening was expected to take."""
    data = noise(400)
    wanted = result(workshop, "--halo", "40", "-", data=data)
    for jobs, expected in (("2", "0"), ("8", "1e-9")):
        start = time.monotonic()
        ended = in_two_parts(workshop, data, 90000, "-j", jobs, "--halo", "40", EMULATED_START="60000",
                             EMULATED_AUTO=expected, EMULATED_SPEED="1e9")
        workshop.check(time.monotonic() - start < 50, f"-j{jobs}: it was waited for")
        check_right(workshop, ended, wanted, f"late, -j{jobs}")
        workshop.check(chosen(ended)[0].endswith("; the GPU was not open yet"), f"{ended.err}")


def goes_on_without(workshop):
    """Without memory, or without the device, when it is opened or in the middle: auto goes on with the
    processor, with the same bytes and no error."""
    data = noise(400)
    wanted = result(workshop, "--halo", "40", "-", data=data)
    for words, settings, why in (
            ((), {"EMULATED_MEMORY": "4000"}, "device 0 has no memory for the image: "),
            (("--device", "7"), {}, "there is no device 7"),
            *(((), {"EMULATED_FAILING_DEVICE": "0", "EMULATED_FAILS_AFTER": after}, "the GPU failed: ")
              for after in ("0", "1", "8", "20", "30"))):
        ended = in_two_parts(workshop, data, 90000, "-j1", "--halo", "40", *words, **FAST, **settings,
                             until=lambda ended: "the GPU failed" in ended.err)
        check_right(workshop, ended, wanted, f"{words} {settings}")
        workshop.check(chosen(ended)[0].endswith("; the GPU failed"), f"{settings}: {ended.err}")
        workshop.check(f"  without the GPU: {why}" in ended.err, f"{settings}: {ended.err}")


def takes_the_next(workshop):
    """Where the best variant refuses, the next best; where it fails, the processor for all that follows."""
    data = 5 * noise(60)
    words = ("--halo", "40", "--op", "smooth", "--op", "reverse")
    wanted = result(workshop, *words, "-", data=data)
    ended = in_two_parts(workshop, data, 2 * len(noise(60)), "-j1", *words, **FAST,
                         until=lambda ended: "variant cpu, vector" in ended.err)
    check_right(workshop, ended, wanted, "a chain")
    workshop.check("reverse, variant cpu, vector" in ended.err, f"{ended.err}")
    workshop.check("without the GPU" not in ended.err, f"{ended.err}")
    words = ("--halo", "40", "--op", "smooth", "--op", "transpose")
    wanted = result(workshop, *words, "-", data=data)
    ended = in_two_parts(workshop, data, 2 * len(noise(60)), "-j1", *words, **FAST,
                         until=lambda ended: "always fails" in ended.err)
    check_right(workshop, ended, wanted, "a chain that fails")
    workshop.check("starting variant failing: this one always fails" in ended.err, f"{ended.err}")
    workshop.check(pieces(ended, 1) == (5, 0), f"{ended.err}")


def opens_meanwhile(workshop):
    """The GPU is opened while the input is waited for, not before it or behind."""
    data = (workshop.images / "flat.pgm").read_bytes()
    settings = {**os.environ, "EMULATED_START": "400"}
    with workshop.start("-v", "--variant", "gpu", "-", "-", env=settings) as process:
        time.sleep(1.5)
        out, err = process.communicate(data, program.PATIENCE)
    spent = re.search(r"^GPU: .*, opened in (\d+) ms, (\d+) ms of it waited for$", err.decode(),
                      re.MULTILINE)
    workshop.check(process.returncode == 0 and out and spent, f"{err}")
    opened, waited = map(int, spent.groups())
    workshop.check(opened >= 400 and waited < opened / 2, f"opened in {opened}, waited {waited} ms")


def named_ones_fail(workshop):
    """A GPU's variant that was asked for fails with the device, once for a whole folder."""
    workshop.take("flat.pgm")
    os.mkdir(workshop.folder / "in")
    for name in ("a.pgm", "b.pgm"):
        os.link(workshop.folder / "flat.pgm", workshop.folder / "in" / name)
    message = re.compile("there is no device 7.*")
    for operands in (("flat.pgm", "out.pgm"), ("in", "out")):
        workshop.check_ends(["-q", "--variant", "gpu", "--device", "7", *operands], 6, message)
    workshop.check(not list(workshop.folder.glob("out*")), "a result came")
    os.environ["EMULATED_MEMORY"] = "400"
    message = re.compile("device 0 has no memory for the image.*")
    workshop.check_ends("-q --variant shared flat.pgm out.pgm", 6, message)
    del os.environ["EMULATED_MEMORY"]
    workshop.check(not (workshop.folder / "out.pgm").exists(), "a result came")


def shares_devices(workshop):
    """--device all: the bands of an image are done on all devices, and the bytes are the same."""
    workshop.take("gradient12.pgm")
    words = ("--halo", "5", "--edge", "wrap")
    wanted = result(workshop, *words, "gradient12.pgm")
    as_png = result(workshop, *words, "--format", "png", "gradient12.pgm")
    with settings(EMULATED_DEVICES="3"):
        ended = workshop.run("--list-devices")
        workshop.check(len(ended.out.splitlines()) == 3, f"{ended}")
        for device, opened in (("0", 1), ("2", 1), ("all", 3)):
            for name in ("out.png", "out.pgm"):
                ended = workshop.run("-v", "--timings", "-j3", "--variant", "gpu", "--device", device,
                                     *words, "gradient12.pgm", name)
                workshop.check(ended.status == 0, f"{device}: {ended}")
                for stage in ("upload", "kernel", "download"):
                    workshop.check(re.search(rf"^    {stage} +[0-9.]+ s", ended.err, re.MULTILINE),
                                   f"no {stage}: {ended.err}")
            workshop.check(ended.err.count("opened in") == opened, f"{device}: {ended.err}")
            workshop.check((workshop.folder / "out.pgm").read_bytes() == wanted, f"{device} differs")
            workshop.check((workshop.folder / "out.png").read_bytes() == as_png,
                           f"{device}, PNG: differs")
        workshop.check_ends("-q --variant gpu --device 3 gradient12.pgm last.pgm", 6,
                            re.compile("there is no device 3; the last is 2.*"))
    # Larger than the memory of the device.
    with settings(EMULATED_MEMORY="12000"):
        workshop.check_ends("-q --variant shared --op transpose gradient12.pgm not.pgm", 6,
                            re.compile("device 0 has no memory for the image.*"))
        ended = workshop.run("-q", "-j1", "--variant", "shared", "--halo", "1", "gradient12.pgm",
                             "small.pgm")
        workshop.check(ended.status == 0 and not ended.err, f"{ended}")
        workshop.check((workshop.folder / "small.pgm").read_bytes() ==
                       result(workshop, "--halo", "1", "gradient12.pgm"), "in bands: differs")


def fails_in_the_middle(workshop):
    """A device that breaks between two bands: the run fails, unless another device is there."""
    workshop.take("flat.pgm")
    breaking = {"EMULATED_DEVICES": "2", "EMULATED_FAILING_DEVICE": "1"}
    for after in ("0", "1", "8", "16"):
        with settings(EMULATED_FAILS_AFTER=after, **breaking):
            workshop.check_ends("-q --variant gpu --device 1 flat.pgm not.pgm", 6,
                                re.compile("the GPU failed: .*"))
            workshop.check(not (workshop.folder / "not.pgm").exists(), "a result came")
            for device in ("0", "all"):
                ended = workshop.run("-q", "-j4", "--variant", "gpu", "--device", device, "flat.pgm",
                                     "out.pgm")
                check_right(workshop, ended, result(workshop, "flat.pgm"), f"{device}, after {after}")


if __name__ == "__main__":
    program.main(__doc__, {
        "plain": [says_why],
        "emulated": [never_by_itself, not_worth_it, fast, slow, late, goes_on_without,
                     named_ones_fail, opens_meanwhile, shares_devices, fails_in_the_middle],
        "failing": [takes_the_next],
    })
