/* SPDX-License-Identifier: MIT */
/* Variants that are wrong on purpose, each in a way that real ones go wrong. The check must catch
 * every one of them; if it does not, it proves nothing about the others. */
#include "kernels/common/exact.h"
#include "src/lib/image/image.h"
#include "kernels/common/sample.h"
#include "kernels/smooth/cpu/u8/u8.h"
#include "kernels/smooth/cpu/weighted/bound.h"
#include "kernels/smooth/source.h"
#include "kernels/variant.h"

#include <string.h>

extern const struct variant variant_smooth_reference, variant_transpose_reference,
    variant_reverse_reference;

#define BROKEN(OP, STEM, NAME, ABOUT)                                                              \
    DEFINE_VARIANT(STEM) = {                                                                       \
        .op = OP, .name = NAME, .backend = ON_CPU, .description = ABOUT, .run = STEM}

/* Relies on what happened to be in the output. */
static const char *smooth_lazy(const struct job *job)
{
    (void)job;
    return NULL;
}
BROKEN(OP_SMOOTH, smooth_lazy, "lazy", "writes nothing");

/* A loop that ends one short. */
static const char *smooth_short(const struct job *job)
{
    struct job shorter = *job;

    shorter.src.width = shorter.dst.width -= job->dst.width > 1;
    return variant_smooth_reference.run(&shorter);
}
BROKEN(OP_SMOOTH, smooth_short, "short", "leaves the last column out");

/* A window that ends one short. */
static const char *smooth_cropped(const struct job *job)
{
    uint64_t weights[2 * MAX_HALO + 1];
    struct job cropped = *job;

    memcpy(weights, job->weights_x, (size_t)(2 * job->halo_x + 1) * sizeof *weights);
    weights[2 * job->halo_x] = 0;
    cropped.weights_x = weights;
    return variant_smooth_reference.run(&cropped);
}
BROKEN(OP_SMOOTH, smooth_cropped, "cropped", "skips the last column of the window");

/* The axes the other way round. src has the greater halo on all sides, and so the window is inside
 * its border, but not where the case fills it. */
static const char *smooth_turned(const struct job *job)
{
    struct job turned = *job;

    turned.halo_x = job->halo_y;
    turned.halo_y = job->halo_x;
    turned.weights_x = job->weights_y;
    turned.weights_y = job->weights_x;
    return variant_smooth_reference.run(&turned);
}
BROKEN(OP_SMOOTH, smooth_turned, "turned", "takes the weights of x for y's");

/* One sample, off by one, in a corner. */
static const char *smooth_offbyone(const struct job *job)
{
    const int64_t y = job->dst.height - 1, x = job->dst.width - 1;

    variant_smooth_reference.run(job);
    sample_set(&job->dst, y, x, 0, sample_get(&job->dst, y, x, 0) ^ 1);
    return NULL;
}
BROKEN(OP_SMOOTH, smooth_offbyone, "offbyone", "wrong by one in the last pixel");

/* Vectors that store past the end of the row. */
static const char *smooth_spill(const struct job *job)
{
    variant_smooth_reference.run(job);
    sample_set(&job->dst, 0, job->dst.width, 0, 0);
    return NULL;
}
BROKEN(OP_SMOOTH, smooth_spill, "spill", "writes one sample past the end of a row");

static const char *smooth_scribble(const struct job *job)
{
    variant_smooth_reference.run(job);
    sample_set(&job->src, 0, 0, 0, sample_get(&job->src, 0, 0, 0) ^ 1);
    return NULL;
}
BROKEN(OP_SMOOTH, smooth_scribble, "scribble", "changes its source");

/* A fast path that trusts its doubles: wrong only where the sum is as good as a half. */
static double estimate(const struct job *job, int64_t y, int64_t x, int32_t channel)
{
    double total = 0;

    for (int64_t i = 0; i <= 2 * job->halo_y; i++) {
        double row = 0;

        for (int64_t j = 0; j <= 2 * job->halo_x; j++)
            row += (double)job->weights_x[j] * 0x1p-46 *
                   source_get(job, y + i - job->halo_y, x + j - job->halo_x, channel);
        total += (double)job->weights_y[i] * 0x1p-46 * row;
    }
    return total;
}

static const char *smooth_unrepaired(const struct job *job)
{
    for (int64_t y = 0; y < job->dst.height; y++)
        for (int64_t x = 0; x < job->dst.width; x++)
            for (int32_t c = 0; c < job->dst.channels; c++) {
                const uint32_t rounded = (uint32_t)(estimate(job, y, x, c) + 0.5);

                sample_set(&job->dst, y, x, c, rounded < job->maxval ? rounded : job->maxval);
            }
    return NULL;
}
BROKEN(OP_SMOOTH, smooth_unrepaired, "unrepaired",
       "rounds doubles without the test and the repair");

/* The fast path of smooth_cpu, but with a test that next to nothing fails: what would be repaired
 * stays as it was estimated. */
static size_t scratch_bytes(const struct job *job)
{
    return smooth_u8_serves(job) ? ring_scratch_bytes(&smooth_u8, job) : 0;
}

static const char *smooth_undoubting(const struct job *job)
{
    struct smooth_u8_weights weights;
    struct job prepared = *job;

    if (!smooth_u8_serves(job))
        return variant_smooth_reference.run(job);
    smooth_u8_prepare(job, &weights);
    weights.unresolved_limit = 0;
    prepared.state = &weights;
    ring_run(&smooth_u8, &prepared);
    return NULL;
}
DEFINE_VARIANT(smooth_undoubting) = {.op = OP_SMOOTH,
                                     .name = "undoubting",
                                     .backend = ON_CPU,
                                     .description = "the 8-bit estimate without its test",
                                     .scratch_bytes = scratch_bytes,
                                     .run = smooth_undoubting};

/* --- Wrong with alpha only: elsewhere, the reference. */

static void sum_window(const struct job *job, int64_t y, int64_t x, int32_t channel,
                       uint128 *colours, uint128 *cover)
{
    const uint64_t *wx = job->weights_x + job->halo_x, *wy = job->weights_y + job->halo_y;

    for (int64_t i = -job->halo_y; i <= job->halo_y; i++)
        for (int64_t j = -job->halo_x; j <= job->halo_x; j++) {
            const uint32_t alpha = source_get(job, y + i, x + j, job->src.channels - 1);
            const uint32_t colour = source_get(job, y + i, x + j, channel);

            *cover += (uint128)wy[i] * wx[j] * alpha;
            *colours += (uint128)wy[i] * wx[j] * alpha * colour;
        }
}

/* Calls `mend` for each colour with the sums of its window, after the reference has run. */
static const char *mend_colours(const struct job *job,
                                uint32_t (*mend)(const struct job *job, uint128 colours,
                                                 uint128 cover, uint32_t right))
{
    variant_smooth_reference.run(job);
    for (int64_t y = 0; y < job->dst.height && job->weighted; y++)
        for (int64_t x = 0; x < job->dst.width; x++)
            for (int32_t c = 0; c < job->dst.channels - 1; c++) {
                uint128 colours = 0, cover = 0;

                sum_window(job, y, x, c, &colours, &cover);
                sample_set(&job->dst, y, x, c,
                           mend(job, colours, cover, sample_get(&job->dst, y, x, c)));
            }
    return NULL;
}

/* The colours of what nobody sees show. */
static const char *smooth_bleeding(const struct job *job)
{
    struct job separate = *job;

    separate.weighted = false;
    return variant_smooth_reference.run(&separate);
}
BROKEN(OP_SMOOTH, smooth_bleeding, "bleeding", "smooths colours without a look at alpha");

/* Of a window with nothing in it, it makes black. */
static uint32_t blacken(const struct job *job, uint128 colours, uint128 cover, uint32_t right)
{
    (void)job, (void)colours;
    return exact_is_zero(cover) ? 0 : right;
}

static const char *smooth_blackening(const struct job *job)
{
    return mend_colours(job, blacken);
}
BROKEN(OP_SMOOTH, smooth_blackening, "blackening", "has no colour where nothing is visible");

/* Takes so little alpha for none. */
static uint32_t overlook(const struct job *job, uint128 colours, uint128 cover, uint32_t right)
{
    (void)job, (void)colours;
    return !exact_is_zero(cover) && cover < (uint128)1 << (2 * WEIGHT_BITS - 24) ? 0 : right;
}

static const char *smooth_shortsighted(const struct job *job)
{
    return mend_colours(job, overlook);
}
BROKEN(OP_SMOOTH, smooth_shortsighted, "shortsighted", "overlooks traces of alpha");

/* Rounds a half down. */
static uint32_t round_down(const struct job *job, uint128 colours, uint128 cover, uint32_t right)
{
    (void)job;
    return !exact_is_zero(cover) && 2 * (colours % cover) == cover ? right - 1 : right;
}

static const char *smooth_descending(const struct job *job)
{
    return mend_colours(job, round_down);
}
BROKEN(OP_SMOOTH, smooth_descending, "descending", "rounds a mean that is a half down");

/* Divides in doubles, and lets it be. */
static uint32_t divide(const struct job *job, uint128 colours, uint128 cover, uint32_t right)
{
    (void)job;
    return exact_is_zero(cover) ? right
                                : (uint32_t)((double)colours / (double)cover * (1 - 1e-15) + 0.5);
}

static const char *smooth_untested(const struct job *job)
{
    return mend_colours(job, divide);
}
BROKEN(OP_SMOOTH, smooth_untested, "untested", "rounds means in doubles without the test");

/* The way of smooth_cpu as it is (meson.build beside it renames its functions), with a bound that
 * lets next to nothing be in doubt. */
double trusting_bound(const struct job *job);
size_t trusting_scratch_bytes(const struct job *job);
const char *trusting_run(const struct job *job);

double trusting_bound(const struct job *job)
{
    return 1e-3 * smooth_weighted_bound(job);
}

static size_t trusting_bytes(const struct job *job)
{
    return job->weighted ? trusting_scratch_bytes(job) : 0;
}

static const char *smooth_trusting(const struct job *job)
{
    return job->weighted ? trusting_run(job) : variant_smooth_reference.run(job);
}
DEFINE_VARIANT(smooth_trusting) = {.op = OP_SMOOTH,
                                   .name = "trusting",
                                   .backend = ON_CPU,
                                   .description = "means in floats and doubles without their test",
                                   .scratch_bytes = trusting_bytes,
                                   .run = smooth_trusting};

/* Right for squares. */
static const char *transpose_square(const struct job *job)
{
    struct job square = *job;
    const int64_t side = job->src.width < job->src.height ? job->src.width : job->src.height;

    square.src.width = square.src.height = square.dst.width = square.dst.height = side;
    return variant_transpose_reference.run(&square);
}
BROKEN(OP_TRANSPOSE, transpose_square, "square", "forgets what is beyond the square");

/* Reverses samples where it should reverse pixels. */
static const char *reverse_samples(const struct job *job)
{
    struct job flat = *job;

    flat.src.width = flat.dst.width = job->src.width * job->src.channels;
    flat.src.channels = flat.dst.channels = 1;
    return variant_reverse_reference.run(&flat);
}
BROKEN(OP_REVERSE, reverse_samples, "samples", "reverses the channels of a pixel too");

/* Uses a sample that is not there, and does not let it count. */
static void peek(const struct view *src, int64_t y, int64_t x)
{
    (void)*(const volatile uint8_t *)sample_address(src, y, x, 0);
}

static const char *transpose_greedy(const struct job *job)
{
    peek(&job->src, job->src.height - 1, job->src.width);
    return variant_transpose_reference.run(job);
}
BROKEN(OP_TRANSPOSE, transpose_greedy, "greedy", "reads one sample past the end of a row");

static const char *reverse_early(const struct job *job)
{
    peek(&job->src, 0, -1);
    return variant_reverse_reference.run(job);
}
BROKEN(OP_REVERSE, reverse_early, "early", "reads one pixel before the first row");

/* A ragged tail: whole groups of 32 pixels only. */
static const char *reverse_untailed(const struct job *job)
{
    const int64_t tail = job->src.width % 32;
    struct job whole = *job;

    whole.src.width = whole.dst.width = job->src.width - tail;
    whole.dst.origin = sample_address(&job->dst, 0, tail, 0);
    return variant_reverse_reference.run(&whole);
}
BROKEN(OP_REVERSE, reverse_untailed, "untailed", "leaves the ragged end of a row");

static const char *refuse(const struct job *job)
{
    (void)job;
    return "it does not feel like it";
}

DEFINE_VARIANT(reverse_unwilling) = {.op = OP_REVERSE,
                                     .name = "unwilling",
                                     .backend = ON_CPU,
                                     .description = "refuses everything",
                                     .refuses = refuse};
