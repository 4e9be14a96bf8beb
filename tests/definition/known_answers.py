# SPDX-License-Identifier: MIT
"""Compares a program's results with the known answers, which definition.py has computed.

usage: known_answers.py PROGRAM IMAGES_DIR    runs PROGRAM OPTIONS IN OUT for each known answer;
                                              PROGRAM may be a command with arguments, such as
                                              'qemu-s390x build-s390x/smoothimg'
       known_answers.py --make IMAGES_DIR     writes the answers of definition.py into known_answers.txt, for every
                                              image with each of the options that the file has so far

A line of known_answers.txt has a digest (see pictures.digest), the options, and the image's name, separated by two
blanks. To add options, add such a line with any digest, and run --make.
"""
import os
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import definition
from pictures import digest, read_pictures

ANSWERS = Path(__file__).with_name("known_answers.txt")


def answers():
    """Returns [digest, options, image's name] for each line of known_answers.txt."""
    return [line.split("  ") for line in ANSWERS.read_text().splitlines()]


def image_names(folder):
    suffixes = {".pbm", ".pgm", ".ppm", ".pam", ".png"}
    return sorted(path.name for path in Path(folder).iterdir() if path.suffix in suffixes)


def make(folder):
    lines, cases = [], dict.fromkeys(options for _, options, _ in answers())
    for name in image_names(folder):
        pictures = read_pictures(Path(folder, name))
        for options in cases:
            change = definition.change_of(options.split())
            lines.append(f"{digest(map(change, pictures))}  {options}  {name}\n")
    ANSWERS.write_text("".join(lines))
    print(f"{ANSWERS}: {len(lines)} answers")


def fault(program, options, source, target, answer):
    """Returns what is wrong with the program's answer, or None."""
    run = subprocess.run([*program, *options.split(), source, target], capture_output=True, text=True, errors="replace")
    if run.returncode != 0:
        return f"exit status {run.returncode}: {run.stderr.strip()}"
    try:
        found = digest(read_pictures(target))
    except (OSError, ValueError) as error:
        return f"the output cannot be read: {error}"
    return None if found == answer else "other pixels"


def compare(program, folder):
    """Prints what is wrong. Returns the number of wrong or missing answers."""
    known = {(options, name) for _, options, name in answers()}
    wanted = {(options, name) for name in image_names(folder) for options, _ in known}
    wrong = [f"{options}  {name}: on one side only; run known_answers.py --make"
             for options, name in sorted(wanted ^ known)]
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(os.cpu_count()) as pool:
        def try_one(number, answer, options, name):
            target = Path(temporary, f"{number}-{name}")  # unique, so that no other output is taken for this one
            what = fault(shlex.split(program), options, Path(folder, name), target, answer)
            target.unlink(missing_ok=True)
            return what and f"{options}  {name}: {what}"

        tries = pool.map(lambda item: try_one(item[0], *item[1]), enumerate(answers()))
        wrong += filter(None, tries)
    print("".join(line + "\n" for line in wrong), end="")
    print(f"{len(known)} known answers, {len(wrong)} wrong")
    return len(wrong) + (not known)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if sys.argv[1] == "--make":
        make(sys.argv[2])
    else:
        sys.exit(1 if compare(sys.argv[1], sys.argv[2]) else 0)


if __name__ == "__main__":
    main()
