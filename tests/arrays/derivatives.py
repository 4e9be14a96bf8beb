# SPDX-License-Identifier: MIT
"""Compares --op gradient, --op laplace and --float on images with the definition.

usage: derivatives.py SMOOTHIMG FOLDER

tests/cli/refused.txt has what they refuse, and execution_modes.py tests the ways of execution."""

import json
import random
import sys
from pathlib import Path

from npy_files import npy_file, read_npy
from whole_program import (
    EDGES, ORDERS, bits_of, check, ended, failures, floats_of, run, samples, stack, todays,
    wanted_of, words_of,
)


OTHER_WAYS = []


def compare(program, folder, case):
    rng = random.Random(case)
    op, edge, floats = rng.choice(list(ORDERS)), EDGES[case % 5], rng.random() < 0.5
    floats = floats or op == "smooth"
    height, width, channels = rng.randint(1, 9), rng.randint(1, 9), rng.choice((1, 1, 3))
    maxval = rng.choice((1, 200, 255, 255, 1000, 65535))
    halos = rng.choice(((1, 1), (2, 3), (3, 0), (0, 2), (4, 4)))
    amount = rng.choice((1, 1, 0.001, 2.5, 16))
    offset = rng.choice((None, 0, maxval, maxval // 3)) if op == "laplace" and not floats else None
    values, data = stack(1, width, height, channels, maxval, rng)
    source, target = folder / "image.pnm", folder / ("out.npy" if floats else "out.pnm")
    source.write_bytes(data)
    sigmas = [f"{rng.uniform(0.5, 2):.3f}" if halo else "0" for halo in halos]
    axes = [(halos[i], float(sigmas[i]), edge) if halos[i] else None for i in (1, 0)]
    kind = "u8" if maxval < 256 else "u16"
    wanted = wanted_of(op, values, [height, width, channels], [*axes, None], kind, maxval, amount, offset, floats)
    words = words_of(op, halos, sigmas, edge, amount, offset, floats)
    for more in ([], ["--verify", "-q"], ["--variant", "reference"], *OTHER_WAYS):
        if not ended(run(program, *words, *more, str(source), str(target)), f"case {case}, {words} {more}"):
            continue
        data = target.read_bytes()
        found = floats_of(read_npy(data)[2]) if floats else samples(data, 1, width, height, channels, maxval)
        check(found == wanted, f"case {case}: {words} {more}")


def float_images(program, folder):
    """Compares results of float samples, among them NaN and infinity, with the definition."""
    rng = random.Random(5)
    nan = float("nan")
    for op in ORDERS:
        values = [rng.choice((rng.uniform(-5, 5), 0.0, -0.0, 1e38)) for _ in range(7 * 8)]
        values[20], values[41] = nan, float("inf")
        bits = bits_of(values)
        values = floats_of(bits)
        (folder / "in.npy").write_bytes(npy_file("<f4", (7, 8), bits))
        wanted = wanted_of(op, values, [7, 8], [(2, 0.8, "mirror"), (1, 0.5, "mirror")], "f32", 0, 3, None, True)
        words = words_of(op, (1, 2), ("0.5", "0.8"), "mirror", 3, None, op == "smooth")
        ended(run(program, "-q", *words, str(folder / "in.npy"), str(folder / "out.npy")), op)
        found = (folder / "out.npy").read_bytes()
        check(found == npy_file("<f4", (7, 8), bits_of(wanted)), f"{op} of floats")


def alpha(program, folder):
    """Tests that a gradient keeps alpha, and does not weight colours by it."""
    head = b"P7\nWIDTH 3\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n"
    source, target = str(folder / "alpha.pam"), folder / "alpha_out.pam"
    Path(source).write_bytes(head + bytes([0, 9, 100, 0, 200, 255]))
    words = ["--op", "gradient", "--alpha", "separate", "--halo", "1,0", "--sigma", "1"]
    ended(run(program, *words, source, str(target)), "alpha")
    axes = [None, (1, 1.0, "reflect"), None]
    grey = wanted_of("gradient", [0, 100, 200], [1, 3, 1], axes, "u8", 255, 1, None, False)
    check(target.read_bytes() == head + bytes([grey[0], 9, grey[1], 0, grey[2], 255]), "alpha changed")


def reports(program, folder):
    source, target = str(folder / "in.ppm"), str(folder / "out.ppm")
    Path(source).write_bytes(stack(1, 30, 40, 3, 255, random.Random(9))[1])
    words = ["--op", "laplace", "--sigma", "2", "--amount", "0.5", "--offset", "7"]
    said = run(program, "-v", *words, source, target).stderr
    check("  op laplace, variant cpu, engine arrays, " in said and "alpha weighted,\n    amount 0.5, offset 7, " in said, said)
    line = json.loads(run(program, "--json", *words, source, target).stdout.splitlines()[0])["ops"][0]
    shown = {key: line.get(key) for key in ("op", "variant", "engine", "halo", "sigma", "amount", "offset", "float")}
    check(shown == {"op": "laplace", "variant": "cpu", "engine": "arrays", "halo": 8, "sigma": 2, "amount": 0.5,
                    "offset": 7, "float": None}, shown)
    words = ["--json", "--float", source, str(folder / "out.npy")]
    line = json.loads(run(program, *words).stdout.splitlines()[0])["ops"][0]
    check(line["float"] is True and line["op"] == "smooth", line)


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    if "--device emulated is one" in run(program, "--list-devices").stderr:
        OTHER_WAYS.append(["--variant", "gpu", "--device", "emulated"])
    for case in todays(range(60), 3):
        compare(program, folder, case)
    for test in (float_images, alpha, reports):
        test(program, folder)
    return failures()


if __name__ == "__main__":
    sys.exit(main())
