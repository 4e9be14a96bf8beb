/* SPDX-License-Identifier: MIT */
/* What came out of a suite: groups of rows, and the figures that follow from their times. */
#ifndef SMOOTHIMG_RESULTS_H
#define SMOOTHIMG_RESULTS_H

#include "src/bench/core/machine.h"
#include "src/bench/core/measure.h"
#include "src/lib/image/image.h"

#define MAX_ROWS 64

/* Rows that were measured together, under the same conditions. */
struct group {
    const char *name; /* of an operation or of experiments; not owned */
    char about[256];  /* the conditions in words */
    struct row rows[MAX_ROWS];
    int row_count;

    /* Of variants. */
    enum op op;
    char checked[256]; /* against what: a sentence without its full stop */
    const char *image; /* as the command line named it */
    struct shape shape;
    int64_t halo; /* 0 but for smooth */
    int threads;
    int64_t cached_bytes; /* of the image and its result, if a real GPU's cache holds both; or 0 */
};

struct results {
    struct machine machine;
    const char *against; /* of variants: the name of the row that speeds are relative to */
    struct group *groups;
    int group_count;
    /* Of experiments: what the rows are compared with, measured in the same run; 0: not known. */
    double copy_rate[2]; /* bytes a second, read and written, by enum backend */
    double peak[2];      /* of the GPU: operations a second, in single and double precision */
    void *own;           /* of the suite, which frees it */
};

/* Adds an empty group; NULL and STATUS_INPUT without memory. */
struct group *results_add_group(struct results *results, struct error *error);

/* All of these: 0 where it is not known. */

/* Bytes a second, by the median. */
double row_rate(const struct row *row);

/* The rate's share of the copy's rate at the row's place: of the group's own copy, or of
 * results->copy_rate. */
double row_share(const struct results *results, const struct group *group, const struct row *row);

/* How many times as fast as the row named `against`. */
double row_speed(const struct group *group, const struct row *row, const char *against);

/* How many times as fast as the group's first timed row that has the same place and as many useful
 * bytes, and that has arithmetic if this one has. */
double row_gain(const struct group *group, const struct row *row);

/* Operations a second; operations for each useful byte, and for each byte that threads ask for. */
double row_flop_rate(const struct row *row);
double row_intensity(const struct row *row);
double row_asked_intensity(const struct row *row);

/* The timed copy of that place, or NULL. */
const struct row *group_copy(const struct group *group, enum backend place);

/* Samples of a group's image, in all channels. */
int64_t group_samples(const struct group *group);

/* "CPU", "GPU". */
const char *place_word(enum backend place);

#endif
