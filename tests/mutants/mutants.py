# SPDX-License-Identifier: MIT
"""The mutants: small bugs, each a substitution in one file. README.md describes the data."""
import datetime
import hashlib
import pathlib
import tomllib
from typing import NamedTuple

FOLDER = pathlib.Path(__file__).resolve().parent
KEYS = {"file", "old", "new", "tests", "equivalent", "survives"}


class Wrong(Exception):
    """What makes the run worthless: a mutant that does not apply, a test that fails without one."""


class Mutant(NamedTuple):
    room: str
    name: str
    file: str  # the end of its path, which must be unique
    old: str  # occurs exactly once in the file
    new: str
    tests: list[str] = []  # at least one of them should fail: see Tree.run_test
    equivalent: str = ""  # why no test can notice it
    survives: str = ""  # why no test notices it

    def path(self, files):
        """Finds the file among all files, whose paths are relative to the root."""
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


def read_room(path):
    for name, row in tomllib.loads(path.read_text()).items():
        if unknown := row.keys() - KEYS:
            raise Wrong(f"{path.name}: {name}: unknown key {', '.join(unknown)}")
        if not row.get("tests") and not row.get("equivalent"):
            raise Wrong(f"{path.name}: {name}: neither tests nor a reason to be equivalent")
        yield Mutant(path.stem, name, **row)


def read_all():
    mutants = [mutant for path in sorted(FOLDER.glob("*.toml")) for mutant in read_room(path)]
    names = [mutant.name for mutant in mutants]
    if twice := {name for name in names if names.count(name) > 1}:
        raise Wrong(f"mutants of the same name: {', '.join(sorted(twice))}")
    return mutants


def of_the_day(mutants, count):
    """`count` of the mutants: others each day, until all have had their turn. Mutants with the same
    tests follow each other: what a day builds and runs without a mutant is little."""
    ordered = sorted(mutants, key=lambda mutant: [
        hashlib.sha256(repr(key).encode()).digest() for key in (mutant.tests, mutant.name)])
    first = datetime.date.today().toordinal() * count
    return [ordered[(first + i) % len(ordered)] for i in range(min(count, len(ordered)))]
