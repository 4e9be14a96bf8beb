# SPDX-License-Identifier: MIT
"""src/bench/scripts/programs.py on small files, with the programs that are here.

usage: bench_programs.py SCRIPT SMOOTHIMG SMOOTHIMG-BENCH
"""
import json
import subprocess
import sys
from pathlib import Path

FAILURES = []


def check(good, what):
    if not good:
        FAILURES.append(what)
        print("wrong:", what)


def run(script, build, *words):
    return subprocess.run([sys.executable, script, "--build", build, "--size", "40", "--repeat", "2",
                           *words], capture_output=True, text=True)


def main(script, smoothimg, bench):
    build = Path(smoothimg).parent
    check(Path(bench).parent == build, "the programs are not in one folder")
    ended = run(script, build, "--json", "--halo", "2")
    check(ended.returncode == 0, f"exit status {ended.returncode}: {ended.stderr}")
    for case in json.loads(ended.stdout)["cases"]:
        rows = {row["program"]: row for row in case["rows"]}
        check({"cp", "smoothimg"} <= set(rows), f"{sorted(rows)}")
        check(rows["smoothimg"]["differing_samples"] == 0, f"{rows['smoothimg']}")
        for row in rows.values():
            check(row["fault"] is None, f"{row}")
            check(row["fault"] or 0 < row["best_s"] <= row["median_s"], f"{row}")
            check(row["fault"] or row["runs"] == 2, f"the first run counts: {row}")
            print(case["format"], row["program"], row.get("differing_samples"))
        for line in case["missing"]:
            print(line)
    ended = run(script, build, "--programs", "cp")
    check(ended.returncode == 0 and "  cp " in ended.stdout, f"{ended}")
    check(all(len(line) <= 80 or ": " in line for line in ended.stdout.splitlines()), ended.stdout)
    check(run(script, build, "--programs", "nothing").returncode == 2, "a program that is not there")
    sys.exit(1 if FAILURES else 0)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
