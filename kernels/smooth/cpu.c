/* SPDX-License-Identifier: MIT */
/* Smooth, separable: horizontal sums in a ring of rows, vertical sums over the ring (cpu/ring.h),
 * in arithmetic that is fast, and proved right or computed again. Large halos have no ring:
 * cpu/cosines. */
#include "kernels/common/engine.h"
#include "kernels/smooth/cpu/cosines/cosines.h"
#include "kernels/smooth/cpu/doubles/doubles.h"
#include "kernels/smooth/cpu/floats/floats.h"
#include "kernels/smooth/cpu/u8/u8.h"
#include "kernels/smooth/cpu/u8/weights.h"
#include "kernels/smooth/cpu/weighted/even.h"
#include "kernels/smooth/cpu/weighted/weighted.h"
#include "kernels/smooth/floats/floats.h"
#include "kernels/smooth/source.h"

enum { COSINES, U8, GENERAL, ENGINES }; /* rows of the table */

extern const struct variant variant_smooth_cpu;
static const struct variant engines[ENGINES + 1];

/* Whether a look at alpha would make no difference: where it is the same everywhere, and not 0, and
 * the weights sum to one, it cancels out of N / A, and leaves a channel's own sum. So opaque
 * images, which most images with alpha are, cost no more than others. */
static bool counts_alike(const struct job *job)
{
    const struct view *src = &job->src;
    const uint32_t first = sample_get(src, 0, 0, src->channels - 1);
    const int64_t left = source_samples_left(job), right = source_samples_right(job);
    uint32_t alpha = first;
    bool even =
        first > 0 && even_alpha_cancels(job) && (source_has_all(job) || job->edge != EDGE_ZERO);

    for (int64_t y = -job->halo_y; y < src->height + job->halo_y && even; y++) {
        const char *row = source_row(job, y);

        row -= left * src->sample_bytes;
        even = even_alpha_in_row(src, row, src->width + (left + right) / src->channels, &alpha) &&
               alpha == first;
    }
    return even;
}

static struct job without_weight(const struct job *job)
{
    struct job separate = unplanned(job);

    separate.weighted = false;
    return separate;
}

static const char *cosines_refuses(const struct job *job)
{
    const char *refusal = refuses_all_but_integers(job);

    return refusal ? refusal : smooth_cosines_refuses(job);
}

static const char *cosines_prepare_plan(const struct job *job, void *state)
{
    return cosines_prepare(job, state) ? NULL : "the weights are no sum of cosines";
}

/* What computes the job if its weights are no sum of cosines. */
static const struct variant *below_cosines(const struct job *job)
{
    return engine_from(&engines[COSINES + 1], job);
}

static size_t cosines_scratch_bytes(const struct job *job)
{
    const struct job unsuited = unplanned(job);
    const size_t other = scratch_bytes_of(below_cosines(job), &unsuited);
    const size_t own = smooth_cosines_scratch_bytes(job);

    return own > other ? own : other;
}

static const char *cosines_run(const struct job *job)
{
    struct cosines_plan plan;
    struct job prepared = *job;

    if (job->state)
        return smooth_cosines_run(job);
    if (!cosines_prepare(job, &plan))
        return below_cosines(job)->run(job);
    prepared.state = &plan;
    return smooth_cosines_run(&prepared);
}

static size_t u8_scratch_bytes(const struct job *job)
{
    return ring_scratch_bytes(&smooth_u8, job);
}

static const char *u8_prepare(const struct job *job, void *state)
{
    smooth_u8_prepare(job, state);
    return NULL;
}

static const char *u8_run(const struct job *job)
{
    ring_run(&smooth_u8, job);
    return NULL;
}

static const char *u8_refuses(const struct job *job)
{
    const char *refusal = refuses_all_but_integers(job);

    return refusal                 ? refusal
           : smooth_u8_serves(job) ? NULL
                                   : "its integers are for 8 bits and halos to 96";
}

/* Of the two ways that lines_run takes with alpha, the greater. */
static size_t lines_scratch_bytes(const struct job *job)
{
    struct job separate;
    size_t alike, weighted;

    if (smooth_floats_serves(job))
        return smooth_floats_scratch_bytes(job);
    if (!job->weighted)
        return ring_scratch_bytes(&smooth_doubles, job);
    separate = without_weight(job);
    alike = scratch_bytes_of(&variant_smooth_cpu, &separate);
    weighted = smooth_weighted_scratch_bytes(job);
    return alike > weighted ? alike : weighted;
}

static const char *lines_run(const struct job *job)
{
    struct job separate;

    if (smooth_floats_serves(job))
        return smooth_floats_run(job);
    if (job->weighted && counts_alike(job)) {
        separate = without_weight(job);
        return run_stack(&variant_smooth_cpu, &separate);
    }
    if (job->weighted)
        return smooth_weighted_run(job);
    ring_run(&smooth_doubles, job);
    return NULL;
}

_Static_assert(sizeof(struct cosines_plan) <= MOST_STATE_BYTES &&
                   sizeof(struct smooth_u8_weights) <= MOST_STATE_BYTES,
               "there is room for a state");

/* clang-format off */
#define ENGINE(NAME) .op = OP_SMOOTH, .name = "cpu:" NAME, .backend = ON_CPU
/* clang-format on */

static const struct variant engines[ENGINES + 1] = {
    [COSINES] = {ENGINE("cosines"),
                 .description = "sums of cosines, whose price does not grow with the halo",
                 .pays = smooth_cosines_pay, .refuses = cosines_refuses,
                 .prepare = cosines_prepare_plan, .scratch_bytes = cosines_scratch_bytes,
                 .run = cosines_run},
    [U8] = {ENGINE("u8"),
            .description = "8 bits, by integers along the rows and floats down the columns",
            .refuses = u8_refuses, .prepare = u8_prepare, .scratch_bytes = u8_scratch_bytes,
            .run = u8_run},
    [GENERAL] = {ENGINE("lines"),
                 .description = "any samples, and colours that alpha weighs, by doubles",
                 .scratch_bytes = lines_scratch_bytes, .run = lines_run},
    [ENGINES] = {.name = NULL},
};

DEFINE_VARIANT(smooth_cpu) = {
    .op = OP_SMOOTH,
    .name = "cpu",
    .backend = ON_CPU,
    .description = "separable; proved right or computed again; threads",
    .refuses = refuses_weighted_floats,
    .engines = engines,
};
