# SPDX-License-Identifier: MIT
"""Functions that several tests of the Python package use."""

import importlib.util
import itertools
import sys


def need(*modules):
    """Ends the test as skipped if a module is missing."""
    missing = [name for name in modules if not importlib.util.find_spec(name)]
    if missing:
        print(f"skipped: {sys.executable} has no module {', '.join(missing)}")
        sys.exit(77)


need("numpy")
import numpy as np  # noqa: E402

DTYPES = (np.uint8, np.uint16, np.float32)


def noise(shape, dtype=np.uint8, seed=1):
    """Returns an array of random integers of the type's whole range, or of random floats from 0 to 1."""
    draw = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return draw.random(shape, dtype)
    return draw.integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)


def by_scipy(image, sigmas, radii=None, mode="reflect", truncate=4.0):
    """Returns the result that SciPy computes in doubles, rounded to integers if the image's samples are integers.
    sigmas, radii: a number for each axis. Without radii, a radius is truncate * sigma, rounded. An axis with sigma 0 is
    not filtered."""
    from scipy import ndimage

    result = image.astype(np.float64)
    for axis, sigma in enumerate(sigmas):
        if sigma > 1e-15:
            radius = radii[axis] if radii else int(truncate * sigma + 0.5)
            result = ndimage.gaussian_filter1d(result, sigma, axis, mode=mode, radius=radius)
    whole = image.dtype != np.float32
    return (np.floor(result + 0.5) if whole else result).astype(image.dtype)


def strange_layouts(image):
    """Yields (name, array). All arrays have the image's shape and samples, and each has a different layout in
    memory."""
    yield "C order", np.ascontiguousarray(image)
    yield "Fortran order", np.asfortranarray(image)
    wide = np.zeros([extent + 3 for extent in image.shape], image.dtype)
    inside = wide[tuple(slice(1, extent + 1) for extent in image.shape)]
    inside[...] = image
    yield "slice", inside
    for axis in range(image.ndim):
        backwards = np.flip(np.ascontiguousarray(np.flip(image, axis)), axis)
        yield f"backwards along {axis}", backwards
        every_second = np.repeat(image, 2, axis)[(slice(None),) * axis + (slice(None, None, 2),)]
        yield f"every second along {axis}", every_second
    for first in range(image.ndim):
        order = [first] + [axis for axis in range(image.ndim) if axis != first]
        yield (
            f"axis {first} outermost",
            np.ascontiguousarray(image.transpose(order)).transpose(np.argsort(order)),
        )
    yield "foreign byte order", image.astype(image.dtype.newbyteorder())
    raw = np.zeros(image.nbytes + 1, np.uint8)[1:]
    odd = raw.view(image.dtype).reshape(image.shape)
    odd[...] = image
    yield "odd address", odd
    read_only = image.copy()
    read_only.flags.writeable = False
    yield "read-only", read_only


def strided(image):
    """Yields (name, array). All arrays have the image's shape and samples. Their strides are positive and negative, and
    of many sizes."""
    size = image.itemsize
    for before, after in ((0, 1), (1, 0), (0, size), (size, size), (3, 5)):
        fields = [("before", "u1", (before,)), ("is", image.dtype), ("after", "u1", (after,))]
        field = np.zeros(image.shape, fields)["is"]
        field[...] = image
        yield f"a field after {before} bytes and before {after}", field
    for gaps in itertools.product((0, 1, size), repeat=image.ndim):
        steps, step = [], size
        for extent, gap in zip(image.shape[::-1], gaps[::-1]):
            steps.insert(0, step + gap)
            step = (step + gap) * extent
        for signs in itertools.product((1, -1), repeat=image.ndim):
            strides = [one * sign for one, sign in zip(steps, signs)]
            first = sum(one * (n - 1) for one, n in zip(steps, image.shape))
            begin = sum(-min(one, 0) * (n - 1) for one, n in zip(strides, image.shape))
            memory = np.zeros(first + size, np.uint8)
            view = np.ndarray(image.shape, image.dtype, memory, begin, strides)
            view[...] = image
            yield f"strides {strides}", view


def overlapping():
    """Yields (name, source, out). source(memory) and out(memory) return overlapping parts of an array of 20 x 9
    samples."""
    parts = {
        "the first rows": lambda memory: memory[:15],
        "the last rows": lambda memory: memory[5:],
        "the first, upwards": lambda memory: memory[14::-1],
        "the last, upwards": lambda memory: memory[:4:-1],
        "the last, backwards": lambda memory: memory[:4:-1, ::-1],
        "the first, to the left": lambda memory: memory[:15, ::-1],
    }
    for (read, source), (written, out) in itertools.product(parts.items(), repeat=2):
        yield f"from {read} into {written}", source, out
    yield "one row, the last", lambda memory: memory[:10], lambda memory: memory[9:19]
    yield "one row, the first", lambda memory: memory[9:19], lambda memory: memory[:10]
