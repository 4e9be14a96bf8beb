#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what smoothimg-bench measured before a change and after it, for each variant or experiment.

usage: baseline.py BEFORE AFTER

    for channels in 1 3; do build/smoothimg-bench --size 512,8192 --channels $channels --json; done > before.json

Each file has one or several documents that `smoothimg-bench --json` printed on one machine. All figures are times, so
less is better. The rows named copy measure plain copies of memory: their ratio shows how much the machine itself has
changed.
"""
import json
import sys
from pathlib import Path

LIMIT = 1.05  # a ratio above it, or below its inverse, is marked


def documents(text):
    """Yields the documents of a file, one after the other."""
    decoder, at = json.JSONDecoder(), 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        document, at = decoder.raw_decode(text, at)
        yield document


def about(group):
    """Returns, as text, the conditions under which a group of variants or experiments was measured."""
    if "operation" not in group:
        return f"{group['group']} {group['size']}"
    samples = f"maxval {group['maxval']}" if group["maxval"] else "floats"
    return (f"{group['operation']} {group['width']} x {group['height']}, {samples}, {group['channels']} channels, "
            f"alpha {group['alpha']}, halo {group['halo']}")


def place(group, row):
    return f"{group['threads']} threads" if row["place"] == "cpu" and "threads" in group else row["place"]


def read(path):
    """Returns the first document of a file, and the timed rows of all its documents."""
    try:
        found = list(documents(Path(path).read_text()))
        return found[0], {(about(group), place(group, row), row["row"]): row for document in found
                          for group in document["groups"] for row in group["rows"] if row["outcome"] == "timed"}
    except OSError as why:
        sys.exit(f"baseline.py: {path}: cannot be read: {why.strerror}")
    except (ValueError, KeyError, TypeError, IndexError):
        sys.exit(f"baseline.py: {path}: not of smoothimg-bench --json")


def shown(seconds):
    return (f"{seconds:.2f} s" if seconds >= 1 else f"{1e3 * seconds:.3f} ms" if seconds >= 1e-3 else
            f"{1e6 * seconds:.2f} us")


def mark(ratio, best):
    """Returns "WORSE", "better" or "". `ratio` is the new median time divided by the old one, `best` the new best time
    divided by the old one. Load from other programs lengthens the median, but hardly the best time, so a mark needs
    both."""
    if min(ratio, best) > LIMIT:
        return "WORSE"
    return "better" if max(ratio, best) < 1 / LIMIT else ""


def compare(old, new):
    """Prints the rows that both files have, and returns their marks."""
    marks = []
    print(f"{'old':>11} {'new':>11} {'ratio':>7} {'best':>7} {'':6} row")
    for key in (key for key in old if key in new):
        ratio, best = (new[key][figure] / old[key][figure] for figure in ("median_s", "best_s"))
        marks.append(mark(ratio, best))
        print(f"{shown(old[key]['median_s']):>11} {shown(new[key]['median_s']):>11} {ratio:7.3f} {best:7.3f} "
              f"{marks[-1]:6} {': '.join(key)}")
    return marks


def main():
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.strip())
    (before, old), (after, new) = map(read, sys.argv[1:])
    for key in ("commit", "machine", "gpu"):
        same = before[key] == after[key]
        print(f"{key}: {before[key]}" + ("" if same else f", then {after[key]}"))
        if key != "commit" and not same:
            print(f"warning: another {key}; times say nothing about the change")
    marks = compare(old, new)
    for key in old.keys() ^ new.keys():
        print(f"only in the {'old' if key in old else 'new'} one: {': '.join(key)}")
    print(f"{len(marks)} rows, {marks.count('WORSE')} worse and {marks.count('better')} better by more than "
          f"{100 * (LIMIT - 1):.0f} %")


if __name__ == "__main__":
    main()
