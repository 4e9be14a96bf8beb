/* SPDX-License-Identifier: MIT */
/* Finds the experiments that the options select, and how large their groups are. A group is
 * identified by the number of its first row (kernels/memory/experiments.h). */
#ifndef SMOOTHIMG_BENCH_EXPERIMENTS_H
#define SMOOTHIMG_BENCH_EXPERIMENTS_H

#include "src/bench/options/options.h"
#include "kernels/memory/experiments.h"
#include "src/bench/core/machine.h"

#include <stdio.h>

/* The group whose rows only do arithmetic. */
#define PEAK_GROUP "peaks"

/* Checks that the names after --experiment are known (STATUS_USAGE) and that their rows can run
 * here (STATUS_DEVICE). */
enum status experiments_check(const struct bench_options *options, const struct machine *machine,
                              struct error *error);

/* Checks that a group named by --experiment exists in any build, for --sectors and --transactions,
 * which count the GPU variants too. After STATUS_USAGE the message lists the groups. */
enum status experiments_check_counted(const struct bench_options *options, struct error *error);

/* True if --experiment names the row, or its group, or is not given, and --place allows the row. */
bool experiment_is_wanted(const struct bench_options *options, const struct experiment *experiment);

/* The table of --list. */
void experiments_print(FILE *stream);

/* How many rows the group has. */
int experiment_group_rows(int first);

struct gpu; /* NULL: there is none */

/* Returns the size from entry `number` of --size, --halo and --block; without --size one that suits
 * the device. */
struct problem_size problem_size_wanted(const struct bench_options *options, const struct gpu *gpu,
                                        int number);

/* Like problem_size_wanted; but without --size the size is so small that the CPU computes the
 * group's right results in some seconds. */
struct problem_size problem_size_of_group(const struct bench_options *options,
                                          const struct gpu *gpu, int first, int number);

#endif
