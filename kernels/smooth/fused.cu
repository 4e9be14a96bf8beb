/* SPDX-License-Identifier: MIT */
/* clang-format off */
/* Idea:         the Gaussian is a product of two lines: sum along one axis, then along the other, in
 *               one kernel, so that memory sees each sample once in and once out. Numbers that
 *               are fast but not exact are enough where they prove the rounding; the samples that
 *               they leave unresolved go on a list, and are computed in the definition's integers.
 *               Which numbers depends on the GPU and the halo: half floats or bytes on tensor
 *               cores (fp16/ from 8.0 to 9.0, with the TMA or without; int8/), doubles or integers
 *               (window.cuh, and rows.cuh for what fits none of these).
 *
 *               A small image waits for launches rather than for memory: one kernel does all of it
 *               (small/). Colours that alpha weighs are quotients of two sums, in doubles
 *               (weighted/). At great halos a Fourier transform of each row and column, in doubles,
 *               is cheaper than any sum (fft/): its cost hardly grows with the halo.
 *
 *               Where none of these serves or pays, two kernels do the passes, with doubles between
 *               them: any samples, any halo (lines/); or in the definition's integers, where
 *               doubles are slow or leave too much open (exact.cuh). Floats are summed in doubles
 *               too, in a window or by lines.
 *
 * Mends:        shared's (2 halo + 1)^2 taps: about 3 halo multiply-adds a pixel are left.
 *
 * Still slow:   at halos 32 to 64, where sums have become many and transforms are still dear. */
/* clang-format on */
#include "kernels/common/elements.cuh"
#include "kernels/common/engine.h"
#include "kernels/smooth/fused/fft/launch.cuh"
#include "kernels/smooth/fused/floats/launch.cuh"
#include "kernels/smooth/fused/fp16/trial.cuh"
#include "kernels/smooth/fused/int8/launch.cuh"
#include "kernels/smooth/fused/lines/launch.cuh"
#include "kernels/smooth/fused/rows.cuh"
#include "kernels/smooth/fused/small/launch.cuh"
#include "kernels/smooth/fused/weighted/launch.cuh"

#include <type_traits>

/* Whether rows begin where units of 16 bytes do. */
static bool lies_in_units(const struct job *job)
{
    return aligned_view(&job->src, 16) && aligned_view(&job->dst, 16);
}

/* The estimate's failure, or that of computing the samples that it listed. */
static const char *repaired(const struct job *job, const char *failure)
{
    if (failure)
        return failure;
    return job->src.sample_bytes == 1 ? launch_repair<uint8_t>(job) : launch_repair<uint16_t>(job);
}

/* Weights that sum to more than one (--norm analytic) have no room in the integers' totals. */
static bool takes_doubles(const struct job *job)
{
    return has_quick_doubles() || weights_along(job).sum() > 1 || weights_down(job).sum() > 1;
}

/* --- Any job, one axis after the other. */

/* For integers that rows serve, from the halo on at which these have become slower; not for images
 * so small that the definition's integers, in two launches for five, are quicker. Up to halo 64
 * rows takes these, which is quicker still (256^2 of 16 bits, halo 48 and 64, an H100: 15.7, 19.0
 * us for 20.7, 25.5), exact beyond. */
static bool lines_pay(const struct job *job)
{
    const bool rows_pay = !job->weighted && job->src.channels <= 64 && job->halo <= 16;

    return job->maxval == FLOAT_SAMPLES ||
           (has_quick_doubles() && !rows_pay && !is_quick_in_integers(job));
}

static const char *lines_run(const struct job *job)
{
    return launch_lines(job, LINES_PART_SUMS);
}

static size_t lines_bytes(const struct job *job)
{
    return lines_scratch_bytes_for(job, LINES_PART_SUMS);
}

static const char *exact_refuses(const struct job *job)
{
    return job->maxval == FLOAT_SAMPLES ? "samples are floats" : NULL;
}

static const char *exact_run(const struct job *job)
{
    return launch_exact(job, {job->scratch, PART_SUMS, {}});
}

static size_t exact_bytes(const struct job *job)
{
    return exact_scratch_bytes(job, PART_SUMS);
}

/* --- Floats, small images, colours that alpha weighs. */

static const char *float_window_refuses(const struct job *job)
{
    if (job->maxval != FLOAT_SAMPLES)
        return "samples are no floats";
    if (job->weighted)
        return refuses_weighted_floats(job);
    return suits_float_window(job)
               ? NULL
               : "its window is for equal halos to 4, 1, 3 or 4 channels, and no NaN is skipped";
}

static const char *small_refuses(const struct job *job)
{
    const char *refusal = refuses_all_but_integers(job);

    return refusal ? refusal : small_serves(job) ? NULL : "channels or halos are too many";
}

static const char *small_run(const struct job *job)
{
    return job->src.sample_bytes == 1 ? launch_small<uint8_t>(job) : launch_small<uint16_t>(job);
}

static bool always(const struct job *)
{
    return true;
}

static const char *weighted_refuses(const struct job *job)
{
    if (job->maxval == FLOAT_SAMPLES || !job->weighted)
        return "alpha does not weigh integers";
    return weighted_serves(job) ? NULL : "its channels, halos or sums are beyond the bound";
}

/* Beyond, lines are quicker (RGBA, 1080p, halo 48, 64, on an H100: 181, 260 us; 193, 228). */
static bool weighted_pays(const struct job *job)
{
    return has_quick_doubles() && job->halo <= 48;
}

static const char *weighted_run(const struct job *job)
{
    return job->src.sample_bytes == 1 ? launch_weighted<uint8_t>(job)
                                      : launch_weighted<uint16_t>(job);
}

/* --- Large halos. */

static const char *fft_refuses(const struct job *job)
{
    const char *refusal = refuses_all_but_integers(job);

    return refusal ? refusal : fft_serves(job) ? NULL : "channels or weights are beyond the bound";
}

/* Up to INT8_MAX_HALO products of bytes, or lines, are faster. */
static bool fft_pays(const struct job *job)
{
    return job->halo > INT8_MAX_HALO && is_quick_by_fft(job);
}

static const char *fft_run(const struct job *job)
{
    return job->src.sample_bytes == 1 ? launch_fft<uint8_t>(job) : launch_fft<uint16_t>(job);
}

/* --- Products of bytes on tensor cores. Samples that they leave are listed, or computed in place.
 */

template <bool IN_PLACE> static const char *int8_refuses(const struct job *job)
{
    const char *refusal = refuses_all_but_integers(job);

    if (IN_PLACE && !repairs_fit_in_place(job))
        return "halos are too large";
    return refusal                     ? refusal
           : int8_suits(job, IN_PLACE) ? NULL
                                       : "channels, halos, weights or this GPU do not suit";
}

/* Whether lines are slower. Their tiles are smaller, and so fill a GPU with a small image, and an
 * axis at a time costs them no sums beside the tile: on an H100 at 1080p and halo 64 they take .68
 * of the time for 8 bits, .55 for 16, .8 and .52 for three channels; at halo 32 1.15 and .96; for
 * 16 M samples of 16 bits 1.7 at halo 32, .99 at 64. A small image of 8 bits is too little for
 * them: 512 x 512, halo 64: 33 us, and 21 here; 640 x 640: 28, 24. */
static bool int8_pays(const struct job *job)
{
    const int64_t samples = job->src.width * job->src.height * job->src.channels;
    const bool is_small = job->src.sample_bytes == 1 && samples <= (int64_t)7 << 16;

    return job->halo <= 40 || !has_quick_doubles() || is_small || samples > (int64_t)8 << 20;
}

static const char *int8_prepare(const struct job *job, void *state)
{
    return make_int8_plan(job, static_cast<int8_filter *>(state));
}

template <bool IN_PLACE> static bool int8_lies_well(const struct job *job)
{
    return int8_reaches(job, IN_PLACE);
}

static const char *run_int8(const struct job *job, const int8_filter &plan, bool in_place)
{
    if (!in_place)
        LAUNCH(begin_estimate, 1, 1, 0, job->stream, list_of(job));
    const char *failure = job->src.sample_bytes == 1 ? launch_int8<1>(job, plan, in_place, NULL, 0)
                                                     : launch_int8<2>(job, plan, in_place, NULL, 0);

    return in_place ? failure : repaired(job, failure);
}

template <bool IN_PLACE> static const char *int8_run(const struct job *job)
{
    int8_filter plan = {};
    const char *failure = take_int8_plan(job, &plan);

    return failure ? failure : run_int8(job, plan, IN_PLACE);
}

/* --- Half floats on tensor cores. */

static const char *fp16_refuses(const struct job *job)
{
    const char *refusal = int8_refuses<false>(job); /* its dense blocks are int8's */

    return refusal            ? refusal
           : fp16_serves(job) ? NULL
                              : "channels, halos or this GPU do not suit it";
}

/* One of the thread's last filters, the job's if it is among them: making one takes milliseconds.
 */
static fp16_filter *known_fp16_filter(const struct job *job, const half_adder &adder)
{
    constexpr unsigned kept = 8;
    static thread_local fp16_filter filters[kept];
    static thread_local unsigned next;

    for (unsigned i = 0; i < kept; i++)
        if (same_filter(job, adder, &filters[i]))
            return &filters[i];
    return &filters[next++ % kept];
}

/* What a GPU that adds in another way than its trial expects computes by products of bytes. */
static const char *fp16_run(const struct job *job)
{
    const half_adder adder = half_adder_of(attribute_of_device(cudaDevAttrComputeCapabilityMajor));
    fp16_filter *filter = known_fp16_filter(job, adder);
    int8_filter plan = {};
    const char *failure = take_int8_plan(job, &plan);

    if (failure)
        return failure;
    return make_fp16_filter(job, adder, filter) && trusted(job, *filter)
               ? repaired(job, estimate_by_fp16(job, *filter, plan))
               : run_int8(job, plan, false);
}

static size_t fp16_bytes(const struct job *job)
{
    return fp16_scratch_offset(job) + fp16_scratch_bytes(job) + trial_scratch_bytes(job);
}

/* --- Doubles or integers, in a window of rows or row by row. */

/* Colours have windows of halo 1, and of 2 with 16 bits. */
template <class Form> static const char *estimate_colours_by_window(const struct job *job)
{
    return with_constant<2, 4>(job->src.channels, [&]<int CHANNELS>() {
        return with_constant<1, sizeof(typename Form::sample)>(
            job->halo, [&]<int HALO>() { return launch_window<Form, HALO, CHANNELS>(job); });
    });
}

/* Whether the job is one for a window of rows, up to some halo, wherever the image lies. */
static bool suits_window(const struct job *job, int64_t most_halo)
{
    return axes_are_equal(job) && job->halo >= 1 && job->halo <= most_halo && sums_to_one(job);
}

/* Whether the window fits into registers. Colours need doubles. */
static const char *window_refuses(const struct job *job)
{
    const int channels = job->src.channels;
    const char *refusal = refuses_all_but_integers(job);
    const bool suits = channels == 1 ? suits_window(job, 4)
                       : channels <= 4
                           ? suits_window(job, job->src.sample_bytes) && has_quick_doubles()
                           : false;

    return refusal ? refusal
           : suits ? NULL
                   : "its window is for equal halos to 4, fewer for colours";
}

/* Whether products of bytes, in one launch for three, take less time than the window: grey bytes,
 * until the memory takes longer than launches. On an H100, us: 1024 x 1024, 1080p, 2560 x 1440 and
 * 2048 x 2048 at halo 1 7.7, 9.7, 12.3, 12.7 (the window 9.8, 12, 12.2, 12.5), at halo 2 8.1, 9.9,
 * 12.7, 12.7 (10.3, 12, 13.9, 16.5); 3840 x 2160 18.8, 18.9 (13.3, 16.9). */
static bool bytes_beat_window(const struct job *job)
{
    const int64_t samples = job->src.width * job->src.height;

    return job->src.sample_bytes == 1 && samples <= (2 * job->halo + 1) << 20 &&
           !int8_refuses<true>(job);
}

/* Whether int8 products are slower, or do not serve. */
static bool window_pays(const struct job *job)
{
    const int64_t most_halo = job->src.sample_bytes == 1 ? 2 : 3;

    return job->src.channels > 1 || int8_refuses<false>(job) ||
           (job->halo <= most_halo && !bytes_beat_window(job));
}

template <class Form> static const char *window_run_by(const struct job *job)
{
    if constexpr (std::is_same<typename Form::total, double>::value)
        if (job->src.channels > 1)
            return estimate_colours_by_window<Form>(job);
    return with_constant<1, 4>(job->halo,
                               [&]<int HALO>() { return launch_window<Form, HALO>(job); });
}

/* An estimate by the form for the job's samples, call.operator()<Form>(), and its repair. */
template <class Call> static const char *run_by_form(const struct job *job, const Call &call)
{
    const bool doubles = takes_doubles(job);

    if (job->src.sample_bytes == 1)
        return repaired(job, doubles ? call.template operator()<form_bytes>()
                                     : call.template operator()<form_bytes_integers>());
    return repaired(job, doubles ? call.template operator()<form_words>()
                                 : call.template operator()<form_words_integers>());
}

static const char *window_run(const struct job *job)
{
    return run_by_form(job, [&]<class Form>() { return window_run_by<Form>(job); });
}

template <class Form> static const char *estimate_by_rows(const struct job *job)
{
    return lies_in_units(job) && job->src.channels == 1 ? launch_rows<Form, true>(job)
                                                        : launch_rows<Form, false>(job);
}

static const char *rows_refuses(const struct job *job)
{
    const char *refusal = refuses_all_but_integers(job);

    return refusal ? refusal : job->halo <= ROWS_MAX_HALO ? NULL : "it is for halos to 64";
}

static const char *rows_run(const struct job *job)
{
    return run_by_form(job, [&]<class Form>() { return estimate_by_rows<Form>(job); });
}

/* --- The engines. */

static_assert(sizeof(int8_filter) <= MOST_STATE_BYTES, "there is room for a state");

/* clang-format off */
#define ENGINE(NAME) .op = OP_SMOOTH, .name = "fused:" NAME, .backend = ON_GPU

const struct variant fused_engines[] = {
    {ENGINE("float_window"),
     .description = "floats by doubles, with the window's rows in registers",
     .refuses = float_window_refuses,
     .run = launch_float_windows,
     .lies_well = lies_in_units},
    {ENGINE("small"),
     .description = "a small image, or many, by one kernel",
     .refuses = small_refuses,
     .run = small_run,
     .takes_stack = always,
     .pays = small_pays},
    {ENGINE("weighted"),
     .description = "colours that alpha weighs, by quotients of doubles",
     .refuses = weighted_refuses,
     .run = weighted_run,
     .pays = weighted_pays},
    {ENGINE("fft"),
     .description = "Fourier transforms in doubles",
     .refuses = fft_refuses,
     .scratch_bytes = fft_scratch_bytes,
     .run = fft_run,
     .pays = fft_pays},
    {ENGINE("fp16"),
     .description = "half floats on tensor cores",
     .refuses = fp16_refuses,
     .scratch_bytes = fp16_bytes,
     .run = fp16_run,
     .lies_well = lies_in_units,
     .pays = fp16_pays,
     .prepare = int8_prepare},
    {ENGINE("window"),
     .description = "doubles or integers, with the window's rows in registers",
     .refuses = window_refuses,
     .scratch_bytes = aligned_list_bytes,
     .run = window_run,
     .lies_well = lies_in_units,
     .pays = window_pays},
    {ENGINE("int8_in_place"),
     .description = "bytes on tensor cores; warps repair their own samples",
     .refuses = int8_refuses<true>,
     .scratch_bytes = aligned_list_bytes,
     .run = int8_run<true>,
     .lies_well = int8_lies_well<true>,
     .pays = in_place_pays,
     .prepare = int8_prepare},
    {ENGINE("int8"),
     .description = "bytes on tensor cores; another kernel repairs",
     .refuses = int8_refuses<false>,
     .scratch_bytes = aligned_list_bytes,
     .run = int8_run<false>,
     .lies_well = int8_lies_well<false>,
     .pays = int8_pays,
     .prepare = int8_prepare},
    {ENGINE("lines"),
     .description = "any job by doubles, one axis after the other",
     .refuses = refuses_weighted_floats,
     .scratch_bytes = lines_bytes,
     .run = lines_run,
     .pays = lines_pay},
    {ENGINE("rows"),
     .description = "doubles or integers, row by row",
     .refuses = rows_refuses,
     .scratch_bytes = aligned_list_bytes,
     .run = rows_run},
    {ENGINE("exact"),
     .description = "the definition's integers, one axis after the other",
     .refuses = exact_refuses,
     .scratch_bytes = exact_bytes,
     .run = exact_run},
    {.op = OP_SMOOTH, .name = NULL, .backend = ON_GPU, .description = NULL},
};
/* clang-format on */

DEFINE_VARIANT(smooth_fused) = {
    .op = OP_SMOOTH,
    .name = "fused",
    .backend = ON_GPU,
    .description = "separable, by the quickest of its engines",
    .refuses = refuses_weighted_floats,
    .engines = fused_engines,
};
