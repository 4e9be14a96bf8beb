/* SPDX-License-Identifier: MIT */
/* Declares the arguments of a call of the library, and the functions that check its source and its
 * result. */
#ifndef SMOOTHIMG_API_ARRAYS_H
#define SMOOTHIMG_API_ARRAYS_H

#include "kernels/common/arrays.h"
#include "src/lib/api/context.h"

/* The greatest size of an array in bytes, and its greatest extent: where a stride is 0, an axis
 * takes no bytes. It is so low that sums and products of sizes fit 64 bits. */
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

/* The host memory of a call of smoothimg_filter, which may run engines (implementations) several
 * times, one after the other. */
struct needs {
    int64_t plan; /* bytes of the largest plan */
    /* Bytes of working memory, the maximum of all runs. first: of the first thread; others: of all
     * other threads together. */
    int64_t first, others;
    int plans; /* number of plans: one for each run, but at most as many as the context keeps */
};

/* The arguments of a call that computes one result of a filter, or that moves an array.
 * smoothimg_filter_create uses the first three members only. */
struct arguments {
    struct smoothimg_context *context;
    const struct smoothimg_filter_options *options;
    struct smoothimg_filter **made;

    const struct smoothimg_filter *filter;
    /* With SMOOTHIMG_APART: the terms term..term + count - 1 are computed, into dst[0], dst[1], ...
     */
    int term, count;
    const int *axes, *flip; /* for smoothimg_move(), which has no filter */
    const struct smoothimg_array *src, *dst;
    bool nowhere; /* the call accesses no sample; the arrays' data may be NULL */
    /* The indices of the result at which dst begins, one for each axis; NULL: dst is the whole
     * result. */
    const int64_t *first;
    void *stream;
    /* For smoothimg_measure and smoothimg_reserve: called once for each group of terms that are
     * computed together, with `term` and `count` set. */
    enum status (*each)(const struct arguments *asked);
    struct needs *needs; /* for smoothimg_measure */
};

/* Calls `function`, which is marked IN_DEFAULT_ENVIRONMENT, in the library's floating-point
 * environment, and returns its status. `null` is the name of an argument that is NULL and must not
 * be, or NULL if there is none. Returns SMOOTHIMG_INVALID if the context is NULL, or if `null`
 * names an argument. The context's message then contains this name. */
enum smoothimg_status do_asked(const char *null, const struct arguments *asked,
                               enum status (*function)(const struct arguments *asked));

/* Sets shape, extent, src and dst of the job from asked->src and asked->dst; job->axes is already
 * set. An array's origin becomes NULL if the array has no samples, and only then. Returns
 * STATUS_INVALID if an array is wrong, or if the context cannot access the array's memory. */
enum status take_arrays(const struct arguments *asked, struct array_job *job);

/* True if the address ranges of src and dst overlap. Call it only if neither array is empty. */
bool arrays_meet(const struct array_job *job);

/* Returns a name such as "uint8", for messages. */
const char *type_name(enum smoothimg_type type);

/* True if the array's maxval is set, and below the type's maximum. */
bool has_maxval(const struct smoothimg_array *array);

/* Returns the greatest allowed sample: the array's maxval or, if that is 0, the type's maximum.
 * Types other than uint8 and uint16 have no limit: UINT64_MAX. */
uint64_t maxval_of(const struct smoothimg_array *array);

/* filter_term computes one result of a filter (filter_arrays.c); move_array moves an array
 * (move.c). */
enum status filter_term(const struct arguments *asked);
enum status move_array(const struct arguments *asked);

/* Computes the job, whose arrays lie in the host's memory, on the device with filter_term() or
 * move_array(). Copies the source there and the result back, in parts if the device lacks memory
 * for all. Returns STATUS_NO_MEMORY if even the smallest part does not fit, or if the memory does
 * not suffice and the result cannot be divided (axis_to_cut). The job has been checked. */
enum status host_on_device(const struct arguments *asked, const struct array_job *job);

/* Prepares a device to move arrays like asked->src, whose data is not used. */
enum status reserve_moves(const struct arguments *asked);

#endif
