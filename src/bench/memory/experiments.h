/* SPDX-License-Identifier: MIT */
/* Finds the experiments that the options select, and the sizes of their arrays. Experiments are
 * numbered (kernels/memory/experiments.h). The experiments of a group have consecutive numbers, so
 * a group is identified by the number of its first experiment. */
#ifndef SMOOTHIMG_BENCH_EXPERIMENTS_H
#define SMOOTHIMG_BENCH_EXPERIMENTS_H

#include "src/bench/options/options.h"
#include "kernels/memory/experiments.h"
#include "src/bench/core/machine.h"

#include <stdio.h>

/* The group of experiments that measure the highest rates of the GPU, in arithmetic and copies. */
#define PEAK_GROUP "peaks"

/* Checks that the names after --experiment are known (STATUS_USAGE) and that the named experiments
 * can run here (STATUS_DEVICE). */
enum status experiments_check(const struct bench_options *options, const struct machine *machine,
                              struct error *error);

/* For --sectors and --transactions, which count the memory accesses of GPU kernels without a GPU:
 * checks that each group after --experiment exists in this build or in one with CUDA. If it returns
 * STATUS_USAGE, the message lists the groups. */
enum status experiments_check_counted(const struct bench_options *options, struct error *error);

/* Returns true if --place allows the experiment, and --experiment, if given, names it or its
 * group. */
bool experiment_is_wanted(const struct bench_options *options, const struct experiment *experiment);

void experiments_print(FILE *stream);

/* Returns the number of experiments in the group that begins with experiment number `first`. */
int experiment_group_rows(int first);

struct gpu; /* a NULL pointer stands for no GPU */

/* Returns the size that --halo, --block and --size give; `number` is the index of an entry of
 * --size. Without --size the width and height are a default for the device. */
struct problem_size problem_size_wanted(const struct bench_options *options, const struct gpu *gpu,
                                        int number);

/* Like problem_size_wanted, for one group: the default is smaller if the CPU would need more than a
 * few seconds to compute the group's right results. */
struct problem_size problem_size_of_group(const struct bench_options *options,
                                          const struct gpu *gpu, int first, int number);

#endif
