/* SPDX-License-Identifier: MIT */
/* Smooth, separable: horizontal sums in a ring of rows, vertical sums over the ring (cpu/ring.h),
 * in arithmetic that is fast, and proved right or computed again. 8-bit samples go through u8/u8.h,
 * colours that alpha weighs through weighted/weighted.h, all others through cpu/doubles.h. Large
 * halos have no ring: cosines/cosines.h. */
#include "kernels/common/exact.h"
#include "kernels/common/sample.h"
#include "kernels/smooth/cpu/cosines/cosines.h"
#include "kernels/smooth/cpu/doubles.h"
#include "kernels/smooth/cpu/u8/u8.h"
#include "kernels/smooth/cpu/u8/weights.h"
#include "kernels/smooth/cpu/weighted/weighted.h"
#include "kernels/variant.h"

static size_t scratch_bytes(const struct job *job)
{
    const size_t direct =
        smooth_u8_serves(job) ? smooth_u8_scratch_bytes(job) : smooth_doubles_scratch_bytes(job);
    const size_t cosines = smooth_cosines_pay(job) ? smooth_cosines_scratch_bytes(job) : 0;
    const size_t weighted = job->weighted ? smooth_weighted_scratch_bytes(job) : 0;
    const size_t separate = direct > cosines ? direct : cosines;

    return separate > weighted ? separate : weighted;
}

/* True if the alpha of row y equals `alpha` wherever the filter reaches. */
static bool row_is_even(const struct job *job, int64_t y, uint32_t alpha)
{
    const struct view *src = &job->src;
    const int64_t n = src->width + 2 * job->halo_x, step = src->channels;
    const void *row = sample_address(src, y, -job->halo_x, src->channels - 1);
    uint32_t differences = 0;

    if (src->sample_bytes == 1)
        for (int64_t x = 0; x < n; x++)
            differences |= ((const uint8_t *)row)[x * step] ^ alpha;
    else
        for (int64_t x = 0; x < n; x++)
            differences |= ((const uint16_t *)row)[x * step] ^ alpha;
    return differences == 0;
}

static bool sum_to_one(const uint64_t *weights, int64_t halo)
{
    uint64_t sum = 0;

    for (int64_t k = 0; k <= 2 * halo; k++)
        sum += weights[k];
    return sum == (uint64_t)1 << WEIGHT_BITS;
}

/* Whether a look at alpha would make no difference: where it is the same everywhere, and not 0, and
 * the weights sum to one, it cancels out of N / A, and leaves a channel's own sum. So opaque
 * images, which most images with alpha are, cost no more than others. */
static bool counts_alike(const struct job *job)
{
    const uint32_t alpha = sample_get(&job->src, 0, 0, job->src.channels - 1);
    bool even = alpha > 0 && sum_to_one(job->weights_x, job->halo_x) &&
                sum_to_one(job->weights_y, job->halo_y);

    for (int64_t y = -job->halo_y; y < job->src.height + job->halo_y && even; y++)
        even = row_is_even(job, y, alpha);
    return even;
}

static const char *run(const struct job *job)
{
    if (job->weighted && !counts_alike(job))
        return smooth_weighted_run(job);
    if (smooth_cosines_pay(job) && smooth_cosines_run(job))
        return NULL;
    return smooth_u8_serves(job) ? smooth_u8_run(job) : smooth_doubles_run(job);
}

DEFINE_VARIANT(smooth_cpu) = {
    .op = OP_SMOOTH,
    .name = "cpu",
    .backend = ON_CPU,
    .description = "separable; proved right or computed again; threads",
    .scratch_bytes = scratch_bytes,
    .run = run,
};
