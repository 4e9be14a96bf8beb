/* SPDX-License-Identifier: MIT */
/* One image smoothed or reversed in bands of rows, straight from a reader into a writer. Each
 * thread takes the next band, reads it with the rows beside it that the filter reaches, computes it
 * or has a GPU compute it, and writes it, and then reuses the memory. So reading, computing, copies
 * to and from a GPU, and writing overlap, and memory does not depend on the image's height. The
 * result is that of the whole image, byte for byte. */
#ifndef SMOOTHIMG_BANDS_H
#define SMOOTHIMG_BANDS_H

#include "src/app/stream/passage.h"

/* How an image is cut into bands. */
struct band_plan {
    const struct passage *passage;
    struct write_requirements writes;
    int threads;
    int64_t rows;     /* of a band: a multiple of the writer's block rows */
    int64_t src_rows; /* of the source of a band, at most */
    int64_t keep;     /* rows to keep for later bands, if the reader has its rows in order */
    int64_t bytes;    /* host memory in all; INT64_MAX: too many to count */
};

/* Must all rows be read before the first is computed? */
bool bands_keep_all(const struct passage *passage);

/* Plans an image of one operation, no transpose. The writer must take rows in any order, and need
 * not have begun. Where the limit of memory asks for it, bands are lower and threads fewer; it may
 * be too low even so. */
struct band_plan bands_plan(const struct passage *passage);

/* Takes that image from the reader to the writer, within the budget, and finishes it in both. Adds
 * the mean of the threads' times to the report. After a failure the writer may have part of the
 * image. STATUS_INPUT is the error of the first band that cannot be read, whichever thread failed
 * first. */
enum status bands_run(const struct band_plan *plan, struct error *error);

#endif
