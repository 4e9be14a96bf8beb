# SPDX-License-Identifier: MIT
"""Tests comments in the headers of PBM, PGM, PPM and PAM: they are kept, with any bytes, and change no sample.

usage: comments.py PROGRAM IMAGES all"""
import shutil
import subprocess

import program
from metadata import REVERSE, SAME, SMOOTH, TRANSPOSE, metadata_of


def each_its_own(workshop):
    """Each image of a stream keeps its comments. (pnm.txt has comments at any place of a header.)"""
    many = b"P5 #first\n1 1 255\nA" + b"P5 1 1 255 B" + b"P5 #third\n1 1 255\nC"
    result = workshop.check_works(*SAME, "-", "-", data=many)
    workshop.check(result == b"P5\n#first\n1 1\n255\nA" + b"P5\n1 1\n255\nB" +
                   b"P5\n#third\n1 1\n255\nC", f"each its own: {result}")
    result = workshop.check_works(*SAME, "--strip-metadata", "-", "-", data=many)
    workshop.check(b"#" not in result, f"stripped: {result}")


def other_ways(workshop):
    """Each operation keeps comments in PBM, PGM and PPM, raw and plain (samples as text). An output in PNG has none."""
    workshop.take("letters.pbm", "rgb.ppm", "starfield.pgm")
    star = (workshop.folder / "starfield.pgm").read_bytes()
    (workshop.folder / "star.pgm").write_bytes(b"P5\n# of the sky\n" + star[3:])
    for name, magic, comment in (("letters.pbm", b"P4", b"black is 1"), ("star.pgm", b"P5", b"of the sky"),
                                 ("rgb.ppm", b"P6", b"a comment in the header")):
        for operation in (SMOOTH, TRANSPOSE, REVERSE):
            result = output_of(workshop, operation, name)
            workshop.check(result.startswith(magic + b"\n# " + comment + b"\n"), (name, operation))
            plain = workshop.check_works(*operation, "--plain", name, "-")
            wanted = b"P%d\n# %s\n" % (magic[1] - ord("3"), comment)
            workshop.check(plain.startswith(wanted), f"{name}: {plain[:40]}, not {wanted}")
        workshop.check(metadata_of(workshop.made(*SAME, name, "out.png")) == ([], []), name)


def output_of(workshop, operation, name):
    out = "out" + name[name.index("."):]
    return workshop.made(*operation, name, out)


def hostile_comments(workshop):
    """A comment may have any bytes. From the file that this program writes, this program reads the same pixels and
    comments, and Netpbm reads the same pixels."""
    texts = [b"\rP5 9 9 255", b"\0\0WIDTH 9", b"#" * 300, b"x" * 253 + b"WIDTH 9", b"ENDHDR", b"\xff" * 255,
             b"y" * 249 + b"\rWIDTH 9", b"", b" ENDHDR\rENDHDR"]
    for text in texts:
        if b"\r" in text:
            header = b"P7\n#" + text[:240] + b"\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\n"
        else:
            header = b"P5\n#" + text + b"\n2 1\n255\n"
        (workshop.folder / "in.pnm").write_bytes(header + b"AB")
        for ending in ("pgm", "pam"):
            out = workshop.folder / ("out." + ending)
            workshop.check_works(*SAME, "in.pnm", out.name)
            workshop.check_works(*SAME, out.name, "again." + ending)
            workshop.check((workshop.folder / ("again." + ending)).read_bytes() == out.read_bytes(),
                           f"{text[:30]}: {ending} is not its own copy")
            if shutil.which("pamtopam"):
                copy = subprocess.run(["pamtopam"], input=out.read_bytes(), capture_output=True,
                                      check=False).stdout
                workshop.check(copy.endswith(b"ENDHDR\nAB") and b"WIDTH 2\n" in copy,
                               f"{text[:30]}: Netpbm reads {copy} from {ending}")


if __name__ == "__main__":
    program.main(__doc__, {"all": [each_its_own, other_ways, hostile_comments]})
