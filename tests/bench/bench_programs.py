# SPDX-License-Identifier: MIT
"""Tests the scripts programs.py and baseline.py of src/bench/scripts. Runs programs.py on small files.
programs.py compares smoothimg with other programs, and skips those that are not installed.

usage: bench_programs.py SCRIPT SMOOTHIMG SMOOTHIMG-BENCH"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

FAILURES = []


def check(good, what):
    if not good:
        FAILURES.append(what)
        print("wrong:", what)


def run(script, build, *words):
    return subprocess.run([sys.executable, script, "--build", build, "--size", "40", "--repeat", "2",
                           *words], capture_output=True, text=True)


def check_baseline(script, folder):
    """baseline.py compares two files of results. In the second file one measured kernel takes twice as long, one takes
    half as long, and one is missing."""
    def document(*rows):
        return json.dumps({"commit": "", "machine": {}, "gpu": None, "groups": [{"group": "sums", "size": "8 x 8", "rows": [
            {"row": name, "place": "gpu", "outcome": "timed", "median_s": time, "best_s": time} for name, time in rows]}]})
    before, after = folder / "before", folder / "after"
    before.write_text(document(("a", 1), ("gone", 1)) + "\n" + document(("b", 1e-3), ("c", 1)))
    after.write_text(document(("a", 1.04), ("b", 2e-3), ("c", 0.5)))
    ended = subprocess.run([sys.executable, script, before, after], capture_output=True, text=True)
    told = ended.stdout.splitlines()
    check(ended.returncode == 0 and told[-1] == "3 rows, 1 worse and 1 better by more than 5 %", f"{ended}")
    check(any(line.startswith("   1.000 ms    2.000 ms   2.000   2.000 WORSE  sums 8 x 8: gpu: b") for line in told), f"{told}")
    check("only in the old one: sums 8 x 8: gpu: gone" in told, f"{told}")
    ended = subprocess.run([sys.executable, script, before, script], capture_output=True, text=True)
    check(ended.returncode == 1 and ended.stderr == f"baseline.py: {script}: not of smoothimg-bench --json\n", f"{ended}")


def main(script, smoothimg, bench):
    build = Path(smoothimg).parent
    check(Path(bench).parent == build, "the programs are not in one folder")
    ended = run(script, build, "--halo", "2")
    check(ended.returncode == 0, f"exit status {ended.returncode}: {ended.stderr}")
    for case in ended.stdout.strip().split("\n\n"):
        rows = {line.split()[0]: line.split()[1:] for line in case.splitlines()[2:] if ": " not in line}
        check({"cp", "smoothimg"} <= set(rows), f"{sorted(rows)}")
        for name, (runs, median, best, *_, differ) in rows.items():
            check(runs == "2", f"the first run counts: {case}")
            check(0 < float(best) <= float(median), f"{case}")
            check(name != "smoothimg" or differ == "none", f"{case}")
        print(case)
    ended = run(script, build, "--programs", "cp")
    check(ended.returncode == 0 and "  cp " in ended.stdout, f"{ended}")
    check(all(len(line) <= 80 or ": " in line for line in ended.stdout.splitlines()), ended.stdout)
    check(run(script, build, "--programs", "nothing").returncode == 2, "a program that is not there")
    with tempfile.TemporaryDirectory() as folder:
        check_baseline(Path(script).with_name("baseline.py"), Path(folder))
    sys.exit(1 if FAILURES else 0)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
