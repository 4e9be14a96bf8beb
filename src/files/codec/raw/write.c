/* SPDX-License-Identifier: MIT */
/* Writes the rows of a raw raster: at their offsets in a regular file, from any thread, or as the
 * next bytes of the stream. */
#include "src/files/codec/raw/raw.h"
#include "src/files/codec/raw/swap.h"
#include "src/files/codec/rows/row_io.h"
#include "kernels/common/numbers.h"

#define SWAP_BYTES (1 << 18) /* rows whose byte order changes are copied in pieces of this size */

/* Writes rows, of which the first goes to the offset. */
static enum status write_at(const struct image_writer *writer, int64_t offset,
                            const struct image *image, int64_t y, int64_t count,
                            struct error *error)
{
    return rows_pwrite(fileno(writer->file), offset, image, y, count) == count
               ? STATUS_OK
               : image_writer_failed(writer, error);
}

static enum status write_stream(const struct image_writer *writer, const struct image *image,
                                int64_t y, int64_t count, struct error *error)
{
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < count && status == STATUS_OK; i++)
        status = image_writer_write(writer, image_row(image, y + i), image_row_bytes(image), error);
    return status;
}

/* Rows as they are in the file, of which the first is row `first` there. */
static enum status write_rows(const struct image_writer *writer, int64_t first, int64_t count,
                              const struct image *image, int64_t y, struct error *error)
{
    const struct raw_place *place = writer->writing;

    return place->offset == RAW_IN_ORDER
               ? write_stream(writer, image, y, count, error)
               : write_at(writer, place->offset + first * place->row_bytes, image, y, count, error);
}

static enum status write_swapped(const struct image_writer *writer, int64_t first, int64_t count,
                                 const struct image *image, int64_t from, struct error *error)
{
    const int64_t fitting = SWAP_BYTES / (int64_t)image_row_bytes(image) + 1;
    const int64_t room = min(fitting, count);
    struct shape shape = image_shape(image);
    struct image swapped;
    enum status status;

    shape.height = room;
    status = image_alloc(&swapped, &shape, error);
    for (int64_t done = 0; done < count && status == STATUS_OK; done += room) {
        const int64_t now = min(count - done, room);

        for (int64_t i = 0; i < now; i++)
            raw_swap(image_row(image, from + done + i), shape.width * shape.channels,
                     image->view.sample_bytes, image_row(&swapped, i));
        status = write_rows(writer, first + done, now, &swapped, 0, error);
    }
    image_free(&swapped);
    return status;
}

struct write_requirements raw_codec_requirements(const struct image_writer *writer,
                                                 const struct image *header)
{
    const bool may_swap = header->view.sample_bytes > 1;

    (void)writer;
    return (struct write_requirements){
        .block_rows = 1,
        .bytes = may_swap ? SWAP_BYTES + 2 * (int64_t)image_row_bytes(header) : 0,
    };
}

enum status raw_codec_begin(struct image_writer *writer, bool big_endian, struct error *error)
{
    const struct image *header = &writer->written;
    struct raw_place *place = writer->writing;

    *place = (struct raw_place){.offset = RAW_IN_ORDER,
                                .row_bytes = (int64_t)image_row_bytes(header),
                                .big_endian = big_endian};
    writer->order = image_writer_takes_bands(writer) ? ROWS_IN_ANY_ORDER : ROWS_IN_ORDER;
    if (writer->order != ROWS_IN_ANY_ORDER)
        return STATUS_OK;
    if (fflush(writer->file) != 0 || (place->offset = ftello(writer->file)) < 0)
        return image_writer_failed(writer, error);
    place->end = place->offset + place->row_bytes * header->view.height;
    return STATUS_OK;
}

enum status raw_codec_end(struct image_writer *writer, struct error *error)
{
    const struct raw_place *place = writer->writing;

    return place->offset == RAW_IN_ORDER ? STATUS_OK : image_writer_seek(writer, place->end, error);
}

enum status raw_codec_put(struct image_writer *writer, int64_t first, int64_t count,
                          const struct image *image, int64_t from, struct error *error)
{
    const struct raw_place *place = writer->writing;
    const bool swaps = image->view.sample_bytes > 1 && raw_is_swapped(place->big_endian);

    return (swaps ? write_swapped : write_rows)(writer, first, count, image, from, error);
}
