# SPDX-License-Identifier: MIT
"""symbols.py LIBRARY HEADER: the library defines for others what its header declares, and no more."""
import re
import subprocess
import sys


def main(library, header):
    visible = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                             check=True).stdout.split("\n")
    visible = {line.split()[-1] for line in visible if line}
    with open(header, encoding="utf-8") as text:
        declared = set(re.findall(r"^SMOOTHIMG_API[^;]*?\b(smoothimg_\w+)\(", text.read(), re.MULTILINE))
    for name in sorted(visible ^ declared):
        print(f"{name}: {'not declared' if name in visible else 'not visible'}")
    print(f"{len(visible & declared)} functions")
    return int(visible != declared or not declared)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
