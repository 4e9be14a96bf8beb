/* SPDX-License-Identifier: MIT */
/* The suite of variants: its groups, and what is printed of them. */
#ifndef SMOOTHIMG_VARIANTS_SUITE_H
#define SMOOTHIMG_VARIANTS_SUITE_H

#include "src/bench/core/suite.h"
#include "src/bench/variants/stage.h"

/* Makes the picture of a size, by its number, or the file's (0), with a border of halo pixels. The
 * caller frees it. */
enum status variants_picture(const struct bench_options *options, int number, int64_t halo,
                             struct image *picture, struct error *error);

/* group.c: fills the group's rows for the stage: validates, then measures the variants and a plain
 * copy of each place. Without gpu_rows the group has none. Fails without memory only. */
enum status variants_measure_group(const struct bench_options *options, struct stage *stage,
                                   bool gpu_rows, struct group *group, struct error *error);

/* figures.c */
extern const struct figure variants_figures[];
void variants_describe(struct group *group); /* sets group->about */
void variants_print_group_note(FILE *stream, const struct group *group);
void variants_json_head(FILE *stream, const struct results *results);
void variants_json_group(FILE *stream, const struct group *group);
void variants_json_row(FILE *stream, const struct row *row);

#endif
