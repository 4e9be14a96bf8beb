# SPDX-License-Identifier: MIT
"""Tests that both execution modes give the same bytes, and the same message about a fault. An image is processed in
bands of rows, or in memory as a whole (with --verify, into a pipe, or by a transpose).

usage: execution_modes.py PROGRAM IMAGES GROUP"""
import filecmp
import json
import os
import random
import re
import shutil
import time
from array import array
from pathlib import Path

import program
from limits import check_peak, peak_of
from pictures import Picture, write_pictures


def both_ways(workshop, name, form, *words):
    """Compares an output file, made in bands, with standard output, made from the whole image. Returns their bytes."""
    target = f"out.{form}"
    bands = workshop.made(*words, name, target)
    (workshop.folder / target).unlink()
    whole = workshop.check_works(*words, "--format", form, name, "-")
    workshop.check(bands == whole and whole, f"{words} {name} to {form}: the modes differ")
    return bands


def alpha_beside_bands(workshop):
    """To compute a band, the program also reads up to `halo` rows above and below it. If one of these rows is
    transparent, the band must not be computed as if all pixels were opaque. The test makes several images, each with
    one transparent row, which is 80 rows (twice the halo) further down than in the image before. So in at least one
    image the transparent row is outside of a band and at most `halo` rows away from it."""
    samples = array("H", random.Random(4).choices(range(256), k=1028 * 64 * 4))
    samples[3::4] = array("H", [255]) * (1028 * 64)
    for row in range(16, 1028, 80):
        data = array("H", samples)
        data[256 * row + 3:256 * (row + 1):4] = array("H", [0]) * 64
        write_pictures(workshop.folder / "row.pam", [Picture(64, 1028, 4, 255, data)])
        both_ways(workshop, "row.pam", "pam", "--halo", "40", "-j", "4")


# Lines of options, for an image without alpha. Each line must give the same bytes with each of WAYS, which are options
# that select threads, memory and execution modes.
FEATURES = (
    "--halo 4 --edge reflect", "--halo 0,150 --edge mirror", "--halo 9 --edge wrap", "--halo 2,40 --edge zero", "--op transpose",
    "--op reverse", "--op reverse --op transpose", "--halo 2,3", "--linear --halo 2", "--linear --op smooth --op reverse --op smooth --halo 1 --norm analytic",
    "--op sharpen --amount 1.5 --halo 3 --edge wrap", "--op difference --offset 9", "--op smooth --op difference --edge zero",
    "--op sharpen --op sharpen --halo 3 --amount 0.5", "--op reverse --op sharpen --op transpose --op smooth --halo 3",
    "--op gradient --sigma 1.3,2 --edge wrap --amount 2", "--op laplace --sigma 1.3,2 --offset 70", "--op reverse --op laplace",
    "--mask mask.pgm --halo 2", "--mask mask.png --linear --halo 3 --edge wrap", "--mask mask.npy --op sharpen --halo 2",
    "--mask mask.tif --op smooth --op reverse --op transpose", "--mask mask.pbm --op difference --halo 2,0")


# More such lines, for an image with alpha.
WITH_ALPHA = (
    "--halo 9 --edge mirror", "--halo 4 --edge wrap --alpha separate", "--linear --halo 2 --edge zero",
    "--op sharpen --halo 3", "--op smooth --op transpose", "--op transpose")
FORMS = "ppm", "png", "npy", "tif", "--plain ppm", "--png-level 0 png", "--tiff-compression deflate tif", "jpg"
FORMS_WITH_ALPHA = "pam", "png", "tif", "--png-level 0 png", "--tiff-compression deflate tif"
WAYS = ("-j1", "-j2", "-j4", "-j3 --max-memory 8M", "-j5 --max-memory 6M", "--verify")


def make_inputs(workshop, width, height):
    """Makes images of noise, without and with alpha, and masks, each in several formats. All masks leave out the same
    pixels."""
    draw, count = random.Random(height), width * height
    for name, channels in (("in.ppm", 3), ("alpha.pam", 4)):
        samples = array("H", draw.choices(range(256), k=count * channels))
        write_pictures(workshop.folder / name, [Picture(width, height, channels, 255, samples)])
    there = array("H", [draw.random() < 0.7 and (x > 30 or y > 40) for y in range(height) for x in range(width)])
    write_pictures(workshop.folder / "white.pgm", [Picture(width, height, 1, 1, there)])
    write_pictures(workshop.folder / "mask.pgm", [Picture(width, height, 1, 255, array("H", (200 * one for one in there)))])
    for words in ("in.ppm in.png", "in.ppm in.npy", "in.ppm in.tif", "alpha.pam alpha.png", "alpha.pam alpha.tif",
                  "white.pgm mask.pbm", "mask.pgm mask.png", "mask.pgm mask.npy", "mask.pgm mask.tif"):
        workshop.check_works("--halo", "0", *words.split())


def result(workshop, words, source, form, **more):
    """Returns the bytes of the output for `source`. `form` is a text of options, followed by the output's extension."""
    *options, end = form.split()
    return workshop.made(*words, *options, source, "-o", f"out.{end}", **more)


def each_form(workshop, words, source, forms):
    """Returns {form: the output's bytes}. All outputs, except JPEG, must have the same samples."""
    wanted = {form: result(workshop, words, source, form) for form in forms}
    for form in forms[1:]:
        (workshop.folder / f"read.{form.split()[-1]}").write_bytes(wanted[form])
        if form != "jpg":
            found = result(workshop, ["-q", "--halo", "0"], f"read.{form.split()[-1]}", forms[0])
            workshop.check(found == wanted[forms[0]], f"{words} {form}: other samples")
    return wanted


def others(workshop, words, source, wanted, end):
    """Tests that the output has the same bytes in other circumstances: pipes; an absolute path, with another time zone,
    locale and instruction set; an output folder; and --in-place."""
    elsewhere = {"TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "SMOOTHIMG_CPU": "base", "PATH": os.environ["PATH"]}
    data = (workshop.folder / source).read_bytes()
    found = {"pipes": workshop.check_works(*words, "--format", end, "-", "-", data=data)}
    found["elsewhere"] = result(workshop, words, workshop.folder / source, end, env=elsewhere)
    workshop.check_works(*words, "-j2", "-O", "folder", source)
    found["folder"] = (workshop.folder / "folder" / source).read_bytes()
    shutil.copy(workshop.folder / source, workshop.folder / "folder")
    found["in place"] = workshop.made(*words, "--in-place", f"folder/{source}")
    for way, bytes_ in found.items():
        workshop.check(bytes_ == wanted, f"{words} {source}, {way}: other bytes")


def features(workshop):
    """The same input and options give the same bytes: from each input format, in bands and from the whole image, by any
    number of threads, in little memory, through pipes. The test does not run every combination: for each line of
    options, a run with each of WAYS (threads, memory, execution mode) reads one input format and writes one output
    format. The runs take the formats in turn."""
    make_inputs(workshop, 150, 450)  # tall enough for several bands
    for lines, name, ends, forms in ((FEATURES, "in", ("ppm", "png", "npy", "tif"), FORMS),
                                     (WITH_ALPHA, "alpha", ("pam", "png", "tif"), FORMS_WITH_ALPHA)):
        for number, line in enumerate(lines):
            words = ["-q", *line.split()]
            wanted = each_form(workshop, words, f"{name}.{ends[0]}", forms)
            for i, way in enumerate(WAYS):
                source, form = f"{name}.{ends[(i + number) % len(ends)]}", forms[(3 * i + number) % len(forms)]
                found = result(workshop, [*words, *way.split()], source, form)
                workshop.check(found == wanted[form], f"{line} {way} {source} {form}: other bytes")
            others(workshop, words, f"{name}.{ends[0]}", wanted[ends[0]], ends[0])


def devices(workshop):
    """The implementations for GPUs (variants) give the bytes of the variant `reference`, in bands and from the whole
    image."""
    if workshop.run("--list-devices").status != 0:
        raise program.Skip("there is no GPU")
    make_inputs(workshop, 70, 60)
    for line in FEATURES:
        workshop.check_works("-q", "--variant", "reference", *line.split(), "in.ppm", "wanted.ppm")
        for variant in ("gpu", "fused", "shared"):
            if variant != "gpu" and ("transpose" in line or "reverse" in line or "gradient" in line or "laplace" in line):
                continue
            for more in ("", "--verify", "-j2 --max-memory 8M"):
                workshop.check_works("-q", *line.split(), "--variant", variant, *more.split(), "in.ppm", "out.ppm")
                same = filecmp.cmp(workshop.folder / "out.ppm", workshop.folder / "wanted.ppm", False)
                workshop.check(same, f"{line}, {variant}, {more}: other bytes")


def limits(workshop):
    """The output's bytes do not depend on the memory limit."""
    (workshop.folder / "wide.pgm").write_bytes(wide(1500, 2000))
    for words, low in (("", ("2MiB",)), ("--halo 100", ()), ("--op reverse", ("2MiB", "1048576"))):
        wanted = both_ways(workshop, "wide.pgm", "pgm", *words.split())
        for limit in ("1G", "10M", *low):
            found = workshop.made(*words.split(), "--max-memory", limit, "wide.pgm", "out.pgm")
            workshop.check(found == wanted, f"{words} {limit}")
    # Before the program writes 16-bit rows, it copies about 256 KiB of them at a time, and swaps the bytes of the
    # copy. This image is much larger.
    raster = random.Random(2).randbytes(3000 * 2500 * 2)
    (workshop.folder / "deep.pgm").write_bytes(b"P5 3000 2500 65535\n" + raster)
    wanted = workshop.check_works("--op", "reverse", "deep.pgm", "-")
    for limit in ("2M", "4M", "8M"):
        found = workshop.made("--op", "reverse", "--max-memory", limit, "deep.pgm", "out.pgm")
        workshop.check(found == wanted, f"deep.pgm, {limit}")


def refused_limits(workshop):
    """If the memory limit is too low for every execution mode, the message says which change of the command line takes
    less memory. limits.txt has the messages; --update writes them anew."""
    (workshop.folder / "wide.pgm").write_bytes(wide(1500, 2000))
    workshop.check_works("--halo", "0", "wide.pgm", "wide.png")
    program.check_refusals(workshop, Path(__file__).with_name("limits.txt"))


def fewer_threads(workshop):
    """If the memory limit is too low for as many threads as -j allows, the program uses fewer threads."""
    # The script writes the file row by row, because its own peak memory also counts for the programs that it starts
    # (see peak_of).
    with open(workshop.folder / "wide.pgm", "wb") as stream:
        stream.write(b"P5 4000 6000 255\n")
        stream.writelines([random.Random(1).randbytes(4000)] * 6000)
    workshop.check_works("--halo", "0", "wide.pgm", "wide.png")
    for source, limit, words in (("wide.pgm", 52, ["transpose"]), ("wide.png", 52, ["transpose"]),
                                 ("wide.pgm", 56, ["smooth", "--op", "transpose"])):
        words = ["--op", *words, source, "out.png"]
        workshop.check_works(*words)
        (workshop.folder / "out.png").rename(workshop.folder / "wanted.png")
        for jobs in ("8", "64", "1000"):
            peak = peak_of(workshop, "-j", jobs, "--max-memory", f"{limit}M", *words)
            what = f"{limit}M, -j {jobs}, {words}"
            check_peak(workshop, peak, limit * 1048576 + 24e6, what)
            same = filecmp.cmp(workshop.folder / "out.png", workshop.folder / "wanted.png", False)
            workshop.check(same, f"{what}: other bytes")


def standard_input(workshop):
    """Tests standard input from a file whose current offset is not 0."""
    workshop.take("two.pgm", "starfield.pgm")
    data = (workshop.folder / "starfield.pgm").read_bytes()
    wanted = both_ways(workshop, "starfield.pgm", "pgm")
    (workshop.folder / "behind.pgm").write_bytes(b"x" * 1000 + data)
    with open(workshop.folder / "behind.pgm", "rb") as stream:
        stream.seek(1000, 0)
        with workshop.start("-", "behind-out.pgm", stdin=stream) as process:
            workshop.check(process.wait(60) == 0, "from the middle of a file")
    workshop.check((workshop.folder / "behind-out.pgm").read_bytes() == wanted, "from the middle")


def timings(workshop):
    """Threads read, compute and write at the same time. --json has the times of these three stages as means over the
    threads, so their sum is at most the elapsed time."""
    workshop.take("starfield.pgm")
    for jobs in ("1", "2", "5"):
        start = time.monotonic()
        line = json.loads(workshop.run("--json", "-j", jobs, "starfield.pgm", "out.png").out.splitlines()[0])
        passed = time.monotonic() - start
        stages = [line["seconds"]["read"], line["ops"][0]["seconds"], line["seconds"]["write"]]
        elapsed = line["seconds"]["elapsed"]
        workshop.check(all(value > 0 for value in stages) and sum(stages) <= elapsed <= passed,
                       f"-j {jobs}: {stages}, {elapsed} s elapsed in {passed} s")


def memory(workshop):
    """A run in bands takes little memory. Here the image and the result have 134 million bytes each."""
    with open(workshop.folder / "large.pgm", "wb") as stream:
        stream.write(b"P5 16384 8192 255\n")
        stream.truncate(stream.tell() + (1 << 27))
    for words in ("large.pgm out.pgm", "large.pgm large.png", "large.png out.png",
                  "large.pgm out.pgm --op reverse", "large.pgm out.pgm --edge wrap"):
        peak = peak_of(workshop, "-j", "2", *words.split())
        check_peak(workshop, peak, 80e6, words)
    size = (workshop.folder / "out.pgm").stat().st_size
    workshop.check(size > 1 << 27, f"the result has only {size} bytes")


def shared_memory(workshop):
    """If four files are processed at the same time, their images and results together stay within the memory limit.
    The program itself takes at most 8 MB more."""
    folder = workshop.make_folder("in")
    for i in range(4):
        with open(folder / f"{i}.pgm", "wb") as stream:
            stream.write(b"P5 6000 6000 255\n")
            stream.truncate(stream.tell() + 36000000)
    peak = peak_of(workshop, "-q", "-j", "4", "--op", "transpose", "--max-memory", "80M", "in", "out")
    check_peak(workshop, peak, (80 << 20) + 8e6, "four files")


def verified_memory(workshop):
    """With --verify, the source, the variant's result and the reference's result count towards the memory limit."""
    (workshop.folder / "in.pgm").write_bytes(b"P5 2000 1000 255\n" + bytes(2000000))
    words = ["--verify", "--op", "reverse", "in.pgm", "out.pgm", "--max-memory"]
    workshop.check_ends([*words, "5M"], 3, re.compile(r".* would take \d+ bytes .*without --verify"))
    workshop.check_works(*words, "8M")


def derivatives_memory(workshop):
    """Derivatives of integers are in the host's memory, also if a GPU computes them, and count towards the memory
    limit: 4 bytes for each sample of an image that is in memory as a whole, besides its input and result."""
    if workshop.run("--list-devices").status != 0:
        raise program.Skip("there is no GPU")
    (workshop.folder / "in.pgm").write_bytes(b"P5 2000 1000 255\n" + bytes(2000000))
    took = {}
    for op in ("smooth", "gradient", "laplace"):
        said = workshop.said_at_end(["--variant", "gpu", "--verify", "--op", op, "--max-memory", "1M", "in.pgm", "out.pgm"], 3)
        took[op] = int(re.fullmatch(r".* would take (\d+) bytes .*", said)[1])
    for op in ("gradient", "laplace"):
        workshop.check(took[op] == took["smooth"] + 4 * 2000000, f"{op} takes {took[op]}, smooth {took['smooth']} bytes")


def wide(rows, width, bad=()):
    """Returns a PGM of maxval 100, large enough for many bands, with the bad sample 101 at each (row, column) in
    `bad`."""
    chance = random.Random(1)
    raster = bytearray(chance.randrange(101) for _ in range(width)) * rows
    for row, column in bad:
        raster[row * width + column] = 101
    return b"P5 %d %d 100\n" % (width, rows) + raster


def bad_samples(workshop):
    """If samples are above the maxval, no output is left, and the message names the first such sample. With --edge wrap
    the program reads the last rows first, and names the first bad sample that it reads. So --edge wrap is tested only
    with a single bad sample."""
    for bad in ([(2999, 7)], [(3, 1), (2999, 7)], [(1500, 2), (1501, 0), (2000, 5)]):
        (workshop.folder / "bad.pgm").write_bytes(wide(3000, 2000, bad))
        row, column = min(bad)
        message = re.compile(rf"bad\.pgm: the sample in column {column + 1} of 2000, row {row + 1} "
                             r"of 3000 is 101, above the maxval of 100")
        for target in ("out.pgm", "out.png", "-"):
            for words in ("", "--edge wrap")[:1 if len(bad) > 1 else 2]:
                workshop.check_ends(f"{words} bad.pgm {target}", 3, message)
    (workshop.folder / "bad.pgm").write_bytes(wide(3000, 2000, [(3, 1), (2999, 0)]))
    workshop.check_ends("--op transpose bad.pgm out.pgm", 3, re.compile(
        r"bad\.pgm: the sample in column 2 of 2000, row 4 of 3000 is 101, above the maxval of 100"))
    (workshop.folder / "bad.pgm").write_bytes(2 * wide(1000, 20) + wide(1000, 2000, [(9, 9)]))
    workshop.check_ends("bad.pgm out.pgm", 3, re.compile(r"bad\.pgm: the sample in column 10 .+ "
                                                         r"\(after 2 good images\)"))


def cut_files(workshop):
    """A truncated PNG causes the same message in bands and as a whole image."""
    workshop.take("starfield.pgm")
    whole = workshop.made("--halo", "0", "starfield.pgm", "whole.png")
    for count in (len(whole) // 3, len(whole) // 2, len(whole) - 20):
        (workshop.folder / "cut.png").write_bytes(whole[:count])
        said = workshop.run("cut.png", "-").err
        for words in ("-j1", "-j5", "-j5 --edge wrap", "-j5 --op reverse"):
            ended = workshop.run(*words.split(), "cut.png", "out.png")
            workshop.check((ended.status, ended.err) == (3, said), f"{words}: {ended}, not {said}")


if __name__ == "__main__":
    program.main(__doc__, {
        "bytes": [alpha_beside_bands, limits, refused_limits, standard_input, timings],
        "features": [features],
        "devices": [devices, derivatives_memory],
        "memory": [memory, shared_memory, fewer_threads, verified_memory],
        "faults": [bad_samples, cut_files],
    })
