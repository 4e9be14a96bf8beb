/* SPDX-License-Identifier: MIT */
/* Operations that are filters of arrays (src/lib/smoothimg.h): derivatives, volumes, and smooths
 * whose results are floats. The processor computes them. */
#ifndef SMOOTHIMG_DISPATCH_ARRAYS_H
#define SMOOTHIMG_DISPATCH_ARRAYS_H

#include "src/app/dispatch/combine.h"
#include "src/lib/base/error.h"
#include "src/lib/filter/gauss.h"
#include "src/lib/smoothimg.h"

#define ARRAYS_AXES 4 /* pages, rows, pixels, samples */
/* What a thread of the library takes, with most halos: for three axes. */
#define ARRAYS_VOLUME_THREAD_BYTES ((int64_t)9 << 20)

/* A status of the library as one of the program's. library: NULL: it could not be opened. */
enum status arrays_status(const struct smoothimg_context *library, enum smoothimg_status status,
                          struct error *error);

/* Makes the filter of arrays of pages, rows, pixels and samples. The caller frees it.
 * STATUS_INVALID if a sigma is too small for a derivative. */
enum status arrays_filter_make(struct smoothimg_context *library, const struct filter *filter,
                               const struct combine *combine, struct smoothimg_filter **made,
                               struct error *error);

/* The array of so many views, `page_bytes` from one to the next, each with columns and rows beside
 * it. shape, strides: ARRAYS_AXES of them, filled for it. */
struct smoothimg_array arrays_of(const struct view *view, int64_t pages, int64_t page_bytes,
                                 int64_t beside, int64_t above, int64_t *shape, int64_t *strides);

/* As smoothimg_filter; but results go into derivatives, without gaps, unless that is NULL. */
enum status arrays_filter(struct smoothimg_context *library, const struct smoothimg_filter *filter,
                          const struct smoothimg_array *src, struct smoothimg_array dst,
                          const int64_t *first, int32_t *derivatives, struct error *error);

/* Computes a job whose source has a border, by job->threads threads. kept: as for combine_job.
 * exact: by the sums of the definition, without estimates. */
enum status arrays_run(const struct smoothimg_filter *filter, const struct combine *combine,
                       int32_t kept, bool exact, const struct job *job, struct error *error);

/* Are results of so many bytes a sample made of derivatives, by combine_job? */
bool arrays_derive(const struct combine *combine, int32_t sample_bytes);

/* Bytes of memory that arrays_run takes for such a job. */
int64_t arrays_bytes(const struct combine *combine, const struct job *job);

#endif
