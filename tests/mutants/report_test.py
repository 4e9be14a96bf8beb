# SPDX-License-Identifier: MIT
"""Tests report.py, which ends a run of mutants: the exit status, the ledger (a file with the outcome of each generated
mutant), and the rate of killed mutants with its confidence interval. Also tests tree.Tree: a test that fails even
without a mutant is not used for mutants, and is reported at the end of the run."""
import contextlib
import io
import pathlib
import sys
import tempfile
from collections import namedtuple

import report
import tree

Mutant = namedtuple("Mutant", "room generated file function edit")
Edit = namedtuple("Edit", "operator line")
Outcome = namedtuple("Outcome", "mutant word line")
# A case: the exit status; whether the mutants are generated; how many mutants of this run are killed, survived and
# equivalent; how many of the earlier mutants in the ledger are killed and survived.
CASES = (
    (0, True, (0, 0, 0), (0, 0)), (0, True, (15, 0, 0), (0, 0)),
    (0, True, (1, 28, 9), (0, 0)),  # a ledger of 29 lines, fewer than report.LEAST
    (1, True, (1, 29, 0), (0, 0)),
    (0, True, (21, 12, 0), (0, 0)), (1, True, (207, 93, 0), (0, 0)), (0, True, (212, 88, 0), (0, 0)),
    (0, True, (300, 0, 0), (0, 300)), (1, True, (1, 0, 0), (10, 300)),  # only the last 300 lines of the ledger count
    (0, False, (3, 0, 0), (0, 0)), (1, False, (14, 1, 0), (300, 0)),
)


def outcomes_of(generated, counts):
    mutant = Mutant("room", generated, "a/file.c", "f", Edit("sign", 7))
    for word, count in zip(("killed", "survived", "equivalent"), counts):
        yield from [Outcome(mutant, word, word)] * count


class Copy(tree.Tree):
    """Stands for tree.Tree. It has no sources, and its tests are commands of the shell."""
    def __init__(self, commands):
        self.build_folder, self.seconds, self.skipped, self.failing = pathlib.Path.cwd(), {}, set(), {}
        self.tests = {name: {"cmd": command, "workdir": None, "env": {}, "depends": []}
                      for name, command in commands.items()}

    def must_compile(self, targets):
        pass


wrong = 0
copy = Copy({"passes": ["true"], "skips": ["sh", "-c", "exit 77"], "fails": ["sh", "-c", "echo why; exit 3"]})
with contextlib.redirect_stdout(io.StringIO()) as said:
    for test in copy.tests:
        copy.check_test(test)
    with tempfile.TemporaryDirectory() as folder:
        status = report.conclude([], copy.failing, pathlib.Path(folder) / "none")
if status != 1 or copy.skipped != {"skips", "fails"} or copy.failing != {"fails": "why\n"} \
        or said.getvalue().count("'fails'") != 2:
    print(f"a test that fails: status {status}, left out {copy.skipped}, said:\n{said.getvalue()}")
    wrong += 1
with tempfile.TemporaryDirectory() as folder:
    for number, (status, generated, counts, before) in enumerate(CASES):
        ledger = pathlib.Path(folder) / f"{number}.txt"
        outcomes = list(outcomes_of(generated, counts))
        for outcome in [*outcomes_of(True, before), *outcomes]:
            report.append(outcome, ledger)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            got = report.conclude(outcomes, {}, ledger)
        lines = len(ledger.read_text().splitlines()) if ledger.exists() else 0
        known = report.is_among(report.last_lines(ledger), Mutant("room", True, "a/file.c", "f", Edit("sign", 7)))
        if known != (lines > 0) or got != status or lines != sum(before) + generated * (counts[0] + counts[1]):
            print(f"{counts} after {before}, generated: {generated}: status {got}, not {status}; {lines} lines\n"
                  + said.getvalue())
            wrong += 1
with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
    ledger = pathlib.Path(folder) / "ledger.txt"
    for outcome in outcomes_of(True, (30, 20)):
        report.append(outcome, ledger)
    before = report.judge(ledger)
    ledger.write_text(ledger.read_text().replace("survived", "equivalent the loop ends there anyway"))
    after = report.judge(ledger)
if (before, after) != (1, 0) or "killed 30 of 30" not in said.getvalue():
    print(f"survivors that no test can see: status {before}, then {after}, said:\n{said.getvalue()}")
    wrong += 1
if (said := report.rate(267, 348)) != "killed 267 of 348 = 77% (72% to 81%)":
    print(said)
    wrong += 1
print(f"{len(CASES)} cases, {wrong} wrong")
sys.exit(wrong > 0)
