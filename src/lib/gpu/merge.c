/* SPDX-License-Identifier: MIT */
#include "src/lib/gpu/merge.h"

/* Weights are the same if they are in the same memory, as those of a chain's smooths are. */
static bool are_alike(const struct step *one, const struct step *other)
{
    const struct job *a = &one->job, *b = &other->job;

    return one->variant->op == OP_SMOOTH && other->variant->op == OP_SMOOTH &&
           a->halo_x == b->halo_x && a->halo_y == b->halo_y && a->weights_x == b->weights_x &&
           a->weights_y == b->weights_y && a->weighted == b->weighted && a->edge == b->edge;
}

int merge_alike(const struct step *steps, int count)
{
    int same = 1;

    while (same < count && are_alike(&steps[0], &steps[same]))
        same++;
    return same;
}

int merge_count(const struct step *steps, int count)
{
    const int alike = merge_alike(steps, count);
    int same = 1;

    while (steps[0].variant->layers_pay && same < alike && steps[same].variant == steps[0].variant)
        same++;
    return same;
}

struct step merge_steps(const struct step *steps, int count)
{
    struct step merged = steps[0];

    if (count == 1)
        return merged;
    merged.job.dst = steps[count - 1].job.dst;
    merged.job.layers = count;
    for (int i = 0; i < count; i++)
        merged.job.above += steps[i].above;
    return merged;
}

void merge_source(const struct step *step, struct job *job)
{
    job->src.origin = (char *)job->src.origin - step->above * job->src.stride_bytes;
    job->src.height += step->above + job->halo_y - step->border.below;
}

void merge_times(const struct step *merged, struct step *steps, int count)
{
    const struct gpu_times *times = &merged->times;

    for (int i = 0; i < count; i++)
        steps[i].times = (struct gpu_times){.kernel = times->kernel / count,
                                            .kernel_bytes = times->kernel_bytes / count};
    steps[0].times.upload = times->upload;
    steps[0].times.upload_bytes = times->upload_bytes;
    steps[count - 1].times.download = times->download;
    steps[count - 1].times.download_bytes = times->download_bytes;
}
