/* SPDX-License-Identifier: MIT */
/* Writes the rows of a raw raster: at their offsets in a regular file, from any thread, or as the
 * next bytes of the stream. */
#include "src/files/codec/raw/raw.h"
#include "src/files/codec/raw/swap.h"
#include "src/files/codec/rows/row_io.h"
#include "kernels/common/numbers.h"

#include <errno.h>
#include <string.h>

#define SWAP_BYTES (1 << 18) /* rows whose byte order changes are copied in pieces of this size */
#define STREAM_PIECE_BYTES 8192 /* the same for a stream, which has a buffer */

static enum status not_written(const struct image_writer *writer, struct error *error)
{
    return fail(error, STATUS_OUTPUT, "%s: cannot be written: %s", writer->name, strerror(errno));
}

/* Writes rows, of which the first goes to the offset. */
static enum status write_at(const struct image_writer *writer, int64_t offset,
                            const struct image *image, int64_t y, int64_t count,
                            struct error *error)
{
    return rows_pwrite(fileno(writer->file), offset, image, y, count) == count
               ? STATUS_OK
               : not_written(writer, error);
}

static enum status write_swapped_at(const struct image_writer *writer, int64_t offset,
                                    const struct image *image, int64_t y, int64_t count,
                                    struct error *error)
{
    const int64_t fitting = SWAP_BYTES / (int64_t)image_row_bytes(image) + 1;
    const int64_t room = min(fitting, count);
    struct shape shape = image_shape(image);
    struct image swapped;
    enum status status;

    shape.height = room;
    status = image_alloc(&swapped, &shape, 0, error);
    for (int64_t done = 0; done < count && status == STATUS_OK; done += room) {
        const int64_t now = min(count - done, room);

        for (int64_t i = 0; i < now; i++)
            raw_swap(image_row(image, y + done + i), shape.width * shape.channels,
                     image->view.sample_bytes, image_row(&swapped, i));
        status = write_at(writer, offset + done * (int64_t)image_row_bytes(image), &swapped, 0, now,
                          error);
    }
    image_free(&swapped);
    return status;
}

static enum status write_swapped_row(const struct image_writer *writer, const void *row,
                                     int64_t samples, int sample_bytes, struct error *error)
{
    _Alignas(uint32_t) uint8_t piece[STREAM_PIECE_BYTES];
    const int64_t room = STREAM_PIECE_BYTES / sample_bytes;
    enum status status = STATUS_OK;

    for (int64_t done = 0; done < samples && status == STATUS_OK; done += room) {
        const int64_t now = min(samples - done, room);

        raw_swap((const char *)row + done * sample_bytes, now, sample_bytes, piece);
        status = image_writer_write(writer, piece, (size_t)(now * sample_bytes), error);
    }
    return status;
}

static bool is_swapped(const struct raw_place *place, const struct image *image)
{
    return image->view.sample_bytes > 1 && raw_is_swapped(place->big_endian);
}

static enum status write_stream(const struct image_writer *writer, const struct raw_place *place,
                                const struct image *image, int64_t from, int64_t count,
                                struct error *error)
{
    const int64_t samples = image->view.width * image->view.channels;
    enum status status = STATUS_OK;

    for (int64_t y = from; y < from + count && status == STATUS_OK; y++)
        status = is_swapped(place, image) ? write_swapped_row(writer, image_row(image, y), samples,
                                                              image->view.sample_bytes, error)
                                          : image_writer_write(writer, image_row(image, y),
                                                               image_row_bytes(image), error);
    return status;
}

struct write_requirements raw_codec_requirements(const struct image_writer *writer,
                                                 const struct image *header)
{
    const bool may_swap = header->view.sample_bytes > 1;

    (void)writer;
    return (struct write_requirements){
        .block_rows = 1,
        .context_rows = 0,
        .bytes = may_swap ? SWAP_BYTES + 2 * (int64_t)image_row_bytes(header) : 0,
    };
}

enum status raw_write_begin(const struct image_writer *writer, const struct image *header,
                            struct raw_place *place, struct error *error)
{
    place->row_bytes = (int64_t)image_row_bytes(header);
    place->offset = RAW_IN_ORDER;
    if (writer->order != ROWS_IN_ANY_ORDER)
        return STATUS_OK;
    if (fflush(writer->file) != 0 || (place->offset = ftello(writer->file)) < 0)
        return not_written(writer, error);
    place->end = place->offset + place->row_bytes * header->view.height;
    return STATUS_OK;
}

enum status raw_codec_end(struct image_writer *writer, struct error *error)
{
    const struct raw_place *place = writer->writing;

    if (place->offset == RAW_IN_ORDER || fseeko(writer->file, place->end, SEEK_SET) == 0)
        return STATUS_OK;
    return not_written(writer, error);
}

enum status raw_codec_put(struct image_writer *writer, int64_t first, int64_t count,
                          const struct image *image, int64_t from, struct error *error)
{
    const struct raw_place *place = writer->writing;
    const int64_t offset = place->offset + first * place->row_bytes;

    if (place->offset == RAW_IN_ORDER)
        return write_stream(writer, place, image, from, count, error);
    return is_swapped(place, image) ? write_swapped_at(writer, offset, image, from, count, error)
                                    : write_at(writer, offset, image, from, count, error);
}
