/* SPDX-License-Identifier: MIT */
/* Computes 8-bit samples with the estimate, the test and the repair that u8/weights.h describes and
 * proves. */
#ifndef SMOOTHIMG_SMOOTH_U8_H
#define SMOOTHIMG_SMOOTH_U8_H

#include "kernels/smooth/cpu/u8/weights.h"
#include "kernels/variant.h"

/* These are members of a struct engine (variant.h). The state is a struct smooth_u8_weights. */
size_t smooth_u8_scratch_bytes(const struct request *request, const void *state);
const char *smooth_u8_run(const struct piece *piece);

#endif
