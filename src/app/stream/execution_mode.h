/* SPDX-License-Identifier: MIT */
/* Chooses how one image gets from the reader to the writer: in bands of rows, or in memory as
 * a whole. Also plans its memory. */
#ifndef SMOOTHIMG_EXECUTION_MODE_H
#define SMOOTHIMG_EXECUTION_MODE_H

#include "src/app/stream/context.h"
#include "src/app/stream/output/image_output.h"
#include "src/app/stream/report.h"

/* Takes the image that image_reader_begin has found (*header) through the operations and into the
 * writer, and finishes it; of a volume all images from it on. Waits until the budget has the
 * memory. STATUS_INPUT also if the whole budget is too small. */
enum status execution_mode_run(const struct stream_context *context, struct image_reader *reader,
                               struct image_output *destination, const struct image *header,
                               struct report *report, struct error *error);

#endif
