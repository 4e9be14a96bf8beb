/* SPDX-License-Identifier: MIT */
/* The measurement of all variants: groups of rows, and how each row is checked and run. */
#ifndef SMOOTHIMG_SUITE_H
#define SMOOTHIMG_SUITE_H

#include "bench_options.h"
#include "results.h"

/* Makes the picture of a size, by its number, or the file's (0), with a border of halo pixels. The
 * caller frees it. */
enum status suite_picture(const struct bench_options *options, int number, int64_t halo,
                          struct image *picture, struct error *error);

/* Called when a group is complete. */
typedef void group_done(void *context, const struct group *group);

/* Measures what the options ask for, a group at a time: every operation, size, halo and number of
 * threads. results->machine is there already; the caller frees results->groups. gpu is NULL where
 * there is none. A row that is wrong, or fails, stays in its group and the rest goes on. */
enum status suite_measure(const struct bench_options *options, struct gpu *gpu,
                          struct results *results, group_done *done, void *context,
                          struct error *error);

#endif
