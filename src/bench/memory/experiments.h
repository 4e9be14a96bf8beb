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

/* Are the names of --experiment known (STATUS_USAGE), and can the rows run here (STATUS_DEVICE)? */
enum status experiments_check(const struct bench_options *options, const struct machine *machine,
                              struct error *error);

/* Does a group that --experiment names exist in any build? For --sectors and --transactions, which
 * count the GPU variants too. STATUS_USAGE; the message lists the groups. */
enum status experiments_check_counted(const struct bench_options *options, struct error *error);

/* Does --experiment name the row, its group or nothing, and does --place allow the row? */
bool experiment_is_wanted(const struct bench_options *options, const struct experiment *experiment);

/* The table of --list. */
void experiments_print(FILE *stream);

/* How many rows the group has. */
int experiment_group_rows(int first);

struct gpu; /* NULL: there is none */

/* The size by entry `number` of --size, --halo and --block. Without --size one that suits the
 * device. */
struct problem_size problem_size_wanted(const struct bench_options *options, const struct gpu *gpu,
                                        int number);

/* The same; but without --size it is so small that the CPU computes the group's right results in
 * some seconds. */
struct problem_size problem_size_of_group(const struct bench_options *options,
                                          const struct gpu *gpu, int first, int number);

#endif
