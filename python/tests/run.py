# SPDX-License-Identifier: MIT
"""run.py FOLDER SCRIPT [WORD...] runs SCRIPT, which lies beside run.py, with the package in FOLDER, or with the
installed package if FOLDER is `installed`. run.py --missing WHAT only prints what is missing and exits with 77, for
tests that the build cannot run."""

import os
import sys
from pathlib import Path

from common import need


def main(folder, script, *words):
    if folder == "--missing":
        print(f"skipped: the Python package is not built: {script}")
        return 77
    need("numpy", "scipy")
    if folder != "installed":
        os.environ["PYTHONPATH"] = folder
    script = Path(__file__).with_name(script)
    os.execv(sys.executable, [sys.executable, script, *words])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
