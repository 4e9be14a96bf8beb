# SPDX-License-Identifier: MIT
"""Reads and chooses mutants, small bugs in one file each. A room is a part of the project, such as app or gpu, with a
table of its own. README.md describes the tables."""
import hashlib
import pathlib
import random
import tomllib
from typing import NamedTuple

import operators
import python_operators

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
MAP = FOLDER / "tests.toml"
PYTHON_TESTS = {f"python {name}" for name in ("again", "arguments", "arrays", "calls", "dask", "emulated", "floats",
                                              "layouts", "ome_zarr", "same_bytes", "scipy", "several", "texts", "volumes")}
KEYS = {"file", "old", "new", "tests", "equivalent", "survives"}
C_LIKE = (".c", ".h", ".cpp", ".cu", ".cuh")
MUTABLE = {suffix: operators.edits_of for suffix in C_LIKE} | {".py": python_operators.edits_of}


class Wrong(Exception):
    """An error that ends the run, such as a mutant whose `old` text is not in its file."""


class Mutant(NamedTuple):
    """A mutant that was written by hand: an entry of a table such as cpu.toml."""
    room: str
    name: str
    file: str  # the end of the file's path; only one file may have it
    old: str  # must occur exactly once in the file
    new: str
    tests: list[str] = []  # with the mutant, at least one of them must fail; see Tree.run_test
    equivalent: str = ""  # why no test can fail
    survives: str = ""  # why no test fails, though one could
    generated = False

    def path(self, files):
        """Returns the path of the file. files: all paths, relative to the root."""
        found = [file for file in files if ("/" + file).endswith("/" + self.file)]
        if len(found) != 1:
            raise Wrong(f"mutant {self.name} no longer applies: {len(found)} files are called "
                        f"{self.file}")
        return found[0]

    def apply(self, text):
        if text.count(self.old) != 1 or self.new == self.old:
            raise Wrong(f"mutant {self.name} no longer applies: {self.file} contains its old text "
                        f"{text.count(self.old)} times")
        return text.replace(self.old, self.new)


class Generated(NamedTuple):
    """A mutant that an operator, a kind of change (operators.py), makes. Its name is ROOM:PATH:LINE:OPERATOR."""
    room: str
    name: str
    file: str
    function: str  # the function around it, or "-"
    edit: operators.Edit
    tests: list[str]
    equivalent = survives = ""
    generated = True

    def path(self, files):
        return self.file

    def apply(self, text):
        return text[:self.edit.start] + self.edit.new + text[self.edit.end:]


def read_room(path):
    for name, row in tomllib.loads(path.read_text()).items():
        if unknown := row.keys() - KEYS:
            raise Wrong(f"{path.name}: {name}: unknown key {', '.join(unknown)}")
        if not row.get("tests") and not row.get("equivalent"):
            raise Wrong(f"{path.name}: {name}: neither tests nor a reason to be equivalent")
        yield Mutant(path.stem, name, **row)


def read_all():
    """Returns all mutants that were written by hand."""
    mutants = [mutant for path in sorted(FOLDER.glob("*.toml")) if path != MAP
               for mutant in read_room(path)]
    names = [mutant.name for mutant in mutants]
    if twice := {name for name in names if names.count(name) > 1}:
        raise Wrong(f"mutants of the same name: {', '.join(sorted(twice))}")
    return mutants


class Places:
    """The files that operators may change, by room, each with the tests that should notice a bug in it (tests.toml)."""

    def __init__(self, files):
        self.rooms = tomllib.loads(MAP.read_text())
        self.faults = self.rooms.pop("faults")
        entries = [(prefix, room, tests) for room, rows in self.rooms.items()
                   for prefix, tests in rows.items()]
        self.files = {room: {} for room in self.rooms}
        used = set()
        for file in files:
            fitting = [entry for entry in entries if file.startswith(entry[0])]
            prefix, room, tests = max(fitting, key=lambda entry: len(entry[0]), default=("", "", []))
            used.add(prefix)
            if tests and pathlib.Path(file).suffix in MUTABLE:
                self.files[room][file] = tests
        if unused := {entry[0] for entry in entries} - used:
            raise Wrong(f"{MAP.name}: no file begins with {', '.join(sorted(unused))}")

    def of_file(self, room, file):
        """Yields all mutants of a file, from its first line to its last."""
        seen = {}
        for function, edit in MUTABLE[pathlib.Path(file).suffix]((ROOT / file).read_text()):
            name = f"{room}:{file}:{edit.line}:{edit.operator}"
            seen[name] = seen.get(name, 0) + 1
            more = self.faults.get(room, []) if edit.operator == "status" else []
            yield Generated(room, name if seen[name] == 1 else f"{name}-{seen[name]}", file, function,
                            edit, [*self.files[room][file], *more])

    def named(self, name):
        room, _, rest = name.partition(":")
        file = rest.partition(":")[0]
        if file not in self.files.get(room, {}):
            raise Wrong(f"{name}: {MAP.name} names no tests of the file for this room")
        found = [mutant for mutant in self.of_file(room, file) if mutant.name == name]
        if not found:
            raise Wrong(f"there is no mutant {name}: the file has changed")
        return found[0]

    def choose(self, room, seed, count):
        """Returns at most `count` random mutants of a room. Draws a file (large ones more often), then an operator,
        then one of the mutants that the operator makes in the file. So an operator with few mutants in the file is
        drawn as often as the others."""
        dice, files, chosen = random.Random(f"{seed} {room}"), list(self.files[room]), {}
        sizes = [(ROOT / file).stat().st_size for file in files]
        for file in dice.choices(files, sizes, k=10 * count):
            kinds = {}
            for mutant in self.of_file(room, file):
                kinds.setdefault(mutant.edit.operator.partition("-")[0], []).append(mutant)
            if kinds and len(chosen) < count:
                mutant = dice.choice(kinds[dice.choice(sorted(kinds))])
                chosen[mutant.name] = mutant
        return list(chosen.values())


def of_the_day(mutants, count, seed):
    """Returns `count` of the mutants, a different choice each day. Each test has to run once without a mutant before
    it runs with the first mutant. So mutants with the same tests are taken together, which needs few runs without a
    mutant."""
    ordered = sorted(mutants, key=lambda mutant: [
        hashlib.sha256(repr(key).encode()).digest() for key in (mutant.tests, mutant.name)])
    first = random.Random(seed).randrange(len(ordered))
    return [ordered[(first + i) % len(ordered)] for i in range(min(count, len(ordered)))]
