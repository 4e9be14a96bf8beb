# SPDX-License-Identifier: MIT
"""What the end of a run says."""
import collections

# Of a room's generated mutants that are tested. Where fewer are killed, its tests have become worse.
# Three seeds set it, which README.md lists: 7 of 15 pass. With the lowest share of a room, 62 %, chance
# makes fewer than 7 seven times in a hundred.
LEAST_SHARE = 0.46
ENOUGH = 15  # generated mutants of a room, below which a share says little
WORDS = ["killed", "survived", "expected", "equivalent", "invalid", "skipped"]


def changed_lines(text, edit):
    """The lines of a mutant, before and after."""
    start = text.rfind("\n", 0, edit.start) + 1
    end = text.find("\n", edit.end)
    before, after = text[start:end], text[start:edit.start] + edit.new + text[edit.end:end]
    return "".join(f"\n    {sign} {line.strip()}" for sign, lines in (("-", before), ("+", after))
                   for line in lines.splitlines() if line.strip())


def print_table(outcomes):
    """For each room, of the tables' and of the generated mutants, what became of them."""
    rows = collections.defaultdict(collections.Counter)
    for outcome in outcomes:
        kind = "generated" if outcome.mutant.generated else "by hand"
        rows[outcome.mutant.room, kind][outcome.word] += 1
    print(f"\n{'room':9} {'':10}" + "".join(f"{word:>11}" for word in ["planted", *WORDS]))
    for (room, kind), counts in sorted(rows.items()):
        print(f"{room:9} {kind:10}" + "".join(
            f"{n:11}" for n in [sum(counts.values()), *(counts[word] for word in WORDS)]))
    return rows


def conclude(outcomes):
    """Prints the table, and the survivors again. Returns the exit status."""
    failed = False
    for outcome in outcomes:
        is_bad = outcome.word == "survived" or (
            outcome.word == "invalid" and not outcome.mutant.generated)
        failed |= is_bad and not outcome.mutant.generated
        if is_bad:
            print(outcome.line)
    for (room, kind), counts in print_table(outcomes).items():
        told = counts["killed"] + counts["survived"]
        if kind == "generated" and told >= ENOUGH and counts["killed"] < LEAST_SHARE * told:
            print(f"{room}: fewer than {LEAST_SHARE:.0%} of {told} were killed")
            failed = True
    return 1 if failed else 0
