# SPDX-License-Identifier: MIT
"""Makes JPEG files of any layout, from random coefficients.

For simplicity, all codes of a Huffman table have the same length, and the table has every symbol that a file may need.
"""
import random
import struct

BASELINE, SEQUENTIAL, PROGRESSIVE = 0xC0, 0xC1, 0xC2
APP0, COMMENT = 0xE0, 0xFE

DC_SYMBOLS = list(range(12))  # with 4-bit codes
AC_SYMBOLS = [run << 4 | size for run in range(16) for size in range(11) if size or run in (0, 15)]  # with 8-bit codes


def segment(marker, body):
    return bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body


def exif(*tags, order=">", more=()):
    """Returns EXIF: a TIFF structure with `tags` and, unless `more` is empty, an EXIF directory with `more`. Both are
    lists of (number, type, value)."""
    def directory(at, entries):
        body = struct.pack(order + "H", len(entries))
        for number, kind, value in entries:
            body += struct.pack(order + "HHI", number, kind, 1)
            body += struct.pack(order + {1: "B3x", 3: "H2x", 4: "I"}[kind], value)
        return body + bytes(4)
    head = (b"MM\0*" if order == ">" else b"II*\0") + struct.pack(order + "I", 8)
    if more:
        tags = (*tags, (0x8769, 4, 8 + 2 + 12 * (len(tags) + 1) + 4))
    return head + directory(8, tags) + (directory(0, more) if more else b"")


class Bits:
    """Writes the entropy-coded part of a scan."""

    def __init__(self):
        self.done, self.waiting = bytearray(), ""

    def put(self, value, count):
        if count:
            self.waiting += f"{value:0{count}b}"
        while len(self.waiting) >= 8:
            byte = int(self.waiting[:8], 2)
            self.done += b"\xff\0" if byte == 0xFF else bytes((byte,))
            self.waiting = self.waiting[8:]

    def fill(self):
        self.put((1 << -len(self.waiting) % 8) - 1, -len(self.waiting) % 8)

    def number(self, symbols, length, run, value):
        """Writes the symbol for a run of zeros and the value's size in bits, then the value."""
        size = abs(value).bit_length()
        self.put(symbols.index(run << 4 | size), length)
        self.put(value if value >= 0 else value + (1 << size) - 1, size)


def put_alternating(bits, block, first, last):
    run = 0
    for k in range(max(first, 1), last + 1):
        if block[k] == 0:
            run += 1
            continue
        while run > 15:
            bits.put(AC_SYMBOLS.index(0xF0), 8)
            run -= 16
        bits.number(AC_SYMBOLS, 8, run, block[k])
        run = 0
    if run:
        bits.put(AC_SYMBOLS.index(0), 8)


class Layout:
    def __init__(self, width, height, factors):
        self.width, self.height, self.factors = width, height, factors
        self.most = max(h for h, _ in factors), max(v for _, v in factors)

    def columns(self, c):
        return -(-(-(-self.width * self.factors[c][0] // self.most[0])) // 8)

    def rows(self, c):
        return -(-(-(-self.height * self.factors[c][1] // self.most[1])) // 8)

    def units(self, components):
        """Yields a list for each MCU (minimum coded unit) of a scan: the MCU's blocks, as (component, row, column)."""
        if len(components) == 1:
            c, = components
            for y in range(self.rows(c)):
                for x in range(self.columns(c)):
                    yield [(c, y, x)]
            return
        for y in range(-(-self.height // (8 * self.most[1]))):
            for x in range(-(-self.width // (8 * self.most[0]))):
                yield [(c, y * v + dy, x * h + dx) for c in components for h, v in [self.factors[c]]
                       for dy in range(v) for dx in range(h)]


def scan(layout, block_of, components, first=0, last=63, *, high=0, low=0, restart=0):
    """Returns one scan. block_of(c, y, x) must return 64 coefficients in zigzag order, or None to write a code that no
    table has. first, last, high, low: the header's Ss, Se, Ah, Al; restart: MCUs between restart markers, or 0."""
    head = bytes((len(components), *(byte for c in components for byte in (c + 1, 0)), first, last, high << 4 | low))
    bits, before = Bits(), dict.fromkeys(components, 0)
    for number, unit in enumerate(layout.units(components)):
        if restart and number and number % restart == 0:
            bits.fill()
            bits.done += bytes((0xFF, 0xD0 + (number // restart - 1) % 8))
            before = dict.fromkeys(components, 0)
        for c, y, x in unit:
            block = block_of(c, y, x)
            if block is None:
                bits.put(0xFFFF, 16)
                continue
            if first == 0 and high:
                bits.put(block[0] >> low & 1, 1)
            elif first == 0:
                bits.number(DC_SYMBOLS, 4, 0, (block[0] >> low) - before[c])
                before[c] = block[0] >> low
            if last > 0:
                put_alternating(bits, block, first, last)
    bits.fill()
    return segment(0xDA, head) + bytes(bits.done)


def scans_of(layout, block_of, process, together, restart):
    count = len(layout.factors)
    everything = list(range(count))
    if process != PROGRESSIVE:
        groups = [everything] if together else [[c] for c in everything]
        return [scan(layout, block_of, group, restart=restart) for group in groups]
    return [scan(layout, block_of, everything, 0, 0, low=1, restart=restart),
            *(scan(layout, block_of, [c], 1, 5, restart=restart) for c in everything),
            *(scan(layout, block_of, [c], 6, 63, restart=restart) for c in everything),
            scan(layout, block_of, everything, 0, 0, high=1, restart=restart)]


def random_blocks(seed):
    """Returns a function block_of() for scan()."""
    def block_of(c, y, x):
        chance = random.Random(f"{seed} {c} {y} {x}")
        block = [chance.randrange(-90, 90)] + [0] * 63
        for _ in range(chance.choice((0, 2, 6))):
            block[chance.randrange(1, 64)] = chance.randrange(-12, 13)
        return block
    return block_of


def jpeg_file(width, height, factors=((1, 1),), *, process=BASELINE, together=True, restart=0, segments=(),
              jfif=True, parts=None, blocks=random_blocks(0)):
    """Returns a file. Unless `together`, each component has its own scan if the file is not progressive. `parts` is
    None, or a function that gets the list of scans and returns the scans to write. `blocks` is the function block_of()
    for scan()."""
    layout = Layout(width, height, factors)
    scans = scans_of(layout, blocks, process, together, restart)
    frame = struct.pack(">BHHB", 8, height, width, len(factors)) + b"".join(
        bytes((c + 1, h << 4 | v, 0)) for c, (h, v) in enumerate(factors))
    return b"".join((
        b"\xff\xd8", segment(APP0, b"JFIF\0\1\1\1\0\x48\0\x60\0\0") if jfif else b"", *segments,
        segment(0xDB, b"\0" + bytes([4] * 64)), segment(process, frame),
        segment(0xC4, b"\0" + bytes((0, 0, 0, len(DC_SYMBOLS), *([0] * 12))) + bytes(DC_SYMBOLS)),
        segment(0xC4, b"\x10" + bytes((*([0] * 7), len(AC_SYMBOLS), *([0] * 8))) + bytes(AC_SYMBOLS)),
        segment(0xDD, struct.pack(">H", restart)) if restart else b"",
        *(parts(scans) if parts else scans), b"\xff\xd9"))


def segments_of(data):
    """Yields (marker, body) of the segments before the first scan, in their order."""
    at = 2
    while data[at + 1] != 0xDA:
        length, = struct.unpack(">H", data[at + 2:at + 4])
        yield data[at + 1], data[at + 4:at + 2 + length]
        at += 2 + length


def metadata_of(data):
    return [(marker, body) for marker, body in segments_of(data) if marker >= APP0]
