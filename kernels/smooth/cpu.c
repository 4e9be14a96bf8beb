/* SPDX-License-Identifier: MIT */
/* Smooth, separable: horizontal sums in a ring of rows, vertical sums over the ring (cpu/ring.h),
 * in arithmetic that is fast, and proved right or computed again. 8-bit samples go through u8/u8.h,
 * colours that alpha weighs through weighted/weighted.h, all others through cpu/doubles/doubles.h.
 * Large halos have no ring: cosines/cosines.h. */
#include "kernels/common/exact.h"
#include "kernels/common/sample.h"
#include "kernels/smooth/cpu/cosines/cosines.h"
#include "kernels/smooth/cpu/doubles/doubles.h"
#include "kernels/smooth/cpu/floats/floats.h"
#include "kernels/smooth/cpu/u8/u8.h"
#include "kernels/smooth/cpu/u8/weights.h"
#include "kernels/smooth/cpu/weighted/even.h"
#include "kernels/smooth/cpu/weighted/weighted.h"
#include "kernels/smooth/floats/floats.h"
#include "kernels/variant.h"

static size_t scratch_bytes(const struct job *job)
{
    if (smooth_floats_serves(job))
        return smooth_floats_scratch_bytes(job);

    const size_t direct =
        smooth_u8_serves(job) ? smooth_u8_scratch_bytes(job) : smooth_doubles_scratch_bytes(job);
    const size_t cosines = smooth_cosines_pay(job) ? smooth_cosines_scratch_bytes(job) : 0;
    const size_t weighted = job->weighted ? smooth_weighted_scratch_bytes(job) : 0;
    const size_t separate = direct > cosines ? direct : cosines;

    return separate > weighted ? separate : weighted;
}

/* Whether a look at alpha would make no difference: where it is the same everywhere, and not 0, and
 * the weights sum to one, it cancels out of N / A, and leaves a channel's own sum. So opaque
 * images, which most images with alpha are, cost no more than others. */
static bool counts_alike(const struct job *job)
{
    const struct view *src = &job->src;
    const uint32_t first = sample_get(src, 0, 0, src->channels - 1);
    uint32_t alpha = first;
    bool even = first > 0 && even_alpha_cancels(job);

    for (int64_t y = -job->halo_y; y < src->height + job->halo_y && even; y++)
        even = even_alpha_in_row(src, y, -job->halo_x, src->width + 2 * job->halo_x, &alpha) &&
               alpha == first;
    return even;
}

static const char *run(const struct job *job)
{
    if (smooth_floats_serves(job))
        return smooth_floats_run(job);
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
    .refuses = refuses_weighted_floats,
    .scratch_bytes = scratch_bytes,
    .run = run,
};
