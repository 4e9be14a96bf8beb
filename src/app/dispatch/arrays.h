/* SPDX-License-Identifier: MIT */
/* Operations that are filters of arrays (src/lib/smoothimg.h): derivatives, volumes, and smooths
 * whose results are floats. The processor computes them. */
#ifndef SMOOTHIMG_DISPATCH_ARRAYS_H
#define SMOOTHIMG_DISPATCH_ARRAYS_H

#include "src/app/dispatch/combine.h"
#include "src/lib/base/error.h"
#include "src/lib/filter/gauss.h"
#include "src/lib/smoothimg.h"

#define ARRAYS_THREAD_BYTES ((int64_t)4 << 20) /* of the library's memory, with most halos */

/* A status of the library as one of the program's. library: NULL: it could not be opened. */
enum status arrays_status(const struct smoothimg_context *library, enum smoothimg_status status,
                          struct error *error);

/* The type of samples in memory, of so many bytes. */
enum smoothimg_type arrays_type(int32_t sample_bytes);

/* Makes the filter of arrays of pages, rows, pixels and samples. The caller frees it.
 * STATUS_INVALID if a sigma is too small for a derivative. */
enum status arrays_filter_make(struct smoothimg_context *library, const struct filter *filter,
                               const struct combine *combine, struct smoothimg_array_filter **made,
                               struct error *error);

/* Computes a job whose source has a border, by job->threads threads. kept: as for combine_job.
 * exact: by the sums of the definition, without estimates. */
enum status arrays_run(const struct smoothimg_array_filter *filter, const struct combine *combine,
                       int32_t kept, bool exact, const struct job *job, struct error *error);

/* Are results of so many bytes a sample made of derivatives, by combine_job? */
bool arrays_derive(const struct combine *combine, int32_t sample_bytes);

/* Bytes of memory that arrays_run takes for such a job. */
int64_t arrays_bytes(const struct combine *combine, const struct job *job);

#endif
