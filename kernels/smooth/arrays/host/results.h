/* SPDX-License-Identifier: MIT */
/* Makes results from the sums of the passes, at each level of arithmetic (doubles, two doubles,
 * integers): does the last pass, which runs along the row, rounds its sums, and marks a sample as
 * unresolved (`open`) if its rounding is not proven.
 *
 * A tile is the part of the result that a thread computes at a time, a box a part of a tile, a root
 * a sum of the last pass. A place has one coordinate for each axis. A job has one result array, or,
 * with ARRAY_APART, one for each term. */
#ifndef SMOOTHIMG_ARRAYS_RESULTS_H
#define SMOOTHIMG_ARRAYS_RESULTS_H

#include "kernels/smooth/arrays/host/peaks.h"

/* What is known of a tile's samples in one result array. */
struct proof {
    double *bounds; /* error bounds of estimates, one for each ARRAY_BLOCK samples of a row */
    uint8_t *open;  /* 1 for samples of worker->main that are unresolved */
};

/* The state of one thread. */
struct worker {
    struct box main; /* the tile that is being computed; boxes are parts of it */
    struct tile tile;
    int64_t room;              /* 64-bit words at tile.memory */
    int64_t place[ARRAY_AXES]; /* coordinates of a result: see result_at() */
    struct peaks peaks;
    struct descent descent;
    struct proof proofs[ARRAY_FILTERED]; /* of each result array */
    int result;                          /* the index of the result array that is being finished */
    double *means; /* error bounds of means, one for each ARRAY_BLOCK samples of a row */
    uint8_t *none; /* 1 for samples of a row that have no mean, since their weights sum to 0 */
    bool any_open; /* some samples of `main` may be unresolved */
};

/* A row of results. */
struct result {
    char *dst;      /* address of its first sample */
    uint8_t *open;  /* 1 for each sample that is unresolved */
    int64_t n;      /* number of samples */
    int number;     /* index among the rows that the last tile_filter_rows() computed */
    bool only_open; /* store only unresolved samples; the others are already stored */
};

/* result_rows() returns how many rows a box has, result_length() how many samples each row has. */
int64_t result_rows(const struct array_scheme *scheme, const struct box *box);
int64_t result_length(const struct array_scheme *scheme, const struct box *box);

/* Returns row number `row` of the box, and sets worker->place to the row's first result. */
struct result result_at(struct worker *worker, const struct box *box, int64_t row);

/* Sets worker->place to sample x of the row that result_at() has returned. */
void result_enter(struct worker *worker, const struct box *box, int64_t x);

/* Stores the bits of sample x of a row, which is then resolved. */
void result_put(const struct worker *worker, const struct result *row, int64_t x, uint64_t bits);

/* Returns a bound on the magnitudes of the numbers that the tile's passes load in two doubles. */
double numbers_peak(const struct worker *worker);

/* Sets the error bounds of the estimates in doubles, one for each ARRAY_BLOCK samples of a row,
 * from the peaks (greatest magnitudes) of the samples or, where sums of cosines replace the taps,
 * from their bound. */
void set_bounds(struct worker *worker);

/* Does the last pass, along the row, at the tile's level of arithmetic, and stores the results. At
 * the level of doubles there are two cases in which it stores only results that are infinite or
 * NaN: if estimates in two doubles follow, or if results are square roots and some samples are
 * infinite or NaN. In the second case a NaN cannot also mark a square root that may have lost bits
 * to underflow, as it does otherwise. sums: NULL, or the results of the last pass, which are then
 * only stored; their error bounds are those that set_bounds() has set. */
void finish_row(struct worker *worker, const struct result *row, const double *sums);

/* Returns how many 64-bit words an integer needs in passes over worker->main. Sets *unit: loaded
 * integers are in units of 2^unit. */
int integers_words(const struct worker *worker, int *unit);

/* Stores the exact results of unresolved samples in each block of ARRAY_BLOCK adjacent results that
 * depend only on samples of one value, which is not negative. Derivatives are 0 or nearly 0 there,
 * which no estimate proves. Doubles must hold the samples exactly. */
void finish_flat(struct worker *worker);

#endif
