/* SPDX-License-Identifier: MIT */
/* The passes over a tile, except the last one, along the row. A tile is a box of results: places of
 * the stages' axes, in one of the batch. */
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
    /* Address of the sample at place 0 of all stages, in this one of the batch. */
    const char *source;
    struct box box;
    enum level level;
    int words;          /* of 64 bits, of a number */
    int unit;           /* of integers: see integers.h */
    bool special;       /* samples in reach may be infinite or NaN */
    double scale;       /* of samples: of sums of two doubles */
    double one;         /* the weight of a sample that is not left out: a power of two */
    int64_t pitch;      /* numbers from one row, and from one plane of it, to the next */
    int64_t begin, end; /* the numbers of a row that are inside of the array */
    bool wraps;         /* the ends of rows are samples: the edge rule is wrap */
    struct places places[ARRAY_STAGES];
    uint64_t *nodes[ARRAY_STAGES][ARRAY_FILTERED]; /* rows, of each stage's nodes */
    /* A row of the source at all places of the first stage, and the row outside. */
    uint64_t *loaded;
    int64_t *loaded_rows; /* which each of these is, or -1 */
    uint64_t *result;     /* rows of roots */
    const void **rows;    /* space for pointers: 2 MAX_HALO + ARRAY_ROWS + 1 */
};

/* Returns the place with number i among those that are read. */
static inline int64_t place_at(const struct places *places, int64_t i)
{
    return i < places->inside ? places->first + i : places->others[i - places->inside];
}

/* Places the tile's memory, which begins there, and finds what it reads. box, level and what these
 * need are already set. `others` has space for what each stage reads by edge rules. */
void tile_begin(struct tile *tile, uint64_t *words, int64_t *others);

/* How many numbers `others` needs. */
int64_t tile_others(const struct array_tiling *tiling);

/* All passes but the last two. */
void tile_filter(const struct tile *tile);

/* Does the last pass but one for some rows of the result from number `row` on, and returns their
 * count. They are valid until the next call. */
int tile_filter_rows(const struct tile *tile, int64_t row);

/* Returns the address at which the last pass reads row number `row` of these, from a node of the
 * stage before: of the number at the row's first place. */
const uint64_t *tile_centre(const struct tile *tile, int node, int row);

/* Does the last pass of a root, in two doubles or in integers, along row number `row` of these.
 * Computes n numbers, a multiple of ARRAY_BLOCK if they are doubles. */
void tile_filter_line(const struct tile *tile, int root, int row, int64_t n, uint64_t *to);

/* Computes a node of stage s for a region where all samples are `sample`: integers of tile->words
 * words, in tile->unit. */
void tile_flat(const struct tile *tile, const struct exact_number *sample, int s,
               const struct node *node, uint64_t *to);

/* Loads a row of the source at the stages' places, as numbers of pixels. as_samples: keeps them as
 * samples, with 0 for each NaN that is left out; the first one inside of the array is then at the
 * returned place. */
int64_t tile_load(const struct tile *tile, const char *row, bool as_samples, uint64_t *to);

/* True if its samples are contiguous: then the first one inside of the array is there. The second
 * function: true if passes read them there, as number tile->begin of a row. */
bool tile_lies_packed(const struct tile *tile);
bool tile_reads_samples(const struct tile *tile);
const char *tile_samples(const struct tile *tile, const char *row);

/* Returns the scale of a pass of stage s (bounds.h). */
double tile_scale(const struct tile *tile, int s);

/* Return how many source rows the tile reads at each place of the first stage, and where one is at
 * place 0. */
int64_t tile_source_rows(const struct tile *tile);
const char *tile_source_row(const struct tile *tile, int64_t row);

#endif
