/* SPDX-License-Identifier: MIT */
/* One image on its way from the reader to the writer. All ways of processing it share this. */
#ifndef SMOOTHIMG_PASSAGE_H
#define SMOOTHIMG_PASSAGE_H

#include "src/app/stream/operations/operations.h"
#include "src/files/codec/codec.h"
#include "src/text/string_list.h"

struct passage {
    const struct stream_context *context;
    struct image_reader *reader;
    struct image_writer *writer;
    const char *extension;      /* sets the output's format; NULL: each image keeps its own */
    const struct image *header; /* that image_reader_begin has found */
    struct operations operations;
    struct image result; /* what becomes of it: without samples */
    struct report *report;
};

/* Sets the writer's format to the one for the image. In a stream of several images each has the
 * Netpbm format that fits it. */
void passage_choose_format(const struct passage *passage, const struct image *image);

/* Waits until the budget has the bytes, and takes them. Returns STATUS_INPUT if the budget is too
 * small. In the message, `what` names what needs them and `less` the ways to call the program that
 * would need less. */
enum status passage_take_memory(const struct passage *passage, int64_t bytes, const char *what,
                                const struct string_list *less, struct error *error);

/* pages.c: an image that is in memory as a whole, for all operations one after the other; and a
 * volume: the images of one input are its pages, and are filtered along three axes, with one
 * rounding. Its pages are read and written one after the other, and no more of them are in memory
 * than the filter reaches over, and some. Takes the image, of a volume with all that follow, from
 * the reader to the writer, verified where the options say so. STATUS_INPUT if pages differ in size
 * or kind, or if the budget is too small; STATUS_UNSUPPORTED for edge rules that need the last
 * pages first. */
enum status pages_run(const struct passage *passage, struct error *error);

#endif
