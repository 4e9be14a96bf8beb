/* SPDX-License-Identifier: MIT */
/* Passes over a tile: all but the last, along the row. A tile is a box of results: places of the
 * stages' axes, one of each batch. */
#ifndef SMOOTHIMG_ARRAYS_TILE_H
#define SMOOTHIMG_ARRAYS_TILE_H

#include "kernels/smooth/arrays/exact.h"
#include "kernels/smooth/arrays/integers.h"
#include "kernels/smooth/arrays/tiling.h"

/* Which numbers passes take. */
enum level { LEVEL_DOUBLES, LEVEL_TWO_DOUBLES, LEVEL_INTEGERS };

struct box {
    int64_t at[ARRAY_STAGES], extent[ARRAY_STAGES]; /* as the source counts places */
};

/* The places of a stage that a tile reads: a range, and others that edge rules name. */
struct places {
    int64_t first, inside, count;
    int64_t *others;
};

struct tile {
    const struct array_tiling *tiling;
    const struct array_scheme *scheme;
    const struct exact_common *common;
    const char *source; /* of the batch: the sample at place 0 of all stages */
    struct box box;
    enum level level;
    int words;          /* of 64 bits, of a number */
    int unit;           /* of integers: see integers.h */
    bool special;       /* samples in reach may be infinite, or NaN */
    double scale;       /* of samples: of sums of two doubles */
    double one;         /* what a sample weighs that is not left out: a power of two */
    int64_t pitch;      /* numbers from one row, and from one plane of it, to the next */
    int64_t begin, end; /* numbers of a row that are inside of the array */
    bool wraps;         /* ends are samples, which the edge rule wraps */
    struct places places[ARRAY_STAGES];
    uint64_t *nodes[ARRAY_STAGES][ARRAY_FILTERED]; /* rows, of each stage's nodes */
    uint64_t *loaded;     /* a row of the source at all places of the first stage, and outside */
    int64_t *loaded_rows; /* which each of these is, or -1 */
    uint64_t *result;     /* rows of roots */
    const void **rows;    /* room for pointers: 2 MAX_HALO + ARRAY_ROWS + 1 */
};

/* The place that has number i among those that are read. */
static inline int64_t place_at(const struct places *places, int64_t i)
{
    return i < places->inside ? places->first + i : places->others[i - places->inside];
}

/* Places the memory of a tile that begins there, and finds what it reads; box, level and what they
 * need are set. others: room for what it reads of each stage by edge rules. */
void tile_begin(struct tile *tile, uint64_t *words, int64_t *others);

/* How many numbers `others` needs. */
int64_t tile_others(const struct array_tiling *tiling);

/* All passes but the last two. */
void tile_filter(const struct tile *tile);

/* The last pass but one, of the rows of the result from number `row` on: some, whose number is
 * returned. They are there until it is called again. */
int tile_filter_rows(const struct tile *tile, int64_t row);

/* The last pass reads this for row number `row` of these, from a node of the stage before: the
 * number at the row's first place. */
const uint64_t *tile_centre(const struct tile *tile, int node, int row);

/* What a node of stage s is where all samples are `sample`: integers of tile->words, by tile->unit.
 */
void tile_flat(const struct tile *tile, const struct exact_number *sample, int s,
               const struct node *node, uint64_t *to);

/* Loads a row of the source at the stages' places, as numbers of pixels. as_samples: as its
 * samples, with 0 for each NaN that is left out; the first one inside of the array is then at the
 * place that is returned. */
int64_t tile_load(const struct tile *tile, const char *row, bool as_samples, uint64_t *to);

/* Do its samples lie side by side? Then the first one inside of the array is there. And do passes
 * read them there? That is number tile->begin of a row. */
bool tile_lies_packed(const struct tile *tile);
bool tile_reads_samples(const struct tile *tile);
const char *tile_samples(const struct tile *tile, const char *row);

/* The scale of a pass of stage s: see bounds.h. */
double tile_scale(const struct tile *tile, int s);

/* A pass of stage s over the rows that tile->rows points at, but for its outs. */
struct array_pass tile_pass(const struct tile *tile, int s, const struct axis_taps *taps, int count,
                            bool adds);

/* The rows that the tile reads at each place of the first stage: their number, and where one is at
 * place 0. */
int64_t tile_source_rows(const struct tile *tile);
const char *tile_source_row(const struct tile *tile, int64_t row);

#endif
