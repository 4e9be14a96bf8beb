/* SPDX-License-Identifier: MIT */
/* Smooth, separable: horizontal sums in a ring of rows, vertical sums over the ring, in arithmetic
 * that is fast and proved right, or put right. 8-bit samples go through smooth_u8.h, everything
 * else, and colours that alpha weighs, through smooth_doubles.h, where the methods are explained.
 */
#include "parallel.h"
#include "smooth_doubles.h"
#include "smooth_u8.h"
#include "smooth_u8_weights.h"
#include "variant.h"

#define RING_BYTES (128 * 1024) /* aim for the ring of doubles: half of a small L2 cache */
#define TILE_MAX 1024           /* samples */
#define TILE_MIN 64

static int64_t tile_of(const struct job *job)
{
    const int64_t rows = 2 * job->halo + 2, pixel = (job->src.channels + LANES - 1) / LANES * LANES;
    const int64_t fitting = RING_BYTES / (int64_t)sizeof(double) / rows / LANES * LANES;
    const int64_t tile = fitting < TILE_MIN ? TILE_MIN : fitting > TILE_MAX ? TILE_MAX : fitting;

    return job->weighted && tile < pixel ? pixel : tile;
}

static size_t scratch_bytes(const struct job *job)
{
    if (smooth_u8_serves(job) && !job->weighted)
        return smooth_u8_scratch_bytes(job);
    return smooth_doubles_bytes(job, tile_of(job)) * (size_t)job->threads;
}

static void smooth_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct job *job = context;
    const int64_t tile = tile_of(job), row_samples = job->src.width * job->src.channels;
    const int64_t most = job->weighted ? tile / job->src.channels * job->src.channels : tile;
    struct smooth_doubles doubles;

    smooth_doubles_open(&doubles, job, tile,
                        (char *)job->scratch + (size_t)band * smooth_doubles_bytes(job, tile));
    for (int64_t x = 0; x < row_samples; x += most) {
        smooth_doubles_segment(&doubles, x, row_samples - x < most ? row_samples - x : most);
        for (int64_t y = first; y < last; y += 2)
            smooth_doubles_rows(&doubles, y, last);
    }
}

static const char *run(const struct job *job)
{
    if (smooth_u8_serves(job) && !job->weighted)
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
