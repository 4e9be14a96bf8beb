/* SPDX-License-Identifier: MIT */
/* An output of the format that its name, --format or the input asks for. */
#ifndef SMOOTHIMG_WRITER_H
#define SMOOTHIMG_WRITER_H

#include "codec.h"
#include "options.h"
#include "output.h"

/* An open output, and the sink that writes images to it. All zero: nothing is open. */
struct writer {
    struct output output;
    struct sink sink;
    const char *extension; /* that decides the format; NULL: each image keeps its own */
};

/* Before anything is read: would the output's name do? STATUS_USAGE if its extension says nothing.
 * same_format: the name has no say, the output is of the input's format (a folder's odd names). */
enum status writer_check_name(const struct options *options, const char *path, bool same_format,
                              struct error *error);

/* Opens the output. */
enum status writer_open(struct writer *writer, const struct options *options, const char *path,
                        bool same_format, struct error *error);

/* Will the output hold the image? To be asked before any work is done on it. */
enum status writer_check(struct writer *writer, const struct image *image, struct error *error);

/* Writes an image. In a stream of several, each has the Netpbm format that suits it. */
enum status writer_put(struct writer *writer, const struct image *image, struct error *error);

/* output_commit; *bytes is the size of the file, or -1 if it is no regular one. */
enum status writer_commit(struct writer *writer, int64_t *bytes, struct error *error);

/* Leaves no trace of the output. Harmless if it is not open, or committed already. */
void writer_abandon(struct writer *writer);

#endif
