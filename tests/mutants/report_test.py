# SPDX-License-Identifier: MIT
"""The exit status of a run by what became of its mutants: generated ones that survive are no failure,
unless so many do that the tests have become worse."""
import contextlib
import io
import sys
from collections import namedtuple

import report

Mutant = namedtuple("Mutant", "room generated")
Outcome = namedtuple("Outcome", "mutant word line")
CASES = (  # status, generated or by hand, and for each room: killed, survived, equivalent
    (0, True, ()),
    (0, True, ((15, 0, 0),)), (0, True, ((6, 9, 0),)), (1, True, ((5, 10, 0),)),
    (1, True, ((4, 9, 2),)),  # fewer than fifteen are tested
    (0, True, ((1, 1, 9),)), (1, True, ((0, 4, 0),)),
    (0, True, ((9, 4, 0),) * 4), (1, True, ((8, 6, 0),) * 8),  # each room has enough, but not all
    (0, False, ((3, 0, 0),)), (1, False, ((14, 1, 0),)),
)


def outcomes_of(generated, rooms):
    for i, counts in enumerate(rooms):
        for word, count in zip(("killed", "survived", "equivalent"), counts):
            yield from [Outcome(Mutant(f"room {i}", generated), word, word)] * count


wrong = 0
for status, generated, rooms in CASES:
    with contextlib.redirect_stdout(io.StringIO()) as said:
        got = report.conclude(list(outcomes_of(generated, rooms)))
    if got != status:
        print(f"{rooms}, generated: {generated}: status {got}, not {status}\n{said.getvalue()}")
        wrong += 1
print(f"{len(CASES)} cases, {wrong} wrong")
sys.exit(wrong > 0)
