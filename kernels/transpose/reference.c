/* SPDX-License-Identifier: MIT */
/* Transposes pixel by pixel: out(x, y) = in(y, x). */
#include "kernels/common/sample.h"
#include "kernels/variant.h"

static const char *run(const struct piece *piece)
{
    for (int64_t y = 0; y < piece->src.height; y++)
        for (int64_t x = 0; x < piece->src.width; x++)
            for (int32_t channel = 0; channel < piece->src.channels; channel++)
                sample_set(&piece->dst, x, y, channel, sample_get(&piece->src, y, x, channel));
    return NULL;
}

static const struct engine engine = {.name = "reference", .run = run};

DEFINE_VARIANT(transpose_reference) = {
    .op = OP_TRANSPOSE,
    .name = "reference",
    .backend = ON_CPU,
    .reference = true,
    .description = "the definition: out(x, y) = in(y, x)",
    .engines = &engine,
    .count = 1,
};
