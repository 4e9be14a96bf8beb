/* SPDX-License-Identifier: MIT */
/* Writes the rows of a raw raster at their offsets in a regular file, from any thread, bypassing
 * the stream. */
#include "src/files/codec/pnm/pnm.h"
#include "src/files/codec/row_io.h"
#include "kernels/common/numbers.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SWAP_BYTES (1 << 18) /* 16-bit rows are byte-swapped in pieces of this size */

void pnm_swap_row(const uint16_t *samples, int64_t count, uint16_t *swapped)
{
    for (int64_t i = 0; i < count; i++)
        swapped[i] = htobe16(samples[i]);
}

static enum status not_written(const struct image_writer *writer, struct error *error)
{
    return fail(error, STATUS_OUTPUT, "%s: cannot be written: %s", writer->name, strerror(errno));
}

/* Where the current image's raster is in the file. */
struct raster_position {
    int64_t offset, end;
    int64_t row_bytes;
};

/* Writes rows, or parts of rows, of which the first goes to the offset. */
static enum status write_at(const struct image_writer *writer, int64_t offset,
                            const struct image *image, int64_t y, int64_t count,
                            struct error *error)
{
    const struct raster_position *raster = writer->writing;
    const int fd = fileno(writer->file);
    const int64_t whole = (int64_t)image_row_bytes(image) == raster->row_bytes
                              ? rows_pwrite(fd, offset, image, y, count)
                              : row_parts_pwrite(fd, offset, raster->row_bytes, image, y, count);

    return whole == count ? STATUS_OK : not_written(writer, error);
}

static enum status write_at_u16(const struct image_writer *writer, int64_t offset,
                                const struct image *image, int64_t y, int64_t count,
                                struct error *error)
{
    const struct raster_position *raster = writer->writing;
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
            pnm_swap_row(image_row(image, y + done + i), shape.width * shape.channels,
                         image_row(&swapped, i));
        status = write_at(writer, offset + done * raster->row_bytes, &swapped, 0, now, error);
    }
    image_free(&swapped);
    return status;
}

/* Rows do not depend on each other: no context rows. */
struct write_requirements pnm_requirements(const struct image_writer *writer,
                                           const struct image *header)
{
    const bool swapped = header->view.sample_bytes == 2;

    (void)writer;
    return (struct write_requirements){
        .block_rows = 1,
        .context_rows = 0,
        .bytes = swapped ? SWAP_BYTES + 2 * (int64_t)image_row_bytes(header) : 0,
    };
}

enum status pnm_begin_positioned(struct image_writer *writer, const struct image *header,
                                 struct error *error)
{
    struct raster_position *raster = malloc(sizeof *raster);

    if (!raster)
        return fail(error, STATUS_OUTPUT, "%s: no memory to write it", writer->name);
    writer->writing = raster;
    writer->order = ROWS_IN_ANY_ORDER;
    if (fflush(writer->file) != 0 || (raster->offset = ftello(writer->file)) < 0)
        return not_written(writer, error);
    raster->row_bytes = (int64_t)image_row_bytes(header);
    raster->end = raster->offset + raster->row_bytes * header->view.height;
    return STATUS_OK;
}

enum status pnm_put_columns(struct image_writer *writer, int64_t first, int64_t count,
                            int64_t column, const struct image *image, int64_t from,
                            struct error *error)
{
    const struct raster_position *raster = writer->writing;
    const int64_t pixel_bytes = (int64_t)image->view.channels * image->view.sample_bytes;
    const int64_t offset = raster->offset + first * raster->row_bytes + column * pixel_bytes;

    return image->view.sample_bytes == 1 ? write_at(writer, offset, image, from, count, error)
                                         : write_at_u16(writer, offset, image, from, count, error);
}

enum status pnm_end_positioned(const struct image_writer *writer, struct error *error)
{
    const struct raster_position *raster = writer->writing;

    return fseeko(writer->file, raster->end, SEEK_SET) == 0 ? STATUS_OK
                                                            : not_written(writer, error);
}
