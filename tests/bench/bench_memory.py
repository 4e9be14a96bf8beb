# SPDX-License-Identifier: MIT
"""Tests smoothimg-bench --suite memory: its tables and JSON, what it refuses, and that it times no kernel with a wrong
result. No test checks how fast anything is. A row is the measurement of one kernel (experiment); a group has kernels
that do the same in different ways.

usage: bench_memory.py PROGRAM IMAGES GROUP [--update]    --update, with the group options: writes the
                                                         messages into refused_memory.txt
"""
import json
import os
import re
from pathlib import Path

import program

QUICK = ("--suite", "memory", "--min-time", "0.001", "--repeat", "2", "--max-time", "0.01")
TIMES = {"median_s", "best_s", "gb_per_s", "gain", "share_of_copy", "gflop_per_s"}
LISTED = re.compile(r"(\S+)  +(\S.*?)  +(CPU|GPU)")


def rows_listed(workshop):
    """Returns (group, row, place) for each row (a kernel) that --list prints, in the same order. place: CPU or GPU."""
    text = workshop.check_prints("--suite", "memory", "--list")
    return [found.groups() for found in map(LISTED.fullmatch, text.splitlines()[1:]) if found]


def document(workshop, *words, status=0):
    ended = workshop.run(*QUICK, *words, "--json")
    workshop.check(ended.status == status, f"{words}: exit status {ended.status}, {ended.err!r}")
    return json.loads(ended.out)


def check_row(workshop, row):
    workshop.check(row["shows"].endswith("."), f"it shows nothing: {row}")
    if row["outcome"] == "checked":
        workshop.check(row["place"] == "gpu" and not TIMES & row.keys(), f"a time: {row}")
    if row["outcome"] != "timed":
        return
    workshop.check(0 < row["best_s"] <= row["median_s"] and row["repeats"] >= 1, f"times: {row}")
    if row["gb_per_s"] is not None:
        rate = row["bytes"] / row["median_s"] / 1e9
        workshop.check(abs(row["gb_per_s"] / rate - 1) < 1e-4, f"rate: {row}")
    if row["gflop_per_s"] is not None:
        rate = row["flops"] / row["median_s"] / 1e9
        workshop.check(abs(row["gflop_per_s"] / rate - 1) < 1e-4, f"operations: {row}")
    good = row["share_of_bound"] is None if row["exact"] else 0 <= row["share_of_bound"] <= 1
    workshop.check(good, f"bound: {row}")


def right_of(found, row):
    """Returns the outcome that a row must have if the kernel's result is right: "checked" on the emulated device, where
    times mean nothing, else "timed"."""
    emulated = found["gpu"] and found["gpu"]["emulated"]
    return "checked" if row["place"] == "gpu" and emulated else "timed"


def check_all(workshop, found, listed):
    """The JSON output must have every row (a kernel) of --list, in the same order. If this machine can run the kernel,
    the kernel is timed, or its row says why not."""
    here = [(group["group"], row["row"], row["place"].upper()) for group in found["groups"]
            for row in group["rows"]]
    workshop.check(here == listed, f"rows: {here}, not {listed}")
    for group in found["groups"]:
        for row in group["rows"]:
            check_row(workshop, row)
            needs = row["place"] == "gpu" and found["gpu"] is None
            good = ("it needs a GPU" in row["why"] if needs else
                    row["outcome"] in ("left out", right_of(found, row)))
            workshop.check(good, f"{group['group']}: {row}")
    right = {group["group"] for group in found["groups"] for row in group["rows"]
             if row["outcome"] == right_of(found, row)}
    if found["gpu"]:
        workshop.check(right == {row[0] for row in listed}, f"nothing right: {right}")


def every_row(workshop):
    listed = rows_listed(workshop)
    check_all(workshop, document(workshop, "--size", "37x21"), listed)
    check_all(workshop, document(workshop, "--size", "1"), listed)
    check_all(workshop, document(workshop, "--size", "65x34", "--block", "8", "--halo", "2"), listed)


def choices(workshop):
    listed = rows_listed(workshop)
    group = listed[0][0]
    found = document(workshop, "--experiment", group, "--size", "9,5x7")
    sizes = [each["size"] for each in found["groups"]]
    workshop.check([size[:size.index(",")] for size in sizes] == ["9 x 9", "5 x 7"], f"{sizes}")
    workshop.check({each["group"] for each in found["groups"]} == {group}, "other groups too")
    one = listed[-1]
    found = document(workshop, "--experiment", f"{one[0]}/{one[1]}", "--size", "9")
    rows = [(each["group"], row["row"]) for each in found["groups"] for row in each["rows"]]
    workshop.check(rows == [one[:2]], f"{rows}")
    found = document(workshop, "--place", "cpu", "--size", "9")
    places = {row["place"] for each in found["groups"] for row in each["rows"]}
    workshop.check(places <= {"cpu"}, f"{places}")


def tables(workshop):
    """The table has a line with times for each kernel. On an emulated GPU it only lists the names of kernels whose
    results are right."""
    text = workshop.check_prints(*QUICK, "--size", "20x30")
    for group, row, place in rows_listed(workshop):
        workshop.check(f"\n{group}: " in text, f"no group {group}")
        named = re.escape(row).replace("\\ ", r"\s+")
        workshop.check(re.search(rf"^  {re.escape(row)} +{place} |right on the emulated GPU:[^:]*{named}", text, re.M),
                       f"no row {row}")


def absent(workshop):
    """A build without CUDA knows the groups that need a GPU. If --experiment names such a group, the message says that
    the group needs a GPU, not that the group is unknown."""
    if "gemv" not in {row[0] for row in rows_listed(workshop)}:
        for name in ("gemv", "gemv/by rows"):
            workshop.check_ends(["--suite", "memory", "--experiment", name], 6,
                                re.compile(f"--experiment {name}: its rows run on a GPU, .*"))


def meaningless(workshop):
    """On the emulated device, neither the printed table nor the JSON document has times."""
    ended = workshop.run(*QUICK, "--size", "5", "--place", "gpu")
    workshop.check(b"its rows are checked, and not timed" in ended.out, f"{ended}")
    workshop.check(not re.search(rb"\d (us|ms|s)\b|GB/s|GFLOP", ended.out), f"{ended}")
    found = document(workshop, "--size", "5", "--place", "gpu")
    workshop.check(found["copy_gb_per_s_gpu"] is found["peak_gflop_per_s_fp32"] is None, f"{found}")


def without_memory(workshop):
    """If the device has too little memory for an array of a kernel, the run fails, and the message says what the array
    is for. The arrays of one kernel are freed before those of the next kernel are allocated. So memory for the arrays
    of two kernels is enough for a run of all kernels."""
    for bytes_, purpose in ((1000, "the results"), (400000, "the data")):
        workshop.check_tells([*QUICK, *"--size 300 --place gpu --experiment saxpb/unit".split()],
                             f"saxpb unit: device 0 has no memory for {purpose}: 360000 bytes", 6,
                             env={**os.environ, "EMULATED_MEMORY": str(bytes_)})
    workshop.check_tells([*QUICK, *"--size 100 --place gpu --experiment layers".split()], "",
                         env={**os.environ, "EMULATED_MEMORY": str(2 * 3 * 40000)})


def occupancy(workshop):
    """--occupancy prints how many blocks and warps fit on a multiprocessor: for examples of a textbook, and, if there
    is a device, for each kernel."""
    text = workshop.check_prints("--occupancy")
    a100 = text.split("\n\n")[0]
    found = re.findall(r"^(\d+ threads.*?) +\d+ +(\d+) +(\d+) +(\S+) % (.*)$", a100, re.M)
    workshop.check(found == [
        ("1024 threads", "2", "64", "100.0", "none (full)"), ("512 threads", "4", "64", "100.0", "none (full)"),
        ("64 threads", "32", "64", "100.0", "none (full)"), ("32 threads", "32", "32", "50.0", "blocks"),
        ("700 threads", "2", "44", "68.4", "threads"),
        ("256 threads, 64 registers each", "4", "32", "50.0", "registers"),
        ("256 threads, 40 KiB shared", "4", "32", "50.0", "shared memory")], f"{found}")
    lessons = re.findall(r"^    (\S.*)$", a100, re.M)
    workshop.check(len(set(lessons)) >= len(found), f"{lessons}")
    if workshop.run("--place", "gpu", "--occupancy").status == 0:
        kernels = re.findall(r"^(\S+?)/.+? +\d+ +\d+ +\d+ +\S+ % ", text, re.M)
        listed = {group for group, _, place in rows_listed(workshop) if place == "GPU"}
        workshop.check(listed == set(kernels), f"kernels: {kernels}")
    else:
        workshop.check("\n\n" not in text, f"without a device: {text[len(a100):]}")


def refused(workshop):
    workshop.take("rgb.ppm")
    program.check_refusals(workshop, Path(__file__).with_name("refused_memory.txt"))


def wrong_rows(workshop):
    """A kernel with a wrong result is reported and not timed, kernels with right results are timed, and the exit status
    is 7."""
    found = document(workshop, "--size", "13x7", status=7)
    outcomes = {row["row"]: row["outcome"] for group in found["groups"] for row in group["rows"]}
    workshop.check(outcomes == {
        "right": "timed", "short": "different", "failing": "failed", "unwilling": "left out",
        "near": "timed", "far": "different", "not a number": "different"}, f"{outcomes}")
    rows = {row["row"]: row for group in found["groups"] for row in group["rows"]}
    workshop.check("median_s" not in rows["short"], "a wrong row was timed")
    workshop.check("number 90" in rows["short"]["why"], rows["short"]["why"])
    workshop.check(0.5 < rows["near"]["share_of_bound"] < 1, f"{rows['near']}")
    ended = workshop.run(*QUICK, "--size", "13x7")
    workshop.check(ended.status == 7 and ended.out.count(b"WRONG, not timed") == 3, f"{ended}")
    for name in ("exact short", "bound far", "bound not a number", "exact failing"):
        workshop.check(f"smoothimg-bench: {name}: " in ended.err, f"{name}: {ended.err}")
    words = ("--size", "3", "--experiment", "exact/failing")
    workshop.check(workshop.run(*QUICK, *words).status == 6, "a failure ends with another status")


if __name__ == "__main__":
    program.Workshop.name = "smoothimg-bench"
    program.main(__doc__, {
        "options": [refused],
        "rows": [every_row, choices, tables, absent],
        "occupancy": [occupancy],
        "wrong": [wrong_rows],
        "emulated": [every_row, choices, tables, meaningless, without_memory, occupancy],
    })
