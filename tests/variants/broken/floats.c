/* SPDX-License-Identifier: MIT */
/* Variants that are wrong for floats only. */
#include "kernels/common/float_sum.h"
#include "kernels/common/sample.h"
#include "kernels/smooth/floats/floats.h"
#include "kernels/smooth/source.h"
#include "kernels/variant.h"

#include <string.h>

extern const struct variant variant_smooth_reference;

#define BROKEN(STEM, NAME, ABOUT)                                                                  \
    DEFINE_VARIANT(STEM) = {.op = OP_SMOOTH,                                                       \
                            .name = NAME,                                                          \
                            .backend = ON_CPU,                                                     \
                            .description = ABOUT,                                                  \
                            .refuses = refuses_weighted_floats,                                    \
                            .run = STEM}

static double value_at(const struct job *job, int64_t y, int64_t x, int32_t channel)
{
    const uint32_t bits = source_get(job, y, x, channel);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The sum in doubles, rounded to a float: wrong where the sum is as good as half way between two,
 * or vanishes. What is not finite is as it should be. */
static uint32_t estimate(const struct job *job, int64_t y, int64_t x, int32_t channel)
{
    double total = 0;
    uint32_t bits;
    float rounded;

    for (int64_t i = 0; i <= 2 * job->halo_y; i++)
        for (int64_t j = 0; j <= 2 * job->halo_x; j++)
            if (job->weights_y[i] > 0 && job->weights_x[j] > 0)
                total += (double)job->weights_y[i] * (double)job->weights_x[j] * 0x1p-92 *
                         value_at(job, y + i - job->halo_y, x + j - job->halo_x, channel);
    rounded = (float)total;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

static const char *smooth_unrepaired_floats(const struct job *job)
{
    variant_smooth_reference.run(job);
    for (int64_t y = 0; y < job->dst.height && job->maxval == FLOAT_SAMPLES && !job->skip_nan; y++)
        for (int64_t x = 0; x < job->dst.width; x++)
            for (int32_t c = 0; c < job->dst.channels; c++)
                if (float_kind(sample_get(&job->dst, y, x, c)) == FLOAT_FINITE)
                    sample_set(&job->dst, y, x, c, estimate(job, y, x, c));
    return NULL;
}
BROKEN(smooth_unrepaired_floats, "unrepaired_floats", "trusts its doubles");

typedef uint32_t change(uint32_t bits);

static const char *run_changed(const struct job *job, change *changed)
{
    variant_smooth_reference.run(job);
    for (int64_t y = 0; y < job->dst.height && job->maxval == FLOAT_SAMPLES; y++)
        for (int64_t x = 0; x < job->dst.width; x++)
            for (int32_t c = 0; c < job->dst.channels; c++)
                sample_set(&job->dst, y, x, c, changed(sample_get(&job->dst, y, x, c)));
    return NULL;
}

static uint32_t flushed(uint32_t bits)
{
    return bits << 1 < 1u << 24 ? bits & FLOAT_SIGN : bits;
}

static const char *smooth_flushing(const struct job *job)
{
    return run_changed(job, flushed);
}
BROKEN(smooth_flushing, "flushing", "makes zeros of subnormal numbers");

static uint32_t without_sign(uint32_t bits)
{
    return bits == FLOAT_SIGN ? 0 : bits;
}

static const char *smooth_signless(const struct job *job)
{
    return run_changed(job, without_sign);
}
BROKEN(smooth_signless, "signless", "loses the sign of what rounds to zero");

/* 0 times infinity is a NaN. */
static const char *smooth_weightless(const struct job *job)
{
    uint64_t weights[2 * MAX_HALO + 1];
    struct job wider = *job;

    memcpy(weights, job->weights_x, (size_t)(2 * job->halo_x + 1) * sizeof *weights);
    for (int64_t i = 0; i <= 2 * job->halo_x && job->maxval == FLOAT_SAMPLES; i++)
        weights[i] += weights[i] == 0; /* too little to change a finite sum, but it counts */
    wider.weights_x = weights;
    return variant_smooth_reference.run(&wider);
}
BROKEN(smooth_weightless, "weightless", "counts samples that have no weight");

/* Divides by the sum of all weights. */
static const char *smooth_undivided(const struct job *job)
{
    struct job plain = *job;

    plain.skip_nan = false;
    return variant_smooth_reference.run(&plain);
}
BROKEN(smooth_undivided, "undivided", "lets a NaN spread that is skipped");
