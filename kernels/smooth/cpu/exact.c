/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/exact.h"

#include "kernels/common/exact.h"
#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/doubles/loops.h"

/* From sample x of row y of the source on. */
static const void *source(const struct job *job, int64_t y, int64_t x)
{
    const struct view *src = &job->src;

    return (const char *)src->origin + y * src->stride_bytes + x * src->sample_bytes;
}

/* columns[c] += wy(i) (in(y - i, first + c) + in(y + i, first + c)) */
static void add_rows(const struct job *job, int64_t y, int64_t i, int64_t first, int64_t n,
                     uint64_t *columns)
{
    const struct smooth_loops *loops = isa_of(job)->smooth;
    const uint64_t weight = job->weights_y[job->halo_y + i];
    const void *above = source(job, y - i, first), *below = source(job, y + i, first);

    if (job->src.sample_bytes == 1)
        loops->add_rows_u8(above, below, weight, columns, n);
    else
        loops->add_rows_u16(above, below, weight, columns, n);
}

/* columns[c] = sum over i of wy(i) in(y + i, first + c). The definition sums rows first; sums of
 * integers may be taken in any order. */
static void sum_columns(const struct job *job, int64_t y, int64_t first, int64_t n,
                        uint64_t *columns)
{
    const uint64_t weight = job->weights_y[job->halo_y];
    const void *row = source(job, y, first);

    if (job->src.sample_bytes == 1)
        for (int64_t i = 0; i < n; i++)
            columns[i] = weight * ((const uint8_t *)row)[i];
    else
        for (int64_t i = 0; i < n; i++)
            columns[i] = weight * ((const uint16_t *)row)[i];
    for (int64_t i = 1; i <= job->halo_y; i++)
        add_rows(job, y, i, first, n, columns);
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
