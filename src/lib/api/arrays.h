/* SPDX-License-Identifier: MIT */
/* The arrays of a call, checked. */
#ifndef SMOOTHIMG_API_ARRAYS_H
#define SMOOTHIMG_API_ARRAYS_H

#include "kernels/common/arrays.h"
#include "src/lib/api/context.h"

/* Sets shape, extent, src and dst of the job, whose number of axes is set, from both arrays.
 * STATUS_INVALID if one of them is wrong, or the context does not serve their memory. */
enum status take_arrays(struct smoothimg_context *context, const struct smoothimg_array *src,
                        const struct smoothimg_array *dst, const void *stream,
                        struct array_job *job);

/* Do the bytes that the job's arrays reach over meet? None of its arrays is empty. */
bool arrays_meet(const struct array_job *job);

/* Prepares a device to move arrays like this one, whose place is not looked at. */
enum status reserve_moves(struct smoothimg_context *context, const struct smoothimg_array *like);

/* For messages. */
const char *type_name(enum smoothimg_type type);

/* Has the array, which is checked, a maxval below its type's greatest? */
bool has_maxval(const struct smoothimg_array *array);

/* The array's or its type's, which is without a limit but for uint8 and uint16. */
uint64_t maxval_of(const struct smoothimg_array *array);

bool is_empty(const struct smoothimg_array *array);

#endif
