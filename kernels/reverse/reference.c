/* SPDX-License-Identifier: MIT */
/* Reverses the order of all pixels: out[n-1-i] = in[i], a turn by 180 degrees. */
#include "kernels/common/sample.h"
#include "kernels/variant.h"

static const char *run(const struct piece *piece)
{
    const int64_t last_row = piece->src.height - 1;
    const int64_t last_column = piece->src.width - 1;

    for (int64_t y = 0; y <= last_row; y++)
        for (int64_t x = 0; x <= last_column; x++)
            for (int32_t channel = 0; channel < piece->src.channels; channel++)
                sample_set(&piece->dst, last_row - y, last_column - x, channel,
                           sample_get(&piece->src, y, x, channel));
    return NULL;
}

static const struct engine engine = {.name = "reference", .run = run};

DEFINE_VARIANT(reverse_reference) = {
    .op = OP_REVERSE,
    .name = "reference",
    .backend = ON_CPU,
    .reference = true,
    .description = "the definition: out[n-1-i] = in[i], all pixels",
    .engines = &engine,
    .count = 1,
};
