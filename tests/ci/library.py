# SPDX-License-Identifier: MIT
"""Checks that the library does not affect the whole process. library.py ARCHIVE... fails if an object file of the
archives uses what only the program may use: the environment, exits, signals, processes, getopt, the locale, the
standard streams, MPFR, or GMP's function that replaces its allocation functions. library.py --messages TREE fails if a
message of the library names an option of the program."""
import re
import subprocess
import sys
from pathlib import Path

FORBIDDEN = re.compile(
    r"(secure_)?getenv|setenv|_?exit|quick_exit|abort|atexit|signal|sigaction|raise|setlocale|"
    r"mp_set_memory_functions|mpfr_\w+|stdin|stdout|stderr|v?f?printf|__v?f?printf_chk|puts|putchar|"
    r"perror|system|fork|getopt\w*")
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def undefined(archive):
    """Yields (object, symbol) for each undefined symbol of the archive's objects."""
    lines = subprocess.run(["nm", "-A", "-u", archive], capture_output=True, text=True, check=True).stdout.splitlines()
    for line in lines:
        where, _, symbol = line.rpartition(" ")
        yield where.split(":")[-2 if where.endswith(" U") else 0], symbol.split("@")[0]


def named_options(tree):
    """Yields (file, literal) for each string in the library's sources that contains an option of the program."""
    folders = [tree / "src/lib", *(tree / "kernels" / name for name in
                                   ("common", "smooth", "transpose", "reverse"))]
    for path in sorted(path for folder in folders for path in folder.rglob("*")
                       if path.suffix in {".c", ".h", ".cu", ".cuh"}):
        code = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(), flags=re.DOTALL)
        for literal in STRING.findall(code):
            if re.search(r"(^|[\s\"(])--[a-z]", literal):
                yield path.relative_to(tree), literal


def main(words):
    if words[0] == "--messages":
        found = [f"{path}: {literal}" for path, literal in named_options(Path(words[1]))]
    else:
        pairs = {pair for archive in words for pair in undefined(archive)}
        if not pairs:
            return "library.py: the archives need no symbol at all: nothing was looked at"
        found = [f"{name}: {symbol}" for name, symbol in sorted(pairs) if FORBIDDEN.fullmatch(symbol)]
    print("\n".join(found) or "nothing")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
