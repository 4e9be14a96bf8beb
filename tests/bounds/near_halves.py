# SPDX-License-Identifier: MIT
"""Makes near_halves.txt: windows whose exact result is a half, or as near to one as a window of
that filter and depth gets. Lattice reduction finds them: chance would need 2^92 windows.

A window's total is the sum of W x over its samples x, with weights W in units of 2^-92: a half is a
total of 2^91 modulo 2^92. Some samples are free, the others noise. The integer combinations of the
free samples that leave the total as it is (modulo 2^92) form a lattice; LLL gives it a short basis,
and Babai's nearest plane algorithm then moves any window to one nearby that has the wanted total.
Where alpha weighs colours, the result is N / A, with N the sum of W alpha x and A that of W alpha:
it is a half where 2 N = (2 k + 1) A, an equation without a modulus.

usage: near_halves.py [HALO...] >near_halves.txt     some seconds; near_halves.c reads the result
"""
import sys
from decimal import Decimal, getcontext

from definition import weights

getcontext().prec = 150
MASK = 2**64 - 1
UNIT = 2**92
FREE = 24           # samples, at most
EXACT = 130         # Lattice's `bits` for which the total is met exactly
ALPHA_SEED = 1000   # as in near_halves.c


# --- lattices -----------------------------------------------------------------------------------

def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def lll(basis):
    """Reduces a basis of integer vectors in place, in integers: Cohen, A Course in Computational
    Algebraic Number Theory, algorithm 2.6.7."""
    n = len(basis)
    d = [1] + [0] * n                       # d[k + 1] belongs to vector k
    lam = [[0] * n for _ in range(n)]
    k, done = 1, 0
    d[1] = dot(basis[0], basis[0])

    def shorten(k, j):
        if 2 * abs(lam[k][j]) <= d[j + 1]:
            return
        q = (2 * lam[k][j] + d[j + 1]) // (2 * d[j + 1])
        basis[k] = [x - q * y for x, y in zip(basis[k], basis[j])]
        lam[k][j] -= q * d[j + 1]
        for i in range(j):
            lam[k][i] -= q * lam[j][i]

    def swap(k):
        basis[k], basis[k - 1] = basis[k - 1], basis[k]
        for j in range(k - 1):
            lam[k][j], lam[k - 1][j] = lam[k - 1][j], lam[k][j]
        upper = lam[k][k - 1]
        b = (d[k - 1] * d[k + 1] + upper * upper) // d[k]
        for i in range(k + 1, done + 1):
            t = lam[i][k]
            lam[i][k] = (d[k + 1] * lam[i][k - 1] - upper * t) // d[k]
            lam[i][k - 1] = (b * t + upper * lam[i][k]) // d[k + 1]
        d[k] = b

    while k < n:
        if k > done:
            done = k
            for j in range(k + 1):
                u = dot(basis[k], basis[j])
                for i in range(j):
                    u = (d[i + 1] * u - lam[k][i] * lam[j][i]) // d[i]
                if j < k:
                    lam[k][j] = u
                else:
                    d[k + 1] = u
        shorten(k, k - 1)
        if 4 * d[k + 1] * d[k - 1] < 3 * d[k] ** 2 - 4 * lam[k][k - 1] ** 2:
            swap(k)
            k = max(1, k - 1)
        else:
            for j in range(k - 2, -1, -1):
                shorten(k, j)
            k += 1
    return basis


class Lattice:
    """The vectors (scales x, coefficients . x) for all integer vectors x; the last entry, the
    total, also plus multiples of the modulus. bits: it counts 2^bits times as much as the rest."""

    def __init__(self, coefficients, scales, modulus, bits):
        self.sample_factor, self.total_factor = 2 ** max(-bits, 0), 2 ** max(bits, 0)
        self.scales = scales
        n = len(coefficients)
        rows = [[self.sample_factor * scales[k] * (i == k) for i in range(n)] +
                [self.total_factor * coefficients[k]] for k in range(n)]
        if modulus:
            rows.append([0] * n + [self.total_factor * modulus])
        self.basis = lll(rows)
        self.orthogonal = []  # Gram-Schmidt: vectors and their squared lengths
        for row in self.basis:
            vector = [Decimal(x) for x in row]
            for other, square in self.orthogonal:
                factor = dot(row, other) / square
                vector = [x - factor * y for x, y in zip(vector, other)]
            self.orthogonal.append((vector, dot(vector, vector)))

    def nearest(self, samples, total):
        """Samples near the given ones, whose total is that one: exactly, or nearly if `bits` is
        small."""
        rest = [self.sample_factor * s * x for s, x in zip(self.scales, samples)]
        rest.append(self.total_factor * total)
        for row, (vector, square) in zip(self.basis[::-1], self.orthogonal[::-1]):
            factor = round(dot(rest, vector) / square)
            rest = [x - factor * y for x, y in zip(rest, row)]
        return [x - r // (self.sample_factor * s) for x, r, s in zip(samples, rest, self.scales)]


# --- windows ------------------------------------------------------------------------------------

def noise(counter):
    """splitmix64, as trial_hash() in trial.c."""
    z = (counter + 1) * 0x9e3779b97f4a7c15 & MASK
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK
    z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
    return z ^ z >> 31


def background(seed, count, maxval):
    """As background() in near_halves.c: noise, or black and white where the seed is odd."""
    values = [noise(seed << 32 | i) for i in range(count)]
    return [(v & 1) * maxval if seed & 1 else v % (maxval + 1) for v in values]


def spread(sums, groups, maxval, seed):
    """Random samples, by place: those of each group add up to its entry of sums."""
    values = {}
    for total, group in zip(sums, groups):
        left = total
        for number, place in enumerate(group):
            others = (len(group) - number - 1) * maxval
            low, high = max(0, left - others), min(maxval, left)
            values[place] = low + noise(seed << 40 | place) % (high - low + 1)
            left -= values[place]
        assert left == 0
    return values


class Filter:
    def __init__(self, halo, sigma, norm):
        self.halo, self.norm = halo, norm
        self.sigma = float(f"{sigma or 0:g}")           # as near_halves.c reads it
        row = weights(halo, self.sigma or None, norm)
        self.weights = [a * b for a in row for b in row]

    def name(self):
        return f"{self.halo} {self.sigma:g} {self.norm}"

    def groups(self):
        """The places of the free samples. In small windows all are free, in groups of equal weight;
        in larger ones each group is one sample, and no two have the same weight."""
        by_weight = {}
        for place, weight in enumerate(self.weights):
            if weight > 0:
                by_weight.setdefault(weight, []).append(place)
        if len(by_weight) < FREE:
            return [by_weight[weight] for weight in sorted(by_weight)]
        chosen = sorted(by_weight, key=lambda weight: noise(weight & MASK))[:FREE]
        return [[by_weight[weight][self.halo % len(by_weight[weight])]] for weight in chosen]


class Lattices:
    """A filter's lattices: first the exact one, then coarser ones. Each is made when it is first
    needed, and kept."""

    def __init__(self, coefficients, groups, modulus):
        self.made = []
        scales = [max(8 // len(group), 1) for group in groups]
        self.coming = (Lattice(coefficients, scales, modulus, bits)
                       for bits in (EXACT, 0, -10, -20, -30, -40, -50, -60, -70, -80))

    def __iter__(self):
        yield from self.made
        for lattice in self.coming:
            self.made.append(lattice)
            yield lattice


def solve(lattices, groups, maxval, seed, wanted_of):
    """The groups' sums. Draws sums to start from, and moves to the total wanted_of(start), as near
    to it as the lattices give; None if all attempts leave the range of samples."""
    for attempt in range(40):
        drawn = [noise(seed << 8 | attempt << 40 | i) for i in range(len(groups))]
        start = [len(group) * (maxval // 4 + number % (maxval // 2 + 1))
                 for group, number in zip(groups, drawn)]
        for lattice in lattices:
            sums = lattice.nearest(start, wanted_of(start))
            if all(0 <= x <= maxval * len(group) for x, group in zip(sums, groups)):
                return sums
    return None


def print_window(kind, family, maxval, seed, groups, sums, distance_of):
    """Prints the window's line, or to standard error that none was found (sums None)."""
    if sums is None:
        print(f"none: {kind} {family.name()} {maxval}", file=sys.stderr)
        return
    values = spread(sums, groups, maxval, seed)
    pairs = " ".join(f"{place}:{value}" for place, value in sorted(values.items()))
    print(kind, family.name(), maxval, distance_of(sums), seed, pairs, flush=True)


def fixed_sum(coefficients, samples, groups):
    """What the samples that are not free add to the total."""
    free = {place for group in groups for place in group}
    return sum(c * x for i, (c, x) in enumerate(zip(coefficients, samples)) if i not in free)


def plain_windows(family, maxval, count, groups, lattices):
    """Windows that are halves, and some that are 1, 2^12 or 2^24 units beside one."""
    coefficients = [family.weights[group[0]] for group in groups]
    for number in range(count):
        seed = family.halo * 100 + number
        ground = background(seed, len(family.weights), maxval)
        fixed = fixed_sum(family.weights, ground, groups)
        distance = (0, -1, 1, 0, 1 << 12, -(1 << 24))[number % 6]
        wanted = UNIT // 2 + distance - fixed
        sums = solve(lattices, groups, maxval, seed, lambda _: wanted)
        print_window("plain", family, maxval, seed, groups, sums,
                     lambda sums: (fixed + dot(coefficients, sums)) % UNIT - UNIT // 2)


def mean_window(family, maxval, number):
    """A window whose mean, weighed by alpha, is a half or next to one. Alpha is noise; colours are
    free or noise."""
    seed = family.halo * 100 + 50 + number
    alpha = background(seed + ALPHA_SEED, len(family.weights), maxval)
    products = [weight * a for weight, a in zip(family.weights, alpha)]
    visible = [place for place, product in enumerate(products) if product > 0]
    places = sorted(visible, key=lambda place: noise(seed << 32 | place))[:FREE]
    groups, coefficients = [[place] for place in places], [products[place] for place in places]
    cover = sum(products)
    fixed = fixed_sum(products, background(seed, len(products), maxval), groups)

    def wanted_of(start):
        whole = (fixed + dot(coefficients, start)) // cover
        return (2 * whole + 1) * cover // 2 + (0, -1, 1)[number % 3] - fixed

    def distance_of(sums):
        total = fixed + dot(coefficients, sums)
        return 2 * total - (2 * (total // cover) + 1) * cover

    sums = solve(Lattices(coefficients, groups, None), groups, maxval, seed, wanted_of)
    print_window("mean", family, maxval, seed, groups, sums, distance_of)


def main():
    chosen = [int(word) for word in sys.argv[1:]]
    for halo, count in ((1, 6), (2, 6), (3, 6), (4, 6), (5, 6), (8, 6), (16, 4), (65, 2)):
        if chosen and halo not in chosen:
            continue
        for sigma, norm in ((None, "sum"), (None, "analytic"), (0.8 * halo, "sum"),
                            (5.0 * halo, "sum")):
            family = Filter(halo, sigma, norm)
            groups = family.groups()
            lattices = Lattices([family.weights[group[0]] for group in groups], groups, UNIT)
            for maxval in (255, 65535):
                plain_windows(family, maxval, count, groups, lattices)
                for number in range(max(2, count // 2)):
                    mean_window(family, maxval, number)


if __name__ == "__main__":
    main()
