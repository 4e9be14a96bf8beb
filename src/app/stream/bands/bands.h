/* SPDX-License-Identifier: MIT */
/* Does one operation, such as smooth or reverse, on one image in bands of rows, straight from a
 * reader into a writer. Each thread reads the next band, with the rows around it that the filter
 * reaches, computes it on the CPU or a GPU, and writes it. While one thread reads or writes, others
 * compute. The memory does not depend on the image's height, except where bands_keep_all() is true.
 * The result has the same bytes as if the whole image were computed at once. */
#ifndef SMOOTHIMG_BANDS_H
#define SMOOTHIMG_BANDS_H

#include "src/app/stream/passage.h"

struct band_plan {
    const struct passage *passage;
    struct write_requirements writes;
    int threads;
    int64_t rows;     /* rows of a band, a multiple of the writer's block */
    int64_t src_rows; /* the largest number of source rows that a band needs */
    int64_t keep;     /* source rows kept for later bands, unless rows can be read in any order */
    int64_t bytes;    /* host memory for everything; INT64_MAX if the sum overflows */
};

/* Returns true if all rows must be in memory before the first one is computed. */
bool bands_keep_all(const struct passage *passage);

/* Plans the bands of an image, for one operation that is not a transpose. The writer must accept
 * rows in any order (image_writer_takes_bands); image_writer_begin is called later, by bands_run.
 * If the budget's limit is too low for the best plan, plans lower bands or fewer threads. Even then
 * plan.bytes may exceed the limit. */
struct band_plan bands_plan(const struct passage *passage);

/* Reads, computes and writes the planned image within the budget, and finishes it in the reader and
 * the writer. Adds the mean of the threads' times to the report. After a failure the writer may
 * have a part of the image. If rows of several bands cannot be read, returns the error of the first
 * of these bands (STATUS_INPUT), whichever thread failed first. */
enum status bands_run(const struct band_plan *plan, struct error *error);

#endif
