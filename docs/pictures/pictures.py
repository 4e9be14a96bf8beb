#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pictures.py LANES README FOLDER: draws the memory accesses of warps, as the emulated device (src/emulator, which runs
kernels without a GPU) recorded them. LANES is the program of lanes.cpp; README is kernels/README.md, which has the
times of the ladder. With --check it writes nothing, and fails if a picture in FOLDER differs from what it would
draw."""
import json
import re
import subprocess
import sys
from math import log10
from pathlib import Path
from typing import NamedTuple

from svg import BLUE, GREEN, GREY, INK, ORANGE, PALE, RED, Picture

HALO = 4
# The widths of the images, and of gemv's matrix: so large that in most kernels the block that is drawn, the second
# from the left, has neighbours on both sides.
WIDE = {"smooth": 384, "transpose": 512, "reverse": 1024, "gemv": 256}
LARGE = 1024  # width and height of the images for which draw_ladder() shows the moved bytes
# (side of the image, halo) for kernels that need other values than WIDE and HALO. At this halo and side the variant
# fused uses the kernel of fused/window.cuh.
SIZES = {"image-smooth/fused": (1280, 1)}
SECTOR = 32         # bytes
BAR, DECADE = 22, 180  # in pixels: height of a bar with the gap below it; length of a bar for each factor of ten


class Access(NamedTuple):
    """One access that the lanes of a warp make together."""
    kind: str
    space: str
    source: str
    warp: int
    size: int
    places: dict  # the addresses, by lane

    def touched(self, unit):
        """Returns the numbers of the units of `unit` bytes that the access touches."""
        return {place // unit for first in self.places.values() for place in range(first, first + self.size)}


def trace(lanes, *rows, side=96, halo=HALO):
    """Returns {kernel: (accesses, moved)}. `rows` are kernels, named as in smoothimg-bench --sectors. moved: the bytes of
    the sectors that the kernel moves, as a multiple of the bytes that must move."""
    printed = subprocess.run([lanes, str(side), str(side), str(halo), *rows], check=True, capture_output=True,
                             text=True).stdout
    found, accesses = {}, []
    for line in printed.splitlines():
        if line.startswith(("load ", "store ")):
            kind, space, source, warp, size, *places = line.split(" ")
            places = {int(lane): int(address, 16) for lane, address in (place.split(":") for place in places)}
            accesses.append(Access(kind, space, source, int(warp), int(size), places))
        elif line.startswith('    {"group": '):
            row = json.loads(line.rstrip(","))
            found[f"{row['group']}/{row['row']}"] = accesses, row["moved"]
            accesses = []
    return found


def whole(accesses, kind, size):
    """Returns one of the accesses of this kind to global memory with `size` bytes a lane: the first with the most
    lanes."""
    return max((each for each in accesses if (each.kind, each.space, each.size) == (kind, "global", size)),
               key=lambda access: len(access.places))


# --- Which sectors an access touches.

def pitch_of(op, access, side):
    """Returns the bytes from one row of the accessed array to the next. Where a lane accesses 8 bytes, the array is the
    sums of the kernel `separable` or the matrix of gemv, whose rows follow one another without gaps; otherwise it is an
    image that the tracer allocated (images.cpp)."""
    if access.size == 8:
        return 8 * side
    return source_pitch(side) if op == "smooth" and access.kind == "load" else round_up(side)


def round_up(length):
    return -(-length // 256) * 256


def source_pitch(side):
    return round_up(256 + side + HALO)


def on_rows(units, pitch):
    """Returns (column, row) of each unit, which is a byte or a sector. `pitch` is the number of units from one row of the
    image to the next. Column 0 is that of the leftmost unit, row 0 that of the first."""
    first, beside = min(units), pitch // 4  # units of later rows may lie a quarter of a row to the left of the first
    placed = [((unit - first + beside) % pitch, (unit - first + beside) // pitch) for unit in units]
    left = min(column for column, _ in placed)
    return sorted(((column - left, row) for column, row in placed), key=lambda place: place[::-1])


def bytes_on_rows(sectors, pitch):
    """Returns (column, row) of each byte of the sectors."""
    moved = sorted(sector * SECTOR + i for sector in sectors for i in range(SECTOR))
    return dict(zip(moved, on_rows(moved, pitch)))


def draw_access(picture, access, pitch, x, y, caption):
    """Draws the sectors that an access moves, and which of their bytes the lanes request."""
    width = 400
    sectors = on_rows(access.touched(SECTOR), pitch // SECTOR)
    columns = max(4, 1 + max(column for column, _ in sectors))
    rows = 1 + max(row for _, row in sectors)
    scale, height = width / (columns * SECTOR), 5 if rows > 1 else 18
    place = bytes_on_rows(access.touched(SECTOR), pitch)
    used = [place[byte] for byte in sorted(access.touched(1))]
    count, share = len(sectors), len(used) / len(place)
    picture.write(x, y, caption)
    picture.write(x + width, y, f"{count} sector{'s' * (count > 1)}, {share:.0%} used", anchor="end",
                  fill=RED if share < 0.3 else INK)
    picture.cells([(x, y + 8 + row * height) for row in range(rows)], (width, height - 1), PALE)
    box = SECTOR * scale
    picture.cells([(x + column * box, y + 8 + row * height) for column, row in sectors], (box - 1, height - 1), ORANGE)
    picture.runs([(x + byte * scale, y + 8 + row * height) for byte, row in used], (scale, height - 1), BLUE)
    return y + 8 + rows * height


MOVES = [(name, [("load", "from the image", 1), ("store", "to the result", 1)])
         for name in ("naive", "coalesced", "shared")]
MOVES.append(("vector", [("load", "from the image", 16), ("store", "to the result", 16)]))
# For each picture: its title and its rungs, which are kernels. For each rung: the accesses to draw, each by its kind,
# caption and bytes of one lane. The picture shows the first access of that kind and size.
SECTORS = {
    "smooth": ("Smoothing an image of bytes", [
        ("naive", [("load", "a sample of the window", 1), ("store", "the result", 1)]),
        ("coalesced", [("load", "a sample of the window", 1), ("store", "the result", 1)]),
        ("tiled", [("load", "a row of the tile", 1), ("store", "the result", 1)]),
        ("shared", [("load", "a row of the tile", 1), ("store", "one of four results of a lane", 1)]),
        ("separable", [("load", "a sample of the row", 1), ("store", "64-bit sums along the rows", 8)]),
        ("separable", [("load", "a column of these sums", 8), ("store", "the result", 1)]),
        ("fused", [("load", "three rows, copy unit", 1312), ("store", "16 results of a lane", 16)])]),
    "transpose": ("Transposing an image of bytes", MOVES),
    "reverse": ("Reversing an image of bytes", MOVES),
    "gemv": ("A matrix of doubles times a vector", [
        ("by rows", [("load", "of the matrix, by rows", 8), ("store", "the result", 8)]),
        ("by columns", [("load", "of the matrix, by columns", 8), ("store", "the result", 8)])]),
}


def traced_at_their_sizes(lanes, rows, side):
    """Like trace(), but uses the sides and halos of SIZES for the kernels that SIZES names."""
    found = trace(lanes, *(row for row in rows if row not in SIZES), side=side)
    for row in (row for row in rows if row in SIZES):
        found |= trace(lanes, row, side=SIZES[row][0], halo=SIZES[row][1])
    return found


def draw_sectors(lanes, op):
    what, panels = SECTORS[op]
    title = f"{what}: what one access of a warp's 32 lanes touches"
    group = op if op == "gemv" else f"image-{op}"
    found = traced_at_their_sizes(lanes, [f"{group}/{name}" for name, _ in panels], WIDE[op])
    picture = Picture(title, "Boxes are sectors of 32 bytes; orange ones move, blue bytes are used.")
    picture.legend(10, 46, [(ORANGE, "a sector of 32 bytes that moves"), (BLUE, "bytes that a lane requests"),
                            (PALE, "memory that does not move")])
    y = 64
    for name, sides in panels:
        accesses, _ = found[f"{group}/{name}"]
        side, halo = SIZES.get(f"{group}/{name}", (WIDE[op], HALO))
        picture.line(10, y, 950, y, PALE)
        picture.write(10, y + 22, name, 15, font_weight="bold")
        if halo != HALO:
            picture.write(10, y + 42, f"halo {halo}")
        ends = []
        for i, (kind, caption, size) in enumerate(sides):
            access = whole(accesses, kind, size)
            ends.append(draw_access(picture, access, pitch_of(op, access, side), 115 + i * 435, y + 22,
                                    f"{kind}: {caption}"))
        y = max(ends) + 14
    return picture


# --- Banks of shared memory.

BANKS = (("transpose-float/tile", "floats, tile of 32 x 32"), ("transpose-float/padded tile", "floats, rows of 33 words"),
         ("image-transpose/coalesced", "bytes, tile of 32 x 32"), ("image-transpose/shared", "bytes, rows of 36"))


def draw_banks(lanes):
    title = "A column of a tile in shared memory: the banks that a warp's 32 lanes read"
    found = trace(lanes, *(row for row, _ in BANKS))
    picture = Picture(title, "Columns are the 32 banks; a bank delivers one word in each pass.")
    picture.write(10, 46, "Each column is a bank, each box a word that lanes read from it. A bank delivers one word in each pass.")
    for i, (row, caption) in enumerate(BANKS):
        accesses, _ = found[row]
        worst = max((each for each in accesses if each.space == "shared" and each.kind == "load"),
                    key=lambda access: (passes(access), len(access.touched(4))))
        left, top = 10 + i % 2 * 480, 86 + i // 2 * 250
        draw_bank(picture, worst, left, top, caption)
    return picture


def words_of(access):
    """Returns {bank: {word: [lanes that request it]}}."""
    banks = {}
    for lane, place in sorted(access.places.items()):
        banks.setdefault(place // 4 % 32, {}).setdefault(place // 4, []).append(lane)
    return banks


def passes(access):
    return max(len(words) for words in words_of(access).values())


def draw_bank(picture, access, x, y, caption):
    wide, high, rows = 14, 5.5, 32
    banks = words_of(access)
    count = passes(access)
    picture.write(x, y, f"{caption}: {count} pass{'es' * (count > 1)}", 15, font_weight="bold",
                  fill=RED if count > 1 else INK)
    bottom = y + 14 + rows * high
    for bank in range(32):
        picture.rect(x + bank * wide, y + 14, wide - 2, rows * high, "#f4f4f4")
        words = len(banks.get(bank, {}))
        picture.cells([(x + bank * wide, bottom - (i + 1) * high) for i in range(words)], (wide - 2, high - 1),
                      RED if words > 1 else BLUE)
        if bank % 4 == 0:
            picture.write(x + bank * wide + 6, bottom + 15, str(bank), 12, anchor="middle", fill="#555555")
    picture.write(x + 32 * wide, bottom + 30, "bank", 12, anchor="end", fill="#555555")


# --- A tile and its halo.

def draw_tile(lanes):
    title = f"What a block loads: its tile, and a halo of {HALO} pixels around it"
    picture = Picture(title, "Each box is a pixel of one byte.")
    picture.legend(10, 46, [(BLUE, "pixel that the block computes"), (GREEN, "halo: loaded too"),
                            (ORANGE, "the rest of the sectors that move")])
    y = 84
    for name, side in (("tiled", 96), ("shared", 384)):
        accesses, _ = trace(lanes, f"image-smooth/{name}", side=side)[f"image-smooth/{name}"]
        y = draw_block(picture, name, accesses, 10, y, side) + 34
    return picture


def bytes_of(accesses, kind):
    return {byte for each in accesses if (each.kind, each.space) == (kind, "global") for byte in each.touched(1)}


def draw_block(picture, name, accesses, x, y, side):
    loaded, stored = bytes_of(accesses, "load"), bytes_of(accesses, "store")
    place = bytes_on_rows({byte // SECTOR for byte in loaded}, source_pitch(side))
    loaded = {place[byte] for byte in loaded}
    left, top = min(column for column, _ in loaded) + HALO, min(row for _, row in loaded) + HALO
    outputs = {(left + column, top + row) for column, row in on_rows(stored, round_up(side))}
    size = min(9.0, 940 / (1 + max(column for column, _ in place.values())))
    picture.write(x, y, f"{name}: {len(outputs)} pixels computed, {len(loaded)} loaded, {len(place)} moved", 15,
                  font_weight="bold")
    for pixels, fill in (set(place.values()) - loaded, ORANGE), (loaded - outputs, GREEN), (outputs, BLUE):
        rows = sorted(pixels, key=lambda pixel: pixel[::-1])
        picture.runs([(x + column * size, y + 10 + row * size) for column, row in rows], (size, size), fill)
    columns, rows = (1 + max(each) for each in zip(*place.values()))
    for column in range(1, columns):
        picture.line(x + column * size, y + 10, x + column * size, y + 10 + rows * size, "#ffffff")
    for row in range(1, rows):
        picture.line(x, y + 10 + row * size, x + columns * size, y + 10 + row * size, "#ffffff")
    return y + 10 + rows * size


# --- The ladder.

LADDER = {"smooth": ("naive", "coalesced", "tiled", "shared", "separable", "fused"),
          "transpose": ("naive", "coalesced", "shared", "vector"), "reverse": ("naive", "coalesced", "shared", "vector")}
ROWS = {"smooth": "smooth, 8 bits, halo 4", "transpose": "transpose, 8 / 16 bits", "reverse": "reverse, 8 / 16 bits"}


def times_of(readme):
    """Returns the milliseconds for 8 bits from kernels/README.md, and the GPU and size that it names."""
    text = readme.read_text()
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    head = next(row for row in table if "`naive`" in row)
    names = [re.findall(r"`(\w+)`", cell) for cell in head]
    times = {}
    for op, label in ROWS.items():
        row = next(row for row in table if row[0] == label)
        times |= {(op, name): row[i].split(" / ")[0] for i, cell in enumerate(names) for name in cell}
    return times, re.search(r"milliseconds on an (NVIDIA \w+), (\d+ x \d+)", text).groups()


def draw_ladder(lanes, readme):
    title = f"The ladder: bytes that move, as a multiple of what must; images of bytes, {LARGE} x {LARGE}"
    rows = [f"image-{op}/{name}" for op, names in LADDER.items() for name in names]
    found = trace(lanes, *rows, side=LARGE)
    times, (gpu, size) = times_of(readme)
    picture = Picture(title, "Bars: sectors by the emulated device, which has no caches. Right: measured times.")
    picture.write(10, 44, "Bars: sectors that the emulated device counted, which has no caches; each line is ten times more.")
    picture.write(950, 66, f"ms, {size}, {gpu}", 14, anchor="end")
    y = 84
    for op, names in LADDER.items():
        picture.write(10, y, op, 15, font_weight="bold")
        y = draw_bars(picture, op, names, found, times, y + 8)
    return picture


def draw_bars(picture, op, names, found, times, y):
    end = y + len(names) * BAR
    for power in range(4):
        picture.line(110 + power * DECADE, y, 110 + power * DECADE, end, "#bbbbbb")
    for name in names:
        draw_bar(picture, name, found[f"image-{op}/{name}"][1], y, 110)
        picture.write(950, y + 15, times.get((op, name)) or "", anchor="end")
        y += BAR
    return end + 30


def draw_bar(picture, name, value, y, left):
    """Draws a bar from `left` on. Its length is proportional to the logarithm of the value, but at least 2 pixels."""
    length = max(2, DECADE * log10(value))
    picture.write(left - 8, y + 15, name, anchor="end")
    picture.rect(left, y + 3, length, BAR - 6, BLUE)
    picture.write(left + length + 8, y + 15, f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}")


def drawings(lanes, readme):
    for op in SECTORS:
        yield f"sectors-{op}", draw_sectors(lanes, op)
    yield "banks", draw_banks(lanes)
    yield "tile", draw_tile(lanes)
    yield "ladder", draw_ladder(lanes, readme)


def main(arguments):
    check = "--check" in arguments
    lanes, readme, folder = (each for each in arguments if each != "--check")
    stale = []
    for name, picture in drawings(lanes, Path(readme)):
        path = Path(folder) / f"{name}.svg"
        if not check:
            path.write_text(picture.svg())
        elif not path.exists() or path.read_text() != picture.svg():
            stale.append(path.name)
    for name in stale:
        print(f"{folder}/{name} is not what docs/pictures/pictures.py draws: run it", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
