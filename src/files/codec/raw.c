/* SPDX-License-Identifier: MIT */
#include "src/files/codec/raw.h"

#include "kernels/common/numbers.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#define MAX_PIECES 1024 /* maximum rows in a call of preadv or pwritev: Linux's IOV_MAX */

typedef ssize_t transfer(int fd, const struct iovec *pieces, int count, off_t offset);

/* Reads or writes rows y..y+count-1 of *image, which are contiguous in the file from `offset` on.
 * Makes no copy and few system calls: a call moves up to MAX_PIECES rows, the first of them from
 * where the last call stopped. Thread-safe. Returns how many whole rows it has moved: fewer than
 * count at the end of the file (errno is 0) or on failure (errno is set). */
static int64_t move_rows(transfer *move, int fd, int64_t offset, const struct image *image,
                         int64_t y, int64_t count)
{
    const int64_t row_bytes = (int64_t)image_row_bytes(image);
    struct iovec pieces[MAX_PIECES];
    int64_t done = 0;

    while (done < count * row_bytes) {
        int64_t row = done / row_bytes, skip = done % row_bytes;
        ssize_t moved;
        int listed;

        for (listed = 0; row < count && listed < MAX_PIECES; row++, skip = 0)
            pieces[listed++] = (struct iovec){.iov_base = (char *)image_row(image, y + row) + skip,
                                              .iov_len = (size_t)(row_bytes - skip)};
        moved = move(fd, pieces, listed, offset + done);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved == 0)
            errno = 0;
        if (moved <= 0)
            break;
        done += moved;
    }
    return done / row_bytes;
}

/* --- Reads the rows of a raster. */

void raw_codec_open(struct image_reader *reader)
{
    struct raw_raster *raster = reader->reading;
    const bool at_offsets = reader->file_bytes >= 0 && !raster->read_row;

    raster->reader = reader;
    raster->offset = at_offsets ? ftello(reader->file) : RAW_IN_ORDER;
    reader->order = at_offsets ? ROWS_IN_ANY_ORDER : ROWS_IN_ORDER;
}

enum status raw_truncated(const struct raw_raster *raster, int64_t y, struct error *error)
{
    char where[64];

    snprintf(where, sizeof where, "row %lld of %lld", (long long)y + 1,
             (long long)raster->shape.height);
    return image_reader_short(raster->reader, where, error);
}

/* Converts row y of the raster, which has been read into row `to` of *image, to this machine's byte
 * order, and checks it. */
static enum status take_row(const struct raw_raster *raster, int64_t y, const struct image *image,
                            int64_t to, struct error *error)
{
    void *samples = image_row(image, to);

    if (image->view.sample_bytes > 1 && raw_is_swapped(raster->big_endian))
        raw_swap(samples, image->view.width * image->view.channels, image->view.sample_bytes,
                 samples);
    return raster->check ? raster->check(raster, y, samples, error) : STATUS_OK;
}

static enum status read_stream(const struct raw_raster *raster, int64_t first, int64_t count,
                               const struct image *image, int64_t to, struct error *error)
{
    const size_t bytes = image_row_bytes(image);
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < count && status == STATUS_OK; i++) {
        void *row = image_row(image, to + i);

        if (raster->read_row)
            status = raster->read_row(raster, first + i, row, error);
        else if (fread(row, 1, bytes, raster->reader->file) == bytes)
            status = take_row(raster, first + i, image, to + i, error);
        else
            status = raw_truncated(raster, first + i, error);
    }
    return status;
}

enum status raw_codec_read(const struct image_reader *reader, int64_t first, int64_t count,
                           const struct image *image, int64_t to, struct error *error)
{
    const struct raw_raster *raster = reader->reading;
    const int64_t row_bytes = (int64_t)image_row_bytes(image);
    const bool as_stored = image->view.sample_bytes == 1 && !raster->check;
    enum status status = STATUS_OK;
    int64_t whole;
    int reason;

    if (raster->offset == RAW_IN_ORDER)
        return read_stream(raster, first, count, image, to, error);
    whole = move_rows(preadv, fileno(reader->file), raster->offset + first * row_bytes, image, to,
                      count);
    reason = whole < count ? errno : 0;
    for (int64_t i = 0; i < whole && !as_stored && status == STATUS_OK; i++)
        status = take_row(raster, first + i, image, to + i, error);
    if (status != STATUS_OK || whole == count)
        return status;
    if (reason == 0)
        return raw_truncated(raster, first + whole, error);
    return fail(error, STATUS_INPUT, "%s: cannot be read: %s", reader->name, strerror(reason));
}

enum status raw_codec_finish(struct image_reader *reader, struct error *error)
{
    const struct raw_raster *raster = reader->reading;
    const int64_t row_bytes = raster->shape.width * pixel_bytes(&raster->shape);
    const bool in_order = raster->offset == RAW_IN_ORDER;
    const int64_t end = in_order ? 0 : raster->offset + raster->shape.height * row_bytes;

    reader->at_end = !in_order && end == reader->file_bytes;
    if (in_order || reader->at_end || fseeko(reader->file, end, SEEK_SET) == 0)
        return STATUS_OK;
    return fail(error, STATUS_INPUT, "%s: cannot be read: %s", reader->name, strerror(errno));
}

/* --- Writes the rows of a raster. */

#define SWAP_BYTES (1 << 18) /* about how many bytes are copied at a time to swap them */

/* Writes rows y..y+count-1 of *image as rows first..first+count-1 of the file. They have the file's
 * byte order already, unless place->write_row is set. */
static enum status write_rows(const struct image_writer *writer, int64_t first, int64_t count,
                              const struct image *image, int64_t y, struct error *error)
{
    const struct raw_place *place = writer->writing;
    const int64_t offset = place->offset + first * place->row_bytes;
    enum status status = STATUS_OK;

    if (place->offset != RAW_IN_ORDER)
        return move_rows(pwritev, fileno(writer->file), offset, image, y, count) == count
                   ? STATUS_OK
                   : image_writer_failed(writer, error);
    for (int64_t i = 0; i < count && status == STATUS_OK; i++)
        status = place->write_row ? place->write_row(writer, image, y + i, error)
                                  : image_writer_write(writer, image_row(image, y + i),
                                                       image_row_bytes(image), error);
    return status;
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

int64_t raw_codec_bytes(const struct image *image)
{
    return image->view.sample_bytes > 1 ? SWAP_BYTES + 2 * (int64_t)image_row_bytes(image) : 0;
}

enum status raw_codec_begin(struct image_writer *writer, struct error *error)
{
    struct raw_place *place = writer->writing;

    place->offset = RAW_IN_ORDER;
    place->row_bytes = (int64_t)image_row_bytes(&writer->written);
    if (!writer->takes_bands)
        return STATUS_OK;
    if (fflush(writer->file) != 0 || (place->offset = ftello(writer->file)) < 0)
        return image_writer_failed(writer, error);
    return STATUS_OK;
}

enum status raw_codec_end(struct image_writer *writer, struct error *error)
{
    const struct raw_place *place = writer->writing;
    const int64_t bytes = place->row_bytes * writer->written.view.height;

    if (place->offset == RAW_IN_ORDER || fseeko(writer->file, place->offset + bytes, SEEK_SET) == 0)
        return STATUS_OK;
    return image_writer_failed(writer, error);
}

enum status raw_codec_put(struct image_writer *writer, int64_t first, int64_t count,
                          const struct image *image, int64_t from, struct error *error)
{
    const struct raw_place *place = writer->writing;
    const bool swaps =
        image->view.sample_bytes > 1 && raw_is_swapped(place->big_endian) && !place->write_row;

    return (swaps ? write_swapped : write_rows)(writer, first, count, image, from, error);
}
