# SPDX-License-Identifier: MIT
"""Makes seeds for the fuzz targets: small files of every kind, and command lines.

usage: seeds.py PROGRAM IMAGES FOLDER          writes FOLDER/jpeg, npy, pnm, png, tiff, options, requests
       seeds.py --replay TARGET NAME PROGRAM IMAGES   runs TARGET on the seeds of that name

The small files of IMAGES are seeds, too. The names of the options come from PROGRAM --help.
"""
import itertools
import random
import re
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "cli" / "formats"), str(TESTS / "cli"), str(TESTS / "definition")]
from jpeg_files import APP0, BASELINE, COMMENT, PROGRESSIVE, exif, jpeg_file, segment
from jpeg import SAMPLINGS
from npy_files import with_header
from png_reader import CHANNELS, DEPTHS, GREY, PALETTE, RGB
from png_writer import png_file, some_samples
from tiff import layouts, some_image
from tiff_files import tiff_file

MOST = 4096  # bytes; larger files of IMAGES are no seeds: a fuzzer tries small seeds more often


def small_images(images):
    for path in sorted([*images.iterdir(), *(images / "broken").iterdir()]):
        if path.suffix in {".pgm", ".ppm", ".pbm", ".pam", ".png", ".npy", ".tif", ".jpg"} and path.stat().st_size <= MOST:
            yield path.name, path.read_bytes()


def pnm_files():
    """Yields Netpbm files of every kind and of several maxvals. Some hold two images."""
    raster = bytes(range(32, 96)) * 4
    for kind, maxval in itertools.product("2356", (1, 7, 255, 300, 65535)):
        data = f"P{kind}\n# {maxval}\n3 2\n{maxval}\n".encode()
        count = 6 * (3 if kind in "36" else 1)
        if kind in "23":
            data += " ".join(str(i * maxval // count) for i in range(count)).encode()
        elif maxval > 255:
            data += b"".join(struct.pack(">H", i * maxval // count) for i in range(count))
        else:
            data += bytes(i * maxval // count for i in range(count))
        yield f"p{kind}-{maxval}", data
        yield f"p{kind}-{maxval}-twice", data + b"\n" + data
    yield "p1", b"P1\n5 2\n10101 0 1 0 1 0\n"
    yield "p4", b"P4 11 2\n" + raster[:4]
    for depth, maxval in itertools.product((1, 2, 3, 4, 7), (1, 255, 65535)):
        header = f"P7\n# {depth}\nWIDTH 3\nHEIGHT 2\nDEPTH {depth}\nMAXVAL {maxval}\n"
        raw = bytes(6 * depth) if maxval == 1 else raster[:6 * depth * (1 + (maxval > 255))]
        yield f"p7-{depth}-{maxval}", f"{header}TUPLTYPE RGB\nTUPLTYPE x\nENDHDR\n".encode() + raw
    yield "wide", b"P5 200 3 255\n" + raster * 2 + raster[:88]
    yield "tall", b"P5 3 90 255\n" + raster + raster[:14]


def npy_files():
    """Yields NPY files with every version of the header. The program refuses some of the types and shapes."""
    for version, descr, shape, order in itertools.product(
            (1, 2, 3), ("|u1", "<u2", ">u2", "<f4", ">f4", "<f8"), ("(3, 5)", "(2, 3, 4)", "(7,)"),
            (False, True)):
        text = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
        yield (f"{version}-{descr[1:]}-{ord(descr[0])}-{len(shape)}-{order}",
               with_header(text, bytes(range(96)), version))


def jpeg_files():
    """Yields files with the subsamplings of jpeg.py, baseline and progressive, and one with segments of several
    kinds."""
    for factors, process, together, restart in itertools.product(SAMPLINGS, (BASELINE, PROGRESSIVE), (False, True), (0, 2)):
        name = "".join(f"{h}{v}" for h, v in factors)
        yield f"j{name}-{process:x}-{together}-{restart}", jpeg_file(
            17, 9, factors, process=process, together=together, restart=restart)
    yield "segments", jpeg_file(9, 9, segments=[
        segment(APP0 + 1, b"Exif\0\0" + exif((0x112, 3, 6), more=[(0xA002, 3, 9), (0xA003, 4, 9)])),
        segment(APP0 + 2, b"ICC_PROFILE\0\1\2profile"), segment(APP0 + 2, b"ICC_PROFILE\0\2\2profile"),
        segment(APP0 + 14, b"Adobe\0\x64\0\0\0\0\0"), segment(COMMENT, b"a comment")], jfif=False)


def tiff_files():
    """Yields files in the layouts of tiff.py, in both byte orders, and one with tags of many kinds."""
    for channels, kind in itertools.product((1, 2, 3, 4), "BH"):
        for number, layout in enumerate(layouts(channels)):
            yield f"t{channels}{kind}-{number}", tiff_file(
                some_image(9, 5, channels, kind, **layout), order="<>"[channels % 2], big=kind == "H")
    case = some_image(9, 5, 1)
    tags = {262: (3, [0]), 270: (2, b"text\0"), 274: (3, [6]), 282: (5, [(300, 1)]), 296: (3, [2]),
            33550: (12, [1.0, 2.0, 0.0]), 34675: (7, b"profile"), 34665: (4, [8]), 330: (4, [8]),
            50838: (4, [1, 2])}
    yield "tags", tiff_file({**case, "tags": tags}, case, {**case, "tags": {254: (4, [1])}})


def png_files():
    """Yields files of every colour type and depth. Half of them are compressed by level 0, which stores the rows as
    they are: a byte that a fuzzer changes is then a changed sample."""
    for colour, interlaced, level in itertools.product(CHANNELS, (0, 1), (0, 9)):
        for depth in DEPTHS.get(colour, (8, 16)):
            palette = bytes(range(3 * min(1 << depth, 16))) if colour == PALETTE else None
            yield f"c{colour}-{depth}-{interlaced}-{level}", png_file(
                9, 5, colour, depth, some_samples(9, 5, colour, depth, 16), interlaced, palette, level=level)
    key = struct.pack(">H", 2)
    curve = [(b"gAMA", struct.pack(">I", 45455)), (b"cHRM", bytes(range(32)))]
    texts = [(b"sBIT", b"\5"), (b"iCCP", b"p\0\0" + zlib.compress(bytes(132))), (b"tEXt", b"Title\0x"),
             (b"zTXt", b"Author\0\0" + zlib.compress(b"y" * 99)),
             (b"iTXt", b"Comment\0\1\0en\0C\0" + zlib.compress(b"z" * 99)), (b"pHYs", struct.pack(">IIB", 300, 200, 1)),
             (b"tIME", b"\7\xd0\1\1\1\1\1"), (b"bKGD", key), (b"eXIf", b"MM\0*\0\0\0\x08\0\0\0\0\0\0"), (b"prVt", b"own"),
             (b"oFFs", bytes(9)), (b"hIST", bytes(4))]
    for name, colour, depth, interlaced, more in (
            ("key", GREY, 8, 0, {"first": curve, "key": key}), ("key-rgb", RGB, 16, 1, {"first": curve, "key": key * 3}),
            ("key-palette", PALETTE, 4, 0, {"first": [(b"sRGB", b"\0")], "key": b"\0\x80", "palette": bytes(range(48))}),
            ("text", GREY, 8, 0, {"middle": texts})):
        yield name, png_file(9, 5, colour, depth, some_samples(9, 5, colour, depth), interlaced, **more, level=0)


LINES = (
    "in.pgm out.pgm", "--halo 3 --sigma 1.5 --edge wrap --norm analytic a b",
    "--sigma 2.5,0.7 --truncate 4e0 --linear a b", "--op sharpen --amount 1.25 --sigma 2 a b",
    "--op difference --offset 0 a b", "--halo 6,2 --sigma 2,0 a b", "--sigma 0.5,3 a b", "-O out a b c",
    "--op transpose --op reverse --op smooth -j2 -q in out.png", "-- --halo --help",
    "--shard 1/3 -O out a", "--shard 0/0 -rO out a", "--device 1 --variant gpu a b",
    "--files-from - -O out", "--in-place a b", "--in-place --files-from a", "-o b a",
    "-halo 4 a b", "--max-memory 512M --max-pixels 9 a b", "--hal 1 a b",
    "--json --no-progress a b", "in.pgm other.pgm missing", "-h",
    "--plain --scale --format ppm --png-level 9 --quality 9 - -",
    "-V", "--suffix _s a", "--suffix=_s a b", "--preserve a b", "--quality=9 --in-place a",
    "--edge reflect101 -j0 --max-memory 1GB a b", "--threads 4 a b", "-blur 0x2 a b", "--scale a b.pgm",
)


def option_lines(program):
    text = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    for line in LINES:
        yield re.sub(r"\W+", "-", line), line.replace(" ", "\n").encode()
    for name, argument in re.findall(r"--([\w-]+)(?: ([A-Z]+))?", text):
        words = [f"--{name}"] + (["3"] if argument else [])
        yield f"option-{name}", "\n".join([*words, "in.pgm", "out.pgm"]).encode()


def request_inputs():
    """Returns random bytes, from which fuzz_requests.c draws requests."""
    return [(f"request-{number}", random.Random(number).randbytes(500)) for number in range(60)]


def seeds(name, program, images):
    pnm = [*pnm_files(), *((n, d) for n, d in small_images(images) if d[:1] == b"P")]
    npy = [*npy_files(), *((n, d) for n, d in small_images(images) if d[:1] == b"\x93")]
    tiff = [*tiff_files(), *((n, d) for n, d in small_images(images) if d[:2] in (b"II", b"MM"))]
    jpeg = [*jpeg_files(), *((n, d) for n, d in small_images(images) if d[:2] == b"\xff\xd8")]
    png = [*png_files(), *((n, d) for n, d in small_images(images) if d[:1] == b"\x89")]
    return {"jpeg": jpeg, "npy": npy, "pnm": pnm, "tiff": tiff, "png": png, "options": option_lines(program),
            "requests": request_inputs()}[name]


def write(name, program, images, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for seed, data in seeds(name, program, images):
        (folder / seed).write_bytes(data)


def main(words):
    if len(words) == 5 and words[0] == "--replay":
        with tempfile.TemporaryDirectory() as folder:
            write(words[2], words[3], Path(words[4]), Path(folder))
            sys.exit(subprocess.run([words[1], *sorted(Path(folder).iterdir())]).returncode)
    if len(words) != 3:
        sys.exit(__doc__)
    for name in ("jpeg", "npy", "tiff", "pnm", "png", "options", "requests"):
        write(name, words[0], Path(words[1]), Path(words[2]) / name)


if __name__ == "__main__":
    main(sys.argv[1:])
