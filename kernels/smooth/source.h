/* SPDX-License-Identifier: MIT */
/* Where the samples of a job's source are on the processor: of one with a border, all lie where
 * they are asked for; around a bare one, the edge rule tells. */
#ifndef SMOOTHIMG_SMOOTH_SOURCE_H
#define SMOOTHIMG_SMOOTH_SOURCE_H

#include "kernels/common/edge.h"
#include "kernels/common/sample.h"
#include "kernels/variant.h"

#define NOWHERE INT64_MIN /* samples there are zero */

/* The row, as src counts them, that has the samples of row y, or NOWHERE. */
static inline int64_t source_row_index(const struct job *job, int64_t y)
{
    const int64_t row =
        job->bare ? edge_index((enum edge)job->edge, job->src_first + y, job->src_rows) : 0;

    return !job->bare ? y : row < 0 ? NOWHERE : row - job->src_first;
}

/* The pixel of a row that has the samples of pixel x, or NOWHERE. */
static inline int64_t source_column_index(const struct job *job, int64_t x)
{
    const int64_t column = job->bare ? edge_index((enum edge)job->edge, x, job->src.width) : x;

    return job->bare && column < 0 ? NOWHERE : column;
}

/* Sample i of a row, counted from its first pixel's on: the one whose value it has, or NOWHERE; i
 * is at least -halo_x pixels. */
static inline int64_t source_sample_index(const struct job *job, int64_t i)
{
    const int64_t step = job->src.channels, shifted = i + job->halo_x * step;
    const int64_t column = source_column_index(job, shifted / step - job->halo_x);

    return column == NOWHERE ? NOWHERE : column * step + shifted % step;
}

/* Row y from pixel 0 on; NULL: its samples are zero. */
static inline const void *source_row(const struct job *job, int64_t y)
{
    const int64_t row = source_row_index(job, y);

    return row == NOWHERE ? NULL : (const char *)job->src.origin + row * job->src.stride_bytes;
}

static inline uint32_t source_get(const struct job *job, int64_t y, int64_t x, int32_t channel)
{
    const int64_t row = source_row_index(job, y), column = source_column_index(job, x);

    return row == NOWHERE || column == NOWHERE ? 0 : sample_get(&job->src, row, column, channel);
}

/* Whether the window of sample i of row y lies where it is asked for. */
static inline bool source_has_window(const struct job *job, int64_t y, int64_t i)
{
    const int64_t row = job->src_first + y, step = job->src.channels, reach = job->halo_x * step;

    return !job->bare || (row >= job->halo_y && row + job->halo_y < job->src_rows && i >= reach &&
                          i + reach < job->src.width * step);
}

#endif
