/* SPDX-License-Identifier: MIT */
/* Launching smooth_layers: which jobs it serves, and how many layers a launch has. */
#ifndef SMOOTHIMG_LAYERS_LAUNCH_CUH
#define SMOOTHIMG_LAYERS_LAUNCH_CUH

#include "kernels/common/elements.cuh"
#include "kernels/smooth/layers/kernel.cuh"
#include "kernels/smooth/segments.cuh"

#define LAYERS_AT_ONCE 4 /* at halo 1; more registers than that, and too few warps fit */
#define EDGE_SEGMENTS 3  /* at an edge, for one inside */

/* A launch: some of the layers, from one image to another. */
struct layers_step {
    view src, dst;
    int layers;
    int64_t above; /* rows of src above the first of dst */
};

/* 4, 2 or 1: the most that have a kernel. */
static inline int layers_at_once(int64_t halo, int layers)
{
    int most = LAYERS_AT_ONCE / (int)halo;

    while (most > layers)
        most /= 2;
    return most;
}

/* Strips inside the image: they begin after its first sample, and end before its last. */
template <class Shape> static int64_t strips_inside(const layers_step &step)
{
    const int64_t samples = step.src.width * step.src.channels;
    const int64_t last = samples - (32 - Shape::margin) * Shape::columns; /* where one may begin */

    return aligned_view(&step.src, 8) && aligned_view(&step.dst, 8)
               ? max(last / Shape::strip, (int64_t)0)
               : 0;
}

/* At the edges a row takes longer, up to three times as long, for samples that are read one by one
 * and rows that move; so segments are shorter there, and their warps take no longer than the
 * others. All warps are to run at once. Inside, one reads a whole number of windows. */
template <class Shape, int LAYERS>
static layers_plan plan_of(const struct job *job, const layers_step &step, const void *kernel)
{
    constexpr int reach_down = LAYERS * (Shape::rows / 2);
    layers_plan plan = {};

    plan.strips = blocks_for(step.dst.width * step.dst.channels, Shape::strip);
    plan.inside = strips_inside<Shape>(step);
    const int64_t edges = plan.strips - plan.inside;
    const int64_t least = rows_of_segment(plan.inside + EDGE_SEGMENTS * edges, step.dst.height,
                                          kernel, 32, 0, reach_down);

    plan.segment_rows =
        (int)(blocks_for(least + 2 * reach_down, Shape::rows) * Shape::rows) - 2 * reach_down;
    plan.edge_rows = (int)blocks_for(plan.segment_rows, EDGE_SEGMENTS);
    plan.edge_blocks = edges * blocks_for(step.dst.height, plan.edge_rows);
    plan.above = step.above;
    plan.dst_aligned = aligned_view(&step.dst, 8);
    plan.edge = (enum edge)job->edge;
    return plan;
}

template <typename Sample, int HALO, int CHANNELS, int LAYERS>
static const char *launch_layers(const struct job *job, const layers_step &step)
{
    typedef layers_shape<Sample, HALO, CHANNELS, LAYERS> shape;
    const layers_plan plan = plan_of<shape, LAYERS>(
        job, step, (const void *)smooth_layers<Sample, HALO, CHANNELS, LAYERS>);
    const int64_t blocks =
        plan.edge_blocks + plan.inside * blocks_for(step.dst.height, plan.segment_rows);
    layers_filter<typename layer_numbers<Sample>::real> filter;

    make_layers_filter<Sample>(job, &filter);
    LAUNCH((smooth_layers<Sample, HALO, CHANNELS, LAYERS>), dim3((unsigned)blocks), dim3(32), 0,
           job->stream, step.src, step.dst, filter, plan);
    return launched();
}

template <typename Sample, int HALO, int CHANNELS>
static const char *launch_layers(const struct job *job, const layers_step &step)
{
    if constexpr (HALO * CHANNELS <= layer_numbers<Sample>::columns) {
        if (step.layers == 1)
            return launch_layers<Sample, HALO, CHANNELS, 1>(job, step);
        if (HALO == 2 || step.layers == 2)
            return launch_layers<Sample, HALO, CHANNELS, 2>(job, step);
        if constexpr (HALO == 1)
            return launch_layers<Sample, HALO, CHANNELS, 4>(job, step);
    }
    return "no such kernel";
}

template <typename Sample, int HALO>
static const char *launch_layers(const struct job *job, const layers_step &step)
{
    switch (step.src.channels) {
    case 1:
        return launch_layers<Sample, HALO, 1>(job, step);
    case 2:
        return launch_layers<Sample, HALO, 2>(job, step);
    case 3:
        return launch_layers<Sample, HALO, 3>(job, step);
    default:
        return launch_layers<Sample, HALO, 4>(job, step);
    }
}

template <typename Sample>
static const char *launch_layers(const struct job *job, const layers_step &step)
{
    return job->halo == 1 ? launch_layers<Sample, 1>(job, step)
                          : launch_layers<Sample, 2>(job, step);
}

template <typename Sample> static bool has_layers_filter(const struct job *job)
{
    layers_filter<typename layer_numbers<Sample>::real> filter;

    return make_layers_filter<Sample>(job, &filter);
}

/* Whether the kernel serves the job. It takes a position in a row as 32 bits. A single layer is
 * better done by fused. */
static inline bool layers_serve(const struct job *job)
{
    const bool bytes = job->src.sample_bytes == 1;

    return job->layers > 1 && !job->weighted && job->src.channels <= 4 && job->halo >= 1 &&
           job->halo <= LAYERS_MAX_HALO && job->halo * job->src.channels <= (bytes ? 8 : 4) &&
           job->src.width * job->src.channels <= UINT32_MAX && sums_to_one(job) &&
           (bytes ? has_layers_filter<uint8_t>(job)
                  : has_quick_doubles() && has_layers_filter<uint16_t>(job));
}

#endif
