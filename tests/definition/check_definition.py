# SPDX-License-Identifier: MIT
"""Checks definition.py against properties that it must have, against definition_numpy.py, and
against SciPy's doubles.

usage: check_definition.py [PICTURE...]      compares these with SciPy too, not noise alone

The last line says whether NumPy or SciPy is not installed.
"""
import math
import random
import sys
from array import array
from decimal import Decimal, localcontext
from fractions import Fraction

from definition import (EDGES, plane_of, real_weights, reverse, smooth, sources, transpose,
                        weights)
from pictures import Picture, read_pictures

try:
    import definition_numpy
except ImportError:
    definition_numpy = None
try:
    import scipy.ndimage
except ImportError:
    scipy = None

HALOS = (0, 1, 2, 4, 8, 16, 33)
AXES = [(5, 0), (0, 3), (2, 9)]  # halos of x and y
checks, faults = 0, []


def check(good, what):
    global checks
    checks += 1
    if not good:
        faults.append(what)
        print("differs:", what)


def noise(width, height, channels, maxval, seed):
    draw = random.Random(seed).randrange
    samples = (draw(maxval + 1) for _ in range(width * height * channels))
    return Picture(width, height, channels, maxval, array("H", samples))


def check_weights():
    """Each weight is rounded to nearest: a double, with 53 bits, shows that for weights of 46."""
    for halo in range(1, 65):
        w = weights(halo)
        check(w == w[::-1] and sum(w) == 2**46, f"halo {halo}: symmetric, and the sum is 2^46")
        g = [math.exp(-4.5 * (k / halo) ** 2) for k in range(-halo, halo + 1)]
        errors = [abs(w[k] - 2**46 * g[k] / math.fsum(g)) for k in range(halo)]
        check(max(errors) < 0.52, f"halo {halo}: every weight but the middle one is rounded")
    analytic = 2**46 / (2 / 3 * math.sqrt(2 * math.pi))
    errors = [abs(w - analytic * math.exp(-1.125 * k * k)) for k, w in
              zip(range(-2, 3), weights(2, norm="analytic"))]
    check(max(errors) < 0.52, "halo 2: every analytic weight is rounded")


def both_of(halo, sigma, norm):
    """The weights of an axis in units of 1, and the real ones."""
    real = real_weights(halo, sigma, norm)
    return [Decimal(w) / 2**46 for w in weights(halo, sigma, norm)], real[:0:-1] + real


def farthest(halo, sigma, norm, other=None):
    """The largest difference, in units of maxval, that the rounding of weights can make to a result
    that is not rounded yet (every sample is 0 or maxval, whichever adds to it); and the sum of the
    real weights of a line. other: halo and sigma of the other axis, if they differ."""
    with localcontext() as context:
        context.prec = 60
        ours, theirs = both_of(halo, sigma, norm)
        others, their_others = both_of(*(other or (halo, sigma)), norm)
        apart = [a * b - c * d for a, c in zip(ours, theirs)
                 for b, d in zip(others, their_others)]
        above, below = sum(d for d in apart if d > 0), -sum(d for d in apart if d < 0)
        return float(max(above, below)), float(sum(theirs))


def check_nearness():
    """The figures and bounds of the manual's "How near this is to the real Gaussian"."""
    for halo in (1, 2, 3, 4, 5, 8, 13, 16, 33, 50, 63, 64):
        far, _ = farthest(halo, None, "sum")
        check(255 * far < 2e-10 and 65535 * far < 4e-8, f"halo {halo}: {far} times maxval")
        check(halo != 4 or (255 * far < 1e-11 and 65535 * far < 3e-9),
              f"halo 4: {far} times maxval")
    ratios = {"sum": [], "analytic": []}
    for halo, sigma in ((1, None), (2, 0.31), (4, None), (4, 0.2), (10, 100.0), (16, 0.8),
                        (33, 2.06), (64, 7.7)):
        for norm, found in ratios.items():
            far, area = farthest(halo, sigma, norm)
            taps = 2 * halo + 1
            bound = halo / 2**45 if norm == "sum" else area * taps / 2**46 + taps**2 / 2**94
            found.append(far / bound)
            check(far <= bound, f"halo {halo}, sigma {sigma}, {norm}: {far} is above {bound}")
    for hx, sx, hy, sy in ((1, None, 9, None), (33, 2.06, 4, 0.2), (0, None, 16, 0.8)):
        far, _ = farthest(hx, sx, "sum", (hy, sy))
        check(far <= (hx + hy) / 2**46, f"halo {hx},{hy}: {far}")
        far, area = farthest(hx, sx, "analytic", (hy, sy))
        _, other = farthest(hy, sy, "analytic")
        nx, ny = 2 * hx + 1, 2 * hy + 1
        check(far <= (area * ny + other * nx) / 2**47 + nx * ny / 2**94, f"{hx},{hy}: {far}")
    for norm, found in ratios.items():  # half the bound would not hold
        check(max(found) > 0.5, f"{norm}: the bound is far too large, {found}")
    far, area = farthest(33, 2.06, "analytic")
    check(29096.5 - 29096.49999999946 < 65535 * area * 67 / 2**46 < 6.3e-8, "the manual's example")


def check_itself():
    check(sources(4, 6, "clamp") == [0] * 6 + [0, 1, 2, 3] + [3] * 6, "clamp")
    check(sources(4, 6, "reflect") == [2, 3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0, 1], "reflect")
    check(sources(4, 6, "mirror") == [0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2, 3], "mirror")
    check(sources(4, 6, "wrap") == [2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1], "wrap")
    check(sources(1, 3, "mirror") == [0] * 7, "mirror of a single sample")
    for maxval in (1, 255, 4095, 65535):
        picture = noise(13, 7, 3, maxval, maxval)
        check(smooth(picture, 0) == picture, f"halo 0 is the identity, maxval {maxval}")
        check(transpose(transpose(picture)) == picture, "transpose twice")
        check(reverse(reverse(picture)) == picture, "reverse twice")
        check(smooth(reverse(picture), 3) == reverse(smooth(picture, 3)), "reverse, then smooth")
        check(smooth(transpose(picture), 3) == transpose(smooth(picture, 3)), "transpose, smooth")
        for level in (0, 1, maxval // 2, maxval):
            flat = picture._replace(samples=array("H", [level] * len(picture.samples)))
            for edge in EDGES[:4]:
                for halo in (1, 9, 40):
                    check(smooth(flat, halo, None, edge) == flat, f"flat {level} {edge} {halo}")


def veiled(width, height, channels, maxval, seed):
    """Noise whose alpha is often 0 or 1."""
    picture = noise(width, height, channels, maxval, seed)
    draw, samples = random.Random(seed).choice, array("H", picture.samples)
    for i in range(channels - 1, len(samples), channels):
        samples[i] = draw((0, 0, 1, maxval, samples[i]))
    return picture._replace(samples=samples)


def check_alpha():
    for maxval in (1, 255, 4095, 65535):
        picture = veiled(11, 7, 4, maxval, maxval)
        check(smooth(picture, 0) == picture, f"alpha, halo 0 is the identity, maxval {maxval}")
        check(smooth(reverse(picture), 3) == reverse(smooth(picture, 3)), "alpha, reverse")
        check(smooth(transpose(picture), 3) == transpose(smooth(picture, 3)), "alpha, transpose")
        samples, pixels = array("H", picture.samples), picture.width * picture.height
        for level in (1, maxval):
            samples[3::4] = array("H", [level] * pixels)
            even = picture._replace(samples=samples)
            check(smooth(even, 2) == smooth(even, 2, alpha="separate"), f"even alpha {level}")
        samples[3::4] = array("H", [0] * pixels)
        hidden = picture._replace(samples=samples)
        check(smooth(hidden, 5) == hidden, "what is transparent stays as it is")
        check_hidden(picture, maxval)
        for edge in EDGES:
            for norm in ("sum", "analytic"):
                check_means(veiled(5, 4, 2, maxval, maxval), 1, edge, norm)
                check_means(veiled(2, 3, 4, maxval, maxval), 4, edge, norm)


def check_hidden(picture, maxval):
    """Colours of transparent pixels change no pixel whose window has any alpha."""
    other = array("H", picture.samples)
    for i in range(0, len(other), 4):
        if other[i + 3] == 0:
            other[i:i + 3] = array("H", [maxval - sample for sample in other[i:i + 3]])
    first, second = smooth(picture, 1), smooth(picture._replace(samples=other), 1)
    # Sigma 10 makes nine weights that are nearly alike: any alpha in a window smooths to above 0.
    alpha = picture._replace(channels=1, samples=array("H", (
        sample and maxval for sample in picture.samples[3::4])))
    for i, seen in enumerate(smooth(alpha, 1, 10.0).samples):
        if seen:
            check(first.samples[4 * i:4 * i + 4] == second.samples[4 * i:4 * i + 4],
                  f"hidden colours, maxval {maxval}, pixel {i}")


def check_means(picture, halo, edge, norm):
    """Compares with the formula in fractions, pixel by pixel: one sum over the window in two
    dimensions."""
    width, height, channels, maxval, samples = picture
    w = weights(halo, None, norm)
    columns, rows = sources(width, halo, edge), sources(height, halo, edge)
    result = smooth(picture, halo, None, edge, norm, "python").samples
    for y in range(height):
        for x in range(width):
            window = [(w[i] * w[j], (rows[y + i] * width + columns[x + j]) * channels)
                      for i in range(2 * halo + 1) for j in range(2 * halo + 1)
                      if rows[y + i] is not None and columns[x + j] is not None]
            cover = sum(weight * samples[at + channels - 1] for weight, at in window)
            for c in range(channels - 1):
                here = (y * width + x) * channels + c
                colours = sum(weight * samples[at + channels - 1] * samples[at + c]
                              for weight, at in window)
                wanted = (math.floor(Fraction(colours, cover) + Fraction(1, 2)) if cover
                          else samples[here])
                check(result[here] == wanted, f"mean {x} {y} {c} {edge} {norm} maxval {maxval}")


def check_numpy():
    """Python's integers against definition_numpy.py, also with the largest maxval and halo."""
    sizes = [(1, 1), (1, 9), (9, 1), (5, 4), (40, 31)]
    for seed, (width, height) in enumerate(sizes):
        for maxval in (255, 65535):
            picture = veiled(width, height, 2, maxval, seed)
            for edge in EDGES:
                for halo, sigma, norm in ((1, None, "sum"), (9, None, "sum"), (33, 50.0, "sum"),
                                          (1, None, "analytic"), (2, 0.2, "analytic"),
                                          ((3, 1), None, "sum"), ((0, 4), None, "analytic"),
                                          (None, (2.0, 0.0), "sum"), (5, (0.7, 3.0), "sum")):
                    for alpha in ("weighted", "separate"):
                        options = (halo, sigma, edge, norm)
                        python, numpy = (smooth(picture, *options, engine, alpha)
                                         for engine in ("python", "numpy"))
                        check(python == numpy, f"python and numpy, {width}x{height} "
                                               f"maxval {maxval} {options} {alpha}")
    white = noise(3, 2, 1, 65535, 0)._replace(samples=array("H", [65535] * 6))
    check(smooth(white, 1024, 1e6, engine="numpy") == white, "numpy, halo 1024, flat white")


def check_scipy(picture, name):
    width, height, channels, maxval, _ = picture
    for channel in range(channels):
        plane = plane_of(picture, channel)
        for x, y in [(halo, halo) for halo in HALOS] + AXES:
            for edge in EDGES:
                columns, rows = sources(width, x, edge), sources(height, y, edge)
                w, real = (weights(x), weights(y)), (real_weights(x), real_weights(y))
                ours = definition_numpy.smooth_plane(plane, w, columns, rows, maxval)
                theirs = definition_numpy.scipy_smooth(plane, real, edge, maxval)
                wrong = int((theirs != ours).sum())
                check(wrong == 0, f"SciPy, {name} channel {channel} halo {x},{y} {edge}: {wrong}")


def check_scipy_alpha(picture, name):
    planes = [plane_of(picture, channel) for channel in range(picture.channels)]
    for x, y in [(halo, halo) for halo in HALOS] + AXES:
        for edge in EDGES:
            ours = smooth(picture, (x, y), None, edge)
            for channel, plane in enumerate(planes[:-1]):
                theirs = definition_numpy.scipy_weighted(
                    plane, planes[-1], (real_weights(x), real_weights(y)), edge)
                wrong = int((theirs != plane_of(ours, channel)).sum())
                check(wrong == 0, f"SciPy, {name}, channel {channel} halo {x},{y} {edge}: {wrong}")


def main():
    check_weights()
    check_nearness()
    check_itself()
    check_alpha()
    if definition_numpy:
        check_numpy()
    if definition_numpy and scipy:
        for width, height in ((1, 1), (1, 5), (6, 1), (7, 5), (200, 150)):
            for maxval in (255, 4095, 65535):
                picture = noise(width, height, 1, maxval, width)
                check_scipy(picture, f"{width}x{height} noise, maxval {maxval}")
                if maxval > 255:  # at 255 some means are exact halves, which doubles miss
                    check_scipy_alpha(noise(width, height, 2, maxval, width),
                                      f"{width}x{height} noise with alpha, maxval {maxval}")
        for path in sys.argv[1:]:
            for picture in read_pictures(path):
                check_scipy(picture, path)
    left_out = [name for name, module in (("NumPy", definition_numpy), ("SciPy", scipy))
                if not module]
    print(f"{checks} checks, {len(faults)} differ; not installed: {', '.join(left_out) or 'none'}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
