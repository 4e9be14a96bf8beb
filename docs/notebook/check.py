#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py BUILD: checks that each exercise is solved by its solution and by no answer in WRONG, and that
every cell of code in the notebook runs, except those with blanks or a solution. Also checks how judge() answers blanks,
wrong arguments (MISUSES), and a kernel that does not end."""
import contextlib
import io
import json
import subprocess
import sys
import types
from pathlib import Path

import lesson
import make

# For each exercise, answers that compile and are wrong.
WRONG = {
    1: [("blockIdx.y * 32 + threadIdx.y", "blockIdx.x * 32 + threadIdx.x"), ("blockIdx.x * 32 + threadIdx.x", "threadIdx.y")],
    2: [("blockIdx.x * 32 + threadIdx.x", "blockIdx.y * 32 + threadIdx.y"),
        ("blockIdx.y * 32 + threadIdx.x", "blockIdx.x * 32 + threadIdx.x")],
    3: [("32",), ("34",), ("48",)],
    4: [("", ""), ("__syncthreads()", ""), ("", "__syncthreads()"), ("__syncwarp()", "__syncwarp()")],
    5: [("32 + 2 * HALO", "32"), ("32 + 2 * HALO", "32 + HALO"), ("64 + 2 * HALO", "64 + 2 * HALO")],
    6: [("sums[y * SIDE + x]",), ("sums[i * SIDE]",), ("sums[x * SIDE + i]",)],
}
# The arguments of wrong calls of judge(), and a part of what it prints for each.
MISUSES = {(7, "33"): "no exercise 7", (3, 34): "answers are strings", (4, "__syncthreads()"): "2 blanks, not 1"}


def quietly(call, *arguments):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        return call(*arguments), said.getvalue()


def faults():
    for number, exercise in lesson.EXERCISES.items():
        solved, said = quietly(lesson.judge, number, *exercise.solution)
        if not solved:
            yield f"exercise {number}: its solution is no solution:\n{said}"
        _, said = quietly(lesson.judge, number, *[lesson.BLANK] * len(exercise.solution))
        if "does not compile" not in said:
            yield f"exercise {number}: blanks are taken for an answer:\n{said}"
        for answers in WRONG[number]:
            solved, said = quietly(lesson.judge, number, *answers)
            if solved or "does not compile" in said:
                yield f"exercise {number}: {answers} has to compile, and to be no solution:\n{said}"
    yield from faults_of_endless()
    for arguments, message in MISUSES.items():
        solved, said = quietly(lesson.judge, *arguments)
        if solved or message not in said:
            yield f"judge{arguments} says:\n{said}"
    yield from faults_of_cells()


def faults_of_endless():
    seconds, lesson.SECONDS = lesson.SECONDS, 1
    _, said = quietly(lesson.judge, 4, "while (1)", "__syncthreads()")
    lesson.SECONDS = seconds
    if said.strip() != "not yet: it did not end in 1 seconds":
        yield f"a loop without an end is not ended:\n{said}"


def faults_of_cells():
    """Runs the notebook's cells of code and yields their faults. IPython is not needed: the SVG() here only checks
    that its argument is an SVG."""
    display = types.ModuleType("IPython.display")
    display.SVG = lambda text: text if text.startswith("<svg") else exec("raise ValueError(text)")
    sys.modules |= {"IPython": types.ModuleType("IPython"), "IPython.display": display}
    names, cells = {}, make.notebook()["cells"]
    first = "".join(cells[0]["source"])
    if subprocess.run([sys.executable, "-c", first + "\nimport lesson"], cwd=lesson.ROOT / "docs", check=False).returncode:
        yield f"the first cell does not find the lesson:\n{first}"
    if str(lesson.ROOT) in json.dumps(cells):
        yield f"the notebook names the folder {lesson.ROOT}"
    for each in cells:
        text = "".join(each["source"])
        if each["cell_type"] == "code" and "____" not in text and "solution" not in each["metadata"].get("tags", []):
            try:
                quietly(exec, text, names)
            except Exception as error:
                yield f"cell {each['id']}: {error!r}\n{text}"
    naive, coalesced, tiled, *_ = names["moved"].values()
    if not naive > 10 * coalesced > 100 * tiled:
        yield f"the ladder: {names['moved']}"


def main(build):
    lesson.BUILD = Path(build).resolve()
    found = list(faults())
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
