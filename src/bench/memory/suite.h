/* SPDX-License-Identifier: MIT */
/* The suite of memory experiments: its copies and peaks. */
#ifndef SMOOTHIMG_MEMORY_SUITE_H
#define SMOOTHIMG_MEMORY_SUITE_H

#include "src/bench/core/suite.h"

/* peaks.c: measures results->copy_rate: a copy by one CPU thread, unless --place gpu is given, and,
 * unless gpu is NULL, one on the GPU. Both copy more bytes than caches hold. Returns STATUS_INPUT
 * or STATUS_DEVICE without memory. */
enum status peaks_measure_copies(const struct bench_options *options, struct gpu *gpu,
                                 struct results *results, struct error *error);

/* peaks.c: measures results->peak with the arithmetic rows of PEAK_GROUP. If a row is wrong its
 * peak stays 0. */
enum status peaks_measure(const struct bench_options *options, struct gpu *gpu,
                          struct results *results, struct error *error);

#endif
