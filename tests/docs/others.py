# SPDX-License-Identifier: MIT
"""Runs the blocks of the manual's section OTHER PROGRAMS: smoothimg, and another program that computes the same filter.
Compares the number of samples that differ with the number in the manual's table.

usage: others.py PROGRAM MANUAL IMAGES NAME     NAME: SciPy, ImageMagick, vips or OpenCV; prints its rows of the table

Exit status 77: NAME is not installed. A count may differ from the manual's by 1 %, since the last bits of the other
program's weights depend on the processor. If the installed version of the other program is not the manual's, the test
checks only the blocks for which the manual's count is 0. In these blocks one sample in a thousand may differ by 1."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from array import array
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "definition"))
from definition import plane_of
from manual import blocks_of, section
from pictures import read_pictures, write_pictures

IMAGES = {"chart": "chart.png", "starfield": "starfield.pgm", "starfield16": "starfield16.pgm",
          "colours": "colours.png"}
NAMES = ("SciPy", "ImageMagick", "vips", "OpenCV")
ALPHA = "alpha16.png"


class Missing(Exception):
    """Raised if the other program is not installed."""


# --- the other programs: each takes a picture and a manual's block of lines, and returns the samples --------

def in_python(picture, lines, names):
    """Runs the lines once for each channel. The lines read the array `image`, and set the array `out`."""
    import numpy as np
    samples = array("H", picture.samples)
    for channel in range(picture.channels):
        image = np.array(plane_of(picture, channel)).astype(np.uint8 if picture.maxval == 255 else np.uint16)
        space = {"np": np, "image": image, **names}
        exec("\n".join(lines), space)
        samples[channel::picture.channels] = array("H", space["out"].astype(int).ravel().tolist())
    return samples


def in_shell(picture, lines, folder, words):
    """Runs the lines as commands. Replaces the manual's file names and sample type by those that fit the picture."""
    extension = {1: "pgm", 3: "ppm", 4: "png"}[picture.channels]
    text = "\n".join(lines).replace(".pgm", f".{extension}")
    if picture.maxval > 255:
        text = text.replace("uchar", "ushort")
    for old, new in words.items():
        text = re.sub(rf"^{old}\b", new, text, flags=re.M)
    write_pictures(folder / f"in.{extension}", [picture])
    subprocess.run(["sh", "-e", "-c", text], cwd=folder, check=True)
    return read_pictures(folder / f"out.{extension}")[0].samples


def scipy(picture, lines, folder):
    from scipy.ndimage import gaussian_filter
    return in_python(picture, lines, {"gaussian_filter": gaussian_filter})


def opencv(picture, lines, folder):
    import cv2
    return in_python(picture, lines, {"cv2": cv2})


def imagemagick(picture, lines, folder):
    return in_shell(picture, lines, folder, {"convert": magick()})


def vips(picture, lines, folder):
    return in_shell(picture, lines, folder, {})


def magick():
    """Returns the path of ImageMagick's program. Does not try the name `convert`, which may be another program."""
    return next(filter(None, map(shutil.which, ("magick", "convert-im7.q16", "convert-im6.q16"))), None)


def version_of(name):
    """Returns the other program's version as the manual writes it. Raises Missing."""
    try:
        if name == "SciPy":
            import numpy, scipy
            return scipy.__version__
        if name == "OpenCV":
            import cv2, numpy
            return cv2.__version__
        words = [magick() if name == "ImageMagick" else "vips", "--version"]
        shown = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        return re.search(r"\d+\.\d+[\d.-]*", shown)[0]
    except (ImportError, OSError, TypeError) as why:
        raise Missing(f"{name} is not installed") from why


RUN = {"SciPy": scipy, "ImageMagick": imagemagick, "vips": vips, "OpenCV": opencv}


# --- the manual -----------------------------------------------------------------------------------

def calls_of(manual):
    """Returns (name of the other program, the options of smoothimg's command, the other program's command lines), in
    the manual's order."""
    return [(name, lines[0].split()[1:-2], lines[2:]) for name, lines in blocks_of(manual, "OTHER PROGRAMS")
            if name in NAMES]


def table_of(manual):
    """Returns the rows of the manual's table: [label, a text for each image]."""
    return [line[4:].replace('"', "").split(" Ta ") for line in section(manual, "OTHER PROGRAMS")
            if re.match(r"\.It .* Ta \d+ (\(\d+\) )?Ta \d", line) and "all samples" not in line]


def difference(program, words, name, lines, picture):
    """Returns how many samples differ between smoothimg and the other program, and the largest difference."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_pictures(folder / "ours-in.pam", [picture])
        subprocess.run([program, *words, "ours-in.pam", "ours.pam"], cwd=folder, check=True)
        ours = read_pictures(folder / "ours.pam")[0].samples
        apart = [abs(a - b) for a, b in zip(ours, RUN[name](picture, lines, folder), strict=True)]
    return sum(map(bool, apart)), max(apart)


def check_alpha(program, manual, images, name):
    """Compares the results for an image with alpha. Uses the block in which the other program gives smoothimg's samples:
    the first block of ImageMagick, or the last block of any other program. Only ImageMagick weights colours by alpha,
    so for the others smoothimg gets --alpha separate. Returns whether a sample differs."""
    picture = read_pictures(Path(images, ALPHA))[0]
    blocks = [(words, lines) for other, words, lines in calls_of(manual) if other == name]
    words, lines = blocks[0 if name == "ImageMagick" else -1]
    alpha = [] if name == "ImageMagick" else ["--alpha", "separate"]
    count, most = difference(program, [*words, *alpha], name, lines, picture)
    print(f"{name}, {ALPHA}: {text_of(count, most)}")
    return count > 0


def text_of(count, most):
    return f"{count} ({most})" if count else "0"


def is_as_in_manual(count, most, text):
    """Returns whether the figures agree with `text`, a cell of the manual's table as text_of() makes it."""
    wanted = [int(number) for number in re.findall(r"\d+", text)]
    if count == 0 or wanted[0] == 0:
        return count == wanted[0]
    return abs(count - wanted[0]) * 100 <= wanted[0] and most == wanted[1]


def check(program, manual, pictures, name):
    version = version_of(name)
    same = re.search(rf"{name} {re.escape(version)}\b", " ".join(section(manual, "OTHER PROGRAMS")))
    blocks, table = calls_of(manual), table_of(manual)
    wrong = abs(len(blocks) - len(table))
    if wrong:
        print(f"the manual has {len(blocks)} blocks and {len(table)} rows")
    for (other, words, lines), (label, *wanted) in zip(blocks, table):
        if other != name:
            continue
        wrong += not label.startswith(name)
        for (image, picture), text in zip(pictures.items(), wanted):
            count, most = difference(program, words, name, lines, picture)
            close = most <= 1 and 1000 * count <= len(picture.samples)
            good = is_as_in_manual(count, most, text) if same else text != "0" or close
            print(f"{label}, {image}: {text_of(count, most)}{'' if good else ', not ' + text}")
            wrong += not good
    print(f"{name} {version}: {wrong} wrong{'' if same else '; the manual has another version'}")
    return wrong


def main():
    if len(sys.argv) != 5 or sys.argv[4] not in NAMES:
        sys.exit(__doc__)
    program, manual, images, name = sys.argv[1:]
    pictures = {short: read_pictures(Path(images, file))[0] for short, file in IMAGES.items()}
    try:
        program = os.path.abspath(program)
        wrong = check(program, manual, pictures, name) + check_alpha(program, manual, images, name)
        sys.exit(1 if wrong else 0)
    except Missing as why:
        print(f"skipped: {why}")
        sys.exit(77)


if __name__ == "__main__":
    main()
