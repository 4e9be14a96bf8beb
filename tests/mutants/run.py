#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants the mutants of this folder one at a time, and runs the tests that should notice them.

The exit status is 1 if a mutant survives that should not, does not apply or does not compile."""
import argparse
import concurrent.futures
import os
import pathlib
import resource
import sys
import time

import mutants
import tree
from mutants import Wrong


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--room", help="the mutants of one file, ROOM.toml")
    parser.add_argument("--name", action="append", help="this mutant; may be repeated")
    parser.add_argument("--rotate", type=int, metavar="K", help="K mutants, others on each day")
    parser.add_argument("--list", action="store_true", help="list the mutants, and run nothing")
    parser.add_argument("--jobs", type=int, default=1, help="copies to work in side by side")
    parser.add_argument("--scratch", type=pathlib.Path, default=tree.ROOT / "build-mutants",
                        help="the folder for the copies (build-mutants), kept for the next run")
    return parser.parse_args()


def check_all(everything, files):
    """Every mutant has to apply, not the chosen ones alone."""
    wrong = []
    for mutant in everything:
        try:
            mutant.apply((tree.ROOT / mutant.path(files)).read_text())
        except Wrong as why:
            wrong.append(str(why))
    if wrong:
        raise Wrong("\n".join(wrong))


def choose(options, everything):
    chosen = [mutant for mutant in everything
              if options.room in (None, mutant.room)
              and (not options.name or mutant.name in options.name)]
    if not chosen:
        raise Wrong("there is no such mutant")
    if options.rotate:
        chosen = mutants.of_the_day([m for m in chosen if not m.equivalent and not m.survives],
                                    options.rotate)
    return chosen


def print_list(chosen):
    for mutant in chosen:
        reason = mutant.equivalent or mutant.survives
        print(f"{mutant.room}: {mutant.name}, {mutant.file}: "
              f"{reason or '; '.join(mutant.tests)}")


def shares(chosen, count):
    """Splits the mutants into `count` shares. Mutants with the same tests stay together, since each
    copy first runs the tests of its share without a mutant."""
    ordered = sorted(chosen, key=lambda mutant: (mutant.tests, mutant.file))
    size = -(-len(ordered) // count)
    return [ordered[i:i + size] for i in range(0, len(ordered), size)]


def killer(copy, mutant):
    """The test that fails, and how; None if none does."""
    for name in mutant.tests:
        status, _ = copy.run_test(name, copy.patience(name))
        if status is tree.TIME_OUT:
            return f"{name}, which hangs"
        if status not in (0, tree.SKIPPED):
            return name
    return None


def plant(copy, mutant, path):
    """Builds and tests the copy with the mutant in it. Returns the outcome and a line about it."""
    start = time.monotonic()
    original = (copy.sources / path).read_text()
    (copy.sources / path).write_text(mutant.apply(original))
    try:
        compiles, output = copy.build(mutant.tests)
        found = killer(copy, mutant) if compiles else None
    finally:
        (copy.sources / path).write_text(original)
    seconds = time.monotonic() - start
    if not compiles:
        return "invalid", f"INVALID {mutant.name} does not compile:\n{output[-2000:]}"
    if found and mutant.survives:
        return "invalid", f"INVALID {mutant.name} no longer survives: killed by {found}"
    if found:
        return "killed", f"killed {mutant.name} by {found} in {seconds:.0f} s"
    if mutant.survives:
        return "expected", f"survived {mutant.name} as expected: {mutant.survives}"
    return "survived", f"SURVIVED {mutant.name} ({', '.join(mutant.tests)})"


def do_share(folder, share, files, processors):
    """Plants the share's mutants in one copy of the sources. Returns their outcomes."""
    copy = tree.Tree(folder, files, processors)
    outcomes = []
    names = sorted({name for mutant in share for name in mutant.tests})
    compiles, output = copy.build(names)
    if not compiles:
        raise Wrong(f"without a mutant it does not compile:\n{output[-3000:]}")
    can_run = {name for name in names if copy.check_test(name)}
    for mutant in share:
        if can_run.intersection(mutant.tests):
            outcome, line = plant(copy, mutant, mutant.path(files))
        else:
            outcome, line = "skipped", f"skipped {mutant.name}: its tests cannot run here"
        outcomes.append(outcome)
        print(line, flush=True)
    return outcomes


def do_all(options, chosen, files):
    """Plants all that are not equivalent, each share in a thread. Returns their outcomes."""
    parts = shares([mutant for mutant in chosen if not mutant.equivalent], options.jobs)
    processors = max(1, len(os.sched_getaffinity(0)) // max(1, len(parts)))
    with concurrent.futures.ThreadPoolExecutor(len(parts) or 1) as pool:
        done = [pool.submit(do_share, options.scratch / str(i), part, files, processors)
                for i, part in enumerate(parts)]
        return [outcome for share in done for outcome in share.result()]


def main():
    start = time.monotonic()
    options = parse()
    everything = mutants.read_all()
    files = tree.source_files()
    check_all(everything, files)
    chosen = choose(options, everything)
    if options.list:
        print_list(chosen)
        return 0
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # mutants that crash leave no core files
    outcomes = do_all(options, chosen, files)
    for word in ("invalid", "skipped"):
        if word in outcomes:
            print(f"{outcomes.count(word)} {word}")
    print(f"{outcomes.count('killed')} killed, "
          f"{outcomes.count('survived') + outcomes.count('expected')} survived, "
          f"{len(chosen) - len(outcomes)} equivalent, {(time.monotonic() - start) / 60:.0f} min")
    return 1 if "survived" in outcomes or "invalid" in outcomes else 0


try:
    sys.exit(main())
except Wrong as wrong:
    sys.exit(f"run.py: {wrong}")
