#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records a baseline of performance, and compares a later one with it, row by row.

  baseline.py record --set cpu,gpu before.json     before a change
  baseline.py record --set cpu,gpu after.json      after it, on the same machine
  baseline.py compare before.json after.json

A baseline is one JSON document: the machine, the commit, and rows of a name, a unit and a value. Less is
better in every row. Only documents of one machine can be compared; rows named copy show how much the
machine itself has changed.

A set is a list of commands in order of importance. After --seconds no further one is started, and those
left are named under left_out.
"""
import argparse
import datetime
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
EFFORT = ("--repeat", "7", "--min-time", "0.05", "--max-time", "1")
LIMIT = 1.05  # a ratio beyond it, or below its inverse, is marked

KINDS = {
    "u8": (),
    "float": ("--depth", "float"),
    "RGB": ("--channels", "3"),
    "u16": ("--depth", "16"),
    "RGBA weighted": ("--channels", "4", "--alpha", "weighted"),
}
SIZES = ("512", "1920x1080", "8192")
HALOS = "1,2,4,8,16,64"
WIDE_HALOS = ("200", "1024")  # measured last, each by a command of its own: checking the result takes long
PROBE = ("--op", "reverse", "--variant", "cpu", "--size", "1")  # for what the document says of the machine
LEVELS = ("vnni", "avx512", "avx2", "neon", "base")  # of SMOOTHIMG_CPU, the highest first


class Fault(Exception):
    """A sentence that says what is wrong."""


# --- smoothimg-bench --------------------------------------------------------------------------------

def bench(options, *words, level=None):
    """The JSON document of a run at a level, which is the processor's highest unless it is given."""
    environment = {**os.environ, **({"SMOOTHIMG_CPU": level} if level else {})}
    command = [options.bench, *words, *EFFORT, "--json"]
    try:
        ended = subprocess.run(command, env=environment, capture_output=True, text=True)
    except OSError as why:
        raise Fault(f"{options.bench}: cannot be started: {why.strerror}; build it, or use --bench") from why
    if not ended.stdout:
        raise Fault(ended.stderr.strip())
    return json.loads(ended.stdout)


def cells(document):
    """Rows of a baseline from a document of smoothimg-bench."""
    for group in document["groups"]:
        kind = {255: "u8", 65535: "u16"}.get(group["maxval"], "float")
        about = (f"{group['operation']} {kind} x {group['channels']}"
                 f"{' weighted' if group['alpha'] == 'weighted' else ''} "
                 f"{group['width']} x {group['height']} halo {group['halo']}")
        for row in group["rows"]:
            if row["outcome"] in ("different", "failed"):
                raise Fault(f"{about} {row['row']}: {row['why']}")
            if row["outcome"] != "timed":
                continue
            where = f"{document['machine']['isa']} {group['threads']} threads" if row["place"] == "cpu" else "gpu"
            yield {"name": f"{about} {where} {row['row']}", "unit": "s", "value": row["median_s"],
                   "best": row["best_s"], "share_of_copy": row["share_of_copy"]}


def cells_of(options, *words, level=None):
    return lambda: cells(bench(options, *words, level=level))


def smooth(options, kind, size, halos, *words, level=None):
    command = ("--op", "smooth", *KINDS[kind], "--size", size, "--halo", halos, *words)
    return f"{kind} {size} halo {halos} {level or ''}".rstrip(), cells_of(options, *command, level=level)


def every_size(options, *rows):
    for size in options.sizes or SIZES:
        for kind in KINDS:
            yield smooth(options, kind, size, options.halos or HALOS, *rows)


def wide_halos(options, *rows):
    for halo in () if options.halos else WIDE_HALOS:
        for size in options.sizes or SIZES:
            for kind in KINDS:
                yield smooth(options, kind, size, halo, *rows)


def rows_named(options, *names):
    """Options that choose these rows. Unknown ones are left out."""
    listed = subprocess.run([options.bench, "--list"], capture_output=True, text=True).stdout.split("\n")
    present = {line.split()[1] for line in listed[1:] if line and "(not in this build)" not in line}
    return [word for name in names if name in present for word in ("--variant", name)]


def cpu_set(options):
    """Every kind and size by all threads at the highest level; one thread; the lower levels."""
    rows = ("--place", "cpu", *rows_named(options, "cpu", "api"))
    sizes, halos = options.sizes or SIZES, options.halos or HALOS
    highest = bench(options, *PROBE)["machine"]["isa"]
    yield from every_size(options, *rows)
    for kind in KINDS:
        yield smooth(options, kind, sizes[0], halos, *rows, "--jobs", "1")
    for level in LEVELS[LEVELS.index(highest) + 1:]:
        if level_works(options, level):
            for kind in KINDS:
                yield smooth(options, kind, sizes[0], halos, *rows, level=level)
    yield from wide_halos(options, *rows)


def level_works(options, level):
    """A level that the processor lacks becomes another one."""
    return bench(options, *PROBE, level=level)["machine"]["isa"] == level


def gpu_set(options):
    """Every kind and size; then images so large that only a copy compares with them."""
    rows = ("--place", "gpu", *rows_named(options, "fused"))
    yield from every_size(options, *rows)
    if not options.sizes:
        yield smooth(options, "u8", "32768", "1,2,4,8,16", *rows)
        yield smooth(options, "u16", "16384", "1,2,4,8,16", *rows)
    yield from wide_halos(options, *rows)


# --- whole programs ---------------------------------------------------------------------------------

def output_of(*words, **more):
    ended = subprocess.run(list(map(str, words)), capture_output=True, text=True, **more)
    if ended.returncode != 0:
        raise Fault(f"{Path(words[0]).name}: exit status {ended.returncode}: {ended.stderr.strip()[-300:]}")
    return ended.stdout


def program_rows(options, *words):
    """Of programs.py: wall times, and peaks of memory."""
    said = output_of(sys.executable, ROOT / "src/bench/scripts/programs.py", "--build", options.build, "--json", *words)
    for case in json.loads(said)["cases"]:
        about = (f"1 x {case['format']} {case['side']} x {case['side']} halo {case['halo']} "
                 f"{case['threads']} threads")
        for row in case["rows"]:
            if row["fault"]:
                raise Fault(f"{about} {row['program']}: {row['fault']}")
            yield {"name": f"{about} {row['program']}", "unit": "s", "best": row["best_s"], "value": row["median_s"]}
            yield {"name": f"{about} {row['program']} peak", "unit": "bytes", "value": row["peak_bytes"]}


def programs_set(options):
    sizes = ",".join(options.sizes or ("512", "4096"))
    yield "files", lambda: program_rows(options, "--size", sizes, "--programs", "cp,smoothimg")


# --- recording ------------------------------------------------------------------------------------

# And after how many seconds nothing is begun.
SETS = {"cpu": (cpu_set, 230), "gpu": (gpu_set, 170), "programs": (programs_set, 300)}


def record_set(name, options, document):
    """Measures a set, and saves the document after each command: a time limit may end this process."""
    make, seconds = SETS[name]
    end = time.monotonic() + (options.seconds or seconds)
    for about, measure in make(options):
        why = "no time" if time.monotonic() > end else None
        if not why:
            print(f"{name}: {about}", file=sys.stderr)
            try:
                document["rows"] += [{"set": name, **row} for row in measure()]
            except Fault as fault:
                why = str(fault)
        if why:
            document["left_out"].append(f"{name}: {about}: {why}")
            print(f"left out: {document['left_out'][-1]}", file=sys.stderr)
        save(document, options.output)


def save(document, output):
    """A line for each row."""
    head = json.dumps({key: value for key, value in document.items() if key != "rows"}, indent=1)
    rows = ",\n".join("  " + json.dumps(row) for row in document["rows"])
    output.write_text(f'{head[:-2]},\n "rows": [\n{rows}\n ]\n}}\n')


def record(options):
    probe = bench(options, *PROBE)
    document = {"program": "src/bench/scripts/baseline.py", "commit": probe["commit"],
                "recorded": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                "machine": probe["machine"], "gpu": probe["gpu"], "left_out": [], "rows": []}
    for name in options.sets:
        record_set(name, options, document)


# --- comparing ------------------------------------------------------------------------------------

def read(path):
    try:
        document = json.loads(path.read_text())
        return document, {(row["set"], row["name"]): row for row in document["rows"]}
    except OSError as why:
        raise Fault(f"{path}: cannot be read: {why.strerror}") from why
    except (ValueError, KeyError, TypeError) as why:
        raise Fault(f"{path}: not a document of baseline.py record") from why


def shown(row):
    value = row["value"]
    if row["unit"] != "s":
        return f"{value}"
    return f"{value:.2f} s" if value >= 1 else f"{1e3 * value:.3f} ms" if value >= 1e-3 else f"{1e6 * value:.2f} us"


def mark(ratio, best):
    """Load of other programs lengthens the median, and hardly the best: a mark needs both."""
    if min(ratio, best) > LIMIT:
        return "WORSE"
    return "better" if max(ratio, best) < 1 / LIMIT else ""


def ratio_of(new, old):
    return new / old if old else 1.0 if new == old else math.inf


def compare_rows(old, new):
    """Prints the rows that both have, and returns their marks."""
    marks = []
    print(f"{'old':>11} {'new':>11} {'ratio':>7} {'best':>7} {'':6} row")
    for key, was in old.items():
        if key not in new:
            continue
        now = new[key]
        ratio = ratio_of(now["value"], was["value"])
        best = ratio_of(now.get("best", now["value"]), was.get("best", was["value"]))
        marks.append(mark(ratio, best))
        print(f"{shown(was):>11} {shown(now):>11} {ratio:7.3f} {best:7.3f} {marks[-1]:6} {' '.join(key)}")
    return marks


def compare(options):
    (before, old), (after, new) = read(options.old), read(options.new)
    for key in ("commit", "machine", "gpu"):
        same = before[key] == after[key]
        print(f"{key}: {before[key]}" + ("" if same else f", then {after[key]}"))
        if key != "commit" and not same:
            print(f"warning: another {key}; times say nothing about the change")
    marks = compare_rows(old, new)
    for key in old.keys() ^ new.keys():
        print(f"only in the {'old' if key in old else 'new'} one: {' '.join(key)}")
    print(f"{len(marks)} rows, {marks.count('WORSE')} worse and {marks.count('better')} better by more than "
          f"{100 * (LIMIT - 1):.0f} %")


# --- the command line -----------------------------------------------------------------------------

def names(text):
    return text.split(",")


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="record|compare")
    one = commands.add_parser("record", help="measure, and write a document")
    one.set_defaults(command=record)
    one.add_argument("output", type=Path, help="the document to write")
    one.add_argument("--set", dest="sets", type=names, default=["cpu"], metavar="LIST",
                     help=f"of {', '.join(SETS)}; default: cpu")
    one.add_argument("--build", type=Path, default=ROOT / "build", help="where the programs are")
    one.add_argument("--bench", type=Path, help="smoothimg-bench, if it is elsewhere")
    one.add_argument("--sizes", type=names, metavar="LIST", help=f"of images (default {','.join(SIZES)})")
    one.add_argument("--halos", metavar="LIST", help=f"default {HALOS}, then {','.join(WIDE_HALOS)}")
    one.add_argument("--seconds", type=float, metavar="S", help="begin nothing later, in each set (default "
                     f"{', '.join(f'{seconds} for {name}' for name, (_, seconds) in SETS.items())})")
    two = commands.add_parser("compare", help="print old, new and their ratio, row by row")
    two.set_defaults(command=compare)
    two.add_argument("old", type=Path)
    two.add_argument("new", type=Path)
    options = parser.parse_args()
    for unknown in set(getattr(options, "sets", ())) - set(SETS):
        parser.error(f"--set {unknown}: unknown set; use {', '.join(SETS)}")
    if options.command == record:
        options.bench = (options.bench or options.build / "smoothimg-bench").resolve()
    return options


def main():
    options = read_options()
    try:
        options.command(options)
    except Fault as why:
        sys.exit(f"baseline.py: {why}")


if __name__ == "__main__":
    main()
