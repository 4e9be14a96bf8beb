/* SPDX-License-Identifier: MIT */
/* The suite of variants: its pictures, groups and callbacks. */
#ifndef SMOOTHIMG_VARIANTS_SUITE_H
#define SMOOTHIMG_VARIANTS_SUITE_H

#include "src/bench/core/suite.h"
#include "src/bench/variants/stage.h"

/* Makes the picture of --image at entry `number` of --size; a file has its own size. The caller
 * frees it. Fails as picture_make does. */
enum status variants_picture(const struct bench_options *options, int number, struct image *picture,
                             struct error *error);

/* group.c: fills the group's rows: checks and measures the selected variants and baselines, and a
 * plain copy at each place. gpu_rows: include the GPU's. Returns STATUS_INPUT without memory; other
 * failures stay in the rows. */
enum status variants_measure_group(const struct bench_options *options, struct stage *stage,
                                   bool gpu_rows, struct group *group, struct error *error);

#endif
