/* SPDX-License-Identifier: MIT */
/* 8-bit samples by the estimate, the test and the repair that u8/weights.h proves. */
#ifndef SMOOTHIMG_SMOOTH_U8_H
#define SMOOTHIMG_SMOOTH_U8_H

#include "kernels/variant.h"

/* As in struct variant. Only for jobs that smooth_u8_serves. */
size_t smooth_u8_scratch_bytes(const struct job *job);
const char *smooth_u8_run(const struct job *job);

#endif
