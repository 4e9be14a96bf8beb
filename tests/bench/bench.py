# SPDX-License-Identifier: MIT
"""Tests smoothimg-bench: its output, what it refuses, and that it times no variant with a wrong result. No test checks
how fast anything is. In tables and JSON, a row is the measurement of one variant, and a group has the rows of one
operation on one image, with one halo and one number of threads.

usage: bench.py PROGRAM IMAGES GROUP [--update]    --update, with the group options: writes messages into refused.txt"""
import errno
import json
import os
import re
import struct
from pathlib import Path

import program
from odd_numbers import odd_texts

QUICK = ("--min-time", "0.001", "--repeat", "2")
ALL_BITS = 2 ** 64 - 1


def wrong_options(workshop):
    program.check_refusals(workshop, Path(__file__).with_name("refused.txt"))


# A valid number for each option that takes a number or a list of numbers.
ODD = {"size": 8, "channels": 2, "halo": 2, "jobs": 2, "block": 8, "device": 0,
       "repeat": 2, "min-time": 2, "max-time": 2}
LISTS = {"halo", "jobs"}
TIMES = {"min-time", "max-time"}
DECIMAL = re.compile(r"[+]?[0-9]+[.]?(e[0-9]{1,2})?")


def is_time(text):
    """Returns whether the text is a valid number of seconds: decimal, and above 0."""
    return DECIMAL.fullmatch(text) and float(text) > 0


def odd_numbers(workshop):
    """A text that is no number, or a number too large for a machine word, is refused, and the message names the
    option."""
    told = workshop.check_works("--help").decode()
    taking = set(re.findall(r"--([a-z-]+) (?:N|S|LIST)(?: |$)", told, re.M))
    workshop.check(taking == set(ODD), f"options that take numbers: {sorted(taking)}")
    for option, good in ODD.items():
        forms = ("*", "*x8", "8x*", "8,*") if option == "size" else ("*", "1,*") if option in LISTS else ("*",)
        for text in odd_texts(good):
            if (text == f"+{good}" and option != "size") or (option in TIMES and is_time(text)):
                continue
            for form in forms:
                workshop.check_ends([f"--{option}={form.replace('*', text)}", "--list"], 2,
                                    re.compile(f"--{option} .*"))


def no_gpu(workshop):
    """Without a GPU, --place gpu and GPU variants are errors."""
    if workshop.run("--place", "gpu", "--size", "8", *QUICK).status != 6:
        raise program.Skip("there is a GPU")
    why = re.compile("(--variant naive|--place gpu): (this smoothimg was built without CUDA; |"
                     "there is no usable GPU: ).*")
    for words in ("--variant naive", "--place gpu", "--op reverse --variant cpu --variant naive"):
        workshop.check_ends(words, 6, why)


def texts(workshop):
    memory = workshop.check_works("--suite", "memory", "--list")
    workshop.check(workshop.check_works("--list", "--suite", "memory") == memory and
                   memory != workshop.check_works("--list"), "--list before the suite")
    workshop.check(workshop.check_prints("--help"), "--help: nothing")
    for words in ("--list", "--version"):
        workshop.check(workshop.check_works(words), f"{words}: nothing")
    with open("/dev/full", "wb") as full:
        ended = workshop.run("--help", stdout=full)
    workshop.check(ended.status == 5, f"a full disk: {ended}")


def rows_listed(workshop):
    """Returns the set of (operation, variant, CPU or GPU) that --list prints, without variants that this build
    lacks."""
    heading, *lines = workshop.check_works("--list").decode().splitlines()
    ragged = [line for line in lines if len(line) > 80 or line[heading.index("how") - 1:][:1] != " " or
              line[heading.index("how")] == " "]
    workshop.check(not ragged, f"--list: columns: {ragged}")
    return {tuple(line.split()[:3]) for line in lines if "(not in this build)" not in line}


def document(workshop, *words, status=0, **more):
    """Runs the program with --json. Returns the document that it prints."""
    ended = workshop.run(*words, *QUICK, "--json", **more)
    workshop.check(ended.status == status, f"{words}: exit status {ended.status}, {ended.err!r}")
    return json.loads(ended.out)


def check_row(workshop, row, group):
    if row["outcome"] == "checked":
        workshop.check(row["place"] == "gpu" and "median_s" not in row, f"a time: {row}")
        return
    if row["outcome"] != "timed":
        workshop.check(row["why"], f"no reason: {row}")
        return
    pixels = group["width"] * group["height"]
    samples = pixels * group["channels"]
    workshop.check(0 < row["best_s"] <= row["median_s"], f"times: {row}")
    workshop.check(row["repeats"] >= 2, f"repeats: {row}")
    if row["row"] == "copy":
        workshop.check(row["gain"] is None, f"the gain of a copy: {row}")
    else:
        workshop.check(row["pixels"] == pixels, f"pixels: {row}")
        sample_bytes = 4 if group["maxval"] == 0 else 1 + (group["maxval"] > 255)  # maxval 0 means floats
        workshop.check(row["bytes"] == 2 * samples * sample_bytes, f"bytes: {row}")
    rate = row["bytes"] / row["median_s"] / 1e9
    workshop.check(abs(row["gb_per_s"] / rate - 1) < 1e-4, f"rate: {row}")


def check_groups(workshop, found, wanted, gpu=True):
    """Checks that there are `wanted` groups, and that each has a row for every variant of its operation that --list
    names."""
    listed = rows_listed(workshop)
    gpu = gpu and found["gpu"] is not None
    workshop.check(len(found["groups"]) == wanted, f"{len(found['groups'])} groups, not {wanted}")
    for group in found["groups"]:
        here = {(group["operation"], row["row"], row["place"].upper()) for row in group["rows"]}
        missing = {row for row in listed
                   if row[0] == group["operation"] and (gpu or row[2] == "CPU")} - here
        workshop.check(not missing, f"rows are missing: {sorted(missing)}")
        workshop.check(group["checked"] == "every sample against the reference", group["checked"])
        for row in group["rows"]:
            check_row(workshop, row, group)
            emulated = row["place"] == "gpu" and found["gpu"]["emulated"]
            good = row["outcome"] == ("checked" if emulated else "timed")
            workshop.check(good or (row["row"].startswith(("api", "separable")) and row["outcome"] == "left out"), f"not right: {row}")


def every_row(workshop):
    check_groups(workshop, document(workshop, "--size", "70x33"), 3)
    check_groups(workshop, document(workshop, "--size", "1x1", "--depth", "16"), 3)
    check_groups(workshop, document(workshop, "--size", "31", "--channels", "5"), 3)
    check_groups(workshop, document(workshop, "--size", "31", "--depth", "float", "--place", "cpu"), 3, gpu=False)
    found = document(workshop, "--size", "31", "--channels", "4", "--alpha", "weighted")
    check_groups(workshop, found, 3)
    rules = [group["alpha"] for group in found["groups"]]
    workshop.check(rules == ["weighted", "separate", "separate"], f"{rules}")


def sweeps(workshop):
    found = document(workshop, "--size", "16,9x20", "--halo", "0,1,3", "-j", "1,2", "--place", "cpu")
    check_groups(workshop, found, 2 * (3 + 1 + 1) * 2, gpu=False)
    conditions = {(g["operation"], g["width"], g["halo"], g["threads"])
                  for g in found["groups"]}
    workshop.check(len(conditions) == len(found["groups"]), f"twice the same: {conditions}")


def choices(workshop):
    found = document(workshop, "--op", "reverse", "--variant", "cpu", "--size", "64", "--against", "reference")
    rows = [row["row"] for row in found["groups"][0]["rows"]]
    workshop.check(rows == ["copy", "cpu"], f"{rows}")
    found = document(workshop, "--op", "transpose", "--against", "reference", "--size", "64")
    speeds = {row["row"]: row["gain"] for row in found["groups"][0]["rows"] if row["outcome"] == "timed"}
    workshop.check(speeds["reference"] == 1 and speeds["cpu"] > 0, f"{speeds}")


def engines(workshop):
    """An engine is one implementation of a variant. Each engine that --variant names gets a row in the table and in the
    JSON output. A long name does not widen the table. If an engine cannot compute the image, its row says why."""
    asked = ("cpu", "cpu:arrays", "cpu:cosines", "cpu:u8")
    words = ("--op", "smooth", "--size", "64", "--depth", "16", "--halo", "32",
             *(word for name in asked for word in ("--variant", name)))
    rows = {row["row"]: row for row in document(workshop, *words)["groups"][0]["rows"]}
    workshop.check(rows.keys() == {"copy", *asked}, f"{rows.keys()}")
    outcomes = [rows[name]["outcome"] for name in asked]
    workshop.check(outcomes == ["timed", "timed", "timed", "left out"], f"{outcomes}")
    workshop.check(rows["cpu:u8"]["why"], f"{rows}")
    text = workshop.check_works(*words, *QUICK).decode()
    workshop.check(max(map(len, text.splitlines())) <= 80 and "\n  cpu:cosines " in text, text)


def origins(workshop):
    """The document names the instruction set that the program used, even if SMOOTHIMG_CPU asks for another, and the
    commit if the program was built from git."""
    one = ("--op", "reverse", "--variant", "cpu", "--size", "8")
    levels = {asked: document(workshop, *one, env={**os.environ, "SMOOTHIMG_CPU": asked})["machine"]["isa"]
              for asked in ("base", "avx2", "avx512", "vnni", "neon", "abacus")}
    workshop.check(levels["base"] == levels["abacus"] == "base", f"{levels}")
    workshop.check(all(got in (asked, "base") for asked, got in levels.items()), f"{levels}")
    highest = {name: value for name, value in os.environ.items() if name != "SMOOTHIMG_CPU"}
    found = document(workshop, *one, env=highest)
    present = [level for level in ("vnni", "avx512", "avx2", "neon", "base") if levels[level] == level]
    workshop.check(found["machine"]["isa"] == present[0], f"{found['machine']}, {levels}")
    workshop.check(re.fullmatch("([0-9a-f]{12,40}(-dirty)?)?", found["commit"]), found["commit"])


def long_sums(workshop):
    """If the reference would take too long, it computes only small parts of the image (patches), and other variants are
    compared with it only there. The reference is then timed only if --variant names it."""
    size = ("--op", "smooth", "--halo", "512", "--size", "120", "--max-time", "0.01")
    found = document(workshop, *size, "--place", "cpu")["groups"][0]
    workshop.check("16 patches" in found["checked"], found["checked"])
    outcomes = {row["row"]: row["outcome"] for row in found["rows"]}
    workshop.check(outcomes == {"copy": "timed", "reference": "left out", "separable_cpu": "timed", "cpu": "timed", "api": "timed"},
                   f"{outcomes}")


def tables(workshop):
    text = workshop.check_prints("--size", "40x30", "--halo", "1,2", *QUICK)
    for operation, row, place in rows_listed(workshop):
        if place == "CPU":
            found = re.search(rf"^  {row}\s+{place} ", text, re.M)
            workshop.check(found, f"no row of {operation} {row}")


def images(workshop):
    workshop.take("rgb.ppm", "starfield16.pgm", "chart.png")
    found = document(workshop, "rgb.ppm")["groups"][0]
    shape = (found["width"], found["height"], found["channels"])
    workshop.check(shape == (4, 3, 3), f"{shape}")
    found = document(workshop, "--op", "reverse", "--image", "starfield16.pgm")["groups"][0]
    workshop.check(found["maxval"] > 255, f"maxval {found['maxval']}")
    document(workshop, "--op", "transpose", "chart.png")
    for name in ("noise", "chequer", "photo"):
        for depth, ending in (("8", "pgm"), ("16", "pgm"), ("8", "png")):
            file = f"{name}{depth}.{ending}"
            workshop.check_works("--image", name, "--size", "50x20", "--depth", depth, "--save-image", file)
            found = document(workshop, "--op", "reverse", file)["groups"][0]
            workshop.check((found["width"], found["height"]) == (50, 20), f"{file}: {found}")
    raster = (workshop.folder / "chequer8.pgm").read_bytes()[-1000:]
    workshop.check(raster[:4] == b"\0\xff\0\xff" and raster[50:52] == b"\xff\0", "no chequer")
    raster = (workshop.folder / "noise8.pgm").read_bytes()[-1000:]
    workshop.check(raster == bytes(splitmix(i) >> 56 for i in range(1000)), "other noise")


def splitmix(counter):
    """Returns splitmix64's hash (Steele, Lea and Flood), so that the noise is the same on every machine."""
    z = counter * 0x9e3779b97f4a7c15 + 0xbf58476d1ce4e5b9 & ALL_BITS
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & ALL_BITS
    z = (z ^ z >> 27) * 0x94d049bb133111eb & ALL_BITS
    return z ^ z >> 31


def wrong_variants(workshop):
    """Runs each broken variant. The program must report that the variant's result differs from the reference's, must
    not time the variant, and must exit with 7."""
    for operation, name, more in (("smooth", "lazy", ()), ("smooth", "short", ()),
                                  ("smooth", "offbyone", ()), ("transpose", "square", ()),
                                  ("reverse", "untailed", ()), ("reverse", "samples", ("--channels", "3"))):
        words = ("--op", operation, "--size", "70x40", "--variant", name, *more)
        rows = document(workshop, *words, "--variant", "cpu", status=7)["groups"][0]["rows"]
        outcomes = {row["row"]: row["outcome"] for row in rows}
        workshop.check(outcomes[name] == "different" and outcomes["cpu"] == "timed", f"{outcomes}")
        found = next(row for row in rows if row["row"] == name)
        workshop.check("median_s" not in found and "samples differ" in found["why"], f"{found}")
        ended = workshop.run(*words, *QUICK)
        workshop.check(ended.status == 7 and b"WRONG, not timed" in ended.out, f"{ended}")
        workshop.check(f"{operation} {name}: " in ended.err, f"{ended.err}")
    rows = document(workshop, "--op", "reverse", "--variant", "unwilling", "--size", "8")
    found = rows["groups"][0]["rows"][-1]
    workshop.check(found["outcome"] == "left out" and "feel like it" in found["why"], f"{found}")


def emulated(workshop):
    """On the emulated GPU the program checks every GPU variant, and times none."""
    ended = workshop.run("--size", "37x21", *QUICK, "--max-time", "0.01")
    workshop.check(ended.status == 0 and b"its rows are checked, and not timed" in ended.out, f"{ended}")
    workshop.check(re.search(rb"right on the emulated GPU: naive, coalesced, ", ended.out), f"{ended}")
    workshop.check(not re.search(rb"^  \S+ +GPU +\d", ended.out, re.M), f"{ended}")
    found = document(workshop, "--size", "37x21", "--max-time", "0.01")
    workshop.check(found["gpu"] and found["gpu"]["emulated"], f"{found['gpu']}")
    rows = {(group["operation"], row["row"]) for group in found["groups"]
            for row in group["rows"] if row["place"] == "gpu" and row["outcome"] == "checked"}
    listed = {row[:2] for row in rows_listed(workshop) if row[2] == "GPU"}
    workshop.check(listed and listed <= rows, f"missing: {sorted(listed - rows)}")
    found = document(workshop, "--place", "gpu", "--op", "smooth", "--size", "20", "--block", "33")
    outcomes = {row["row"]: row["outcome"] for row in found["groups"][0]["rows"]}
    workshop.check(outcomes["naive"] == "left out", f"{outcomes}")
    found = document(workshop, "--place", "gpu", "--op", "smooth", "--size", "20", "--depth", "float")
    outcomes = {row["row"]: row["outcome"] for row in found["groups"][0]["rows"] if row["place"] == "gpu"}
    reasons = {row.get("why") for row in found["groups"][0]["rows"] if row["outcome"] == "left out"}
    workshop.check(all(outcomes[name] == "left out" for name in ("naive", "coalesced", "tiled", "shared")) and
                   outcomes["fused"] == "checked", f"{outcomes}")
    workshop.check(all(why.endswith("it computes integers of 8 and 16 bits; floats need the variant fused or cpu")
                       for why in reasons), f"{reasons}")


def contexts(workshop):
    """The rows api call the library with a context for the number of threads, which the rows api-gpu use, too. A new
    context may get the address of one that was closed, and needs the device as much as the first."""
    found = document(workshop, "--op", "smooth", "--variant", "api", "--variant", "api-gpu", "--size", "9", "--jobs", "1,2",
                     "--halo", "1,2,3,4,5,6", "--max-time", "0.01")
    rows = [row for group in found["groups"] for row in group["rows"] if row["row"] == "api-gpu"]
    workshop.check(len(rows) == 6 and all(row["outcome"] == "checked" for row in rows), f"{rows}")


def rows_that_tell(ended):
    """Returns (operation, variant) for each row of the JSON output that has times, or lacks them because an allocation
    failed."""
    return [(group.get("operation"), row["row"])
            for group in json.loads(ended.out)["groups"] for row in group["rows"]
            if row["outcome"] == "timed" or row["why"].startswith("no memory")]


def fail_each(workshop, words, ends):
    """The preloaded library that the variable FAULT_LIBRARY names makes an allocation of a run fail: the first one in
    the first run, then the second one, and so on. The run must end with a message and status 3, or print all rows and
    say why some have no times. `ends` has "" to let one allocation fail, and "+" to let that allocation and all later
    ones fail. The number of allocations varies, because how often a row is timed depends on the machine's load."""
    counts = workshop.folder / "counts"
    variables = {**os.environ, "LD_PRELOAD": os.environ["FAULT_LIBRARY"], "FAULT_COUNTS": str(counts)}

    def run(**fault):
        ended = workshop.run(*words, "--size", "16", "--place", "cpu", "--json", *QUICK, env={**variables, **fault})
        return ended, {name.rstrip(b"\0"): count for name, count in
                       struct.iter_unpack("16sQ", counts.read_bytes())}

    clean, calls = run()
    rows, faults = rows_that_tell(clean), 0
    workshop.check(clean.status == 0 and len(rows) > 2 and calls[b"alloc"] > 10, f"{clean}")
    for call in range(1, calls[b"alloc"] + 1):
        for more in ends:
            ended, found = run(FAULT=f"alloc:{errno.ENOMEM}:{call}{more}")
            told = re.search("^smoothimg-bench: .*no memory", ended.err, re.M)
            faults += found[b"faults"] > 0
            workshop.check(found[b"faults"] > 0 or found[b"alloc"] < call, f"{call}{more}: there was no fault")
            workshop.check(ended.status == 3 and told or
                           ended.status == 0 and rows_that_tell(ended) == rows, f"{call}{more}: {ended}")
    workshop.check(faults > 10, f"{faults} faults")


def no_memory(workshop):
    fail_each(workshop, ("--op", "smooth", "--op", "reverse"), ("", "+"))
    fail_each(workshop, ("--suite", "memory", "--experiment", "sums"), ("",))  # no "+", since each run copies 256 MB


if __name__ == "__main__":
    program.Workshop.name = "smoothimg-bench"
    program.main(__doc__, {
        "options": [wrong_options, odd_numbers, no_gpu],
        "texts": [texts],
        "images": [images],
        "rows": [origins, every_row, sweeps, choices, engines, long_sums, tables],
        "wrong": [wrong_variants],
        "gpu": [emulated, contexts],
        "faults": [no_memory],
    })
