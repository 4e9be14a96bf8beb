/* SPDX-License-Identifier: MIT */
/* 8-bit samples by the estimate, the test and the repair that u8/weights.h proves. */
#ifndef SMOOTHIMG_SMOOTH_U8_H
#define SMOOTHIMG_SMOOTH_U8_H

#include "kernels/smooth/cpu/doubles/doubles.h"
#include "kernels/smooth/cpu/ring.h"
#include "kernels/smooth/cpu/u8/loops.h"
#include "kernels/smooth/cpu/u8/weights.h"
#include "kernels/variant.h"

/* One thread's state. The piece's state has the weights. */
struct smooth_u8 {
    struct ring ring;
    const struct smooth_u8_loops *loops;
    const struct smooth_u8_weights *weights;
    bool fused;      /* filter_fused serves */
    int16_t *line;   /* room + 2 reach: a source row, as words */
    uint8_t *second; /* room: in place of a second row of the result */
    uint8_t *window; /* of a sample that src has in part */
    struct unresolved unresolved[2];
    struct smooth_doubles doubles;
    int64_t dense; /* rows above this one go straight to the doubles */
};

/* For requests that smooth_u8_serves. */
extern const struct ring_arithmetic smooth_u8;

#endif
