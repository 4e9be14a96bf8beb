/* SPDX-License-Identifier: MIT */
/* One file: read, do the operations, verify, write. */
#ifndef SMOOTHIMG_PIPELINE_H
#define SMOOTHIMG_PIPELINE_H

#include "src/app/stream/context.h"
#include "src/app/stream/report.h"

/* Is there a variant for every operation, and are the weights possible? Fills weights, room for
 * 2 * MAX_HALO + 1. To be asked before anything is read or made. */
enum status pipeline_check(const struct stream_options *options, uint64_t *weights,
                           struct error *error);

/* Takes every image of the input through the operations and into the output. `-` is standard input
 * or output. On failure the output is as it was before. The report is valid in either case.
 * same_format: the output's name has no say in its format (a folder's odd names). */
enum status pipeline_file(const struct stream_context *context, const char *input,
                          const char *output, bool same_format, struct report *report,
                          struct error *error);

#endif
