#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the memory suite under NVIDIA's Nsight Compute (ncu), and shows its counts beside those of the
emulated device.

usage: counters.py [--ncu NCU] [--experiment GROUP]... [--size N] [--halo H] [--block B]
                   [--print] PROGRAM

PROGRAM is a smoothimg-bench that was built with CUDA. Each row of its memory suite that runs on the
GPU is run by itself under ncu, which counts the first kernel that it starts: sectors and requests of
global loads and stores, shared memory's bank conflicts, and the bytes that DRAM moved. --print shows
the commands and runs nothing: each can be pasted into a shell.

The second line of each row has what the emulated device counts, by `PROGRAM --sectors --json`. Rows
that it counted at a smaller size are run under ncu at that size too.

On many machines only root may read the counters: the driver's RmProfilingAdminOnly is 1. An
administrator can allow all users by `options nvidia NVreg_RestrictProfilingToAdminUsers=0`. Without
the permission, or without ncu, this script says so and exits with status 77.
"""
import argparse
import csv
import io
import json
import re
import shlex
import shutil
import subprocess
import sys

SKIPPED = 77
L1 = "l1tex__"
METRICS = {
    "load_requests": L1 + "t_requests_pipe_lsu_mem_global_op_ld.sum",
    "load_sectors": L1 + "t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "store_requests": L1 + "t_requests_pipe_lsu_mem_global_op_st.sum",
    "store_sectors": L1 + "t_sectors_pipe_lsu_mem_global_op_st.sum",
    "load_conflicts": L1 + "data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "store_conflicts": L1 + "data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "dram_read": "dram__bytes_read.sum",
    "dram_written": "dram__bytes_write.sum",
}
SCALES = {"Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}
DENIED = "ERR_NVGPUCTRPERM"


class Unable(Exception):
    """Nothing can be counted here; the message says why."""


def find_ncu(name):
    found = shutil.which(name) or shutil.which("/usr/local/cuda/bin/ncu")
    if not found:
        raise Unable("there is no ncu: it comes with CUDA's toolkit, as Nsight Compute")
    return found


def rows_of(program, groups):
    """[(group, row)] of the memory suite's GPU rows; groups: names of the wanted ones, or [] for all."""
    listed = subprocess.run([program, "--suite", "memory", "--list"], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    rows = [re.split(r"  +", line.strip())[:3] for line in listed.splitlines()[1:]]
    rows = [(row[0], row[1]) for row in rows if len(row) == 3 and row[2].startswith("GPU")]
    unknown = set(groups) - {group for group, _ in rows}
    if unknown:
        sys.exit(f"counters.py: no rows on the GPU: {', '.join(sorted(unknown))}; see --list")
    return [row for row in rows if not groups or row[0] in groups]


def conditions(options):
    return [word for name in ("size", "halo", "block") if getattr(options, name)
            for word in (f"--{name}", getattr(options, name))]


def command_of(ncu, options, group, row, traced=None):
    more = conditions(options)
    if traced:
        more += ["--size", f"{traced['width']}x{traced['height']}"]
    return [ncu, "--csv", "--page", "raw", "--launch-count", "1", "--metrics",
            ",".join(METRICS.values()), options.program, "--suite", "memory", "--place", "gpu",
            "--experiment", f"{group}/{row}", *more, "--repeat", "1", "--min-time", "1e-9"]


def number(text, unit):
    """ncu prints commas between thousands, and bytes in units that vary."""
    return float(text.replace(",", "")) * SCALES.get(unit, 1)


def figures_of(output):
    """The metrics of ncu's CSV: a row of names, one of units, one of values; other lines are the
    program's and ncu's own."""
    lines = [line for line in output.splitlines() if line.startswith('"')]
    table = list(csv.reader(io.StringIO("\n".join(lines))))
    if len(table) < 3:
        raise Unable("ncu counted nothing: " + " ".join(output.split())[:300])
    found = {}
    for key, metric in METRICS.items():
        at = table[0].index(metric) if metric in table[0] else None
        found[key] = number(table[2][at], table[1][at]) if at is not None and table[2][at] else None
    return found


def count(command):
    """The figures of a row, by the keys of METRICS; None for a metric that this GPU lacks."""
    ended = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if DENIED in ended.stdout:
        raise Unable(f"the driver permits counters to root alone ({DENIED}); --help says what to do")
    if ended.returncode != 0:
        raise Unable(f"ncu ended with {ended.returncode}: " + " ".join(ended.stdout.split())[:300])
    return figures_of(ended.stdout)


def flattened(row):
    """A row of the emulated device's document, by the keys of METRICS, with its size."""
    return {"width": row["width"], "height": row["height"],
            "load_requests": row["loads"]["accesses"], "load_sectors": row["loads"]["sectors"],
            "store_requests": row["stores"]["accesses"], "store_sectors": row["stores"]["sectors"],
            "load_conflicts": row["shared_loads"]["extra_passes"],
            "store_conflicts": row["shared_stores"]["extra_passes"]}


def traced_rows(options):
    """{(group, row): figures} of the emulated device; {} without a tracer."""
    groups = [word for group in options.experiment for word in ("--experiment", group)]
    ended = subprocess.run([options.program, "--sectors", "--json", *groups, *conditions(options)],
                           text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if ended.returncode != 0:
        print("counters.py: nothing to compare with: " + ended.stderr.strip(), file=sys.stderr)
        return {}
    return {(row["group"], row["row"]): flattened(row) for row in json.loads(ended.stdout)["rows"]
            if row["outcome"] == "counted"}


def cell(value):
    return "-" if value is None else f"{value:.0f}"


def print_table(rows, traced):
    print(f"{'':23}{'requests':>12}{'sectors':>12}{'requests':>12}{'sectors':>12}{'conflicts':>12}"
          f"{'DRAM MB':>9}")
    print(f"{'row':23}{'of loads':>12}{'of loads':>12}{'of stores':>12}{'of stores':>12}"
          f"{'':>12}{'':>9}")
    for (group, row), figures in rows.items():
        print(f"{group}/{row}")
        for name, found in (("  ncu", figures), ("  emulated", traced.get((group, row)))):
            if found:
                print(line_of(name, found))


def line_of(name, found):
    conflicts = [found.get("load_conflicts"), found.get("store_conflicts")]
    moved = [found.get("dram_read"), found.get("dram_written")]
    cells = [cell(found.get(key)) for key in
             ("load_requests", "load_sectors", "store_requests", "store_sectors")]
    cells.append("-" if None in conflicts else cell(sum(conflicts)))
    cells = "".join(f"{text:>12}" for text in cells)
    return f"{name:23}{cells}" + f"{'-' if None in moved else f'{sum(moved) / 1e6:.1f}':>9}"


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=True)
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--experiment", action="append", default=[])
    for name in ("size", "halo", "block"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--print", action="store_true", dest="only_print")
    parser.add_argument("program")
    options = parser.parse_args()
    rows = rows_of(options.program, options.experiment)
    if options.only_print:
        for group, row in rows:
            print(shlex.join(command_of(options.ncu, options, group, row)))
        return 0
    try:
        ncu = find_ncu(options.ncu)
        traced = traced_rows(options)
        found = {row: count(command_of(ncu, options, *row, traced.get(row))) for row in rows}
    except Unable as why:
        print(f"counters.py: {why}", file=sys.stderr)
        return SKIPPED
    print_table(found, traced)
    return 0


if __name__ == "__main__":
    sys.exit(main())
