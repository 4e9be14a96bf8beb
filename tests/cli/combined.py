# SPDX-License-Identifier: MIT
"""Tests the operations sharpen and difference where the result is the input or a constant. Also tests for which images
the last channel is alpha, which weights the other channels. (results.py compares samples with the definition.)

usage: combined.py PROGRAM IMAGES GROUP"""
import random
import re
from array import array

import definition
import program
from pictures import Picture, read_pictures, write_pictures
from results import compare

def identities(workshop):
    """With amount 0 or halo 0, sharpening changes no sample. If the image is flat or halo is 0, the smoothed image
    equals the image, so each sample of their difference is the offset."""
    workshop.take("chart.png", "palette.png", "alpha16.png", "flat.pgm")
    for name in ("chart.png", "palette.png", "alpha16.png"):
        for words in (["--amount", "0"], ["--halo", "0"]):
            compare(workshop, read_pictures(workshop.folder / name), ["--op", "sharpen", *words, name, "out.png"])
    for words, level in (([], 128), (["--offset", "7"], 7), (["--halo", "0"], 128), (["--offset", "255"], 255)):
        workshop.check_works("--op", "difference", *words, "flat.pgm", "out.pgm")
        [found] = read_pictures(workshop.folder / "out.pgm")
        workshop.check(set(found.samples) == {level}, f"{words}: {set(found.samples)}")
    workshop.check_works("--op", "difference", "--halo", "0", "palette.png", "out.png")
    [found] = read_pictures(workshop.folder / "out.png")
    workshop.check(set(found.samples) == {128}, f"a palette: {set(found.samples)}")


def kinds(workshop):
    """A PAM has alpha if its tuple type says so, a PNG if it has 2 or 4 channels."""
    draw = random.Random(5).randrange
    for channels, maxval, kind in (
            (2, 255, "GRAYSCALE_ALPHA"), (4, 65535, "RGB_ALPHA"), (2, 1, "BLACKANDWHITE_ALPHA"),
            (2, 255, "DEPTH_AND_HEAT"), (4, 255, "CMYK"), (4, 255, None), (4, 255, "PNG"),
            (2, 65535, "PNG"), (3, 255, "PNG")):
        samples = array("H", (draw(maxval + 1) for _ in range(9 * 7 * channels)))
        picture = Picture(9, 7, channels, maxval, samples)
        name = "in.png" if kind == "PNG" else "in.pam"
        write_pictures(workshop.folder / name, [picture])
        if name == "in.pam":
            path = workshop.folder / name
            line = f"TUPLTYPE {kind}\n".encode() if kind else b""
            path.write_bytes(re.sub(rb"TUPLTYPE \w+\n", line, path.read_bytes(), count=1))
        has_alpha = kind and (kind.endswith("ALPHA") or kind == "PNG" and channels != 3)
        alpha = "weighted" if has_alpha else "separate"
        once = definition.smooth(picture, 2, alpha=alpha)
        twice = definition.smooth(definition.transpose(once), 2, alpha=alpha)
        separate = definition.smooth(picture, 2, alpha="separate")
        for wanted, words in ((once, []), (once, ["-j3", "--max-memory", "4M"]), (separate, ["--alpha", "separate"]),
                              (twice, "--op smooth --op transpose --op smooth".split())):
            compare(workshop, [wanted], ["--halo", "2", *words, name, "out-" + name], kind)


if __name__ == "__main__":
    program.main(__doc__, {"samples": [identities], "kinds": [kinds]})
