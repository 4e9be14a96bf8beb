/* SPDX-License-Identifier: MIT */
/* How one image gets from the reader to the writer: in bands of rows, in column blocks, or in
 * memory as a whole. That is decided here once, with the memory that it takes. */
#ifndef SMOOTHIMG_EXECUTION_MODE_H
#define SMOOTHIMG_EXECUTION_MODE_H

#include "src/app/stream/context.h"
#include "src/app/stream/output/image_output.h"
#include "src/app/stream/report.h"

/* Takes the image that image_reader_begin has found (*header) through the operations and into the
 * writer, and finishes it. Waits until its memory is within the budget. input_bytes: that the image
 * counts for in dispatcher_note. STATUS_INPUT also where it would take more memory than there may
 * ever be. */
enum status execution_mode_run(const struct stream_context *context, struct image_reader *reader,
                               struct image_output *destination, const struct image *header,
                               double input_bytes, struct report *report, struct error *error);

#endif
