/* SPDX-License-Identifier: MIT */
/* The engine for 8-bit samples. It computes an image in segments, ranges of columns, each from top
 * to bottom. In a segment it sums along each source row into a ring buffer (ring.h), then down the
 * columns. The results are estimates. A sample whose rounding the estimate's error bound does not
 * prove is unresolved, and computed again. */
#include "kernels/smooth/cpu/u8/u8.h"

#include "kernels/common/axes.h"
#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "kernels/common/parallel.h"
#include "kernels/smooth/cpu/u8/loops.h"
#include "kernels/smooth/cpu/u8/ring.h"
#include "kernels/smooth/source.h"

#include <math.h>
#include <string.h>

/* A pair of rows is dense if the two rows together have more than n / MANY unresolved samples in a
 * segment n samples wide. */
#define MANY 32
/* From a dense pair of rows on, up to this many rows are computed in doubles, from a copy of the
 * source. */
#define DENSE_ROWS 128

/* The state of one thread. */
struct smooth_u8 {
    struct ring ring;
    const struct smooth_u8_loops *loops;
    const struct smooth_u8_weights *weights;
    bool fused; /* filter_rows() makes both passes in one loop */
    /* filter_rows() always computes two rows of the result. If only one is wanted, this buffer gets
     * the second one. */
    uint8_t *second;
    struct unresolved unresolved[2];

    /* A copy of source samples, with the samples that the edge rule adds. It holds either the
     * window of one sample, if that window is partly outside src, or all samples on which the
     * results of dense rows (rows with many unresolved samples) depend. */
    uint8_t *window;
    struct row_ends window_ends;
    int64_t stride; /* bytes between rows of `window` when it is for dense rows */
    /* For a dense row: sums down the columns, and the sums of these along the row. */
    double *reals, *values;
    uint64_t *columns; /* exact sums down the columns, in units of 2^-46 */
};

/* Estimates row y and, if `two` is true, row y + 1, and lists the unresolved samples. If `two` is
 * false, row y must be the last one of the thread's rows. First computes the sums along those
 * source rows that the ring does not hold yet, and stores them in the ring. */
static void estimate_rows(struct smooth_u8 *estimate, int64_t y, bool two)
{
    struct ring *ring = &estimate->ring;
    const struct view *src = &ring->piece->src;
    const int64_t halo = ring->request->halo_y;
    const bool fused = two && estimate->fused; /* filter_rows() sums the last two source rows */
    const int64_t end = fused ? y + halo : y + halo + 1 + two;
    uint8_t *const rows[2] = {ring_target(ring, y),
                              two ? ring_target(ring, y + 1) : estimate->second};
    const char *below =
        (const char *)src->origin + (y + halo + 2) * src->stride_bytes + ring->first;
    /* The results of the next call, and the source rows that only they need. */
    const struct fetches ahead = {{below, below + src->stride_bytes},
                                  {ring_target(ring, y + 2), ring_target(ring, y + 3)}};
    float **const sums = ring->rows + y % ring->height;
    struct source_rows source;

    for (ring->next = max(ring->next, y - halo); ring->next < end; ring->next++) {
        source = ring_source(ring, ring->next, 1);
        estimate->loops->filter_bytes(&source, estimate->weights, ring->step,
                                      ring->rows[(ring->next + halo) % ring->height], ring->padded);
    }
    if (fused) {
        source = ring_source(ring, end, 2);
        ring->next = end + 2;
    }
    /* filter_rows() computes a second row all the same, which is not used. The last row of sums for
     * it was not computed, so another row takes its place. */
    if (!two)
        sums[ring->height - 1] = sums[ring->height - 2];
    estimate->unresolved[0].count = estimate->unresolved[1].count = 0;
    estimate->loops->filter_rows(fused ? &source : NULL, sums, estimate->weights, ring->step, rows,
                                 estimate->unresolved, ring->n, &ahead);
    if (!two)
        estimate->unresolved[1].count = 0;
}

/* Copies n samples of each of `rows` source rows, from sample x of row y on, into the window, with
 * `stride` bytes between its rows. */
static void copy_window(struct smooth_u8 *estimate, int64_t y, int64_t rows, int64_t x, int64_t n,
                        int64_t stride)
{
    const struct piece *piece = estimate->ring.piece;

    row_ends_find(&estimate->window_ends, piece, x, n);
    memset(estimate->window, 0, (size_t)(rows * stride));
    for (int64_t i = 0; i < rows; i++) {
        const char *row = source_row(piece, y + i);

        if (row)
            row_ends_copy(&estimate->window_ends, row, (char *)estimate->window + i * stride);
    }
}

/* True if the value's error bound does not prove to which integer value + 1/2 is rounded down. A
 * cast needs no function call on old processors; floor() does. */
static bool is_open(const struct smooth_u8_weights *weights, double value)
{
    return fabs(value + 0.5 - (double)(int64_t)(value + 1)) <= weights->repair_bound;
}

/* Computes, exactly, those of n adjacent samples for which the value in doubles does not prove the
 * rounding. Let v be the exact value, m the integer nearest to v + 1/2, and d = v - (m - 1/2). The
 * result is m if d is not negative, else m - 1. 2^92 v is an integer, since weights are in units of
 * 2^-46; 2^92 (m - 1/2) is a multiple of 2^64. For these samples the magnitude of d is far below
 * 2^63 / 2^92. So 2^92 v modulo 2^64, read as a signed number, is 2^92 d. */
static void settle(struct smooth_u8 *estimate, const uint8_t *window, int64_t stride,
                   const double *values, uint8_t *row, int64_t n)
{
    const struct request *request = estimate->ring.request;
    const int64_t count = n + 2 * estimate->weights->reach;
    uint64_t *columns = estimate->columns;

    memset(columns, 0, (size_t)count * sizeof *columns);
    for (int64_t k = 0; k <= 2 * request->halo_y; k++)
        for (int64_t x = 0; x < count; x++)
            columns[x] += request->weights_y[k] * window[k * stride + x];
    for (int64_t x = 0; x < n; x++) {
        uint64_t sum = 0;

        if (!is_open(estimate->weights, values[x]))
            continue;
        for (int64_t k = 0; k <= 2 * request->halo_x; k++)
            sum += request->weights_x[k] * columns[x + k * request->src.channels];
        row[x] = (uint8_t)min((int64_t)(values[x] + 1) - (int64_t)(sum >> 63), request->maxval);
    }
}

/* Computes the unresolved samples of row y of the segment again, and clamps the row to maxval. */
static void repair_row(struct smooth_u8 *estimate, int64_t y, const struct unresolved *unresolved)
{
    const struct ring *ring = &estimate->ring;
    const struct piece *piece = ring->piece;
    const struct smooth_u8_weights *weights = estimate->weights;
    const int64_t halo = weights->halo_y, reach = weights->reach, n = 2 * reach + 1;
    /* Copies, which the compiler need not read again after it has written a sample. */
    const int64_t samples = ring->n;
    const uint8_t maxval = (uint8_t)weights->maxval;
    uint8_t *row = ring_target(ring, y);

    for (int64_t i = 0; i < unresolved->count; i++) {
        const int64_t place = unresolved->places[i], x = ring->first + place;
        int64_t stride = piece->src.stride_bytes;
        const uint8_t *window =
            (const uint8_t *)piece->src.origin + (y - halo) * stride + x - reach;
        double value;

        if (!source_has_window(piece, y, x)) {
            stride = n;
            copy_window(estimate, y - halo, 2 * halo + 1, x - reach, n, stride);
            window = estimate->window;
        }
        value = estimate->loops->filter_sample(window, stride, weights);
        row[place] = (uint8_t)min((int64_t)(value + 0.5), weights->maxval);
        if (is_open(weights, value))
            settle(estimate, window, stride, &value, &row[place], 1);
    }
    /* Results exceed maxval only if the weights sum to more than 1. The loops have clamped them to
     * 255. */
    for (int64_t i = 0; maxval < 255 && i < samples; i++)
        row[i] = row[i] < maxval ? row[i] : maxval;
}

/* Computes rows y to last - 1 of the segment, but at most DENSE_ROWS of them, in doubles. Returns
 * how many rows it computed. */
static int64_t compute_dense(struct smooth_u8 *estimate, int64_t y, int64_t last)
{
    const struct ring *ring = &estimate->ring;
    const int64_t rows = min(DENSE_ROWS, last - y), n = ring->n, stride = estimate->stride;
    const int64_t halo = estimate->weights->halo_y, reach = ring->reach;

    copy_window(estimate, y - halo, rows + 2 * halo, ring->first - reach, n + 2 * reach, stride);
    for (int64_t i = 0; i < rows; i++) {
        const uint8_t *window = estimate->window + i * stride;
        uint8_t *row = ring_target(ring, y + i);

        if (estimate->loops->filter_dense(window, stride, estimate->weights, ring->step,
                                          estimate->reals, estimate->values, row, n))
            settle(estimate, window, stride, estimate->values, row, n);
    }
    return rows;
}

static void lay_out(struct smooth_u8 *estimate, const struct request *request,
                    const struct smooth_u8_weights *weights, const struct piece *piece,
                    uintptr_t *memory)
{
    struct ring *ring = &estimate->ring;

    ring_lay_out(ring, request, piece, memory);
    /* The length of buffers for a row of samples: U8_BLOCK more than its rounded length, as
     * filter_dense() needs. */
    const int64_t longest = round_up(ring->room + 2 * ring->reach, U8_BLOCK) + U8_BLOCK;
    const int64_t rows = min(DENSE_ROWS, request->src.height) + 2 * request->halo_y, eight = 8;

    estimate->loops = isa_of(request)->smooth_u8;
    estimate->weights = weights;
    estimate->fused = weights->digits == 1 && request->halo_x == request->halo_y &&
                      request->halo_x >= 1 && request->halo_x <= estimate->loops->fused_halo;
    estimate->second = carve(memory, ring->room);
    estimate->stride = longest;
    estimate->window = carve(memory, rows * longest);
    estimate->window_ends.places = carve(memory, 2 * ring->reach * eight);
    for (int row = 0; row < 2; row++)
        estimate->unresolved[row].places = carve(memory, ring->room * (int64_t)sizeof(int32_t));
    estimate->columns = carve(memory, longest * eight);
    estimate->reals = carve(memory, longest * eight);
    estimate->values = carve(memory, longest * eight);
}

size_t smooth_u8_scratch_bytes(const struct request *request, const void *state)
{
    struct smooth_u8 unused;
    uintptr_t bytes = 0;

    lay_out(&unused, request, state, NULL, &bytes);
    return bytes * (size_t)request->threads;
}

static void smooth_band(const void *context, int band, int64_t top, int64_t last)
{
    const struct piece *piece = context;
    const int64_t samples = piece->src.width * piece->src.channels;
    const size_t all = smooth_u8_scratch_bytes(piece->request, piece->state);
    uintptr_t memory =
        (uintptr_t)piece->scratch + all / (size_t)piece->request->threads * (size_t)band;
    struct smooth_u8 estimate;
    const struct unresolved *unresolved = estimate.unresolved;

    lay_out(&estimate, piece->request, piece->state, piece, &memory);
    for (int64_t first = 0; first < samples; first += estimate.ring.n) {
        ring_enter(&estimate.ring, first, min(samples - first, estimate.ring.room));
        for (int64_t y = top, rows; y < last; y += rows) {
            const bool two = y + 1 < last;

            rows = 1 + two;
            estimate_rows(&estimate, y, two);
            if (unresolved[0].count + unresolved[1].count > estimate.ring.n / MANY)
                rows = compute_dense(&estimate, y, last);
            else
                for (int i = 0; i < rows; i++)
                    repair_row(&estimate, y + i, &unresolved[i]);
        }
    }
}

const char *smooth_u8_run(const struct piece *piece)
{
    parallel_rows(piece->request->threads, piece->src.height, smooth_band, piece);
    return NULL;
}
