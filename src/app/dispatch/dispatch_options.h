/* SPDX-License-Identifier: MIT */
/* What is to be done to each image, and where. */
#ifndef SMOOTHIMG_DISPATCH_OPTIONS_H
#define SMOOTHIMG_DISPATCH_OPTIONS_H

#include "kernels/variant.h"
#include "src/app/dispatch/combine.h"
#include "src/lib/filter/gauss.h"

#define MAX_OPS 32

#define DEVICE_ALL (-1)
#define DEVICE_NOT_GIVEN (-2) /* the first device, or all of them for many files */
#define DEVICE_EMULATED (-3)  /* the first one, which is emulated */

struct dispatch_options {
    int ops[MAX_OPS];                 /* enum op, in the order in which they run */
    struct combine combines[MAX_OPS]; /* likewise, of each smooth */
    int op_count;
    struct filter filter;  /* of smooth */
    const char *variant;   /* "auto", "cpu", "gpu", the name of one or of an engine */
    int64_t device;        /* a number of --list-devices, or one of the above */
    int block;             /* edge of the thread block; 0: the variant's own */
    int threads;           /* that work at the same time, on all files together */
    const struct isa *isa; /* of kernels/common/isa.h; NULL: the highest */
};

#endif
