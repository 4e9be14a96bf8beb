/* SPDX-License-Identifier: MIT */
/* Computes a tile by passes along each filtered axis. The last pass, along the rows, is in
 * results.h.
 *
 * A stage is all passes along one axis; it computes nodes, which are sums of filtered inputs
 * (scheme.h). A tile is a box of results: a range of coordinates along the axis of each stage, all
 * samples of a pixel, and one coordinate along each other axis. A root is a sum of the last pass. A
 * number is a sample converted to a real number, its weight, or a sum; if two doubles hold it, the
 * lower one is its rest. */
#ifndef SMOOTHIMG_ARRAYS_TILE_H
#define SMOOTHIMG_ARRAYS_TILE_H

#include "kernels/smooth/arrays/exact.h"
#include "kernels/smooth/arrays/host/integers.h"
#include "kernels/smooth/arrays/host/tiling.h"

/* The type of the numbers on which passes compute. */
enum level { LEVEL_DOUBLES, LEVEL_TWO_DOUBLES, LEVEL_INTEGERS };

/* A range of results. Along the axis of stage s it has extent[s] coordinates, from at[s] on. */
struct box {
    int64_t at[ARRAY_STAGES], extent[ARRAY_STAGES]; /* in coordinates of the source */
};

/* The places (coordinates) of a stage's axis that a tile reads. A place outside of the array stands
 * for the place inside of it that EDGE_WRAP gives. */
struct places {
    int64_t first, count;
    bool wraps; /* some of these places may be outside of the array */
};

/* The state of sums by recursions (series.h) down a column of tiles, which are computed from top to
 * bottom. */
struct descent {
    double *state, *zeros; /* state: as in struct array_descent; zeros: a row of zeros */
    int64_t start, next;   /* the row where the recursions began; the row where they go on */
};

struct tile {
    const struct array_tiling *tiling;
    const struct array_scheme *scheme;
    struct exact_common common;
    /* Address of the sample at the tile's coordinates on the axes in scheme->batch_axis, and at
     * coordinate 0 on all other axes. */
    const char *source;
    struct box box;
    enum level level;
    uint64_t *memory;                    /* for the rows of the tile: see tile_begin() */
    int words;                           /* 64-bit words of a number */
    int unit;                            /* loaded integers are in units of 2^unit */
    uint32_t wanted;                     /* bit r is set if the passes compute result array r */
    bool special;                        /* samples that are read may be infinite or NaN */
    const struct array_cosines *cosines; /* for passes by recursions (series.h); or NULL */
    struct descent *descent;
    /* For sums in two doubles: a power of two that is at least 4 times the magnitude of each loaded
     * number (U in bounds.h). */
    double scale;
    double one; /* with ARRAY_WITHOUT_NAN: the weight of a sample that is no NaN, a power of two */
    /* Distance in numbers from a row to the next. If numbers are two doubles: distance in doubles
     * from a row's upper doubles to its lower ones, and from these to the next row. */
    int64_t pitch;
    int64_t begin, end; /* the range of a row's numbers that are in the array; if `wraps`, all */
    bool wraps;         /* loaded rows include what the edge rule wrap puts past their ends */
    struct places places[ARRAY_STAGES];
    /* [s][n]: the rows of sums of node n of stage s. */
    uint64_t *nodes[ARRAY_STAGES][ARRAY_FILTERED];
    /* Loaded rows: one row of the source at each place (coordinate) of the first stage's axis, and
     * a row of values outside of the array; for recursions, the rows that enter and leave their
     * windows. */
    uint64_t *loaded;
    /* For each loaded row: the argument `row` of tile_source_row() that gives the row of the source
     * that was loaded; -1: not loaded yet. */
    int64_t *loaded_rows;
    uint64_t *result; /* the output of the last pass */
    /* Pointers to the rows that a pass reads: space for at least 2 MAX_HALO + ARRAY_ROWS. */
    const void **rows;
};

/* Begins to compute a box, in numbers of `words` 64-bit words: lays out tile->memory, and finds
 * which places the tile reads. The caller has already set tiling, scheme, common, cosines, memory,
 * loaded_rows and, for LEVEL_TWO_DOUBLES, scale. */
void tile_begin(struct tile *tile, const struct box *box, enum level level, int words);

/* Does the passes of all stages except the last two. tile_filter_rows() and then finish_row()
 * (results.h) do the last two, for a few rows at a time. */
void tile_filter(const struct tile *tile);

/* Does the passes of the stage before the last for several rows of the tile's results, from the row
 * with index `row` on. Returns the number of these rows. Their sums are valid until the next call.
 */
int tile_filter_rows(const struct tile *tile, int64_t row);

/* Returns the address of the number at the centre of the window of a row's first result, for the
 * last pass. node: index of the node, in the stage before the last, that the pass reads. row: index
 * of the row among those that the last tile_filter_rows() has computed. */
const uint64_t *tile_centre(const struct tile *tile, int node, int row);

/* Does the last pass by recursions, along the `count` rows that tile_filter_rows() has computed.
 * Returns the address of the first row's results; each next row is tile->pitch doubles further. */
const double *tile_sum_along(const struct tile *tile, int count);

/* Does the last pass along one row, in two doubles or in integers, for one root (a sum that this
 * pass makes). root: its index. row: index of the row among those that the last tile_filter_rows()
 * has computed. Stores n numbers at `to`; n is a multiple of ARRAY_BLOCK if they are doubles. */
void tile_filter_line(const struct tile *tile, int root, int row, int64_t n, uint64_t *to);

/* Computes the number that a node (an array of sums) of stage s has where all samples are `sample`:
 * an integer of tile->words words, in units of 2^unit times the units of the taps of stages 0 to
 * s. */
void tile_flat(const struct tile *tile, const struct exact_number *sample, int s,
               const struct node *node, uint64_t *to);

/* Loads a row of the source as numbers, with weights if samples have them. as_samples: loads no
 * weights, and, with ARRAY_WITHOUT_NAN, 0 in place of a NaN. Returns the index in `to` of the first
 * number that is inside of the array. */
int64_t tile_load(const struct tile *tile, const char *row, bool as_samples, uint64_t *to);

/* tile_lies_packed(): true if the samples that the tile reads in a row are contiguous in the
 * source. tile_reads_samples(): true if passes can read them there, without tile_load().
 * tile_samples(): the address of the first sample that the tile reads in a row; in the loaded row
 * this sample is the number with index tile->begin. */
bool tile_lies_packed(const struct tile *tile);
bool tile_reads_samples(const struct tile *tile);
const char *tile_samples(const struct tile *tile, const char *row);

/* Returns the scale (U in bounds.h) of the numbers that a pass of stage s computes: a power of two
 * that is at least 4 times the magnitude of each. */
double tile_scale(const struct tile *tile, int s);

/* tile_source_rows() returns how many rows of the source the tile reads at each place (coordinate)
 * of the first stage's axis. tile_source_row() returns the address of one of them: `row` is its
 * index among them, and i the index of the place. */
int64_t tile_source_rows(const struct tile *tile);
const char *tile_source_row(const struct tile *tile, int64_t i, int64_t row);

#endif
