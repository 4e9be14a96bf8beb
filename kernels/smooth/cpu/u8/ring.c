/* SPDX-License-Identifier: MIT */
/* The ring buffer of rows of sums, and the copies of the rows' ends, called lines (ring.h). A
 * segment is a range of columns that is computed from top to bottom before the next one. */
#include "kernels/smooth/cpu/u8/ring.h"

#include "kernels/common/carve.h"
#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "kernels/smooth/source.h"

#include <string.h>

/* --- Lines. */

void row_ends_find(struct row_ends *ends, const struct piece *piece, int64_t begin, int64_t length)
{
    const int64_t step = piece->src.channels, halo = piece->request->halo_x;
    /* The offsets in the row at which the existing samples that the filter reaches begin and
     * end. */
    const int64_t start = -min(piece->beside.left, halo) * step;
    const int64_t end = (piece->src.width + min(piece->beside.right, halo)) * step;

    ends->lead = max(start - begin, 0);
    ends->trail = max(begin + length - end, 0);
    for (int64_t i = 0; i < ends->lead; i++)
        ends->places[i] = source_sample_index(piece, begin + i);
    for (int64_t i = 0; i < ends->trail; i++)
        ends->places[ends->lead + i] = source_sample_index(piece, end + i);
    ends->begin = begin;
    ends->inside = ends->lead;
    ends->end = length - ends->trail;
    ends->from[0] = ends->from[1] = ends->inside;
    ends->to[0] = ends->end;
    ends->to[1] = ends->inside;
}

/* Copies the samples of the row with indices places[0..n - 1] to the line, from position `at` on.
 * Samples with the index NOWHERE stay zeros. */
static void gather(const char *row, const int64_t *places, int64_t n, char *line, int64_t at)
{
    for (int64_t i = 0; i < n && places[i] != NOWHERE; i++)
        line[at + i] = row[places[i]];
}

void row_ends_copy(const struct row_ends *ends, const char *row, char *line)
{
    for (int side = 0; side < 2; side++)
        if (ends->from[side] < ends->to[side])
            memcpy(line + ends->from[side], row + ends->begin + ends->from[side],
                   (size_t)(ends->to[side] - ends->from[side]));
    gather(row, ends->places, ends->lead, line, 0);
    gather(row, ends->places + ends->lead, ends->trail, line, ends->end);
}

/* --- The ring. */

/* Bytes of the ring. The first-level cache has at least 32 KiB; 4 KiB are left for rows of the
 * images. */
#define RING_BYTES (28 * 1024)
/* The least length of a segment in samples, even if the ring then exceeds RING_BYTES. */
#define MIN_ROOM 256
#define MAX_ROOM 1536 /* the greatest length; a multiple of U8_BLOCK, like MIN_ROOM */

#define LINES 2

/* Gap between the ring's rows, in sums. Rows at multiples of 4096 bytes would share a few sets of
 * the first-level cache. */
#define PITCH_SUMS 16

void ring_lay_out(struct ring *ring, const struct request *request, const struct piece *piece,
                  uintptr_t *memory)
{
    const int64_t step = request->src.channels, height = 2 * request->halo_y + 2;
    const int64_t fitting = RING_BYTES / (int64_t)sizeof(float) / height;
    const int64_t room = max(min(fitting, MAX_ROOM) / U8_BLOCK * U8_BLOCK, MIN_ROOM);

    *ring = (struct ring){.request = request,
                          .piece = piece,
                          .step = step,
                          .reach = request->halo_x * step,
                          .height = height,
                          .room = min(room, round_up(request->src.width * step, U8_BLOCK))};
    ring->sums = carve(memory, height * (ring->room + PITCH_SUMS) * (int64_t)sizeof *ring->sums);
    ring->rows = carve(memory, height * (int64_t)sizeof *ring->rows);
    ring->line_bytes = /* lines consist of whole cache lines */
        round_up(ring->room + U8_BLOCK + 2 * ring->reach, CACHE_LINE) + 2 * CACHE_LINE;
    ring->ends.places = carve(memory, 2 * ring->reach * (int64_t)sizeof *ring->ends.places);
    ring->lines = carve(memory, LINES * ring->line_bytes);
    ring->zeros = carve(memory, ring->line_bytes);
}

/* Returns the line with index `place`. If the image's rows begin at cache lines, a sample's address
 * modulo CACHE_LINE is the same in the line as in the row. */
static char *line_of(const struct ring *ring, int64_t place)
{
    return ring->lines + place * ring->line_bytes + (ring->ends.begin & (CACHE_LINE - 1));
}

/* Chooses which sums are computed from lines, and which bytes are copied to lines. */
static void choose_lines(struct ring *ring)
{
    struct row_ends *ends = &ring->ends;
    const int64_t length = ring->n + 2 * ring->reach, rest = ring->padded - ring->n;
    const bool beside = ends->lead + ends->trail > 0;

    ring->tail = ends->trail > 0 || rest > 0
                     ? max(ring->n - max(ends->trail, U8_BLOCK), 0) / U8_BLOCK * U8_BLOCK
                     : ring->padded;
    ring->head = min(round_up(ends->lead, U8_BLOCK), ring->tail);
    ends->from[0] = ends->inside;
    ends->to[0] = ring->head > 0 ? min(ring->head + 2 * ring->reach, ends->end) : 0;
    ends->from[1] = max(((ring->tail + ends->begin) & -CACHE_LINE) - ends->begin, ends->inside);
    ends->to[1] = ring->tail < ring->padded ? ends->end : 0;
    ring->lined = beside || ring->tail < ring->padded;
    memset(ring->zeros, 0, (size_t)ring->line_bytes);
    if (beside && ring->request->edge == EDGE_ZERO)
        memset(ring->lines, 0, (size_t)(LINES * ring->line_bytes));
    for (int i = 0; i < LINES && rest > 0; i++)
        memset(line_of(ring, i) + length, 0, (size_t)rest);
}

void ring_enter(struct ring *ring, int64_t first, int64_t n)
{
    ring->first = first;
    ring->n = n;
    ring->padded = round_up(n, U8_BLOCK);
    ring->next = -ring->request->halo_y;
    row_ends_find(&ring->ends, ring->piece, first - ring->reach, n + 2 * ring->reach);
    choose_lines(ring);
}

float *ring_sums(const struct ring *ring, int64_t y)
{
    const int64_t slot = (y + ring->request->halo_y) % ring->height;

    return ring->sums + slot * (ring->room + PITCH_SUMS);
}

float *const *ring_rows(const struct ring *ring, int64_t y, bool two)
{
    const int64_t height = ring->height;

    for (int64_t i = 0, slot = y % height; i < height; i++, slot = slot + 1 < height ? slot + 1 : 0)
        ring->rows[i] =
            ring->sums + slot * (ring->room + PITCH_SUMS); /* ring_sums() of row y - halo_y + i */
    /* If only one row of the result is wanted, the last pointer repeats the one before it: the
     * loops still compute a second row, whose last source row may not exist and whose result is not
     * used. */
    if (!two)
        ring->rows[height - 1] = ring->rows[height - 2];
    return ring->rows;
}

struct source_rows ring_source(const struct ring *ring, int64_t y, int count)
{
    struct source_rows source = {.head = ring->head, .tail = ring->tail};

    for (int i = 0; i < count; i++) {
        const char *row = source_row(ring->piece, y + i);
        char *const line = line_of(ring, (y + i + MAX_HALO) % LINES);

        source.direct[i] = (const uint8_t *)(row ? row + ring->ends.begin : ring->zeros);
        source.lines[i] = (const uint8_t *)(row ? line : ring->zeros);
        if (row && ring->lined)
            row_ends_copy(&ring->ends, row, line);
    }
    return source;
}

uint8_t *ring_target(const struct ring *ring, int64_t y)
{
    const struct view *dst = &ring->piece->dst;

    return (uint8_t *)dst->origin + y * dst->stride_bytes + ring->first;
}

struct fetches ring_fetches(const struct ring *ring, int64_t y)
{
    const struct view *src = &ring->piece->src;
    const char *below = (const char *)src->origin +
                        (y + ring->request->halo_y + 2) * src->stride_bytes + ring->first;

    return (struct fetches){{below, below + src->stride_bytes},
                            {ring_target(ring, y + 2), ring_target(ring, y + 3)}};
}
