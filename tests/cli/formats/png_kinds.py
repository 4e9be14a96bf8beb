# SPDX-License-Identifier: MIT
"""PNG of every colour type, depth and interlacing, with and without tRNS, is read as pngtopnm does.

usage: png_kinds.py PROGRAM IMAGES GROUP    GROUP: table

pngtopnm (Netpbm) leaves grey of 1, 2 and 4 bits in its own range, where this program stretches it to
8 bits; that factor apart, every sample must be the same. It leaves transparency out unless told
otherwise (-alphapam), which it is where there is some. One thing it does not do, as of 11.01: the
transparent colour of an RGB image stays opaque. There alpha is compared with the PNG specification:
0 where all three samples are those of tRNS, else the largest value.
"""
import shutil
import subprocess

import program
from pictures import read_pictures
from png_reader import CHANNELS, DEPTHS, GREY, GREY_ALPHA, PALETTE, RGB, RGB_ALPHA
from png_writer import png_file, some_samples

NAMES = {GREY: "grey", RGB: "RGB", PALETTE: "palette", GREY_ALPHA: "grey, alpha",
         RGB_ALPHA: "RGB, alpha"}
# Ragged in every pass of Adam7; so small that some passes are empty; and several rows of each pass.
SIZES = [(13, 11), (1, 1), (3, 2), (2, 5), (33, 18)]


def palette_of(depth):
    """Colours, none of them grey: pngtopnm makes grey of a palette that is."""
    return bytes(value for i in range(1 << depth) for value in (i, i ^ 85, (200 - i) & 255))


def key_of(colour, depth, samples):
    """tRNS: the alpha of all palette entries but the last two, or the colour of the first pixel."""
    if colour == PALETTE:
        return bytes(255 - 3 * i & 255 for i in range(max(1, (1 << depth) - 2)))
    return b"".join(sample.to_bytes(2, "big") for sample in samples[0][:CHANNELS[colour]])


def kinds():
    for colour, channels in CHANNELS.items():
        for depth in DEPTHS.get(colour, (8, 16)):
            for interlaced in (False, True):
                for transparent in ((False, True) if channels % 2 else (False,)):
                    yield colour, depth, interlaced, transparent


def theirs(path, alpha):
    out = path.with_name("theirs.pam")
    with open(out, "wb") as file:
        subprocess.run(["pngtopnm"] + ["-alphapam"] * alpha + [path], stdout=file, check=True)
    return read_pictures(out)[0]


def with_key(picture, key):
    """The RGBA picture with the alpha that this tRNS means."""
    colour = [int.from_bytes(key[i:i + 2], "big") for i in (0, 2, 4)]
    samples = picture.samples[:]
    for i in range(0, len(samples), 4):
        samples[i + 3] = 0 if samples[i:i + 3].tolist() == colour else picture.maxval
    return picture._replace(samples=samples)


def difference(our, their):
    """Of two pictures, without the factor of what was stretched; or ''."""
    if our[:3] != their[:3]:
        return f"{our[:4]}, not {their[:4]}"
    factor = our.maxval // their.maxval
    differing = sum(a != b * factor for a, b in zip(our.samples, their.samples))
    return f"{differing} samples differ" if differing else ""


def check_kind(workshop, colour, depth, interlaced, transparent):
    """What is wrong, or ''."""
    faults = []
    for width, height in SIZES:
        samples = some_samples(width, height, colour, depth)
        path = workshop.folder / "kind.png"
        palette = palette_of(depth) if colour == PALETTE else None
        key = key_of(colour, depth, samples) if transparent else None
        path.write_bytes(png_file(width, height, colour, depth, samples, interlaced, palette, key))
        workshop.check_works("--halo", "0", path.name, "ours.pnm")
        their = theirs(path, transparent or colour in (GREY_ALPHA, RGB_ALPHA))
        if colour == RGB and transparent:
            their = with_key(their, key)
        fault = difference(read_pictures(workshop.folder / "ours.pnm")[0], their)
        faults += [f"{width}x{height}: {fault}"] if fault else []
    return "; ".join(faults)


def table(workshop):
    """A line for each kind, so that what was compared can be read."""
    if not shutil.which("pngtopnm"):
        raise program.Skip("pngtopnm is not installed (package netpbm)")
    print(f"{'colour type':14}{'depth':>6}  {'interlaced':12}{'tRNS':6}as pngtopnm")
    for kind in kinds():
        colour, depth, interlaced, transparent = kind
        fault = check_kind(workshop, *kind)
        name = f"{NAMES[colour]:14}{depth:>6}  {'Adam7' if interlaced else 'no':12}" \
               f"{'yes' if transparent else 'no':6}"
        print(name + (fault or f"equal, {len(SIZES)} sizes") +
              (", alpha by the specification" if colour == RGB and transparent else ""))
        workshop.check(not fault, " ".join(name.split()) + ": " + fault)


def in_bands(workshop):
    """Interlaced rows come all at once, and so before the first band; others come in order."""
    samples = some_samples(300, 400, RGB, 8)
    for interlaced in (False, True):
        name = f"{'interlaced' if interlaced else 'plain'}.png"
        (workshop.folder / name).write_bytes(png_file(300, 400, RGB, 8, samples, interlaced))
        for words in ("--halo 3 -j1", "--halo 3 -j4", "--op reverse -j4"):
            workshop.check_works(*words.split(), name, f"{name}{words.replace(' ', '')}.ppm")
    for path in workshop.folder.glob("plain*.ppm"):
        other = workshop.folder / path.name.replace("plain", "interlaced")
        workshop.check(path.read_bytes() == other.read_bytes(), f"{path.name}: interlaced differs")


if __name__ == "__main__":
    program.main(__doc__, {"table": [table, in_bands]})
