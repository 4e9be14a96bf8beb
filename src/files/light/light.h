/* SPDX-License-Identifier: MIT */
/* Converts samples of a file, 0..maxval, to linear light, integers 0..65535 that are proportional
 * to light, and back. Let f be the curve of the file, which maps 0..1 to 0..1:
 *
 *     decode(v) = floor(65535 f(v / maxval) + 1/2)
 *     encode(L) = the number of v below maxval with 65535 f((v + 1/2) / maxval) <= L
 *
 * encode(L) is maxval f^-1(L / 65535), rounded to the nearest integer, halves up. f(x) is sRGB's
 * curve (IEC 61966-2-1), which is x / 12.92 up to x = 0.04045 and ((x + 0.055) / 1.055)^2.4 above;
 * or, for a gamma of g, it is x^(1/g). Alpha has no curve: it is multiplied by alpha_factor, the
 * largest odd number that leaves it within 0..65535. If a mean of such products is rounded, then
 * divided by the factor and rounded again, the result is the mean of alpha, rounded once. */
#ifndef SMOOTHIMG_LIGHT_H
#define SMOOTHIMG_LIGHT_H

#include <pthread.h>
#include <stdint.h>

#define LIGHT_MAXVAL 65535u /* the greatest light; also the greatest maxval of a file */
#define LIGHT_SRGB 0        /* instead of a gamma: sRGB's curve */

/* Gammas are multiplied by 100000, as in PNG's chunk gAMA. */
#define LIGHT_MIN_GAMMA 10000u
#define LIGHT_MAX_GAMMA 1000000u

struct light {
    uint32_t maxval;                   /* the file's maxval, 1..65535 */
    uint32_t gamma;                    /* LIGHT_MIN_GAMMA..LIGHT_MAX_GAMMA, or LIGHT_SRGB */
    uint32_t alpha_factor;             /* multiplies alpha; odd */
    uint16_t decode[LIGHT_MAXVAL + 1]; /* by sample, 0..maxval: its light */
    uint16_t encode[LIGHT_MAXVAL + 1]; /* by light, 0..65535: its sample */
};

/* Fills the tables, which takes 0.3 s for a maxval of 65535 and 2 ms for 255. If there is a gamma,
 * maxval must be odd (tables.c says why). */
void light_make(struct light *light, uint32_t maxval, uint32_t gamma);

#define LIGHTS_KEPT 8 /* maximum number of structs light that are kept; each takes 256 KiB */

/* The tables that are kept: all files that a run of the program reads share them. */
struct lights {
    pthread_mutex_t mutex; /* guards the other members */
    struct light *kept[LIGHTS_KEPT];
    int count;
};

/* Frees the tables. The caller has initialised *lights and its mutex. */
void lights_close(struct lights *lights);

/* Finds or makes the struct light for this maxval and gamma. *lights owns the first LIGHTS_KEPT
 * structs that are made. The caller owns each later one, and frees it: *owned is then set to the
 * returned pointer too. Returns NULL if memory runs out. Thread-safe. */
const struct light *lights_get(struct lights *lights, uint32_t maxval, uint32_t gamma,
                               struct light **owned);

#endif
