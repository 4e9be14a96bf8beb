# SPDX-License-Identifier: MIT
"""Prints the results of a run, and keeps the ledger: a file with a line for each generated mutant that was tested."""
import collections
import math
import pathlib
import subprocess

LEDGER = pathlib.Path(__file__).with_name("ledger.txt")
WINDOW = 300  # the rate is the share of killed mutants among this many last lines of the ledger
FLOOR = 0.75  # the run fails if the upper end of the rate's 95 % interval is below this
LEAST = 30  # while the ledger has fewer killed and surviving mutants, the rate does not make the run fail
WORDS = ["killed", "survived", "expected", "equivalent", "invalid", "skipped"]


def changed_lines(text, edit):
    """Returns the lines that an edit changes, first as they are (-), then as they become (+)."""
    start = text.rfind("\n", 0, edit.start) + 1
    end = text.find("\n", edit.end)
    before, after = text[start:end], text[start:edit.start] + edit.new + text[edit.end:end]
    return "".join(f"\n    {sign} {line.strip()}" for sign, lines in (("-", before), ("+", after))
                   for line in lines.splitlines() if line.strip())


def print_table(outcomes):
    """Prints the number of each outcome, by room, separately for mutants that were written by hand and for generated
    ones."""
    rows = collections.defaultdict(collections.Counter)
    for outcome in outcomes:
        kind = "generated" if outcome.mutant.generated else "by hand"
        rows[outcome.mutant.room, kind][outcome.word] += 1
    print(f"\n{'room':9} {'':10}" + "".join(f"{word:>11}" for word in ["planted", *WORDS]))
    for (room, kind), counts in sorted(rows.items()):
        print(f"{room:9} {kind:10}" + "".join(
            f"{n:11}" for n in [sum(counts.values()), *(counts[word] for word in WORDS)]))
    return rows


def interval(killed, tested):
    """Returns Wilson's 95 % interval of the rate killed / tested."""
    z, share = 1.96, killed / tested
    middle = share + z * z / (2 * tested)
    spread = z * math.sqrt(share * (1 - share) / tested + z * z / (4 * tested * tested))
    return tuple((middle + sign * spread) / (1 + z * z / tested) for sign in (-1, 1))


def rate(killed, tested):
    low, high = interval(killed, tested)
    return f"killed {killed} of {tested} = {killed / tested:.0%} ({low:.0%} to {high:.0%})"


def append(outcome, ledger=LEDGER):
    """Adds a line to the ledger if a generated mutant was killed or survived: commit, room, file:line, function,
    operator, outcome."""
    mutant, word, _ = outcome
    if mutant.generated and word in ("killed", "survived"):
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=LEDGER.parent, check=False,
                                capture_output=True, text=True).stdout.strip()
        with open(ledger, "a", encoding="utf-8") as file:
            print(commit or "-", mutant.room, f"{mutant.file}:{mutant.edit.line}", mutant.function,
                  mutant.edit.operator, word, file=file)


def last_lines(ledger=LEDGER, words=("killed", "survived", "equivalent")):
    """Returns the last WINDOW lines that have one of these outcomes."""
    lines = ledger.read_text().splitlines() if ledger.exists() else []
    return [line for line in lines if line.split()[5] in words][-WINDOW:]


def is_among(lines, mutant):
    """Returns True if one of these lines of the ledger is about this mutant. Line numbers are not compared: they change
    with the file."""
    tested = ((room, file.partition(":")[0], *rest) for room, file, *rest in (line.split()[1:5] for line in lines))
    return (mutant.room, mutant.file, mutant.function, mutant.edit.operator) in tested


def judge(ledger=LEDGER):
    """Prints the rates of the ledger's last lines, for each room and for all together. Returns the exit status: 1 if
    there are at least LEAST lines, and even the upper end of the interval of all rooms together is below FLOOR."""
    lines = last_lines(ledger, words=("killed", "survived"))
    counts = collections.defaultdict(collections.Counter)
    for line in lines:
        room, word = line.split()[1], line.split()[5]
        counts[room][word] += 1
        counts["all"][word] += 1
    for room, count in sorted(counts.items(), key=lambda item: (item[0] == "all", item[0])):
        print(f"{room:9} {rate(count['killed'], count.total())}")
    killed, tested = counts["all"]["killed"], len(lines)
    if tested < LEAST or interval(killed, tested)[1] >= FLOOR:
        return 0
    print(f"of the last {tested} mutants in {ledger.name} fewer than {FLOOR:.0%} are killed: add tests for "
          "what survives")
    return 1


def conclude(outcomes, failing, ledger=LEDGER):
    """Prints again the mutants that survived, and those written by hand that are invalid. Then prints the table, the
    rates, and the tests that fail without a mutant, with their outputs. Returns the exit status."""
    failed = False
    for outcome in outcomes:
        is_bad = outcome.word == "survived" or (outcome.word == "invalid" and not outcome.mutant.generated)
        failed |= is_bad and not outcome.mutant.generated
        if is_bad:
            print(outcome.line)
    print_table(outcomes)
    failed |= judge(ledger) > 0
    for name, output in failing.items():
        print(f"\n{output}\nFAILED WITHOUT A MUTANT, and was left out: '{name}'. Mend it, and run this again.")
    return 1 if failed or failing else 0
