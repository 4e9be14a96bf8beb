/* SPDX-License-Identifier: MIT */
/* Writes baseline JPEG without subsampling of chroma. Threads compress blocks of rows; a restart
 * marker between two of these blocks lets decoders begin anew. The bytes are those that libjpeg
 * would write with the same restart markers. */
#include "src/files/codec/jpeg/jpeg.h"

#include "kernels/common/numbers.h"

#include <jerror.h>
#include <stdlib.h>

#define BLOCK 8 /* JPEG transforms 8 x 8 samples at a time */
/* A block of rows has this many rows of squares of 8 x 8 pixels. JPEG allows at most 65535 squares
 * between two restart markers; eight rows of the largest width have 65504. */
#define ROWS_OF_BLOCKS 8
#define ENCODER_BYTES (1 << 17) /* roughly libjpeg's memory that does not grow with the image */

/* libjpeg's work on one part of a file: everything before the samples (the head), or a block of
 * rows. */
struct encoding {
    struct jpeg_trouble trouble;
    struct jpeg_compress_struct jpeg;
    uint8_t *bytes; /* owned: the output, which libjpeg may move */
    unsigned long count;
    const struct image_writer *writer;
    int64_t rows;              /* rows of the block; for the file's head, rows of the whole image */
    const struct image *image; /* the image whose rows from `from` on are the block's */
    int64_t from;
    struct carried carried; /* owned: metadata that is being written */
};

static void set_up(struct encoding *encoding)
{
    const struct view *view = &encoding->writer->written.view;
    const int quality = (int)encoding->writer->options.quality;
    j_compress_ptr jpeg = &encoding->jpeg;

    jpeg->err = &encoding->trouble.manager;
    jpeg->client_data = encoding;
    jpeg_create_compress(jpeg);
    jpeg_mem_dest(jpeg, &encoding->bytes, &encoding->count);
    jpeg->image_width = (JDIMENSION)view->width;
    jpeg->image_height = (JDIMENSION)encoding->rows;
    jpeg->input_components = view->channels;
    jpeg->in_color_space = view->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, quality > 0 ? quality : QUALITY_DEFAULT, TRUE);
    jpeg->comp_info[0].h_samp_factor = jpeg->comp_info[0].v_samp_factor = 1;
}

/* Makes everything before the samples. libjpeg writes the last segment in the first call that
 * writes rows, so this function makes such a call, with no rows. */
static void make_head(void *context)
{
    struct encoding *encoding = context;
    j_compress_ptr jpeg = &encoding->jpeg;

    set_up(encoding);
    if (encoding->writer->turns.count > 1)
        jpeg->restart_interval = ROWS_OF_BLOCKS * ((jpeg->image_width - 1) / BLOCK + 1);
    jpeg_segments_resolution(jpeg, &encoding->writer->written);
    jpeg_start_compress(jpeg, TRUE);
    if (!jpeg_segments_write(jpeg, &encoding->writer->written, &encoding->carried))
        ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
    jpeg_write_scanlines(jpeg, NULL, 0);
    jpeg->dest->term_destination(jpeg);
}

/* Makes a JPEG file of this block of rows alone; write_block() takes only the compressed samples
 * from it. */
static void make_block(void *context)
{
    struct encoding *encoding = context;

    set_up(encoding);
    jpeg_start_compress(&encoding->jpeg, TRUE);
    for (int64_t y = 0; y < encoding->rows; y++) {
        JSAMPROW row = image_row(encoding->image, encoding->from + y);

        jpeg_write_scanlines(&encoding->jpeg, &row, 1);
    }
    jpeg_finish_compress(&encoding->jpeg);
}

/* Runs make_head or make_block. The caller closes *encoding, after a failure too. */
static enum status encode(struct encoding *encoding, void (*work)(void *context),
                          struct error *error)
{
    jpeg_trouble_open(&encoding->trouble, encoding->writer->name, STATUS_OUTPUT);
    return jpeg_try(&encoding->trouble, work, encoding, error);
}

/* Frees the encoding. libjpeg may have moved the output, but stores the new address in `bytes` only
 * when term_destination() ends the output. libjpeg does not call that after a failure, so this
 * function does. */
static void close_encoding(struct encoding *encoding)
{
    if (encoding->bytes)
        encoding->jpeg.dest->term_destination(&encoding->jpeg);
    jpeg_destroy_compress(&encoding->jpeg);
    free(encoding->carried.bytes);
    free(encoding->bytes);
}

#define MARKER_BYTES 2

/* Returns where the samples begin in a file: after the marker that begins the image, and the
 * segments up to SOS. The length that a segment gives counts its own two bytes, but not the marker
 * before it. */
static size_t find_samples(const uint8_t *bytes)
{
    size_t at = MARKER_BYTES;
    int marker;

    do {
        marker = bytes[at + 1];
        at += MARKER_BYTES + ((size_t)bytes[at + 2] << 8 | bytes[at + 3]);
    } while (marker != 0xda);
    return at;
}

/* A block of rows takes up to four times the bytes of its samples. The compressed block may be as
 * long as its samples, and one finished block may wait to be written. For the next block libjpeg
 * enlarges its buffer by copying it to a new buffer of twice the size: the two buffers together
 * take three times the bytes. */
static enum status prepare(struct image_writer *writer, const struct image *image,
                           struct error *error)
{
    const long long width = image->view.width, height = image->view.height;
    const int channels = image->view.channels;

    if (channels != 1 && channels != 3)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: JPEG holds 1 or 3 channels, grey or RGB, but the image has %d; name the "
                    "output .png or .pam",
                    writer->name, channels);
    if (image->maxval != 255)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: JPEG holds samples up to 255, but the image's maxval is %u; name the "
                    "output .png",
                    writer->name, image->maxval);
    if (width > JPEG_MAX_DIMENSION || height > JPEG_MAX_DIMENSION)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: JPEG holds sides of up to %ld, but the image has %lld x %lld pixels; name "
                    "the output .png",
                    writer->name, JPEG_MAX_DIMENSION, width, height);
    writer->encodes = true;
    writer->block_rows = ROWS_OF_BLOCKS * BLOCK;
    writer->bytes = 4 * writer->block_rows * (int64_t)image_row_bytes(image) + ENCODER_BYTES;
    return STATUS_OK;
}

static enum status begin(struct image_writer *writer, const struct image *header,
                         struct error *error)
{
    struct encoding encoding = {.writer = writer, .rows = header->view.height};
    enum status status;

    status = encode(&encoding, make_head, error);
    if (status == STATUS_OK)
        status = image_writer_write(writer, encoding.bytes, encoding.count, error);
    close_encoding(&encoding);
    return status;
}

/* Writes a block's samples. Before each block except the first, also writes a restart marker. JPEG
 * has eight such markers, 0xd0 to 0xd7, which follow each other in a cycle. */
static enum status write_block(struct image_writer *writer, int64_t index,
                               const struct turn_part *part, struct error *error)
{
    const uint8_t restart[MARKER_BYTES] = {0xff, (uint8_t)(0xd0 + (index - 1) % 8)};
    const size_t at = find_samples(part->bytes);
    enum status status = STATUS_OK;

    if (index > 0)
        status = image_writer_write(writer, restart, sizeof restart, error);
    return status == STATUS_OK ? image_writer_write(writer, part->bytes + at,
                                                    part->count - at - MARKER_BYTES, error)
                               : status;
}

static enum status make_part(const struct image_writer *writer, int64_t first, int64_t count,
                             const struct image *image, int64_t from, struct turn_part *part,
                             struct error *error)
{
    struct encoding encoding = {.writer = writer, .rows = count, .image = image, .from = from};
    const enum status status = encode(&encoding, make_block, error);

    (void)first;
    if (status == STATUS_OK) {
        *part = (struct turn_part){.bytes = encoding.bytes, .count = encoding.count};
        encoding.bytes = NULL;
    }
    close_encoding(&encoding);
    return status;
}

static enum status end_image(struct image_writer *writer, struct error *error)
{
    const uint8_t end[MARKER_BYTES] = {0xff, 0xd9};

    return image_writer_write(writer, end, sizeof end, error);
}

const struct encoder jpeg_encoder = {
    .one_image = true,
    .prepare = prepare,
    .begin = begin,
    .make_part = make_part,
    .write_part = write_block,
    .end = end_image,
};
