/* SPDX-License-Identifier: MIT */
/* Writes the images of an output one after the other, through the codec of its format. */
#include "src/files/codec/codec.h"

#include "src/files/codec/rows/samples.h"
#include "kernels/common/numbers.h"
#include "src/lib/base/work_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum status image_writer_failed(const struct image_writer *writer, struct error *error)
{
    return fail(error, STATUS_OUTPUT, "%s: cannot be written: %s", writer->name, strerror(errno));
}

enum status image_writer_write(const struct image_writer *writer, const void *bytes, size_t count,
                               struct error *error)
{
    return fwrite(bytes, 1, count, writer->file) == count ? STATUS_OK
                                                          : image_writer_failed(writer, error);
}

enum status image_writer_no_memory(const struct image_writer *writer, struct error *error)
{
    return fail(error, STATUS_OUTPUT, "%s: no memory to write it", writer->name);
}

enum status image_writer_prepare(struct image_writer *writer, const struct image *image,
                                 struct error *error)
{
    const struct image file = image_file(image);
    const struct codec *codec = codecs[writer->format];
    enum status status;

    if (codec->encoder->one_image && writer->images > 0 &&
        !(writer->stack && writer->format == FORMAT_NPY))
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: %s holds one image, but the input has several; name the output .tif or "
                    ".pam%s",
                    writer->name, format_word(writer->format),
                    writer->format == FORMAT_NPY
                        ? ", or give --sigma or --halo three numbers, x,y,0, for a stack"
                        : "");
    if (writer->options.plain && writer->format > FORMAT_PPM)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: --plain works for PBM, PGM and PPM only; leave it out, or name the output "
                    ".pgm or .ppm",
                    writer->name);
    if (image->maxval == FLOAT_SAMPLES && !codec->floats)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: %s holds no floating-point samples; name the output .tif or .npy",
                    writer->name, format_word(writer->format));
    if (image_alpha(&file) == ASSOCIATED_ALPHA &&
        (writer->format == FORMAT_PNG || writer->format == FORMAT_PAM))
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: the image has colours multiplied by alpha (associated alpha), and %s has "
                    "them as they are; name the output .tif or .npy",
                    writer->name, format_word(writer->format));
    writer->takes_bands =
        writer->own_file && writer->format != FORMAT_PBM && !writer->options.plain;
    writer->encodes = false;
    writer->block_rows = 1;
    writer->bytes = 0;
    status = codec->encoder->prepare(writer, &file, error);
    if (image->light || image->mask)
        writer->bytes += encoding_rows(image, writer->block_rows) * (int64_t)image_row_bytes(&file);
    return status;
}

enum status image_writer_begin(struct image_writer *writer, const struct image *header,
                               struct error *error)
{
    const enum status status = image_writer_prepare(writer, header, error);
    const struct encoder *encoder = codecs[writer->format]->encoder;
    const size_t bytes = encoder->writing_bytes;

    if (status != STATUS_OK)
        return status;
    writer->header = *header;
    writer->written = image_file(header);
    writer->writing = bytes > 0 ? calloc(1, bytes) : NULL;
    if ((bytes > 0 && !writer->writing) ||
        (writer->encodes &&
         !turns_open(&writer->turns, (header->view.height - 1) / writer->block_rows + 1)))
        return image_writer_no_memory(writer, error);
    return encoder->begin(writer, &writer->written, error);
}

/* Encodes blocks of rows. Each block is written when all blocks above it are in the file. */
static enum status put_parts(struct image_writer *writer, int64_t first, int64_t count,
                             const struct image *image, int64_t from, struct error *error)
{
    const struct encoder *encoder = codecs[writer->format]->encoder;
    enum status status = STATUS_OK;

    for (int64_t done = 0; done < count && status == STATUS_OK; done += writer->block_rows) {
        const int64_t rows = min(count - done, writer->block_rows), y = first + done;
        struct turn_part part = {.bytes = NULL};

        status = encoder->make_part(writer, y, rows, image, from + done, &part, error);
        if (status == STATUS_OK)
            status = turns_deliver(&writer->turns, y / writer->block_rows, part,
                                   encoder->write_part, writer, error);
    }
    return status;
}

/* Writes rows whose samples are in the file's form: put_parts, or the encoder's `put`. */
typedef enum status put_rows(struct image_writer *writer, int64_t first, int64_t count,
                             const struct image *image, int64_t from, struct error *error);

/* Converts samples to the file's form, some rows at a time, and writes them. */
static enum status encode_rows(put_rows *put, struct image_writer *writer, int64_t first,
                               int64_t count, const struct image *image, int64_t from,
                               struct error *error)
{
    const int64_t rows = min(encoding_rows(image, writer->block_rows), count);
    struct image wide = *image, file;
    struct shape shape = image_shape(&writer->written);
    enum status status;

    shape.height = rows;
    wide.light = writer->header.light;
    wide.mask = writer->header.mask;
    status = image_alloc(&file, &shape, error);
    for (int64_t done = 0; done < count && status == STATUS_OK; done += rows) {
        const int64_t now = min(rows, count - done);

        samples_encode(&wide, image_alpha(&writer->written) == STRAIGHT_ALPHA, from + done, now,
                       &file);
        status = put(writer, first + done, now, &file, 0, error);
    }
    image_free(&file);
    return status;
}

enum status image_writer_rows(struct image_writer *writer, int64_t first, int64_t count,
                              const struct image *image, int64_t from, struct error *error)
{
    put_rows *const put = writer->encodes ? put_parts : codecs[writer->format]->encoder->put;
    const enum status status = writer->header.light || writer->header.mask
                                   ? encode_rows(put, writer, first, count, image, from, error)
                                   : put(writer, first, count, image, from, error);

    if (writer->on_rows)
        writer->on_rows(writer->context, count * (int64_t)image_row_bytes(image));
    return status;
}

enum status image_writer_end(struct image_writer *writer, enum status status, struct error *error)
{
    const struct encoder *encoder = codecs[writer->format]->encoder;

    if (status == STATUS_OK)
        status = encoder->end(writer, error);
    if (writer->writing && encoder->discard)
        encoder->discard(writer->writing);
    if (writer->encodes)
        turns_close(&writer->turns);
    free(writer->writing);
    writer->writing = NULL;
    writer->images += status == STATUS_OK;
    return status;
}

void image_writer_close(struct image_writer *writer)
{
    const struct codec *codec = codecs[writer->format];

    if (writer->kept && codec->close)
        codec->close(writer->kept);
    free(writer->kept);
    writer->kept = NULL;
}

/* The image that threads write. Each thread writes one block of rows after another. */
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

static enum status put_blocks(struct image_writer *writer, const struct image *image,
                              struct error *error)
{
    const int64_t height = image->view.height;
    const int threads = writer->options.threads > 1 ? writer->options.threads : 1;
    struct putting putting = {writer, image};

    /* If rows are not encoded, there is no work to share, and threads would only wait for each
     * other. */
    if (!writer->encodes)
        return image_writer_rows(writer, 0, height, image, 0, error);
    return work_queue_run(threads, (height - 1) / writer->block_rows + 1, false, put_block,
                          &putting, error);
}

enum status image_writer_put(struct image_writer *writer, const struct image *image,
                             struct error *error)
{
    enum status status = image_writer_begin(writer, image, error);

    if (status == STATUS_OK)
        status = put_blocks(writer, image, error);
    return image_writer_end(writer, status, error);
}
