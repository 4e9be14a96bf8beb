/* SPDX-License-Identifier: MIT */
/* A volume: the images of one input are its pages, and are smoothed along three axes, with one
 * rounding. Pages are read and written one after the other, and no more of them are in memory than
 * the filter reaches over, and some. */
#ifndef SMOOTHIMG_VOLUME_H
#define SMOOTHIMG_VOLUME_H

#include "src/app/stream/context.h"
#include "src/app/stream/operations/operations.h"
#include "src/app/stream/output/image_output.h"
#include "src/app/stream/report.h"

/* Smooths all pages of the reader, of which *header is the first, into the output: both have been
 * checked, and operations are those of the header. STATUS_INPUT if pages differ in size or kind, or
 * if the budget is too small; STATUS_UNSUPPORTED for edge rules that need the last pages first. */
enum status volume_run(const struct stream_context *context, struct image_reader *reader,
                       struct image_output *destination, const struct image *header,
                       const struct operations *operations, struct report *report,
                       struct error *error);

#endif
