# SPDX-License-Identifier: MIT
"""Makes and reads TIFF files with Python's standard library alone: either byte order, BigTIFF, strips and tiles, chunky
and planar, several images, and any tag.

An image is a dict: width, height, channels, samples (a flat list, pixel by pixel) and kind, a letter of struct (B, H,
or I for the bits of floats). Other keys say how it is stored: rows (of a strip) or tile (width, height), planar,
compression, predictor, backwards (the last strip first), and more (number of zero bytes after each strip or tile).
`tags` maps tag numbers to (type, values)."""
import struct
import zlib

BYTE, ASCII, SHORT, LONG, RATIONAL, UNDEFINED, FLOAT, DOUBLE, LONG8 = 1, 2, 3, 4, 5, 7, 11, 12, 16
LETTERS = {BYTE: "B", ASCII: "B", SHORT: "H", LONG: "I", RATIONAL: "II", 6: "b", UNDEFINED: "B",
           8: "h", 9: "i", 10: "ii", FLOAT: "f", DOUBLE: "d", LONG8: "Q"}
NONE, LZW, DEFLATE, OLD_DEFLATE, PACKBITS = 1, 5, 8, 32946, 32773


def bytes_of(order, kind, values):
    return struct.pack(f"{order}{len(values)}{kind}", *values)


def packbits(data):
    """Compresses by PackBits. If the next bytes are three or more equal ones, they become a repeated byte, else up to
    100 bytes become a literal run."""
    out = bytearray()
    at = 0
    while at < len(data):
        run = 1
        while run < 128 and data[at + run:at + run + 1] == data[at:at + 1]:
            run += 1
        if run > 2:
            out += bytes((257 - run,)) + data[at:at + 1]
            at += run
        else:
            piece = data[at:at + 100]
            out += bytes((len(piece) - 1,)) + piece
            at += len(piece)
    return bytes(out)


def lzw(data):
    """Compresses by LZW with codes of 9 bits. Clears the table every 200 bytes, before codes get longer, but not within
    the last 254 bytes. If exactly 254 bytes are left, a reader expects an end code of 10 bits. This function writes one
    of 9 bits, as old libtiff did."""
    bits = count = at = 0
    out = bytearray()

    def put(code):
        nonlocal bits, count
        bits, count = bits << 9 | code, count + 9
        while count >= 8:
            count -= 8
            out.append(bits >> count & 255)

    while at < len(data):
        end = len(data) if len(data) - at <= 254 else at + 200
        put(256)
        for byte in data[at:end]:
            put(byte)
        at = end
    put(257)
    out.append(bits << 8 - count & 255 if count else 0)
    return bytes(out)


def compressed(data, image, order, width):
    """Compresses `data`, which has the rows of a strip or tile of this width. In a planar image the rows have samples
    of one channel."""
    if image.get("predictor", 1) == 2:
        step = 1 if image.get("planar") else image["channels"]
        size = struct.calcsize(image["kind"])
        values = list(struct.unpack(f"{order}{len(data) // size}{image['kind']}", data))
        for at in range(0, len(values), width * step):
            row = values[at:at + width * step]
            values[at:at + width * step] = [
                (now - row[i - step] if i >= step else now) % 256 ** size for i, now in enumerate(row)]
        data = bytes_of(order, image["kind"], values)
    method = image.get("compression", NONE)
    return {NONE: bytes, LZW: lzw, DEFLATE: zlib.compress, OLD_DEFLATE: zlib.compress,
            PACKBITS: packbits}[method](data + bytes(image.get("more", 0)))


def planes_of(image):
    """Returns (samples, channels) of each plane."""
    if not image.get("planar"):
        return [(image["samples"], image["channels"])]
    return [(image["samples"][c::image["channels"]], 1) for c in range(image["channels"])]


def parts_of(image, order):
    """Yields the bytes of each strip or tile."""
    width, height = image["width"], image["height"]
    tile = image.get("tile")
    step_x, step_y = tile or (width, image.get("rows", height))
    for samples, channels in planes_of(image):
        for top in range(0, height, step_y):
            bottom = top + step_y if tile else min(top + step_y, height)
            for left in range(0, width, step_x):
                part = []
                for y in range(top, bottom):
                    row = samples[y * width * channels:(y + 1) * width * channels]
                    row = row[left * channels:(left + step_x) * channels]
                    part += row + [0] * (step_x * channels - len(row))
                yield compressed(bytes_of(order, image["kind"], part), image, order, step_x)


def tags_of(image):
    size = 8 * struct.calcsize(image["kind"])
    channels = image["channels"]
    tags = {256: (LONG, [image["width"]]), 257: (LONG, [image["height"]]),
            258: (SHORT, [size] * channels), 259: (SHORT, [image.get("compression", NONE)]),
            262: (SHORT, [2 if channels in (3, 4) else 1]), 277: (SHORT, [channels]),
            284: (SHORT, [2 if image.get("planar") else 1])}
    if channels in (2, 4):
        tags[338] = (SHORT, [2])
    if image["kind"] == "I":
        tags[339] = (SHORT, [3] * channels)
    if image.get("predictor", 1) != 1:
        tags[317] = (SHORT, [image["predictor"]])
    if image.get("tile"):
        tags[322], tags[323] = (SHORT, [image["tile"][0]]), (SHORT, [image["tile"][1]])
    else:
        tags[278] = (LONG, [image.get("rows", image["height"])])
    return tags


def tiff_file(*images, order="<", big=False):
    """Returns a TIFF with one directory for each image. Each directory follows the image's samples."""
    offset_kind, entry, count_kind = ("Q", 20, "Q") if big else ("I", 12, "H")
    head = (b"II" if order == "<" else b"MM") + struct.pack(order + "H", 43 if big else 42)
    head += struct.pack(order + "HH", 8, 0) if big else b""
    data = bytearray(head + bytes(8 if big else 4))
    link = len(head)
    for image in images:
        offsets, counts = [], []
        step = -1 if image.get("backwards") else 1  # -1: the last strip is first in the file
        for part in list(parts_of(image, order))[::step]:
            offsets.append(len(data))
            counts.append(len(part))
            data += part
        offsets, counts = offsets[::step], counts[::step]
        tags = tags_of(image)
        tiled = bool(image.get("tile"))
        tags[324 if tiled else 273] = (LONG8 if big else LONG, offsets)
        tags[325 if tiled else 279] = (LONG, counts)
        tags.update(image.get("tags", {}))
        tags = {number: tag for number, tag in tags.items() if tag}
        data += bytes(len(data) % 2)
        entries = b""
        values_at = len(data) + struct.calcsize(count_kind) + entry * len(tags) + (8 if big else 4)
        values = b""
        for number, (kind, content) in sorted(tags.items()):
            letters = LETTERS[kind]
            packed = (bytes(content) if isinstance(content, (bytes, bytearray))
                      else b"".join(struct.pack(order + letters, *(v if isinstance(v, tuple) else (v,)))
                                    for v in content))
            if len(packed) > (8 if big else 4):
                values += bytes(len(values) % 2)
                field = struct.pack(order + offset_kind, values_at + len(values))
                values += packed
            else:
                field = packed.ljust(8 if big else 4, b"\0")
            entries += struct.pack(order + "HH" + offset_kind, number, kind, len(content)) + field
        struct.pack_into(order + offset_kind, data, link, len(data))
        data += struct.pack(order + count_kind, len(tags)) + entries
        link = len(data)
        data += bytes(8 if big else 4) + values
    return bytes(data)


def read_directories(data):
    """Yields (byte order, {tag number: values}) of each directory. Values are a list, or bytes for ASCII and
    UNDEFINED."""
    order = "<" if data[:2] == b"II" else ">"
    big = struct.unpack_from(order + "H", data, 2)[0] == 43
    offset_kind, entry, count_kind = ("Q", 20, "Q") if big else ("I", 12, "H")
    at, = struct.unpack_from(order + offset_kind, data, 8 if big else 4)
    while at:
        count, = struct.unpack_from(order + count_kind, data, at)
        at += struct.calcsize(count_kind)
        tags = {}
        for i in range(count):
            number, kind, length = struct.unpack_from(order + "HH" + offset_kind, data, at + i * entry)
            letters = LETTERS[kind]
            place = at + i * entry + entry - struct.calcsize(offset_kind)
            if struct.calcsize(letters) * length > struct.calcsize(offset_kind):
                place, = struct.unpack_from(order + offset_kind, data, place)
            values = struct.unpack_from(order + letters * length, data, place)
            if kind == RATIONAL:
                values = [a / b for a, b in zip(values[::2], values[1::2])]
            tags[number] = bytes(values) if kind in (ASCII, UNDEFINED) else list(values)
        yield order, tags
        at, = struct.unpack_from(order + offset_kind, data, at + count * entry)


def without_float_predictor(part, row, channels, order):
    """Undoes TIFF's predictor for floats, which stores the highest bytes of a row's samples first, then the next bytes,
    as differences. A row has `row` samples."""
    out = bytearray()
    for at in range(0, len(part), 4 * row):
        line = bytearray(part[at:at + 4 * row])
        for i in range(channels, len(line)):
            line[i] = (line[i] + line[i - channels]) % 256
        for i in range(row):
            out += bytes(line[i::row][::1 if order == ">" else -1])
    return bytes(out)


def read_tiff(data):
    """Returns the images of a TIFF in strips, uncompressed or deflated, as smoothimg writes it. They are dicts as the
    head of this file describes them, but `tags` maps tag numbers to values without types."""
    images = []
    for order, tags in read_directories(data):
        width, height, channels = tags[256][0], tags[257][0], tags[277][0]
        kind = {8: "B", 16: "H", 32: "I"}[tags[258][0]]
        size = struct.calcsize(kind)
        samples = []
        for offset, count in zip(tags[273], tags[279]):
            part = data[offset:offset + count]
            if tags[259][0] == DEFLATE:
                part = zlib.decompress(part)
            if tags.get(317) == [3]:
                part = without_float_predictor(part, width * channels, channels, order)
            values = list(struct.unpack(f"{order}{len(part) // size}{kind}", part))
            if tags.get(317) == [2]:
                for i in range(len(values)):
                    if i % (width * channels) >= channels:
                        values[i] = (values[i] + values[i - channels]) % 256 ** size
            samples += values
        images.append({"width": width, "height": height, "channels": channels, "kind": kind,
                       "samples": samples, "tags": tags})
    return images
