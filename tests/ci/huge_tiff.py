# SPDX-License-Identifier: MIT
"""Tests a TIFF of 20 gigabytes of floats, and a TIFF of 200 pages, in little memory: the samples must be right, and the
peak memory below a limit. Tests when a result is a BigTIFF.

The inputs are sparse files: some rows of noise, and zeros in all other rows. The outputs are compressed.

usage: huge_tiff.py PROGRAM IMAGES GROUP"""
import mmap
import random
import struct
import zlib

import program
from huge import HALO, MIB, need_disk
from limits import check_peak, peak_of
from npy_files import with_header, text_of
from tiff_files import DEFLATE, LONG, LONG8, SHORT, read_directories, without_float_predictor

HEAD = struct.pack("<2sHHHQ", b"II", 43, 8, 0, 16)  # header of a BigTIFF, directly followed by the first directory
LIMIT = 256  # MiB, for --max-memory


def noise(seed, samples):
    """Returns the bytes of random floats from 0 to 2, including subnormal ones."""
    bits = int.from_bytes(random.Random(seed).randbytes(4 * samples), "little")
    return (bits & int.from_bytes(b"\xff\xff\xff\x3f" * samples, "little")).to_bytes(4 * samples, "little")


def directory(place, width, height, rows, samples, last):
    """Returns a BigTIFF directory that will be at file offset `place`. It describes an image of one channel of binary32
    in strips of `rows` rows. The samples begin at file offset `samples`. If `last`, no directory follows."""
    strips = (height - 1) // rows + 1
    end = place + 8 + 20 * 10 + 8
    offsets = [samples + 4 * width * rows * i for i in range(strips)]
    counts = [4 * width * min(rows, height - rows * i) for i in range(strips)]
    entries = [(256, LONG, width), (257, LONG, height), (258, SHORT, 32), (259, SHORT, 1), (262, SHORT, 1),
               (273, LONG8, end if strips > 1 else offsets[0]), (277, SHORT, 1), (278, LONG, rows),
               (279, LONG8, end + 8 * strips if strips > 1 else counts[0]), (339, SHORT, 3)]
    data = struct.pack("<Q", len(entries))
    for number, kind, value in entries:
        data += struct.pack("<HHQQ", number, kind, strips if number in (273, 279) else 1, value)
    arrays = struct.pack(f"<{2 * strips}Q", *offsets, *counts) if strips > 1 else b""
    return data + struct.pack("<Q", 0 if last else end + len(arrays)) + arrays


def write_sparse(file, width, parts, start):
    """Writes rows of an image whose samples begin at file offset `start`. parts: {first row: bytes of the rows}."""
    for first, data in parts.items():
        file.seek(start + 4 * width * first)
        file.write(data)


def smoothed(workshop, width, data):
    """Returns the bytes of the program's result for an image that has only the rows in `data`. The program writes to a
    pipe, so it computes the image as a whole, not in bands."""
    text = text_of("<f4", (len(data) // (4 * width), width))
    (workshop.folder / "crop.npy").write_bytes(with_header(text, data))
    return workshop.check_works("--halo", str(HALO), "--format", "npy", "crop.npy", "-")[-len(data):]


class Output:
    """Decompresses rows of a TIFF."""

    def __init__(self, data, tags):
        self.data, self.tags = data, tags
        self.width, self.rows = tags[256][0], tags[278][0]
        self.strips = list(zip(tags[273], tags[279]))

    def strip(self, i):
        offset, count = self.strips[i]
        part = zlib.decompress(self.data[offset:offset + count])
        return without_float_predictor(part, self.width, 1, "<") if self.tags.get(317) == [3] else part

    def part(self, first, last):
        """Returns the bytes of rows first..last-1."""
        begin, end = first // self.rows, (last - 1) // self.rows + 1
        whole = b"".join(self.strip(i) for i in range(begin, end))
        return whole[4 * self.width * (first - begin * self.rows):4 * self.width * (last - begin * self.rows)]


def check_other_strips(workshop, output, seen):
    """Checks the strips whose indices are not in `seen`. The image is 0 there, so they must all have the same bytes,
    which decompress to zeros. Leaves out the last strip of the image, which may have fewer rows."""
    same = {bytes(output.data[at:at + count]) for i, (at, count) in enumerate(output.strips[:-1])
            if i not in seen}
    workshop.check(len(same) == 1 and not any(zlib.decompress(*same)), f"{len(same)} kinds of zeros")


def make_huge(path, width, height, parts):
    with open(path, "wb") as file:
        file.write(HEAD + directory(16, width, height, 16, MIB, True))
        write_sparse(file, width, parts, MIB)
        file.truncate(MIB + 4 * width * height)


def check_part(workshop, output, first, noisy, height):
    """Checks the result at and around `noisy`, the rows with noise from row `first` on. Smoothing spreads the noise by
    HALO rows on each side. The rows must be equal to the result for a smaller image: the rows with noise between 2 HALO
    rows of zeros on each side, so that the edge rule does not matter. At an edge of the image there are fewer rows of
    zeros, and the edge rule has the same effect on both. Returns the indices of the compared strips."""
    row = 4 * output.width
    last = first + len(noisy) // row
    above, below = min(first, 2 * HALO), min(height - last, 2 * HALO)
    wanted = smoothed(workshop, output.width, bytes(above * row) + noisy + bytes(below * row))
    begin, end = first - above, last + below
    workshop.check(output.part(begin, end) == wanted, f"rows {begin} to {end} differ")
    workshop.check(any(wanted[:row * (above + 1)]), "only zeros, which show nothing")
    return range(begin // output.rows, (end - 1) // output.rows + 1)


def floats(workshop):
    """Smooths 100000 x 50000 pixels of binary32 in a sparse file. The compressed result has only some megabytes."""
    need_disk(workshop, 1)
    width, height = 100000, 50000
    parts = {0: noise(1, 4 * width), 24990: noise(2, 20 * width), height - 3: noise(3, 3 * width)}
    source, target = (workshop.folder / name for name in ("huge.tif", "out.tif"))
    make_huge(source, width, height, parts)
    workshop.check(source.stat().st_size > 20 * 10**9, "not 20 gigabytes")
    peak = peak_of(workshop, "--halo", str(HALO), "--max-memory", f"{LIMIT}M", "--tiff-compression",
                   "deflate", "huge.tif", "out.tif")
    print(f"{width} x {height} floats: {peak / MIB:.0f} MiB at the most, "
          f"{target.stat().st_size / MIB:.0f} MiB written")
    check_peak(workshop, peak, LIMIT * MIB, f"{width} x {height} floats")
    with open(target, "rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    [(order, tags)] = read_directories(data)
    workshop.check((order, tags[256], tags[257], tags[259], tags[339]) ==
                   ("<", [width], [height], [DEFLATE], [3]), "another directory")
    output, seen = Output(data, tags), set()
    for first, noisy in parts.items():
        seen.update(check_part(workshop, output, first, noisy, height))
    check_other_strips(workshop, output, seen)


def make_stack(path, width, height, contents):
    """Writes pages of one strip each. contents[i] is the noise of page i, some rows that begin at row 3 i. All other
    rows of the page are 0."""
    page_bytes, place, heads = 4 * width * height, 16, b""
    for page in range(len(contents)):
        is_last = page == len(contents) - 1
        head = directory(place, width, height, height, MIB + page_bytes * page, is_last)
        place += len(head)
        heads += head
    with open(path, "wb") as file:
        file.write(HEAD + heads)
        for page, data in enumerate(contents):
            write_sparse(file, width, {3 * page: data}, MIB + page_bytes * page)
        file.truncate(MIB + page_bytes * len(contents))


def pages(workshop):
    """A stack of 200 images of 3 MB each must take less than 64 MiB of memory."""
    width, height, count = 1000, 750, 200
    contents = [noise(page, 3 * width) for page in range(count)]
    make_stack(workshop.folder / "stack.tif", width, height, contents)
    peak = peak_of(workshop, "--halo", str(HALO), "--max-memory", "32M", "--tiff-compression", "deflate",
                   "stack.tif", "out.tif")
    print(f"{count} pages of {4 * width * height / MIB:.1f} MiB: {peak / MIB:.0f} MiB at the most")
    check_peak(workshop, peak, 64 * MIB, f"{count} pages")
    data = (workshop.folder / "out.tif").read_bytes()
    found = list(read_directories(data))
    workshop.check(len(found) == count, f"{len(found)} pages")
    for page in (0, 1, 99, 198, 199):
        rows = bytearray(4 * width * height)
        rows[12 * width * page:12 * width * page + len(contents[page])] = contents[page]
        output = Output(data, found[page][1])
        workshop.check(output.part(0, height) == smoothed(workshop, width, bytes(rows)), f"page {page}")


def grown(workshop):
    """Two images of 8 bits that take 1.2 gigabytes become floats of 5 gigabytes: the result is a BigTIFF."""
    width, height = 20000, 31000
    head = b"P5\n%d %d\n255\n" % (width, height)
    with open(workshop.folder / "two.pgm", "wb") as file:
        for number in range(2):
            file.seek(number * (len(head) + width * height))
            file.write(head)
        file.truncate(2 * (len(head) + width * height))
    ended = workshop.run("--halo", "1", "--float", "--tiff-compression", "deflate", "two.pgm", "out.tif")
    workshop.check(ended.status == 0, str(ended))
    with open(workshop.folder / "out.tif", "rb") as file:
        workshop.check(file.read(4) == b"II\x2b\0", "no BigTIFF")


if __name__ == "__main__":
    program.main(__doc__, {"floats": [floats], "pages": [pages, grown]})
