/* SPDX-License-Identifier: MIT */
/* Idea:         the Gaussian is a product of two lines: sum down the columns, then along the rows,
 *               in one kernel, so that memory sees each sample once in and once out. Numbers that
 *               are quick and not exact are used where they prove the rounding; the samples in
 *               doubt are put on a list and computed in the definition's integers.
 *
 * Mends:        shared's (2 halo + 1)^2 taps: some 3 halo multiply-adds a pixel are left.
 *
 * Still slow:   where the halo is large, arithmetic decides again. */
#include "elements.cuh"
#include "fused_launch.cuh"
#ifdef __NVCC__ /* the emulated device has no tensor cores */
#include "fused_tensor_trial.cuh"
#endif

template <class Form> static const char *estimate(const struct job *job)
{
    const bool dense =
        job->src.channels == 1 && aligned_view(&job->src, 16) && aligned_view(&job->dst, 16);
    const chosen_strips all = {};

    if (dense && sum_of_weights(job) == 1)
        switch (job->halo) {
        case 1:
            return launch_window<Form, 1>(job);
        case 2:
            return launch_window<Form, 2>(job);
        case 3:
            return launch_window<Form, 3>(job);
        case 4:
            return launch_window<Form, 4>(job);
        default:
            break;
        }
    return dense ? launch_rows<Form, true>(job, all) : launch_rows<Form, false>(job, all);
}

/* Whether doubles run at a quarter of the rate of floats or faster: GPUs for games have a 32nd or a
 * 64th. Weights that sum to more than one (--norm analytic) have no room in the integers' totals.
 */
static bool takes_doubles(const struct job *job)
{
    int device = 0, ratio = 1;

    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, device);
    return ratio <= 4 || sum_of_weights(job) > 1;
}

static const char *estimate_bytes(const struct job *job)
{
    return takes_doubles(job) ? estimate<form_bytes>(job) : estimate<form_bytes_integers>(job);
}

static const char *estimate_words(const struct job *job)
{
    return takes_doubles(job) ? estimate<form_words>(job) : estimate<form_words_integers>(job);
}

static const char *run(const struct job *job)
{
    const bool bytes = job->src.sample_bytes == 1;
    const char *failure;

#ifdef __NVCC__
    static thread_local tensor_filter
        filter; /* of the last job: making it takes some milliseconds */
    const bool by_tensors =
        tensor_serves(job) && make_tensor_filter(job, &filter) && trusted(job, filter);

    failure = clear_list(job);
    if (!failure && by_tensors)
        failure = estimate_by_tensors(job, filter);
#else
    const bool by_tensors = false;

    failure = clear_list(job);
#endif
    if (!failure && !by_tensors)
        failure = bytes ? estimate_bytes(job) : estimate_words(job);
    if (failure)
        return failure;
    return bytes ? launch_repair<uint8_t>(job) : launch_repair<uint16_t>(job);
}

static size_t scratch_bytes(const struct job *job)
{
#ifdef __NVCC__
    return tensor_scratch_offset(job) + tensor_scratch_bytes(job) + trial_scratch_bytes(job);
#else
    return doubts_bytes(job);
#endif
}

static int64_t src_phase(const struct job *job)
{
#ifdef __NVCC__
    return tensor_would_serve(job) ? tensor_phase(job->halo) : 0;
#else
    return (void)job, 0;
#endif
}

DEFINE_VARIANT(smooth_fused) = {
    .op = OP_SMOOTH,
    .name = "fused",
    .place = ON_GPU,
    .reference = false,
    .about = "both separable passes in one kernel",
    .refuses = NULL,
    .scratch_bytes = scratch_bytes,
    .run = run,
    .src_phase = src_phase,
};
