# SPDX-License-Identifier: MIT
"""Tests that the same input and options always give the same bytes.

usage: same_bytes.py PROGRAM IMAGES GROUP    GROUP: all
"""
import os
import shutil

import program
from metadata import REVERSE, SMOOTH, TRANSPOSE, rich_file
from png_reader import RGB

def same_bytes(workshop):
    """Every format has the same bytes in a second run, at another time and place, by any variant and number of threads,
    in bands or as a whole, from a file or a stream."""
    samples = [[(x * x + 3 * y * y) >> 3 & 255 for x in range(3 * 300)] for y in range(411)]
    (workshop.folder / "in.png").write_bytes(rich_file(RGB, 8, 300, 411, samples))
    (workshop.folder / "in.ppm").write_bytes(
        b"P6\n# a comment\n300 411\n255\n" + b"".join(bytes(row) for row in samples))
    for operation in (SMOOTH, TRANSPOSE, REVERSE):
        for source in ("in.png", "in.ppm"):
            for ending in ("png", "ppm", "pam"):
                results = {way: result_of(workshop, [*operation, *more], source, ending)
                           for way, more in WAYS.items()}
                results |= other_results(workshop, operation, source, ending)
                wanted = results["once"]
                for way, result in results.items():
                    workshop.check(result == wanted, f"{operation} {source} to {ending}: {way}")


WAYS = {
    "once": [], "again": [], "one thread": ["-j", "1"], "five threads": ["-j", "5"],
    "the reference": ["--variant", "reference"], "the processor": ["--variant", "cpu"],
    "little memory": ["--max-memory", "1M"], "verified": ["--verify"],
    "with a record": ["-q", "--json"],
}


def result_of(workshop, words_, source, ending):
    workshop.run(*words_, source, "out." + ending)
    return (workshop.folder / ("out." + ending)).read_bytes()


def other_results(workshop, operation, source, ending):
    """Returns the results of other runs: through streams, into a folder, and with another clock, name and
    environment."""
    data = (workshop.folder / source).read_bytes()
    other = workshop.folder / "another place"
    other.mkdir(exist_ok=True)
    (other / ("name" + source[2:])).write_bytes(data)
    environment = {"TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "MALLOC_PERTURB_": "165",
                   "SMOOTHIMG_CPU": "base", "PATH": os.environ["PATH"]}
    found = {"streams": workshop.check_works(*operation, "--format", ending, "-", "-", data=data)}
    ended = workshop.run("-v", *operation, "--format", ending, other.name + "/name" + source[2:], "odd",
                         env=environment)
    workshop.check(ended.status == 0 and "instructions base" in ended.err,
                   f"elsewhere: {ended}")
    found["elsewhere"] = (workshop.folder / "odd").read_bytes()
    workshop.check_works("-q", *operation, "--format", ending, other.name, "folder")
    found["folder"] = (workshop.folder / "folder" / ("name." + ending)).read_bytes()
    shutil.rmtree(workshop.folder / "folder")
    shutil.rmtree(other)
    return found


if __name__ == "__main__":
    program.main(__doc__, {"all": [same_bytes]})
