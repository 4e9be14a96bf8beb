# SPDX-License-Identifier: MIT
"""Makes and reads .npy files, without NumPy. Samples are a flat list of integers. A float is represented by the integer
with the same bits, so that no NaN changes."""
import ast
import struct

TYPES = {"|u1": "B", "<u2": "<H", ">u2": ">H", "<f4": "<I", ">f4": ">I"}


def packed(descr, samples):
    """Returns the samples as bytes."""
    kind = TYPES[descr]
    return struct.pack(f"{kind[:-1]}{len(samples)}{kind[-1]}", *samples)


def text_of(descr, shape):
    return f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape!r}, }}"


def with_header(text, data, version=1):
    """Returns an NPY file whose header is this text, padded as numpy.save pads it."""
    head = b"\x93NUMPY" + bytes((version, 0))
    length = "<H" if version == 1 else "<I"
    used = len(head) + struct.calcsize(length) + len(text) + 1
    text = text.encode() + b" " * (64 - used % 64) + b"\n"
    return head + struct.pack(length, len(text)) + text + data


def npy_file(descr, shape, samples, version=1):
    """Returns an NPY file with the header of numpy.save, which adds blanks so that the number of rows could grow to 21
    digits in place."""
    text = text_of(descr, shape) + " " * (21 - len(str(shape[0])))
    return with_header(text, packed(descr, samples), version)


def read_npy(data):
    """Returns type, shape and samples (a flat list) of a file of version 1."""
    length, = struct.unpack("<H", data[8:10])
    header = ast.literal_eval(data[10:10 + length].decode())
    kind, raw = TYPES[header["descr"]], data[10 + length:]
    samples = struct.unpack(f"{kind[:-1]}{len(raw) // struct.calcsize(kind)}{kind[-1]}", raw)
    return header["descr"], header["shape"], list(samples)
