/* SPDX-License-Identifier: MIT */
#include "src/files/codec/rows/turns.h"

#include <stdlib.h>

bool turns_open(struct turns *turns, int64_t count)
{
    *turns = (struct turns){.parts = calloc((size_t)count, sizeof *turns->parts), .count = count};
    return turns->parts && pthread_mutex_init(&turns->mutex, NULL) == 0;
}

enum status turns_deliver(struct turns *turns, int64_t index, struct turn_part part,
                          write_part *write, struct image_writer *writer, struct error *error)
{
    enum status status = STATUS_OK;

    pthread_mutex_lock(&turns->mutex);
    turns->parts[index] = part;
    while (turns->next < turns->count && turns->parts[turns->next].bytes && status == STATUS_OK) {
        struct turn_part *next = &turns->parts[turns->next];

        status = write(writer, turns->next++, next, error);
        free(next->bytes);
        next->bytes = NULL;
    }
    pthread_mutex_unlock(&turns->mutex);
    return status;
}

void turns_close(struct turns *turns)
{
    if (!turns->parts)
        return;
    for (int64_t i = 0; i < turns->count; i++)
        free(turns->parts[i].bytes);
    free(turns->parts);
    turns->parts = NULL;
    pthread_mutex_destroy(&turns->mutex);
}
