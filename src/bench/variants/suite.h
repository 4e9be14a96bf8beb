/* SPDX-License-Identifier: MIT */
/* Declarations for the files of the suite that measures variants (suite.c). */
#ifndef SMOOTHIMG_VARIANTS_SUITE_H
#define SMOOTHIMG_VARIANTS_SUITE_H

#include "src/bench/core/suite.h"
#include "src/bench/variants/stage.h"

/* Makes the picture that --image names: a generated picture with the size in entry `number` of
 * --size, or a file with its own size. The caller frees the picture. Returns the errors of
 * picture_make. */
enum status variants_picture(const struct bench_options *options, int number, struct image *picture,
                             struct error *error);

/* In group.c. Fills the group's rows: checks and measures the selected variants, the library's
 * functions and a plain copy, on the CPU and, with gpu_rows, on the GPU. Returns STATUS_INPUT if
 * there is no memory for rows or times. Other failures are noted in the row of the variant. */
enum status variants_measure_group(const struct bench_options *options, struct stage *stage,
                                   bool gpu_rows, struct group *group, struct error *error);

#endif
