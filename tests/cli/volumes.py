# SPDX-License-Identifier: MIT
"""Tests volumes: files of several pages, and NPY arrays of several planes. Tests the weights of a large halo, planes
that are filtered separately, memory, alpha and messages. (results.py compares samples with the definition.)

usage: volumes.py PROGRAM IMAGES GROUP"""
import json
import math
import random
import re
from array import array

import definition_arrays
import program
from npy_files import npy_file, read_npy
from pictures import Picture, write_pictures
from results import bits_of

ALPHA = b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n"


def noise(workshop, name, pages, height, width, channels=1):
    """Writes a stack of 8-bit noise, as a file of several pages or as an NPY file."""
    draw = random.Random(pages)
    if name.endswith(".npy"):
        workshop.plant(name, data=npy_file("|u1", (pages, height, width), draw.randbytes(pages * height * width)))
    else:
        write_pictures(workshop.folder / name, [Picture(width, height, channels, 255, array("H", list(draw.randbytes(
            height * width * channels)))) for _ in range(pages)])


def third_of_halo(workshop):
    """The default sigma is exactly a third of the halo. If it were rounded to a double, two weights of halo 749 would
    change. The test smooths a row of zeros with the samples 1, -2, 1 in it, so the results are the second differences
    of the weights. Floats represent all results exactly, except the outermost ones."""
    halo = 749
    taps = {-halo - 2: 0, -halo - 1: 0, halo + 1: 0, halo + 2: 0, **definition_arrays.taps(halo, 0, 0, 46)}
    wanted = [math.ldexp(taps[k - 1] - 2 * taps[k] + taps[k + 1], -46) for k in range(-halo - 1, halo + 2)]
    row = [0.0] * len(wanted)
    row[halo:halo + 3] = 1.0, -2.0, 1.0
    workshop.plant("row.npy", data=npy_file("<f4", (1, 1, len(row)), bits_of(row)))
    for halos in ("749,0,1", "749,0,0"):
        found = read_npy(workshop.made("-q", "--halo", halos, "row.npy", "out.npy"))[2]
        workshop.check(found == bits_of(wanted), f"--halo {halos}: other weights than those of a third")


def alone(workshop):
    """If the sigma along the pages is so small that the weights of a page's neighbours are 0, --linear gives the same
    result as without a filter along the pages."""
    noise(workshop, "in.pgm", 5, 7, 6)
    found = [workshop.made("--linear", "--halo", halo, "--sigma", sigma, "in.pgm", "out.pgm")
             for halo, sigma in (("2,2,1", "1,1,0.04"), ("2,2,0", "1,1,0"))]
    workshop.check(found[0] == found[1], "--linear: not each page by itself")
    workshop.check_works("--verify", "--norm", "analytic", "--halo", "1,2,1", "in.pgm", "out.pgm")


def planes(workshop):
    """With 0 as the third number of --halo or --sigma, every operation filters each plane of an NPY file of three axes
    as if the plane were a separate file, also into a pipe."""
    values = [random.Random(3).randint(0, 65535) for _ in range(5 * 6 * 7)]
    workshop.plant("planes.npy", data=npy_file("<u2", (5, 6, 7), values))
    for i in range(5):
        workshop.plant(f"{i}.npy", data=npy_file("<u2", (6, 7), values[42 * i:42 * (i + 1)]))
    for op in ("smooth", "transpose", "laplace", "sharpen"):
        words = ["--op", op] if op == "transpose" else ["--op", op, "--halo", "2"]
        three = ["--op", "smooth", *words, "--halo", "0,0,0"] if op == "transpose" else [*words[:3], "2,2,0"]
        made = [one for i in range(5) for one in read_npy(workshop.made(*words, f"{i}.npy", "plane.npy"))[2]]
        wanted = npy_file("<u2", (5, 7, 6) if op == "transpose" else (5, 6, 7), made)
        workshop.check(workshop.made(*three, "planes.npy", "out.npy") == wanted, f"{op} of planes")
        piped = workshop.check_works(*three, "--format", "npy", "planes.npy", "-")
        workshop.check(piped == wanted, f"{op} of planes into a pipe")


def pages_into_planes(workshop):
    workshop.plant("in.npy", data=npy_file("|u1", (3, 4, 5), list(range(60))) + b"x")
    workshop.check_tells("--halo 1,1,1 in.npy out.npy", "other bytes after the end")
    noise(workshop, "pages.pgm", 2, 5, 4)
    made = read_npy(workshop.made("--halo", "1,1,0", "pages.pgm", "out.npy"))
    workshop.check(made[1] == (2, 5, 4), f"pages into planes: {made[1]}")


def wrapped(workshop):
    """With --edge wrap the program keeps all pages of an NPY file in memory. If --max-memory is too low, the message
    names the number of bytes that is needed. With exactly this limit the program computes a few pages at a time, and
    the result has the same bytes."""
    words = "--edge", "wrap", "-j", "1", "--halo", "1,1,7", "wrap.npy", "out.npy"
    noise(workshop, "wrap.npy", 40, 300, 300)
    wanted = workshop.made(*words)
    said = workshop.run("--max-memory", "4M", *words).err
    found = re.search(r"40 pages .* would take (\d+) bytes .*; raise it with --max-memory; less .* with another --edge", said)
    if workshop.check(found, f"wrap, 4M: {said}"):
        made = workshop.made("--max-memory", found[1], *words)
        workshop.check(made == wanted, f"wrap, {found[1]} bytes: other samples")
    workshop.check_works("--halo", "0,0,0", "wrap.npy", "wrap.tif")
    made = [workshop.made(*words[:-3], "1,1,2", name, "out.npy") for name in ("wrap.npy", "wrap.tif")]
    workshop.check(made[0] == made[1], "wrap, TIFF: other samples than from NPY")
    noise(workshop, "wrap.pgm", 40, 300, 300)
    for halo, memory, remedy in (("1,1,7", "4M", "only 1\\d are kept .*; raise --max-memory, or"),
                                 ("1,1,2", "6M", "only 16 .*; convert it to TIFF or NPY, or")):
        said = workshop.run("--max-memory", memory, *words[:-3], halo, "wrap.pgm", "out.npy").err
        workshop.check(re.search(remedy + " choose another --edge", said), f"wrap, pages: {said}")


def few_pages(workshop):
    """A file that says how many pages it has takes memory for these, whatever the halo along them. The result is that
    of a file of Netpbm's, which does not say it, without a limit."""
    noise(workshop, "few.pgm", 3, 100, 100)
    for edge in ("reflect", "zero", "wrap"):
        words = ["--edge", edge, "--halo", "1,1,500"]
        wanted = workshop.made(*words, "few.pgm", "out.pgm")
        for name in ("few.npy", "few.tif"):
            workshop.check_works("--halo", "0,0,0", "few.pgm", name)
            workshop.check_works("--max-memory", "4M", "-j", "2", *words, name, "out.tif")
            made = workshop.made("--halo", "0,0,0", "out.tif", "out.pgm")
            workshop.check(made == wanted, f"{words}, {name}: other samples than without a limit")


def unlike(workshop):
    """Pages of which only some have alpha are no volume, whatever their order: the filter of the first page would take
    alpha for a colour, or a colour for alpha."""
    grey = ALPHA.replace(b"TUPLTYPE GRAYSCALE_ALPHA\n", b"")
    for heads in ((grey, ALPHA), (ALPHA, grey)):
        workshop.plant("in.pam", data=b"".join(head + b"\x40\0" for head in heads))
        workshop.check_ends("--alpha separate --halo 1,1,1 in.pam out.pam", 3, re.compile("in.pam: page 2 is of another size or kind .*"))
    workshop.plant("in.pgm", data=b"P5 1 1 7\n\1P5 1 1 9\n\1")
    for words in ("", "--linear "):
        workshop.check_ends(words + "--halo 1,1,1 in.pgm out.pgm", 3, re.compile("in.pgm: page 2 is of another size or kind .*"))


def many_curves(workshop):
    """A volume keeps its tables of linear light, also after images of so many maxvals that a run no longer keeps all."""
    noise(workshop, "z.pgm", 5, 7, 6)
    wanted = workshop.made("-q", "--linear", "--halo", "1,1,1", "z.pgm", "out.pgm")
    for maxval in range(2, 10):
        workshop.plant(f"{maxval}.pgm", data=b"P5 1 1 %d\n\1" % maxval)
    names = [f"{maxval}.pgm" for maxval in range(2, 10)]
    workshop.check_works("-q", "-j1", "--linear", "--halo", "1,1,1", *names, "z.pgm", "-O", "out")
    workshop.check((workshop.folder / "out/z.pgm").read_bytes() == wanted, "other samples after eight curves")


def alpha(workshop):
    """Derivatives, and filters along the third axis, do not change alpha."""
    pages = [ALPHA + bytes((9 * i, i)) for i in range(25)]
    workshop.plant("in.pam", data=b"".join(pages))
    for words in (["--op", "laplace", "--halo", "0,0,1"], ["--op", "gradient", "--halo", "1,1,1"]):
        made = workshop.made(*words, "--alpha", "separate", "in.pam", "out.pam")
        workshop.check(made[len(ALPHA) + 1::len(ALPHA) + 2] == bytes(range(25)), f"{words}: alpha changes")
    workshop.plant("two.pam", data=2 * (ALPHA + b"\1\2"))
    made = workshop.made("--alpha", "separate", "--halo", "1,1,1", "two.pam", "out.pam")
    workshop.check(made == 2 * (ALPHA + b"\1\2"), "two pages")
    wide = ALPHA.replace(b"WIDTH 1", b"WIDTH 3")
    workshop.plant("one.pam", data=wide + bytes([0, 9, 100, 0, 200, 255]))
    made = workshop.made(*"--op gradient --alpha separate --halo 1,0 --sigma 1 one.pam out.pam".split())
    workshop.check(made[len(wide) + 1::2] == b"\x09\0\xff", "the gradient of an image")


def reports(workshop):
    """Tests what -v and --json say about derivatives, and what is said of metadata that only a later page has."""
    noise(workshop, "in.ppm", 1, 40, 30, 3)
    words = "--op laplace --sigma 2 --amount 0.5 --offset 7 in.ppm out.ppm".split()
    said = workshop.run("-v", *words).joined()
    workshop.check("  op laplace, variant cpu, engine arrays, " in said and
                   "alpha weighted, amount 0.5, offset 7, " in said, said)
    line = json.loads(workshop.check_works("--json", *words).splitlines()[0])["ops"][0]
    wanted = {"op": "laplace", "variant": "cpu", "engine": "arrays", "halo": 8, "sigma": 2, "amount": 0.5, "offset": 7}
    workshop.check({key: line.get(key) for key in wanted} == wanted and "float" not in line, line)
    line = json.loads(workshop.check_works("--json", "--float", "in.ppm", "out.npy").splitlines()[0])["ops"][0]
    workshop.check(line["float"] is True and line["op"] == "smooth", line)
    workshop.plant("in.pgm", data=b"P5 1 1 9\n\1P5\n#comment\n1 1 9\n\1")
    said = workshop.run("--halo", "1,1,1", "in.pgm", "out.tif").err
    workshop.check(said == "smoothimg: in.pgm: not carried over to TIFF: comments\n", f"of the second page: {said}")


if __name__ == "__main__":
    program.main(__doc__, {"all": [third_of_halo, alone, planes, pages_into_planes, wrapped, few_pages, unlike, many_curves, alpha, reports]})
