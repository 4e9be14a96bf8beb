/* SPDX-License-Identifier: MIT */
#include "src/files/image/compare.h"

#include "kernels/common/sample.h"

#include <stdio.h>
#include <string.h>

static void look_at_row(const struct view *wanted, const struct view *got, int64_t y,
                        struct difference *difference)
{
    for (int64_t x = 0; x < wanted->width; x++)
        for (int32_t c = 0; c < wanted->channels; c++) {
            const uint32_t want = sample_get(wanted, y, x, c), have = sample_get(got, y, x, c);

            if (want == have)
                continue;
            if (difference->samples++ > 0)
                continue;
            difference->x = x;
            difference->y = y;
            difference->channel = c;
            difference->wanted = want;
            difference->got = have;
        }
}

struct difference compare_views(const struct view *wanted, const struct view *got)
{
    const size_t row_bytes = (size_t)(wanted->width * wanted->channels * wanted->sample_bytes);
    struct difference difference = {0};

    for (int64_t y = 0; y < wanted->height; y++)
        if (memcmp(sample_address(wanted, y, 0, 0), sample_address(got, y, 0, 0), row_bytes) != 0)
            look_at_row(wanted, got, y, &difference);
    return difference;
}

struct sample_text sample_text(uint32_t sample, int32_t sample_bytes)
{
    struct sample_text text;
    float value;

    memcpy(&value, &sample, sizeof value);
    if (sample_bytes == 4)
        snprintf(text.text, sizeof text.text, "%.9g (0x%08x)", (double)value, (unsigned)sample);
    else
        snprintf(text.text, sizeof text.text, "%u", (unsigned)sample);
    return text;
}
