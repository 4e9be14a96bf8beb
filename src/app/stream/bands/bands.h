/* SPDX-License-Identifier: MIT */
/* Smooths or reverses one image in bands of rows, straight from a reader into a writer. Each thread
 * takes the next band, reads it with the rows around it that the filter reaches, computes it or
 * lets a GPU compute it, writes it, and then reuses the memory. So reading, computing, writing, and
 * copies to and from a GPU overlap, and the memory does not depend on the image's height. The
 * result is that of the whole image, byte for byte. */
#ifndef SMOOTHIMG_BANDS_H
#define SMOOTHIMG_BANDS_H

#include "src/app/stream/passage.h"

/* How an image is cut into bands. */
struct band_plan {
    const struct passage *passage;
    struct write_requirements writes;
    int threads;
    int64_t rows;     /* rows of a band, a multiple of the writer's block */
    int64_t src_rows; /* of the source of a band, at most */
    int64_t keep;     /* rows to keep for later bands if the reader delivers its rows in order */
    int64_t bytes;    /* host memory for everything; INT64_MAX if the sum overflows */
};

/* True if all rows must be read before the first one is computed. */
bool bands_keep_all(const struct passage *passage);

/* Plans an image with one operation that is not a transpose. The writer must accept rows in any
 * order, and need not have begun. If the memory limit requires it, bands are lower and threads
 * fewer; the limit may still be too low. */
struct band_plan bands_plan(const struct passage *passage);

/* Takes the planned image from the reader to the writer, within the budget, and finishes it in
 * both. Adds the mean of the threads' times to the report. After a failure the writer may have a
 * part of the image. STATUS_INPUT is always the error of the first unreadable band, whichever
 * thread failed first. */
enum status bands_run(const struct band_plan *plan, struct error *error);

#endif
