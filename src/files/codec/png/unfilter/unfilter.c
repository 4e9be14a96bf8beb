/* SPDX-License-Identifier: MIT */
#include "src/files/codec/png/unfilter/unfilter.h"
#include "src/files/codec/png/row.h"

#include <stdlib.h>
#include <string.h>

/* Room before a row, for the filter byte and the places of diagonals before its first pixel, which
 * must be zero; and after it. A diagonal reaches over UNFILTER_VECTOR bytes, and some of up to 8
 * bytes a pixel are read ahead: see diagonals.c. */
#define ROOM_BEFORE 64
#define ROOM_AFTER (2 * UNFILTER_VECTOR + 2 * UNFILTER_STEPS * 8)

size_t unfilter_bytes(size_t pixel_bytes, size_t pixels)
{
    const size_t room = ROOM_BEFORE + pixel_bytes * pixels + ROOM_AFTER;

    /* An odd number of cache lines, so that the same column of 16 rows fits in the cache. */
    return (UNFILTER_VECTOR / pixel_bytes + 1) * ((room + 63) / 64 * 64 | 64);
}

bool unfilter_open(struct unfilter *unfilter, size_t pixel_bytes, size_t pixels)
{
    const size_t bytes = unfilter_bytes(pixel_bytes, pixels), rows = UNFILTER_VECTOR / pixel_bytes;

    *unfilter = (struct unfilter){.pixel_bytes = pixel_bytes,
                                  .pixels = pixels,
                                  .pitch = bytes / (rows + 1),
                                  .rows = rows,
                                  .memory = calloc(1, bytes)};
    return unfilter->memory;
}

void unfilter_close(struct unfilter *unfilter)
{
    free(unfilter->memory);
    unfilter->memory = NULL;
}

uint8_t *unfilter_row(const struct unfilter *unfilter, size_t i)
{
    return unfilter->memory + (i + 1) * unfilter->pitch + ROOM_BEFORE;
}

const uint8_t *unfilter_above(const struct unfilter *unfilter)
{
    return unfilter->memory + ROOM_BEFORE;
}

/* Rows without a filter, or with PNG_UP, need no diagonals. */
static bool only_up(const struct unfilter *unfilter)
{
    for (size_t i = 0; i < unfilter->rows; i++)
        if (unfilter->filters[i] != PNG_NONE && unfilter->filters[i] != PNG_UP)
            return false;
    return true;
}

static void run_up(const struct unfilter *unfilter)
{
    const size_t bytes = unfilter->pixel_bytes * unfilter->pixels;
    const uint8_t *above = unfilter_above(unfilter);

    for (size_t i = 0; i < unfilter->rows; i++) {
        uint8_t *row = unfilter_row(unfilter, i);

        for (size_t k = 0; k < bytes && unfilter->filters[i] == PNG_UP; k++)
            row[k] = (uint8_t)(row[k] + above[k]);
        above = row;
    }
}

void unfilter_run(struct unfilter *unfilter, size_t count)
{
    const size_t bytes = unfilter->pixel_bytes * unfilter->pixels;

    for (size_t i = 0; i < unfilter->rows; i++) {
        unfilter_row(unfilter, i)[-1] = 0;
        if (i >= count)
            unfilter->filters[i] = PNG_NONE;
    }
    if (only_up(unfilter))
        run_up(unfilter);
    else
        unfilter_diagonals(unfilter);
    memcpy(unfilter->memory + ROOM_BEFORE, unfilter_row(unfilter, count - 1), bytes);
}
