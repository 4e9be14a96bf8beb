# SPDX-License-Identifier: MIT
"""What is said of a result that a person may not expect.

usage: notes.py PROGRAM IMAGES GROUP
"""
import re

import program
from npy_files import npy_file
from pictures import read_pictures


def effective(workshop):
    """Options that are refused where they have no effect (refused.txt) are not where they may have one."""
    workshop.take("flat.pgm", "alpha.pam")
    for line in ("--op reverse --op smooth --halo 2 flat.pgm out.pgm", "--scale flat.pgm out.png",
                 "--png-level 1 --format png flat.pgm out.pgm",
                 "--no-clobber flat.pgm new.pgm", "--op sharpen --sigma 2 --edge wrap flat.pgm out.pgm",
                 "--op smooth --op sharpen --op difference --amount 2 --offset 3 --norm sum flat.pgm out.pgm",
                 "--op difference --alpha separate --linear --sigma 2 --truncate 4 alpha.pam out.pam"):
        workshop.check_works(*line.split())
    ended = workshop.run("--scale", "-O", "out", "flat.pgm")
    workshop.check(ended.status == 0, f"--scale, into a folder: {ended}")


def said_by(workshop, *words):
    ended = workshop.run(*words)
    workshop.check(ended.status == 0, f"{words}: {ended}")
    return ended.err


def not_carried(workshop):
    """Once in a run; with -v of each file; never with -q, nor where nothing is lost."""
    workshop.make_folder("in", "rgb.ppm", "letters.pbm", "flat.pgm")
    workshop.take("rgb.ppm", "flat.pgm", "badge.png")
    said = said_by(workshop, "rgb.ppm", "out.png")
    workshop.check(said == "smoothimg: rgb.ppm: not carried over to PNG: comments\n", said)
    for words in (["-q", "rgb.ppm", "out.png"], ["rgb.ppm", "out.ppm"], ["flat.pgm", "out.png"],
                  ["--strip-metadata", "rgb.ppm", "out.png"]):
        said = said_by(workshop, *words)
        workshop.check(said == "", f"{words}: {said}")
    said = said_by(workshop, "-j1", "--format", "png", "in", "out")
    workshop.check(said.count("not carried over") == 1 and "(said once)"
                   in said, said)
    said = said_by(workshop, "-v", "-j1", "--format", "png", "in", "out")
    workshop.check(len(re.findall(r"\bnot_carried comments$", said, re.M)) == 2, said)


def dark(workshop):
    workshop.take("gradient12.pgm", "flat.pgm")
    said = said_by(workshop, "gradient12.pgm", "out.png")
    workshop.check("smoothimg: out.png: a maxval of 4095 in a PNG of 65535 looks 16 times too dark in "
                   "most viewers; --scale stretches it\n" in said, said)
    maxval = max(read_pictures(workshop.folder / "out.png")[0].samples)
    workshop.check(maxval <= 4095, f"samples up to {maxval}")
    for words in (["--scale", "gradient12.pgm", "out.png"], ["gradient12.pgm", "out.pgm"],
                  ["flat.pgm", "out.png"], ["-q", "gradient12.pgm", "out.png"]):
        workshop.check("dark" not in said_by(workshop, *words), f"{words}")
    workshop.make_folder("in", "gradient12.pgm")
    (workshop.folder / "in/b.pgm").write_bytes((workshop.folder / "gradient12.pgm").read_bytes())
    said = said_by(workshop, "--format", "png", "in", "out")
    workshop.check(said.count("too dark") == 1 and "(said once)" in said, said)


def without_effect(workshop):
    """Once in a run, of an image to which the option can do nothing."""
    workshop.make_folder("in", "flat.pgm", "rgb.ppm")
    workshop.take("flat.pgm", "alpha.pam")
    workshop.plant("pages.pgm", data=2 * (workshop.images / "flat.pgm").read_bytes())
    float_array(workshop, [0x3f800000, 0x40000000])
    for words, name, why in (("--nan skip", "flat.pgm", "--nan has no effect: its samples are integers"),
                             ("--alpha separate", "flat.pgm", "--alpha has no effect: it has no alpha"),
                             ("--linear", "in.npy", "--linear has no effect: its samples are floats"),
                             ("--float", "in.npy", "--float has no effect: its samples are floats"),
                             *((words, "flat.pgm", "the third number of --sigma or --halo has no effect: it has one page")
                               for words in ("--sigma 1,2,3", "--halo 2,2,2 --edge wrap", "--sigma 1 --halo 3,3,3"))):
        said = said_by(workshop, *words.split(), name, "out.npy")
        workshop.check(said == f"smoothimg: {name}: {why}\n", f"{words}: {said}")
        workshop.check(said_by(workshop, "-q", *words.split(), name, "out.npy") == "", f"-q {words}")
    for option, kind in (("--scale", "PNG"), ("--png-level 2", "PNG"), ("--quality 90", "JPEG"),
                         ("--tiff-compression deflate", "TIFF")):
        for output in ("-", "dotless", "out.npy"):
            said = said_by(workshop, *option.split(), "flat.pgm", output)
            workshop.check(said == f"smoothimg: flat.pgm: {option.split()[0]} has no effect: its output is not {kind}\n", said)
        said = said_by(workshop, *option.split(), "in", "out")
        workshop.check("no effect" not in said, f"{option}, a folder: {said}")
        said = said_by(workshop, *option.split(), "--format", "npy", "in", "out")
        workshop.check(said.count("has no effect") == 1 and "(said once)" in said, f"{option}, --format: {said}")
    said = said_by(workshop, "--nan", "skip", "in", "out")
    workshop.check(said.count("--nan has no effect") == 1 and "(said once)" in said, said)
    for line in ("--nan propagate flat.pgm out.pgm", "--alpha separate alpha.pam out.pam", "--float flat.pgm out.npy",
                 "--nan skip in.npy out.npy", "--halo 2,2,2 --edge zero flat.pgm out.pgm", "--halo 2,2,0 flat.pgm out.pgm",
                 "--alpha weighted flat.pgm out.pgm", "--halo 1,1,1 pages.pgm out.pgm"):
        workshop.check(said_by(workshop, *line.split()) == "", line)


def skipped(workshop):
    """Of a file that was not read nothing is known."""
    workshop.take("flat.pgm")
    workshop.make_folder("in", "flat.pgm")
    workshop.make_folder("out", "flat.pgm")
    said = said_by(workshop, "--linear", "--skip-existing", "flat.pgm", "out/flat.pgm")
    workshop.check(said == "", said)
    said = said_by(workshop, "--linear", "--skip-existing", "in", "out")
    workshop.check(said == "smoothimg: 0 done, 1 skipped (the output exists), 0 failed\n", said)


def float_array(workshop, samples, name="in.npy"):
    (workshop.folder / name).write_bytes(npy_file("<f4", (1, len(samples)), samples))


def array_of_channels(workshop):
    """A stack of images looks like an image of many channels."""
    (workshop.folder / "stack.npy").write_bytes(npy_file("|u1", (4, 48, 16), bytes(4 * 48 * 16)))
    said = said_by(workshop, "stack.npy", "out.npy")
    workshop.check(said == "smoothimg: stack.npy: read as 48 x 4 pixels of 16 channels, since the axes of an "
                   "array are rows, columns, channels; for a stack of images give --sigma or --halo three numbers, such as 2,2,0\n", said)
    workshop.check(said_by(workshop, "-q", "stack.npy", "out.npy") == "", "-q")
    workshop.check(said_by(workshop, "stack.npy", "out.pam").startswith("smoothimg: stack.npy: read as"), "to PAM")
    workshop.check(said_by(workshop, "out.pam", "back.pam") == "", "from PAM, which names its channels")
    (workshop.folder / "four.npy").write_bytes(npy_file("|u1", (4, 48, 4), bytes(4 * 48 * 4)))
    workshop.check(said_by(workshop, "four.npy", "out.npy") == "", "four channels")


def verified(workshop):
    workshop.take("two.pgm", "flat.pgm")
    for words, pixels in ((["two.pgm", "out.pgm"], "14 pixels in 2 images"),
                          (["flat.pgm", "out.pgm"], "3072 pixels in 1 image"),
                          (["-O", "out", "flat.pgm", "two.pgm"], "3086 pixels in 3 images")):
        said = said_by(workshop, "--verify", *words)
        workshop.check(f"smoothimg: verified: every sample of {pixels} is the reference's\n" in said,
                       said)
    workshop.check(said_by(workshop, "-q", "--verify", "flat.pgm", "out.pgm") == "", "-q")


if __name__ == "__main__":
    program.main(__doc__, {
        "effects": [effective],
        "results": [not_carried, dark, without_effect, skipped, array_of_channels, verified],
    })
