# SPDX-License-Identifier: MIT
"""smoothimg-bench --suite memory --transactions: the figures that must come out, every row at sizes
that fit no block, the documents, and what is said where there is nothing that counts.

usage: transactions.py PROGRAM IMAGES GROUP
"""
import json
import re
import shutil
import stat

import program

COUNT = ("--suite", "memory", "--transactions")
FIELDS = {"accesses", "transactions", "sectors", "bytes", "transactions_per_access",
          "sectors_per_access", "efficiency"}
# Of the GPU variants' group and name: loads, their transactions, stores, theirs. A course's profiler
# printed them for smooth on 1280 x 1280 samples with halo 4 and blocks of 12 x 12 threads.
COURSE = {
    "coalesced": ((4619511, 58968536, "12.7651"), (57031, 201067, "3.5256")),
    "naive": ((4619511, 223349760, "48.3492"), (57031, 699520, "12.2656")),
}


def document(workshop, *words):
    return json.loads(workshop.check_works(*COUNT, "--json", *words))


def rows_of(found):
    return {(row["group"], row["row"]): row for row in found["rows"]}


def course(workshop):
    """In the table, since a person will look there."""
    text = workshop.check_works(*COUNT, "--size", "1280", "--halo", "4", "--block", "12",
                                *("--experiment", "image-smooth")).decode()
    for name, (loads, stores) in COURSE.items():
        lines = [re.escape(name), "load"] + [str(number) for number in loads]
        pattern = r"\s+".join(lines) + r".*\n\s+" + r"\s+".join(["store"] + [str(n) for n in stores])
        workshop.check(re.search(pattern, text), f"{name}: not {loads}, {stores} in\n{text}")


def banks(workshop):
    """The tile of a transpose: lanes down a column meet in one bank, unless its rows are padded."""
    rows = rows_of(document(workshop, "--size", "96", "--block", "32"))
    for name, degree in {"coalesced": 8, "shared": 1, "vector": 1}.items():
        loads = rows["image-transpose", name]["shared_loads"]
        workshop.check(loads["worst_degree"] == degree, f"transpose {name}: {loads}")
        workshop.check((loads["extra_passes"] > 0) == (degree > 1), f"transpose {name}: {loads}")


def check_traffic(workshop, name, traffic):
    workshop.check(traffic.keys() == FIELDS, f"{name}: {traffic.keys()}")
    accesses = traffic["accesses"]
    if accesses == 0:
        workshop.check(not any(traffic.values()), f"{name}: {traffic}")
        return
    workshop.check(traffic["transactions"] >= accesses, f"{name}: {traffic}")
    workshop.check(traffic["transactions_per_access"] == traffic["transactions"] / accesses,
                   f"{name}: {traffic}")
    workshop.check(traffic["sectors_per_access"] == traffic["sectors"] / accesses,
                   f"{name}: {traffic}")
    workshop.check(traffic["efficiency"] == traffic["bytes"] / (32 * traffic["sectors"]),
                   f"{name}: {traffic}")


def ragged(workshop):
    """Every row is counted, and every sample of an image is written once."""
    for width, height in ((1, 1), (33, 7), (100, 37)):
        found = document(workshop, "--size", f"{width}x{height}", "--block", "12")
        workshop.check((found["width"], found["height"], found["halo"], found["block"]) ==
                       (width, height, 4, 12), f"{found}")
        for (group, row), counts in rows_of(found).items():
            name = f"{group} {row}, {width}x{height}"
            workshop.check(counts["outcome"] == "counted", f"{name}: {counts}")
            check_traffic(workshop, name, counts["loads"])
            check_traffic(workshop, name, counts["stores"])
            workshop.check(counts["loads"]["accesses"] and counts["stores"]["accesses"], f"{name}: {counts}")
            if group in ("image-transpose", "image-reverse"):
                workshop.check(counts["stores"]["bytes"] == width * height, f"{name}: {counts}")


def every_row(workshop):
    """All that the program lists, and its table is as the document."""
    listed = workshop.check_works("--list").decode().splitlines()
    wanted = {("image-" + line.split()[0], line.split()[1]) for line in listed if line.split()[2:3] == ["GPU"]}
    rows = rows_of(document(workshop, "--size", "33"))
    workshop.check(wanted and wanted <= rows.keys(), f"missing: {wanted - rows.keys()}")
    text = workshop.check_works(*COUNT, "--size", "33").decode()
    for line in text.splitlines():
        workshop.check(len(line) <= 80, f"wider than 80 columns: {line}")
    for kind in ("load", "store"):
        printed = re.findall(rf"\b{kind} +(\d+) +(\d+) +(\d+\.\d{{4}})", text)
        counts = [row[kind + "s"] for row in rows.values() if row[kind + "s"]["accesses"]]
        right = [(str(each["accesses"]), str(each["transactions"]),
                  f"{each['transactions_per_access']:.4f}") for each in counts]
        workshop.check(printed == right, f"{kind}: {printed}\nnot {right}")


def refused(workshop):
    """A block that no GPU takes leaves rows out; the others go on."""
    rows = rows_of(document(workshop, "--size", "33", "--block", "33"))
    row = rows["image-smooth", "naive"]
    workshop.check(row["outcome"] == "left out" and "--block 32" in row["why"], f"{row}")
    workshop.check(rows["image-smooth", "shared"]["outcome"] == "counted", f"{rows}")


def wrong_options(workshop):
    workshop.check_ends("--transactions", 2, "--transactions is for --suite memory, and this is --suite "
                        "variants; leave one of them out")
    workshop.check_ends("--suite memory --transactions --size 5,6", 2,
                        "--transactions takes one --size; use a run for each")
    workshop.check_ends("--suite memory --transactions --experiment image-smoot", 2,
                        "--experiment image-smoot: there is no such group of kernels; without this "
                        "option all are counted, with their names")


def alone(workshop):
    """A copy of the program, in a folder of its own."""
    (workshop.folder / "bin").mkdir()
    return shutil.copy(workshop.program, workshop.folder / "bin")


def write_tracer(folder, text):
    tracer = folder / "smoothimg-tracer"
    tracer.write_text(f"#!/bin/sh\n{text}\n")
    tracer.chmod(tracer.stat().st_mode | stat.S_IXUSR)


def without_tracer(workshop):
    """Where it is missing, broken, or somewhere else."""
    whole, workshop.program = workshop.program, alone(workshop)
    line = " ".join(COUNT)
    ended = workshop.check_ends(line, 4, re.compile(
        "--transactions: there is no smoothimg-tracer, neither beside this program nor in .* from "
        "there; it is built where the compilers are gcc and g.*-Dtracing=enabled"))
    write_tracer(workshop.folder / "bin", "exit 1")
    workshop.check_ends(line, 6, "--transactions: smoothimg-tracer failed, after 0 rows")
    write_tracer(workshop.folder / "bin", "kill -KILL $$")
    workshop.check_ends(line, 6, "--transactions: smoothimg-tracer died of signal 9, after 0 rows")
    (workshop.folder / "bin/smoothimg-tracer").unlink()
    installed = workshop.folder / "bin" / re.search(r"nor in (\S+) from", ended.err)[1]
    if whole.with_name("smoothimg-tracer").exists() and str(installed).startswith(str(workshop.folder)):
        installed.resolve().mkdir(parents=True)
        shutil.copy(whole.with_name("smoothimg-tracer"), installed)
        workshop.check_works(*COUNT, "--size", "3")
    workshop.program = whole


if __name__ == "__main__":
    program.Workshop.name = "smoothimg-bench"
    program.main(__doc__, {
        "course": [course],
        "rows": [banks, ragged, every_row, refused],
        "faults": [wrong_options, without_tracer],
    })
