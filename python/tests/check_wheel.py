# SPDX-License-Identifier: MIT
"""check_wheel.py WHEEL: checks that the wheel contains only the package, one extension, metadata and the
licence."""

import re
import sys
import zipfile
from pathlib import Path

MODULES = list((Path(__file__).parent.parent / "smoothimg").glob("*.py"))
# Maps a pattern to the number of files in the wheel whose names match the pattern.
WANTED = {
    r"smoothimg/_core\.[\w.-]+\.so": 1,
    r"smoothimg/_(core|scipy|several)\.pyi": 3,
    r"smoothimg/py\.typed": 1,
    r"smoothimg/(?!_core)\w+\.py": len(MODULES),
    r"smoothimg-[\d.]+\.dist-info/(METADATA|RECORD|WHEEL|licenses/LICENSE)": 4,
}


def main(wheel):
    names = [name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")]
    print(*names, sep="\n")
    found = {
        pattern: sum(bool(re.fullmatch(pattern, name)) for name in names) for pattern in WANTED
    }
    wrong = {pattern: count for pattern, count in found.items() if count != WANTED[pattern]}
    others = len(names) - sum(found.values())
    if wrong or others:
        sys.exit(f"counts that are wrong: {wrong}; other files: {others}")


if __name__ == "__main__":
    main(*sys.argv[1:])
