/* SPDX-License-Identifier: MIT */
/* One call of an operation: what its threads share, and the steps of a piece of work. */
#ifndef SMOOTHIMG_CALL_H
#define SMOOTHIMG_CALL_H

#include "src/lib/api/context.h"
#include "src/lib/api/images.h"

struct call {
    struct smoothimg_context *context;
    const struct smoothimg_filter *filter; /* smooth; else NULL */
    enum op op;
    struct smoothimg_image src, dst; /* complete */
    int64_t band_rows, bands;        /* smooth: rows of a band; bands of an image */
    int threads_each;                /* of a piece of work */
};

/* The fastest variant that does the job, or the chosen one if the operation has it. NULL, with
 * STATUS_UNSUPPORTED in *error, if it refuses the job, or if all do. */
const struct variant *call_variant(const struct call *call, const struct job *job,
                                   struct error *error);

/* A job on rows first..last-1 of image i, without scratch: the same rows of source and destination.
 */
struct job call_job(const struct call *call, int64_t i, int64_t first, int64_t last);

/* Runs the variant. STATUS_DEVICE if it fails. */
enum status call_run(const struct call *call, const struct variant *variant, const struct job *job,
                     struct error *error);

#endif
