/* SPDX-License-Identifier: MIT */
#include "band_rows.h"

#include <string.h>

enum status band_rows_open(struct band_rows *rows, struct source *source, const struct image *about,
                           struct error *error)
{
    const struct shape shape = image_shape(about);
    struct error why;

    *rows = (struct band_rows){.source = source, .height = shape.height};
    if (source->order != ROWS_IN_ANY_ORDER &&
        image_alloc(&rows->store, &shape, 0, &why) != STATUS_OK)
        return fail(error, STATUS_INPUT, "%s: %s", source->name, why.text);
    pthread_mutex_init(&rows->mutex, NULL);
    return STATUS_OK;
}

/* Sees to it that rows 0..wanted-1 have come. */
static enum status await_rows(struct band_rows *rows, int64_t wanted, struct error *error)
{
    const int64_t end = rows->source->order == ROWS_AT_ONCE ? rows->height : wanted;
    enum status status;

    pthread_mutex_lock(&rows->mutex);
    if (rows->status == STATUS_OK && rows->come < wanted) {
        rows->status = source_read(rows->source, rows->come, end - rows->come, &rows->store,
                                   rows->come, &rows->error);
        rows->come = end;
    }
    status = rows->status;
    if (status != STATUS_OK)
        *error = rows->error;
    pthread_mutex_unlock(&rows->mutex);
    return status;
}

enum status band_rows_get(struct band_rows *rows, int64_t first, int64_t count,
                          const struct image *image, int64_t to, struct error *error)
{
    const size_t bytes = image_row_bytes(image);
    enum status status;

    if (rows->source->order == ROWS_IN_ANY_ORDER)
        return source_read(rows->source, first, count, image, to, error);
    status = await_rows(rows, first + count, error);
    for (int64_t i = 0; i < count && status == STATUS_OK; i++)
        memcpy(image_row(image, to + i), image_row(&rows->store, first + i), bytes);
    return status;
}

void band_rows_close(struct band_rows *rows)
{
    image_free(&rows->store);
    pthread_mutex_destroy(&rows->mutex);
}
