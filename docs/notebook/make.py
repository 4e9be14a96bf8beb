#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make.py OUTPUT: writes the notebook: the text and code of ladder.md, then the exercises. Each exercise has a
question, a kernel, a cell for the answer, and a hidden solution."""
import json
import re
import sys
from pathlib import Path

from lesson import EXERCISES, source_of

HERE = Path(__file__).resolve().parent
# The first cell: Jupyter runs it in the notebook's folder, which is somewhere below the project's.
FIND_LESSON = """import sys
from pathlib import Path
sys.path += [str(folder / "docs/notebook") for folder in (Path.cwd(), *Path.cwd().parents)]"""


def cell(kind, text, **metadata):
    made = {"cell_type": kind, "metadata": metadata, "source": text.strip("\n").splitlines(keepends=True)}
    return made | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def of_text(text):
    """Yields cells from Markdown: a cell of code for each ```python block, a cell of text for what lies between."""
    for i, part in enumerate(re.split(r"^```python\n(.*?)^```\n", text, flags=re.M | re.S)):
        if part.strip():
            yield cell("code" if i % 2 else "markdown", part)


def call(number, answers):
    return f"judge({number}, {', '.join(json.dumps(answer) for answer in answers)})"


def of_exercise(number, exercise):
    text = source_of(number)
    whole = text[text.index("__global__"):text.index("int main")]
    yield cell("markdown", f"### {number}. {exercise.question}\n\n```cuda\n{whole.strip()}\n```\n\nAim: {exercise.aim}.")
    yield cell("code", call(number, ["____"] * len(exercise.solution)))
    yield cell("code", "# The solution\n" + call(number, exercise.solution), jupyter={"source_hidden": True}, tags=["solution"])


def notebook():
    cells = [cell("code", FIND_LESSON), *of_text((HERE / "ladder.md").read_text())]
    for number, exercise in EXERCISES.items():
        cells += of_exercise(number, exercise)
    cells = [{**each, "id": f"cell-{i}"} for i, each in enumerate(cells)]
    return {"nbformat": 4, "nbformat_minor": 5, "cells": cells,
            "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}}


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(notebook(), indent=1) + "\n")
