/* SPDX-License-Identifier: MIT */
/* Filters undone several rows at once, against the definition. */
#include "src/files/codec/png/unfilter/unfilter.h"
#include "src/files/codec/png/row.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PIXELS = 300, MAX_BYTES = 8 * MAX_PIXELS, HEIGHT = 40 };

/* RFC 2083, 6.6. */
static int paeth(int a, int b, int c)
{
    const int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);

    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static int predicted(int filter, int a, int b, int c)
{
    const int predictions[] = {0, a, b, (a + b) / 2, paeth(a, b, c)};

    return predictions[filter];
}

static void undo(int filter, const uint8_t *above, uint8_t *row, size_t bytes, size_t pixel_bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const int a = i < pixel_bytes ? 0 : row[i - pixel_bytes];
        const int c = i < pixel_bytes ? 0 : above[i - pixel_bytes];

        row[i] = (uint8_t)(row[i] + predicted(filter, a, above[i], c));
    }
}

/* Filtered bytes of a row: any, or small ones and extremes. */
static void draw_row(uint8_t *row, size_t bytes)
{
    const uint32_t kind = unit_draw(2);

    for (size_t i = 0; i < bytes; i++)
        row[i] = (uint8_t)(kind == 0   ? unit_draw(65535)
                           : kind == 1 ? unit_draw(2) - 1
                                       : unit_draw(1) * 255);
}

/* mix: each row has a filter of its own; else all have the same. */
static int draw_filter(bool mix, int y)
{
    return mix ? (int)unit_draw(PNG_FILTERS - 1) : y / UNFILTER_VECTOR % PNG_FILTERS;
}

static void check(size_t pixel_bytes, size_t pixels, bool mix)
{
    const size_t bytes = pixel_bytes * pixels;
    uint8_t above[MAX_BYTES] = {0};
    struct unfilter unfilter;
    long wrong = 0;

    NEED(unfilter_open(&unfilter, pixel_bytes, pixels));
    for (int y = 0; y < HEIGHT;) {
        uint8_t want[UNFILTER_VECTOR][MAX_BYTES];
        const size_t count = mix ? 1 + unit_draw((unsigned)unfilter.rows - 1) : unfilter.rows;

        for (size_t i = 0; i < count; i++, y++) {
            uint8_t *row = unfilter_row(&unfilter, i);

            unfilter.filters[i] = row[-1] = (uint8_t)draw_filter(mix, y);
            draw_row(row, bytes);
            memcpy(want[i], row, bytes);
            undo(unfilter.filters[i], i > 0 ? want[i - 1] : above, want[i], bytes, pixel_bytes);
        }
        unfilter_run(&unfilter, count);
        for (size_t i = 0; i < count; i++)
            wrong += memcmp(unfilter_row(&unfilter, i), want[i], bytes) != 0;
        memcpy(above, unfilter_row(&unfilter, count - 1), bytes);
    }
    CHECK(wrong == 0, "%zu pixels of %zu bytes%s: %ld rows differ", pixels, pixel_bytes,
          mix ? ", mixed" : "", wrong);
    unfilter_close(&unfilter);
}

int main(void)
{
    static const size_t sizes[] = {1, 2, 3, 4, 6, 8};

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t pixels = 1; pixels <= MAX_PIXELS; pixels += pixels < 70 ? 1 : 46)
            for (int mix = 0; mix <= 1; mix++)
                check(sizes[s], pixels, mix);
    return unit_result();
}
