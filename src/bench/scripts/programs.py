#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures whole programs side by side: each program reads a file, smooths the image, and writes a file.

For each program it prints the median and the best wall time of several runs, after one run that is not counted. Each
program runs once, then each a second time, and so on. The peak of memory is what the system counts for the program's
process. It is never below the memory of this script, about 20 MB, because the process begins as a copy of the script.
Results are compared with smoothimg's, sample by sample. A program that is not installed is named and left out. Inputs
are in the page cache. Outputs are new files.

Every program gets the same sigma and radius, the same rule for edges (if it has such a rule), the same number of
threads, and the same level of PNG compression.
"""
import argparse
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

# For each program: the command that must be installed, and the command line, either one for all formats or one for each
# format. vips has no option for a radius: its filter ends where the Gauss curve falls below the amplitude {least}. gm
# computes in 16 bits and truncates the results to 8 bits; ImageMagick does so only for PNG. Where a program truncates,
# its command line adds 128 to the 16-bit samples, which is half the step from one 8-bit sample to the next, so that
# truncation rounds.
PROGRAMS = {
    "cp": ("cp", "cp {source} {target}"),
    "smoothimg": ("sh", "{smoothimg} -q --halo {halo} -j {jobs} --png-level {level} {source} {target}"),
    "vips": ("vips", {"pgm": "vips gaussblur {source} {target} {sigma} --min-ampl {least}",
                      "png": "vips gaussblur {source} {target}[compression={level}] {sigma} --min-ampl {least}"}),
    "gm": ("gm", "gm convert {source} -gaussian {halo}x{sigma} -operator all add 128 -quality {level}5 "
                 "-type Grayscale {target}"),
    "imagemagick": ("convert-im6.q16", {
        "pgm": "convert-im6.q16 {source} -gaussian-blur {halo}x{sigma} {target}",
        "png": "convert-im6.q16 {source} -gaussian-blur {halo}x{sigma} -evaluate add 128 -quality {level}5 {target}"}),
}


def words_for(options, size, form, folder):
    """Returns a dictionary of the words that replace {halo} and the other names in braces in the command lines."""
    sigma = options.halo / 3
    return {"source": folder / f"in-{size}.{form}", "smoothimg": options.smoothimg, "halo": options.halo,
            "jobs": options.jobs, "level": options.png_level, "sigma": f"{sigma:.17g}",
            "least": f"{max(0.001, math.exp(-((options.halo + 0.5) / sigma) ** 2 / 2)):.6g}"}


class Row:
    def __init__(self, name, line, words, target):
        self.name, self.target = name, target
        self.line = (line if isinstance(line, str) else line[target.suffix[1:]]).format(**words, target=target)
        self.jobs, self.seconds, self.peak, self.fault, self.differ = words["jobs"], [], 0, None, None

    def go(self):
        """Runs the program. Stores its time and its peak of memory, or the fault that occurred."""
        self.target.unlink(missing_ok=True)
        threads = {"OMP_NUM_THREADS": str(self.jobs), "VIPS_CONCURRENCY": str(self.jobs)}
        start = time.monotonic()
        process = subprocess.Popen(["sh", "-c", self.line], env={**os.environ, **threads}, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        self.seconds.append(time.monotonic() - start)
        self.peak = max(self.peak, usage.ru_maxrss * 1024)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            self.fault = f"it ended with status {process.returncode}"


def share_of(options, ours, theirs):
    """Returns the share of 8-bit samples that differ, as text. Compares NPY files, since these contain no comments. The
    program cmp lists the differences, to keep the memory of this script small: the peak of memory that is counted for a
    program is at least the script's own."""
    arrays = [path.with_name(f"{name}.npy") for name, path in (("ours", ours), ("theirs", theirs))]
    for path, array in zip((ours, theirs), arrays):
        subprocess.run([options.smoothimg, "--halo", "0", "-q", path, array], check=True)
    ended = subprocess.run(["sh", "-c", 'cmp -l "$0" "$1" | wc -l', *arrays], check=True, stdout=subprocess.PIPE)
    samples = arrays[0].stat().st_size - 128  # without NPY's header of 128 bytes
    return f"{100 * int(ended.stdout) / samples:.3g} %" if int(ended.stdout) else "none"


def measure(options, size, form, folder):
    """Returns a Row for each program, smoothimg's first. The first run of a program is not counted; it shows whether
    the program makes a result."""
    words = words_for(options, size, form, folder)
    subprocess.run([options.bench, "--image", options.image, "--size", str(size), "--save-image", words["source"]],
                   check=True)
    rows = [Row(name, line, words, folder / f"{name}.{form}") for name, (needs, line) in PROGRAMS.items()
            if shutil.which(needs) and (name == "smoothimg" or not options.programs or name in options.programs)]
    rows.sort(key=lambda row: row.name != "smoothimg")
    for run in range(options.repeat + 1):
        for row in rows:
            if not row.fault:
                row.go()
            if run == 0:
                row.seconds = []
                row.differ = "-" if row.fault or rows[0].fault else share_of(options, rows[0].target, row.target)
    return rows


def tell(options, size, form, rows):
    print(f"\n{options.image} {size} x {size}, {form} to {form}, halo {options.halo}, {options.jobs} threads")
    print(f"  {'program':14}{'runs':>4}{'median s':>10}{'best s':>9}{'times ours':>12}{'peak MB':>9}{'out MB':>8}  differ")
    for row in rows:
        if row.fault:
            print(f"  {row.name:14}{row.fault}")
            continue
        median = statistics.median(row.seconds)
        print(f"  {row.name:14}{len(row.seconds):4}{median:10.4f}{min(row.seconds):9.4f}"
              f"{median / statistics.median(rows[0].seconds or [math.inf]):12.2f}{row.peak / 1e6:9.0f}"
              f"{row.target.stat().st_size / 1e6:8.2f}  {row.differ}")
    for name, (needs, _) in PROGRAMS.items():
        if not shutil.which(needs):
            print(f"  {name}: not here; ./setup.sh --peers installs it")


def listed(text):
    return text.split(",")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="where smoothimg is")
    parser.add_argument("--format", type=listed, default=["pgm", "png"], metavar="LIST", help="default pgm,png")
    parser.add_argument("--image", default="photo", choices=["photo", "noise", "chequer"])
    parser.add_argument("--size", type=listed, default=[512, 4096], metavar="LIST", help="sides (default 512,4096)")
    parser.add_argument("--halo", type=int, default=4)
    parser.add_argument("--png-level", type=int, default=1)
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--programs", type=listed, metavar="LIST", help=f"of {', '.join(PROGRAMS)}; default: all")
    options = parser.parse_args()
    options.smoothimg, options.bench = (options.build.resolve() / name for name in ("smoothimg", "smoothimg-bench"))
    for unknown in set(options.programs or []) - set(PROGRAMS):
        parser.error(f"--programs {unknown}: there are {', '.join(PROGRAMS)}")
    fault = False
    with tempfile.TemporaryDirectory() as folder:
        for size in options.size:
            for form in options.format:
                rows = measure(options, size, form, Path(folder))
                fault |= rows[0].fault is not None
                tell(options, size, form, rows)
    sys.exit(1 if fault else 0)


if __name__ == "__main__":
    main()
