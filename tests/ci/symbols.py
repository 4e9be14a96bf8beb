# SPDX-License-Identifier: MIT
"""symbols.py LIBRARY HEADER: checks that the library, shared or static, exports the functions that its header declares,
and no other symbols."""
import re
import subprocess
import sys


def main(library, header):
    kind = "--extern-only" if library.endswith(".a") else "--dynamic"
    lines = subprocess.run(["nm", kind, "--defined-only", "--format=posix", library], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    visible = {line.split()[0].split("@")[0] for line in lines if not line.endswith(":")}
    with open(header, encoding="utf-8") as text:
        declared = set(re.findall(r"^SMOOTHIMG_API[^;]*?\b(smoothimg_\w+)\(", text.read(), re.MULTILINE))
    for name in sorted(visible ^ declared):
        print(f"{name}: {'not declared' if name in visible else 'not visible'}")
    print(f"{len(visible & declared)} functions")
    return int(visible != declared or not declared)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
