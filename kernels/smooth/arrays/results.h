/* SPDX-License-Identifier: MIT */
/* Makes results from what the passes leave, at each level: the last pass, along the row; rounding;
 * and the list of open samples. */
#ifndef SMOOTHIMG_ARRAYS_RESULTS_H
#define SMOOTHIMG_ARRAYS_RESULTS_H

#include "kernels/smooth/arrays/peaks.h"

/* One thread's. */
struct worker {
    const struct array_tiling *tiling;
    const struct array_scheme *scheme;
    struct exact_common common;
    struct box main; /* the tile that is being computed; boxes are parts of it */
    struct tile tile;
    uint64_t *words; /* of tiles: see tile_begin() */
    int64_t *others;
    int64_t place[ARRAY_AXES]; /* of a result */
    struct peaks peaks;
    double *bounds; /* of blocks of a row of the result */
    double *means;  /* the same, of means */
    uint8_t *none;  /* samples of a row that have no mean */
    uint8_t *open;  /* samples of the main tile */
    bool any_open;  /* some of these may be */
};

/* A row of results. */
struct result {
    char *dst;      /* its first sample */
    uint8_t *open;  /* of each */
    int64_t n;      /* samples */
    int number;     /* of those that passes left */
    bool only_open; /* others are done */
};

/* Return how many rows a box has, and how many samples are in a row of it. */
int64_t result_rows(const struct array_scheme *scheme, const struct box *box);
int64_t result_length(const struct array_scheme *scheme, const struct box *box);

/* Returns the first place of row number `row` of the box. */
struct result result_at(struct worker *worker, const struct box *box, int64_t row);

/* Goes on to sample x of that row. */
void result_enter(struct worker *worker, const struct box *box, int64_t x);

/* result_sample returns the address of sample x of a row; the other function stores a sample's bits
 * there. */
char *result_sample(const struct array_scheme *scheme, const struct result *row, int64_t x);
void result_put(const struct worker *worker, char *target, uint64_t bits);

/* Returns the greatest magnitude of the numbers that the tile's passes read. */
double numbers_peak(const struct worker *worker);

/* Sets the bounds of the estimates in doubles, for each block of a row, from the peaks. */
void set_bounds(struct worker *worker);

/* Filter along the row, and store. In doubles, infinite results and NaN are stored only if two
 * doubles are next, or if the root of an underflow would be taken for one. */
void finish_doubles(struct worker *worker, const struct result *row);
void finish_two_doubles(struct worker *worker, const struct result *row);
void finish_integers(struct worker *worker, const struct result *row);

/* Returns the words that integers of the main tile need, and their unit. */
int integers_words(const struct worker *worker, int *unit);

/* Stores open samples where all samples in reach of a block have one value. Derivatives of flat
 * parts are 0, or nearly, which no estimate proves. Doubles must hold the samples. */
void finish_flat(struct worker *worker);

#endif
