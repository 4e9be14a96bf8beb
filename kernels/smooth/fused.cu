/* SPDX-License-Identifier: MIT */
/* Idea:         the Gaussian is a product of two lines: sum down the columns, then along the rows,
 *               in one kernel, so that memory sees each sample once in and once out. Numbers that
 *               are quick and not exact are used where they prove the rounding; the samples in
 *               doubt are put on a list and computed in the definition's integers. Which numbers
 *               depends on the GPU and the halo: half floats or digits on tensor cores
 *               (fused_tensor, fused_digits), doubles or integers (fused_window, fused_rows).
 *
 *               Colours that alpha weighs are done in the definition's integers (fused_weighted).
 *
 * Mends:        shared's (2 halo + 1)^2 taps: some 3 halo multiply-adds a pixel are left.
 *
 * Still slow:   where the halo is large, arithmetic decides again. */
#include "elements.cuh"
#include "fused_digits_launch.cuh"
#include "fused_weighted.cuh"
#ifdef __NVCC__ /* the emulated device has no half floats */
#include "fused_tensor_trial.cuh"
#endif

/* Where digits are not to be had. */
template <class Form> static const char *estimate_by_rows(const struct job *job)
{
    return aligned_view(&job->src, 16) && aligned_view(&job->dst, 16) && job->src.channels == 1
               ? launch_rows<Form, true>(job)
               : launch_rows<Form, false>(job);
}

template <class Form> static const char *estimate_by_window(const struct job *job)
{
    switch (job->halo) {
    case 1:
        return launch_window<Form, 1>(job);
    case 2:
        return launch_window<Form, 2>(job);
    case 3:
        return launch_window<Form, 3>(job);
    default:
        return launch_window<Form, 4>(job);
    }
}

/* Whether a window of rows fits into registers, and the job is one for it. */
static bool window_serves(const struct job *job)
{
    return job->halo >= 1 && job->halo <= 4 && sum_of_weights(job) == 1 && job->src.channels == 1 &&
           aligned_view(&job->src, 16) && aligned_view(&job->dst, 16);
}

/* Whether digits are quicker than a window of rows. */
static bool prefers_digits(const struct job *job)
{
    return job->halo > (job->src.sample_bytes == 1 ? 2 : 3) || job->src.channels > 1;
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

/* By the quickest of the forms that do not rest on one kind of GPU. */
template <class Form> static const char *estimate(const struct job *job)
{
    constexpr int bytes = (int)sizeof(typename Form::sample);
    digits_plan plan = {};

    if (!prefers_digits(job) && window_serves(job))
        return estimate_by_window<Form>(job);
    if (digits_serve(job, &plan))
        return launch_digits<bytes>(job, plan, NULL, 0);
    return window_serves(job) ? estimate_by_window<Form>(job) : estimate_by_rows<Form>(job);
}

static const char *estimate_anywhere(const struct job *job)
{
    if (job->src.sample_bytes == 1)
        return takes_doubles(job) ? estimate<form_bytes>(job) : estimate<form_bytes_integers>(job);
    return takes_doubles(job) ? estimate<form_words>(job) : estimate<form_words_integers>(job);
}

#ifdef __NVCC__
static const char *estimate_all(const struct job *job)
{
    static thread_local tensor_filter filter; /* of the last job: making it takes milliseconds */
    digits_plan plan = {};
    const bool by_tensors = tensor_serves(job) && digits_serve(job, &plan) &&
                            make_tensor_filter(job, &filter) && trusted(job, filter);
    const char *failure = clear_list(job); /* after the trial, which uses the same memory */

    if (failure)
        return failure;
    return by_tensors ? estimate_by_tensors(job, filter, plan) : estimate_anywhere(job);
}

static size_t scratch_bytes(const struct job *job)
{
    return tensor_scratch_offset(job) + tensor_scratch_bytes(job) + trial_scratch_bytes(job);
}

static int64_t src_phase(const struct job *job)
{
    if (tensor_would_serve(job))
        return tensor_phase(job->halo);
    return prefers_digits(job) ? digits_phase(job) : 0;
}
#else
static const char *estimate_all(const struct job *job)
{
    const char *failure = clear_list(job);

    return failure ? failure : estimate_anywhere(job);
}

static size_t scratch_bytes(const struct job *job)
{
    return digits_scratch_offset(job) + digits_scratch_bytes(job);
}

static int64_t src_phase(const struct job *job)
{
    return prefers_digits(job) ? digits_phase(job) : 0;
}
#endif

static const char *run(const struct job *job)
{
    const char *failure;

    if (job->weighted)
        return job->src.sample_bytes == 1 ? launch_fused_weighted<uint8_t>(job)
                                          : launch_fused_weighted<uint16_t>(job);
    failure = estimate_all(job);
    if (failure)
        return failure;
    return job->src.sample_bytes == 1 ? launch_repair<uint8_t>(job) : launch_repair<uint16_t>(job);
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
