/* SPDX-License-Identifier: MIT */
#include "src/app/stream/output/image_output.h"

#include "src/files/codec/rows/encoding.h"

#include <string.h>

/* The extension that decides the output's format, or NULL: the input's format decides. */
static const char *deciding_extension(const struct output_options *options, const char *path,
                                      bool same_format)
{
    if (options->format)
        return options->format;
    return same_format || strcmp(path, "-") == 0 ? NULL : format_extension(path);
}

enum status image_output_check_name(const struct output_options *options, const char *path,
                                    bool same_format, struct error *error)
{
    const char *extension = deciding_extension(options, path, same_format);
    enum format unused;

    if (!extension || format_of_extension(extension, NULL, &unused))
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "%s: cannot write .%s; supported: .pgm .ppm .pbm .pam .pnm .png .jpg .jpeg .tif "
                ".tiff .npy; or use --format",
                path, extension);
}

enum status image_output_open(struct image_output *destination,
                              const struct output_options *options, const char *path,
                              bool same_format, bool dry_run, struct error *error)
{
    const enum status status =
        dry_run ? STATUS_OK : output_open(&destination->file, path, options->no_clobber, error);

    if (status != STATUS_OK)
        return status;
    destination->extension = deciding_extension(options, path, same_format);
    destination->writer = (struct image_writer){
        .file = destination->file.file,
        .name = output_name(path),
        .own_file = destination->file.target != NULL,
        .options = options->write,
    };
    return STATUS_OK;
}

static void choose_format(struct image_output *destination, const struct image *image)
{
    const struct image file = image_file_header(image);

    destination->writer.format = image->format;
    if (destination->extension)
        format_of_extension(destination->extension, &file, &destination->writer.format);
}

enum status image_output_check(struct image_output *destination, const struct image *image,
                               struct error *error)
{
    choose_format(destination, image);
    return image_writer_check(&destination->writer, image, error);
}

enum status image_output_put(struct image_output *destination, const struct image *image,
                             struct error *error)
{
    choose_format(destination, image);
    return image_writer_put(&destination->writer, image, error);
}

enum status image_output_commit(struct image_output *destination, int64_t *bytes,
                                struct error *error)
{
    enum status status;

    image_writer_close(&destination->writer);
    status = output_commit(&destination->file, error);

    *bytes = destination->file.bytes;
    return status;
}

void image_output_abandon(struct image_output *destination)
{
    image_writer_close(&destination->writer);
    output_abandon(&destination->file);
}
