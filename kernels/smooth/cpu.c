/* SPDX-License-Identifier: MIT */
/* Smooth, separable: horizontal sums in a ring of rows, vertical sums over the ring (cpu/ring.h),
 * in arithmetic that is fast, and proved right or computed again. Large halos have no ring:
 * cpu/cosines. */
#include "kernels/common/engine.h"
#include "kernels/smooth/arrays/images.h"
#include "kernels/smooth/cpu/cosines/cosines.h"
#include "kernels/smooth/cpu/cosines/plan.h"
#include "kernels/smooth/cpu/floats/floats.h"
#include "kernels/smooth/cpu/u8/u8.h"
#include "kernels/smooth/cpu/u8/weights.h"
#include "kernels/smooth/cpu/weighted/even.h"
#include "kernels/smooth/cpu/weighted/weighted.h"
#include "kernels/smooth/floats/floats.h"
#include "kernels/smooth/source.h"

enum { ENGINES = 4 };

static const struct engine engines[ENGINES];

/* Whether a look at alpha would make no difference: where it is the same everywhere, and not 0, and
 * the weights sum to one, it cancels out of N / A, and leaves a channel's own sum. So opaque
 * images, which most images with alpha are, cost no more than others. */
static bool counts_alike(const struct piece *piece)
{
    const struct request *request = piece->request;
    const struct view *src = &piece->src;
    const uint32_t first = sample_get(src, 0, 0, src->channels - 1);
    const int64_t left = source_samples_left(piece), right = source_samples_right(piece);
    uint32_t alpha = first;
    bool even = first > 0 && even_alpha_cancels(request) &&
                (source_has_all(piece) || request->edge != EDGE_ZERO);

    for (int64_t y = -request->halo_y; y < src->height + request->halo_y && even; y++) {
        const char *row = source_row(piece, y);

        row -= left * src->sample_bytes;
        even = even_alpha_in_row(src, row, src->width + (left + right) / src->channels, &alpha) &&
               alpha == first;
    }
    return even;
}

/* --- About how long engines take. A tap of bytes by u8 takes 26 ps on one thread of a Zen 5; what
 * the others take, in its units, was measured at levels base, avx2 and vnni. */
#define TAP 26e-12
#define DOUBLES_TAP 1.875
#define COSINES_TAPS 120 /* that cosines take as long as, whatever the halo */

static double taps_of(const struct request *request)
{
    return (double)(request->halo_x + request->halo_y) * (double)request->src.channels *
           (double)request->src.width * (double)request->src.height;
}

static double u8_seconds(const struct request *request)
{
    return TAP * taps_of(request);
}

static double doubles_seconds(const struct request *request)
{
    return DOUBLES_TAP * TAP * taps_of(request);
}

/* Samples beside a segment, and above a thread's rows, cost as much as others. */
static double cosines_seconds(const struct request *request)
{
    const struct view *src = &request->src;
    const double rows = (double)((src->height - 1) / request->threads + 1);
    const double with_border =
        ((double)src->width + 2 * (double)request->halo_x) * (rows + 2 * (double)request->halo_y);

    return COSINES_TAPS * TAP * (double)src->channels * with_border * request->threads;
}

/* --- cpu:cosines */

static const char *cosines_refuses(const struct request *request)
{
    const char *refusal = refuses_all_but_integers(request);

    return refusal ? refusal : smooth_cosines_refuses(request);
}

static const char *cosines_make(const struct request *request, void *state)
{
    return cosines_prepare(request, state) ? NULL : "the weights are no sum of cosines";
}

static size_t cosines_scratch_bytes(const struct request *request, const void *state)
{
    (void)state;
    return smooth_cosines_scratch_bytes(request);
}

/* --- cpu:u8 */

static size_t u8_scratch_bytes(const struct request *request, const void *state)
{
    (void)state;
    return ring_scratch_bytes(&smooth_u8, request);
}

static const char *u8_make(const struct request *request, void *state)
{
    smooth_u8_prepare(request, state);
    return NULL;
}

static const char *u8_run(const struct piece *piece)
{
    ring_run(&smooth_u8, piece);
    return NULL;
}

static const char *u8_refuses(const struct request *request)
{
    const char *refusal = refuses_all_but_integers(request);

    return refusal                     ? refusal
           : smooth_u8_serves(request) ? NULL
                                       : "its integers are for 8 bits and halos to 96";
}

/* --- cpu:lines */

static const char *lines_refuses(const struct request *request)
{
    return arrays_of_images_refuses(request) ? refuses_weighted_floats(request)
                                             : "each sample counts as much as others";
}

/* With alpha: what computes images in which it makes no difference, and rows. */
struct separate {
    struct request request;
    const struct engine *engine;
    _Alignas(64) union {
        struct image_state arrays;
        struct cosines_plan cosines;
        struct smooth_u8_weights u8;
    } state;
    struct smooth_u8_weights rows; /* where u8 serves */
};

/* There is an engine: arrays does any such request. */
static void separate_make(struct separate *separate)
{
    struct offers offers = offers_of(engines, ENGINES, &separate->request);

    do
        separate->engine = offers_take(&offers);
    while (separate->engine->make && separate->engine->make(&separate->request, &separate->state));
}

static const char *lines_make(const struct request *request, void *state)
{
    struct separate *separate = state;

    if (request->weighted) {
        separate->request = *request;
        separate->request.weighted = false;
        separate_make(separate);
        if (smooth_u8_serves(request))
            smooth_u8_prepare(request, &separate->rows);
    }
    return NULL;
}

static size_t lines_scratch_bytes(const struct request *request, const void *state)
{
    const struct separate *separate = state;
    size_t alike, weighted;

    if (smooth_floats_serves(request))
        return smooth_floats_scratch_bytes(request);
    alike = separate->engine->scratch_bytes(&separate->request, &separate->state);
    weighted = smooth_weighted_scratch_bytes(request);
    return alike > weighted ? alike : weighted;
}

static const char *lines_run(const struct piece *piece)
{
    const struct separate *separate = piece->state;
    struct piece weighted = *piece, alike = *piece;

    if (smooth_floats_serves(piece->request))
        return smooth_floats_run(piece);
    weighted.state = &separate->rows;
    alike.request = &separate->request;
    alike.state = &separate->state;
    return counts_alike(piece) ? separate->engine->run(&alike) : smooth_weighted_run(&weighted);
}

static const struct engine engines[ENGINES] = {
    {.name = "cpu:cosines",
     .description = "sums of cosines, whose price does not grow with the halo",
     .refuses = cosines_refuses,
     .seconds = cosines_seconds,
     .make = cosines_make,
     .state_bytes = sizeof(struct cosines_plan),
     .scratch_bytes = cosines_scratch_bytes,
     .run = smooth_cosines_run},
    {.name = "cpu:u8",
     .description = "8 bits, by integers along the rows and floats down the columns",
     .refuses = u8_refuses,
     .seconds = u8_seconds,
     .make = u8_make,
     .state_bytes = sizeof(struct smooth_u8_weights),
     .scratch_bytes = u8_scratch_bytes,
     .run = u8_run},
    {.name = "cpu:arrays",
     .description = "any samples, by the engine of arrays",
     .refuses = arrays_of_images_refuses,
     .seconds = doubles_seconds,
     .make = arrays_of_images_make,
     .state_bytes = sizeof(struct image_state),
     .scratch_bytes = arrays_of_images_scratch_bytes,
     .run = arrays_of_images_run},
    {.name = "cpu:lines",
     .description = "means: of colours that alpha weighs, of floats but for NaN; doubles",
     .refuses = lines_refuses,
     .seconds = doubles_seconds,
     .make = lines_make,
     .state_bytes = sizeof(struct separate),
     .scratch_bytes = lines_scratch_bytes,
     .run = lines_run},
};

DEFINE_VARIANT(smooth_cpu) = {
    .op = OP_SMOOTH,
    .name = "cpu",
    .backend = ON_CPU,
    .description = "separable; proved right or computed again; threads",
    .engines = engines,
    .count = ENGINES,
};
