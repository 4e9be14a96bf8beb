# SPDX-License-Identifier: MIT
"""Reads and writes PGM, PBM, PPM, PAM and PNG with Python's standard library alone.

A file is a list of Pictures, since a Netpbm file may hold several images. Readers raise ValueError with the reason if
they cannot read a file."""
import hashlib
import re
import sys
from array import array
from typing import NamedTuple

from png_reader import GREY, GREY_ALPHA, RGB, RGB_ALPHA, decode_png
from png_writer import png_file

LARGEST = 1 << 28  # greatest number of samples of an image: a header that declares more is refused


class Picture(NamedTuple):
    """An image. samples: array('H'), row by row from the top; the channels of a pixel are adjacent."""
    width: int
    height: int
    channels: int
    maxval: int
    samples: array


def read_pictures(path):
    """Returns a list of all images of the file."""
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return [Picture(*decode_png(data))]
    pictures, start = [], 0
    while not pictures or data[start:].strip():
        picture, start = read_netpbm(data, start)
        pictures.append(picture)
    return pictures


def write_pictures(path, pictures):
    """Writes a PNG if the name ends in .png; else a raw PGM or PPM, or a PAM for other numbers of channels."""
    if str(path).endswith(".png"):
        if len(pictures) != 1:
            raise ValueError("a PNG file holds one image")
        data = encode_png(pictures[0])
    else:
        data = b"".join(netpbm_header(picture) + sample_bytes(picture) for picture in pictures)
    with open(path, "wb") as file:
        file.write(data)


def encode_png(picture):
    """Returns the bytes of a PNG file. maxval must be 255 or 65535."""
    width, height, channels, maxval, samples = picture
    if maxval not in (255, 65535) or channels > 4:
        raise ValueError(f"no PNG has {channels} channels with maxval {maxval}")
    stride = width * channels
    rows = [samples[start:start + stride] for start in range(0, height * stride, stride)]
    return png_file(width, height, (GREY, GREY_ALPHA, RGB, RGB_ALPHA)[channels - 1], 8 if maxval == 255 else 16, rows)


def sample_bytes(picture):
    """Returns the samples as bytes: one byte for each, or two if maxval is above 255, the high one first."""
    if picture.maxval < 256:
        return bytes(picture.samples.tolist())  # bytes(array) would copy its memory, two bytes a sample
    words = array("H", picture.samples)
    if sys.byteorder == "little":
        words.byteswap()
    return words.tobytes()


def digest(pictures):
    """Returns the SHA-256 of a line 'width height channels maxval' and the samples of each image. It does not depend on
    the format of the file that the images are from."""
    sha = hashlib.sha256()
    for p in pictures:
        sha.update(b"%d %d %d %d\n" % (p.width, p.height, p.channels, p.maxval))
        sha.update(sample_bytes(p))
    return sha.hexdigest()


def netpbm_header(p):
    if p.channels in (1, 3):
        return b"P%d\n%d %d\n%d\n" % (5 if p.channels == 1 else 6, p.width, p.height, p.maxval)
    kind = {2: "GRAYSCALE_ALPHA", 4: "RGB_ALPHA"}.get(p.channels, "")
    header = f"P7\nWIDTH {p.width}\nHEIGHT {p.height}\nDEPTH {p.channels}\nMAXVAL {p.maxval}\n"
    return (header + (f"TUPLTYPE {kind}\n" if kind else "") + "ENDHDR\n").encode()


def read_netpbm(data, start):
    """Returns the image that begins at start, after any white space, and the index of its end."""
    start += re.compile(rb"\s*").match(data, start).end() - start
    magic = data[start:start + 2]
    start += 2
    if magic == b"P7":
        width, height, channels, maxval, start = read_pam_header(data, start)
    elif re.fullmatch(rb"P[1-6]", magic):
        width, start = read_number(data, start)
        height, start = read_number(data, start)
        maxval, start = (1, start) if magic in (b"P1", b"P4") else read_number(data, start)
        channels = 3 if magic in (b"P3", b"P6") else 1
        if magic not in (b"P1", b"P2", b"P3"):
            start += 1  # a single white space precedes raw samples
    else:
        raise ValueError(f"it begins with {magic!r}, not P1 to P7 or a PNG signature")
    if width < 1 or height < 1 or channels < 1 or not 1 <= maxval <= 65535:
        raise ValueError(f"{width}x{height}, {channels} channels, maxval {maxval}: out of range")
    count = width * height * channels
    if count > LARGEST:
        raise ValueError(f"{width}x{height} is too large")
    if magic in (b"P1", b"P4"):
        bits, start = read_bits(data, start, width, height, magic == b"P4")
        # In a bitmap 1 is black; as a sample, with maxval 1, it is white.
        return Picture(width, height, 1, 1, array("H", (1 - b for b in bits))), start
    if magic in (b"P2", b"P3"):
        samples, start = read_plain(data, start, count)
    else:
        samples, start = read_raw(data, start, count, 2 if maxval > 255 else 1)
    if max(samples) > maxval:
        raise ValueError(f"a sample of {max(samples)} is above the maxval of {maxval}")
    return Picture(width, height, channels, maxval, samples), start


SPACE = re.compile(rb"(?:\s|#[^\r\n]*[\r\n])*")
NUMBER = re.compile(rb"\d+")


def read_number(data, start):
    found = NUMBER.match(data, SPACE.match(data, start).end())
    if not found:
        raise ValueError("a number is missing, or is negative, or the file ends too early")
    return int(found.group()), found.end()


def read_pam_header(data, start):
    end = data.find(b"ENDHDR\n", start)
    if end < 0:
        raise ValueError("the PAM header has no ENDHDR")
    lines = (line.split() for line in data[start:end].decode("ascii", "replace").splitlines())
    fields = {words[0]: words[1] for words in lines if len(words) > 1 and words[0][0] != "#"}
    try:
        sizes = [int(fields[name]) for name in ("WIDTH", "HEIGHT", "DEPTH", "MAXVAL")]
    except KeyError as missing:
        raise ValueError(f"the PAM header has no {missing}") from None
    return *sizes, end + len(b"ENDHDR\n")


def read_bits(data, start, width, height, raw):
    """Returns the bits of a bitmap, row by row. In a plain bitmap, no space is needed between digits."""
    if raw:
        stride = (width + 7) // 8
        rows = data[start:start + stride * height]
        if len(rows) < stride * height:
            raise ValueError("the file ends before its last row")
        bits = [rows[r * stride + c // 8] >> (7 - c % 8) & 1
                for r in range(height) for c in range(width)]
        return bits, start + stride * height
    bits = []
    while len(bits) < width * height:
        start = SPACE.match(data, start).end()
        if data[start:start + 1] not in (b"0", b"1"):
            raise ValueError("a bit is missing")
        bits.append(data[start] - ord("0"))
        start += 1
    return bits, start


def read_plain(data, start, count):
    samples = array("H")
    for _ in range(count):
        sample, start = read_number(data, start)
        if sample > 65535:
            raise ValueError(f"a sample of {sample}")
        samples.append(sample)
    return samples, start


def read_raw(data, start, count, size):
    raw = data[start:start + count * size]
    if len(raw) < count * size:
        raise ValueError(f"{len(raw)} bytes of samples where {count * size} are promised")
    samples = array("H")
    if size == 1:
        samples.extend(raw)
    else:
        samples.frombytes(raw)
        if sys.byteorder == "little":
            samples.byteswap()
    return samples, start + count * size
