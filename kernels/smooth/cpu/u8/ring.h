/* SPDX-License-Identifier: MIT */
/* The engine u8 sums along each source row once, into a ring buffer of the last 2 halo_y + 2 rows
 * of sums. From these it computes two rows of the result at a time, by weighted sums down the
 * columns. So a sample takes 2 (halo_x + halo_y + 1) products, not as many as its window has
 * samples.
 *
 * Rows are cut into segments. Each segment is computed from top to bottom before the next one, so
 * that the ring stays in the cache. Near the ends of a row the sums are computed from a line: a
 * buffer with copies of both ends of the row and with the samples that the edge rule adds there.
 * All other sums are computed from the row itself. Lengths are in samples, not pixels. */
#ifndef SMOOTHIMG_SMOOTH_U8_RING_H
#define SMOOTHIMG_SMOOTH_U8_RING_H

#include "kernels/smooth/cpu/u8/loops.h"
#include "kernels/variant.h"

/* Says which samples of a segment's rows are copied to lines, the buffers for the rows' ends. A
 * sample has one byte. A position counts samples from the first one that the segment needs, and is
 * the same in the row and in the line. */
struct row_ends {
    int64_t begin;          /* index of position 0 in the row; negative before pixel 0 */
    int64_t inside, end;    /* positions inside..end-1 exist in the row */
    int64_t length;         /* positions 0..length-1 are needed */
    int64_t from[2], to[2]; /* for each end: positions from..to-1 must be copied */
    /* For each position before `inside`, then for each from `end` on: the index in the row of the
     * sample that the edge rule copies there, or NOWHERE for a zero, which the line already
     * holds. */
    int64_t *places;
};

/* Sets *ends for `length` samples of the source's rows, from sample `begin` on. row_ends_copy()
 * will then copy all of these samples that exist, unless the caller narrows the ranges
 * from[]..to[]-1. ends->places has space for the samples that do not exist. */
void row_ends_find(struct row_ends *ends, const struct piece *piece, int64_t begin, int64_t length);

/* Fills a line with copies of a row's ends and with what the edge rule puts beside them. `row`
 * points to the first pixel of the row. */
void row_ends_copy(const struct row_ends *ends, const char *row, char *line);

#define LINES 2 /* one for source rows with even numbers, one for odd ones */

struct ring {
    const struct request *request;
    const struct piece *piece; /* NULL to measure the memory only */
    int64_t step, reach;       /* samples in a pixel; halo_x * step */
    int64_t height;            /* rows of sums: 2 halo_y + 2 */
    /* Length of the longest segment, a multiple of U8_BLOCK. It is chosen so that the ring fits the
     * first-level cache if possible, and is no longer than a row needs. */
    int64_t room;

    int64_t first, n; /* first sample and length of the segment */
    int64_t padded;   /* number of sums that are computed: n, rounded up to U8_BLOCK */
    int64_t next;     /* the next source row that enters the ring */

    /* Which bytes of the rows are copied to lines. Position 0 is the first sample that the
     * segment's sums need. */
    struct row_ends ends;
    int64_t head, tail; /* sums with indices below head, or from tail on, are computed from lines */
    bool lined;         /* some sums are computed from lines */
    int64_t line_bytes;
    char *lines;       /* memory of the lines */
    char *line[LINES]; /* position 0 of each line */
    char *zeros;       /* a row of zeros */

    float *sums; /* `height` rows */
    /* Pointers to these rows, each of them twice: rows[i + height] is rows[i]. The sums of source
     * row y are rows[(y + halo_y) % height]. So rows + y % height points to the rows that results y
     * and y + 1 need, from top to bottom. */
    float **rows;
};

/* Takes a ring's memory from *memory, and advances *memory. piece: NULL only to measure how much
 * memory it takes. */
void ring_lay_out(struct ring *ring, const struct request *request, const struct piece *piece,
                  uintptr_t *memory);

/* Begins the segment of n samples whose first sample has index `first` in its row. Afterwards the
 * ring holds no sums yet. */
void ring_enter(struct ring *ring, int64_t first, int64_t n);

/* Returns pointers to source row y and, if count is 2, to row y + 1. Copies the rows' ends to lines
 * if some sums need that; rows that the edge rule makes zero point to zeros. The line of row y is
 * overwritten when row y + 2 is requested. */
struct source_rows ring_source(const struct ring *ring, int64_t y, int count);

/* Returns the address of the segment's first sample in row y of the result. */
uint8_t *ring_target(const struct ring *ring, int64_t y);

#endif
