/* SPDX-License-Identifier: MIT */
/* What the rows of the memory suite are held against: plain copies, and the GPU's peaks. */
#ifndef SMOOTHIMG_LAB_ROOFS_H
#define SMOOTHIMG_LAB_ROOFS_H

#include "bench_options.h"
#include "gpu.h"
#include "lab_results.h"

/* The group of lab/ whose rows do nothing but arithmetic. */
#define PEAK_GROUP "peaks"

/* Measures a copy by one thread of the CPU, and, unless gpu is NULL, one on the device, both of
 * more bytes than caches have. STATUS_INPUT or STATUS_DEVICE without the memory for it. */
enum status lab_roofs_copy(const struct bench_options *options, struct gpu *gpu,
                           struct lab_roofs *roofs, struct error *error);

/* Measures the rows of PEAK_GROUP, once they were found right. A peak that is wrong stays unknown:
 * where the group was asked for, its rows say so. */
enum status lab_roofs_peak(const struct bench_options *options, struct gpu *gpu,
                           struct lab_roofs *roofs, struct error *error);

#endif
