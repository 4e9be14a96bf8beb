# SPDX-License-Identifier: MIT
"""What the end of a run says."""
import collections
import math

# Of the generated mutants that are tested, so many were killed: in the room with the fewest, and in all.
# Three seeds measured it, which README.md lists. Where so few are killed that chance would make it less
# than CHANCE of the time, the tests have become worse: none of 4 in a room, or 5 of 15.
ROOM_SHARE = 0.62
SHARE = 0.77
CHANCE = 0.03
SEVERAL = 4  # rooms: of fewer, the share may be that of the lowest
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


def too_few(killed, tested, share):
    """Whether so few or fewer, of those that are killed at that share, are less likely than CHANCE."""
    return CHANCE > sum(math.comb(tested, k) * share**k * (1 - share) ** (tested - k)
                        for k in range(killed + 1))


def says_too_few(where, counts, share):
    killed, tested = counts["killed"], counts["killed"] + counts["survived"]
    if too_few(killed, tested, share):
        print(f"{where}: {killed} of {tested} were killed, where about {share:.0%} should be")
        return True
    return False


def conclude(outcomes):
    """Prints the table, and the survivors again. Returns the exit status."""
    failed = False
    for outcome in outcomes:
        is_bad = outcome.word == "survived" or (
            outcome.word == "invalid" and not outcome.mutant.generated)
        failed |= is_bad and not outcome.mutant.generated
        if is_bad:
            print(outcome.line)
    everywhere, rooms = collections.Counter(), 0
    for (room, kind), counts in print_table(outcomes).items():
        if kind == "generated":
            everywhere += counts
            rooms += 1
            failed |= says_too_few(room, counts, ROOM_SHARE)
    if rooms >= SEVERAL:
        failed |= says_too_few("all rooms", everywhere, SHARE)
    return 1 if failed else 0
