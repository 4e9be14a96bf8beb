# SPDX-License-Identifier: MIT
"""The code of the notebook: it counts the memory accesses of smoothimg's kernels, and judges exercises on the
emulated device. ROOT is the project's folder, BUILD its build folder, in which `ninja -C build notebook` has run."""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
SECONDS = 20  # an exercise that runs longer is ended
sys.path.insert(0, str(ROOT / "docs/pictures"))
from pictures import BAR, Picture, draw_bar  # noqa: E402

BLANK = "____"
# These flags make each access of the source one call of the tracer: src/emulator/meson.build says why.
TRACED = ("-g", "-gdwarf-4", "-O1", "-fno-tree-sra", "-fno-tree-vectorize", "-fno-reorder-blocks", "-finline-functions",
          "-fsanitize=thread", "--param", "tsan-instrument-func-entry-exit=0", "-fsanitize-coverage=trace-pc")


class Exercise(NamedTuple):
    question: str
    solution: list  # the answers for the blanks
    is_reached: object  # is_reached(counts): whether the aim is reached, if the numbers are right
    aim: str


EXERCISES = {
    1: Exercise("Which thread takes which number, so that a warp's 32 threads take 32 that lie side by side?",
                ["blockIdx.x * 32 + threadIdx.x", "blockIdx.y * 32 + threadIdx.y"],
                lambda counts: counts["load_sectors"] == 4 * counts["loads"], "4 sectors for a load"),
    2: Exercise("Where does the block write its tile, so that stores are as good as loads?",
                ["blockIdx.y * 32 + threadIdx.x", "blockIdx.x * 32 + threadIdx.y"],
                lambda counts: counts["store_sectors"] == 4 * counts["stores"], "4 sectors for a store"),
    3: Exercise("How wide must a row of the tile be, so that the 32 words of a column are in 32 banks?", ["33"],
                lambda counts: counts["worst_bank"] == 1, "no two lanes in one bank"),
    4: Exercise("What stands between a write to shared memory and another thread's read; and the next write?",
                ["__syncthreads()", "__syncthreads()"], lambda counts: counts["faults"] == 0, "no race"),
    5: Exercise("A block computes 32 numbers, each the sum of 5. How many does it load?", ["32 + 2 * HALO", "32 + 2 * HALO"],
                lambda counts: counts["faults"] == 0 and counts["loads"] == 2 * counts["stores"], "no block loads a number twice"),
    6: Exercise("The first pass summed along the rows. What does the second add, and how many sums in place of 25?",
                ["sums[i * SIDE + x]"], lambda counts: counts["loads"] < 6 * counts["stores"],
                "at most 5 loads for each sum"),
}


def source_of(number):
    return (ROOT / f"docs/notebook/exercises/{number}.cu").read_text()


def filled(number, answers):
    text = source_of(number)
    for answer in answers:
        text = text.replace(BLANK, answer, 1)
    return text


def objection(number, answers):
    """Returns what is wrong with the arguments of judge(), or ""."""
    if number not in EXERCISES:
        return f"there is no exercise {number}; the last is {max(EXERCISES)}"
    if not all(isinstance(answer, str) for answer in answers):
        return f"answers are strings, such as {EXERCISES[1].solution[0]!r}"
    blanks = source_of(number).count(BLANK)
    return "" if len(answers) == blanks else f"exercise {number} has {blanks} blanks, not {len(answers)}"


def run(text):
    """Builds a kernel for the emulated device and runs it. Returns what is wrong ("": nothing), what it printed, and the
    counts of its memory accesses."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "exercise.cu").write_text(text)
        compiled = subprocess.run(
            ["g++", "-std=c++20", "-w", *TRACED, f"-fdebug-prefix-map={folder}=.", f"-I{ROOT}/src/emulator/include",
             f"-I{ROOT}", "-x", "c++", "-c", "exercise.cu", "-o", "exercise.o"], cwd=folder, capture_output=True, text=True, check=False)
        if compiled.returncode != 0:
            return "it does not compile", compiled.stderr, {}
        libraries = (BUILD / name for name in ("docs/libcount.a", "src/emulator/libemulator_trace.a",
                                               "src/emulator/libemulator.a"))
        subprocess.run(["g++", "exercise.o", "-Wl,--wrap=main", *libraries, "-pthread", "-o", "exercise"], cwd=folder, check=True)
        try:
            ran = subprocess.run(["./exercise"], cwd=folder, capture_output=True, text=True, check=False, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"it did not end in {SECONDS} seconds", "", {}
    counts = {name: int(value) for name, value in re.findall(r"^(\w+) (\d+)$", ran.stdout, re.M)}
    said = re.sub(r"^\w+ \d+\n", "", ran.stdout + ran.stderr, flags=re.M)
    return "the numbers are wrong" if ran.returncode else "", said, counts


def judge(number, *answers):
    """Runs the exercise with these answers on the emulated device, and prints the outcome and the counts. Returns
    whether the exercise is solved. If the arguments are wrong, only prints what is wrong, and returns False."""
    if wrong := objection(number, answers):
        print(wrong)
        return False
    exercise = EXERCISES[number]
    fault, said, counts = run(filled(number, answers))
    solved = not fault and exercise.is_reached(counts)
    print(said.strip())
    for name, value in counts.items():
        print(f"  {name.replace('_', ' '):14} {value}")
    print("solved" if solved else f"not yet: {fault}" if fault else f"not yet; the aim is: {exercise.aim}")
    return solved


def sectors(*rows):
    """Returns {kernel: the bytes of the sectors that it moves, as a multiple of the bytes that must move}. `rows` names
    the kernels, such as "image-smooth/naive"."""
    words = [word for row in rows for word in ("--experiment", row)]
    printed = subprocess.run([BUILD / "smoothimg-bench", "--sectors", "--json", *words], check=True,
                             capture_output=True, text=True).stdout
    return {f"{row['group']}/{row['row']}": row["moved"] for row in json.loads(printed)["rows"] if row["outcome"] == "counted"}


def bars(values, title):
    """Returns bars as SVG, on a logarithmic scale."""
    title += " (logarithmic scale)"
    picture = Picture(title, title)
    for i, (name, value) in enumerate(values.items()):
        draw_bar(picture, name, value, 36 + BAR * i, left=250)
    return picture.svg()
