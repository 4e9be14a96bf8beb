/* SPDX-License-Identifier: MIT */
/* Where the samples of a job's source are on the processor: those that src has lie where they are
 * asked for; beyond, the edge rule tells. */
#ifndef SMOOTHIMG_SMOOTH_SOURCE_H
#define SMOOTHIMG_SMOOTH_SOURCE_H

#include "kernels/common/edge.h"
#include "kernels/common/numbers.h"
#include "kernels/common/sample.h"
#include "kernels/variant.h"

/* The row, as src counts them, that has the samples of row y, or NOWHERE. */
static inline int64_t source_row_index(const struct job *job, int64_t y)
{
    return edge_place((enum edge)job->edge, y, job->beside.above, job->src.height,
                      job->beside.below);
}

/* The pixel of a row that has the samples of pixel x, or NOWHERE. */
static inline int64_t source_column_index(const struct job *job, int64_t x)
{
    return edge_place((enum edge)job->edge, x, job->beside.left, job->src.width, job->beside.right);
}

/* Of the samples that the filter reaches, in a row of src: those from before the first pixel on,
 * and behind the last one. */
static inline int64_t source_samples_left(const struct job *job)
{
    return min(job->beside.left, job->halo_x) * job->src.channels;
}

static inline int64_t source_samples_right(const struct job *job)
{
    return min(job->beside.right, job->halo_x) * job->src.channels;
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
    const struct beside *beside = &job->beside;
    const int64_t step = job->src.channels, reach = job->halo_x * step;

    return y + beside->above >= job->halo_y && y + job->halo_y < job->src.height + beside->below &&
           i + beside->left * step >= reach && i + reach < (job->src.width + beside->right) * step;
}

#endif
