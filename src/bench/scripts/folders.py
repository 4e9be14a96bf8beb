#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures whole programs side by side on a folder of images: they read, smooth and write every file.

The wall times are the median and the best of several runs, after one run that is not counted; the
programs take turns. Each uses the same filter and the same PNG level, as in programs.py, and writes
into a new folder. Inputs are in the page cache. `loop` is a line of the shell that starts a process
for each file, one after the other; `loop -P` runs as many at a time as there are jobs.
"""
import json
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import programs
from programs import Case, Row, Tools, numbers, take_turns


class Folder(Case):
    """A case of programs.py with many files: `inputs` is a folder of `count` copies of one image."""

    def __init__(self, options, folder, size, form):
        super().__init__(options, folder, size, form)
        self.inputs, self.count = folder / f"in-{form}", options.files

    def make(self, options):
        self.inputs.mkdir()
        first = self.inputs / f"0000.{self.form}"
        subprocess.run([options.bench, "--image", options.image, "--size", str(self.size),
                        "--save-image", first], check=True)
        for i in range(1, self.count):
            shutil.copyfile(first, self.inputs / f"{i:04}.{self.form}")

    def clear(self, out):
        shutil.rmtree(out, ignore_errors=True)

    def fault_of(self, out):
        made = len(list(out.iterdir()))
        return None if made == self.count else f"it made {made} files of {self.count}"

    def bytes(self):
        return self.count * (self.inputs / f"0000.{self.form}").stat().st_size


def ours(*more):
    """smoothimg: one process for the whole folder."""
    def command(case, out, tools):
        return [tools.smoothimg, "-q", "--halo", case.halo, "--png-level", case.level, *more,
                case.inputs, out]
    return command


def on_gpu(*more):
    def command(case, out, tools):
        return ours("-j", case.jobs, *more)(case, out, tools) if tools.has_gpu() else None
    return command


def cp(case, out, tools):
    return ["cp", "-r", case.inputs, out]


def cp_many(case, out, tools):
    return (f"mkdir {out} && cd {shlex.quote(str(case.inputs))} && "
            f"ls | xargs -n 4 -P {case.jobs} cp -t {shlex.quote(str(out))}")


def loop(make, jobs=None):
    """A command of programs.py as a process for each file, `jobs` at a time (None: the case's).
    The shell replaces $0 by the file's name."""
    def command(case, out, tools):
        case.input = Path("$0")
        words = make(case, out / "$0", tools)
        if words is None:
            return None
        line = " ".join(f'"{word}"' for word in words)
        return (f"mkdir {out} && cd {shlex.quote(str(case.inputs))} && "
                f"ls | xargs -n 1 -P {case.jobs if jobs is None else jobs} sh -c {shlex.quote(line)}")
    return command


def mogrify(case, out, tools):
    if not shutil.which("gm"):
        return None
    return (f"mkdir {out} && cd {shlex.quote(str(case.inputs))} && gm mogrify -output-directory "
            f"{shlex.quote(str(out))} -gaussian {case.halo}x{case.sigma:.17g} "
            f"{shlex.join(map(str, programs.quality(case)))} *")


PROGRAMS = {
    "smoothimg": lambda case, out, tools: ours("-j", case.jobs, "--variant", "cpu")(case, out, tools),
    "smoothimg -j1": ours("-j1", "--variant", "cpu"),
    "smoothimg, gpu": on_gpu("--variant", "gpu"),
    "smoothimg, gpus": on_gpu("--variant", "gpu", "--device", "all"),
    "cp -r": cp,
    "cp, loop -P": cp_many,
    "smoothimg, loop": loop(programs.smoothimg, 1),
    "vips, loop": loop(programs.vips, 1),
    "vips, loop -P": loop(programs.vips),
    "gm mogrify": mogrify,
}


def measure(case, tools, options):
    out = case.folder / "out"
    rows = [Row(name, make(case, out, tools), out) for name, make in PROGRAMS.items()
            if not options.programs or name in options.programs or name == "smoothimg"]
    rows = [row for row in rows if row.command]
    for row in rows:
        row.go(case, options.timeout)
        row.seconds, row.peak = [], 0  # the first run warms up
    take_turns(rows, case, options)
    case.clear(out)
    return rows


def tell(case, rows, options):
    level = f", PNG level {case.level}" if case.form == "png" else ""
    print(f"\n{case.count} files, {options.image} {case.size} x {case.size}, {case.form}{level}, "
          f"{case.bytes() / 1e6:.0f} MB, halo {case.halo}, {case.jobs} threads")
    print(f"  {'program':18}{'median s':>10}{'best s':>10}{'times ours':>12}{'files/s':>9}{'MB/s':>8}"
          f"{'peak MB':>9}")
    first = next((statistics.median(row.seconds) for row in rows if row.seconds), None)
    for row in rows:
        if row.fault:
            print(f"  {row.name:18}{row.fault}")
            continue
        median = statistics.median(row.seconds)
        print(f"  {row.name:18}{median:10.4f}{min(row.seconds):10.4f}{median / first:12.2f}"
              f"{case.count / median:9.1f}{case.bytes() / median / 1e6:8.0f}{row.peak / 1e6:9.0f}")


def read_options():
    parser = programs.parser_of(__doc__.split("\n\n")[0], repeat=5)
    parser.add_argument("--files", type=int, default=64, help="in the folder (default 64)")
    parser.add_argument("--size", type=numbers, default=[1024], metavar="LIST", help="default 1024")
    parser.add_argument("--programs", type=lambda text: text.split(";"), metavar="LIST",
                        help=f"of {'; '.join(PROGRAMS)}; default: all that are here")
    options = programs.parse(parser, PROGRAMS)
    options.replace = False
    return options


def main():
    options = read_options()
    tools = Tools(options)
    document = []
    for size in options.size:
        for form in options.format.split(","):
            with tempfile.TemporaryDirectory(dir=options.folder) as folder:
                case = Folder(options, Path(folder), size, form)
                case.make(options)
                rows = measure(case, tools, options)
                if not options.json:
                    tell(case, rows, options)
                document.append({
                    "image": options.image, "side": size, "format": form, "files": case.count,
                    "halo": case.halo, "threads": case.jobs, "bytes": case.bytes(),
                    "rows": [{"program": row.name, "fault": row.fault, "seconds": row.seconds,
                              "peak_bytes": row.peak} for row in rows]})
    if options.json:
        json.dump({"program": "src/bench/scripts/folders.py", "cases": document}, sys.stdout, indent=1)
        print()


if __name__ == "__main__":
    main()
