# SPDX-License-Identifier: MIT
"""Tests smoothimg-bench --sectors and --transactions, which count memory accesses of kernels. smoothimg-tracer, a
separate program, does the counting. Covers known counts, every kernel at sizes that are no multiple of a block,
sentences about counts, JSON, and the message if there is no tracer. A row has the counts of one kernel.

usage: transactions.py PROGRAM IMAGES GROUP
"""
import json
import os
import re
import shutil
import stat

import program

COUNT = ("--suite", "memory", "--transactions")
SECTORS = ("--sectors",)  # implies --suite memory
FIELDS = {"accesses", "transactions", "sectors", "bytes", "transactions_per_access",
          "sectors_per_access", "efficiency"}
# For each GPU variant: loads, their transactions and transactions per load, then the same three figures for stores.
# They are from a profiler's output in a CUDA course, for 1280 x 1280 samples, halo 4 and blocks of 12 x 12 threads.
COURSE = {
    "coalesced": ((4619511, 58968536, "12.7651"), (57031, 201067, "3.5256")),
    "naive": ((4619511, 223349760, "48.3492"), (57031, 699520, "12.2656")),
}
# For (group, kernel): the degree of the worst bank conflict, with blocks of 32 x 32 threads. A load from shared memory
# with an n-way conflict takes n passes.
BANKS = {
    ("image-transpose", "coalesced"): 8, ("image-transpose", "shared"): 1,
    ("image-transpose", "vector"): 1, ("transpose-float", "tile"): 32,
    ("transpose-float", "padded tile"): 1, ("gemm", "tiled, down the rows"): 32,
    ("gemm", "tiled, conflicts"): 32, ("gemm", "tiled, padded"): 1, ("gemm", "tiled"): 1,
}
GROUPS = {"image-smooth", "image-transpose", "image-reverse", "strided-add", "saxpb", "matrix-add",
          "sums", "swap", "reverse-float", "transpose-float", "gemv", "gemm", "smoothing",
          "layers"}


def document(workshop, *words, rules=COUNT):
    return json.loads(workshop.check_works(*rules, "--json", *words))


def rows_of(found):
    return {(row["group"], row["row"]): row for row in found["rows"]}


def in_course(workshop, group, name, loads, stores):
    """Checks that JSON and table have COURSE's counts for a kernel."""
    words = ("--size", "1280", "--halo", "4", "--block", "12", "--experiment", f"{group}/{name}")
    row = rows_of(document(workshop, *words))[group, name]
    for kind, (accesses, transactions, ratio) in (("loads", loads), ("stores", stores)):
        found = (row[kind]["accesses"], row[kind]["transactions"], f"{row[kind]['transactions_per_access']:.4f}")
        workshop.check(found == (accesses, transactions, ratio), f"{group} {name}: {found}")
    text = workshop.check_works(*COUNT, *words).decode()
    workshop.check(re.search(rf"  {re.escape(name)} .* {loads[2]} +{stores[2]} ", text), text)


def course(workshop):
    """Compares with COURSE the counts of variants of smoothimg, and of experiments that compute weights by exp(), as
    the course's kernels do."""
    for name, counts in COURSE.items():
        in_course(workshop, "image-smooth", name, *counts)
        in_course(workshop, "smoothing", "exp, " + ("un" if name == "naive" else "") + "coalesced", *counts)


def banks(workshop):
    """If a warp reads a column of a tile in shared memory, all its threads use the same bank, unless the tile's rows
    are padded. That takes 32 passes with floats, and 8 with bytes, since a word holds four bytes."""
    rows = rows_of(document(workshop, "--size", "96", "--block", "32"))
    for row, degree in BANKS.items():
        for shared in ("shared_loads", "shared_stores"):
            counts = rows[row][shared]
            wanted = degree if shared == "shared_loads" else min(degree, counts["worst_degree"])
            workshop.check(counts["worst_degree"] == wanted, f"{row}: {shared} {counts}")
            workshop.check((counts["extra_passes"] > 0) == (wanted > 1), f"{row}: {shared} {counts}")
    tile = rows["transpose-float", "tile"]["shared_loads"]
    workshop.check(tile["extra_passes"] == 31 * tile["accesses"], f"{tile}")


def efficiency(workshop):
    """If a warp reads every third float, beginning 4 floats after a sector's start, it touches 13 sectors; 32 adjacent
    floats take 4. The ratio is exact because only whole warps run: the number of elements is a multiple of 96."""
    row = rows_of(document(workshop, "--size", "96"))["saxpb", "stride 3, 4 floats off"]
    for counts in (row["loads"], row["stores"]):
        workshop.check(counts["efficiency"] == 4 / 13 and counts["sectors_per_access"] == 13, f"{row}")
    unit = rows_of(document(workshop, "--size", "96"))["saxpb", "unit"]
    workshop.check(unit["loads"]["efficiency"] == unit["stores"]["efficiency"] == 1, f"{unit}")


def intensity(workshop):
    """A matrix product does 2 flops for each 8 bytes that it loads. Tiles of edge x edge elements multiply this ratio
    by `edge`."""
    for edge in (16, 32):
        rows = rows_of(document(workshop, "--size", "96", "--block", str(edge)))
        for (group, name), row in rows.items():
            wanted = 0.25 * edge if name.startswith("tiled") else 0.25
            if group == "gemm":
                workshop.check(row["flops_per_byte_loaded"] == wanted, f"{name}: {row}")


def layers(workshop):
    """The kernels compute four layers of 96 x 96, each from the one before, in 9 tiles of 32 x 32 outputs. A launch
    that computes n layers also loads a border of n samples around each tile. A warp loads a row of a tile in two
    accesses, and stores a row in one."""
    rows = rows_of(document(workshop, "--size", "96", "--block", "32", "--experiment", "layers"))
    for name, at_once in (("a launch a layer", 1), ("two layers a launch", 2), ("layers in shared memory", 4)):
        row, launches = rows["layers", name], 4 // at_once
        found = (row["loads"]["accesses"], row["stores"]["accesses"], row["stores"]["transactions"])
        wanted = (launches * 9 * 2 * (32 + 2 * at_once), launches * 9 * 32, launches * 9 * 32 * 4)
        workshop.check(found == wanted, f"{name}: {found}, not {wanted}")


def shrunk(workshop):
    """Counting matrix products at the given size would take hours, so the program reduces their size. Kernels with less
    work keep the given size."""
    rows = document(workshop, "--size", "1100", "--experiment", "gemm/tiled",
                    "--experiment", "transpose-float/tile")["rows"]
    found = [(row["group"], row["row"], row["width"], row["height"]) for row in rows]
    workshop.check(found == [("transpose-float", "tile", 1100, 1100), ("gemm", "tiled", 275, 275)],
                   f"{found}")


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
    """The program counts every kernel. A variant for images writes each sample of the result once."""
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
    """Returns the cells after the row's name in the table of sectors or of transactions."""
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


def moved(workshop):
    """`moved` is the bytes of all sectors, divided by the bytes that the kernel must load and store. At worst each
    access moves a whole sector of 32 bytes: the ratio is 8 for floats, and 32 for bytes of an image."""
    rows = rows_of(document(workshop, "--size", "96", rules=SECTORS))
    for group, name, wanted in (
            ("strided-add", "unit", 1), ("strided-add", "stride 2", (8 + 8 + 4) / 12),
            ("strided-add", "stride 8", (32 + 32 + 4) / 12), ("saxpb", "stride 3, 4 floats off", 13 / 4),
            ("matrix-add", "[x][y]", 8), ("transpose-float", "global", (4 + 32) / 8),
            ("transpose-float", "tile", 1), ("swap", "blocks of 4", 2), ("image-reverse", "naive", 32),
            ("image-transpose", "shared", 1)):
        workshop.check(rows[group, name]["moved"] == wanted, f"{group} {name}: {rows[group, name]}")
    row = rows["image-smooth", "fused"]
    workshop.check(row["needed_bytes"] == 104 * 104 + 96 * 96, f"{row}")
    workshop.check(rows["image-smooth", "shared"]["stores"]["sectors_per_access"] == 3, "rows are not aligned")


def fused(workshop):
    """For a large image the variant `fused` moves little more than the bytes of the image and the result. Less would
    show that asynchronous copies, or those of the TMA (tensor memory accelerator), are not counted. At halo 1 its
    engine `window` computes images of at least 10 million bytes. For smaller images it is faster to read rows twice
    from the cache."""
    for size, halo, least, most in (("3200", 1, 1, 1.1), ("1024", 4, 1.6, 1.9)):
        row = rows_of(document(workshop, "--size", size, "--halo", str(halo), "--experiment",
                               "image-smooth/fused", rules=SECTORS))["image-smooth", "fused"]
        workshop.check(row["outcome"] == "counted" and least <= row["moved"] < most, f"{row}")


def ladder(workshop):
    """Without --size, the program counts `fused` at a size for which it uses its engine for large images, and the table
    names this size. At that size `fused` moves fewer bytes for each sample than `tiled` and `shared`."""
    words = [word for name in ("tiled", "shared", "fused") for word in ("--experiment", f"image-smooth/{name}")]
    rows = rows_of(document(workshop, *words, rules=SECTORS))
    tiled, shared, last = (rows["image-smooth", name] for name in ("tiled", "shared", "fused"))
    workshop.check(tiled["width"] == shared["width"] == 256 and last["width"] == last["height"] == 768, f"{rows}")
    workshop.check(last["moved"] < shared["moved"] <= tiled["moved"], f"{rows}")
    text = workshop.check_prints(*SECTORS, *words)
    workshop.check("image-smooth: 768 x 768, halo 4 (larger: it has other engines for small images)\n" in text, text)


def sentences(workshop):
    """Each sentence about sectors or banks must agree with the row's counts."""
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
    """The program counts all GPU rows that it lists except api-gpu, and its table agrees with the document."""
    listed = [line.split() for line in workshop.check_works("--list").decode().splitlines()]
    wanted = {("image-" + words[0], words[1]) for words in listed
              if words[2:3] == ["GPU"] and words[1] != "api-gpu"}
    rows = check_table(workshop, COUNT, "transactions", 4)
    workshop.check(wanted and wanted <= rows.keys(), f"missing: {wanted - rows.keys()}")
    groups = {group for group, _ in rows}
    workshop.check(GROUPS <= groups, f"missing: {GROUPS - groups}")


def refused(workshop):
    """With blocks of 33 x 33 threads, which no GPU accepts, some rows are left out, and the others are counted."""
    rows = rows_of(document(workshop, "--size", "33", "--block", "33"))
    row = rows["image-smooth", "naive"]
    workshop.check(row["outcome"] == "left out" and "1024 threads" in row["why"], f"{row}")
    workshop.check(rows["image-smooth", "shared"]["outcome"] == "counted", f"{rows}")


def broken_device(workshop):
    """If the device fails, the program reports the rows as failed and exits with 6."""
    breaks = {**os.environ, "EMULATED_FAILING_DEVICE": "0", "EMULATED_FAILS_AFTER": "4"}
    ended = workshop.run(*COUNT, "--json", "--size", "16", "--experiment", "saxpb", "--experiment",
                         "image-reverse/naive", env=breaks)
    rows = json.loads(ended.out)["rows"]
    workshop.check(ended.status == 6 and "smoothimg-bench: image-reverse naive: " in ended.err, f"{ended}")
    with open("/dev/full", "wb") as full:
        ended = workshop.run(*COUNT, "--size", "3", "--experiment", "saxpb", stdout=full)
    workshop.check(ended.status == 5 and "standard output: cannot be written" in ended.err, f"{ended}")
    workshop.check(len(rows) == 6 and all(row["outcome"] == "failed" and row["why"] for row in rows),
                   f"{rows}")


def wrong_name(workshop):
    workshop.check_ends("--sectors --size 8 --experiment saxpb/nothing", 2,
                        "--experiment saxpb/nothing: unknown row; --experiment saxpb counts all of its group, "
                        "with their names")


def wrong_group(workshop):
    """In every build the program refuses an unknown group by itself, without the tracer. The message has the groups of
    --list, which marks none as missing in this build."""
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
    workshop.check((ended.status, ended.out) == (6, b"5 6 0 7 8 transactions json saxpb/unit\n"), f"{ended}")
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
        "course": [course],
        "figures": [banks, efficiency, intensity, layers],
        "sectors": [sectors, moved, fused, ladder, sentences],
        "rows": [ragged, every_row, refused, shrunk, broken_device, wrong_name],
        "faults": [wrong_group, without_tracer],
    })
