/* SPDX-License-Identifier: MIT */
/* What a caller asks of two arrays, checked. */
#ifndef SMOOTHIMG_API_ARRAYS_H
#define SMOOTHIMG_API_ARRAYS_H

#include "kernels/common/arrays.h"
#include "src/lib/api/context.h"

/* One result of a filter, a movement, or the making of a filter, which has no more than these: */
struct arguments {
    struct smoothimg_context *context;
    const struct smoothimg_filter_options *options;
    struct smoothimg_filter **made;

    const struct smoothimg_filter *filter;
    int term;               /* of a result that is apart; else 0 */
    const int *axes, *flip; /* of a movement; its filter is NULL */
    const struct smoothimg_array *src, *dst;
    bool nowhere; /* no sample is looked at, wherever the arrays' data is */
    const int64_t *first;
    void *stream;
    int64_t *bytes; /* gets what is measured */
};

/* Does what is asked, in the library's own floating-point environment: `function` is one of
 * IN_DEFAULT_ENVIRONMENT. null: the name of a pointer that is NULL, or NULL: SMOOTHIMG_INVALID, as
 * if the context is NULL, which else has the message. */
enum smoothimg_status do_asked(const char *null, const struct arguments *asked,
                               enum status (*function)(const struct arguments *asked));

/* Sets shape, extent, src and dst of the job, whose number of axes is set, from both arrays.
 * STATUS_INVALID if one of them is wrong, or the context does not serve their memory. */
enum status take_arrays(const struct arguments *asked, struct array_job *job);

/* Do the bytes that the job's arrays reach over meet? None of its arrays is empty. */
bool arrays_meet(const struct array_job *job);

/* For messages. */
const char *type_name(enum smoothimg_type type);

/* Has the array, which is checked, a maxval below its type's greatest? */
bool has_maxval(const struct smoothimg_array *array);

/* The array's or its type's, which is without a limit but for uint8 and uint16. */
uint64_t maxval_of(const struct smoothimg_array *array);

bool is_empty(const struct smoothimg_array *array);

/* What is asked: in filter_arrays.c and move.c. */
enum status filter_term(const struct arguments *asked);
enum status move_array(const struct arguments *asked);

/* In host_on_device.c: does the context's device compute arrays of the host? If it has one, and a
 * variant of a GPU is chosen. */
bool goes_to_device(const struct arguments *asked);

/* There, what is asked of arrays whose job has been checked: by filter_term() or move_array(), in
 * parts if the device lacks the memory for all. STATUS_NO_MEMORY if it has none for a part of one
 * place. */
enum status host_on_device(const struct arguments *asked, const struct array_job *job);

/* Prepares a device to move arrays like asked->src, whose place is not looked at. */
enum status reserve_moves(const struct arguments *asked);

#endif
