/* SPDX-License-Identifier: MIT */
/* Launching smooth_layers: which jobs it serves, and how many layers a launch has. */
#ifndef SMOOTHIMG_LAYERS_LAUNCH_CUH
#define SMOOTHIMG_LAYERS_LAUNCH_CUH

#include "kernels/common/elements.cuh"
#include "kernels/smooth/layers/kernel.cuh"
#include "kernels/smooth/segments.cuh"

#define LAYERS_AT_ONCE 4 /* at halo 1; more registers than that, and too few warps fit */

/* A launch: some of the layers, from one image to another. */
struct layers_step {
    view src, dst;
    int layers;
    bool filled; /* src has the border of the job */
};

/* 4, 2 or 1: the most that have a kernel. */
static inline int layers_at_once(int64_t halo, int layers)
{
    int most = LAYERS_AT_ONCE / (int)halo;

    while (most > layers)
        most /= 2;
    return most;
}

template <typename Sample, int HALO, int CHANNELS, int LAYERS>
static const char *launch_layers(const struct job *job, const layers_step &step)
{
    typedef layers_shape<Sample, HALO, CHANNELS, LAYERS> shape;
    const void *kernel = (const void *)smooth_layers<Sample, HALO, CHANNELS, LAYERS>;
    const int64_t strips = blocks_for(step.dst.width * CHANNELS, shape::strip);
    const layers_plan plan = {
        rows_of_segment(strips, step.dst.height, kernel, 32, 0, LAYERS * HALO),
        aligned_view(&step.src, 8),
        aligned_view(&step.dst, 8),
        {(enum edge)job->edge, step.filled, job->halo}};
    layers_filter<typename layer_numbers<Sample>::real> filter;

    make_layers_filter<Sample>(job, &filter);
    LAUNCH((smooth_layers<Sample, HALO, CHANNELS, LAYERS>),
           dim3((unsigned)strips, (unsigned)blocks_for(step.dst.height, plan.segment_rows)),
           dim3(32), 0, job->stream, step.src, step.dst, filter, plan);
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

/* Whether the kernel serves the job. */
static inline bool layers_serve(const struct job *job)
{
    const bool bytes = job->src.sample_bytes == 1;

    return !job->weighted && job->src.channels <= 4 && job->halo >= 1 &&
           job->halo <= LAYERS_MAX_HALO && job->halo * job->src.channels <= (bytes ? 8 : 4) &&
           sums_to_one(job) &&
           (bytes ? has_layers_filter<uint8_t>(job)
                  : has_quick_doubles() && has_layers_filter<uint16_t>(job));
}

#endif
