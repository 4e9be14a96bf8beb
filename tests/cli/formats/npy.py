# SPDX-License-Identifier: MIT
"""Tests NPY: the program reads what NumPy writes, and writes the bytes that numpy.save writes.

usage: npy.py PROGRAM IMAGES GROUP    GROUP: arrays, headers, numpy (needs NumPy)"""
import io
import itertools
import random
import re
import sys
from array import array
from pathlib import Path

import program
from npy_files import npy_file, packed, read_npy, text_of, with_header

SHAPES = [(1, 1), (5, 7), (61, 97), (4, 4, 3), (3, 5, 2), (2, 3, 7), (9, 2, 4)]
# {sample type of the input: sample type of the output}
WRITTEN = {"|u1": "|u1", "<u2": "<u2", ">u2": "<u2"}
FLOATS = {"<f4": "<f4", ">f4": "<f4"}


def some_samples(descr, shape):
    chance = random.Random(str(shape))
    count = shape[0] * shape[1] * (shape[2] if len(shape) == 3 else 1)
    most = 256 ** int(descr[2])
    return [chance.randrange(most) for _ in range(count)]


def moved(op, shape, samples):
    """Returns the samples of a transposed or reversed array, and its shape."""
    height, width, *more = shape
    channels = more[0] if more else 1
    pixels = [samples[i:i + channels] for i in range(0, len(samples), channels)]
    if op == "transpose":
        pixels = [pixels[y * width + x] for x in range(width) for y in range(height)]
        shape = (width, height, *more)
    else:
        pixels.reverse()
    return shape, [sample for pixel in pixels for sample in pixel]


def kinds(workshop):
    """Tests every type of integers, and several shapes, in each version of the format, also through pipes."""
    files, wanted = {}, {}
    for descr, shape, version in itertools.product(WRITTEN, SHAPES, (1, 2, 3)):
        name, samples = f"{len(files)} {descr[1:]} {shape} {version}.npy", some_samples(descr, shape)
        files[name] = npy_file(descr, shape, samples, version)
        wanted[name] = npy_file(WRITTEN[descr], shape, samples)
    for number, (name, (_, said, output)) in enumerate(workshop.run_each(files, "--halo", "0").items()):
        workshop.check(not said and output.read_bytes() == wanted[name], f"{name}: {said}")
        if number % 4 == 0:
            piped = workshop.check_works("--halo", "0", "--format", "npy", "-", "-", data=files[name])
            workshop.check(piped == wanted[name], f"{name}, from a pipe")


def check_moves(workshop, kinds_, more):
    """Checks that transposed and reversed samples keep their bits. `kinds_` maps the type of an input to the type of
    its result."""
    arrays = {f"{i}.npy": one for i, one in enumerate(itertools.product(kinds_, SHAPES))}
    files = {name: npy_file(*one, some_samples(*one)) for name, one in arrays.items()}
    for op, words in itertools.product(("transpose", "reverse"), more):
        for name, (_, said, output) in workshop.run_each(files, "--op", op, *words).items():
            descr, shape = arrays[name]
            wanted = kinds_[descr], *moved(op, shape, some_samples(descr, shape))
            workshop.check(not said and read_npy(output.read_bytes()) == wanted, f"{op} {words} {name}: {said}")


def operations(workshop):
    """Transposes and reversals keep every sample. Smoothing an NPY gives the same samples as smoothing a PAM of the
    same image."""
    check_moves(workshop, WRITTEN, ([], ["--variant", "reference"], ["-j", "1"]))
    for descr, shape in ((d, s) for d in WRITTEN for s in SHAPES):
        samples = some_samples(descr, shape)
        (workshop.folder / "in.npy").write_bytes(npy_file(descr, shape, samples))
        workshop.check_works("--halo", "0", "in.npy", "in.pam")
        for name in ("in.npy", "in.pam"):  # with 2 or 4 channels the PAM has alpha; an NPY never has
            if name == "in.pam" and len(shape) == 3 and shape[2] in (2, 4):
                workshop.check_works("--alpha", "separate", "in.pam", "in.pam.npy")
            else:
                workshop.check_works(name, name + ".npy")
        workshop.check((workshop.folder / "in.npy.npy").read_bytes() ==
                       (workshop.folder / "in.pam.npy").read_bytes(), f"smooth {descr} {shape}")


def floats(workshop):
    """Transposed and reversed floats keep their bits. With halo 0 floats stay as they are, except that -0 becomes 0."""
    check_moves(workshop, FLOATS, ([], ["--variant", "reference"]))
    for descr, shape in ((d, s) for d in FLOATS for s in SHAPES):
        samples = some_samples(descr, shape)
        (workshop.folder / "in.npy").write_bytes(npy_file(descr, shape, samples))
        numbers = [sample & 0xbfffffff for sample in samples]  # neither infinite nor NaN
        data = npy_file(descr, shape, numbers)
        wanted = npy_file("<f4", shape, [0 if bits == 1 << 31 else bits for bits in numbers])
        out = workshop.check_works("--halo", "0", "--format", "npy", "-", "-", data=data)
        workshop.check(out == wanted, f"{descr} {shape}")


def large(workshop):
    # Before the program writes rows with swapped bytes, it copies about 256 KiB of them at a time, and swaps the bytes
    # of the copy. These arrays are larger.
    for descr, shape in (("<u2", (40, 5000)), (">u2", (3, 70000))):
        samples = some_samples(descr, shape)
        wanted = array("H", samples)
        if sys.byteorder == "little":
            wanted.byteswap()
        (workshop.folder / "in.npy").write_bytes(npy_file(descr, shape, samples))
        for data in (workshop.made("--halo", "0", "-j", "1", "in.npy", "out.pgm"),
                     workshop.check_works("--halo", "0", "--format", "pgm", "in.npy", "-")):
            workshop.check(data[-2 * len(samples):] == wanted.tobytes(), f"{descr} {shape} as PGM")
            out = workshop.check_works("--halo", "0", "--format", "npy", "-", "-", data=data)
            workshop.check(out == npy_file("<u2", shape, samples), f"{descr} {shape} from PGM")


def in_folders(workshop):
    """Tests NPY files in a folder with other images, with --in-place, and with --format."""
    workshop.take("dot.pgm")
    data = npy_file("|u1", (2, 2), [1, 2, 3, 4])
    folder = workshop.make_folder("in", "dot.pgm", "badge.png")
    (folder / "a.npy").write_bytes(data)
    workshop.check_works("-q", "--halo", "0", "in", "out")
    workshop.check((workshop.folder / "out/a.npy").read_bytes() == data, "in a folder")
    found = read_npy(workshop.made("--op", "reverse", "--in-place", "in/a.npy"))[2]
    workshop.check(found == [4, 3, 2, 1], "in place")
    workshop.check_works("-q", "--halo", "0", "--format", "npy", "in", "arrays")
    names = sorted(path.name for path in (workshop.folder / "arrays").iterdir())
    workshop.check(names == ["a.npy", "badge.npy", "dot.npy"], f"{names}")


def accepted_headers(workshop):
    """A header may be any Python dictionary literal with the three keys. Python 2 wrote some of these forms."""
    for text in ("{'shape': (1, 2), 'fortran_order': False, 'descr': '|u1'}",
                 '{"descr":"<u1","fortran_order":False,"shape":(1,2,)}',
                 "  {  'descr' :\t'u1' , 'fortran_order' : False\n, 'shape' : ( 1L , 2L ) , }  ",
                 "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2, 1), }"):
        workshop.check_works("--halo", "0", "--format", "pgm", "-", "-", data=with_header(text, b"ab"))


def refused_headers(workshop):
    """npy_headers.txt has pairs of lines: a header, then the error message. --update writes the program's messages into
    the file."""
    texts = program.Goldens(Path(__file__).with_name("npy_headers.txt"))
    for status, text, number in texts:
        workshop.plant("in.npy", data=with_header(text.encode().decode("unicode_escape"), b"ab"))
        texts.check(workshop, number, workshop.said_at_end(["in.npy", "out.npy"], status))
    workshop.plant("in.npy", data=with_header(text_of("|u1", (1, 2)) + " " * 10000, b"ab"))
    workshop.check_ends("in.npy out.npy", 3, re.compile(".*bytes of text; up to 10000 are read"))
    workshop.check_ends(["-", "-"], 4, re.compile(".*NPY version 9.0 is not supported; .*"),
                        data=b"\x93NUMPY\x09\0" + bytes(99))
    workshop.check_ends(["-", "-"], 3, "standard input: truncated: the file ends in the header", data=b"\x93NUMPY\1\0v")


def several(workshop):
    """A second array of a stream is not read, and a note says so. Several images cannot be written to one NPY."""
    data = npy_file("|u1", (1, 2), [7, 9])
    for more, said in ((data, "another array"), (b"x", "other bytes")):
        ended = workshop.run("--halo", "0", "--format", "npy", "-", "-", data=data + more)
        workshop.check(ended.status == 0 and ended.out == data and
                       f"damaged in part: {said} after the end, not read" in ended.err, f"{ended}")
    workshop.take("two.pgm")
    workshop.check_ends("two.pgm out.npy", 4, "out.npy: NPY holds one image, but the input has "
                        "several; name the output .tif or .pam, or give --sigma or --halo three numbers, "
                        "x,y,0, for a stack")


def written_by_numpy(workshop):
    """The program reads files of numpy.save, and writes files with the same bytes."""
    try:
        import numpy
    except ImportError as why:
        raise program.Skip(str(why)) from why
    chance = numpy.random.default_rng(1)
    for descr, shape in ((d, s) for d in WRITTEN for s in [*SHAPES, (123456, 1), (1000000, 2, 3)]):
        array = chance.integers(0, 256 if descr == "|u1" else 65536, shape).astype(descr)
        numpy.save(workshop.folder / "in.npy", array)
        workshop.check_works("--halo", "0", "in.npy", "out.npy")
        wanted = io.BytesIO()
        numpy.save(wanted, array.astype(WRITTEN[descr]))
        workshop.check((workshop.folder / "out.npy").read_bytes() == wanted.getvalue(),
                       f"{descr} {shape}: not the bytes of numpy.save")
        workshop.check_works("--op", "transpose", "in.npy", "out.npy")
        workshop.check(numpy.array_equal(numpy.load(workshop.folder / "out.npy"),
                                         array.swapaxes(0, 1)), f"{descr} {shape}: transposed")
        workshop.check(array.astype(WRITTEN[descr]).tobytes() ==
                       packed(WRITTEN[descr], array.ravel().tolist()), "the tests' own bytes")


if __name__ == "__main__":
    program.main(__doc__, {
        "arrays": [kinds, operations, floats, large, in_folders],
        "headers": [accepted_headers, refused_headers, several],
        "numpy": [written_by_numpy],
    })
