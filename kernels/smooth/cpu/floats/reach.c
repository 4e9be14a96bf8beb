/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/floats/reach.h"

#include "kernels/common/float_sum.h"
#include "kernels/common/numbers.h"

#include <string.h>

static void join(struct float_reach *all, const struct float_reach *one)
{
    all->peak = one->peak > all->peak ? one->peak : all->peak;
    all->kinds |= one->kinds;
    all->negative |= one->negative;
}

/* Looks at a block that has more than finite samples. A NaN adds nothing. */
static void look_closely(const uint32_t *src, double *line, int64_t n, struct float_reach *reach)
{
    reach->peak = 0;
    for (int64_t i = 0; i < n; i++) {
        const unsigned kind = float_kind(src[i]);
        const uint32_t size = src[i] & ~FLOAT_SIGN;

        reach->kinds |= (uint8_t)kind;
        if (kind == FLOAT_FINITE && size > reach->peak)
            reach->peak = size;
        if (kind == FLOAT_NAN)
            line[i] = 0;
    }
}

void float_line_take(const struct float_line *line, const struct smooth_float_loops *loops,
                     const uint32_t *src, int64_t length)
{
    loops->widen(src, line->values, length, line->tops, line->signs);
    for (int64_t i = 0; i < length; i += DOUBLES_BLOCK) {
        const int64_t block = i / DOUBLES_BLOCK;
        struct float_reach *reach = &line->blocks[block];

        *reach = (struct float_reach){.peak = line->tops[block],
                                      .negative = line->signs[block] & FLOAT_SIGN};
        if (reach->peak >= FLOAT_INFINITY)
            look_closely(src + i, line->values + i, min(length - i, DOUBLES_BLOCK), reach);
    }
}

void float_reach_note(const struct ring *ring, const struct float_reach *line,
                      struct float_note *note)
{
    const int64_t length = ring->n + 2 * ring->reach;

    for (int64_t first = 0; first < ring->padded; first += DOUBLES_BLOCK) {
        const int64_t end = min(first + DOUBLES_BLOCK + 2 * ring->reach, length);
        struct float_reach *block = &note->blocks[first / DOUBLES_BLOCK];

        *block = (struct float_reach){.peak = 0};
        for (int64_t i = first; i < end; i += DOUBLES_BLOCK)
            join(block, &line[i / DOUBLES_BLOCK]);
    }
}

static void join_note(struct float_reach *blocks, const struct float_note *note, int64_t count)
{
    for (int64_t block = 0; block < count; block++)
        join(&blocks[block], &note->blocks[block]);
}

struct float_reach float_reach_of(const struct ring *ring, void *const *rows,
                                  struct float_reach *blocks)
{
    const int64_t count = ring->padded / DOUBLES_BLOCK;
    struct float_reach all = {.peak = 0};

    memset(blocks, 0, (size_t)count * sizeof *blocks);
    for (int64_t i = 0; i < 2 * ring->request->halo_y + 2; i++)
        join_note(blocks, ring_note(ring, rows[i]), count);
    for (int64_t block = 0; block < count; block++)
        join(&all, &blocks[block]);
    return all;
}
