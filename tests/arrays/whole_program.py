# SPDX-License-Identifier: MIT
"""Shared by volumes.py and derivatives.py: makes stacks of images, computes their results by the definition, and runs
the program."""

import os
import struct
import subprocess
import time

import definition_arrays as definition

EDGES = ("clamp", "reflect", "mirror", "zero", "wrap")
ORDERS = {"smooth": 0, "gradient": 1, "laplace": 2}
wrong = []


def check(condition, words):
    if not condition:
        wrong.append(words)
        print(f"wrong: {words}")


def failures():
    print(f"{len(wrong)} failures")
    return len(wrong) > 0


def todays(cases, parts):
    """Returns one of `parts` parts of the cases, a different one each day."""
    turn = int(os.environ.get("SMOOTHIMG_TEST_TURN") or time.time() // 86400)
    return list(cases)[turn % parts::parts]


def stack(pages, width, height, channels, maxval, rng):
    """Returns the samples of random images, and the images as a stream of PGM or PPM."""
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


def floats_of(bits):
    return list(struct.unpack(f"<{len(bits)}f", struct.pack(f"<{len(bits)}I", *bits)))


def bits_of(floats):
    return list(struct.unpack(f"<{len(floats)}I", struct.pack(f"<{len(floats)}f", *floats)))


def ended(done, what):
    check(done.returncode == 0, f"{what}: {done.stderr}")
    return done.returncode == 0


def terms_of(op, axes, amount):
    """Returns the terms of an operation, as definition.filter_array takes them. axes: None or (halo, sigma, edge)."""
    order = ORDERS[op]
    chosen = [i for i, how in enumerate(axes) if how] if order else [None]
    return [
        [
            how and (how[0], how[1], order if i == along else 0, how[2], *([amount] if i == along else []))
            for i, how in enumerate(axes)
        ]
        for along in chosen
    ]


def wanted_of(op, values, shape, axes, kind, maxval, amount, offset, floats):
    """Returns the samples of the result, by the definition."""
    target = "f32" if floats else "i32"
    letter = definition.TYPES[target][0]
    found = definition.filter_array(
        values, shape, terms_of(op, axes, amount), op == "gradient", kind, target, 0.0
    )
    found = [struct.unpack(letter, one)[0] for one in found]
    if floats:
        return found
    offset = 0 if op != "laplace" else (maxval + 1) // 2 if offset is None else offset
    return [min(max(one + offset, 0), maxval) for one in found]


def words_of(op, halos, sigmas, edge, amount, offset, floats):
    return [
        *("--op", op, "--halo", ",".join(map(str, halos)), "--sigma", ",".join(sigmas), "--edge", edge),
        *([] if op == "smooth" or amount == 1 else ["--amount", str(amount)]),
        *([] if offset is None else ["--offset", str(offset)]),
        *(["--float"] if floats else []),
    ]
