/* SPDX-License-Identifier: MIT */
/* An output: its file, and the format that its name, the options or the input ask for. */
#ifndef SMOOTHIMG_IMAGE_OUTPUT_H
#define SMOOTHIMG_IMAGE_OUTPUT_H

#include "src/files/codec/codec.h"
#include "src/app/stream/context.h"
#include "src/files/output/output.h"

/* All zero: not open. */
struct image_output {
    struct output file;
    struct image_writer writer;
    const char *extension; /* decides the format; NULL: each image keeps its own */
};

/* Checks the extension of the path, or --format: STATUS_USAGE if no supported format has it. Called
 * before anything is read. same_format: the output has the input's format, whatever its name. */
enum status image_output_check_name(const struct output_options *options, const char *path,
                                    bool same_format, struct error *error);

/* Opens the output; path and same_format as above. Whatever happens then, the caller commits or
 * abandons it. dry_run: creates no file: only image_output_check may follow. */
enum status image_output_open(struct image_output *destination,
                              const struct output_options *options, const char *path,
                              bool same_format, bool dry_run, struct error *error);

/* Chooses the format for the image, and fails if that cannot hold it. Called before any work is
 * done on the image. */
enum status image_output_check(struct image_output *destination, const struct image *image,
                               struct error *error);

/* Writes an image. Of several in a stream, each has the Netpbm format that fits it. */
enum status image_output_put(struct image_output *destination, const struct image *image,
                             struct error *error);

/* Completes the output, see output_commit. *bytes: the size of the file, or -1 if it is not a
 * regular file. */
enum status image_output_commit(struct image_output *destination, int64_t *bytes,
                                struct error *error);

/* Removes the output. Does nothing if it is not open, or committed. */
void image_output_abandon(struct image_output *destination);

#endif
