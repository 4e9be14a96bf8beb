# SPDX-License-Identifier: MIT
"""Makes PNG files of every colour type and depth, interlaced or not, with any further chunks, with the modules zlib and
struct alone. Row i of each pass uses filter type i % 5, and the samples are in up to three IDAT chunks."""
import struct
import zlib

from png_reader import CHANNELS, PALETTE, PASSES, paeth

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(name, data, crc=None):
    """Returns the bytes of a chunk. crc: a checksum to use in place of the right one."""
    sum_ = zlib.crc32(name + data) if crc is None else crc
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", sum_)


def pack_row(row, depth):
    """Returns the samples of a row as bytes. The leftmost sample of a byte is in its highest bits."""
    if depth == 16:
        return struct.pack(f">{len(row)}H", *row)
    per_byte = 8 // depth
    row = list(row) + [0] * (-len(row) % per_byte)
    return bytes(sum(sample << 8 - depth * (i + 1) for i, sample in enumerate(row[start:start + per_byte]))
                 for start in range(0, len(row), per_byte))


def filter_row(kind, row, above, step):
    """Returns a byte with the filter type `kind`, and the filtered row. step: bytes of a pixel, at least 1."""
    filtered = bytearray([kind])
    for i, byte in enumerate(row):
        a, c = (row[i - step], above[i - step]) if i >= step else (0, 0)
        b = above[i]
        filtered.append(byte - (0, a, b, (a + b) // 2, paeth(a, b, c))[kind] & 255)
    return filtered


def filtered_pixels(width, height, colour, depth, interlaced, samples):
    """Returns the bytes of all filtered rows of an image, pass by pass if `interlaced`. samples: a list of rows of
    width * channels numbers."""
    channels, data = CHANNELS[colour], bytearray()
    step = max(1, channels * depth // 8)
    for x, y, dx, dy in PASSES if interlaced else [(0, 0, 1, 1)]:
        above = None
        for number, row in enumerate(samples[y::dy] if x < width else []):
            pixels = [row[i * channels:(i + 1) * channels] for i in range(x, width, dx)]
            packed = pack_row([sample for pixel in pixels for sample in pixel], depth)
            data += filter_row(number % 5, packed, above or bytes(len(packed)), step)
            above = packed
    return bytes(data)


def png_file(width, height, colour, depth, samples, interlaced=False, palette=None, key=None,
             first=(), middle=(), last=(), level=-1):
    """Returns the bytes of a PNG file. palette, key: data of the PLTE and tRNS chunks. first, middle, last: chunks
    after IHDR, before IDAT, and before IEND, as (name, data) or as bytes, which are inserted unchanged."""
    def chunks(items):
        return b"".join(item if isinstance(item, bytes) else chunk(*item) for item in items)
    packed = zlib.compress(filtered_pixels(width, height, colour, depth, interlaced, samples), level)
    third = len(packed) // 3 + 1
    data = SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced))
    data += chunks(first)
    data += chunk(b"PLTE", palette) if palette is not None else b""
    data += chunk(b"tRNS", key) if key is not None else b""
    data += chunks(middle)
    data += b"".join(chunk(b"IDAT", packed[i:i + third]) for i in range(0, len(packed), third))
    return data + chunks(last) + chunk(b"IEND", b"")


def some_samples(width, height, colour, depth, palette_size=256):
    """Returns rows of many different samples. The first sample is 0, and the last one is the largest that the depth, or
    the palette, allows. A single sample is the largest."""
    full = (1 << depth) - 1 if colour != PALETTE else min(1 << depth, palette_size) - 1
    rows = [[(y * 2971 + i * 40503 + y * i * 7) % (full + 1) for i in range(width * CHANNELS[colour])]
            for y in range(height)]
    rows[0][0], rows[-1][-1] = 0, full
    return rows
