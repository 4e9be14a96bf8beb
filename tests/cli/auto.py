# SPDX-License-Identifier: MIT
"""--variant auto: what -v says of it, and what it does when a GPU pays, or fails.

usage: auto.py PROGRAM IMAGES GROUP

The group `emulated` wants a program with the emulated device, which auto takes only where
EMULATED_AUTO is set (tests/emulated/README.md); `failing` one with the variants of
failing_variants.c too; `plain` takes any.
"""
import contextlib
import os
import re
import time

import program

NUMBER = r"[0-9.]+(e[-+]\d+)? ms"
WIDTH = 80


def chosen(ended):
    """The lines of -v that say what was chosen."""
    return re.findall(r"^  chosen: (.*)$", ended.err, re.MULTILINE)


def result(workshop, *words):
    """The bytes that the CPU makes of it."""
    return workshop.run("--variant", "cpu", *words, "-").out


def says_why(workshop):
    """A line for each operation under auto, none where a variant was named."""
    workshop.take("flat.pgm")
    ended = workshop.run("-v", "--op", "smooth", "--op", "transpose", "flat.pgm", "out.pgm")
    lines = chosen(ended)
    workshop.check(ended.status == 0 and len(lines) == 2, f"{ended}")
    for op, line in zip(("smooth", "transpose"), lines):
        good = re.fullmatch(rf"{op} cpu, about {NUMBER}; (no GPU here|no GPU is visible|"
                            rf"built without CUDA|the GPU is emulated|GPU {NUMBER}.*)", line)
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


def small_stays(workshop):
    """A GPU like any other is not even started for a small image, from a file or a pipe."""
    workshop.take("flat.pgm")
    data = (workshop.folder / "flat.pgm").read_bytes()
    for operands in (("flat.pgm", "out.pgm"), ("-", "-")):
        ended = workshop.run("-v", *operands, data=data)
        good = re.fullmatch(rf"smooth cpu, about {NUMBER}; GPU \d+ ms, of it \d+ ms to start",
                            "".join(chosen(ended)))
        workshop.check(good, f"{operands}: {ended}")
        workshop.check("GPU: " not in ended.err, f"it was opened: {ended.err}")


def takes_the_best(workshop):
    """Where the GPU pays, its best variants do the work; in a folder and from a pipe too."""
    workshop.take("flat.pgm", "colours.png", "gradient12.pgm")
    os.mkdir(workshop.folder / "in")
    for name in ("flat.pgm", "gradient12.pgm"):
        os.rename(workshop.folder / name, workshop.folder / "in" / name)
    words = ("--op", "smooth", "--op", "transpose", "--op", "reverse", "--halo", "3")
    ended = workshop.run("-v", "--verify", *words, "colours.png", "out.png")
    best = [" ".join(line.split()[:2]) for line in chosen(ended)]
    workshop.check(best == ["smooth fused,", "transpose vector,", "reverse vector,"], f"{ended}")
    workshop.check("GPU: Emulated device, opened in" in ended.err, f"{ended.err}")
    ended = workshop.run("-v", *words, "in", "out")
    workshop.check(ended.status == 0 and len(chosen(ended)) == 6, f"{ended}")
    for name in ("flat.pgm", "gradient12.pgm"):
        wanted = result(workshop, *words, f"in/{name}")
        workshop.check((workshop.folder / "out" / name).read_bytes() == wanted, f"{name} differs")
    data = (workshop.folder / "in" / "flat.pgm").read_bytes()
    ended = workshop.run("-v", *words, "-", "-", data=data)
    workshop.check(chosen(ended)[0].startswith("smooth fused, "), f"{ended.err}")
    workshop.check(ended.out == result(workshop, *words, "in/flat.pgm"), "from a pipe: differs")


def small_halos_only(workshop):
    """Beyond halo 64 no smooth goes to a GPU, even to one that costs nothing; the rest may."""
    workshop.take("flat.pgm")
    for halo, best in ((64, "smooth fused, "), (65, "smooth cpu, "), (200, "smooth cpu, ")):
        words = ("--halo", str(halo), "--op", "smooth")
        ended = workshop.run("-v", *words, "flat.pgm", "out.pgm")
        workshop.check(ended.status == 0 and chosen(ended)[0].startswith(best), f"{halo}: {ended}")
        workshop.check(("GPU: " in ended.err) == (halo == 64), f"{halo}, opened: {ended.err}")
        why = chosen(ended)[0].endswith("; no GPU beyond halo 64")
        workshop.check(why == (halo > 64), f"{halo}: {ended.err}")
        ended = workshop.run("-v", *words, "--op", "reverse", "flat.pgm", "out.pgm")
        workshop.check(chosen(ended)[0].startswith(best) and
                       chosen(ended)[1].startswith("reverse vector, "), f"{halo}: {ended}")
        workshop.check((workshop.folder / "out.pgm").read_bytes() ==
                       result(workshop, *words, "--op", "reverse", "flat.pgm"), f"{halo} differs")


def goes_on_without(workshop):
    """Without memory, or without the device, auto goes on with the CPU: same bytes, no error."""
    workshop.take("flat.pgm")
    wanted = result(workshop, "--op", "transpose", "--op", "smooth", "flat.pgm")
    for words, settings, why in (
            ((), {"EMULATED_MEMORY": "4000"}, "device 0 has no memory for the image: "),
            # The image has room, its result has not.
            ((), {"EMULATED_MEMORY": "20000"}, "device 0 has no memory for the result: "),
            (("--device", "7"), {}, "--device 7: there is no such device")):
        words = (*words, "--op", "transpose", "--op", "smooth", "flat.pgm", "out.pgm")
        with workshop.start("-v", *words, env={**os.environ, **settings}) as process:
            out, err = process.communicate(timeout=program.PATIENCE)
        ended = program.Ended(process.returncode, out, err.decode())
        workshop.check(ended.status == 0, f"{settings}: {ended}")
        workshop.check([line.split(",")[0] for line in chosen(ended)] ==
                       ["transpose cpu", "smooth cpu"], f"{settings}: {ended.err}")
        workshop.check("; the GPU failed\n" in ended.err, f"{settings}: {ended.err}")
        workshop.check(f"  without the GPU: {why}" in ended.err, f"{settings}: {ended.err}")
        workshop.check((workshop.folder / "out.pgm").read_bytes() == wanted, f"{settings}: differs")
        (workshop.folder / "out.pgm").unlink()


def takes_the_next(workshop):
    """Where the best variant refuses, the next best; where it fails, the CPU for all that follows."""
    workshop.take("colours.png")
    ended = workshop.run("-v", "--op", "reverse", "colours.png", "out.ppm")
    workshop.check(ended.status == 0 and chosen(ended)[0].startswith("reverse vector, "), f"{ended}")
    workshop.check("without the GPU" not in ended.err, f"{ended.err}")
    wanted = result(workshop, "--format", "ppm", "--op", "reverse", "colours.png")
    workshop.check((workshop.folder / "out.ppm").read_bytes() == wanted, "reversed: differs")
    words = ("--op", "reverse", "--op", "transpose", "--op", "smooth")
    ended = workshop.run("-v", *words, "colours.png", "out.ppm")
    workshop.check([re.split("[ ,]", line)[1] for line in chosen(ended)] == ["vector", "cpu", "cpu"],
                   f"{ended}")
    workshop.check("starting variant failing: this one always fails" in ended.err, f"{ended.err}")
    wanted = result(workshop, "--format", "ppm", *words, "colours.png")
    workshop.check((workshop.folder / "out.ppm").read_bytes() == wanted, "the chain: differs")


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
    message = re.compile("--device 7: there is no such device.*")
    for operands in (("flat.pgm", "out.pgm"), ("in", "out")):
        workshop.check_ends(["-q", "--variant", "gpu", "--device", "7", *operands], 6, message)
    workshop.check(not list(workshop.folder.glob("out*")), "a result came")
    os.environ["EMULATED_MEMORY"] = "400"
    message = re.compile("device 0 has no memory for the image.*")
    workshop.check_ends("-q --variant shared flat.pgm out.pgm", 6, message)
    del os.environ["EMULATED_MEMORY"]
    workshop.check(not (workshop.folder / "out.pgm").exists(), "a result came")


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
                            re.compile("--device 3: there is no such device; the last is 2.*"))
    # Larger than the memory of the device.
    with settings(EMULATED_MEMORY="12000"):
        workshop.check_ends("-q --variant shared --op transpose gradient12.pgm not.pgm", 6,
                            re.compile("device 0 has no memory for the image.*"))
        ended = workshop.run("-q", "-j1", "--variant", "shared", "--halo", "1", "gradient12.pgm",
                             "small.pgm")
        workshop.check(ended.status == 0 and not ended.err, f"{ended}")
        workshop.check((workshop.folder / "small.pgm").read_bytes() ==
                       result(workshop, "--halo", "1", "gradient12.pgm"), "in bands: differs")


def goes_on_in_the_middle(workshop):
    """A device that breaks between two bands: auto goes on; a variant that was named does not."""
    workshop.take("flat.pgm")
    wanted = result(workshop, "flat.pgm")
    breaking = {"EMULATED_DEVICES": "2", "EMULATED_FAILING_DEVICE": "1"}
    for after in ("0", "1", "8", "20"):
        with settings(EMULATED_FAILS_AFTER=after, **breaking):
            ended = workshop.run("-v", "--device", "1", "flat.pgm", "out.pgm")
            workshop.check(ended.status == 0 and chosen(ended)[0].endswith("; the GPU failed") and
                           "  without the GPU: the GPU failed: " in ended.err, f"{after}: {ended}")
            workshop.check((workshop.folder / "out.pgm").read_bytes() == wanted, f"{after}: differs")
            workshop.check_ends("-q --variant gpu --device 1 flat.pgm not.pgm", 6,
                                re.compile("the GPU failed: .*"))
            workshop.check(not (workshop.folder / "not.pgm").exists(), "a result came")
            ended = workshop.run("-q", "-j4", "--variant", "gpu", "--device", "0", "flat.pgm", "out.pgm")
            workshop.check(ended.status == 0, f"the other device: {ended}")


def hooked(part, cost="free"):
    """The part, with the emulated device taken for a GPU that costs nothing, or that much."""
    def run(workshop):
        os.environ["EMULATED_AUTO"] = cost
        try:
            part(workshop)
        finally:
            del os.environ["EMULATED_AUTO"]
    run.__name__ = part.__name__
    return run


if __name__ == "__main__":
    program.main(__doc__, {
        "plain": [says_why],
        "emulated": [never_by_itself, hooked(takes_the_best), hooked(small_halos_only),
                     hooked(goes_on_without),
                     hooked(small_stays, "usual"),
                     named_ones_fail, opens_meanwhile, shares_devices,
                     hooked(goes_on_in_the_middle)],
        "failing": [hooked(takes_the_next)],
    })
