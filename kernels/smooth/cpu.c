/* SPDX-License-Identifier: MIT */
/* Smooths on the CPU. This file has a table of three engines. A request is computed by the engine
 * with the least predicted time among those that accept it. cpu:u8 (cpu/u8/) accepts samples of 8
 * bits, and computes in integers and floats. cpu:arrays (arrays/) accepts everything, and computes
 * in doubles. cpu:cosines (arrays/host/cosines.h) replaces the weights by sums of cosines, with
 * which the time for a sample does not grow with the halo. */
#include "kernels/common/axes.h"
#include "kernels/common/engine.h"
#include "kernels/common/sample.h"
#include "kernels/smooth/arrays/host/cosines.h"
#include "kernels/smooth/cpu/u8/u8.h"
#include "kernels/smooth/floats/floats.h"
#include "kernels/smooth/source.h"

enum { ENGINES = 3 };

static const struct engine engines[ENGINES];

/* --- Predicted times, as sums over all threads. Here a tap is the product of a weight and the sum
 * of the two samples at its distance. u8 computes a tap in 26 ps on one thread of a Zen 5. The
 * other engines' times are given in taps of u8; they were measured with the instruction sets base,
 * avx2 and vnni. */
#define TAP 26e-12
#define ARRAYS_TAP 1.875 /* one tap of cpu:arrays takes as long as 1.875 taps of u8 */
#define COSINES_TAPS 120 /* a sample by sums of cosines takes as long as 120 taps, at any halo */

static double u8_seconds(const struct request *request)
{
    return TAP * (double)(request->halo_x + request->halo_y) * (double)request->src.channels *
           (double)request->src.width * (double)request->src.height;
}

static double arrays_seconds(const struct request *request)
{
    return ARRAYS_TAP * u8_seconds(request);
}

/* The recursions also run over a border: halo_x columns on each side, and halo_y rows above and
 * below the rows of each thread. A sample of the border costs as much as one of the image. */
static double cosines_seconds(const struct request *request)
{
    const struct view *src = &request->src;
    const double rows = (double)((src->height - 1) / request->threads + 1);
    const double with_border =
        ((double)src->width + 2 * (double)request->halo_x) * (rows + 2 * (double)request->halo_y);

    return COSINES_TAPS * TAP * (double)src->channels * with_border * request->threads;
}

/* --- cpu:cosines */

/* cpu:cosines needs a last pass along the image's rows. If a pixel has more than ARRAY_PIXEL
 * samples, the engine of arrays, whose passes it uses, makes the last pass along the channels; so
 * such images are refused. */
static const char *cosines_refuses(const struct request *request)
{
    const char *refusal = refuses_all_but_integers(request);

    return refusal                               ? refusal
           : request->src.channels > ARRAY_PIXEL ? "a pixel has more than 16 samples"
                                                 : NULL;
}

static const char *cosines_make(const struct request *request, void *state)
{
    return cosines_state_make(request, &cosines_limits, state)
               ? NULL
               : "the weights are no sum of cosines";
}

/* --- cpu:arrays */

/* True if all n adjacent pixels from *pixels on have this alpha, which is the last sample of a
 * pixel. */
static bool is_uniform(const struct view *src, const void *pixels, int64_t n, uint32_t alpha)
{
    const uint8_t *const bytes = pixels;
    const uint16_t *const words = pixels;
    const int64_t step = src->channels;
    uint32_t differences = 0;

    if (src->sample_bytes == 1)
        for (int64_t x = 1; x <= n; x++)
            differences |= bytes[x * step - 1] ^ alpha;
    else
        for (int64_t x = 1; x <= n; x++)
            differences |= words[x * step - 1] ^ alpha;
    return differences == 0;
}

/* True if alpha makes no difference to the piece's results. It cancels out if all pixels that the
 * filter reads have the same alpha, not 0, and the weights of each axis sum to one. (Pixels that
 * the edge rule makes zero have alpha 0.) Most images with alpha are opaque. Called only for
 * requests in which alpha weights the other samples. */
static bool is_opaque(const struct piece *piece)
{
    const struct request *request = piece->request;
    const struct view *src = &piece->src;
    const uint32_t alpha = sample_get(src, 0, 0, src->channels - 1);
    const struct beside *beside = &piece->beside;
    const int64_t left = source_reached(piece, beside->left, beside->right, request->halo_x);
    const int64_t right = source_reached(piece, beside->right, beside->left, request->halo_x);
    const int64_t above = source_reached(piece, beside->above, beside->below, request->halo_y);
    const int64_t below = source_reached(piece, beside->below, beside->above, request->halo_y);
    bool opaque =
        alpha > 0 && sums_to_one(request) && (source_has_all(piece) || request->edge != EDGE_ZERO);

    for (int64_t y = -above; y < src->height + below && opaque; y++)
        opaque = is_uniform(
            src, (const char *)source_row(piece, y) - left * src->channels * src->sample_bytes,
            src->width + left + right, alpha);
    return opaque;
}

/* The state of cpu:arrays. If alpha weights the samples, pieces in which it makes no difference
 * (is_opaque()) are computed by `engine`, which ignores alpha. */
struct arrays_state {
    struct image_state images;
    struct request alike;        /* the same request, except that alpha does not weight samples */
    const struct engine *engine; /* for opaque pieces; NULL: cpu:arrays computes them too */
    _Alignas(64) union {
        struct cosines_state cosines;
        struct smooth_u8_weights u8;
    } state;
};

static const char *arrays_run(const struct piece *piece);

/* Chooses the engine for opaque pieces, and makes its state: the first, in the order of predicted
 * times, that can make one. arrays->engine stays NULL if cpu:arrays is that engine, or if alpha
 * weights no integer samples. */
static const char *arrays_make(const struct request *request, void *state)
{
    struct arrays_state *arrays = state;
    const struct engine *sorted[MOST_ENGINES];
    const char *refusal;
    int i = 0;

    image_state_make(request, NULL, &arrays->images);
    arrays->engine = NULL;
    if (!request->weighted || request->maxval == FLOAT_SAMPLES)
        return NULL;
    arrays->alike = *request;
    arrays->alike.weighted = false;
    engines_by_time(engines, ENGINES, &arrays->alike, sorted, &refusal);
    while (sorted[i]->run != arrays_run && sorted[i]->make(&arrays->alike, &arrays->state))
        i++;
    if (sorted[i]->run != arrays_run)
        arrays->engine = sorted[i];
    return NULL;
}

static size_t arrays_scratch_bytes(const struct request *request, const void *state)
{
    const struct arrays_state *arrays = state;
    const size_t bytes = array_scratch_bytes(request, &arrays->images);
    const size_t alike =
        arrays->engine ? arrays->engine->scratch_bytes(&arrays->alike, &arrays->state) : 0;

    return alike > bytes ? alike : bytes;
}

static const char *arrays_run(const struct piece *piece)
{
    const struct arrays_state *arrays = piece->state;
    struct piece alike = *piece;

    if (!arrays->engine || !is_opaque(piece))
        return arrays_of_images_run(piece);
    alike.request = &arrays->alike;
    alike.state = &arrays->state;
    return arrays->engine->run(&alike);
}

static const struct engine engines[ENGINES] = {
    {.name = "cpu:cosines",
     .description = "sums of cosines, whose price does not grow with the halo",
     .refuses = cosines_refuses,
     .seconds = cosines_seconds,
     .make = cosines_make,
     .state_bytes = sizeof(struct cosines_state),
     .scratch_bytes = array_scratch_bytes,
     .run = arrays_of_images_run},
    {.name = "cpu:u8",
     .description = "8 bits, by integers along the rows and floats down the columns",
     .refuses = smooth_u8_refuses,
     .seconds = u8_seconds,
     .make = smooth_u8_make,
     .state_bytes = sizeof(struct smooth_u8_weights),
     .scratch_bytes = smooth_u8_scratch_bytes,
     .run = smooth_u8_run},
    {.name = "cpu:arrays",
     .description = "any samples, by the engine of arrays",
     .seconds = arrays_seconds,
     .make = arrays_make,
     .state_bytes = sizeof(struct arrays_state),
     .scratch_bytes = arrays_scratch_bytes,
     .run = arrays_run},
};

DEFINE_VARIANT(smooth_cpu) = {
    .op = OP_SMOOTH,
    .name = "cpu",
    .backend = ON_CPU,
    .description = "separable; proved right or computed again; threads",
    .engines = engines,
    .count = ENGINES,
};
