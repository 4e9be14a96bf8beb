/* SPDX-License-Identifier: MIT */
/* Which experiments the options ask for, and how large their groups are. A group is known by the
 * number of its first row, see kernels/memory/experiments.h. */
#ifndef SMOOTHIMG_BENCH_EXPERIMENTS_H
#define SMOOTHIMG_BENCH_EXPERIMENTS_H

#include "src/bench/options/options.h"
#include "kernels/memory/experiments.h"
#include "src/bench/core/machine.h"

#include <stdio.h>

/* The group whose rows do nothing but arithmetic. */
#define PEAK_GROUP "peaks"

/* Are the names of --experiment known, and can what was asked for run here? STATUS_USAGE or
 * STATUS_DEVICE. */
enum status experiments_check(const struct bench_options *options, const struct machine *machine,
                              struct error *error);

/* Does --experiment ask for the row, by its group, by GROUP/ROW, or by naming none? And --place? */
bool experiment_is_wanted(const struct bench_options *options, const struct experiment *experiment);

/* The table of --list. */
void experiments_print(FILE *stream);

struct gpu; /* NULL: there is none */

/* How many rows it has. */
int experiment_group_rows(int first);

/* Do any of them take an image? */
bool experiment_group_has_image(int first);

/* The entry of --size with that number, or where there is none what suits the device; with --halo
 * and --block. */
struct problem_size problem_size_wanted(const struct bench_options *options, const struct gpu *gpu,
                                        int number);

/* The same; but without --size no larger than the CPU can compute the group's right results of in
 * some seconds. */
struct problem_size problem_size_of_group(const struct bench_options *options,
                                          const struct gpu *gpu, int first, int number);

#endif
