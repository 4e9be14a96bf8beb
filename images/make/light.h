/* SPDX-License-Identifier: MIT */
/* The sky that stars and galaxies are painted on, and the spot that they are made of. */
#ifndef LIGHT_H
#define LIGHT_H

#include <stddef.h>
#include <stdint.h>

/* Light is counted in 65536ths of one grey level of an 8-bit picture, lengths in 16ths of a
   pixel: fine enough to look smooth, coarse enough that no product leaves 64 bits. */
enum { LEVEL = 1 << 16, PIXEL = 16 };

struct sky {
    int width, height;
    int64_t *light;  /* width * height of them, row by row */
    uint64_t random; /* the state of the random numbers */
};

/* A rotation whose cosine x/length and sine y/length are fractions: Pythagorean triples. */
struct direction {
    int x, y, length;
};

/* Where a thing lies, how it is turned, and how flat it looks: minor axis in 16ths of the major. */
struct pose {
    int x, y;
    struct direction turn;
    int flatness;
};

/* How light falls off at d radii from the middle: 2^-(d^2) or 2^-d. */
enum profile { GAUSSIAN, EXPONENTIAL };

/* A number in 0..limit-1. */
int random_below(struct sky *sky, int limit);

/* About normal, mean 0, standard deviation 2^16 / sqrt(3): a sum of four uniform numbers. */
int64_t random_normal(struct sky *sky);

/* The largest integer whose square is at most n; n in 0..2^62. */
int64_t square_root(int64_t n);

/* peak * 2^-(halvings / 65536); peak in 0..2^38. */
int64_t fade(int64_t peak, int64_t halvings);

/* Adds a round or flattened spot, cut off where the picture ends. */
void add_spot(struct sky *sky, const struct pose *pose, enum profile profile, int radius,
              int64_t peak);

#endif
