/* SPDX-License-Identifier: MIT */
/* One image on its way from the reader to the writer: the state that bands.c and pages.c both
 * need. */
#ifndef SMOOTHIMG_PASSAGE_H
#define SMOOTHIMG_PASSAGE_H

#include "src/app/stream/operations/operations.h"
#include "src/files/codec/codec.h"
#include "src/text/string_list.h"

struct passage {
    const struct stream_context *context;
    struct image_reader *reader;
    struct image_writer *writer;
    const char *extension;      /* decides the output's format; NULL: each image keeps its format */
    const struct image *header; /* the header of the image that image_reader_begin has found */
    struct operations operations;
    struct image result; /* the header of the result, without samples */
    struct report *report;
};

/* Adds an image, whose header has been read, to the report's counts. Notes the shape and kind of
 * the first image. */
void passage_note_image(const struct passage *passage, const struct image *header);

/* Sets the writer's format from the extension, or, if there is none, to the image's own format. An
 * extension such as .pnm means different formats for different images. The images of one Netpbm
 * file may differ in format too. */
void passage_choose_format(const struct passage *passage, const struct image *image);

/* Waits until the budget has the bytes, and reserves them. Returns STATUS_INPUT if the budget is
 * too small. The message then contains `what`, how the image was to be processed, such as "in
 * bands"; and the list `less` of ways to need less memory. */
enum status passage_take_memory(const struct passage *passage, int64_t bytes, const char *what,
                                const struct string_list *less, struct error *error);

/* In bands/. Does one operation, which is not a transpose, in bands of rows. The bands go straight
 * from the reader to the writer, which must accept rows in any order (image_writer.takes_bands).
 * Each thread reads the next band, with the rows around it that the filter reaches, computes it on
 * the CPU or a GPU, and writes it. While one thread reads or writes, others compute. The memory
 * does not depend on the image's height, except where band_plan.keeps_all is true. The result has
 * the same bytes as if the whole image were computed at once.
 *
 * Keeps to the budget. Finishes the image in the reader and the writer. Adds the mean of the
 * threads' times to the report. After a failure the writer may have a part of the image. If rows
 * of several bands cannot be read, returns the error of the first of these bands (STATUS_INPUT),
 * whichever thread failed first. */
enum status bands_run(const struct passage *passage, struct error *error);

/* In pages.c. Does all operations, one after the other, on an image in memory, verifies the result
 * if the options say so, and writes it. With a halo along z the images of the input are the pages
 * of a volume: pages_run then filters, along three axes, this image and all that follow, and rounds
 * once, at the end. It keeps at most 6 halo + 4 pages in memory; with --edge wrap all pages, if the
 * file says how many it has.
 *
 * Returns STATUS_INPUT if pages differ in size or kind, or if the budget is too small. For --edge
 * wrap returns STATUS_UNSUPPORTED if the file does not say how many pages it has, and has more than
 * are kept. */
enum status pages_run(const struct passage *passage, struct error *error);

#endif
