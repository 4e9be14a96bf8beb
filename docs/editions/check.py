#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py COMPILER EDITION ROOT BUILD [OLD NEW]: builds an edition, which is a GPU variant as one file (see
edition.py), and runs it. The comment at the top of the file has one command for g++ and one for nvcc. COMPILER is g++
or nvcc, or the path of one. Fails unless the results are right. With OLD NEW it first replaces OLD by NEW in the
source, and fails unless the results are wrong. Without a GPU the program that nvcc has compiled cannot run; that is no
failure."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

NO_GPU = ("no CUDA-capable device", "driver version is insufficient")


def line_of(text, compiler):
    """Returns the command in the head of an edition, with the compiler's path, and the name of the program that the
    command builds."""
    word = Path(compiler).name
    command = re.search(rf"^ \*     ({re.escape(word)} (?:[^\n]*\\\n)*[^\n]*)$", text, re.M)[1]
    command = re.sub(r"\\\n \*", "", command)
    return compiler + command[len(word):], command.split()[-1]


def refuses_misuse(program):
    """Returns whether the program answers each wrong command line with its usage."""
    for words in (["--help"], ["a", "b", "c"], ["0", "0", "4"], ["4", "4", "-3"], ["4", "4", "4", "4"]):
        ran = subprocess.run([program, *words], capture_output=True, text=True, check=False)
        if ran.returncode != 2 or not ran.stderr.startswith("usage: "):
            print(f"{words}: status {ran.returncode}\n{ran.stdout}{ran.stderr}")
            return False
    return True


def main(compiler, edition, root, build, *fault):
    text = Path(edition).read_text()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "src").symlink_to(Path(root, "src").resolve())
        (Path(folder) / "build").symlink_to(Path(build).resolve())
        if fault:
            assert fault[0] in text, f"{edition} has no {fault[0]}"
            text = text.replace(*fault)
        (Path(folder) / Path(edition).name).write_text(text)
        command, program = line_of(text, compiler)
        said = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False)
        if said.returncode != 0 or said.stderr:
            print(f"{command}: status {said.returncode}\n{said.stderr}")
            return 1
        if not refuses_misuse(f"{folder}/{program}"):
            return 1
        for size in ((), ("37", "5", "9"), ("1", "70", "3")):
            ran = subprocess.run([f"./{program}", *size], cwd=folder, capture_output=True, text=True, check=False)
            if Path(compiler).name == "nvcc" and any(words in ran.stderr for words in NO_GPU):
                print(f"compiled, and not run: {ran.stderr}")
                return 0
            print(ran.stdout + ran.stderr)
            end = r"\n" if Path(compiler).name == "g++" else r", \d+\.\d+ ms\n"  # the emulated device measures no time
            right = ran.returncode == 0 and re.search(f": 0 samples wrong{end}$", ran.stdout)
            wrong = ran.returncode == 1 and re.search(r"^sample .* is \d+, not \d+\n.*: [1-9]\d* samples wrong", ran.stdout)
            if fault and wrong:
                return 0
            if not fault and not right:
                return 1
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
