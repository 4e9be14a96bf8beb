/* SPDX-License-Identifier: MIT */
/* One file: read, do the operations, verify, write. */
#ifndef SMOOTHIMG_STREAM_FILE_H
#define SMOOTHIMG_STREAM_FILE_H

#include "src/app/stream/context.h"
#include "src/app/stream/report.h"

/* An input and its output; `-` is standard input or output. */
struct stream_file {
    const char *input, *output;
    const char *format; /* an extension, for the output's format; NULL: its name has that */
    bool same_format;   /* the output has the input's format, whatever its name (in a folder, files
                         * may have unknown extensions) */
    int64_t work;       /* what the file counts in the progress of the run */
};

/* Takes every image of the input through the operations and into the output. On failure the output
 * is as it was before. The report is valid in either case. */
enum status file_run(const struct stream_context *context, const struct stream_file *file,
                     struct report *report, struct error *error);

#endif
