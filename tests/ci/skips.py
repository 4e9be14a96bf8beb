# SPDX-License-Identifier: MIT
"""skips.py BUILD    prints which tests the last `meson test -C BUILD` skipped, and why; exits with 1 if
                  `./setup.sh --developer` would have let one of them run
skips.py --bites  checks that the script finds such a test"""
import json
import re
import sys
import tempfile
from pathlib import Path

# Reasons for which a test is rightly skipped: `./setup.sh --developer` would not remove them.
FORCED = re.compile(r"this processor|there is (no|a) GPU|no device|no such address space|GB of free disk|the time is up|"
                    r"as root, and another user|unshare --pid is not|no small disk|a file system without|"
                    r"(ImageMagick|vips|OpenCV) is not installed|an interpreter without sanitizers|no module nanobind")


def skips(log):
    """Yields (test, reason) for each line `skipped: REASON` that a test has printed, and for each skipped test without
    such a line."""
    for line in log.read_text().splitlines():
        test = json.loads(line)
        said = [""] + (test.get("stdout", "") + test.get("stderr", "")).split("\n")
        whys = [line for line in said if line.startswith("skipped: ")]
        if test["result"] == "SKIP" and not whys:
            whys = [line for line in said if line.strip()][-1:] or ["it does not say why"]
        yield from ((test["name"], why.removeprefix("skipped: ")) for why in whys)


def main(build):
    # Reads the newest log, because the log's name depends on meson's --wrapper.
    logs = sorted(Path(build, "meson-logs").glob("testlog*.json"), key=lambda log: log.stat().st_mtime)
    missing = 0
    if not logs:
        print(f"skips.py: no log of tests in {build}; run meson test -C {build} first")
        return 1
    for name, why in skips(logs[-1]):
        forced = FORCED.search(why)
        print(f"{'skipped' if forced else 'SKIPPED, and should not be'}: {name}: {why}")
        missing += not forced
    return 1 if missing else 0


def bites():
    for wanted, result, said in ((0, "SKIP", "avx512: this processor lacks it"), (1, "SKIP", ""),
                                 (1, "SKIP", "no module scipy"), (0, "OK", "no module scipy"), (1, "", "no log"),
                                 (1, "OK", "skipped: pnm: pngtopnm is not installed\n7 checks")):
        with tempfile.TemporaryDirectory() as build:
            log = Path(build, "meson-logs", "testlog-until.sh.json" if result else "no.log")
            log.parent.mkdir()
            log.write_text(json.dumps({"name": "planted", "result": result, "stdout": said}) + "\n")
            if main(build) != wanted:
                return f"{result}, \"{said}\": not {wanted}"
    return 0


if __name__ == "__main__":
    sys.exit(bites() if sys.argv[1] == "--bites" else main(sys.argv[1]))
