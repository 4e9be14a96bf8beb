/* SPDX-License-Identifier: MIT */
/* The ring buffer of rows of sums, and the copies of the rows' ends, called lines (ring.h). A
 * segment is a range of columns that is computed from top to bottom before the next one. */
#include "kernels/smooth/cpu/u8/ring.h"

#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "kernels/smooth/source.h"

#include <string.h>

/* --- Lines: finds which samples of a row belong in a line, and copies them. */

void row_ends_find(struct row_ends *ends, const struct piece *piece, int64_t begin, int64_t length)
{
    const int64_t step = piece->src.channels, halo = piece->request->halo_x;
    /* The filter can use the existing samples at the offsets start..end-1 in the row. */
    const int64_t start = -min(piece->beside.left, halo) * step;
    const int64_t end = (piece->src.width + min(piece->beside.right, halo)) * step;

    ends->inside = max(start - begin, 0);
    ends->end = min(end - begin, length);
    ends->length = length;
    for (int64_t i = 0; i < ends->inside; i++)
        ends->places[i] = source_sample_index(piece, begin + i);
    for (int64_t i = ends->end; i < length; i++)
        ends->places[ends->inside + i - ends->end] = source_sample_index(piece, begin + i);
    ends->begin = begin;
    ends->from[0] = ends->from[1] = ends->inside;
    ends->to[0] = ends->end;
    ends->to[1] = ends->inside;
}

void row_ends_copy(const struct row_ends *ends, const char *row, char *line)
{
    const int64_t *lead = ends->places, *trail = lead + ends->inside;

    for (int side = 0; side < 2; side++)
        if (ends->from[side] < ends->to[side])
            memcpy(line + ends->from[side], row + ends->begin + ends->from[side],
                   (size_t)(ends->to[side] - ends->from[side]));
    for (int64_t i = 0; i < ends->inside && lead[i] != NOWHERE; i++)
        line[i] = row[lead[i]];
    for (int64_t i = 0; ends->end + i < ends->length && trail[i] != NOWHERE; i++)
        line[ends->end + i] = row[trail[i]];
}

/* --- The ring: its size, its memory, and the rows of the source and of the result. */

/* Bytes of the ring. The first-level cache has at least 32 KiB; 4 KiB are left for rows of the
 * images. */
#define RING_BYTES (28 * 1024)
/* The least and the greatest value of ring->room, the length of the longest segment in samples:
 * multiples of U8_BLOCK. The least value applies even if the ring then exceeds RING_BYTES. Narrower
 * images have shorter segments. */
#define MIN_ROOM 256
#define MAX_ROOM 1536

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
    ring->rows = carve(memory, 2 * height * (int64_t)sizeof *ring->rows);
    ring->line_bytes = /* lines consist of whole cache lines */
        round_up(ring->room + U8_BLOCK + 2 * ring->reach, CACHE_LINE) + 2 * CACHE_LINE;
    ring->ends.places = carve(memory, 2 * ring->reach * (int64_t)sizeof *ring->ends.places);
    ring->lines = carve(memory, LINES * ring->line_bytes);
    ring->zeros = carve(memory, ring->line_bytes);
}

void ring_enter(struct ring *ring, int64_t first, int64_t n)
{
    struct row_ends *ends = &ring->ends;
    const int64_t length = n + 2 * ring->reach, padded = round_up(n, U8_BLOCK), rest = padded - n;
    int64_t trail; /* how many of the needed samples do not exist, after the row's end */
    bool beside;   /* some of the needed samples do not exist */

    row_ends_find(ends, ring->piece, first - ring->reach, length);
    trail = length - ends->end;
    beside = ends->inside + trail > 0;
    ring->first = first;
    ring->n = n;
    ring->padded = padded;
    ring->next = -ring->request->halo_y;
    for (int64_t i = 0; i < ring->height; i++)
        ring->rows[i] = ring->rows[i + ring->height] = ring->sums + i * (ring->room + PITCH_SUMS);

    ring->tail =
        trail > 0 || rest > 0 ? max(n - max(trail, U8_BLOCK), 0) / U8_BLOCK * U8_BLOCK : padded;
    ring->head = min(round_up(ends->inside, U8_BLOCK), ring->tail);
    ends->to[0] = ring->head > 0 ? min(ring->head + 2 * ring->reach, ends->end) : 0;
    ends->from[1] = max(((ring->tail + ends->begin) & -CACHE_LINE) - ends->begin, ends->inside);
    ends->to[1] = ring->tail < padded ? ends->end : 0;
    ring->lined = beside || ring->tail < padded;
    memset(ring->zeros, 0, (size_t)ring->line_bytes);
    if (beside && ring->request->edge == EDGE_ZERO)
        memset(ring->lines, 0, (size_t)(LINES * ring->line_bytes));
    /* If the image's rows begin at cache lines, a sample's address modulo CACHE_LINE is the same in
     * the line as in the row. */
    for (int i = 0; i < LINES; i++) {
        ring->line[i] = ring->lines + i * ring->line_bytes + (ends->begin & (CACHE_LINE - 1));
        memset(ring->line[i] + length, 0, (size_t)rest);
    }
}

struct source_rows ring_source(const struct ring *ring, int64_t y, int count)
{
    struct source_rows source = {.head = ring->head, .tail = ring->tail};

    for (int i = 0; i < count; i++) {
        const char *row = source_row(ring->piece, y + i);
        char *const line = ring->line[(y + i + MAX_HALO) % LINES];

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
