/* SPDX-License-Identifier: MIT */
#include "src/files/codec/rows/turns.h"

#include <stdlib.h>

bool turns_open(struct turns *turns, int64_t count)
{
    *turns = (struct turns){.parts = calloc((size_t)count, sizeof *turns->parts), .count = count};
    return turns->parts && pthread_mutex_init(&turns->mutex, NULL) == 0;
}

enum status turns_deliver(struct turns *turns, int64_t index, struct turn_part part,
                          enum status (*write)(void *context, int64_t index,
                                               const struct turn_part *part, struct error *error),
                          void *context, struct error *error)
{
    enum status status = STATUS_OK;

    pthread_mutex_lock(&turns->mutex);
    turns->parts[index] = part;
    while (turns->next < turns->count && turns->parts[turns->next].bytes && status == STATUS_OK) {
        struct turn_part *next = &turns->parts[turns->next];

        status = write(context, turns->next++, next, error);
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
