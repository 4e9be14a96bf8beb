/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/weighted/weighted.h"

#include "kernels/common/carve.h"
#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "kernels/common/sample.h"
#include "kernels/smooth/cpu/ring.h"
#include "kernels/smooth/cpu/u8/u8.h"
#include "kernels/smooth/cpu/weighted/bound.h"
#include "kernels/smooth/cpu/weighted/even.h"
#include "kernels/smooth/cpu/weighted/exact.h"
#include "kernels/smooth/cpu/weighted/loops.h"

#include <string.h>

/* Sets sample x of row y of the result; x in samples. */
static void set_sample(const struct piece *piece, int64_t y, int64_t x, uint32_t value)
{
    const int64_t pixel = x / piece->dst.channels;

    sample_set(&piece->dst, y, pixel, (int32_t)(x % piece->dst.channels), value);
}

/* One thread's state. */
struct means {
    struct ring ring;
    const struct weighted_loops *loops;
    bool cancels; /* even_alpha_cancels */
    double bound;
    struct even_alpha even;
    union {
        struct ring ring;
        struct smooth_u8 u8;
        struct smooth_doubles doubles;
    } separate;                /* of rows where alpha makes no difference */
    int64_t plane, line_plane; /* reals of a channel: in a row of sums, in the line */

    char *taps_x;   /* halo_x + 1 reals (weighted/loops.h) */
    char *taps_y;   /* halo_y + 1 */
    char *line;     /* channels * line_plane reals: a source row, colours times alpha */
    int32_t *exact; /* room: samples of a row that is computed again */
    struct unresolved unresolved[2]; /* of each row that is written */
    uint128 *columns;                /* room + 2 reach: for smooth_weighted_span */
};

/* ring_arithmetic.take_row */
static void take_row(struct ring *ring, int64_t y, void *sums)
{
    const struct means *means = (struct means *)ring;
    const struct view *src = &ring->piece->src;
    const struct weighted_loops *loops = means->loops;
    const int64_t n = ring->n / ring->step, halo = ring->request->halo_x, bytes = loops->bytes;

    loops->take(ring_source(ring, y), src->sample_bytes, src->channels, means->line,
                means->line_plane, n + 2 * halo);
    for (int32_t c = 0; c < src->channels; c++)
        loops->filter_line(means->line + (c * means->line_plane + halo) * bytes, means->taps_x,
                           halo, (char *)sums + c * means->plane * bytes,
                           round_up(n, WEIGHTED_BLOCK));
}

/* Whether it takes less time to compute the whole segment of a row than `count` samples of it. One
 * sample takes as many steps as its window has pixels; a segment one for each of its samples and
 * column of the window, and one for each row of the window and sample that it depends on. */
static bool span_pays(const struct ring *ring, int64_t count)
{
    const struct piece *piece = ring->piece;
    const int64_t columns = 2 * piece->request->halo_x + 1, rows = 2 * piece->request->halo_y + 1;
    const int64_t distinct = ring->same ? 1 + piece->src.height : rows;

    return count * columns * rows > ring->n * columns + (ring->n + 2 * ring->reach) * distinct;
}

/* Computes unresolved samples again: one by one, or the whole segment. */
static void repair(const struct means *means, int64_t y, const struct unresolved *unresolved)
{
    const struct ring *ring = &means->ring;
    const struct piece *piece = ring->piece;

    if (span_pays(ring, unresolved->count)) {
        smooth_weighted_span(piece, ring->same, y, ring->first, ring->n, means->columns,
                             means->exact);
        for (int64_t i = 0; i < ring->n; i++)
            set_sample(piece, y, ring->first + i, (uint32_t)means->exact[i]);
        return;
    }
    for (int64_t i = 0; i < unresolved->count; i++) {
        const int64_t x = ring->first + unresolved->places[i];

        set_sample(piece, y, x, smooth_weighted_sample(piece, y, x));
    }
}

/* Rows by estimates. */
static void give_means(struct means *means, int64_t y, bool two)
{
    struct ring *ring = &means->ring;
    const struct piece *piece = ring->piece;
    const int64_t halo = piece->request->halo_y;
    struct weighted_rows rows = {
        .sums = ring_rows(ring, y, two, y + halo + 1 + two),
        .plane = means->plane,
        .taps = means->taps_y,
        .halo = halo,
        .n = ring->n / ring->step,
        .channels = piece->src.channels,
        .sample_bytes = piece->src.sample_bytes,
        .maxval = piece->request->maxval,
        .bound = means->bound,
        .two = two,
        .unresolved = means->unresolved,
        .ahead = ring_fetches(ring, y),
    };

    for (int row = 0; row <= two; row++) {
        rows.src[row] = ring_centre(ring, y + row);
        rows.dst[row] = ring_target(ring, y + row);
        means->unresolved[row].count = 0;
    }
    means->loops->filter_rows(&rows);
    for (int row = 0; row <= two; row++)
        if (means->unresolved[row].count > 0)
            repair(means, y + row, &means->unresolved[row]);
}

/* Rows as they are in the source. */
static void copy_rows(const struct ring *ring, int64_t y, bool two)
{
    const int64_t bytes = ring->piece->src.sample_bytes;

    for (int row = 0; row <= two; row++)
        memcpy(ring_target(ring, y + row), ring_centre(ring, y + row), (size_t)(ring->n * bytes));
}

/* ring_arithmetic.enter */
static void enter(struct ring *ring)
{
    struct means *means = (struct means *)ring;

    means->even = (struct even_alpha){.next = INT64_MIN};
    ring_follow(&means->separate.ring, ring);
}

/* ring_arithmetic.give_rows */
static void give_rows(struct ring *ring, int64_t y, bool two)
{
    struct means *means = (struct means *)ring;

    if (!even_alpha_around(&means->even, ring, y, two))
        give_means(means, y, two);
    else if (means->even.alpha == 0)
        copy_rows(ring, y, two);
    else if (means->cancels)
        means->separate.ring.arithmetic->give_rows(&means->separate.ring, y, two);
    else
        give_means(means, y, two);
}

static const struct ring_arithmetic *separate_arithmetic(const struct request *request)
{
    return smooth_u8_serves(request) ? &smooth_u8 : &smooth_doubles;
}

/* ring_arithmetic.lay_out */
static void lay_out(struct ring *ring, uintptr_t *memory)
{
    struct means *means = (struct means *)ring;
    const struct request *request = ring->request;
    const int64_t bytes = ring->arithmetic->sum_bytes, room = ring->room;
    const int64_t channels = ring->step;

    means->plane = room / channels;
    means->line_plane = round_up(means->plane + 2 * request->halo_x, WEIGHTED_BLOCK);
    means->taps_x = carve(memory, (request->halo_x + 1) * bytes);
    means->taps_y = carve(memory, (request->halo_y + 1) * bytes);
    means->line = carve(memory, channels * means->line_plane * bytes);
    means->exact = carve(memory, room * (int64_t)sizeof(int32_t));
    for (int row = 0; row < 2; row++)
        means->unresolved[row].places = carve(memory, room * (int64_t)sizeof(int32_t));
    ring_lay_out(&means->separate.ring, separate_arithmetic(request), request, ring->piece,
                 round_up(room, U8_BLOCK), memory);
    means->columns = carve(memory, (room + 2 * ring->reach) * (int64_t)sizeof(uint128));
}

/* ring_arithmetic.begin */
static void begin(struct ring *ring)
{
    struct means *means = (struct means *)ring;
    const struct request *request = ring->request;
    const struct weighted_precisions *precisions = isa_of(request)->weighted;

    means->loops = smooth_weighted_in_floats(request) ? precisions->floats : precisions->doubles;
    means->bound = smooth_weighted_bound(request);
    means->cancels = even_alpha_cancels(request);
    means->loops->set_taps(request->weights_x + request->halo_x, request->halo_x, means->taps_x);
    means->loops->set_taps(request->weights_y + request->halo_y, request->halo_y, means->taps_y);
    means->separate.ring.arithmetic->begin(&means->separate.ring);
}

_Static_assert(sizeof(struct means) <= RING_STATE_BYTES, "there is room for a state");
_Static_assert(U8_BLOCK % DOUBLES_BLOCK == 0, "one room serves both");

#define ARITHMETIC(REAL)                                                                           \
    {                                                                                              \
        .sum_bytes = sizeof(REAL), .block = WEIGHTED_BLOCK,                                        \
        .ring_bytes = 128 * 1024, /* half of a small L2 cache */                                   \
            .max_room = 1024, .whole_pixels = true, .lay_out = lay_out, .begin = begin,            \
        .enter = enter, .take_row = take_row, .give_rows = give_rows                               \
    }

static const struct ring_arithmetic *arithmetic(const struct request *request)
{
    static const struct ring_arithmetic in_floats = ARITHMETIC(float),
                                        in_doubles = ARITHMETIC(double);

    return smooth_weighted_in_floats(request) ? &in_floats : &in_doubles;
}

size_t smooth_weighted_scratch_bytes(const struct request *request)
{
    return ring_scratch_bytes(arithmetic(request), request);
}

const char *smooth_weighted_run(const struct piece *piece)
{
    ring_run(arithmetic(piece->request), piece);
    return NULL;
}
