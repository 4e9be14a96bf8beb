/* SPDX-License-Identifier: MIT */
/* Measures the rates of copies and of arithmetic, with which the suite of memory experiments
 * compares the rates of its experiments. */
#ifndef SMOOTHIMG_MEMORY_SUITE_H
#define SMOOTHIMG_MEMORY_SUITE_H

#include "src/bench/core/suite.h"

/* In peaks.c. Sets results->copy_rate to the rates of a copy by one CPU thread (unless --place gpu
 * is given) and of a copy on the GPU (unless gpu is NULL or emulated). Both copy more bytes than
 * caches hold. Returns STATUS_INPUT if the host has too little memory for the copy, STATUS_DEVICE
 * if the GPU has too little. */
enum status peaks_measure_copies(const struct bench_options *options, struct gpu *gpu,
                                 struct results *results, struct error *error);

/* In peaks.c. Measures the experiments of PEAK_GROUP that do arithmetic, and sets results->peak to
 * their rates. The peak of an experiment whose result is wrong stays 0. */
enum status peaks_measure(const struct bench_options *options, struct gpu *gpu,
                          struct results *results, struct error *error);

#endif
