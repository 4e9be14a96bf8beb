/* SPDX-License-Identifier: MIT */
/* The results of a suite (core/suite.h). A row is one measured variant, memory experiment or plain
 * copy of memory. Rows that were measured under the same conditions form a group. The functions
 * compute rates and ratios from the times of rows. */
#ifndef SMOOTHIMG_RESULTS_H
#define SMOOTHIMG_RESULTS_H

#include "src/bench/core/machine.h"
#include "src/bench/core/measure.h"
#include "src/files/image/image.h"

#define MAX_ROWS 64

/* Rows that were measured under the same conditions, such as all variants of one operation on one
 * image. */
struct group {
    const char *name; /* name of an operation or of a group of experiments; not owned */
    char about[256];  /* the conditions of the measurement, in words */
    struct row rows[MAX_ROWS];
    int row_count;

    /* Only a group of variants uses the members below. */
    enum op op;
    char checked[256];  /* what the results were compared with: a sentence without its full stop */
    const char *image;  /* the picture's name or file, as on the command line */
    struct shape shape; /* the shape of that picture */
    int64_t halo;       /* pixels; 0 except for smooth */
    bool weighted;      /* smooth: alpha weights the colours */
    int threads;
};

struct bench_suite; /* suite.h */

struct results {
    const struct bench_suite *suite; /* the suite that measures the groups */
    struct machine machine;
    bool untimed; /* everything runs on the emulated device, so nothing is timed */
    /* Called when a group is complete, or NULL. */
    void (*done)(const struct results *results, const struct group *group);
    /* The name of the row whose rate is the divisor of all gains; NULL: row_gain chooses a row. */
    const char *against;
    struct group *groups; /* owned; the caller frees the array */
    int group_count;
    /* For memory experiments: the rates of copies and of arithmetic, measured in the same run of
     * the program. The experiments' rates are compared with them. 0: unknown. */
    double copy_rate[2]; /* bytes read plus bytes written, per second; indexed by enum backend */
    double peak[2];      /* the GPU's operations per second, in single and double precision */
};

/* Adds an empty group. If memory runs out, returns NULL, and *error has STATUS_INPUT. Pointers to
 * earlier groups become invalid. */
struct group *results_add_group(struct results *results, struct error *error);

/* Completes the last group: drops it if it has no rows, else calls results->done. */
void results_end_group(struct results *results);

/* Returns true if the whole result was checked and is right. */
bool row_is_right(const struct row *row);

/* The functions row_... below return 0 if their value is unknown. */

/* Returns row->bytes per second, from the median time. */
double row_rate(const struct row *row);

/* Returns row_rate divided by the rate of a copy on the same processor, CPU or GPU. This is the
 * rate of the group's row for a copy or, if the group has none, results->copy_rate. */
double row_share(const struct results *results, const struct group *group, const struct row *row);

/* Returns row_rate divided by the rate of the group's row named results->against. If `against` is
 * NULL, divides by the rate of the first timed row on the same processor that is like `row`: it
 * moves as many bytes, and both rows do arithmetic or neither does. Unknown for a copy. */
double row_gain(const struct results *results, const struct group *group, const struct row *row);

double row_flop_rate(const struct row *row);       /* operations a second */
double row_intensity(const struct row *row);       /* operations for each byte of row->bytes */
double row_asked_intensity(const struct row *row); /* operations for each byte of row->asked */

/* Returns the number of samples of a group's picture, in all channels together. */
int64_t group_samples(const struct group *group);

/* Returns "CPU" or "GPU". */
const char *place_word(enum backend place);

#endif
