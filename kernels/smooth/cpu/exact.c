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

/* columns[c] = sum over i of wy(i) in(y + i, c). The definition sums rows first; sums of integers
 * may be taken in any order. */
static void sum_columns(const struct job *job, int64_t y, int64_t first, int64_t n,
                        uint64_t *columns)
{
    const struct view *src = &job->src;

    for (int64_t i = 0; i < n; i++)
        columns[i] = 0;
    for (int64_t i = 0; i <= 2 * job->halo_y; i++) {
        const char *row = (const char *)src->origin + (y - job->halo_y + i) * src->stride_bytes;

        if (src->sample_bytes == 1)
            add_row_u8((const uint8_t *)row + first, job->weights_y[i], columns, n);
        else
            add_row_u16((const uint16_t *)(const void *)row + first, job->weights_y[i], columns, n);
    }
}

void smooth_exact_span(const struct job *job, int64_t y, int64_t first, int64_t n,
                       uint64_t *columns, int32_t *out)
{
    const int64_t step = job->src.channels, reach = job->halo_x * step;

    sum_columns(job, y, first - reach, n + 2 * reach, columns);
    for (int64_t x = 0; x < n; x++) {
        uint128 total = u128_of(0, 0);

        for (int64_t j = 0; j <= 2 * job->halo_x; j++)
            total = u128_add_product(total, job->weights_x[j], columns[x + j * step]);
        out[x] = (int32_t)exact_round(total, job->maxval);
    }
}

uint32_t smooth_exact_sample(const struct job *job, int64_t y, int64_t x)
{
    const int64_t step = job->src.channels;
    uint128 total = u128_of(0, 0);

    for (int64_t j = -job->halo_x; j <= job->halo_x; j++) {
        uint64_t column = 0;

        for (int64_t i = -job->halo_y; i <= job->halo_y; i++) {
            const char *row = (const char *)job->src.origin + (y + i) * job->src.stride_bytes;
            const int64_t place = x + j * step;

            column += job->weights_y[job->halo_y + i] *
                      (job->src.sample_bytes == 1 ? ((const uint8_t *)row)[place]
                                                  : ((const uint16_t *)(const void *)row)[place]);
        }
        total = u128_add_product(total, job->weights_x[job->halo_x + j], column);
    }
    return exact_round(total, job->maxval);
}
