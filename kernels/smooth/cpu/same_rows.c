/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/same_rows.h"

#include "kernels/smooth/source.h"

#include <string.h>

/* A row is NULL where the edge rule gives zeros. */
static bool are_same(const char *row, const char *other, size_t bytes)
{
    return row == other || (row && other && memcmp(row, other, bytes) == 0);
}

/* The number of the first of `count` rows that has the same samples as `row`, or count. */
static int kind_of(const char *row, size_t bytes, const char *const *distinct, int count)
{
    int kind = 0;

    while (kind < count && !are_same(row, distinct[kind], bytes))
        kind++;
    return kind;
}

void same_rows_find(const struct piece *piece, int64_t top, int64_t last, struct same_rows *same)
{
    const struct view *src = &piece->src;
    const int64_t pixel_bytes = src->channels * src->sample_bytes;
    const struct beside *beside = &piece->beside;
    const int64_t halo = piece->request->halo_x; /* beyond what it reaches: as that tells */
    const int64_t left = source_reached(piece, beside->left, beside->right, halo) * pixel_bytes;
    const int64_t right = source_reached(piece, beside->right, beside->left, halo) * pixel_bytes;
    const size_t bytes = (size_t)(left + src->width * pixel_bytes + right);
    const int64_t max_height = piece->request->halo_y / FLAT;
    const char *distinct[MAX_DISTINCT];
    int count = 0;

    same->found = src->height <= max_height;
    same->first = top - piece->request->halo_y;
    for (int64_t y = same->first; y < last + piece->request->halo_y && same->found; y++) {
        const char *pixels = source_row(piece, y), *row = pixels ? pixels - left : NULL;
        const int kind = kind_of(row, bytes, distinct, count);

        same->found = kind <= max_height; /* as many rows, and one of zeros */
        if (!same->found)
            return;
        if (kind == count)
            distinct[count++] = row;
        same->kinds[y - same->first] = (uint8_t)kind;
    }
}

int same_rows_weigh(const struct piece *piece, const struct same_rows *same, int64_t y,
                    struct weighed_row rows[MAX_DISTINCT])
{
    int places[MAX_DISTINCT], count = 0; /* of a kind: 1 more than its place among the rows */

    memset(places, 0, sizeof places);
    for (int64_t i = -piece->request->halo_y; i <= piece->request->halo_y; i++) {
        int *const place = &places[same_rows_kind(same, y + i)];

        if (*place == 0) {
            rows[count++] = (struct weighed_row){.y = y + i};
            *place = count;
        }
        rows[*place - 1].weight += piece->request->weights_y[piece->request->halo_y + i];
    }
    return count;
}
