/* SPDX-License-Identifier: MIT */
/* Checks numbers that a caller passes. */
#ifndef SMOOTHIMG_RANGE_H
#define SMOOTHIMG_RANGE_H

#include "src/lib/base/error.h"

#include <stddef.h>
#include <stdint.h>

/* The greatest size of an array, chosen so that sums and products of sizes fit 64 bits. */
#define MOST_BYTES (PTRDIFF_MAX < INT64_C(1) << 56 ? PTRDIFF_MAX : INT64_C(1) << 56)

struct range {
    const char *name; /* for messages */
    int64_t value, least, most;
    const char *words; /* an enum's allowed names, for messages; else NULL */
};

#define MEMORY_WORDS "SMOOTHIMG_HOST or SMOOTHIMG_CUDA"
#define EDGE_WORDS                                                                                 \
    "SMOOTHIMG_REFLECT, SMOOTHIMG_NEAREST, SMOOTHIMG_MIRROR, SMOOTHIMG_WRAP or SMOOTHIMG_CONSTANT"

/* Returns STATUS_INVALID if a value is out of its range; the message names the first such value.
 * `owner` names the struct that has the values, for messages, or is NULL for arguments of the call.
 */
enum status check_ranges(const char *owner, const struct range *ranges, size_t count,
                         struct error *error);

#endif
