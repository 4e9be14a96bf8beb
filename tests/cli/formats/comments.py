# SPDX-License-Identifier: MIT
"""Tests comments in the headers of PBM, PGM, PPM and PAM: they are kept, with any bytes, and change no sample.

usage: comments.py PROGRAM IMAGES GROUP    GROUP: all
"""
import shutil
import subprocess

import program
from metadata import REVERSE, SAME, SMOOTH, TRANSPOSE, metadata_of

HEADERS = {  # {a header with comments: the comments}
    b"P5\n#one\n# two #\n2 1\n#\n255\n": [b"one", b" two #", b""],
    b"P5#one\n2#two\r1 255#three\n": [b"one", b"two", b"three"],
    b"P5 2 1 255 ": [],
    b"P7\n#one\nWIDTH 2\nHEIGHT 1\n# \xff\0two\r#b\nDEPTH 1\nMAXVAL 255\n#three\nENDHDR\n":
        [b"one", b" \xff\0two", b"#b", b"three"],
    b"P5 #P7\n#a\r2 1\n255\n": [b"P7", b"a"],
    b"P7\n##" + b"long" * 500 + b"WIDTH 9\nWIDTH 2\nHEIGHT 1\nDEPTH 1\n\n#\n#\nMAXVAL 255\nENDHDR\n":
        [b"#" + b"long" * 500 + b"WIDTH 9", b"", b""],
    b"P5 # " + b"long" * 500 + b"\n2 1 255\n": [b" " + b"long" * 500],
}


def comments_in(data):
    """Returns the comments after the magic number, and the file without them."""
    found, start = [], 3
    while data[start:start + 1] == b"#":
        end = data.index(b"\n", start)
        found.append(data[start + 1:end])
        start = end + 1
    return found, data[:3] + data[start:]


def comments(workshop):
    """Comments at any place of a header are kept, from each Netpbm format to PGM and PAM, and for each image of a
    stream."""
    heads = {"pgm": b"P5\n2 1\n255\n", "pam": b"P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\n"
                                              b"TUPLTYPE GRAYSCALE\nENDHDR\n"}
    for header, wanted in HEADERS.items():
        (workshop.folder / "in.pnm").write_bytes(header + b"#\n")  # the samples are #\n, like a comment
        for ending, bare in heads.items():
            workshop.check_works(*SAME, "in.pnm", "out." + ending)
            found, rest = comments_in((workshop.folder / ("out." + ending)).read_bytes())
            if ending == "pam" and max(map(len, wanted), default=0) > 250:
                workshop.check(max(map(len, found)) < 254, "a line that readers of PAM would cut")
                found = [b"".join(found[:len(found) + 1 - len(wanted)])] + wanted[1:]
            workshop.check(found == wanted, f"{header[:60]}: {found}, not {wanted}")
            if header.startswith(b"P7"):  # a PAM without a tuple type
                bare = bare.replace(b"TUPLTYPE GRAYSCALE\n", b"")
            workshop.check(rest == bare + b"#\n", f"{header[:60]}: {rest}")
        workshop.check(workshop.check_works(*SAME, "--strip-metadata", "in.pnm", "-").count(b"#") == 1,
                       "stripped")
    many = b"P5 #first\n1 1 255\nA" + b"P5 1 1 255 B" + b"P5 #third\n1 1 255\nC"
    result = workshop.check_works(*SAME, "-", "-", data=many)
    workshop.check(result == b"P5\n#first\n1 1\n255\nA" + b"P5\n1 1\n255\nB" +
                   b"P5\n#third\n1 1\n255\nC", f"each its own: {result}")


def other_ways(workshop):
    """Comments are kept by each operation, in plain files, bitmaps and colours; PNG drops them."""
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
        workshop.check_works(*SAME, name, "out.png")
        workshop.check(metadata_of((workshop.folder / "out.png").read_bytes()) == ([], []), name)


def output_of(workshop, operation, name):
    out = "out" + name[name.index("."):]
    workshop.check_works(*operation, name, out)
    return (workshop.folder / out).read_bytes()


def hostile_comments(workshop):
    """A comment may have any bytes. This program and Netpbm read the same pixels and comments from the file that this
    program writes."""
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
    program.main(__doc__, {"all": [comments, other_ways, hostile_comments]})
