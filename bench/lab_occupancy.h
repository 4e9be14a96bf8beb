/* SPDX-License-Identifier: MIT */
/* The table of --occupancy: how many blocks and warps of each kernel of lab/ a multiprocessor
 * holds, and what stops it from holding more. */
#ifndef SMOOTHIMG_LAB_OCCUPANCY_H
#define SMOOTHIMG_LAB_OCCUPANCY_H

#include "bench_options.h"
#include "gpu.h"

#include <stdio.h>

/* Prints the textbook's blocks on an A100, by calculation; and, unless gpu is NULL, the same and
 * the rows that the options ask for on that device, as its runtime counts them. STATUS_DEVICE if it
 * does not answer. */
enum status lab_occupancy_print(const struct bench_options *options, struct gpu *gpu,
                                const char *device, FILE *stream, struct error *error);

#endif
