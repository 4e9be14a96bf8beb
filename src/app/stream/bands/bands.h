/* SPDX-License-Identifier: MIT */
/* One image smoothed or reversed in bands of rows, straight from a reader into a writer. Each
 * thread takes the next band, reads it with the rows beside it that the filter reaches, computes it
 * or has a GPU compute it, and writes it, and then reuses the memory. So reading, computing, copies
 * to and from a GPU, and writing overlap, and memory does not depend on the image's height. The
 * result is that of the whole image, byte for byte. */
#ifndef SMOOTHIMG_BANDS_H
#define SMOOTHIMG_BANDS_H

#include "src/app/stream/operations/operations.h"
#include "src/app/stream/report.h"
#include "src/files/codec/codec.h"

struct bands {
    struct operations operations; /* one, and no transpose */
    int threads;
    int64_t rows;      /* band height, rounded up to the writer's blocks; 0: chosen by the plan */
    int64_t max_bytes; /* memory limit; bands get lower and threads fewer to meet it; 0: none */
};

/* How an image is cut into bands. */
struct band_plan {
    int threads;
    int64_t rows;  /* of a band: a multiple of the writer's block rows */
    int64_t keep;  /* rows to keep for later bands, if the reader has its rows in order */
    int64_t bytes; /* host memory in all; above bands->max_bytes if even one thread with the lowest
                    * bands takes more; INT64_MAX: too many to count */
};

/* Must all rows be read before the first is computed? order: of the reader. */
bool bands_keep_all(const struct operations *operations, enum row_order order);

/* Rows of the source of a band of so many rows, at most. height: of the image. */
int64_t bands_source_rows(const struct operations *operations, int64_t rows, int64_t height);

/* Plans the image that image_reader_begin has found (*header). The writer must take rows in any
 * order, and need not have begun. */
struct band_plan bands_plan(const struct bands *bands, const struct image_reader *reader,
                            const struct image_writer *writer, const struct image *header);

/* Takes that image from the reader to the writer, and finishes it in both. Adds the mean of
 * the threads' times to *times. After a failure the writer may have part of the image. STATUS_INPUT
 * is the error that reading the rows in order gives, whichever thread failed first. */
enum status bands_run(const struct bands *bands, const struct band_plan *plan,
                      struct image_reader *reader, struct image_writer *writer,
                      const struct image *header, struct stage_times *times, struct error *error);

#endif
