/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/exact.h"

#include "kernels/common/exact.h"

static void add_row_u8(const uint8_t *restrict row, uint64_t weight, uint64_t *restrict columns,
                       int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        columns[i] += weight * row[i];
}

static void add_row_u16(const uint16_t *restrict row, uint64_t weight, uint64_t *restrict columns,
                        int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        columns[i] += weight * row[i];
}

/* columns[c] = sum over i of w(i) in(y + i, c). The definition sums rows first; sums of integers
 * may be taken in any order. */
static void sum_columns(const struct job *job, int64_t y, int64_t first, int64_t n,
                        uint64_t *columns)
{
    const struct view *src = &job->src;

    for (int64_t i = 0; i < n; i++)
        columns[i] = 0;
    for (int64_t i = 0; i <= 2 * job->halo; i++) {
        const char *row = (const char *)src->origin + (y - job->halo + i) * src->stride_bytes;

        if (src->sample_bytes == 1)
            add_row_u8((const uint8_t *)row + first, job->weights[i], columns, n);
        else
            add_row_u16((const uint16_t *)(const void *)row + first, job->weights[i], columns, n);
    }
}

void smooth_exact_span(const struct job *job, int64_t y, int64_t first, int64_t n,
                       uint64_t *columns, int32_t *out)
{
    const int64_t step = job->src.channels, reach = job->halo * step;

    sum_columns(job, y, first - reach, n + 2 * reach, columns);
    for (int64_t x = 0; x < n; x++) {
        uint128 total = u128_of(0, 0);

        for (int64_t j = 0; j <= 2 * job->halo; j++)
            total = u128_add_product(total, job->weights[j], columns[x + j * step]);
        out[x] = (int32_t)exact_round(total, job->maxval);
    }
}

uint32_t smooth_exact_sample(const struct job *job, int64_t y, int64_t x)
{
    const int64_t step = job->src.channels;
    uint128 total = u128_of(0, 0);

    for (int64_t j = -job->halo; j <= job->halo; j++) {
        uint64_t column = 0;

        for (int64_t i = -job->halo; i <= job->halo; i++) {
            const char *row = (const char *)job->src.origin + (y + i) * job->src.stride_bytes;
            const int64_t place = x + j * step;

            column += job->weights[job->halo + i] *
                      (job->src.sample_bytes == 1 ? ((const uint8_t *)row)[place]
                                                  : ((const uint16_t *)(const void *)row)[place]);
        }
        total = u128_add_product(total, job->weights[job->halo + j], column);
    }
    return exact_round(total, job->maxval);
}
