# SPDX-License-Identifier: MIT
"""Makes each system call, allocation, thread creation and CUDA call of a program fail, each in a run of its own. Such a
run must do all of its work nevertheless, or end with a documented status and a message. It must leave the old output or
the new one, and nothing else.

usage: faults.py PROGRAM IMAGES GROUP

The environment variable FAULT_LIBRARY names the library that lets calls fail (tests/faults/inject.h). These are
optional: FAULT_EVERY=N tries only every Nth fault, and SMOOTHIMG_TEST_TURN=T says which ones: those whose number is T
modulo N; FAULT_SCENARIO=NAME tries only this scenario; FAULT_MESSAGES=1 prints the messages of the runs. If the program
is built with sanitizers, a leak has an exit status of its own."""
import collections
import errno
import itertools
import os
import re
import struct
import subprocess
import time
from typing import NamedTuple

import program
from limits import has_address_sanitizer
from metadata import rich_file
from npy_files import npy_file
from png_reader import PALETTE
from jpeg_files import APP0, COMMENT, PROGRESSIVE, exif, jpeg_file, segment
from tiff_files import ASCII, DEFLATE, DOUBLE, PACKBITS, RATIONAL, UNDEFINED, tiff_file

OLD = b"P5 1 1 255\n\7"  # an output that exists before the run
BAD = b"P5 9 9 255\nshort"
LEAK = 99  # the exit status that sanitizers are told to use for a leak or an error
LIMIT = 60  # seconds after which a run counts as hanging; it usually takes 0.01 s

# The errors with which a call of each kind may fail. "short": the call transfers half of its bytes. The program must
# repeat a call that fails with EINTR.
EFFECTS = {
    "alloc": ("ENOMEM",), "thread": ("EAGAIN",), "map": ("ENOMEM",), "open": ("EMFILE", "EACCES"),
    "read": ("EIO", "EINTR", "short"), "write": ("ENOSPC", "EINTR", "short"), "sync": ("EIO",),
    "name": ("EIO", "EPERM"), "unlink": ("EACCES",), "close": ("EIO",), "stat": ("EIO", "EACCES"),
    "seek": ("EINVAL",), "copy": ("EMFILE",),
    "folder": ("ENOSPC",), "list": ("EIO",), "mode": ("EPERM",), "size": ("ENOSPC",),
    "cpus": ("EPERM",), "attribute": ("EIO", "ENOTSUP"),
    "cuda": ("2", "719"),  # 2: out of memory; 719: a failed launch, after which the device is unusable
}
HARMLESS = {"thread", "cpus"}  # kinds of calls: a failure of such a call must not change the result


class Scenario(NamedTuple):
    """A run, and the files that exist before it."""
    name: str
    words: str  # the arguments, separated by blanks
    files: dict
    data: bytes = b""
    status: int = 0  # the exit status of the run without a fault
    may: tuple = (3, 5)  # further exit statuses that a run with a fault may have
    kinds: tuple = tuple(kind for kind in EFFECTS if kind != "cuda")  # the kinds of calls that are made to fail
    repeats: bool = False  # the program repeats what fails, so that a single fault has no effect


class Fault(NamedTuple):
    kind: str
    effect: str
    call: int  # the number of the call that fails; the first call of its kind is 1
    on: bool  # all later calls of this kind fail, too

    def wish(self):
        effect = getattr(errno, self.effect, self.effect)
        return f"{self.kind}:{effect}:{self.call}{'+' * self.on}"


def lay_out(workshop, scenario):
    """Makes the folder hold the scenario's files and nothing else."""
    for path in sorted(workshop.folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    for name, data in scenario.files.items():
        path = workshop.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def run(workshop, scenario, fault):
    """Runs a scenario with a fault, or without one (None). Returns how the run ended, the number of calls of each kind,
    and the files."""
    lay_out(workshop, scenario)
    counts = workshop.outside / "counts"
    variables = {**os.environ, "LD_PRELOAD": os.environ["FAULT_LIBRARY"], "FAULT_COUNTS": str(counts)}
    if fault:
        variables["FAULT"] = fault.wish()
    try:
        ended = subprocess.run([workshop.program, *scenario.words.split()], cwd=workshop.folder,
                               input=scenario.data, capture_output=True, timeout=LIMIT,
                               env=variables, check=False)
        ended = program.Ended(ended.returncode, ended.stdout, ended.stderr.decode(errors="replace"))
    except subprocess.TimeoutExpired:
        ended = program.Ended(None, b"", "it hangs")
    rows = struct.iter_unpack("16sq", counts.read_bytes())
    calls = {name.rstrip(b"\0").decode(): count for name, count in rows}
    return ended, calls, workshop.content()


def without_times(out):
    """Returns the lines of an output such as --json's, sorted, without seconds, and without the sizes of outputs, which
    a failed call may leave unknown."""
    out = re.sub(rb"\d+\.\d+(e-?\d+)?|\d+e-?\d+", b"T", out)
    return sorted(re.sub(rb'"output_bytes": \w+', b"", out).splitlines())


def whole(scenario, ended, tree, clean, wanted):
    """Returns True if the run has done all of its work: status, output and files (`tree`) are those of the run without
    a fault (`clean`, `wanted`)."""
    same = ended.out == clean.out or without_times(ended.out) == without_times(clean.out)
    return ended.status == scenario.status and tree == wanted and same


def foretold(ended):
    """Returns True if this is the output of a --dry-run that reports an error."""
    return b"fail  " in ended.out


def unharmed(fault, scenario, tree, wanted):
    """Returns what a failed run has lost, left over or damaged in its folder (`tree`), or None. Each file must be as
    before the run, or as after a run without a fault (`wanted`). Only if the removal of files fails, a temporary file
    may be left."""
    before = {os.fsencode(name): data for name, data in scenario.files.items()}
    for name in before.keys() - tree.keys():
        return f"{name} is gone"
    for name, data in tree.items():
        litter = re.search(rb"(^|/)\.[^/]*\.smoothimg$", name) and fault.kind == "unlink"
        if name not in wanted and name not in before and not litter:
            return f"{name} is left over"
        if not litter and name != b"bad" and data not in (before.get(name, wanted.get(name)), wanted.get(name)):
            return f"{name} is neither the old one nor the new one"
    return None


def wrong_with(fault, scenario, results, clean, threads, left, wanted):
    """Returns what is wrong with a run with this fault, or None. results: what run() returned for this run; threads: how
    many threads the run without a fault (`clean`) starts; left: how many blocks of memory that run does not free, or
    None if a sanitizer looks for leaks instead."""
    ended, calls, tree = results
    if ended.status == scenario.status and not whole(scenario, ended, tree, clean, wanted) and \
            not foretold(ended) and (scenario.status == 0 or not ended.err):
        return "not all was done"
    # After a failed CUDA call the emulated device may still hold undone work, and the work's memory: that is no leak.
    # A run that gets further than the one without a fault may start more threads, for each of which libc keeps a block.
    more = max(calls["thread"] - threads, 0)
    if left is not None and calls["left"] > left + more and fault.kind != "cuda":
        return f"{calls['left'] - left - more} blocks of memory are not freed"
    if fault.effect == "short" or scenario.repeats and not fault.on or fault.kind in HARMLESS or calls["faults"] == 0:
        return None if whole(scenario, ended, tree, clean, wanted) else "this can be coped with"
    if ended.status not in (scenario.status, *scenario.may):
        return "the status"
    if ended.status != 0 and not foretold(ended) and not re.search(r"^smoothimg: .", ended.err, re.MULTILINE):
        return "no message"
    harm = unharmed(fault, scenario, tree, wanted)
    return harm


def sample():
    """Returns N and T: faults_of() numbers the faults, and those are tried whose number is T modulo N."""
    return (int(os.environ.get(name, default))
            for name, default in (("FAULT_EVERY", 1), ("SMOOTHIMG_TEST_TURN", time.time() // 86400)))


def faults_of(calls, kinds, every, turn):
    """Yields every Nth fault. There are two faults for each call and each error with which the call may fail: the call
    fails alone, or together with all later calls of its kind."""
    number = 0
    for kind in kinds:
        for effect, on, call in itertools.product(EFFECTS[kind], (False, True), range(1, calls[kind] + 1)):
            if effect == "EINTR" and on:
                continue  # the program would repeat the call for ever
            number += 1
            if (number - turn) % every == 0:
                yield Fault(kind, effect, call, on)


def sweep(workshop, scenario):
    """Tries the faults of a scenario. Returns, for each kind of calls, in how many runs a call of this kind was made
    to fail."""
    clean, calls, wanted = run(workshop, scenario, None)
    if clean.status == program.SKIPPED:
        raise program.Skip(clean.err)
    if not workshop.check(clean.status == scenario.status, f"{scenario.name}: {clean}"):
        return {}
    left = None if has_address_sanitizer(workshop.program) else calls["left"]
    if "cuda" not in scenario.kinds and left is not None:
        # libc keeps a block of memory for each thread, and one for a standard stream if the program uses it.
        kept = calls["thread"] + bool(clean.out or scenario.data) * (not scenario.repeats)
        workshop.check(left <= kept, f"{scenario.name}: {left - kept} blocks of memory are not freed")
    _, again, _ = run(workshop, scenario, None)
    changed = {kind: (calls[kind], again[kind]) for kind in scenario.kinds if calls[kind] != again[kind]}
    workshop.check(not changed, f"{scenario.name}: the next run makes other calls: {changed}")
    done, messages = collections.Counter(), collections.Counter()
    for fault in faults_of(calls, scenario.kinds, *sample()):
        results = run(workshop, scenario, fault)
        wrong = wrong_with(fault, scenario, results, clean, calls["thread"], left, wanted)
        workshop.check(not wrong, f"{scenario.name}, FAULT={fault.wish()}: {wrong}: {results[0].status}, {results[0].err!r}")
        done[fault.kind] += results[1]["faults"] > 0
        messages[fault.kind, fault.effect, results[0].status, results[0].err] += 1
    if "FAULT_MESSAGES" in os.environ:
        for (kind, effect, status, text), count in sorted(messages.items(), key=str):
            print(f"  {count:4} {kind} {effect}: {status} {text.strip()!r}")
    print(f"{scenario.name}: {sum(done.values())} faults: "
          f"{', '.join(f'{count} {kind}' for kind, count in done.items() if count)}")
    return done


def without_renameat2(workshop, scenario):
    """Makes renameat2() fail as on file systems and kernels that cannot rename without replacing a file. The program
    must use link() instead."""
    clean, _, wanted = run(workshop, scenario, None)
    for effect in ("EINVAL", "ENOSYS"):
        fault = Fault("name", effect, 1, False)
        ended, calls, tree = run(workshop, scenario, fault)
        workshop.check(calls["faults"] == 1 and whole(scenario, ended, tree, clean, wanted),
                       f"{scenario.name}, FAULT={fault.wish()}: {ended}")


def picture(width, height):
    """Returns a PGM whose samples vary enough to need compression."""
    rows = (bytes((x * y >> 4) % 256 for x in range(width)) for y in range(height))
    return b"P5\n%d %d\n255\n" % (width, height) + b"".join(rows)


TAGS = {270: (ASCII, b"what it is\0"), 282: (RATIONAL, [(300, 1)]), 33550: (DOUBLE, [1.0, 1.0, 0.0]),
        34675: (UNDEFINED, bytes(50)), 50838: (ASCII, b"not kept\0")}


# In scenarios with these kinds no allocation fails: libtiff 4.5 may crash, or lose a tag, if an allocation fails while
# it reads, makes or closes a directory.
BUT_MEMORY = tuple(kind for kind in EFFECTS if kind not in ("cuda", "alloc"))


def rich_jpeg(**layout):
    """Returns a JPEG with metadata of every kind, and enough rows to be written in two blocks."""
    return jpeg_file(20, 70, ((2, 2), (1, 1), (1, 1)), segments=[
        segment(APP0 + 1, b"Exif\0\0" + exif((0x112, 3, 6))), segment(APP0 + 2, b"ICC_PROFILE\0\1\1a profile"),
        segment(COMMENT, b"a comment")], **layout)


def two_tiffs(**layout):
    """Returns a TIFF file of two images."""
    samples = [(x * x >> 3) % 256 for x in range(3 * 20 * 30)]
    return tiff_file(*({"width": 20, "height": 30, "channels": 3, "kind": kind, "samples": samples,
                        **layout} for kind in "BH"))


def scenarios(workshop):
    """Returns the scenarios of each group."""
    images = workshop.images

    def image(name):
        return (images / name).read_bytes()

    folder = {"in/a.pgm": image("flat.pgm"), "in/b/c.png": image("palette.png"),
              "in/b/d": image("rgb.ppm"), "in/notes": b"no image\n", "in/e.pam": image("alpha.pam"),
              "out/a.pgm": OLD}
    long = picture(30, 40000)  # the program filters it in several bands of rows
    tall = picture(300, 900)  # as PNG it is compressed in three parts
    batch = {"may": (1, 3, 5)}
    gpu = {"may": (6,), "kinds": ("cuda",)}
    gpu_batch = {"may": (1, 6), "kinds": ("cuda",)}
    return {
        "files": [
            Scenario("PGM, over an old file", "--halo 2 a.pgm b.pgm", {"a.pgm": image("impulse.pgm"), "b.pgm": OLD}),
            Scenario("PGM, in bands", "-j2 --max-memory 3M a.pgm b.pgm", {"a.pgm": long}),
            Scenario("PGM of 16 bits", "-j2 --halo 1 a.pgm b.pgm", {"a.pgm": image("gradient12.pgm")}),
            Scenario("the widest filter", "-j1 --halo 1024 --norm analytic a.pgm b.pgm", {"a.pgm": image("dot.pgm")}),
            Scenario("PNG, smoothed", "-j2 --halo 1 a.png b.png", {"a.png": image("colours.png"), "b.png": OLD}),
            Scenario("PGM to PNG, in pieces", "-j2 --halo 1 a.pgm b.png", {"a.pgm": tall}),
            Scenario("PNG, transposed", "--op transpose a.png b.png", {"a.png": image("alpha16.png")}),
            Scenario("PNG to plain PGM", "--edge wrap --plain a.png b.ppm", {"a.png": image("palette.png")}),
            Scenario("PNG with metadata", "-j2 --op transpose a.png b.png",
                     {"a.png": rich_file(PALETTE, 4, 9, 5, palette=bytes(range(48)), key=b"\x80",
                                         middle=[(b"pHYs", b"no good")])}),
            Scenario("PAM with comments", "--halo 1 a.pam b.pam",
                     {"a.pam": image("alpha.pam").replace(b"\n", b"\n#one\n#" + b"two " * 50 + b"\n", 1)}),
            Scenario("PAM, reversed", "-j2 --op reverse a.pam b.pam", {"a.pam": image("alpha.pam")}),
            Scenario("plain", "--plain a.ppm b.ppm", {"a.ppm": b"P3 2 2 7\n1 2 3 4 5 6\n7 6 5 # x\n4 3 2"}),
            Scenario("a transpose to PNG", "-j2 --op transpose a.pgm b.png", {"a.pgm": tall}),
            Scenario("NPY", "-j2 --op transpose a.npy b.npy",
                     {"a.npy": npy_file("<u2", (5, 7, 3), list(range(105))), "b.npy": OLD}),
            Scenario("TIFF in strips", "-j2 --halo 1 a.tif b.pam", {"a.tif": two_tiffs(rows=9), "b.pam": OLD}),
            Scenario("TIFF to TIFF", "-j2 --halo 1 a.tif b.tif",
                     {"a.tif": two_tiffs(rows=9), "b.tif": OLD}, kinds=BUT_MEMORY),
            Scenario("TIFF in tiles, to deflate", "-j2 --op reverse a.tif b.tif",
                     {"a.tif": two_tiffs(tile=(16, 16), compression=DEFLATE)}, kinds=BUT_MEMORY),
            Scenario("TIFF with tags", "--op transpose a.tif b.tif",
                     {"a.tif": two_tiffs(tags=TAGS)}, kinds=BUT_MEMORY),
            Scenario("TIFF in planes", "--halo 0 a.tif b.pam",
                     {"a.tif": two_tiffs(planar=True, compression=PACKBITS)}),
            Scenario("PGM to TIFF, in pieces", "-j2 --tiff-compression deflate a.pgm b.tif",
                     {"a.pgm": tall}, kinds=BUT_MEMORY),
            Scenario("JPEG", "-j2 --halo 1 a.jpg b.jpg", {"a.jpg": rich_jpeg(), "b.jpg": OLD}),
            Scenario("JPEG to PNG", "-j2 --op transpose a.jpg b.png", {"a.jpg": rich_jpeg()}),
            Scenario("JPEG to TIFF", "--halo 1 a.jpg b.tif",
                     {"a.jpg": rich_jpeg(process=PROGRESSIVE)}, kinds=BUT_MEMORY),
            Scenario("--no-clobber", "--no-clobber a.pgm b.pgm", {"a.pgm": image("flat.pgm")}),
            Scenario("--in-place", "--in-place a.pgm", {"a.pgm": image("impulse.pgm")}),
            Scenario("--verify", "--verify --halo 1 a.pgm b.pgm", {"a.pgm": image("impulse.pgm")}),
            Scenario("sharpen, difference", "-j2 --op sharpen --op difference --halo 1 a.pgm b.pgm",
                     {"a.pgm": image("two.pgm")}),
            Scenario("a gradient", "-j2 --op gradient --halo 1 a.pgm b.pgm", {"a.pgm": image("two.pgm")}),
            Scenario("a Laplacian in floats, verified", "--verify --op laplace --float --halo 1 a.pgm b.npy",
                     {"a.pgm": image("impulse.pgm"), "b.npy": OLD}),
            Scenario("a volume of NPY", "-j2 --op laplace --halo 1,1,1 a.npy b.npy",
                     {"a.npy": npy_file("<u2", (5, 7, 3), list(range(105))), "b.npy": OLD}),
            Scenario("pages to a stack of NPY", "-j2 --halo 1,1,0 a.pgm b.npy", {"a.pgm": 3 * image("impulse.pgm")}),
            Scenario("--linear", "-j2 --linear --halo 1 a.pgm b.png", {"a.pgm": tall}),
            Scenario("a chain", "--op transpose --op smooth --op reverse a.pgm b.pgm", {"a.pgm": image("two.pgm")}),
            Scenario("what a killed run has left", "a.pgm b.pgm",
                     {"a.pgm": image("flat.pgm"), "b.pgm": OLD, ".b.pgm.1.smoothimg": BAD}),
            Scenario("--verbose", "-v a.pgm b.pgm", {"a.pgm": image("flat.pgm")}),
            Scenario("the same file", "a.pgm ./a.pgm", {"a.pgm": image("flat.pgm")}, status=2),
        ],
        "streams": [
            Scenario("a pipe", "-j2 - -", {}, data=image("two.pgm")),
            Scenario("a pipe of PNG", "--op reverse - -", {}, data=image("colours.png")),
            Scenario("--help", "--help", {}),
            Scenario("--list-variants", "--list-variants", {}),
            Scenario("--dry-run", "--dry-run -r in out", folder, **batch),
        ],
        "folders": [
            Scenario("a folder", "-r -j2 in out", folder, **batch),
            Scenario("a folder in itself", "-r -j1 in in/out",
                     {"in/a.pgm": image("flat.pgm"), "in/out/a.pgm": OLD}, **batch),
            Scenario("a folder, in place", "-r --in-place in", folder, **batch),
            Scenario("files, in place", "--in-place -j2 --files-from list in/a.pgm",
                     {**folder, "list": b"in/b/d\n"}, **batch),
            Scenario("a folder onto itself", "in in", {"in/a.pgm": image("flat.pgm")}, status=2, **batch),
            Scenario("--skip-existing", "-r --skip-existing in out", folder, **batch),
            Scenario("--json", "-r -j2 --json in out", folder, **batch),
            Scenario("--files-from", "--files-from list -O out",
                     {**folder, "list": b"in/a.pgm\nin/./b/d\nin/e.pam\n"}, **batch),
            Scenario("--files-from -", "--files-from - -O out", folder, data=b"in/a.pgm\0in/./b/d\0in/e.pam", **batch),
            Scenario("--shard", "-r --shard 1/2 in out", folder, **batch),
        ],
        "gpu": [
            Scenario(f"{op}, {variant}", f"-q --op {op} --variant {variant} a.pgm b.pgm",
                     {"a.pgm": image("impulse.pgm"), "b.pgm": OLD}, **gpu)
            for op, variant in (("smooth", "naive"), ("smooth", "shared"), ("smooth", "fused"),
                                ("transpose", "vector"), ("reverse", "vector"))
        ] + [
            Scenario("in bands", "-q -j2 --max-memory 1M --halo 1 --variant fused a.pgm b.png",
                     {"a.pgm": tall}, **gpu),
            Scenario("a chain", "-q --op smooth --op reverse --variant gpu a.ppm b.ppm",
                     {"a.ppm": image("rgb.ppm")}, **gpu),
            Scenario("a folder", "-q -r -j2 --variant shared in out", folder, **gpu_batch),
            Scenario("--verify", "-q --verify --variant coalesced a.pgm b.pgm",
                     {"a.pgm": image("gradient12.pgm")}, **gpu),
            Scenario("--list-devices", "--list-devices", {}, **gpu),
        ],
        "allocations": [Scenario("allocations", "", {}, kinds=("alloc",), repeats=True)],
        "calls": [Scenario("calls of the library", "", {}, kinds=("alloc", "thread", "cpus"), repeats=True)],
        "calls gpu": [Scenario("calls of the library, on a device", "", {}, kinds=("cuda",), repeats=True)],
    }


# The scenarios of the group `named`. This group tests a program that gives each temporary file a name when it creates
# the file. The usual program names a file only when it is complete.
NAMED = ("PGM, over an old file", "--no-clobber", "--in-place", "what a killed run has left", "a folder",
         "a folder, in place")


def scenarios_of(workshop, name):
    by_group = scenarios(workshop)
    if name != "named":
        return by_group[name]
    return [scenario for scenario in by_group["files"] + by_group["folders"] if scenario.name in NAMED]


def group_of(name):
    def group(workshop):
        options = f"exitcode={LEAK}"
        for variable in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            os.environ[variable] = f"{os.environ.get(variable, '')}:{options}"
        # The sanitizer must accept that FAULT_LIBRARY, which replaces malloc, is loaded before it.
        os.environ["ASAN_OPTIONS"] += ":verify_asan_link_order=0:allocator_may_return_null=1"
        workshop.outside = workshop.folder
        workshop.folder = workshop.folder / "files"
        workshop.folder.mkdir()
        total = collections.Counter()
        only = os.environ.get("FAULT_SCENARIO")
        for scenario in scenarios_of(workshop, name):
            if only in (None, scenario.name):
                total.update(sweep(workshop, scenario))
            if name == "named" and scenario.name == "--no-clobber":
                without_renameat2(workshop, scenario)
        print(f"{name}: {sum(total.values())} faults: "
              f"{', '.join(f'{count} {kind}' for kind, count in total.items() if count)}")
    return [group]


if __name__ == "__main__":
    program.main(__doc__, {name: group_of(name) for name in ("files", "streams", "folders", "named", "gpu", "allocations", "calls",
                                                             "calls gpu")})
