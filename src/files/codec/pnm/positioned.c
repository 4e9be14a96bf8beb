/* SPDX-License-Identifier: MIT */
/* Raw rasters in a file of their own: rows are written to their places, by any thread, past the
 * stream. */
#include "codec_pnm.h"
#include "row_io.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SWAP_BYTES (1 << 18) /* rows of 16 bits are gathered in pieces of this size */

void pnm_swap_row(const uint16_t *samples, int64_t count, uint16_t *swapped)
{
    for (int64_t i = 0; i < count; i++)
        swapped[i] = htobe16(samples[i]);
}

static enum status not_written(const struct sink *sink, struct error *error)
{
    return fail(error, STATUS_OUTPUT, "%s: cannot be written: %s", sink->name, strerror(errno));
}

/* Where an image's raster stands in the file. */
struct placement {
    int64_t offset, end;
    int64_t row_bytes;
};

/* The first row goes to the offset: rows, or parts of rows. */
static enum status write_placed(const struct sink *sink, int64_t offset, const struct image *image,
                                int64_t y, int64_t count, struct error *error)
{
    const struct placement *place = sink->writing;
    const int fd = fileno(sink->file);
    const int64_t whole = (int64_t)image_row_bytes(image) == place->row_bytes
                              ? rows_pwrite(fd, offset, image, y, count)
                              : row_parts_pwrite(fd, offset, place->row_bytes, image, y, count);

    return whole == count ? STATUS_OK : not_written(sink, error);
}

static enum status write_placed_u16(const struct sink *sink, int64_t offset,
                                    const struct image *image, int64_t y, int64_t count,
                                    struct error *error)
{
    const struct placement *place = sink->writing;
    const int64_t fitting = SWAP_BYTES / (int64_t)image_row_bytes(image) + 1;
    const int64_t room = fitting < count ? fitting : count;
    struct shape shape = image_shape(image);
    struct image swapped;
    enum status status;

    shape.height = room;
    status = image_alloc(&swapped, &shape, 0, error);
    for (int64_t done = 0; done < count && status == STATUS_OK; done += room) {
        const int64_t now = count - done < room ? count - done : room;

        for (int64_t i = 0; i < now; i++)
            pnm_swap_row(image_row(image, y + done + i), shape.width * shape.channels,
                         image_row(&swapped, i));
        status = write_placed(sink, offset + done * place->row_bytes, &swapped, 0, now, error);
    }
    image_free(&swapped);
    return status;
}

/* Rows are written as they stand. */
struct sink_wants pnm_wants(const struct sink *sink, const struct image *about)
{
    const bool swapped = about->view.sample_bytes == 2;

    (void)sink;
    return (struct sink_wants){
        .unit = 1,
        .lead = 0,
        .bytes = swapped ? SWAP_BYTES + 2 * (int64_t)image_row_bytes(about) : 0,
    };
}

enum status pnm_place(struct sink *sink, const struct image *about, struct error *error)
{
    struct placement *place = malloc(sizeof *place);

    if (!place)
        return fail(error, STATUS_OUTPUT, "%s: no memory to write it", sink->name);
    sink->writing = place;
    sink->order = ROWS_IN_ANY_ORDER;
    sink->unit = pnm_wants(sink, about).unit;
    sink->lead = pnm_wants(sink, about).lead;
    if (fflush(sink->file) != 0 || (place->offset = ftello(sink->file)) < 0)
        return not_written(sink, error);
    place->row_bytes = (int64_t)image_row_bytes(about);
    place->end = place->offset + place->row_bytes * about->view.height;
    return STATUS_OK;
}

enum status pnm_put_columns(struct sink *sink, int64_t first, int64_t count, int64_t column,
                            const struct image *image, int64_t from, struct error *error)
{
    const struct placement *place = sink->writing;
    const int64_t pixel_bytes = (int64_t)image->view.channels * image->view.sample_bytes;
    const int64_t offset = place->offset + first * place->row_bytes + column * pixel_bytes;

    return image->view.sample_bytes == 1
               ? write_placed(sink, offset, image, from, count, error)
               : write_placed_u16(sink, offset, image, from, count, error);
}

enum status pnm_end_placed(const struct sink *sink, struct error *error)
{
    const struct placement *place = sink->writing;

    return fseeko(sink->file, place->end, SEEK_SET) == 0 ? STATUS_OK : not_written(sink, error);
}
