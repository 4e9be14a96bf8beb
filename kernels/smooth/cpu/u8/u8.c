/* SPDX-License-Identifier: MIT */
/* The engine for 8-bit samples. It computes an image in segments, ranges of columns, each from top
 * to bottom. In a segment it sums along each source row into a ring buffer (ring.h), then down the
 * columns. This estimates the result; a sample whose rounding the error bound does not prove is
 * unresolved, and computed again. */
#include "kernels/smooth/cpu/u8/u8.h"

#include "kernels/common/carve.h"
#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "kernels/common/parallel.h"
#include "kernels/smooth/cpu/u8/loops.h"
#include "kernels/smooth/cpu/u8/ring.h"
#include "kernels/smooth/source.h"

#include <string.h>

/* A pair of rows is dense if both together have more unresolved samples than 1 / MANY of the
 * samples of one of them, in the segment. The engine of arrays computes dense rows. */
#define MANY 32
/* Height of the rectangle (box) that the engine of arrays computes if a pair of rows is dense. */
#define DENSE_ROWS 128

/* One thread's state. */
struct smooth_u8 {
    struct ring ring;
    const struct smooth_u8_loops *loops;
    const struct smooth_u8_weights *weights;
    const struct smooth_u8_plan *plan;
    bool fused;      /* filter_rows() makes both passes in one loop */
    uint8_t *second; /* buffer for the second row, where only one of two is wanted */
    char *window;    /* copy of a window that is partly outside src */
    struct row_ends window_ends;
    struct unresolved unresolved[2];
    void *scratch; /* for compute_box() */
    int64_t dense; /* rows above this one are done: compute_box() has computed them */
};

/* Filters along the rows, into the ring, those source rows before row `end` that row y of the
 * result needs and that the ring does not hold yet. Near a row's ends it reads a line: a copy of
 * the end with the samples that the edge rule adds (ring.h). Otherwise it reads the image. */
static void take_rows(struct smooth_u8 *estimate, int64_t y, int64_t end)
{
    struct ring *ring = &estimate->ring;

    for (ring->next = max(ring->next, y - ring->request->halo_y); ring->next < end; ring->next++) {
        const struct source_rows row = ring_source(ring, ring->next, 1);

        estimate->loops->filter_bytes(&row, estimate->weights, ring->step,
                                      ring_sums(ring, ring->next), ring->padded);
    }
}

/* Estimates row y and, if `two`, row y + 1, and lists the unresolved samples. */
static void estimate_rows(struct smooth_u8 *estimate, int64_t y, bool two)
{
    struct ring *ring = &estimate->ring;
    const int64_t halo = ring->request->halo_y;
    const bool fused = two && estimate->fused;
    uint8_t *const rows[2] = {ring_target(ring, y),
                              two ? ring_target(ring, y + 1) : estimate->second};
    float *const *const sums = ring_rows(ring, y, two);
    const struct fetches ahead = ring_fetches(ring, y);
    struct source_rows source;

    take_rows(estimate, y, fused ? y + halo : y + halo + 1 + two);
    if (fused) { /* the last two source rows are filtered in the same loop */
        source = ring_source(ring, y + halo, 2);
        ring->next = y + halo + 2;
    }
    estimate->unresolved[0].count = estimate->unresolved[1].count = 0;
    estimate->loops->filter_rows(fused ? &source : NULL, sums, estimate->weights, ring->step, rows,
                                 estimate->unresolved, ring->n, &ahead);
    if (!two)
        estimate->unresolved[1].count = 0;
}

/* Returns the window of sample x of row y: the source samples on which it depends. *stride becomes
 * the bytes between its rows. */
static const uint8_t *window_of(struct smooth_u8 *estimate, int64_t y, int64_t x, int64_t *stride)
{
    const struct piece *piece = estimate->ring.piece;
    const int64_t halo = piece->request->halo_y, reach = estimate->weights->reach;

    *stride = piece->src.stride_bytes;
    if (source_has_window(piece, y, x))
        return (const uint8_t *)piece->src.origin + (y - halo) * *stride + x - reach;
    *stride = 2 * reach + 1;
    row_ends_find(&estimate->window_ends, piece, x - reach, *stride);
    memset(estimate->window, 0, (size_t)((2 * halo + 1) * *stride));
    for (int64_t i = 0; i <= 2 * halo; i++) {
        const char *row = source_row(piece, y - halo + i);
        char *line = estimate->window + i * *stride;

        if (row)
            row_ends_copy(&estimate->window_ends, row, line);
    }
    return (const uint8_t *)estimate->window;
}

/* Computes sample x (counted in samples) of row y in doubles. Returns false if the result may still
 * be wrong. */
static bool repair(struct smooth_u8 *estimate, int64_t y, int64_t x, uint8_t *sample)
{
    const struct smooth_u8_weights *weights = estimate->weights;
    int64_t stride;
    const uint8_t *window = window_of(estimate, y, x, &stride);
    const double raised = estimate->loops->filter_sample(window, stride, weights) + 0.5;
    const double rest = raised - (double)(uint32_t)raised; /* never negative */

    *sample = (uint8_t)(raised < 255 ? (uint32_t)raised : 255);
    return rest > weights->repair_bound && rest < 1 - weights->repair_bound;
}

/* Computes the unresolved samples of row y of the segment again, in doubles. Returns false if some
 * may still be wrong. */
static bool repair_row(struct smooth_u8 *estimate, int64_t y, const struct unresolved *unresolved)
{
    const struct ring *ring = &estimate->ring;
    const struct piece *piece = ring->piece;
    uint8_t *row = ring_target(ring, y);

    for (int64_t i = 0; i < unresolved->count; i++) {
        const int32_t x = unresolved->places[i];

        if (!repair(estimate, y, ring->first + x, &row[x]))
            return false;
    }
    /* Results exceed maxval only if the weights sum to more than 1. The loops have clamped them to
     * 255. */
    for (int64_t i = 0; piece->request->maxval < 255 && i < ring->n; i++)
        row[i] = row[i] < piece->request->maxval ? row[i] : (uint8_t)piece->request->maxval;
    return true;
}

/* Estimates row y and, if `two`, row y + 1, and computes their unresolved samples again. Returns
 * false if a row is dense, or has a sample that may still be wrong. */
static bool estimate_and_repair(struct smooth_u8 *estimate, int64_t y, bool two)
{
    const struct unresolved *unresolved = estimate->unresolved;

    estimate_rows(estimate, y, two);
    return unresolved[0].count + unresolved[1].count <= estimate->ring.n / MANY &&
           repair_row(estimate, y, &unresolved[0]) &&
           (!two || repair_row(estimate, y + 1, &unresolved[1]));
}

static struct view box_of(const struct view *image, int64_t y, int64_t rows, int64_t x,
                          int64_t pixels)
{
    struct view box = *image;

    box.origin =
        (char *)image->origin + y * image->stride_bytes + x * image->channels * image->sample_bytes;
    box.height = rows;
    box.width = pixels;
    return box;
}

/* Lets the engine of arrays compute a rectangle: this segment, rounded outwards to whole pixels, in
 * up to DENSE_ROWS rows from y on. The rectangle is a piece of its own; all other samples of the
 * segment's piece become samples beside it, which the filter reads (struct beside). */
static void compute_box(struct smooth_u8 *estimate, int64_t y, int64_t last)
{
    const struct ring *ring = &estimate->ring;
    const struct piece *piece = ring->piece;
    const int64_t rows = min(DENSE_ROWS, last - y), x = ring->first / ring->step;
    const int64_t pixels = (ring->first + ring->n - 1) / ring->step + 1 - x;
    struct piece box = *piece;

    box.request = &estimate->plan->box;
    box.state = &estimate->plan->arrays;
    box.src = box_of(&piece->src, y, rows, x, pixels);
    box.dst = box_of(&piece->dst, y, rows, x, pixels);
    box.beside.above += y;
    box.beside.below += piece->src.height - y - rows;
    box.beside.left += x;
    box.beside.right += piece->src.width - x - pixels;
    box.scratch = estimate->scratch;
    estimate->dense = y + rows;
    arrays_of_images_run(&box);
}

static void lay_out(struct smooth_u8 *estimate, const struct request *request,
                    const struct smooth_u8_plan *plan, const struct piece *piece, uintptr_t *memory)
{
    struct ring *ring = &estimate->ring;

    ring_lay_out(ring, request, piece, memory);
    estimate->loops = isa_of(request)->smooth_u8;
    estimate->weights = &plan->weights;
    estimate->plan = plan;
    estimate->fused = plan->weights.digits == 1 && request->halo_x == request->halo_y &&
                      request->halo_x >= 1 && request->halo_x <= estimate->loops->fused_halo;
    estimate->second = carve(memory, ring->room);
    estimate->window = carve(memory, (2 * ring->reach + 1) * (2 * request->halo_y + 1));
    estimate->window_ends.places = carve(memory, 2 * ring->reach * (int64_t)sizeof(int64_t));
    for (int row = 0; row < 2; row++)
        estimate->unresolved[row].places = carve(memory, ring->room * (int64_t)sizeof(int32_t));
    estimate->scratch =
        carve(memory, (int64_t)arrays_of_images_scratch_bytes(&plan->box, &plan->arrays));
}

static size_t thread_bytes(const struct request *request, const struct smooth_u8_plan *plan)
{
    struct smooth_u8 unused;
    uintptr_t bytes = 0;

    lay_out(&unused, request, plan, NULL, &bytes);
    return bytes;
}

static void smooth_band(const void *context, int band, int64_t top, int64_t last)
{
    const struct piece *piece = context;
    const int64_t samples = piece->src.width * piece->src.channels;
    uintptr_t memory =
        (uintptr_t)piece->scratch + (size_t)band * thread_bytes(piece->request, piece->state);
    struct smooth_u8 estimate;

    lay_out(&estimate, piece->request, piece->state, piece, &memory);
    for (int64_t first = 0; first < samples; first += estimate.ring.n) {
        ring_enter(&estimate.ring, first, min(samples - first, estimate.ring.room));
        estimate.dense = top;
        for (int64_t y = top; y < last; y += 2)
            if (y >= estimate.dense && !estimate_and_repair(&estimate, y, y + 1 < last))
                compute_box(&estimate, y, last);
    }
}

const char *smooth_u8_make(const struct request *request, void *state)
{
    struct smooth_u8_plan *plan = state;

    smooth_u8_prepare(request, &plan->weights);
    plan->box = *request;
    plan->box.threads = 1;
    plan->box.src.height = min(DENSE_ROWS, request->src.height);
    plan->box.src.width = min(ring_room(request) / request->src.channels + 2, request->src.width);
    image_state_make(&plan->box, NULL, &plan->arrays);
    return NULL;
}

size_t smooth_u8_scratch_bytes(const struct request *request, const void *state)
{
    return thread_bytes(request, state) * (size_t)request->threads;
}

const char *smooth_u8_run(const struct piece *piece)
{
    parallel_rows(piece->request->threads, piece->src.height, smooth_band, piece);
    return NULL;
}
