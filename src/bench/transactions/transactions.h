/* SPDX-License-Identifier: MIT */
/* Carries out --sectors and --transactions: the separate program smoothimg-tracer counts the
 * kernels' memory accesses on the emulated device (tracer/main.cpp says why it is separate). */
#ifndef SMOOTHIMG_TRANSACTIONS_H
#define SMOOTHIMG_TRANSACTIONS_H

#include "src/bench/options/options.h"
#include "src/lib/base/error.h"

/* Replaces this program by the tracer, whose output and exit status become this program's. Returns
 * only on failure: STATUS_UNSUPPORTED if smoothimg-tracer is missing, STATUS_DEVICE if it cannot be
 * run, STATUS_USAGE for several sizes. */
enum status transactions_run(const struct bench_options *options, struct error *error);

#endif
