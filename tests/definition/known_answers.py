# SPDX-License-Identifier: MIT
"""Compares a program's results with the known answers, which definition.py has computed.

usage: known_answers.py PROGRAM IMAGES_DIR    runs PROGRAM OPTIONS IN OUT for each known answer;
                                              PROGRAM may be a command with arguments, such as
                                              'qemu-s390x build-s390x/smoothimg'
       known_answers.py --make IMAGES_DIR     writes known_answers.txt, by definition.py

A line of known_answers.txt has a digest (see pictures.digest), the options, and the image's name,
separated by two blanks.
"""
import os
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import definition
import linear_light
from pictures import digest, read_pictures

ANSWERS = Path(__file__).with_name("known_answers.txt")

# The program's options, and a function that applies the same operations to a Picture by the definition.
CASES = {
    "--halo 4 --edge clamp": lambda p: definition.smooth(p, 4, edge="clamp"),
    "--halo 1 --edge reflect": lambda p: definition.smooth(p, 1, edge="reflect"),
    "--halo 9 --edge mirror": lambda p: definition.smooth(p, 9, edge="mirror"),
    "--halo 2 --edge wrap": lambda p: definition.smooth(p, 2, edge="wrap"),
    "--halo 3 --edge zero": lambda p: definition.smooth(p, 3, edge="zero"),
    "--sigma 0.8": lambda p: definition.smooth(p, sigma=0.8),
    "--sigma 2.5 --truncate 3": lambda p: definition.smooth(p, 8, 2.5),
    "--sigma 0.7,2 --truncate 5 --edge reflect": lambda p: definition.smooth(
        p, definition.truncated("0.7,2", "5"), (0.7, 2.0), "reflect"),
    "--halo 2 --norm analytic": lambda p: definition.smooth(p, 2, norm="analytic"),
    "--halo 16 --sigma 12.5 --edge mirror": lambda p: definition.smooth(p, 16, 12.5, "mirror"),
    "--halo 40 --edge reflect": lambda p: definition.smooth(p, 40, edge="reflect"),
    "--halo 5 --sigma 1e6": lambda p: definition.smooth(p, 5, 1e6),
    "--sigma 0.3 --norm analytic": lambda p: definition.smooth(p, sigma=0.3, norm="analytic"),
    "--op smooth --op smooth --halo 2": lambda p: definition.smooth(definition.smooth(p, 2), 2),
    "--op reverse --op smooth --op transpose --halo 3 --edge wrap": lambda p: definition.transpose(
        definition.smooth(definition.reverse(p), 3, edge="wrap")),
    "--halo 5 --alpha separate": lambda p: definition.smooth(p, 5, alpha="separate"),
    "--halo 20 --alpha weighted": lambda p: definition.smooth(p, 20, alpha="weighted"),
    "--halo 7,2 --edge mirror": lambda p: definition.smooth(p, (7, 2), edge="mirror"),
    "--sigma 0,1.5": lambda p: definition.smooth(p, sigma=(0.0, 1.5)),
    "--sigma 0.5,4 --halo 3,30 --norm analytic --edge wrap": lambda p: definition.smooth(
        p, (3, 30), (0.5, 4.0), "wrap", "analytic"),
    "--op sharpen --amount 1.5 --halo 2": lambda p: definition.sharpen(p, "1.5", 2),
    "--op smooth --op difference --halo 3 --edge mirror --offset 1": lambda p: definition.difference(
        definition.smooth(p, 3, edge="mirror"), 1, 3, edge="mirror"),
    "--op difference --op reverse --op sharpen --amount 0.125 --sigma 2,0.5 --alpha separate":
        lambda p: definition.sharpen(definition.reverse(definition.difference(
            p, None, None, (2.0, 0.5), alpha="separate")), "0.125", None, (2.0, 0.5), alpha="separate"),
    "--linear --op sharpen --amount 2 --halo 1": lambda p: linear_light.apply(
        p, lambda q: definition.sharpen(q, "2", 1)),
    "--linear --halo 3": lambda p: linear_light.apply(p, lambda q: definition.smooth(q, 3)),
    "--linear --op smooth --op transpose --op smooth --halo 2 --edge zero --norm analytic":
        lambda p: linear_light.apply(p, lambda q: definition.smooth(definition.transpose(
            definition.smooth(q, 2, edge="zero", norm="analytic")), 2, edge="zero", norm="analytic")),
    "--op transpose": definition.transpose,
    "--op reverse": definition.reverse,
}


def image_names(folder):
    suffixes = {".pbm", ".pgm", ".ppm", ".pam", ".png"}
    return sorted(path.name for path in Path(folder).iterdir() if path.suffix in suffixes)


def make(folder):
    lines = []
    for name in image_names(folder):
        pictures = read_pictures(Path(folder, name))
        for options, change in CASES.items():
            lines.append(f"{digest(map(change, pictures))}  {options}  {name}\n")
    ANSWERS.write_text("".join(lines))
    print(f"{ANSWERS}: {len(lines)} answers")


def fault(program, options, source, target, answer):
    """Returns what is wrong with the program's answer, or None."""
    run = subprocess.run([*program, *options.split(), source, target], capture_output=True,
                         text=True, errors="replace")
    if run.returncode != 0:
        return f"exit status {run.returncode}: {run.stderr.strip()}"
    try:
        found = digest(read_pictures(target))
    except (OSError, ValueError) as error:
        return f"the output cannot be read: {error}"
    return None if found == answer else "other pixels"


def compare(program, folder):
    """Prints what is wrong. Returns the number of wrong or missing answers."""
    answers = [line.split("  ") for line in ANSWERS.read_text().splitlines()]
    wanted = {(options, name) for name in image_names(folder) for options in CASES}
    known = {(options, name) for _, options, name in answers}
    wrong = [f"{options}  {name}: on one side only; run known_answers.py --make"
             for options, name in sorted(wanted ^ known)]
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(os.cpu_count()) as pool:
        def try_one(number, answer, options, name):
            target = Path(temporary, f"{number}-{name}")  # unique, so that no other output is taken for this one
            what = fault(shlex.split(program), options, Path(folder, name), target, answer)
            target.unlink(missing_ok=True)
            return what and f"{options}  {name}: {what}"

        tries = pool.map(lambda item: try_one(item[0], *item[1]), enumerate(answers))
        wrong += filter(None, tries)
    print("".join(line + "\n" for line in wrong), end="")
    print(f"{len(answers)} known answers, {len(wrong)} wrong")
    return len(wrong) + (not answers)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if sys.argv[1] == "--make":
        make(sys.argv[2])
    else:
        sys.exit(1 if compare(sys.argv[1], sys.argv[2]) else 0)


if __name__ == "__main__":
    main()
