/* SPDX-License-Identifier: MIT */
/* A folder of images, one after another. */
#ifndef SMOOTHIMG_BATCH_H
#define SMOOTHIMG_BATCH_H

#include "pipeline.h"

struct batch_summary {
    int64_t done, failed;
    int64_t others; /* files that are no images, and were left alone */
};

/* Told of every file that was tried, in turn. */
typedef void batch_listener(void *context, const char *input, const char *output,
                            enum status status, const struct report *report,
                            const struct error *error);

/* Takes every image of the folder `input`, in the order of their names, into the folder `output`,
 * made if it does not exist, under the same names. An image is a file with an image's extension or
 * content; folders within are not entered. A bad file does not end the run. STATUS_PARTIAL if any
 * failed; anything else than that and STATUS_OK means that the run could not begin. */
enum status batch_run(const struct pipeline *pipeline, const char *input, const char *output,
                      batch_listener *listener, void *context, struct batch_summary *summary,
                      struct error *error);

#endif
