#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants mutants one at a time, and runs the tests that should notice them.

The exit status is 1 if a mutant of the tables (the .toml files) survives unexpectedly, does not apply or does not
compile; if a test fails without a mutant; or if too few of the last generated mutants in the ledger were killed
(report.py)."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import resource
import sys
import time
from typing import NamedTuple

import mutants
import report
import tree
from mutants import Wrong


class Outcome(NamedTuple):
    mutant: object
    word: str  # one of report.WORDS
    line: str


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--room", help="the mutants of one room")
    parser.add_argument("--name", action="append", help="this mutant; may be repeated")
    parser.add_argument("--rotate", type=int, metavar="K",
                        help="K mutants of the tables and K generated ones, others on each day")
    parser.add_argument("--count", type=int, metavar="K", help="K generated mutants of each room")
    parser.add_argument("--seed", type=int, help="which ones --rotate and --count choose "
                        "(SMOOTHIMG_TEST_TURN, or the day's number)")
    parser.add_argument("--list", action="store_true", help="list the mutants, and run nothing")
    parser.add_argument("--check", action="store_true", help="whether all mutants of the tables apply, and "
                        "all tests that are named are in build/, if it is there; run nothing")
    parser.add_argument("--rate", action="store_true", help="how many of the last mutants of the ledger were "
                        "killed, and whether that is enough; run nothing")
    parser.add_argument("--jobs", type=int, default=1, help="copies to work in side by side")
    parser.add_argument("--scratch", type=pathlib.Path, default=mutants.ROOT / "build-mutants",
                        help="the folder for the copies (build-mutants), kept for the next run")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = int(os.environ.get("SMOOTHIMG_TEST_TURN", time.time() // 86400))
    return options


def check_all(everything, files):
    """Checks that every mutant applies, not only the chosen ones: its file must exist and have its `old` text once."""
    wrong = []
    for mutant in everything:
        try:
            mutant.apply((mutants.ROOT / mutant.path(files)).read_text())
        except Wrong as why:
            wrong.append(str(why))
    if wrong:
        raise Wrong("\n".join(wrong))


def check_tests(everything, places):
    """Checks that the build folder of setup.sh, if there is one, has every test that the tables name."""
    listed = mutants.ROOT / "build" / "meson-info" / "intro-tests.json"
    if not listed.exists():
        return
    known = {test["name"] for test in json.loads(listed.read_text())}
    named = [(mutant.name, mutant.tests) for mutant in everything]
    named += [row for rows in (places.faults, *places.rooms.values()) for row in rows.items()]
    known |= mutants.PYTHON_TESTS  # the build lacks these without nanobind
    if wrong := [f"{name}: there is no test '{test}' in build" for name, tests in named for test in tests
                 if test.partition(" + ")[0] not in known]:
        raise Wrong("\n".join(wrong))


def generate(options, places):
    """Returns generated mutants: as many as --count says for each room (a part of the project, such as app), and as
    many as --rotate says from all rooms together."""
    rooms = [options.room] if options.room else sorted(places.files)
    if not set(rooms) <= places.files.keys():
        raise Wrong(f"there is no room {options.room}")
    counts = dict.fromkeys(rooms, options.count or 0)
    of_the_day = random.Random(options.seed).sample(rooms, len(rooms))
    for i in range(options.rotate or 0):
        counts[of_the_day[i % len(rooms)]] += 1
    done = report.last_lines()  # mutants that an earlier run has tested; they are left out
    return [mutant for room, count in counts.items()
            for mutant in places.choose(room, options.seed, count) if not report.is_among(done, mutant)]


def choose(options, everything, places):
    if options.name:
        by_hand = {mutant.name: mutant for mutant in everything}
        return [by_hand.get(name) or places.named(name) for name in options.name]
    of_room = [mutant for mutant in everything if options.room in (None, mutant.room)]
    if options.rotate:
        of_room = mutants.of_the_day([m for m in of_room if not m.equivalent and not m.survives],
                                     options.rotate, options.seed)
    elif options.count:
        of_room = []
    return of_room + generate(options, places)


def print_list(chosen):
    for mutant in chosen:
        reason = mutant.equivalent or mutant.survives
        print(f"{mutant.room}: {mutant.name}, {mutant.file}: "
              f"{reason or '; '.join(mutant.tests)}")


def shares(chosen, count):
    """Splits the mutants into `count` shares, one for each copy of the sources. Each copy runs a test without a mutant
    first, so mutants with the same tests are put into the same share."""
    ordered = sorted(chosen, key=lambda mutant: (mutant.tests, mutant.file))
    size = -(-len(ordered) // count)
    return [ordered[i:i + size] for i in range(0, len(ordered), size)]


class Planting:
    """A mutant that can be put into a copy of the sources and taken out again."""

    def __init__(self, copy, mutant, path):
        self.copy, self.mutant, self.file = copy, mutant, copy.sources / path
        self.original = self.file.read_text()
        self.objects = []
        self.tests = [name for name in mutant.tests if name not in copy.skipped]
        if path.endswith(mutants.C_LIKE) and self.tests:
            self.objects = copy.objects_of(path, self.tests)
            if mutant.generated and not self.objects:
                raise Wrong(f"{mutants.MAP.name}: no test of {path} has it in its program")

    def put(self, is_in):
        self.file.write_text(self.mutant.apply(self.original) if is_in else self.original)

    def judge(self):
        """Builds and runs the tests with the mutant. Returns the outcome, one of report.WORDS, and details."""
        compiles, output = self.copy.ninja(self.objects) if self.objects else (True, "")
        if not compiles:
            errors = [line for line in output.splitlines() if "error" in line]
            return "invalid", ", which does not compile: " + "; ".join(errors[:2])
        if self.objects and self.copy.is_unchanged(self.objects):
            return "equivalent", ": it compiles to the same code"
        words = set()
        for name in self.tests:
            word, more = self.test(name)
            if word in ("killed", "invalid"):
                return word, more
            words.add(word)
        is_told = "survived" in words and not self.copy.failing.keys() & set(self.mutant.tests)
        word = "survived" if is_told else "skipped"
        return word, f" {'; '.join(self.mutant.tests)}"

    def test(self, name):
        """Runs a test with the mutant. If this copy of the sources has not run the test before, first runs it without
        the mutant. Returns the outcome and its reason."""
        if name not in self.copy.seconds:
            self.put(False)
            self.copy.check_test(name)
            self.put(True)
        if name in self.copy.skipped:
            return "skipped", ""
        compiles, output = self.copy.ninja(self.copy.needed([name]))
        if not compiles:
            return "invalid", f", which does not link: {output[-1000:]}"
        status, _ = self.copy.run_test(name, self.copy.patience(name))
        if status is tree.TIME_OUT:
            return "killed", f" by {name}, which hangs"
        return ("survived", "") if status in (0, tree.SKIPPED) else ("killed", f" by {name}")


def plant(copy, mutant, path):
    start = time.monotonic()
    planting = Planting(copy, mutant, path)
    copy.remember(planting.objects)
    planting.put(True)
    try:
        word, more = planting.judge()
    finally:
        planting.put(False)
    if mutant.survives and word != "skipped":
        word, more = ("expected", f": {mutant.survives}") if word == "survived" else (
            "invalid", f" no longer survives: {word}{more}")
    elif word == "equivalent" and not mutant.generated:
        word = "invalid"
    line = f"{word} {mutant.name}{more} ({time.monotonic() - start:.0f} s)"
    if word == "survived" and mutant.generated:
        line += report.changed_lines(planting.original, mutant.edit)
    return Outcome(mutant, word, line)


def do_share(folder, share, files, processors):
    """Plants the mutants of a share one after the other in a copy of the sources. Returns their outcomes, and the tests
    that fail without a mutant."""
    copy = tree.Tree(folder, files, processors, mutants.PYTHON_TESTS)
    outcomes = []
    for mutant in share:
        outcomes.append(plant(copy, mutant, mutant.path(files)))
        report.append(outcomes[-1])
        print(outcomes[-1].line, flush=True)
    return outcomes, copy.failing


def do_all(options, chosen, files):
    """Plants the mutants, except those that a table calls equivalent, one share in each thread. Returns the
    outcomes, and the tests that fail without a mutant."""
    parts = shares([mutant for mutant in chosen if not mutant.equivalent], options.jobs)
    processors = max(1, len(os.sched_getaffinity(0)) // max(1, len(parts)))
    with concurrent.futures.ThreadPoolExecutor(len(parts) or 1) as pool:
        done = [pool.submit(do_share, options.scratch / str(i), part, files, processors)
                for i, part in enumerate(parts)]
        results = [share.result() for share in done]
    failing = {name: output for _, of_share in results for name, output in of_share.items()}
    return [outcome for outcomes, _ in results for outcome in outcomes], failing


def limit():
    """Limits what a mutant that goes wrong can write: no core file, and no file above 8 GiB."""
    for what, most in (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 8 << 30):
        hard = resource.getrlimit(what)[1]
        resource.setrlimit(what, (most if hard < 0 else min(most, hard), hard))


def main():
    options = parse()
    if options.rate:
        return report.judge()
    files = tree.source_files()
    everything, places = mutants.read_all(), mutants.Places(files)
    check_all(everything, files)
    if options.check:
        check_tests(everything, places)
        print(f"{len(everything)} mutants of the tables apply")
        return 0
    chosen = choose(options, everything, places)
    if options.list:
        print_list(chosen)
        return 0
    print(f"--seed {options.seed}", flush=True)
    limit()
    return report.conclude(*do_all(options, chosen, files))


try:
    sys.exit(main())
except Wrong as wrong:
    sys.exit(f"run.py: {wrong}")
