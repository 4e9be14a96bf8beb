/* SPDX-License-Identifier: MIT */
#include "writer.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The extension that decides the output's format, or NULL: the input's format decides. */
static const char *deciding_extension(const struct options *options, const char *path,
                                      bool same_format)
{
    if (options->format)
        return options->format;
    return same_format || strcmp(path, "-") == 0 ? NULL : format_extension(path);
}

enum status writer_check_name(const struct options *options, const char *path, bool same_format,
                              struct error *error)
{
    const char *extension = deciding_extension(options, path, same_format);
    enum format unused;

    if (!extension || format_of_extension(extension, NULL, &unused))
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "%s: .%s is no kind of image that is written; call the output .pgm, .ppm, .pbm, "
                ".pam, .pnm or .png, or say --format",
                path, extension);
}

enum status writer_open(struct writer *writer, const struct options *options, const char *path,
                        bool same_format, struct error *error)
{
    const enum status status = output_open(&writer->output, path, options->no_clobber, error);

    if (status != STATUS_OK)
        return status;
    writer->extension = deciding_extension(options, path, same_format);
    writer->sink = (struct sink){
        .file = writer->output.file,
        .name = writer->output.name,
        .own_file = writer->output.target != NULL,
        .options = {.plain = options->plain,
                    .scale = options->scale,
                    .png_level = (int)options->png_level,
                    .threads = (int)options->threads,
                    .checksum = options->checksum},
    };
    return STATUS_OK;
}

static void choose_format(struct writer *writer, const struct image *image)
{
    writer->sink.format = image->format;
    if (writer->extension)
        format_of_extension(writer->extension, image, &writer->sink.format);
}

enum status writer_check(struct writer *writer, const struct image *image, struct error *error)
{
    choose_format(writer, image);
    return sink_check(&writer->sink, image, error);
}

enum status writer_put(struct writer *writer, const struct image *image, struct error *error)
{
    choose_format(writer, image);
    return sink_put(&writer->sink, image, error);
}

enum status writer_commit(struct writer *writer, int64_t *bytes, struct error *error)
{
    /* The size is known once the stream has been flushed and closed; its name may be another's. */
    const int fd = fcntl(fileno(writer->output.file), F_DUPFD_CLOEXEC, 0);
    const enum status status = output_commit(&writer->output, error);
    struct stat about;

    *bytes = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) ? about.st_size : -1;
    if (fd >= 0)
        close(fd);
    return status;
}

void writer_abandon(struct writer *writer)
{
    output_abandon(&writer->output);
}
