/* SPDX-License-Identifier: MIT */
/* Variants (implementations of an operation) that are wrong on purpose, in ways in which real
 * variants go wrong. The random requests of tests/random must find each of them; otherwise these
 * requests prove nothing about real variants. */
#include "kernels/common/exact.h"
#include "src/files/image/image.h"
#include "kernels/common/sample.h"
#include "kernels/smooth/cpu/u8/u8.h"
#include "kernels/smooth/source.h"
#include "tests/variants/broken/broken.h"

#include <string.h>

#define BROKEN(OP, STEM, NAME, ABOUT) BROKEN_ENGINE(OP, STEM, NAME, ABOUT, .run = STEM)

static const char *smooth_lazy(const struct piece *piece)
{
    (void)piece;
    return NULL;
}
BROKEN(OP_SMOOTH, smooth_lazy, "lazy", "writes nothing");

static const char *smooth_short(const struct piece *piece)
{
    struct piece shorter = *piece;

    shorter.src.width = shorter.dst.width -= piece->dst.width > 1;
    return variant_smooth_reference.engines->run(&shorter);
}
BROKEN(OP_SMOOTH, smooth_short, "short", "leaves the last column out");

static const char *smooth_offbyone(const struct piece *piece)
{
    const int64_t y = piece->dst.height - 1, x = piece->dst.width - 1;

    variant_smooth_reference.engines->run(piece);
    sample_set(&piece->dst, y, x, 0, sample_get(&piece->dst, y, x, 0) ^ 1);
    return NULL;
}
BROKEN(OP_SMOOTH, smooth_offbyone, "offbyone", "wrong by one in the last pixel");

static const char *smooth_spill(const struct piece *piece)
{
    variant_smooth_reference.engines->run(piece);
    sample_set(&piece->dst, 0, piece->dst.width, 0, 0);
    return NULL;
}
BROKEN(OP_SMOOTH, smooth_spill, "spill", "writes one sample past the end of a row");

static const char *smooth_scribble(const struct piece *piece)
{
    variant_smooth_reference.engines->run(piece);
    sample_set(&piece->src, 0, 0, 0, sample_get(&piece->src, 0, 0, 0) ^ 1);
    return NULL;
}
BROKEN(OP_SMOOTH, smooth_scribble, "scribble", "changes its source");

/* Returns an estimate of the weighted sum of a window, computed in doubles. The estimate, rounded
 * to an integer, is a wrong sample only if the exact sum is at least as near to an integer + 1/2 as
 * to the estimate. */
static double estimate(const struct piece *piece, int64_t y, int64_t x, int32_t channel)
{
    double total = 0;

    for (int64_t i = 0; i <= 2 * piece->request->halo_y; i++) {
        double row = 0;

        for (int64_t j = 0; j <= 2 * piece->request->halo_x; j++)
            row += (double)piece->request->weights_x[j] * 0x1p-46 *
                   source_get(piece, y + i - piece->request->halo_y, x + j - piece->request->halo_x,
                              channel);
        total += (double)piece->request->weights_y[i] * 0x1p-46 * row;
    }
    return total;
}

static const char *smooth_unrepaired(const struct piece *piece)
{
    for (int64_t y = 0; y < piece->dst.height; y++)
        for (int64_t x = 0; x < piece->dst.width; x++)
            for (int32_t c = 0; c < piece->dst.channels; c++) {
                const uint32_t rounded = (uint32_t)(estimate(piece, y, x, c) + 0.5);

                sample_set(&piece->dst, y, x, c,
                           rounded < piece->request->maxval ? rounded : piece->request->maxval);
            }
    return NULL;
}
/* Refuses images with alpha, and floats: with these, estimate() would be wrong not only near an
 * integer + 1/2. */
static const char *refuses_others(const struct request *request)
{
    return request->weighted || request->maxval == FLOAT_SAMPLES
               ? "alpha weighs, or samples are floats"
               : NULL;
}
BROKEN_ENGINE(OP_SMOOTH, smooth_unrepaired, "unrepaired",
              "rounds doubles without the test and the repair", .refuses = refuses_others,
              .run = smooth_unrepaired);

/* Makes the state of smooth_cpu's engine for 8-bit samples, but with a limit of 0, so that the
 * engine accepts nearly all of its estimates. With the right limit, the engine computes a sample
 * again if its estimate is so near an integer + 1/2 that the error may change the rounding. */
static const char *make_undoubting(const struct request *request, void *state)
{
    struct smooth_u8_weights *weights = state;

    if (!smooth_u8_refuses(request)) {
        smooth_u8_make(request, weights);
        weights->unresolved_limit = 0;
    }
    return NULL;
}

static size_t scratch_bytes(const struct request *request, const void *state)
{
    return smooth_u8_refuses(request) ? 0 : smooth_u8_scratch_bytes(request, state);
}

static const char *smooth_undoubting(const struct piece *piece)
{
    return smooth_u8_refuses(piece->request) ? variant_smooth_reference.engines->run(piece)
                                             : smooth_u8_run(piece);
}
BROKEN_ENGINE(OP_SMOOTH, smooth_undoubting, "undoubting", "the 8-bit estimate without its test",
              .make = make_undoubting, .state_bytes = sizeof(struct smooth_u8_weights),
              .scratch_bytes = scratch_bytes, .run = smooth_undoubting);

/* --- Variants that are wrong only for images with alpha. For others they run the reference. */

static void sum_window(const struct piece *piece, int64_t y, int64_t x, int32_t channel,
                       uint128 *colours, uint128 *cover)
{
    const uint64_t *wx = piece->request->weights_x + piece->request->halo_x,
                   *wy = piece->request->weights_y + piece->request->halo_y;

    for (int64_t i = -piece->request->halo_y; i <= piece->request->halo_y; i++)
        for (int64_t j = -piece->request->halo_x; j <= piece->request->halo_x; j++) {
            const uint32_t alpha = source_get(piece, y + i, x + j, piece->src.channels - 1);
            const uint32_t colour = source_get(piece, y + i, x + j, channel);

            *cover += (uint128)wy[i] * wx[j] * alpha;
            *colours += (uint128)wy[i] * wx[j] * alpha * colour;
        }
}

/* Runs the reference. In images with alpha, replaces each colour c of the reference's result by
 * mend(piece, colours, cover, c). `colours` is the sum of weight * alpha * colour over the window,
 * and `cover` the sum of weight * alpha. */
static const char *mend_colours(const struct piece *piece,
                                uint32_t (*mend)(const struct piece *piece, uint128 colours,
                                                 uint128 cover, uint32_t right))
{
    variant_smooth_reference.engines->run(piece);
    for (int64_t y = 0; y < piece->dst.height && piece->request->weighted; y++)
        for (int64_t x = 0; x < piece->dst.width; x++)
            for (int32_t c = 0; c < piece->dst.channels - 1; c++) {
                uint128 colours = 0, cover = 0;

                sum_window(piece, y, x, c, &colours, &cover);
                sample_set(&piece->dst, y, x, c,
                           mend(piece, colours, cover, sample_get(&piece->dst, y, x, c)));
            }
    return NULL;
}

static const char *smooth_bleeding(const struct piece *piece)
{
    struct request separate = *piece->request;

    separate.weighted = false;
    return run_reference(&separate, piece);
}
BROKEN(OP_SMOOTH, smooth_bleeding, "bleeding", "smooths colours without a look at alpha");

static uint32_t blacken(const struct piece *piece, uint128 colours, uint128 cover, uint32_t right)
{
    (void)piece, (void)colours;
    return exact_is_zero(cover) ? 0 : right;
}

static const char *smooth_blackening(const struct piece *piece)
{
    return mend_colours(piece, blacken);
}
BROKEN(OP_SMOOTH, smooth_blackening, "blackening", "has no colour where nothing is visible");

static uint32_t overlook(const struct piece *piece, uint128 colours, uint128 cover, uint32_t right)
{
    (void)piece, (void)colours;
    return !exact_is_zero(cover) && cover < (uint128)1 << (2 * WEIGHT_BITS - 24) ? 0 : right;
}

static const char *smooth_shortsighted(const struct piece *piece)
{
    return mend_colours(piece, overlook);
}
BROKEN(OP_SMOOTH, smooth_shortsighted, "shortsighted", "overlooks traces of alpha");

static uint32_t round_down(const struct piece *piece, uint128 colours, uint128 cover,
                           uint32_t right)
{
    (void)piece;
    return !exact_is_zero(cover) && 2 * (colours % cover) == cover ? right - 1 : right;
}

static const char *smooth_descending(const struct piece *piece)
{
    return mend_colours(piece, round_down);
}
BROKEN(OP_SMOOTH, smooth_descending, "descending", "rounds a mean that is a half down");

static uint32_t divide(const struct piece *piece, uint128 colours, uint128 cover, uint32_t right)
{
    (void)piece;
    return exact_is_zero(cover) ? right
                                : (uint32_t)((double)colours / (double)cover * (1 - 1e-15) + 0.5);
}

static const char *smooth_untested(const struct piece *piece)
{
    return mend_colours(piece, divide);
}
BROKEN(OP_SMOOTH, smooth_untested, "untested", "rounds means in doubles without the test");

/* --- Variants that transpose and reverse. */

static const char *transpose_square(const struct piece *piece)
{
    struct piece square = *piece;
    const int64_t side =
        piece->src.width < piece->src.height ? piece->src.width : piece->src.height;

    square.src.width = square.src.height = square.dst.width = square.dst.height = side;
    return variant_transpose_reference.engines->run(&square);
}
BROKEN(OP_TRANSPOSE, transpose_square, "square", "forgets what is beyond the square");

static const char *reverse_samples(const struct piece *piece)
{
    struct piece flat = *piece;

    flat.src.width = flat.dst.width = piece->src.width * piece->src.channels;
    flat.src.channels = flat.dst.channels = 1;
    return variant_reverse_reference.engines->run(&flat);
}
BROKEN(OP_REVERSE, reverse_samples, "samples", "reverses the channels of a pixel too");

/* Reads a sample that does not exist, without using its value. */
static void peek(const struct view *src, int64_t y, int64_t x)
{
    (void)*(const volatile uint8_t *)sample_address(src, y, x, 0);
}

static const char *transpose_greedy(const struct piece *piece)
{
    peek(&piece->src, piece->src.height - 1, piece->src.width);
    return variant_transpose_reference.engines->run(piece);
}
BROKEN(OP_TRANSPOSE, transpose_greedy, "greedy", "reads one sample past the end of a row");

static const char *reverse_early(const struct piece *piece)
{
    peek(&piece->src, 0, -1);
    return variant_reverse_reference.engines->run(piece);
}
BROKEN(OP_REVERSE, reverse_early, "early", "reads one pixel before the first row");

static const char *reverse_untailed(const struct piece *piece)
{
    const int64_t tail = piece->src.width % 32;
    struct piece whole = *piece;

    whole.src.width = whole.dst.width = piece->src.width - tail;
    whole.dst.origin = sample_address(&piece->dst, 0, tail, 0);
    return variant_reverse_reference.engines->run(&whole);
}
BROKEN(OP_REVERSE, reverse_untailed, "untailed", "leaves the ragged end of a row");

static const char *refuse(const struct request *request)
{
    (void)request;
    return "it does not feel like it";
}
BROKEN_ENGINE(OP_REVERSE, reverse_unwilling, "unwilling", "refuses everything", .refuses = refuse);
