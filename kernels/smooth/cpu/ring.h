/* SPDX-License-Identifier: MIT */
/* The loop that all arithmetics of smooth_cpu share. A source row is filtered once, horizontally,
 * into a ring of the last 2 halo_y + 2 such rows; two rows of the result are vertical sums over the
 * ring. That takes 2 (halo_x + halo_y + 1) taps a sample instead of the window's area.
 *
 * In an image that is much lower than the halo, rows that are the same are filtered once
 * (same_rows.h).
 *
 * Rows are cut into segments, each done from top to bottom before the next, so that the ring stays
 * in the cache. Lengths are in samples, not pixels. */
#ifndef SMOOTHIMG_SMOOTH_RING_H
#define SMOOTHIMG_SMOOTH_RING_H

#include "kernels/smooth/cpu/ends/ends.h"
#include "kernels/smooth/cpu/loops.h"
#include "kernels/smooth/cpu/same_rows.h"
#include "kernels/variant.h"

#define RING_STATE_BYTES 2048
#define RING_BATCH 8 /* rows whose ends are copied at a time */

struct ring;

/* What one arithmetic adds. `ring` is the first member of its own state of a thread, which has
 * RING_STATE_BYTES at most. */
struct ring_arithmetic {
    int sum_bytes;              /* of a sum in the ring */
    int block;                  /* its loops take multiples of this: a vector at least */
    int64_t ring_bytes;         /* how large the ring should be at most: its cache */
    int64_t min_room, max_room; /* of a segment, whatever ring_bytes says; multiples of block */
    bool reads_lines;           /* its loops take lines of ring_row, and no more than a block */

    /* Sets the members after the ring, with their memory from *memory on, which it leaves alone. */
    void (*lay_out)(struct ring *ring, uintptr_t *memory);

    /* Fills that memory, before the first segment. */
    void (*begin)(struct ring *ring);

    /* Begins a segment. NULL: there is nothing to do. */
    void (*enter)(struct ring *ring);

    /* Filters source row y of the segment, or of the border, into sums[0..padded-1]. */
    void (*take_row)(struct ring *ring, int64_t y, void *sums);

    /* Writes the segment of row y and, if two, of row y + 1, by the sums of ring_rows. */
    void (*give_rows)(struct ring *ring, int64_t y, bool two);
};

struct ring {
    const struct ring_arithmetic *arithmetic;
    const struct request *request;
    const struct piece *piece; /* NULL where memory is measured alone */
    const void *state;         /* the plan's */
    int64_t step, reach;       /* to the next pixel; halo_x * step */
    int64_t room;              /* of a segment, a multiple of block */
    bool copies;               /* src ends before the filter does */

    int64_t last;     /* the band's rows end before this one */
    int64_t first, n; /* the segment */
    int64_t padded;   /* n, rounded up to block: as much is computed */
    int64_t next;     /* the source row that enters the ring next */

    /* Of the segment's rows. Position 0 is the first sample that their sums need. */
    struct row_ends ends;
    int64_t head, tail; /* sums below head and from tail on are computed from lines */
    bool lined;         /* there are such sums */
    int64_t line_bytes;
    int line_count; /* 2 RING_BATCH, or 0: no row is copied */
    char *room_of_lines;
    int64_t batches[2]; /* whose rows' ends these are */
    char *zeros;        /* a row of them */

    char *sums;  /* 2 halo_y + 2 rows */
    void **rows; /* pointers to them, top to bottom */

    const struct same_rows *same; /* of the band, or NULL */
    bool taken[MAX_DISTINCT];     /* by kind: whether one of these rows is in the ring */
};

/* As in struct engine: the whole piece, by threads. */
size_t ring_scratch_bytes(const struct ring_arithmetic *arithmetic, const struct request *request,
                          const void *state);
void ring_run(const struct ring_arithmetic *arithmetic, const struct piece *piece);

/* The greatest number of samples of a segment. */
int64_t ring_room(const struct ring_arithmetic *arithmetic, const struct request *request);

/* The sums of rows y-halo_y..y+halo_y+two, of which those above `end` may be missing (give_rows
 * fills them); for a single row the last pointer repeats the one before. */
void **ring_rows(struct ring *ring, int64_t y, bool two, int64_t end);

/* Row y of the source, from position 0 on. */
struct ring_row {
    const void *direct; /* where it lies: for sums head..tail-1 */
    const void *line;   /* for the others, with zeros behind the row */
};

struct ring_row ring_row_with_ends(struct ring *ring, int64_t y); /* of ring_row */

/* Valid until another row is asked for that is not beside this one. */
static inline struct ring_row ring_row(struct ring *ring, int64_t y)
{
    const struct view *src = &ring->piece->src;
    const char *direct = (const char *)src->origin + y * src->stride_bytes + ring->ends.begin;

    return ring->lined || ring->copies ? ring_row_with_ends(ring, y)
                                       : (struct ring_row){direct, direct};
}

/* A row in three pieces, which may be empty: `n` samples from position `first` on; valid as long.
 * The row comes by value, in registers: two pointers that are stored and then read as one vector
 * wait for all stores before them. */
struct ring_piece {
    const void *samples;
    int64_t first, n;
};
void ring_pieces(const struct ring *ring, struct ring_row row, struct ring_piece pieces[3]);

/* The segment in row y of the source, without what is around it; in the result. */
const void *ring_centre(const struct ring *ring, int64_t y);
void *ring_target(const struct ring *ring, int64_t y);

/* What the two rows after y and y + 1 will read and write. */
struct fetches ring_fetches(const struct ring *ring, int64_t y);

#endif
