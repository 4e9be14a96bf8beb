/* SPDX-License-Identifier: MIT */
/* The way of one file: read, do the operations, verify, write. */
#ifndef SMOOTHIMG_PIPELINE_H
#define SMOOTHIMG_PIPELINE_H

#include "budget.h"
#include "chooser.h"
#include "options.h"
#include "report.h"

/* What is the same for every file. All but the chooser is borrowed. */
struct pipeline {
    const struct options *options;
    struct chooser *chooser;
    const struct variant *const *variants; /* the chooser's: of the image at hand */
    struct budget *budget;                 /* of all pipelines together; the caller sets it */
    const uint64_t *weights;               /* of pipeline_check; the caller sets them */
};

/* Is there a variant for every operation, and are the weights possible? Fills weights, room for
 * 2 * MAX_HALO + 1. To be asked before anything is read or made. */
enum status pipeline_check(const struct options *options, uint64_t *weights, struct error *error);

/* Chooses the variants as far as they can be known, and begins to open the GPU if one is needed.
 * Borrows the options. expected, first: see chooser_open. */
enum status pipeline_prepare(struct pipeline *pipeline, const struct options *options,
                             const struct glance *expected, int first, struct error *error);

/* Gives back what pipeline_prepare took, also if that failed. */
void pipeline_close(struct pipeline *pipeline);

/* Takes every image of the input through the operations and into the output. `-` is standard input
 * or output. On failure the output is as it was before. The report is valid in either case.
 * same_format: the output's name has no say in its format (a folder's odd names). */
enum status pipeline_file(const struct pipeline *pipeline, const char *input, const char *output,
                          bool same_format, struct report *report, struct error *error);

#endif
