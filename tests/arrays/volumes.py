# SPDX-License-Identifier: MIT
"""Stacks of pages that smoothimg smooths along three axes, against the definition: volumes.py
SMOOTHIMG FOLDER. The pages are images of a PNM stream: no other format is needed for it."""

import itertools
import random
import subprocess
import sys
from pathlib import Path

import definition

EDGES = ("clamp", "reflect", "mirror", "zero", "wrap")
wrong = []


def check(condition, words):
    if not condition:
        wrong.append(words)
        print(f"wrong: {words}")


def failures():
    print(f"{len(wrong)} failures")
    return len(wrong) > 0


def stack(pages, width, height, channels, maxval, rng):
    """A stream of PGM or PPM images, and their samples."""
    size = 1 if maxval < 256 else 2
    values = [rng.randint(0, maxval) for _ in range(pages * height * width * channels)]
    head = f"P{5 if channels == 1 else 6}\n{width} {height}\n{maxval}\n".encode()
    page = height * width * channels
    return values, b"".join(
        head + b"".join(v.to_bytes(size, "big") for v in values[i : i + page])
        for i in range(0, len(values), page)
    )


def samples(data, pages, width, height, channels, maxval):
    head = f"P{5 if channels == 1 else 6}\n{width} {height}\n{maxval}\n".encode()
    size = 1 if maxval < 256 else 2
    page = len(head) + width * height * channels * size
    found = []
    check(len(data) == pages * page, f"{len(data)} bytes for {pages} pages of {page}")
    for i in range(0, len(data), page):
        check(data[i : i + len(head)] == head, "header")
        body = data[i + len(head) : i + page]
        found += [int.from_bytes(body[j : j + size], "big") for j in range(0, len(body), size)]
    return found


def run(program, *words, text=True):
    return subprocess.run([program, *words], capture_output=True, text=text, stdin=subprocess.DEVNULL)


def ended(done, what):
    check(done.returncode == 0, f"{what}: {done.stderr}")
    return done.returncode == 0


def compare(program, folder, case, edge):
    rng = random.Random(case)
    pages, height, width = rng.randint(1, 9), rng.randint(1, 6), rng.randint(1, 7)
    channels, maxval = rng.choice((1, 1, 3)), rng.choice((1, 200, 255, 1000, 65535))
    halos = [rng.randint(0, 2), rng.randint(0, 2), rng.randint(1, 3)]
    values, data = stack(pages, width, height, channels, maxval, rng)
    source, target = folder / "volume.pnm", folder / "smooth.pnm"
    source.write_bytes(data)
    sigmas = [f"{rng.uniform(0.5, 2):.3f}" if halo else "0" for halo in halos]
    done = run(
        program,
        *("--halo", ",".join(map(str, halos)), "--sigma", ",".join(sigmas)),
        *("--edge", edge, str(source), str(target)),
    )
    if not ended(done, f"case {case}"):
        return
    kind = "u8" if maxval < 256 else "u16"
    order = [(halos[i], float(sigmas[i]), 0, edge) if halos[i] else None for i in (2, 1, 0)]
    wanted = definition.filter_array(
        values, [pages, height, width, channels], [[*order, None]], False, kind, kind, 0.0
    )
    wanted = [int.from_bytes(one, sys.byteorder) for one in wanted]
    found = samples(target.read_bytes(), pages, width, height, channels, maxval)
    check(found == wanted, f"case {case}, {edge}: {halos} {sigmas}")


def refused(program, status, words, *arguments):
    done = run(program, *arguments)
    text = " ".join(done.stderr.split())
    check(done.returncode == status and words in text, f"{arguments}: {done.returncode}, {text}")


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for case, edge in itertools.product(range(12), EDGES):
        compare(program, folder, case, edge)
    source, target = str(folder / "volume.pnm"), str(folder / "smooth.pnm")
    for words in ("--norm analytic", "--nan skip", "--linear", "--verify", "--variant shared",
                  "--variant reference", "--op reverse --op smooth", "--op sharpen"):
        refused(program, 2, "reach through the pages", *words.split(), "--halo", "1,1,1", source, target)
    refused(program, 2, "write one number, two: x,y, or three: x,y,z", "--sigma", "1,1,1,1", source, target)
    refused(program, 2, "halo", "--halo", "1,1,2000", source, target)
    rng = random.Random(1)
    many = b"".join(stack(1, 900, 700, 1, 65535, rng)[1] for _ in range(1)) * 60
    Path(source).write_bytes(many)
    refused(program, 4, "--edge wrap needs the last pages", "--edge", "wrap", "--halo", "0,0,1", source, target)
    two = stack(1, 4, 4, 1, 255, rng)[1] + stack(1, 5, 4, 1, 255, rng)[1]
    Path(source).write_bytes(two)
    refused(program, 3, "page 2 is of another size", "--halo", "1,1,1", source, target)
    alpha = b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\x01\x02"
    Path(source).write_bytes(alpha * 2)
    refused(program, 4, "--alpha separate", "--halo", "1,1,1", source, target)
    done = run(program, "--alpha", "separate", "--halo", "1,1,1", source, target)
    check(done.returncode == 0 and Path(target).read_bytes() == alpha * 2, done.stderr)
    return failures()


if __name__ == "__main__":
    sys.exit(main())
