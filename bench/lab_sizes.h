/* SPDX-License-Identifier: MIT */
/* The groups of the memory suite's rows, and how large each of them is. A group is known by the
 * number of its first row, see lab.h. */
#ifndef SMOOTHIMG_LAB_SIZES_H
#define SMOOTHIMG_LAB_SIZES_H

#include "bench_options.h"
#include "experiment.h"

struct gpu; /* NULL: there is none */

/* How many rows it has. */
int lab_group_rows(int first);

/* Do any of them take an image? */
bool lab_group_has_image(int first);

/* The entry of --size with that number, or where there is none what suits the device; with --halo
 * and --block. */
struct lab_size lab_size_wanted(const struct bench_options *options, const struct gpu *gpu,
                                int number);

/* The same; but without --size no larger than the CPU can compute the group's right results of in
 * some seconds. */
struct lab_size lab_size_of(const struct bench_options *options, const struct gpu *gpu, int first,
                            int number);

#endif
