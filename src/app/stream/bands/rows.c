/* SPDX-License-Identifier: MIT */
#include "src/app/stream/bands/rows.h"

#include "kernels/common/numbers.h"

#include <string.h>

static bool in_any_order(const struct band_rows *rows)
{
    return rows->reader->order == ROWS_IN_ANY_ORDER;
}

enum status band_rows_open(struct band_rows *rows, struct image_reader *reader,
                           const struct image *header, int64_t keep, struct error *error)
{
    struct shape shape = image_shape(header);
    struct error why;

    *rows = (struct band_rows){.reader = reader, .height = shape.height};
    rows->keep = reader->order == ROWS_AT_ONCE || keep > shape.height ? shape.height : keep;
    shape.height = rows->keep;
    if (!in_any_order(rows) && image_alloc(&rows->kept, &shape, &why) != STATUS_OK)
        return fail(error, STATUS_INPUT, "%s: %s", reader->name, why.text);
    pthread_mutex_init(&rows->mutex, NULL);
    pthread_cond_init(&rows->changed, NULL);
    return STATUS_OK;
}

void band_rows_enter(struct band_rows *rows, int64_t band)
{
    if (in_any_order(rows))
        return;
    pthread_mutex_lock(&rows->mutex);
    while (rows->turn != band)
        pthread_cond_wait(&rows->changed, &rows->mutex);
}

void band_rows_leave(struct band_rows *rows)
{
    if (in_any_order(rows))
        return;
    rows->turn++;
    pthread_cond_broadcast(&rows->changed);
    pthread_mutex_unlock(&rows->mutex);
}

/* Reads the next rows of the file into rows->kept, until rows 0..wanted-1 have been read. */
static enum status read_on(struct band_rows *rows, int64_t wanted, struct error *error)
{
    const int64_t end = rows->reader->order == ROWS_AT_ONCE ? rows->height : wanted;

    while (rows->rows_read < wanted && rows->status == STATUS_OK) {
        const int64_t to = rows->rows_read % rows->keep, room = rows->keep - to;
        const int64_t count = end - rows->rows_read < room ? end - rows->rows_read : room;

        rows->status =
            image_reader_read(rows->reader, rows->rows_read, count, &rows->kept, to, &rows->error);
        rows->rows_read += count;
    }
    if (rows->status != STATUS_OK)
        *error = rows->error;
    return rows->status;
}

/* Copies or reads rows first..first+count-1 into *image, from its row `to` on. */
static enum status get_rows(struct band_rows *rows, int64_t first, int64_t count,
                            const struct image *image, int64_t to, struct error *error)
{
    const size_t bytes = image_row_bytes(image);
    enum status status;

    if (in_any_order(rows))
        return image_reader_read(rows->reader, first, count, image, to, error);
    status = read_on(rows, first + count, error);
    for (int64_t i = 0; i < count && status == STATUS_OK; i++)
        memcpy(image_row(image, to + i), image_row(&rows->kept, (first + i) % rows->keep), bytes);
    return status;
}

enum status band_rows_fetch(struct band_rows *rows, int64_t first, int64_t count,
                            const struct image *image, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t some;

    for (int64_t to = 0; to < count && status == STATUS_OK; to += some) {
        const int64_t y = ((first + to) % rows->height + rows->height) % rows->height;

        some = min(count - to, rows->height - y);
        status = get_rows(rows, y, some, image, to, error);
    }
    return status;
}

void band_rows_close(struct band_rows *rows)
{
    image_free(&rows->kept);
    pthread_cond_destroy(&rows->changed);
    pthread_mutex_destroy(&rows->mutex);
}
