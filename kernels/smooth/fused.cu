/* SPDX-License-Identifier: MIT */
/* clang-format off */
/* Idea:         the Gaussian is a product of two lines: sum down the columns, then along the rows,
 *               in one kernel, so that memory sees each sample once in and once out. Numbers that
 *               are fast but not exact are enough where they prove the rounding; the samples that
 *               they leave unresolved go on a list, and are computed in the definition's integers.
 *               Which numbers depends on the GPU and the halo: half floats or bytes on tensor
 *               cores (fused_fp16 from 8.0 to 9.0, with the TMA or without; fused_int8), doubles or
 *               integers (fused_window, fused_rows).
 *
 *               A small image waits for launches rather than for memory: one kernel does all of it
 *               (small/).
 *
 *               Beyond halo 64 a Fourier transform of each row and column, in doubles, is cheaper
 *               than any sum (fft/): its cost hardly grows with the halo. Where none of these serves,
 *               two kernels do the passes in the definition's integers (exact.cuh). Colours that
 *               alpha weighs are quotients of two sums, in doubles (weighted/). fused_fp16 and
 *               fused_window are for equal axes. Floats are summed in doubles (floats/).
 *
 * Mends:        shared's (2 halo + 1)^2 taps: about 3 halo multiply-adds a pixel are left.
 *
 * Still slow:   at halos 32 to 64, where sums have become many and transforms are still dear. */
/* clang-format on */
#include "kernels/common/elements.cuh"
#include "kernels/smooth/fused/fft/launch.cuh"
#include "kernels/smooth/fused/floats/launch.cuh"
#include "kernels/smooth/fused/fp16/trial.cuh"
#include "kernels/smooth/fused/int8/launch.cuh"
#include "kernels/smooth/fused/rows.cuh"
#include "kernels/smooth/fused/small/launch.cuh"
#include "kernels/smooth/fused/weighted/launch.cuh"

#include <type_traits>

/* Whether rows begin where units of 16 bytes do. */
static bool lies_in_units(const struct job *job)
{
    return aligned_view(&job->src, 16) && aligned_view(&job->dst, 16);
}

/* Where int8 products do not serve. */
template <class Form> static const char *estimate_by_rows(const struct job *job)
{
    return lies_in_units(job) && job->src.channels == 1 ? launch_rows<Form, true>(job)
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

template <class Form, int CHANNELS>
static const char *estimate_colours_by_window(const struct job *job)
{
    if constexpr (sizeof(typename Form::sample) == 2)
        if (job->halo == 2)
            return launch_window<Form, 2, CHANNELS>(job);
    return launch_window<Form, 1, CHANNELS>(job);
}

/* The same for two to four channels. */
template <class Form> static const char *estimate_colours_by_window(const struct job *job)
{
    switch (job->src.channels) {
    case 2:
        return estimate_colours_by_window<Form, 2>(job);
    case 3:
        return estimate_colours_by_window<Form, 3>(job);
    default:
        return estimate_colours_by_window<Form, 4>(job);
    }
}

/* Whether the job is one for a window of rows, up to some halo, wherever the image lies. */
static bool suits_window(const struct job *job, int64_t most_halo)
{
    return axes_are_equal(job) && job->halo >= 1 && job->halo <= most_halo && sums_to_one(job);
}

/* Whether that of a grey image fits into registers. */
static bool grey_suits_window(const struct job *job)
{
    return job->src.channels == 1 && suits_window(job, 4);
}

/* Whether for colours it is faster than products on tensor cores. */
static bool colours_suit_window(const struct job *job)
{
    return job->src.channels >= 2 && job->src.channels <= 4 &&
           suits_window(job, job->src.sample_bytes) && has_quick_doubles();
}

/* Whether int8 products are faster than a window of rows. Neither serves an axis of halo 0. */
static bool prefers_int8(const struct job *job)
{
    return job->halo_x > 0 && job->halo_y > 0 &&
           (job->halo > (job->src.sample_bytes == 1 ? 2 : 3) || job->src.channels > 1 ||
            !axes_are_equal(job));
}

/* Weights that sum to more than one (--norm analytic) have no room in the integers' totals. */
static bool takes_doubles(const struct job *job)
{
    return has_quick_doubles() || weights_along(job).sum() > 1 || weights_down(job).sum() > 1;
}

/* Whether the exact kernels are faster than an estimate and its repair, or the only ones: where
 * alpha weighs and weighted/ does not serve, and for more channels or larger halos than int8
 * products do. */
static bool prefers_exact(const struct job *job)
{
    return job->weighted || job->src.channels > 64 || job->halo > INT8_MAX_HALO;
}

/* The estimate's failure, or that of computing the samples that it listed. */
template <class Form> static const char *repaired(const struct job *job, const char *failure)
{
    return failure ? failure : launch_repair<typename Form::sample>(job);
}

template <class Form>
static const char *smooth_by_int8(const struct job *job, const int8_filter &plan)
{
    constexpr int bytes = (int)sizeof(typename Form::sample);

    if (repairs_in_place(job))
        return launch_int8<bytes>(job, plan, NULL, 0);
    LAUNCH(begin_estimate, 1, 1, 0, job->stream, list_of(job));
    return repaired<Form>(job, launch_int8<bytes>(job, plan, NULL, 0));
}

/* By the fastest that does not rest on one kind of GPU. */
template <class Form> static const char *smooth_by_estimate(const struct job *job)
{
    int8_filter plan = {};

    if constexpr (std::is_same<typename Form::total, double>::value)
        if (colours_suit_window(job) && lies_in_units(job))
            return repaired<Form>(job, estimate_colours_by_window<Form>(job));
    const bool by_window = grey_suits_window(job) && lies_in_units(job);

    if (!prefers_int8(job) && by_window)
        return repaired<Form>(job, estimate_by_window<Form>(job));
    if (int8_serves(job, &plan))
        return smooth_by_int8<Form>(job, plan);
    return repaired<Form>(job,
                          by_window ? estimate_by_window<Form>(job) : estimate_by_rows<Form>(job));
}

static const char *smooth_anywhere(const struct job *job)
{
    if (job->src.sample_bytes == 1)
        return takes_doubles(job) ? smooth_by_estimate<form_bytes>(job)
                                  : smooth_by_estimate<form_bytes_integers>(job);
    return takes_doubles(job) ? smooth_by_estimate<form_words>(job)
                              : smooth_by_estimate<form_words_integers>(job);
}

/* Bytes by which rows of src had best begin off 16 for it. */
static int64_t phase_anywhere(const struct job *job)
{
    return prefers_int8(job) && !colours_suit_window(job) ? int8_phase(job) : 0;
}

/* One of the thread's last filters, the job's if it is among them: making one takes milliseconds.
 */
static fp16_filter *known_fp16_filter(const struct job *job, const half_adder &adder)
{
    constexpr unsigned kept = 8;
    static thread_local fp16_filter filters[kept];
    static thread_local unsigned next;

    for (unsigned i = 0; i < kept; i++)
        if (same_filter(job, fp16_before(job), adder, &filters[i]))
            return &filters[i];
    return &filters[next++ % kept];
}

static const char *smooth_estimating(const struct job *job)
{
    const half_adder adder = half_adder_of(attribute_of_device(cudaDevAttrComputeCapabilityMajor));
    int8_filter plan = {};
    fp16_filter *filter =
        fp16_serves(job) && int8_serves(job, &plan) ? known_fp16_filter(job, adder) : NULL;

    return filter && make_fp16_filter(job, fp16_before(job), adder, filter) && trusted(job, *filter)
               ? repaired<form_bytes>(job, estimate_by_fp16(job, *filter, plan))
               : smooth_anywhere(job);
}

/* --- The engines. */

static bool smooths_floats(const struct job *job)
{
    return job->maxval == FLOAT_SAMPLES;
}

/* Whether transforms are faster than all the others. */
static bool by_fft(const struct job *job)
{
    return job->halo > INT8_MAX_HALO && prefers_fft(job);
}

static bool always(const struct job *)
{
    return true;
}

static const char *smooth_small(const struct job *job)
{
    return job->src.sample_bytes == 1 ? launch_small<uint8_t>(job) : launch_small<uint16_t>(job);
}

static const char *smooth_weighted(const struct job *job)
{
    return job->src.sample_bytes == 1 ? launch_weighted<uint8_t>(job)
                                      : launch_weighted<uint16_t>(job);
}

static const char *smooth_by_fft(const struct job *job)
{
    return job->src.sample_bytes == 1 ? launch_fft<uint8_t>(job) : launch_fft<uint16_t>(job);
}

static const char *smooth_exactly(const struct job *job)
{
    return launch_exact(job, {job->scratch, PART_SUMS, {}});
}

static size_t exact_part_bytes(const struct job *job)
{
    return exact_scratch_bytes(job, PART_SUMS);
}

static size_t estimate_scratch_bytes(const struct job *job)
{
    return fp16_scratch_offset(job) + fp16_scratch_bytes(job) + trial_scratch_bytes(job);
}

static int64_t weighted_phase(const struct job *job)
{
    return prefers_mma(job) ? mma_phase(job) : 0;
}

static int64_t estimate_phase(const struct job *job)
{
    return fp16_would_serve(job) ? fp16_phase(job) : phase_anywhere(job);
}

/* The first that serves a job computes it. The members are those of struct variant; NULL: 0. */
static const struct engine {
    bool (*serves)(const struct job *job);
    const char *(*run)(const struct job *job);
    size_t (*scratch_bytes)(const struct job *job);
    int64_t (*src_phase)(const struct job *job);
    bool takes_stack;
} engines[] = {
    {smooths_floats, launch_fused_floats, NULL, NULL, false},
    {prefers_small, smooth_small, NULL, estimate_phase, true},
    {prefers_weighted, smooth_weighted, NULL, weighted_phase, false},
    {by_fft, smooth_by_fft, fft_scratch_bytes, NULL, false},
    {prefers_exact, smooth_exactly, exact_part_bytes, NULL, false},
    {always, smooth_estimating, estimate_scratch_bytes, estimate_phase, false},
};

static const struct engine *engine_of(const struct job *job)
{
    const struct engine *engine = engines;

    while (!engine->serves(job))
        engine++;
    return engine;
}

static size_t scratch_bytes(const struct job *job)
{
    const struct engine *engine = engine_of(job);

    return engine->scratch_bytes ? engine->scratch_bytes(job) : 0;
}

static int64_t src_phase(const struct job *job)
{
    const struct engine *engine = engine_of(job);

    return engine->src_phase ? engine->src_phase(job) : 0;
}

static bool takes_stack(const struct job *job)
{
    return engine_of(job)->takes_stack;
}

static const char *run(const struct job *job)
{
    return engine_of(job)->run(job);
}

DEFINE_VARIANT(smooth_fused) = {
    .op = OP_SMOOTH,
    .name = "fused",
    .backend = ON_GPU,
    .reference = false,
    .description = "both separable passes in one kernel",
    .layers_pay = NULL,
    .refuses = refuses_weighted_floats,
    .scratch_bytes = scratch_bytes,
    .run = run,
    .src_phase = src_phase,
    .takes_stack = takes_stack,
};
