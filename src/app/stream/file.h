/* SPDX-License-Identifier: MIT */
/* Processes one input file: reads its images, runs the operations on them, verifies the results if
 * --verify is given, and writes them to the output. */
#ifndef SMOOTHIMG_STREAM_FILE_H
#define SMOOTHIMG_STREAM_FILE_H

#include "src/app/stream/context.h"
#include "src/app/stream/report.h"

/* An input and its output; `-` is standard input or output. */
struct stream_file {
    const char *input, *output;
    /* The extension that decides the format of the output; NULL: the name of the output decides. */
    const char *format;
    bool same_format; /* the output has the input's format, whatever its name */
    int64_t work;     /* the file's share of the run's progress */
};

/* Runs the operations on every image of the input, and writes the results. On failure an output
 * file is as it was before; standard output, a pipe or a device may have got a part of the output.
 * The report is valid in either case. */
enum status file_run(const struct stream_context *context, const struct stream_file *file,
                     struct report *report, struct error *error);

#endif
