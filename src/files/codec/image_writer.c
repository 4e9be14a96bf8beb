/* SPDX-License-Identifier: MIT */
/* Writing images: hands the rows to the format's codec, and adds up the checksum. */
#include "src/files/codec/codec.h"

#include "src/files/codec/checksum.h"
#include "kernels/common/numbers.h"
#include "src/lib/base/work_queue.h"

#include <errno.h>
#include <string.h>

enum status image_writer_write(const struct image_writer *writer, const void *bytes, size_t count,
                               struct error *error)
{
    if (fwrite(bytes, 1, count, writer->file) == count)
        return STATUS_OK;
    return fail(error, STATUS_OUTPUT, "%s: cannot be written: %s", writer->name, strerror(errno));
}

bool image_writer_takes_bands(const struct image_writer *writer)
{
    return writer->own_file && writer->format != FORMAT_PBM && !writer->options.plain;
}

static const struct codec *codec_of(const struct image_writer *writer)
{
    return writer->format == FORMAT_PNG ? &codec_png : &codec_pnm;
}

struct write_requirements image_writer_requirements(const struct image_writer *writer,
                                                    const struct image *header)
{
    return codec_of(writer)->requirements(writer, header);
}

enum status image_writer_check(const struct image_writer *writer, const struct image *image,
                               struct error *error)
{
    if (writer->options.plain && (writer->format == FORMAT_PAM || writer->format == FORMAT_PNG))
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: --plain works for PBM, PGM and PPM only; leave it out, or name the output "
                    ".pgm or .ppm",
                    writer->name);
    return codec_of(writer)->supports(writer, image, error);
}

enum status image_writer_begin(struct image_writer *writer, const struct image *header,
                               struct error *error)
{
    const enum status status = image_writer_check(writer, header, error);
    struct write_requirements requirements;

    if (status != STATUS_OK)
        return status;
    requirements = image_writer_requirements(writer, header);
    writer->block_rows = requirements.block_rows;
    writer->context_rows = requirements.context_rows;
    writer->rows_before += writer->height;
    writer->width = header->view.width;
    writer->height = header->view.height;
    writer->stored = header->stored;
    return codec_of(writer)->begin(writer, header, error);
}

static void note_rows(const struct image_writer *writer, const struct image *image, int64_t count)
{
    if (writer->on_rows)
        writer->on_rows(writer->context, count * (int64_t)image_row_bytes(image));
}

enum status image_writer_rows(struct image_writer *writer, int64_t first, int64_t count,
                              const struct image *image, int64_t from, struct error *error)
{
    enum status status;

    if (writer->options.checksum)
        writer->checksum += checksum_rows(image, writer->stored, from, count,
                                          (uint64_t)(writer->rows_before + first));
    status = codec_of(writer)->put(writer, first, count, image, from, error);
    note_rows(writer, image, count);
    return status;
}

bool image_writer_has_columns(const struct image_writer *writer)
{
    return codec_of(writer)->put_columns && !writer->options.checksum;
}

enum status image_writer_put_columns(struct image_writer *writer, int64_t first, int64_t count,
                                     int64_t column, const struct image *image, int64_t from,
                                     struct error *error)
{
    const enum status status =
        codec_of(writer)->put_columns(writer, first, count, column, image, from, error);

    note_rows(writer, image, count);
    return status;
}

enum status image_writer_end(struct image_writer *writer, struct error *error)
{
    const enum status status = codec_of(writer)->end(writer, error);

    image_writer_discard(writer);
    writer->images += status == STATUS_OK;
    return status;
}

void image_writer_discard(struct image_writer *writer)
{
    if (writer->writing)
        codec_of(writer)->discard(writer);
}

/* All rows of an image in memory, in blocks that the threads take in turn. */
struct putting {
    struct image_writer *writer;
    const struct image *image;
};

static enum status put_block(void *context, int thread, int64_t block, struct error *error)
{
    const struct putting *putting = context;
    const int64_t rows = putting->writer->block_rows, first = block * rows;
    const int64_t left = putting->image->view.height - first;

    (void)thread;
    return image_writer_rows(putting->writer, first, min(left, rows), putting->image, first, error);
}

static enum status put_rows(struct image_writer *writer, const struct image *image,
                            struct error *error)
{
    const int64_t height = image->view.height;
    const int threads = writer->options.threads > 1 ? writer->options.threads : 1;
    struct putting putting = {writer, image};

    /* Without context rows there is nothing to compute: threads would wait for each other. */
    if (writer->order != ROWS_IN_ANY_ORDER || writer->context_rows == 0)
        return image_writer_rows(writer, 0, height, image, 0, error);
    return work_queue_run(threads, (height - 1) / writer->block_rows + 1, put_block, &putting,
                          error);
}

enum status image_writer_put(struct image_writer *writer, const struct image *image,
                             struct error *error)
{
    enum status status = image_writer_begin(writer, image, error);

    if (status == STATUS_OK)
        status = put_rows(writer, image, error);
    if (status == STATUS_OK)
        return image_writer_end(writer, error);
    image_writer_discard(writer);
    return status;
}
