/* SPDX-License-Identifier: MIT */
/* The memory suite: the measurement of the rows that are asked for, group by group. */
#ifndef SMOOTHIMG_LAB_SUITE_H
#define SMOOTHIMG_LAB_SUITE_H

#include "bench_options.h"
#include "lab_results.h"

/* Called when a group is complete. */
typedef void lab_group_done(void *context, const struct lab_group *group);

/* Measures the copies, the groups that the options ask for at every size, and for a plot the GPU's
 * peaks. results->machine is there already; the caller frees results->groups. gpu is NULL where
 * there is none. A row that is wrong, or fails, stays in its group and the rest goes on. */
enum status lab_suite_measure(const struct bench_options *options, struct gpu *gpu,
                              struct lab_results *results, lab_group_done *done, void *context,
                              struct error *error);

#endif
