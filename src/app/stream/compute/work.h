/* SPDX-License-Identifier: MIT */
/* The operations on each image, and where they are computed. A variant is an implementation of an
 * operation; an engine is one of several methods of a variant. */
#ifndef SMOOTHIMG_WORK_H
#define SMOOTHIMG_WORK_H

#include "kernels/common/numbers.h"
#include "src/lib/filter/gauss.h"

#include <stdbool.h>
#include <stdint.h>

#define MAX_OPS 32

#define AMOUNT_UNIT 1000 /* amounts are multiples of 1 / AMOUNT_UNIT */
#define MAX_AMOUNT 16    /* largest amount, so that sums fit in 32 bits: 17 * 1000 * 65535 < 2^31 */
#define MIDDLE_OFFSET (-1) /* stands for (maxval + 1) / 2 */

#define DEVICE_EMULATED (-1) /* stands for the emulated device, which has the number 0 */

/* The operations, in the order of --op's words (operation_words). In the formulas, `in` is a sample
 * of the source, and `smooth` the smoothed sample. */
enum operation {
    OPERATION_SMOOTH,
    OPERATION_TRANSPOSE,
    OPERATION_REVERSE,
    OPERATION_SHARPEN,    /* in + amount (in - smooth), rounded half up, clamped to 0..maxval */
    OPERATION_DIFFERENCE, /* in - smooth + offset, clamped to 0..maxval */
    OPERATION_GRADIENT,   /* amount times the gradient's magnitude; integers: clamped to maxval */
    OPERATION_LAPLACE     /* amount times the Laplacian; integers: + offset, clamped to 0..maxval */
};

enum alpha {
    ALPHA_WEIGHTED, /* alpha, if the image has it, weights the colours */
    ALPHA_SEPARATE  /* alpha is a channel like any other */
};

enum nan_rule {
    NAN_PROPAGATE, /* floats: a result that depends on a NaN is NaN */
    NAN_SKIP       /* floats: a result is the weighted mean of the samples that are not NaN */
};

struct smooth_options {
    struct filter_axis x, y; /* along the rows, down the columns; halo 0: not filtered */
    enum norm norm;
    enum edge edge;
    enum alpha alpha;
    enum nan_rule nan;
    /* Along z, through the pages of a volume; halo 0: each page is an image of its own. */
    struct filter_axis z;
};

/* Returns the largest halo; if it is 0, each result depends only on the sample at its place. */
static inline int64_t filter_halo(const struct smooth_options *filter)
{
    return max(filter->z.halo, max(filter->x.halo, filter->y.halo));
}

struct work_options {
    int ops[MAX_OPS]; /* enum operation, in the order in which they run */
    int op_count;
    struct smooth_options filter;
    /* The amount of sharpen, or the factor of gradient and laplace, in units of 1 / AMOUNT_UNIT: up
     * to MAX_AMOUNT * AMOUNT_UNIT. */
    int64_t amount;
    int64_t offset;      /* 0..65535, or MIDDLE_OFFSET */
    bool floats;         /* results of filters are floats, whatever the source */
    const char *variant; /* "auto", "cpu", "gpu", or the name of a variant or an engine */
    int64_t device;      /* a number of --list-devices, or DEVICE_EMULATED */
    int64_t block;       /* side of the thread block, in threads; 0: the variant's default */
    int64_t threads;     /* threads that work at the same time, for all files together */
    /* The name of the instruction set (kernels/common/isa.h); NULL: the processor's highest. */
    const char *instructions;
};

/* Returns true unless the operation only moves pixels. Sharpen and difference smooth the image
 * first, and derivatives are filters too: variants of the operation smooth compute all of these. */
static inline bool operation_smooths(int operation)
{
    return operation != OPERATION_TRANSPOSE && operation != OPERATION_REVERSE;
}

static inline bool operation_derives(int operation)
{
    return operation == OPERATION_GRADIENT || operation == OPERATION_LAPLACE;
}

#endif
