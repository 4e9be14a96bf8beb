# SPDX-License-Identifier: MIT
"""Compares filters along three axes with the definition. The third axis runs through the images of a PNM stream, or the
planes of an NPY file.

usage: volumes.py SMOOTHIMG FOLDER"""

import itertools
import math
import random
import re
import sys
from pathlib import Path

import definition_arrays as definition
from npy_files import npy_file, read_npy
from whole_program import (
    EDGES, ORDERS, bits_of, check, ended, failures, floats_of, run, samples, stack, todays,
    wanted_of, words_of,
)


WAYS = ["", "--verify", "--variant reference"]


def read(path, pages, width, height, channels, maxval):
    data = path.read_bytes()
    if path.suffix != ".npy":
        return samples(data, pages, width, height, channels, maxval)
    descr, shape, found = read_npy(data)
    plane = (height, width, channels) if channels > 1 else (height, width)
    check(shape == (pages, *plane), f"{path}: {shape}")
    check(data == npy_file(descr, shape, found), f"{path}: not numpy.save's bytes")
    return floats_of(found) if descr == "<f4" else found


def compare(program, folder, case, edge):
    """Filters a random stack of PGM, PPM or NPY. It is written in the same format, or as NPY of floats."""
    rng = random.Random(case)
    op, floats = rng.choice(list(ORDERS)), rng.random() < 0.3
    pages, height, width = rng.randint(1, 9), rng.randint(1, 6), rng.randint(1, 7)
    channels, maxval = rng.choice((1, 1, 3)), rng.choice((1, 200, 255, 1000, 65535))
    halos = [rng.randint(0, 2), rng.randint(0, 2), rng.randint(1, 3)]
    values, data = stack(pages, width, height, channels, maxval, rng)
    source, target = folder / "volume.pnm", folder / ("out.npy" if floats else "smooth.pnm")
    if maxval in (255, 65535) and rng.random() < 0.7:
        shape = (pages, height, width, channels)[: 3 + (channels > 1)]
        source, target = folder / "volume.npy", folder / "out.npy"
        data = npy_file("|u1" if maxval == 255 else rng.choice(("<u2", ">u2")), shape, values)
    source.write_bytes(data)
    sigmas = [f"{rng.uniform(0.5, 2):.3f}" if halo else "0" for halo in halos]
    amount = rng.choice((1, 3.5))
    words = words_of(op, halos, sigmas, edge, amount, None, floats) + rng.choice(WAYS).split()
    if not ended(run(program, *words, str(source), str(target)), f"case {case}, {words}"):
        return
    kind = "u8" if maxval < 256 else "u16"
    axes = [(halos[i], float(sigmas[i]), edge) if halos[i] else None for i in (2, 1, 0)]
    wanted = wanted_of(
        op, values, [pages, height, width, channels], [*axes, None], kind, maxval, amount, None, floats
    )
    found = read(target, pages, width, height, channels, maxval)
    check(found == wanted, f"case {case}: {words} {source} {target}")


def third_of_halo(program, folder):
    """Tests that the default sigma is exactly a third of the halo. As a double, it would change two weights of halo
    749. With samples 1, -2, 1 the results are second differences of the weights, which floats hold exactly except
    at the ends."""
    halo = 749
    taps = {-halo - 2: 0, -halo - 1: 0, halo + 1: 0, halo + 2: 0, **definition.taps(halo, 0, 0, 46)}
    wanted = [
        math.ldexp(taps[k - 1] - 2 * taps[k] + taps[k + 1], -46) for k in range(-halo - 1, halo + 2)
    ]
    row = [0.0] * len(wanted)
    row[halo : halo + 3] = 1.0, -2.0, 1.0
    (folder / "row.npy").write_bytes(npy_file("<f4", (1, 1, len(row)), bits_of(row)))
    for halos in ("749,0,1", "749,0,0"):
        if ended(run(program, "--halo", halos, str(folder / "row.npy"), str(folder / "out.npy")), halos):
            found = floats_of(read_npy((folder / "out.npy").read_bytes())[2])
            check(found == floats_of(bits_of(wanted)), f"--halo {halos}: other weights than those of a third")


def combined(program, folder):
    """Tests that sharpen and difference use the smooth of the volume. Tests --linear with weights of 0 along the third
    axis: the result must be that of each page alone."""
    rng = random.Random(6)
    values, data = stack(5, 6, 7, 1, 255, rng)
    source, target, words = folder / "volume.pnm", folder / "out.pnm", ["--halo", "1,2,1"]
    source.write_bytes(data)
    ended(run(program, *words, str(source), str(target)), "smooth")
    smooth = samples(target.read_bytes(), 5, 6, 7, 1, 255)
    for op, wanted in (("sharpen", [(1000 * v + 1500 * (v - s) + 500) // 1000 for v, s in zip(values, smooth)]),
                       ("difference", [v - s + 128 for v, s in zip(values, smooth)])):
        more = ["--amount", "1.5"] if op == "sharpen" else []
        for way in WAYS:
            ended(run(program, "--op", op, *more, *way.split(), *words, str(source), str(target)), op)
            check(samples(target.read_bytes(), 5, 6, 7, 1, 255) == [min(max(one, 0), 255) for one in wanted], f"{op} {way}")
    found = []
    for halo, sigma in (("2,2,1", "1,1,0.04"), ("2,2,0", "1,1,0")):  # with sigma 0.04 all weights but one are 0
        ended(run(program, "--linear", "--halo", halo, "--sigma", sigma, str(source), str(target)), "--linear")
        found.append(target.read_bytes())
    check(found[0] == found[1], "--linear: not each page by itself")
    ended(run(program, "--verify", "--norm", "analytic", *words, str(source), str(target)), "--norm analytic")


def planes(program, folder):
    """Tests NPY files of three axes with halo 0 for the third one: each plane is filtered as if it were a file of its
    own, by every operation, also into pipes."""
    rng = random.Random(3)
    values = [rng.randint(0, 65535) for _ in range(5 * 6 * 7)]
    source, target, one = folder / "planes.npy", folder / "out.npy", folder / "plane.npy"
    source.write_bytes(npy_file("<u2", (5, 6, 7), values))
    for op in ("smooth", "transpose", "laplace", "sharpen"):
        side = (7, 6) if op == "transpose" else (6, 7)
        words, made = ["--op", op, *(["--halo", "2"] if op != "transpose" else [])], []
        three = ["--op", op, "--halo", "2,2,0"]
        if op == "transpose":
            three = ["--op", "smooth", *three[:2], "--halo", "0,0,0"]
        for i in range(5):
            one.write_bytes(npy_file("<u2", (6, 7), values[42 * i : 42 * (i + 1)]))
            ended(run(program, *words, str(one), str(one) + "2.npy"), op)
            made += read_npy(Path(str(one) + "2.npy").read_bytes())[2]
        wanted = npy_file("<u2", (5, *side), made)
        ended(run(program, *three, str(source), str(target)), op)
        check(target.read_bytes() == wanted, f"{op} of planes")
        piped = run(program, *three, "--format", "npy", str(source), "-", text=False)
        check(piped.stdout == wanted, f"{op} of planes into a pipe: {piped.stderr}")


def pages_into_planes(program, folder):
    source, target = folder / "pages.npy", folder / "out.npy"
    source.write_bytes(npy_file("|u1", (3, 4, 5), list(range(60))) + b"x")
    said = run(program, "--halo", "1,1,1", str(source), str(target)).stderr
    check("other bytes after the end" in said, "other bytes")
    pages = folder / "pages.pgm"
    pages.write_bytes(stack(2, 4, 5, 1, 255, random.Random(4))[1])
    ended(run(program, "--halo", "1,1,0", str(pages), str(target)), "pages into planes")
    check(read_npy(target.read_bytes())[1] == (2, 5, 4), "pages into planes")


def wrapped(program, folder):
    """Tests --edge wrap, which keeps all pages of an NPY file in memory. If --max-memory is too low, the message names
    the bytes that it takes. With these, a few pages are computed at a time, and the result is the same."""
    source, target, rng = folder / "wrap.npy", folder / "out.npy", random.Random(5)
    words = ("--edge", "wrap", "-j", "1", "--halo", "1,1,7", str(source), str(target))
    source.write_bytes(npy_file("|u1", (40, 300, 300), rng.choices(range(256), k=40 * 300 * 300)))
    ended(run(program, *words), "wrap, all memory")
    wanted = target.read_bytes()
    said = run(program, "--max-memory", "4M", *words).stderr
    found = re.search(r"40 pages .* would take (\d+) bytes .*; raise it with --max-memory; less .* with another --edge", said)
    check(found, f"wrap, 4M: {said}")
    if found:
        target.unlink()
        ended(run(program, "--max-memory", found[1], *words), f"wrap, {found[1]} bytes")
        check(target.read_bytes() == wanted, f"wrap, {found[1]} bytes: other samples")
    pages = folder / "wrap.pgm"
    pages.write_bytes(stack(40, 300, 300, 1, 255, rng)[1])
    for halo, memory, remedy in (
        ("1,1,7", "4M", "only 1\\d are kept in memory; raise --max-memory, or"), ("1,1,2", "6M", "only 16 .* is NPY, or")
    ):
        said = run(program, "--max-memory", memory, *words[:-3], halo, str(pages), str(target)).stderr
        check(re.search(remedy + " choose another rule", said), f"wrap, pages: {said}")


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    if "--device emulated is one" in run(program, "--list-devices").stderr:
        WAYS.append("--variant gpu --device emulated")
    for case, edge in itertools.product(todays(range(20), 4), EDGES):
        compare(program, folder, case, edge)
    source, target = str(folder / "volume.pnm"), str(folder / "smooth.pnm")
    alpha = b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\x01\x02"
    Path(source).write_bytes(alpha * 2)
    done = run(program, "--alpha", "separate", "--halo", "1,1,1", source, target)
    check(done.returncode == 0 and Path(target).read_bytes() == alpha * 2, done.stderr)
    stream = b"".join(alpha[:-2] + bytes((9 * i, i)) for i in range(25))
    Path(source).write_bytes(stream)
    ended(run(program, "--op", "laplace", "--alpha", "separate", "--halo", "0,0,1", source, target), "alpha")
    check(Path(target).read_bytes()[len(alpha) - 1 :: len(alpha)] == bytes(range(25)), "alpha of derivatives")
    third_of_halo(program, folder)
    combined(program, folder)
    planes(program, folder)
    wrapped(program, folder)
    pages_into_planes(program, folder)
    return failures()


if __name__ == "__main__":
    sys.exit(main())
