/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/u8/u8.h"

#include "kernels/common/carve.h"
#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "kernels/smooth/cpu/u8/loops.h"
#include "kernels/smooth/cpu/u8/weights.h"
#include "kernels/smooth/source.h"

#include <string.h>

#define MANY 32        /* more than one unresolved in MANY samples: the row is dense */
#define DENSE_ROWS 128 /* of a box that begins with such a row */

_Static_assert(U8_FUSED_HALO < FLAT, "filter_fused fills a ring of which no rows are the same");

/* The samples of source row y as words, and zeros as far as the loops read; returns the first
 * sum's own. */
static const int16_t *padded_words(struct smooth_u8 *estimate, int64_t y)
{
    struct ring *ring = &estimate->ring;
    int16_t *line = estimate->line;
    struct ring_piece pieces[3];

    ring_pieces(ring, ring_row(ring, y), pieces);
    for (int i = 0; i < 3; i++)
        if (pieces[i].n > 0)
            estimate->loops->widen(pieces[i].samples, line + pieces[i].first, pieces[i].n);
    memset(line + ring->n + 2 * ring->reach, 0, (size_t)(ring->padded - ring->n) * sizeof *line);
    return line + ring->reach;
}

/* Filters source row y: its bytes, where they lie and in a line. */
static void take_bytes(const struct smooth_u8 *estimate, struct ring *ring, int64_t y, float *sums)
{
    const struct ring_row row = ring_row(ring, y);
    const int64_t ends[4] = {0, ring->head, ring->tail, ring->padded};

    for (int i = 0; i < 3; i++)
        if (ends[i] < ends[i + 1])
            estimate->loops->filter_bytes(i == 1 ? row.direct : row.line, estimate->weights,
                                          ring->step, sums, ends[i], ends[i + 1]);
}

/* ring_arithmetic.take_row */
static void take_row(struct ring *ring, int64_t y, void *sums)
{
    struct smooth_u8 *estimate = (struct smooth_u8 *)ring;
    const struct smooth_u8_loops *loops = estimate->loops;

    if (estimate->weights->digits == 1)
        take_bytes(estimate, ring, y, sums);
    else
        loops->filter_line(padded_words(estimate, y), estimate->weights, ring->step, sums,
                           ring->padded);
}

/* Estimates rows y and y + 1 from the ring and the last two source rows. */
static void fuse_rows(struct smooth_u8 *estimate, int64_t y, float *const *sums,
                      uint8_t *const *rows, const struct fetches *ahead)
{
    struct ring *ring = &estimate->ring;
    const int64_t last = y + ring->request->halo_y;
    const struct ring_row first = ring_row(ring, last), second = ring_row(ring, last + 1);
    const struct source_rows source = {
        {first.direct, second.direct}, {first.line, second.line}, ring->head, ring->tail};

    estimate->loops->filter_fused(&source, sums, estimate->weights, ring->step, rows,
                                  estimate->unresolved, ring->n, ahead);
    ring->next = last + 2;
}

/* Estimates row y and, if two, y + 1, and lists the unresolved samples. */
static void estimate_rows(struct smooth_u8 *estimate, int64_t y, bool two)
{
    struct ring *ring = &estimate->ring;
    const int64_t halo = ring->request->halo_y;
    const bool fused = two && estimate->fused;
    uint8_t *const rows[2] = {ring_target(ring, y),
                              two ? ring_target(ring, y + 1) : estimate->second};
    float *const *sums =
        (float *const *)ring_rows(ring, y, two, fused ? y + halo : y + halo + 1 + two);
    const struct fetches ahead = ring_fetches(ring, y);

    estimate->unresolved[0].count = estimate->unresolved[1].count = 0;
    if (fused)
        fuse_rows(estimate, y, sums, rows, &ahead);
    else
        estimate->loops->filter_rows(sums, estimate->weights, rows, estimate->unresolved, ring->n,
                                     &ahead);
    if (!two)
        estimate->unresolved[1].count = 0;
}

/* n samples of a row from sample x on, which src has in part. */
static void copy_row(const struct piece *piece, const uint8_t *row, int64_t x, int64_t n,
                     uint8_t *to)
{
    const int64_t before = max(-source_samples_left(piece) - x, 0);
    const int64_t end =
        min(piece->src.width * piece->src.channels + source_samples_right(piece) - x, n);

    memcpy(to + before, row + x + before, (size_t)(end - before));
    for (int64_t i = before > 0 ? 0 : end; i < n; i = i + 1 == before ? end : i + 1) {
        const int64_t place = source_sample_index(piece, x + i);

        to[i] = place == NOWHERE ? 0 : row[place];
    }
}

/* The first sample that sample x of row y depends on, and the bytes from its row to the next. */
static const uint8_t *window_of(const struct smooth_u8 *estimate, int64_t y, int64_t x,
                                int64_t *stride)
{
    const struct piece *piece = estimate->ring.piece;
    const int64_t halo = piece->request->halo_y, reach = estimate->weights->reach;

    *stride = piece->src.stride_bytes;
    if (source_has_window(piece, y, x))
        return (const uint8_t *)piece->src.origin + (y - halo) * *stride + x - reach;
    *stride = 2 * reach + 1;
    for (int64_t i = 0; i <= 2 * halo; i++) {
        const uint8_t *row = source_row(piece, y - halo + i);

        if (row)
            copy_row(piece, row, x - reach, *stride, estimate->window + i * *stride);
        else
            memset(estimate->window + i * *stride, 0, (size_t)*stride);
    }
    return estimate->window;
}

/* Computes sample x of row y in doubles; x in samples. False: it may be wrong. */
static bool repair(const struct smooth_u8 *estimate, int64_t y, int64_t x, uint8_t *sample)
{
    const struct smooth_u8_weights *weights = estimate->weights;
    int64_t stride;
    const uint8_t *window = window_of(estimate, y, x, &stride);
    const double raised = estimate->loops->filter_sample(window, stride, weights) + 0.5;
    const double rest = raised - (double)(uint32_t)raised; /* never negative */

    *sample = (uint8_t)(raised < 255 ? (uint32_t)raised : 255);
    return rest > weights->repair_bound && rest < 1 - weights->repair_bound;
}

/* Repairs row y of the segment; false: some samples may be wrong. */
static bool repair_row(const struct smooth_u8 *estimate, int64_t y,
                       const struct unresolved *unresolved)
{
    const struct ring *ring = &estimate->ring;
    const struct piece *piece = ring->piece;
    uint8_t *row = ring_target(ring, y);

    for (int64_t i = 0; i < unresolved->count; i++) {
        const int32_t x = unresolved->places[i];

        if (!repair(estimate, y, ring->first + x, &row[x]))
            return false;
    }
    /* Only weights that sum to more than 1 can exceed maxval; the loops clamp to 255 already. */
    for (int64_t i = 0; piece->request->maxval < 255 && i < ring->n; i++)
        row[i] = row[i] < piece->request->maxval ? row[i] : (uint8_t)piece->request->maxval;
    return true;
}

/* Estimates row y and, if two, y + 1; false: a row is dense, or has a sample that may be wrong. */
static bool estimate_and_repair(struct smooth_u8 *estimate, int64_t y, bool two)
{
    const struct unresolved *unresolved = estimate->unresolved;

    estimate_rows(estimate, y, two);
    return unresolved[0].count + unresolved[1].count <= estimate->ring.n / MANY &&
           repair_row(estimate, y, &unresolved[0]) &&
           (!two || repair_row(estimate, y + 1, &unresolved[1]));
}

/* Leaves the segment of rows from y on to the engine of arrays, in whole pixels. */
static void compute_box(struct smooth_u8 *estimate, int64_t y)
{
    const struct ring *ring = &estimate->ring;
    const int64_t first = ring->first / ring->step;
    const int64_t end = (ring->first + ring->n - 1) / ring->step + 1;

    estimate->dense = min(y + DENSE_ROWS, ring->last);
    image_boxes_run(estimate->boxes, ring->piece, y, estimate->dense - y, first, end - first,
                    estimate->scratch);
}

/* ring_arithmetic.enter */
static void enter(struct ring *ring)
{
    struct smooth_u8 *estimate = (struct smooth_u8 *)ring;

    estimate->dense = INT64_MIN;
}

/* ring_arithmetic.give_rows */
static void give_rows(struct ring *ring, int64_t y, bool two)
{
    struct smooth_u8 *estimate = (struct smooth_u8 *)ring;

    if (y >= estimate->dense && !estimate_and_repair(estimate, y, two))
        compute_box(estimate, y);
}

/* ring_arithmetic.lay_out */
static void lay_out(struct ring *ring, uintptr_t *memory)
{
    struct smooth_u8 *estimate = (struct smooth_u8 *)ring;
    const struct smooth_u8_plan *plan = ring->state;
    const int64_t room = ring->room;

    estimate->weights = &plan->weights;
    estimate->line = carve(memory, (room + 2 * ring->reach) * (int64_t)sizeof *estimate->line);
    estimate->second = carve(memory, room);
    if (ring->copies)
        estimate->window = carve(memory, (2 * ring->reach + 1) * (2 * ring->request->halo_y + 1));
    for (int row = 0; row < 2; row++)
        estimate->unresolved[row].places = carve(memory, room * (int64_t)sizeof(int32_t));
    estimate->boxes = &plan->boxes;
    estimate->scratch = carve(memory, (int64_t)image_boxes_scratch_bytes(&plan->boxes));
}

/* ring_arithmetic.begin */
static void begin(struct ring *ring)
{
    struct smooth_u8 *estimate = (struct smooth_u8 *)ring;
    const struct request *request = ring->request;

    estimate->loops = isa_of(request)->smooth_u8;
    estimate->fused = estimate->weights->digits == 1 && request->halo_x == request->halo_y &&
                      request->halo_x >= 1 && request->halo_x <= estimate->loops->fused_halo;
}

_Static_assert(sizeof(struct smooth_u8) <= RING_STATE_BYTES, "there is room for a state");

static const struct ring_arithmetic arithmetic = {
    .sum_bytes = sizeof(float),
    .block = U8_BLOCK,
    .ring_bytes = 28 * 1024, /* of the first-level cache; 4 KiB are left for the images' rows */
    .min_room = 256,
    .max_room = 1536,
    .reads_lines = true,
    .lay_out = lay_out,
    .begin = begin,
    .enter = enter,
    .take_row = take_row,
    .give_rows = give_rows,
};

const char *smooth_u8_make(const struct request *request, void *state)
{
    struct smooth_u8_plan *plan = state;

    smooth_u8_prepare(request, &plan->weights);
    image_boxes_make(request, DENSE_ROWS,
                     ring_room(&arithmetic, request) / request->src.channels + 2, &plan->boxes);
    return NULL;
}

size_t smooth_u8_scratch_bytes(const struct request *request, const void *state)
{
    return ring_scratch_bytes(&arithmetic, request, state);
}

const char *smooth_u8_run(const struct piece *piece)
{
    ring_run(&arithmetic, piece);
    return NULL;
}
