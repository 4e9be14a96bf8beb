/* SPDX-License-Identifier: MIT */
/* Smooth, separable: horizontal sums in a ring of rows, vertical sums over the ring, in arithmetic
 * that is fast and proved right, or put right. 8-bit samples go through smooth_u8.h, everything
 * else through smooth_doubles.h, colours that alpha weighs through smooth_weighted.h, where the
 * methods are explained. */
#include "exact.h"
#include "parallel.h"
#include "sample.h"
#include "smooth_doubles.h"
#include "smooth_u8.h"
#include "smooth_u8_weights.h"
#include "smooth_weighted.h"
#include "variant.h"

#define RING_BYTES (128 * 1024) /* aim for the ring of doubles: half of a small L2 cache */
#define TILE_MAX 1024           /* samples */
#define TILE_MIN 64

static int64_t tile_of(int64_t halo)
{
    const int64_t fitting = RING_BYTES / (int64_t)sizeof(double) / (2 * halo + 2) / LANES * LANES;

    return fitting < TILE_MIN ? TILE_MIN : fitting > TILE_MAX ? TILE_MAX : fitting;
}

static size_t scratch_bytes(const struct job *job)
{
    const size_t separate = smooth_u8_serves(job) ? smooth_u8_scratch_bytes(job)
                                                  : smooth_doubles_bytes(job, tile_of(job->halo)) *
                                                        (size_t)job->threads;
    const size_t weighted = job->weighted ? smooth_weighted_scratch_bytes(job) : 0;

    return separate > weighted ? separate : weighted;
}

static void smooth_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct job *job = context;
    const int64_t tile = tile_of(job->halo), row_samples = job->src.width * job->src.channels;
    struct smooth_doubles doubles;

    smooth_doubles_open(&doubles, job, tile,
                        (char *)job->scratch + (size_t)band * smooth_doubles_bytes(job, tile));
    for (int64_t x = 0; x < row_samples; x += tile) {
        smooth_doubles_segment(&doubles, x, row_samples - x < tile ? row_samples - x : tile);
        for (int64_t y = first; y < last; y += 2)
            smooth_doubles_rows(&doubles, y, last);
    }
}

/* Are all samples of row y that stand where alpha does the same as `alpha`, in the border too? */
static bool row_is_even(const struct job *job, int64_t y, uint32_t alpha)
{
    const struct view *src = &job->src;
    const int64_t n = src->width + 2 * job->halo, step = src->channels;
    const void *row = sample_address(src, y, -job->halo, src->channels - 1);
    uint32_t differences = 0;

    if (src->sample_bytes == 1)
        for (int64_t x = 0; x < n; x++)
            differences |= ((const uint8_t *)row)[x * step] ^ alpha;
    else
        for (int64_t x = 0; x < n; x++)
            differences |= ((const uint16_t *)row)[x * step] ^ alpha;
    return differences == 0;
}

/* Whether a look at alpha would make no difference: where it is the same everywhere, and not 0, and
 * the weights sum to one, it cancels out of N / A, and leaves a channel's own sum. So opaque
 * images, which most images with alpha are, cost no more than others. */
static bool counts_alike(const struct job *job)
{
    const uint32_t alpha = sample_get(&job->src, 0, 0, job->src.channels - 1);
    uint64_t sum = 0;
    bool even = alpha > 0;

    for (int64_t k = 0; k <= 2 * job->halo; k++)
        sum += job->weights[k];
    for (int64_t y = -job->halo; y < job->src.height + job->halo && even; y++)
        even = row_is_even(job, y, alpha);
    return even && sum == (uint64_t)1 << WEIGHT_BITS;
}

static const char *run(const struct job *job)
{
    if (job->weighted && !counts_alike(job))
        return smooth_weighted_run(job);
    if (smooth_u8_serves(job))
        return smooth_u8_run(job);
    parallel_rows(job->threads, job->src.height, smooth_band, job);
    return NULL;
}

DEFINE_VARIANT(smooth_cpu) = {
    .op = OP_SMOOTH,
    .name = "cpu",
    .place = ON_CPU,
    .reference = false,
    .about = "separable; proved right or put right; threads",
    .refuses = NULL,
    .scratch_bytes = scratch_bytes,
    .run = run,
};
