/* SPDX-License-Identifier: MIT */
/* Writes JPEG: baseline, without subsampling of chroma. The rows are compressed in blocks, by any
 * thread: between two blocks stands a restart marker, where decoders begin anew. The file is the
 * one that libjpeg writes with the same restarts. */
#include "src/files/codec/jpeg/jpeg.h"

#include "src/files/codec/rows/turns.h"
#include "kernels/common/numbers.h"

#include <jerror.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 8 /* samples on each side */
/* Between restarts: of rows of JPEG_MAX_DIMENSION they count to 65504 blocks, and an interval has
 * 65535 at the most. */
#define ROWS_OF_BLOCKS 8
#define ENCODER_BYTES (1 << 17) /* of libjpeg: what does not grow with the image, about */
#define FIRST_ROOM 4096         /* bytes of output, which then doubles */

/* The current image. */
struct writing {
    const struct image_writer *writer;
    struct shape shape;
    struct turns turns;
};

/* libjpeg's work on one part of a file: its head, or a block of rows. */
struct encoding {
    struct jpeg_trouble trouble;
    struct jpeg_compress_struct jpeg;
    struct jpeg_destination_mgr sink;
    uint8_t *bytes; /* owned: the output, of which sink.free_in_buffer at the end are free */
    size_t room;
    const struct writing *writing;
    int64_t rows;              /* of the image, or of the block */
    const struct image *image; /* of the block: where its rows are, from row `from` on */
    int64_t from;
    const struct image *header; /* of the head */
    struct carried carried;     /* owned: metadata that is being written */
};

/* --- The output, in memory. */

static bool grow(struct encoding *encoding, size_t room)
{
    uint8_t *longer = realloc(encoding->bytes, room);

    if (!longer)
        return false;
    encoding->bytes = longer;
    encoding->sink.next_output_byte = longer + encoding->room;
    encoding->sink.free_in_buffer = room - encoding->room;
    encoding->room = room;
    return true;
}

static void begin_output(j_compress_ptr jpeg)
{
    if (!grow(jpeg->client_data, FIRST_ROOM))
        ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
}

static boolean empty_output(j_compress_ptr jpeg)
{
    struct encoding *encoding = jpeg->client_data;

    if (!grow(encoding, 2 * encoding->room))
        ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
    return TRUE;
}

static void end_output(j_compress_ptr jpeg)
{
    (void)jpeg;
}

/* --- libjpeg's work. */

static void set_up(struct encoding *encoding)
{
    const struct writing *writing = encoding->writing;
    const int quality = writing->writer->options.quality;
    j_compress_ptr jpeg = &encoding->jpeg;

    jpeg->err = &encoding->trouble.manager;
    jpeg->client_data = encoding;
    jpeg_create_compress(jpeg);
    encoding->sink = (struct jpeg_destination_mgr){.init_destination = begin_output,
                                                   .empty_output_buffer = empty_output,
                                                   .term_destination = end_output};
    jpeg->dest = &encoding->sink;
    jpeg->image_width = (JDIMENSION)writing->shape.width;
    jpeg->image_height = (JDIMENSION)encoding->rows;
    jpeg->input_components = writing->shape.channels;
    jpeg->in_color_space = writing->shape.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, quality > 0 ? quality : QUALITY_DEFAULT, TRUE);
    jpeg->comp_info[0].h_samp_factor = jpeg->comp_info[0].v_samp_factor = 1;
}

/* All up to the samples: libjpeg writes the last of it before the first row, of which it gets none.
 */
static void make_head(void *context)
{
    struct encoding *encoding = context;
    j_compress_ptr jpeg = &encoding->jpeg;

    set_up(encoding);
    if (encoding->writing->turns.count > 1)
        jpeg->restart_interval =
            (unsigned)(ROWS_OF_BLOCKS * ((encoding->writing->shape.width - 1) / BLOCK + 1));
    jpeg_segments_resolution(jpeg, encoding->header);
    jpeg_start_compress(jpeg, TRUE);
    if (!jpeg_segments_write(jpeg, encoding->header, &encoding->carried))
        ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
    jpeg_write_scanlines(jpeg, NULL, 0);
}

/* A file of the block alone: see find_samples. */
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

/* Runs one of these; the caller closes it, after a failure too. */
static enum status encode(struct encoding *encoding, void (*work)(void *context),
                          struct error *error)
{
    jpeg_trouble_open(&encoding->trouble, encoding->writing->writer->name, STATUS_OUTPUT);
    return jpeg_try(&encoding->trouble, work, encoding, error);
}

static void close_encoding(struct encoding *encoding)
{
    jpeg_destroy_compress(&encoding->jpeg);
    free(encoding->carried.bytes);
    free(encoding->bytes);
}

static size_t output_bytes(const struct encoding *encoding)
{
    return encoding->room - encoding->sink.free_in_buffer;
}

#define MARKER_BYTES 2

/* Where the samples begin in a file: after the start of the image, and segments up to SOS's, each
 * a marker and then its length, which counts itself. */
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

/* --- The functions of the codec. */

enum status jpeg_supports(const struct image_writer *writer, const struct image *image,
                          struct error *error)
{
    const long long width = image->view.width, height = image->view.height;
    const int channels = image->view.channels;

    if (writer->images > 0)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: JPEG holds one image, but the input has several; name the output .tif or "
                    ".pam",
                    writer->name);
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
    return STATUS_OK;
}

/* A block takes its samples again while libjpeg doubles its output, which may be as long, and while
 * that waits. */
struct write_requirements jpeg_requirements(const struct image_writer *writer,
                                            const struct image *header)
{
    const int64_t rows = ROWS_OF_BLOCKS * BLOCK;

    (void)writer;
    return (struct write_requirements){
        .block_rows = rows,
        .bytes = 4 * rows * (int64_t)image_row_bytes(header) + ENCODER_BYTES,
        .encodes = true,
    };
}

enum status jpeg_begin(struct image_writer *writer, const struct image *header, struct error *error)
{
    struct writing *writing = calloc(1, sizeof *writing);
    struct encoding encoding = {.writing = writing, .rows = header->view.height, .header = header};
    enum status status;

    writer->writing = writing;
    writer->order = ROWS_IN_ANY_ORDER;
    if (writing)
        *writing = (struct writing){.writer = writer, .shape = image_shape(header)};
    if (!writing ||
        !turns_open(&writing->turns, (header->view.height - 1) / writer->block_rows + 1))
        return fail(error, STATUS_OUTPUT, "%s: no memory to compress it", writer->name);
    status = encode(&encoding, make_head, error);
    if (status == STATUS_OK)
        status = image_writer_write(writer, encoding.bytes, output_bytes(&encoding), error);
    close_encoding(&encoding);
    return status;
}

/* The samples of a block, after a restart marker, of which there are eight. */
static enum status write_block(void *context, int64_t index, const struct turn_part *part,
                               struct error *error)
{
    const struct writing *writing = context;
    const uint8_t restart[MARKER_BYTES] = {0xff, (uint8_t)(0xd0 + (index - 1) % 8)};
    const size_t at = find_samples(part->bytes);
    enum status status = STATUS_OK;

    if (index > 0)
        status = image_writer_write(writing->writer, restart, sizeof restart, error);
    return status == STATUS_OK ? image_writer_write(writing->writer, part->bytes + at,
                                                    part->count - at - MARKER_BYTES, error)
                               : status;
}

enum status jpeg_put(struct image_writer *writer, int64_t first, int64_t count,
                     const struct image *image, int64_t from, struct error *error)
{
    struct writing *writing = writer->writing;
    enum status status = STATUS_OK;

    for (int64_t y = first; y < first + count && status == STATUS_OK; y += writer->block_rows) {
        struct encoding encoding = {.writing = writing,
                                    .rows = min(first + count - y, writer->block_rows),
                                    .image = image,
                                    .from = from + y - first};

        status = encode(&encoding, make_block, error);
        if (status == STATUS_OK) {
            const struct turn_part part = {.bytes = encoding.bytes,
                                           .count = output_bytes(&encoding)};

            encoding.bytes = NULL;
            status = turns_deliver(&writing->turns, y / writer->block_rows, part, write_block,
                                   writing, error);
        }
        close_encoding(&encoding);
    }
    return status;
}

enum status jpeg_end(struct image_writer *writer, struct error *error)
{
    const uint8_t end[MARKER_BYTES] = {0xff, 0xd9};

    return image_writer_write(writer, end, sizeof end, error);
}

void jpeg_discard(struct image_writer *writer)
{
    struct writing *writing = writer->writing;

    turns_close(&writing->turns);
}
