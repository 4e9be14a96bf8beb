/* SPDX-License-Identifier: MIT */
/* Sorts the axes of a job by their strides in memory, and joins unfiltered axes that are
 * contiguous. */
#include "kernels/smooth/arrays/layout.h"

int array_filtered_index(const struct array_job *job, int axis)
{
    for (int i = 0; i < job->filtered; i++)
        if (job->axis[i] == axis)
            return i;
    return -1;
}

static int64_t distance(const struct array_job *job, int axis)
{
    const int64_t stride = job->src.strides[axis];

    return stride < 0 ? -stride : stride;
}

/* True for the axis within a pixel whose last sample is alpha. It stays the last axis, and is not
 * joined with others. */
static bool is_of_alpha(const struct array_job *job, int axis)
{
    return job->weighing == ARRAY_BY_ALPHA && axis == job->axes - 1;
}

/* Sets order[] to the axes, sorted by their strides in the source, the longest first. */
static void sort_axes(const struct array_job *job, int *order)
{
    for (int i = 0; i < job->axes; i++) {
        int j = i;

        for (; j > 0 && !is_of_alpha(job, i) && distance(job, order[j - 1]) < distance(job, i); j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
}

/* True if the axis, which is not filtered, can be joined with the axis that was added last to
 * `simple`, because both are contiguous in memory. */
static bool joins(const struct array_job *job, int axis, const struct array_job *simple)
{
    const int last = simple->axes - 1;

    return last >= 0 && !is_of_alpha(job, axis) && array_filtered_index(simple, last) < 0 &&
           job->extent[axis] == job->shape[axis] &&
           simple->src.strides[last] == job->src.strides[axis] * job->shape[axis] &&
           simple->dst.strides[last] == job->dst.strides[axis] * job->shape[axis];
}

static void add_axis(const struct array_job *job, int axis, struct array_job *simple,
                     struct array_taps *taps)
{
    const int filtered = array_filtered_index(job, axis);
    int to = simple->axes;

    if (filtered < 0 && job->shape[axis] == 1)
        return;
    if (filtered < 0 && joins(job, axis, simple)) {
        to--;
        simple->shape[to] *= job->shape[axis];
        simple->first[to] *= job->shape[axis];
        simple->extent[to] *= job->shape[axis];
    } else {
        simple->axes++;
        simple->shape[to] = job->shape[axis];
        simple->first[to] = job->first[axis];
        simple->extent[to] = job->extent[axis];
    }
    simple->src.strides[to] = job->src.strides[axis];
    simple->dst.strides[to] = job->dst.strides[axis];
    if (filtered < 0)
        return;
    simple->axis[simple->filtered] = to;
    simple->halo[simple->filtered] = job->halo[filtered];
    for (int t = 0; t < job->terms; t++)
        taps[t * job->filtered + simple->filtered] = job->taps[t * job->filtered + filtered];
    simple->filtered++;
}

void array_simplify(const struct array_job *job, struct array_job *simple, struct array_taps *taps)
{
    int order[ARRAY_AXES];

    *simple = *job;
    simple->axes = simple->filtered = 0;
    simple->taps = taps;
    sort_axes(job, order);
    for (int i = 0; i <= job->axes; i++) {
        /* No axis is left, or only alpha's: adds an axis of one sample, or of one pixel. */
        if (simple->axes == 0 && (i == job->axes || is_of_alpha(job, order[i]))) {
            simple->axes = 1;
            simple->shape[0] = simple->extent[0] = 1;
            simple->first[0] = 0;
            simple->src.strides[0] = simple->dst.strides[0] = sample_format(job->src.type).bytes;
        }
        if (i < job->axes)
            add_axis(job, order[i], simple, taps);
    }
}
