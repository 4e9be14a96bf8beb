# SPDX-License-Identifier: MIT
"""Tests limits: small files with headers that declare large images take little memory, and a message about a limit
names the option that raises it.

usage: limits.py PROGRAM IMAGES GROUP"""
import os
import re
import resource
import struct
import subprocess
import threading

import program
from png_writer import SIGNATURE, chunk

BAD = 3
MOST = 400e6  # limit of the peak memory, in bytes: room for two rows of the widest PNG that is accepted
REMEDY = "if you trust the file"


def png_head(width, height, depth, colour, interlaced):
    """Returns the beginning of a PNG, up to the first bytes of an IDAT chunk whose length is 2 GB."""
    body = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    return SIGNATURE + chunk(b"IHDR", body) + b"\x7f\xff\xff\xffIDAT\x78\x01"


def pam_head(width, height, depth, maxval):
    return (f"P7\nWIDTH {width}\nHEIGHT {height}\nDEPTH {depth}\nMAXVAL {maxval}\n"
            "ENDHDR\n").encode()


SIDE = 1 << 24
PROMISES = {  # {name: beginning of a file, which declares a large image or 4096 channels, within default limits}
    "wide PNG": png_head(SIDE, 1, 8, 0, 0), "deep PNG": png_head(SIDE, 1024, 16, 6, 0),
    "interlaced PNG": png_head(SIDE, 1024, 16, 6, 1), "high PNG": png_head(1024, SIDE, 16, 6, 0),
    "square PNG": png_head(1 << 17, 1 << 17, 8, 0, 1), "square PGM": b"P5 131072 131072 255\n",
    "wide PGM": b"P5 16777216 1024 65535\n", "high PPM": b"P6 1024 16777216 65535\n",
    "plain PPM": b"P3 131072 131072 65535\n1 2 3", "PBM": b"P4 131072 131072\nx",
    "PAM": pam_head(4096, 1 << 22, 4096, 65535), "PAM of one pixel": pam_head(1, 1, 4096, 65535),
}
WAYS = (["-", "out.pam"], ["-", "out.png"], ["--op", "transpose", "-", "out.pam"],
        ["--edge", "wrap", "-", "-"], ["--op", "reverse", "--op", "smooth", "-", "out.pam"])


def feed(workshop, words, pieces):
    """Runs the program with `pieces` on its standard input. Returns the program's status, standard error, standard
    output, and peak memory in bytes, which is at least this script's own peak, since a child process inherits that."""
    def write():
        try:
            for piece in pieces:
                process.stdin.write(piece)
            process.stdin.close()
        except BrokenPipeError:
            pass

    # Meson sets MALLOC_PERTURB_. It makes malloc fill all memory that it returns, which would then count as used.
    process = workshop.start(*words, env={**os.environ, "MALLOC_PERTURB_": "0"})
    writer = threading.Thread(target=write)
    writer.start()
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    writer.join()
    for stream in (process.stdout, process.stderr):
        stream.close()
    return process.returncode, err.decode(), out, usage.ru_maxrss * 1024


def peak_of(workshop, *words):
    """Runs the program, which must succeed. Returns its peak memory."""
    status, err, _, peak = feed(workshop, words, [])
    workshop.check(status == 0, f"{words}: exit status {status}, {err}")
    return peak


def has_address_sanitizer(program):
    """Returns whether the program has the address sanitizer. Reads 1 MiB at a time, since the peak memory of this
    script also counts for the programs that it starts. The program's file contains the sanitizer's name several times,
    so at least one occurrence is not split between two reads."""
    with open(program, "rb") as file:
        return any(b"__asan_init" in piece for piece in iter(lambda: file.read(1 << 20), b""))


def check_peak(workshop, peak, most, what):
    """Checks the peak memory. Does nothing if the build has the address sanitizer, whose own memory exceeds the
    limit."""
    if not has_address_sanitizer(workshop.program):
        workshop.check(peak < most, f"{what}: {peak} bytes at once")


def promises(workshop):
    """The program refuses the beginnings of files in PROMISES, which come through a pipe, and takes little memory."""
    for name, data in PROMISES.items():
        for words in WAYS[:1] + WAYS[2:] if name.startswith("PAM") else WAYS:
            status, err, out, peak = feed(workshop, words, [data])
            workshop.check(status == BAD and not out and
                           re.match("smoothimg: standard input: .*(truncated|--max-memory|bytes that an image may have)", err),
                           f"{name}, {words}: {status}, {err}")
            check_peak(workshop, peak, MOST, f"{name}, {words}")
    workshop.check(not list(workshop.folder.iterdir()), "something was left")


def sparse(workshop):
    """Checks that the program refuses a sparse file of 4 GiB whose header declares a large image, in little memory."""
    for name in ("wide PNG", "deep PNG", "interlaced PNG", "square PNG"):
        with open(workshop.folder / "in.png", "wb") as file:
            file.write(PROMISES[name])
            file.truncate(1 << 32)
        with open(workshop.folder / "in.png", "rb") as file:
            status, err, _, peak = feed(workshop, ["in.png", "out.pam"], [])
            workshop.check(status == BAD, f"{name}: {status}, {err}")
            check_peak(workshop, peak, MOST, name)


def named(workshop):
    """The message for each limit names its option, and a file within the limit is accepted."""
    workshop.take("flat.pgm", "alpha.pam", "palette.png")
    for words, fault in (
            ("--max-side 63 flat.pgm", "64 x 48 pixels, a side above the limit of 63; raise it with "
                                       "--max-side " + REMEDY),
            ("--max-pixels 3071 flat.pgm", "64 x 48 = 3072 pixels, above the limit of 3071; raise it "
                                           "with --max-pixels " + REMEDY),
            ("--max-channels 1 alpha.pam", "2 channels, above the limit of 1; raise it with "
                                           "--max-channels " + REMEDY),
            ("--max-channels 2 palette.png", "3 channels, above the limit of 2; raise it with "
                                             "--max-channels " + REMEDY)):
        option, limit, file = words.split()
        workshop.check_ends(f"{words} out.pam", BAD, f"{file}: the header declares {fault}")
        workshop.check_works(option, str(int(limit) + 1), file, "out.pam")
    for head, option in ((b"P5 16777217 1 255\n", "side"), (b"P5 1 16777217 255\n", "side"),
                         (png_head(SIDE + 1, 1, 8, 0, 0), "side"),
                         (pam_head(1, 1, 4097, 255), "channels")):
        _, err, _, _ = feed(workshop, ["-", "out.pam"], [head])
        workshop.check(f"raise it with --max-{option} {REMEDY}" in err, f"{head}: {err}")
        _, err, _, _ = feed(workshop, [f"--max-{option}", "16777217", "-", "out.pam"], [head])
        workshop.check("truncated: the file ends" in err, f"{head}: {err}")


def endless(workshop):
    """A header that does not end is read only up to the limit for metadata."""
    mebibyte = 1 << 20
    for head, filling in ((b"P5\n#", b"x"), (b"P5\n", b" "), (b"P7\n", b"#\n"), (b"P7\n#", b"x"),
                          (b"P2 1 ", b"\n"), (b"P7\nTUPLTYPE a\n", b"\n")):
        status, err, _, peak = feed(workshop, ["--max-metadata", "2M", "-", "out.pgm"],
                                    [head, *[filling * (mebibyte // len(filling))] * 9])
        workshop.check(status == BAD and "--max-metadata" in err, f"{head[:9]}: {status}, {err}")
        check_peak(workshop, peak, MOST / 4, head[:9])
    status, err, out, peak = feed(workshop, ["--strip-metadata", "-", "-"],
                                  [b"P5\n#", *[b"x" * mebibyte] * 9, b"\n1 1 255\nA"])
    workshop.check(status == 0 and out == b"P5\n1 1\n255\nA", f"a long comment: {status}, {err}")
    check_peak(workshop, peak, MOST / 4, "a long comment")


def many(workshop):
    """A stream of 20000 small images takes at most 30 MB more memory than one such image."""
    words = ["--halo", "0", "-", "-"]
    for image in (b"P5\n1 1\n255\nA", b"P5\n#c\n1 1\n255\nA"):
        _, _, _, one = feed(workshop, words, [image])
        status, err, out, peak = feed(workshop, words, [image * 100] * 200)
        workshop.check(status == 0 and out == image * 20000, f"{status}, {len(out)} bytes, {err}")
        check_peak(workshop, peak, one + 30e6, f"20000 images, one takes {one}")


def stacks(workshop):
    """Each operation and format works with a low, a high and no limit of the stack's size (RLIMIT_STACK)."""
    workshop.take("starfield.pgm", "starfield16.pgm", "palette.png")
    kib = 1024 if has_address_sanitizer(workshop.program) else 192
    for size in (kib << 10, 1 << 34, resource.RLIM_INFINITY):
        hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
        if hard != resource.RLIM_INFINITY and not 0 <= size <= hard:
            continue
        limited = {"preexec_fn": lambda size=size, hard=hard: resource.setrlimit(resource.RLIMIT_STACK, (size, hard))}
        for words in ("starfield.pgm a.png", "starfield16.pgm a.npy", "palette.png a.pam", "a.png b.pgm",
                      "--op transpose starfield.pgm a.png", "--op gradient starfield.pgm a.png",
                      "--op laplace --halo 2 starfield16.pgm a.npy", "--op sharpen --linear palette.png a.png",
                      "--halo 1024 starfield.pgm a.pgm", "--verify starfield.pgm a.png", "-j 4 . folder", "--help"):
            ended = workshop.run(*words.split(), **limited)
            workshop.check(ended.status == 0, f"a stack of {size} bytes: {words}: {ended.status}, {ended.err}")


def deep(workshop):
    """Folders within folders, as deep as the system allows, take little of the stack. Python and shutil.rmtree would
    need more, so rm removes them."""
    if has_address_sanitizer(workshop.program):
        return
    before = os.getcwd()
    os.chdir(workshop.make_folder("in"))
    for _ in range(2000):
        os.mkdir("d")
        os.chdir("d")
    with open("a.pgm", "wb") as file:
        file.write(b"P5 1 1 255\n\7")
    os.chdir(before)
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    workshop.check_says("-r in out", program.summary(1, 0),
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, hard)))
    subprocess.run(["rm", "-rf", "in", "out"], cwd=workshop.folder, check=True)


if __name__ == "__main__":
    program.main(__doc__, {"promises": [promises, sparse], "others": [named, endless, many], "stacks": [stacks, deep]})
