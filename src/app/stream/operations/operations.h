/* SPDX-License-Identifier: MIT */
/* Runs the operations on one image, by calls of the library. The arrays in memory are whole images,
 * parts of images, or pages of a volume. */
#ifndef SMOOTHIMG_OPERATIONS_H
#define SMOOTHIMG_OPERATIONS_H

#include "src/app/stream/context.h"
#include "src/app/stream/report.h"

struct operations {
    struct computer *computer;
    const struct work_options *work;
    bool weighted;         /* the last channel is alpha or a mask, and weights the others */
    int32_t kept_channels; /* how many of the last channels (alpha, the mask) keep their samples */
    /* How many source rows above each computed row the first operation reads. It reads as many rows
     * below the computed row. */
    int64_t reach;
    bool wraps; /* beyond an end of the image, rows from its other end are read: --edge wrap */
};

/* Sets *operations for an image with this header. Returns STATUS_UNSUPPORTED, with a remedy, if the
 * operations cannot be done to it; STATUS_USAGE for an offset above the image's maxval, or for any
 * offset if the samples are floats. */
enum status operations_open(struct operations *operations, const struct stream_context *context,
                            const struct image *header, const char *name, struct error *error);

/* operations_shape returns the shape of operation i's result; operations_result returns the header
 * of the last result, for writers. */
struct shape operations_shape(const struct operations *operations, int i,
                              const struct shape *source);
struct image operations_result(const struct operations *operations, const struct image *header);

/* The data of one operation. The first page and row of dst are the result for page `page` and row
 * `row` of src. All pages have the same shape, and lie one below the other without gaps. A
 * transpose or a reverse takes a whole page. */
struct part {
    struct image src, dst;
    int64_t src_pages, dst_pages;
    int64_t page, row;
};

/* Returns the bytes of host memory that operations_compute needs for this part with `threads`
 * threads, besides the part's images: derivatives of integers, and, if the CPU computes, the
 * library's working memory. Returns 0 if the operation only moves pixels. The part's images need no
 * memory for samples yet (image_lay_out). */
double operations_bytes(const struct operations *operations, int i, int threads,
                        const struct part *part);

/* Adds the seconds of *op, multiplied by `scale`, to *sum, and copies the names of its variant and
 * engine. */
void op_times_add(struct op_times *sum, const struct op_times *op, double scale);

/* Does operation i with a context that has `threads` threads; if `reference`, by the reference
 * variant. Adds the time, and the name of the engine, to *times. */
enum status operations_compute(const struct operations *operations, int i, bool reference,
                               struct smoothimg_context *context, int threads,
                               const struct part *part, struct op_times *times,
                               struct error *error);

#endif
