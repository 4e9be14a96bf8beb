/* SPDX-License-Identifier: MIT */
/* The exact result for images whose colours alpha weighs: the repair for weighted/weighted.h. Alpha
 * itself is smoothed like any channel. */
#ifndef SMOOTHIMG_SMOOTH_WEIGHTED_EXACT_H
#define SMOOTHIMG_SMOOTH_WEIGHTED_EXACT_H

#include "kernels/common/exact.h"
#include "kernels/smooth/cpu/same_rows.h"
#include "kernels/variant.h"

/* As smooth_exact_span (cpu/exact.h): out[0..n-1] are samples first..first+n-1 of row y, which must
 * be whole pixels. columns has room for n + 2 halo_x * channels. same: which rows are, or NULL. */
void smooth_weighted_span(const struct piece *piece, const struct same_rows *same, int64_t y,
                          int64_t first, int64_t n, uint128 *columns, int32_t *out);

/* Returns sample x of row y; x in samples. */
uint32_t smooth_weighted_sample(const struct piece *piece, int64_t y, int64_t x);

#endif
