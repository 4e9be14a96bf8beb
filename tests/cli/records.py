# SPDX-License-Identifier: MIT
"""Tests --json, which prints a line of JSON (a record) for each file, and a last line as a summary.

usage: records.py PROGRAM IMAGES GROUP"""
import json
import os
import random
import re
import socket
import subprocess

import program


def records(workshop, *words, status=0, errors="", **more):
    """Runs the program with --json and these words. Returns the lines of JSON as dicts; the last is the summary.
    errors: the expected standard error, or None if it is not checked."""
    ended = workshop.run("--json", *words, **more).without_notes()
    workshop.check(ended.status == status, f"{words}: {ended.status}, {ended.err}")
    workshop.check(errors is None or ended.err == errors, f"{words}: {ended.err!r}")
    workshop.check(ended.out.endswith(b"\n"), f"{words}: the last line has no end")
    lines = [json.loads(line) for line in ended.out.split(b"\n")[:-1]]
    ends = [line["status"] == "summary" for line in lines]
    workshop.check(ends.index(True) == len(ends) - 1, f"{words}: the summary is not the last line")
    workshop.check(lines[-1]["exit"] == status, f"{words}: {lines[-1]}")
    return lines


def record(workshop, *words, **more):
    """Runs the program with a single file and returns the file's line."""
    lines = records(workshop, *words, **more)
    workshop.check(len(lines) == 2, f"{words}: {len(lines)} lines")
    return lines[0]


# --- lines ----------------------------------------------------------------------------------------

def single_file(workshop):
    workshop.take("two.pgm", "colours.png")
    line = record(workshop, "two.pgm", "--edge", "zero", "--sigma", "0.7", "--op", "smooth", "--op",
                  "transpose", "out.pgm")
    size = (workshop.folder / "two.pgm").stat().st_size
    wanted = {"status": "done", "input": "two.pgm", "output": "out.pgm", "exit": 0, "width": 3,
              "height": 2, "channels": 1, "maxval": 255, "images": 2, "pixels": 14,
              "input_bytes": size, "format": "PGM",
              "output_bytes": (workshop.folder / "out.pgm").stat().st_size}
    workshop.check({key: line[key] for key in wanted} == wanted, f"{line}")
    smooth, transpose = line["ops"]
    seconds = smooth.pop("seconds"), transpose.pop("seconds")
    levels = {smooth.pop("instructions"), transpose.pop("instructions")}
    workshop.check(len(levels) == 1 and levels < {"base", "avx2", "avx512", "vnni", "neon"}, f"{levels}")
    workshop.check(smooth == {"op": "smooth", "variant": "cpu", "engine": "cpu:u8", "device": "cpu",
                              "halo": 3, "sigma": 0.7, "edge": "zero", "norm": "sum", "alpha": "weighted"}, f"{smooth}")
    axes = record(workshop, "two.pgm", "--halo", "6,3", "out.pgm")["ops"][0]
    workshop.check(axes["halo"] == [6, 3] and axes["sigma"] == [2, 1], f"{axes}")
    workshop.check(transpose == {"op": "transpose", "variant": "cpu", "engine": "cpu", "device": "cpu"}, f"{transpose}")
    parts = line["seconds"]
    workshop.check(sorted(parts) == ["elapsed", "read", "write"], f"{parts}")
    total = sum(seconds) + parts["read"] + parts["write"]
    workshop.check(0 < total <= parts["elapsed"] * 1.01, f"{total} s in parts, {parts['elapsed']} s in all")
    line = record(workshop, "colours.png", "out.png")
    workshop.check((line["format"], line["channels"]) == ("PNG", 3), f"{line}")
    size = (workshop.folder / "out.png").stat().st_size
    workshop.check(line["output_bytes"] == size, f"{line}")


def engines(workshop):
    """A record names the same engine (implementation of a variant) as -v, whether the program or --variant selects the
    engine."""
    workshop.take("rgb.ppm", "starfield16.pgm", "alpha.pam")
    for name, words, wanted in (
            ("rgb.ppm", ["--halo", "2"], ["cpu", "cpu:u8"]),
            ("alpha.pam", ["--halo", "2"], ["cpu", "cpu:arrays"]),
            ("starfield16.pgm", ["--halo", "2"], ["cpu", "cpu:arrays"]),
            ("rgb.ppm", ["--variant", "cpu:arrays"], ["cpu:arrays", "cpu:arrays"]),
            ("rgb.ppm", ["--variant", "reference"], ["reference", "reference"])):
        op = record(workshop, *words, name, "out.pam")["ops"][0]
        workshop.check([op["variant"], op["engine"]] == wanted, f"{name} {words}: {op}")
        told = workshop.run("-v", *words, name, "out.pam").err
        workshop.check(f"  op smooth, variant {wanted[0]}, engine {wanted[1]}, " in told, f"{name} {words}: {told}")


def streams(workshop):
    """A record has null for the number of bytes that are read from or written to a pipe."""
    data = (workshop.images / "rgb.ppm").read_bytes()
    line = record(workshop, "-", "out.ppm", data=data)
    workshop.check(line["input"] == "-" and line["input_bytes"] is None, f"{line}")
    os.mkfifo(workshop.folder / "pipe")
    workshop.take("rgb.ppm")
    with subprocess.Popen(["cat", workshop.folder / "pipe"], stdout=subprocess.DEVNULL):
        line = record(workshop, "rgb.ppm", "pipe")
    workshop.check(line["output_bytes"] is None, f"{line}")


def folder_of_files(workshop):
    workshop.make_folder("in", "rgb.ppm", "two.pgm", "broken/truncated.pgm", "broken/foreign.gif")
    workshop.make_folder("in/sub")
    lines = records(workshop, "-j1", "in", "out", status=1, errors=None)
    workshop.check([(line["status"], line.get("input")) for line in lines] ==
                   [("done", "in/rgb.ppm"), ("failed", "in/truncated.pgm"), ("done", "in/two.pgm"),
                    ("summary", None)], f"{lines}")
    done, failed, summary = (lines[0], lines[2]), lines[1], lines[3]
    workshop.check(failed["exit"] == 3 and "ops" not in failed and "seconds" not in failed and
                   failed["error"].startswith("in/truncated.pgm: the header"), f"{failed}")
    workshop.check(all("error" not in line and "reason" not in line for line in done), "errors")
    counts = {"done": 2, "failed": 1, "skipped": 0, "planned": 0, "others": 1, "folders": 1, "left": 0, "images": 3,
              "exit": 1, "input_bytes": sum(line["input_bytes"] for line in done),
              "output_bytes": sum(line["output_bytes"] for line in done),
              "pixels": sum(line["pixels"] for line in done)}
    workshop.check({key: summary[key] for key in counts} == counts, f"{summary}")
    workshop.check(summary["seconds"] >= sum(line["seconds"]["elapsed"] for line in done), f"{summary}")
    ended = workshop.run("--json", "in", "out")
    workshop.check(ended.err.endswith(program.summary(2, 1, others=1)), ended.err)


def planned(workshop):
    """Checks the lines of skipped files, and the lines of --dry-run."""
    workshop.make_folder("in", "rgb.ppm", "two.pgm")
    workshop.check_works("-q", "--suffix", "", "in/two.pgm", "-O", "out")
    for options, word in (["--dry-run"], "planned"), ([], "done"):
        lines = records(workshop, "-j1", "--skip-existing", *options, "in", "out", errors=None)
        found = [(line["status"], line.get("output"), line.get("reason")) for line in lines]
        workshop.check(found == [(word, "out/rgb.ppm", None),
                                 ("skipped", "out/two.pgm", "the output exists"),
                                 ("summary", None, None)], f"{lines}")
        sizes = [(workshop.folder / line["input"]).stat().st_size for line in lines[:-1]]
        workshop.check([line["input_bytes"] for line in lines[:-1]] == sizes, f"{lines}")
        counts = {"done": 0, "planned": 0, "skipped": 1, "failed": 0, word: 1, "left": 0, "exit": 0}
        workshop.check({key: lines[2][key] for key in counts} == counts, f"{lines[2]}")


def odd_names(workshop):
    """A file's name can have any bytes but / and 0. A reader of the JSON recovers all of them."""
    folder = workshop.make_folder("in")
    rng = random.Random(1)
    names = [b'a"b\\c.pgm', b"tab\tline\n.pgm", "grün-図-🌟.pgm".encode(), b"latin-\xe9.pgm",
             b"\xc3.pgm", b"\xed\xb3\xa9.pgm", b"\xf0\x9f.pgm", b"\x7f\x01.pgm",
             b"a b.pgm", b"-halo.pgm", b"--", b"-", b".hidden.pgm", b"%s%n.pgm", b"'$(x)'.pgm", b"x" * 251 + b".pgm"]
    names += [bytes(rng.choice([*range(1, 47), *range(48, 256)]) for _ in range(40)) + b".pgm"
              for _ in range(40)]
    image = (workshop.images / "dot.pgm").read_bytes()
    for name in names:
        with open(os.path.join(os.fsencode(folder), name), "wb") as file:
            file.write(image)
    (workshop.folder / "-in").symlink_to("in")
    workshop.check_works("-q", "--", "-in", "-out")
    workshop.check(sorted(os.listdir(os.fsencode(workshop.folder / "-out"))) == sorted(names), "-- -in -out: other names")
    lines = records(workshop, "-q", "-j1", "in", "out")[:-1]
    for key, folder_name in (("input", b"in/"), ("output", b"out/")):
        found = [os.fsencode(line[key]) for line in lines]
        workshop.check(found == [folder_name + name for name in sorted(names)], f"other {key}s")
    (folder / "only").mkdir()
    (folder / "only" / os.fsdecode(b"\xff.pgm")).write_bytes(b"P5")
    line = records(workshop, "-q", "in/only", "out", status=1, errors=None)[0]
    workshop.check(os.fsencode(line["error"]).startswith(b"in/only/\xff.pgm: "), f"{line}")


def whole_writes(workshop):
    """The program writes each line with one call, even a line of more than 4096 bytes. A datagram socket shows this:
    each write is one message."""
    folder = workshop.make_folder("in")
    image = (workshop.images / "dot.pgm").read_bytes()
    for i in range(5):
        (folder / (str(i) + "\x01" * 240 + ".pgm")).write_bytes(image)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    words = ["--op", "reverse"] * 32
    with ours, theirs:
        ended = workshop.run("--json", "-q", *words, "in", "out", stdout=theirs.fileno())
        workshop.check(ended.status == 0, f"{ended}")
        ours.settimeout(10)
        for i in range(6):
            message = ours.recv(1 << 20)
            json.loads(message)
            workshop.check(message.count(b"\n") == 1 and message.endswith(b"\n"), "a write is not one line")
            workshop.check(i == 5 or len(message) > 4096, "lines that are too short for this test")


def on_gpu(workshop):
    """With a GPU variant, a record has three times for each operation: upload, kernel and download. The test runs on
    the emulated device."""
    workshop.take("rgb.ppm")
    line = record(workshop, "-q", "--variant", "gpu", "--op", "smooth", "--op", "transpose",
                  "--op", "reverse", "rgb.ppm", "out.ppm")
    for i, op in enumerate(line["ops"]):
        workshop.check(re.fullmatch(r"0: .*\w.*", op["device"]), f"{op}")
        workshop.check(op["engine"].partition(":")[0] == op["variant"], f"{op}")
        workshop.check((":" in op["engine"]) == (op["op"] == "smooth"), f"{op}")
        parts = [op.pop(key) for key in ("upload", "kernel", "download")]
        workshop.check([part > 0 for part in parts] == [True, True, True], f"{i}: {parts}")
        workshop.check(sum(parts) < op["seconds"] + 1e-6, f"{op}: {parts}")


# --- faults ---------------------------------------------------------------------------------------

def failing_file(workshop):
    line = record(workshop, "absent.pgm", "out.pgm", status=3, errors=None)
    wanted = {"status": "failed", "input": "absent.pgm", "output": "out.pgm", "exit": 3,
              "input_bytes": None,
              "error": "absent.pgm: cannot be opened: No such file or directory"}
    workshop.check(line == wanted, f"{line}")


def unwritable_names(workshop):
    """A record has the exit status that its file alone would have, also if the output's name is too long."""
    workshop.make_folder("in", "rgb.ppm", "two.pgm")
    workshop.make_folder("out")
    suffix = "x" * 251
    lines = records(workshop, "-q", "--suffix", suffix, "in", "out", status=1, errors=None)
    for line in lines[:-1]:
        alone = workshop.run("-q", line["input"], line["output"])
        workshop.check(line["exit"] == alone.status == 5, f"{line}, alone {alone.status}")


def not_begun(workshop):
    """A run that cannot begin prints no line, only a message."""
    workshop.take("rgb.ppm")
    workshop.make_folder("in", "rgb.ppm")
    for words, status in (("--mask absent.pgm rgb.ppm out.ppm", 3), ("--mask absent.pgm in out", 3),
                          ("-O absent/out in", 5)):
        ended = workshop.run("--json", *words.split())
        workshop.check((ended.status, ended.out) == (status, b"") and ended.err.count("\n") == 1, f"{words}: {ended}")


def no_image(workshop):
    """A record has the size of its file, even if the file is no valid image. For a pipe and a missing file the size is
    null."""
    files = {"none.png": b"hello\n", "empty.png": b"", "notes.txt": b"four"}
    workshop.make_folder("in")
    for name, data in files.items():
        (workshop.folder / "in" / name).write_bytes(data)
    (workshop.folder / "in/gone.png").symlink_to("nothing")
    (workshop.folder / "-").write_bytes(b"not this one")
    sizes = {f"in/{name}": len(data) for name, data in files.items() if name != "notes.txt"}
    lines = records(workshop, "in", "out", status=1, errors=None)[:-1]
    found = {line["input"]: line["input_bytes"] for line in lines}
    workshop.check(found == {**sizes, "in/gone.png": None}, f"a folder: {found}")
    for name, size in sizes.items():
        line = record(workshop, name, "out.pgm", status=3, errors=None)
        workshop.check(line["input_bytes"] == size, f"{line}")
    line = record(workshop, "-", "out.pgm", status=3, errors=None, data=b"hello")
    workshop.check(line["input_bytes"] is None, f"{line}")


def full_disk(workshop):
    """If lines of --json cannot be written, the program prints one message and exits with 5, as for an output that
    cannot be written. It writes all images nevertheless."""
    workshop.take("rgb.ppm")
    workshop.make_folder("in", "rgb.ppm", "two.pgm")
    said = ("smoothimg: standard output: a line of --json cannot be written: "
            "No space left on device\n")
    with open("/dev/full", "wb") as full:
        for words in (["rgb.ppm", "out.ppm"], ["-q", "in", "out"]):
            ended = workshop.run("--json", *words, stdout=full)
            workshop.check(ended.status == 5 and ended.err == said, f"{words}: {ended}")
    workshop.check(sorted(os.listdir(workshop.folder / "out")) == ["rgb.ppm", "two.pgm"], "not all was done")
    workshop.check_tells("--json rgb.ppm out.ppm", ": it is closed", 5, preexec_fn=lambda: os.close(1))


if __name__ == "__main__":
    program.main(__doc__, {
        "gpu": [on_gpu],
        "lines": [single_file, engines, streams, folder_of_files, planned, odd_names, whole_writes],
        "faults": [failing_file, unwritable_names, not_begun, no_image, full_disk],
    })
