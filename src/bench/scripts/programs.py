#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures whole programs side by side: they read a file, smooth, and write a file.

The wall times, from start to end, are the median and the best of several runs, after one run that is
not counted; the programs take turns. The peak of memory is the system's figure for the process; it is
at least what this script takes itself, about 20 MB. Results are compared with smoothimg's, sample by
sample. A program that is not installed is named and left out. Inputs are in the page cache. Outputs
are new files.

Every program gets the same filter: the same sigma, radius and (where it can) edges, the same number
of threads, and the same level of PNG compression. ImageMagick's limits are lifted.
"""
import argparse
import math
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CHUNK = 1 << 16  # bytes that are compared at once: this script stays small, see above
POLICY = """<policymap>
<policy domain="resource" name="memory" value="64GiB"/>
<policy domain="resource" name="map" value="64GiB"/>
<policy domain="resource" name="disk" value="64GiB"/>
<policy domain="resource" name="width" value="1MP"/>
<policy domain="resource" name="height" value="1MP"/>
<policy domain="resource" name="area" value="64GP"/>
</policymap>
"""


class Case:
    """A size and a format: where the files are, and the numbers of the filter."""

    def __init__(self, options, folder, size, form):
        self.halo, self.sigma = options.halo, options.halo / 3
        self.jobs, self.level, self.form, self.size = options.jobs, options.png_level, form, size
        self.folder = folder
        self.input = folder / f"in-{size}.{form}"

    def output(self, name):
        return self.folder / f"{name}.{self.form}"

    def vips_amplitude(self):
        """vips cuts its filter where the bell curve falls below this: between halo and halo + 1.
        It takes no less than 0.001, which small halos do not need."""
        return max(0.001, math.exp(-((self.halo + 0.5) / self.sigma) ** 2 / 2))

    def weights(self):
        """Netpbm's matrix, in a file."""
        line = [math.exp(-(k / self.sigma) ** 2 / 2) for k in range(-self.halo, self.halo + 1)]
        total = sum(line)
        path = self.folder / "weights.txt"
        path.write_text("".join(" ".join(f"{a * b / total / total:.17g}" for b in line) + "\n"
                                for a in line))
        return path


# --- the programs: each gives a list of words, or a line for the shell, or None: not here ---------

def first_of(*names):
    return next((path for path in map(shutil.which, names) if path), None)


def cp(case, out, tools):
    return ["cp", case.input, out]


def smoothimg(case, out, tools):
    level = ["--png-level", case.level] if case.form == "png" else []
    return [tools.smoothimg, "--halo", case.halo, "-j", case.jobs, *level, case.input, out]


def smoothimg_gpu(case, out, tools):
    if not tools.has_gpu():
        return None
    return [*smoothimg(case, out, tools), "--variant", "gpu"]


def vips(case, out, tools):
    if not shutil.which("vips"):
        return None
    target = f"{out}[compression={case.level}]" if case.form == "png" else out
    return ["vips", "gaussblur", case.input, target, f"{case.sigma:.17g}",
            "--min-ampl", f"{case.vips_amplitude():.6g}"]


def vips_exact(case, out, tools):
    if not shutil.which("vips"):
        return None
    target = f"{out}[compression={case.level}]" if case.form == "png" else str(out)
    a, b, c = (shlex.quote(str(case.folder / name)) for name in ("a.v", "b.v", "c.v"))
    return (f"vips cast {shlex.quote(str(case.input))} {a} double && vips gaussblur {a} {b} "
            f"{case.sigma:.17g} --min-ampl {case.vips_amplitude():.6g} --precision float && "
            f"vips round {b} {c} rint && vips cast {c} {shlex.quote(target)} uchar")


def graphicsmagick(case, out, tools):
    if not shutil.which("gm"):
        return None
    # It computes in 16 bits and cuts the lower 8 off: a half of the unit is added before. Without
    # its type the PNG would be RGB.
    return ["gm", "convert", case.input, "-gaussian", f"{case.halo}x{case.sigma:.17g}", "-operator",
            "all", "add", "128", *quality(case), "-type", "Grayscale", out]


def imagemagick(case, out, tools):
    # A convert is also what other systems call their own; these names are ImageMagick's alone.
    program = first_of("magick", "convert-im7.q16", "convert-im6.q16")
    if not program:
        return None
    # It rounds for PGM, and for PNG it cuts off as gm does.
    half = ["-evaluate", "add", "128"] if case.form == "png" else []
    return [program, case.input, "-gaussian-blur", f"{case.halo}x{case.sigma:.17g}", *half,
            *quality(case), out]


def quality(case):
    """Both Magicks' PNG quality: the tens are the level, 5 is a filter for each row."""
    return ["-quality", case.level * 10 + 5] if case.form == "png" else []


def netpbm(case, out, tools):
    if not all(map(shutil.which, ("pnmconvol", "pngtopam", "pnmtopng"))):
        return None
    source, target = shlex.quote(str(case.input)), shlex.quote(str(out))
    blur = f"pnmconvol -matrixfile={shlex.quote(str(case.weights()))}"
    if case.form == "png":
        return f"pngtopam {source} | {blur} - | pnmtopng -compression {case.level} > {target}"
    return f"{blur} {source} > {target}"


def opencv(case, out, tools):
    if not tools.opencv:
        return None
    return [tools.opencv, case.input, out, case.halo, case.jobs, case.level]


PROGRAMS = {
    "cp": (cp, "copies the file"),
    "smoothimg": (smoothimg, ""),
    "smoothimg-gpu": (smoothimg_gpu, "needs a GPU, and smoothimg built for it"),
    "vips": (vips, "8-bit integers; install libvips-tools"),
    "vips-exact": (vips_exact, "four commands, in doubles; install libvips-tools"),
    "gm": (graphicsmagick, "install graphicsmagick"),
    "imagemagick": (imagemagick, "install imagemagick"),
    "netpbm": (netpbm, "leaves a border as it was; install netpbm"),
    "opencv": (opencv, "build with -Dpeers=enabled, libopencv-imgproc-dev, libopencv-imgcodecs-dev"),
}


class Tools:
    def __init__(self, options):
        self.smoothimg = options.smoothimg
        program = options.smoothimg.parent / "src" / "bench" / "opencv_blur"
        self.opencv = program if program.exists() else None

    def has_gpu(self):
        listed = subprocess.run([self.smoothimg, "--list-devices"], capture_output=True, text=True)
        return listed.returncode == 0 and "Emulated" not in listed.stdout


# --- running ------------------------------------------------------------------------------------

def environment(case):
    policy = case.folder / "policy"
    policy.mkdir(exist_ok=True)
    (policy / "policy.xml").write_text(POLICY)
    return {**os.environ, "OMP_NUM_THREADS": str(case.jobs), "VIPS_CONCURRENCY": str(case.jobs),
            "MAGICK_CONFIGURE_PATH": str(policy), "MAGICK_TMPDIR": str(case.folder)}


def words_of(command):
    return ["sh", "-c", command] if isinstance(command, str) else [str(word) for word in command]


def run(command, case, patience):
    """(seconds, peak bytes), or a sentence that says what went wrong."""
    errors = case.folder / "errors.txt"
    with open(errors, "wb") as stream:
        start = time.monotonic()
        process = subprocess.Popen(words_of(command), stdin=subprocess.DEVNULL, env=environment(case),
                                   stdout=subprocess.DEVNULL, stderr=stream, start_new_session=True)
        timer = threading.Timer(patience, os.killpg, (process.pid, 9))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    if seconds > patience:
        return f"it took more than {patience:g} s"
    if process.returncode != 0:
        said = errors.read_text(errors="replace").strip().splitlines()
        return f"it ended with status {process.returncode}: {said[0] if said else 'not a word'}"
    return seconds, usage.ru_maxrss * 1024


def samples_that_differ(path, reference, case, tools):
    """How many, of 8-bit grey images of the same size; None: the files cannot be compared. As arrays,
    which keep no comments."""
    arrays = []
    for file, array in (path, case.folder / "theirs.npy"), (reference, case.folder / "ours.npy"):
        made = subprocess.run([tools.smoothimg, "--halo", "0", "-q", file, array])
        if made.returncode != 0:
            return None
        arrays.append(array)
    different = 0
    with open(arrays[0], "rb") as a, open(arrays[1], "rb") as b:
        while one := a.read(CHUNK):
            other = b.read(CHUNK)
            if len(one) != len(other):
                return None
            both = int.from_bytes(one, "little") ^ int.from_bytes(other, "little")
            different += len(one) - both.to_bytes(len(one), "little").count(0)
    for array in arrays:
        array.unlink()
    return different


class Row:
    def __init__(self, name, command, out):
        self.name, self.command, self.out = name, command, out
        self.seconds, self.peak, self.fault, self.out_bytes, self.differ = [], 0, None, 0, None

    def go(self, case, patience):
        self.out.unlink(missing_ok=True)
        outcome = run(self.command, case, patience)
        self.fault = outcome if isinstance(outcome, str) else None
        if not self.fault:
            self.seconds.append(outcome[0])
            self.peak = max(self.peak, outcome[1])


def check(rows, case, tools, patience):
    """The first run, which is not counted: is there a result, and how far is it from ours?"""
    ours = case.output("smoothimg")
    for row in rows:
        row.go(case, patience)
        if not row.fault:
            row.seconds, row.peak = [], 0
            row.out_bytes = case.output(row.name).stat().st_size
            if row.name != "cp":
                row.differ = samples_that_differ(case.output(row.name), ours, case, tools)


def measure(case, tools, options):
    rows, missing = [], []
    for name, (make, remark) in PROGRAMS.items():
        if options.programs and name not in options.programs and name != "smoothimg":
            continue
        command = make(case, case.output(name), tools)
        if command is None:
            missing.append(f"{name}: not here ({remark})")
        else:
            rows.append(Row(name, command, case.output(name)))
    rows.sort(key=lambda row: row.name != "smoothimg")  # it is what the others are compared with
    check(rows, case, tools, options.timeout)
    for _ in range(options.repeat):
        for row in rows:
            if not row.fault:
                row.go(case, options.timeout)
    return rows, missing


# --- telling ------------------------------------------------------------------------------------

def tell(case, rows, missing, options):
    level = f", PNG level {case.level}" if case.form == "png" else ""
    print(f"\n{options.image} {case.size} x {case.size}, {case.form} to {case.form}{level}, "
          f"halo {case.halo}, {case.jobs} threads")
    print(f"  {'program':14}{'runs':>4}{'median s':>10}{'best s':>9}{'times ours':>12}{'peak MB':>9}"
          f"{'out MB':>8}  differ")
    ours = next((statistics.median(row.seconds) for row in rows if row.seconds), None)
    for row in rows:
        if row.fault or not row.seconds:
            print(f"  {row.name:14}{row.fault}")
            continue
        median = statistics.median(row.seconds)
        share = ("-" if row.differ is None else
                 "none" if row.differ == 0 else f"{100 * row.differ / case.size ** 2:.3g} %")
        print(f"  {row.name:14}{len(row.seconds):4}{median:10.4f}{min(row.seconds):9.4f}{median / ours:12.2f}"
              f"{row.peak / 1e6:9.0f}{row.out_bytes / 1e6:8.2f}  {share}")
    for line in missing:
        print(f"  {line}")


def numbers(text):
    return [int(word) for word in text.split(",")]


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="where the programs are")
    parser.add_argument("--format", default="pgm,png", metavar="LIST", help="default pgm,png")
    parser.add_argument("--image", default="photo", choices=["photo", "noise", "chequer"])
    parser.add_argument("--size", type=numbers, default=[512, 4096], metavar="LIST",
                        help="sides of the square images (default 512,4096)")
    parser.add_argument("--halo", type=int, default=4)
    parser.add_argument("--png-level", type=int, default=1)
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--timeout", type=float, default=120, metavar="S", help="of one run")
    parser.add_argument("--folder", help="where the files are written (default: a temporary one)")
    parser.add_argument("--programs", type=lambda text: text.split(","), metavar="LIST",
                        help=f"of {', '.join(PROGRAMS)}; default: all that are here")
    options = parser.parse_args()
    options.smoothimg = (options.build / "smoothimg").resolve()
    options.bench = (options.build / "smoothimg-bench").resolve()
    for unknown in set(options.programs or []) - set(PROGRAMS):
        parser.error(f"--programs {unknown}: there are {', '.join(PROGRAMS)}")
    for program in (options.smoothimg, options.bench):
        if not program.exists():
            parser.error(f"{program} is missing: build it, or name another --build")
    if options.halo < 1 or options.repeat < 1:
        parser.error("--halo and --repeat must be at least 1")
    return options


def main():
    options = read_options()
    tools = Tools(options)
    fault = False
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for size in options.size:
            for form in options.format.split(","):
                case = Case(options, Path(folder), size, form)
                subprocess.run([options.bench, "--image", options.image, "--size", str(size),
                                "--save-image", case.input], check=True)
                rows, missing = measure(case, tools, options)
                fault |= rows[0].fault is not None
                tell(case, rows, missing, options)
    sys.exit(1 if fault else 0)


if __name__ == "__main__":
    main()
