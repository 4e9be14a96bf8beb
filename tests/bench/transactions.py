# SPDX-License-Identifier: MIT
"""Tests smoothimg-bench --sectors and --transactions, which count memory accesses of kernels. smoothimg-tracer, a
separate program, does the counting. Covers known counts, every kernel at sizes that are no multiple of a block,
sentences about counts, JSON, and the message if there is no tracer. A row has the counts of one kernel; a group has
kernels that do the same in different ways.

usage: transactions.py PROGRAM IMAGES GROUP"""
import fnmatch
import json
import os
import re
import shlex
import shutil
import stat
from pathlib import Path
from types import SimpleNamespace

import program

COUNT = ("--suite", "memory", "--transactions")
SECTORS = ("--sectors",)  # implies --suite memory
FIELDS = {"accesses", "transactions", "sectors", "bytes", "transactions_per_access",
          "sectors_per_access", "efficiency"}
COUNTS = Path(__file__).with_name("counts.txt")
GROUPS = {"image-smooth", "image-transpose", "image-reverse", "strided-add", "saxpb", "matrix-add",
          "sums", "swap", "reverse-float", "transpose-float", "gemv", "gemm", "smoothing",
          "layers"}


def document(workshop, *words, rules=COUNT):
    return json.loads(workshop.check_works(*rules, "--json", *words))


def rows_of(found):
    return {(row["group"], row["row"]): row for row in found["rows"]}


def known(workshop):
    """Checks the counts of counts.txt, which begins with a description of its format."""
    rows = {}
    for line in COUNTS.read_text().splitlines():
        if line.startswith("-"):
            rows = rows_of(document(workshop, *shlex.split(line), rules=("--suite", "memory")))
            for row in rows.values():
                for counts in (row[key] for key in ("shared_loads", "shared_stores") if key in row):
                    workshop.check((counts["extra_passes"] > 0) == (counts["worst_degree"] > 1), f"{row}")
        elif line and not line.startswith("#"):
            kernels, claim = line.split(": ", 1)
            found = [row for name, row in rows.items() if fnmatch.fnmatchcase("/".join(name), kernels)]
            workshop.check(found, f"{kernels}: there is no such row")
            for row in found:
                names = {key: SimpleNamespace(**value) if isinstance(value, dict) else value for key, value in row.items()}
                workshop.check(eval(claim, {}, names), f"{line}: {row}")


def check_traffic(workshop, name, traffic):
    workshop.check(traffic.keys() == FIELDS, f"{name}: {traffic.keys()}")
    accesses = traffic["accesses"]
    if accesses == 0:
        workshop.check(not any(traffic.values()), f"{name}: {traffic}")
        return
    workshop.check(traffic["transactions"] >= accesses, f"{name}: {traffic}")
    workshop.check(traffic["transactions_per_access"] == traffic["transactions"] / accesses, f"{name}: {traffic}")
    workshop.check(traffic["sectors_per_access"] == traffic["sectors"] / accesses, f"{name}: {traffic}")
    workshop.check(traffic["efficiency"] == traffic["bytes"] / (32 * traffic["sectors"]), f"{name}: {traffic}")


def ragged(workshop):
    """The program counts the accesses of every kernel. The counts must show that a transpose or reversal of an image
    writes each sample once."""
    for width, height in ((1, 1), (33, 7), (100, 37)):
        found = document(workshop, "--size", f"{width}x{height}", "--block", "12")
        workshop.check((found["width"], found["height"], found["halo"], found["block"]) ==
                       (width, height, 4, 12), f"{found}")
        for (group, row), counts in rows_of(found).items():
            name = f"{group} {row}, {width}x{height}"
            if (group, row) == ("peaks", "memcpy"):  # CUDA's runtime copies without a kernel
                workshop.check(counts["outcome"] == "left out", f"{name}: {counts}")
                continue
            workshop.check(counts["outcome"] == "counted", f"{name}: {counts}")
            check_traffic(workshop, name, counts["loads"])
            check_traffic(workshop, name, counts["stores"])
            workshop.check(counts["loads"]["accesses"] and counts["stores"]["accesses"], f"{name}: {counts}")
            if group in ("image-transpose", "image-reverse"):
                workshop.check(counts["stores"]["bytes"] == width * height, f"{name}: {counts}")


def shown(ratio, digits):
    """Formats a ratio. A whole number has no decimal point."""
    return f"{ratio:.{0 if ratio == int(ratio) else digits}f}"


def cells_of(row, unit, digits):
    """Returns the cells that follow the kernel's name in its line of the table of sectors or of transactions."""
    loads, stores = row["loads"], row["stores"]
    shared = [row["shared_loads"], row["shared_stores"]]
    accesses = sum(each["accesses"] for each in shared)
    passes = accesses + sum(each["extra_passes"] for each in shared)
    return [str(loads[unit] + stores[unit]), "x", shown(row["moved"], 2),
            *(shown(each[f"{unit}_per_access"], digits) if each["accesses"] else "-" for each in (loads, stores)),
            *([f"{max(each['worst_degree'] for each in shared)}-way", shown(passes / accesses, 2)]
              if accesses else ["-", "-"])]


def check_table(workshop, rules, unit, digits):
    """Checks that the printed table has the figures and sentences of the JSON document. Returns the document's rows."""
    rows = rows_of(document(workshop, "--size", "33", rules=rules))
    text = workshop.check_prints(*rules, "--size", "33")
    for (group, row), counts in rows.items():
        found = re.search(rf"^{group}: (?:.+\n(?!\n))*?  {re.escape(row)} +(\d+ .*)\n((?:    .*\n)*)", text, re.M)
        if counts["outcome"] != "counted":
            continue
        wanted = cells_of(counts, unit, digits)
        workshop.check(found and found[1].split() == wanted, f"{group} {row}: {found} {wanted}")
        workshop.check(found and " ".join(found[2].split()).startswith(counts["shows"]), f"{group} {row}: {found}")
    return rows


def sectors(workshop):
    check_table(workshop, SECTORS, "sectors", 2)


def ladder(workshop):
    """`fused` moves fewer bytes for each sample than `tiled` and `shared`. The size is 256 x 256 without --size."""
    words = [word for name in ("tiled", "shared", "fused") for word in ("--experiment", f"image-smooth/{name}")]
    rows = rows_of(document(workshop, *words, rules=SECTORS))
    tiled, shared, last = (rows["image-smooth", name] for name in ("tiled", "shared", "fused"))
    workshop.check(tiled["width"] == shared["width"] == last["width"] == last["height"] == 256, f"{rows}")
    workshop.check(last["moved"] < shared["moved"] <= tiled["moved"], f"{rows}")


def sentences(workshop):
    """The text `shows` of a row says what the kernel shows, such as "4 sectors a load". Its numbers of sectors and of
    bank conflicts must agree with the row's counts."""
    seen = 0
    for (group, name), row in rows_of(document(workshop, "--size", "96", rules=SECTORS)).items():
        what, about = row["shows"], f"{group} {name}: {row}"
        said = [(row[kind + "s"]["sectors_per_access"], float(number)) for kind in ("load", "store")
                for number in re.findall(rf"([\d.]+) sectors? a {kind}", what)]
        said += [(max(row["shared_loads"]["worst_degree"], row["shared_stores"]["worst_degree"]), int(number))
                 for number in re.findall(r"(\d+)-way", what)]
        seen += len(said)
        for counted, number in said:
            workshop.check(abs(counted - number) < 0.02 * number, f"{number}, and {counted}: {about}")
    workshop.check(seen > 30, f"{seen} sentences only")


def every_row(workshop):
    """The program counts the accesses of all GPU variants that --list prints, except api-gpu. The table that it prints
    agrees with its JSON document."""
    listed = [line.split() for line in workshop.check_works("--list").decode().splitlines()]
    wanted = {("image-" + words[0], words[1]) for words in listed
              if words[2:3] == ["GPU"] and words[1] != "api-gpu"}
    rows = check_table(workshop, COUNT, "transactions", 4)
    workshop.check(wanted and wanted <= rows.keys(), f"missing: {wanted - rows.keys()}")
    groups = {group for group, _ in rows}
    workshop.check(GROUPS <= groups, f"missing: {GROUPS - groups}")


def broken_device(workshop):
    """If the device fails, the program reports the rows as failed and exits with 6. If standard output cannot be
    written, it exits with 5."""
    breaks = {**os.environ, "EMULATED_FAILING_DEVICE": "0", "EMULATED_FAILS_AFTER": "4"}
    ended = workshop.run(*COUNT, "--json", "--size", "16", "--experiment", "saxpb", "--experiment",
                         "image-reverse/naive", env=breaks)
    rows = json.loads(ended.out)["rows"]
    workshop.check(ended.status == 6 and "smoothimg-bench: image-reverse naive: " in ended.err, f"{ended}")
    with open("/dev/full", "wb") as full:
        ended = workshop.run(*COUNT, "--size", "3", "--experiment", "saxpb", stdout=full)
    workshop.check(ended.status == 5 and "standard output: cannot be written" in ended.err, f"{ended}")
    workshop.check(len(rows) == 6 and all(row["outcome"] == "failed" and row["why"] for row in rows), f"{rows}")


def wrong_name(workshop):
    workshop.check_ends("--sectors --size 8 --experiment saxpb/nothing", 2,
                        "--experiment saxpb/nothing: unknown row; --experiment saxpb counts all of its group, "
                        "with their names")


def wrong_group(workshop):
    """In every build the program refuses an unknown group by itself, without the tracer. The message lists the groups
    that --list prints. --list marks no group as missing in this build."""
    table = workshop.check_works("--list", "--suite", "memory").decode()
    listed = {line.split()[0] for line in table.splitlines()[1:] if line[:1].strip()}
    workshop.check("not in this build" not in table, table)
    for name, hint in (("image-smoot", "; did you mean 'image-smooth'?"), ("image-smoot/fused", "; did you mean 'image-smooth'?"),
                       ("strided/unit", ""), ("nothing", ""), ("", "")):
        ended = workshop.run("--sectors", "--experiment", name)
        found = re.match(f"smoothimg-bench: --experiment {name}: unknown group or GROUP/ROW; groups: (.*?){re.escape(hint)}\n"
                         "Try", ended.err)
        workshop.check(ended.status == 2 and found and not ended.out, f"{name}: {ended}")
        groups = set(re.split(", | and ", found[1])) if found else set()
        workshop.check(GROUPS <= groups, f"{name}: {GROUPS - groups} are not named")
        workshop.check(listed == groups, f"{name}: {listed ^ groups} are in one of the lists only")


def alone(workshop):
    """Copies the program into a folder without a tracer. Returns the copy's path."""
    (workshop.folder / "bin").mkdir()
    return shutil.copy(workshop.program, workshop.folder / "bin")


def write_tracer(folder, text):
    tracer = folder / "smoothimg-tracer"
    tracer.write_text(f"#!/bin/sh\n{text}\n")
    tracer.chmod(tracer.stat().st_mode | stat.S_IXUSR)


def without_tracer(workshop):
    """Tests a tracer that is missing, broken, or installed elsewhere."""
    whole, workshop.program = workshop.program, alone(workshop)
    line = " ".join(COUNT)
    said = workshop.check_ends(line, 4, re.compile(
        "there is no smoothimg-tracer, neither beside this program nor in .* from "
        r"there; in the project's folder gcc and g\+\+ build it: ./setup.sh && ninja -C build smoothimg-tracer"))
    write_tracer(workshop.folder / "bin", 'echo "$*"; exit 6')
    ended = workshop.run(*COUNT, "--size", "5x6", "--halo", "7", "--block", "8", "--json", "--experiment", "saxpb/unit")
    workshop.check((ended.status, ended.out) == (6, b"5 6 7 8 transactions json saxpb/unit\n"), f"{ended}")
    (workshop.folder / "bin/smoothimg-tracer").unlink()
    installed = workshop.folder / "bin" / re.search(r"nor in (\S+) from", said)[1]
    if whole.with_name("smoothimg-tracer").exists() and str(installed).startswith(str(workshop.folder)):
        installed.resolve().mkdir(parents=True)
        shutil.copy(whole.with_name("smoothimg-tracer"), installed)
        workshop.check_works(*COUNT, "--size", "3")
    workshop.program = whole


if __name__ == "__main__":
    program.Workshop.name = "smoothimg-bench"
    program.main(__doc__, {
        "known": [known],
        "sectors": [sectors, ladder, sentences],
        "rows": [ragged, every_row, broken_device, wrong_name],
        "faults": [wrong_group, without_tracer],
    })
