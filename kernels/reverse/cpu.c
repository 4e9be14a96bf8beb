/* SPDX-License-Identifier: MIT */
/* Reverses an image row by row, with vectors (reverse/loops.c). Memory limits the speed: each byte
 * is read once and written once. */
#include "kernels/common/isa.h"
#include "kernels/common/parallel.h"
#include "kernels/reverse/loops.h"
#include "kernels/variant.h"

static void reverse_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct piece *piece = context;
    const struct reverse_loops *loops = isa_of(piece->request)->reverse;
    const size_t pixel_bytes = (size_t)piece->src.channels * (size_t)piece->src.sample_bytes;
    const size_t row_bytes = (size_t)piece->src.width * pixel_bytes;

    (void)band;
    for (int64_t y = first; y < last; y++) {
        const int64_t target = piece->dst.height - 1 - y;

        loops->reverse_row((const char *)piece->src.origin + y * piece->src.stride_bytes,
                           (char *)piece->dst.origin + target * piece->dst.stride_bytes + row_bytes,
                           row_bytes, pixel_bytes);
    }
    loops->settle();
}

static const char *run(const struct piece *piece)
{
    parallel_rows(piece->request->threads, piece->src.height, reverse_band, piece);
    return NULL;
}

static const struct engine engine = {.name = "cpu", .run = run};

DEFINE_VARIANT(reverse_cpu) = {
    .op = OP_REVERSE,
    .name = "cpu",
    .backend = ON_CPU,
    .description = "a vector at a time; threads",
    .engines = &engine,
    .count = 1,
};
