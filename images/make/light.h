/* SPDX-License-Identifier: MIT */
/* A sky, and the spot of light that stars and galaxies are made of. */
#ifndef LIGHT_H
#define LIGHT_H

#include <stddef.h>
#include <stdint.h>

/* Light is in 65536ths of a grey level of 8 bits, lengths in 16ths of a pixel: fine enough to look
   smooth, coarse enough for products in 64 bits. */
enum { LEVEL = 1 << 16, PIXEL = 16 };

struct sky {
    int width, height;
    int64_t *light;  /* width * height, by rows */
    uint64_t random; /* the state of the random numbers */
};

/* A rotation with cosine x/length and sine y/length; the members are a Pythagorean triple. */
struct direction {
    int x, y, length;
};

/* Position, rotation, and flatness: the minor axis in 16ths of the major axis. */
struct pose {
    int x, y;
    struct direction turn;
    int flatness;
};

/* The light at a distance of d radii from the centre: 2^-(d^2) (GAUSSIAN) or 2^-d (EXPONENTIAL). */
enum profile { GAUSSIAN, EXPONENTIAL };

/* Returns a random number in 0..limit-1. */
int random_below(struct sky *sky, int limit);

/* Returns the sum of four uniform random numbers, which is nearly normal: mean 0, standard
 * deviation 2^16 / sqrt(3). */
int64_t random_normal(struct sky *sky);

/* Returns the largest integer whose square is at most n; n in 0..2^62 - 1. */
int64_t square_root(int64_t n);

/* Returns peak * 2^-(halvings / 65536); peak in 0..2^38. */
int64_t fade(int64_t peak, int64_t halvings);

/* Adds a round or flattened spot to the sky, cut off at the sky's edges. `peak` is the light in the
 * centre of a GAUSSIAN spot. The tip of an EXPONENTIAL spot is rounded, so its centre gets less. */
void add_spot(struct sky *sky, const struct pose *pose, enum profile profile, int radius,
              int64_t peak);

#endif
