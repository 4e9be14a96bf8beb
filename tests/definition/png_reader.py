# SPDX-License-Identifier: MIT
"""Reads PNG files of every colour type and depth, interlaced or not, with the modules zlib and struct alone.

Palettes become RGB, or RGBA if the palette has transparency. Grey of 1, 2 and 4 bits is scaled to 8 bits. Other samples
are kept as they are stored: gamma and a transparent colour are ignored."""
import struct
import zlib
from array import array

GREY, RGB, PALETTE, GREY_ALPHA, RGB_ALPHA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGB_ALPHA: 4}
DEPTHS = {GREY: (1, 2, 4, 8, 16), PALETTE: (1, 2, 4, 8)}
LARGEST = 1 << 28  # greatest number of samples: a header that declares more is refused

# Each pass of an interlaced image (Adam7): first column, first row, step between columns, step between rows.
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunks_of(data):
    """Returns the chunks of a file, as (type, data). Raises ValueError for a damaged chunk or a cut-off file."""
    found, start = [], 8
    while not found or found[-1][0] != b"IEND":
        if start + 12 > len(data):
            raise ValueError("the file ends before the IEND chunk")
        size, = struct.unpack_from(">I", data, start)
        body = data[start + 4:start + 8 + size]
        if start + 12 + size > len(data):
            raise ValueError(f"the file ends within the chunk {body[:4]!r}")
        if struct.unpack_from(">I", data, start + 8 + size)[0] != zlib.crc32(body):
            raise ValueError(f"the CRC of the chunk {body[:4]!r} is wrong")
        found.append((body[:4], body[4:]))
        start += 12 + size
    return found


def decode_png(data):
    """Returns (width, height, channels, maxval, samples) for the bytes of a PNG file."""
    chunks = chunks_of(data)
    if chunks[0][0] != b"IHDR" or len(chunks[0][1]) != 13:
        raise ValueError("the first chunk is no IHDR")
    width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", chunks[0][1])
    if colour not in CHANNELS or depth not in DEPTHS.get(colour, (8, 16)) or interlace > 1:
        raise ValueError(f"colour type {colour}, depth {depth}, interlace {interlace}")
    channels = CHANNELS[colour]
    if not 1 <= width * height * channels <= LARGEST:
        raise ValueError(f"{width}x{height} is nothing, or too large")
    try:
        packed = zlib.decompress(b"".join(body for name, body in chunks if name == b"IDAT"))
    except zlib.error as error:
        raise ValueError(f"the pixels cannot be inflated: {error}") from None
    samples = array("H", bytes(2 * width * height * channels))
    start = 0
    for x, y, dx, dy in PASSES if interlace else [(0, 0, 1, 1)]:
        columns, rows = len(range(x, width, dx)), len(range(y, height, dy))
        for row in range(rows if columns else 0):
            if row == 0:
                above = bytes((columns * channels * depth + 7) // 8)
            above = unfilter(packed, start, above, max(1, channels * depth // 8))
            start += 1 + len(above)
            line = unpack(above, depth, columns * channels)
            place = ((y + row * dy) * width + x) * channels
            for channel in range(channels):
                end = place - x * channels + width * channels
                samples[place + channel:end:dx * channels] = line[channel::channels]
    if colour == PALETTE:
        channels, samples = look_up(samples, dict(chunks))
        depth = 8
    elif depth < 8:
        scale = 255 // ((1 << depth) - 1)
        samples = array("H", (sample * scale for sample in samples))
    return width, height, channels, 65535 if depth == 16 else 255, samples


def unfilter(packed, start, above, step):
    """Undoes the filter of the row that begins, with its filter type, at packed[start]. above: the row above it; step:
    bytes of a pixel, at least 1."""
    line = bytearray(packed[start + 1:start + 1 + len(above)])
    if start >= len(packed) or len(line) < len(above):
        raise ValueError("the pixels end before the last row")
    kind = packed[start]
    if kind > 4:
        raise ValueError(f"a row with the unknown filter {kind}")
    for i in range(len(line) if kind else 0):
        a = line[i - step] if i >= step else 0
        b = above[i]
        c = above[i - step] if i >= step else 0
        line[i] = line[i] + (0, a, b, (a + b) // 2, paeth(a, b, c))[kind] & 255
    return line


def paeth(a, b, c):
    """Returns that one of a (to the left), b (above) and c (above left) which is nearest to a + b - c."""
    pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def unpack(line, depth, count):
    """Returns `count` samples, of `depth` bits each, from the bytes of a row."""
    if depth == 8:
        samples = line
    elif depth == 16:
        samples = (line[2 * i] << 8 | line[2 * i + 1] for i in range(count))
    else:
        mask = (1 << depth) - 1
        samples = (line[i * depth // 8] >> (8 - depth - i * depth % 8) & mask for i in range(count))
    return array("H", list(samples))


def look_up(indices, chunks):
    """Returns channels and samples of an image with a palette: RGB, or RGBA if there is a tRNS chunk."""
    palette, alpha = chunks.get(b"PLTE", b""), chunks.get(b"tRNS")
    if (max(indices) + 1) * 3 > len(palette):
        raise ValueError("a pixel names a colour that the palette lacks")
    colours = [palette[i:i + 3] for i in range(0, len(palette), 3)]
    if alpha is not None:
        alpha = alpha.ljust(len(colours), b"\xff")
        colours = [colour + alpha[i:i + 1] for i, colour in enumerate(colours)]
    samples = array("H")
    samples.extend(b"".join(colours[i] for i in indices))
    return len(colours[0]), samples
