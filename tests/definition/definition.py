# SPDX-License-Identifier: MIT
"""Computes smoothimg's operations on images by their definition, in Python's integers. Takes weights and edge rules
from definition_arrays.py, which filters arrays.

This file shares no code with the C program, so that a fault in either shows as a difference. Where the filter
reads outside of the image, the edge rule gives the sample.

    g(k) = exp(-k^2 / (2 sigma^2)),  k = -halo .. halo        S = sum of g(k)
    w(k) = floor(2^46 g(k) / S + 1/2)  for k != 0             w(0) = 2^46 - sum of all other w(k)

With --norm analytic, each w(k) is instead 2^46 times the normal density at k, rounded.

Each axis has a halo and a sigma, and so its own weights wx or wy. With halo 0 the only weight is w(0) = 2^46.

    row(r,c) = sum over j of wx(j) in(r, c+j)
    out(r,c) = (sum over i of wy(i) row(r+i, c)  +  2^91)  >>  92

If alpha weights colours, with both sums over the window and W(i,j) = wy(i) wx(j):

    N = sum of W alpha colour,  A = sum of W alpha
    out(r,c) = floor(N / A + 1/2), or in(r,c) where A is 0

Sharpen (by an amount a, an exact decimal number) and difference combine each sample with the smoothed one. Sharpen and
difference keep alpha as it is. Results are clamped to 0..maxval:

    out = floor(in + a (in - smooth) + 1/2)        out = in - smooth + offset

With --linear, the curve f of linear_light.py decodes the samples to 0..65535 before all operations, and its inverse
encodes the results.

usage: definition.py OPTIONS IN OUT        options of smoothimg: --op, --halo, --sigma, --truncate, --edge, --norm, --alpha,
                                           --amount, --offset, --linear (by sRGB; gamma of a file is not read)
"""
import argparse
import math
import sys
from array import array
from fractions import Fraction
from operator import mul

import linear_light
from definition_arrays import ANALYTIC, edge_index, taps
from pictures import read_pictures, write_pictures

EDGES = ("reflect", "clamp", "mirror", "wrap", "zero")


# --- weights ------------------------------------------------------------------------------------

def of_axis(value, axis):
    """Returns the value for an axis (0: x, 1: y). A number, or None, is the value for both axes; a pair has the values
    for x and y."""
    return value[axis] if isinstance(value, tuple) else value


def axis_of(halo, sigma, axis):
    """Returns the halo and sigma of an axis: 0 is x, 1 is y. Sigma 0 means that the axis is not filtered."""
    halo, sigma = of_axis(halo, axis), of_axis(sigma, axis)
    if sigma == 0:
        return 0, None
    return halo_for(sigma) if halo is None else halo, sigma


def halo_for(sigma):
    """Returns the halo if none is given: 4 sigma, rounded, or 4 if sigma is None."""
    return 4 if sigma is None else math.floor(4 * sigma + 0.5)


def truncated(sigma, truncate):
    """Returns the halo by SciPy's rule, floor(truncate sigma + 1/2), in doubles. If sigma is a pair
    such as "2,1.5", returns a pair."""
    halos = tuple(math.floor(float(truncate) * float(one) + 0.5) for one in sigma.split(","))
    return halos if len(halos) == 2 else halos[0]


def weights(halo, sigma=None, norm="sum"):
    """Returns the 2 * halo + 1 integers w(-halo) .. w(halo). sigma: a float, or None for halo / 3."""
    if halo == 0:
        return [2**46]  # the identity
    found = taps(halo, sigma or 0, 0, 46, ANALYTIC if norm == "analytic" else 1.0)
    if sum(found.values()) >= 4 * 2**46:
        raise ValueError("the analytic weights sum to 4 or more: sigma is too small")
    return [found.get(k, 0) for k in range(-halo, halo + 1)]


# Returns, for each index from -halo to n + halo - 1, the index of the sample that the edge rule puts there, or None if
# it puts 0 there.
def sources(n, halo, edge):
    return [edge_index(edge, i, n) for i in range(-halo, n + halo)]


# --- the filter, in Python's integers -----------------------------------------------------------

def sum_plane(plane, w, columns, rows):
    """Returns rows of weighted sums, which are integers in units of 2^-92. plane: a list of rows; w: the weights wx and
    wy; columns, rows: the results of sources()."""
    wx, wy = w
    height, width = len(plane), len(plane[0])
    row_sums = []
    for line in plane:
        padded = [0 if c is None else line[c] for c in columns]
        row_sums.append([sum(map(mul, wx, padded[c:])) for c in range(width)])
    nothing = [0] * width
    padded = [nothing if r is None else row_sums[r] for r in rows]
    out = []
    for r in range(height):
        window = zip(*padded[r:r + len(wy)])
        out.append([sum(map(mul, wy, column)) for column in window])
    return out


def smooth_plane(plane, w, columns, rows, maxval):
    """Returns the smoothed rows: the sums of sum_plane(), rounded and clamped."""
    sums = sum_plane(plane, w, columns, rows)
    return [[min(total + 2**91 >> 92, maxval) for total in line] for line in sums]


def mean(colours, cover, own):
    """Returns floor(colours / cover + 1/2), or `own` if cover is 0. colours: the sum of weight * alpha * colour over
    the window; cover: the sum of weight * alpha over the window; own: the pixel's own colour."""
    return (2 * colours + cover) // (2 * cover) if cover else own


def weighted_plane(plane, alpha, w, columns, rows):
    """Returns the smoothed rows of a colour, weighted by the rows of alpha."""
    products = [list(map(mul, *lines)) for lines in zip(plane, alpha)]
    colours, cover = sum_plane(products, w, columns, rows), sum_plane(alpha, w, columns, rows)
    return [list(map(mean, *lines)) for lines in zip(colours, cover, plane)]


# --- pictures -------------------------------------------------------------------------------------

def smooth(picture, halo=None, sigma=None, edge="reflect", norm="sum", alpha="weighted"):
    """Returns the smoothed picture. halo, sigma: a number, a pair for x and y, or None. alpha: 'weighted', if the last
    of two or four channels weights the others, or 'separate'."""
    (halo_x, sigma_x), (halo_y, sigma_y) = axis_of(halo, sigma, 0), axis_of(halo, sigma, 1)
    w = weights(halo_x, sigma_x, norm), weights(halo_y, sigma_y, norm)
    width, height, channels, maxval, samples = picture
    columns, rows = sources(width, halo_x, edge), sources(height, halo_y, edge)
    planes = [plane_of(picture, channel) for channel in range(channels)]
    weighted = alpha == "weighted" and channels in (2, 4)
    out = array("H", samples)
    for channel, plane in enumerate(planes):
        if weighted and channel < channels - 1:
            smoothed = weighted_plane(plane, planes[-1], w, columns, rows)
        else:
            smoothed = smooth_plane(plane, w, columns, rows, maxval)
        out[channel::channels] = array("H", (sample for line in smoothed for sample in line))
    return picture._replace(samples=out)


def combine(picture, smoothed, of_samples):
    """Returns the picture with the samples of_samples(in, smooth), clamped. The last of two or four channels, alpha,
    stays as in `picture`."""
    channels, maxval = picture.channels, picture.maxval
    return picture._replace(samples=array("H", (
        a if channels in (2, 4) and i % channels == channels - 1
        else min(max(of_samples(a, s), 0), maxval)
        for i, (a, s) in enumerate(zip(picture.samples, smoothed.samples)))))


def sharpened(picture, smoothed, amount):
    """Returns the sharpened picture. amount: a decimal number as a string."""
    amount = Fraction(amount)
    return combine(picture, smoothed, lambda a, s: math.floor(a + amount * (a - s) + Fraction(1, 2)))


def differing(picture, smoothed, offset):
    """Returns the difference between the picture and the smoothed one. offset: None for half of maxval, rounded up."""
    offset = (picture.maxval + 1) // 2 if offset is None else offset
    return combine(picture, smoothed, lambda a, s: a - s + offset)


def plane_of(picture, channel):
    """Returns the rows of one channel."""
    flat, width = picture.samples[channel::picture.channels], picture.width
    return [flat[r * width:(r + 1) * width] for r in range(picture.height)]


def pixels_of(picture):
    samples, channels = picture.samples, picture.channels
    return [samples[i:i + channels] for i in range(0, len(samples), channels)]


def of_pixels(picture, pixels):
    return picture._replace(samples=array("H", (sample for pixel in pixels for sample in pixel)))


def transpose(picture):
    """out(c, r) = in(r, c)"""
    width, height, pixels = picture.width, picture.height, pixels_of(picture)
    turned = [pixels[r * width + c] for c in range(width) for r in range(height)]
    return of_pixels(picture, turned)._replace(width=height, height=width)


def reverse(picture):
    """out[n - 1 - i] = in[i], where i counts the n pixels: a turn by 180 degrees."""
    return of_pixels(picture, pixels_of(picture)[::-1])


def numbers(of):
    """Returns a function that reads an argument such as 6 or 6,2."""
    def read(text):
        found = tuple(of(piece) for piece in text.split(","))
        if len(found) > 2:
            raise ValueError(text)
        return found if len(found) == 2 else found[0]
    return read


def options_of(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--op", action="append", choices=["smooth", "transpose", "reverse", "sharpen", "difference"])
    parser.add_argument("--halo", type=numbers(int))
    parser.add_argument("--sigma")
    parser.add_argument("--truncate")
    parser.add_argument("--edge", choices=EDGES, default="reflect")
    parser.add_argument("--norm", choices=["sum", "analytic"], default="sum")
    parser.add_argument("--alpha", choices=["weighted", "separate"], default="weighted")
    parser.add_argument("--amount", default="1")
    parser.add_argument("--offset", type=int)
    parser.add_argument("--linear", action="store_true")
    return parser.parse_args(words)


def change_of(words, smooth=smooth):
    """Returns a function that applies the operations of a command line to a picture. `smooth` may replace the function
    smooth()."""
    args = options_of(words)
    halo = truncated(args.sigma, args.truncate) if args.truncate else args.halo
    sigma = args.sigma and numbers(float)(args.sigma)
    smoothed = lambda picture: smooth(picture, halo, sigma, args.edge, args.norm, args.alpha)
    doing = {"smooth": smoothed, "transpose": transpose, "reverse": reverse,
             "sharpen": lambda picture: sharpened(picture, smoothed(picture), args.amount),
             "difference": lambda picture: differing(picture, smoothed(picture), args.offset)}

    def change(picture):
        for op in args.op or ["smooth"]:
            picture = doing[op](picture)
        return picture
    return (lambda picture: linear_light.apply(picture, change)) if args.linear else change


def main():
    source, target = options_of(sys.argv[1:]).files
    write_pictures(target, list(map(change_of(sys.argv[1:]), read_pictures(source))))


if __name__ == "__main__":
    main()
