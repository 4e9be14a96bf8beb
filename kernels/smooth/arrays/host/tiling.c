/* SPDX-License-Identifier: MIT */
/* Chooses the size of tiles that takes the least time. A tile is the part of the result that a
 * thread computes at a time. Times are counted in products of a number and a tap. A stage is
 * all passes along one axis; it computes nodes (scheme.h). */
#include "kernels/smooth/arrays/host/tiling.h"

#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"

#include <math.h>
#include <string.h>

/* A tile's row has at least this many numbers, unless the result's rows are shorter: a shorter row
 * would take as long. */
#define LEAST_SEGMENT 128
/* A tile's row has at most this many numbers, or twice the row axis' reach if that is more. Rows
 * are long because processors prefetch within a row. */
#define LONGEST_SEGMENT 2048
#define LARGEST_BLOCK 32 /* greatest extent of a tile along an axis that is not the row's */
/* About what a processor's second-level cache holds: 2 MiB. A tile of more 64-bit words than this
 * is taken to be slower in proportion to its words, unless it is no larger than the smallest tile
 * in two doubles. A larger tile is still chosen if smaller tiles would filter the same rows too
 * often. For example, if 12 axes of 2 samples each are filtered, tiles of 1 sample in place of 2
 * along ten of the axes mean 1,024 times the work. */
#define CACHED_WORDS (1 << 18)
/* More 64-bit words than any memory has. A tile that takes more counts as one that takes this many,
 * so that the bytes of 1024 threads fit 64 bits. */
#define MOST_WORDS 0x1p48
/* A sample's conversion takes as long as this many products. */
#define PRODUCTS_OF_LOADING 4
/* The fixed work for a row in a pass takes as long as this many products. */
#define PRODUCTS_OF_A_ROW 128

int64_t array_reach(const struct stage *stage, int64_t extent)
{
    return min(extent + 2 * stage->reach, stage->length);
}

/* Returns how many rows of each node (array of sums) of stage s a tile computes; for s = -1, how
 * many rows of the source it reads. These rows have the coordinates of the tile's results along the
 * axes of stages 0 to s, and the coordinates that each later stage reads along its axis. */
static double rows_of(const struct array_scheme *scheme, int s, const int64_t *extents)
{
    double rows = 1;

    for (int i = 0; i < scheme->last; i++)
        rows *= (double)(i <= s ? extents[i] : array_reach(&scheme->stage[i], extents[i]));
    return rows;
}

int64_t array_pitch(const struct array_scheme *scheme, int64_t pixels)
{
    const struct stage *row = &scheme->stage[scheme->last];
    const int64_t numbers =
        round_up((pixels + 2 * row->reach) * scheme->pixel.numbers, ARRAY_BLOCK) + 2 * ARRAY_BLOCK;

    return (numbers / 8 | 1) *
           8; /* an odd number of cache lines, so that rows are in different sets of a cache */
}

int64_t array_tile_words(const struct array_scheme *scheme, const int64_t *extents, int words,
                         bool descends)
{
    const int64_t pitch = array_pitch(scheme, extents[scheme->last]);
    /* A tile has ARRAY_ROWS rows of results, loaded rows of the source, a row of values outside of
     * the array, and the rows of its nodes (sums). */
    double rows = ARRAY_ROWS + (double)(descends ? 2 * (ARRAY_ROWS + 1)
                                                 : array_reach(&scheme->stage[0], extents[0]) + 1);

    for (int s = 0; s < scheme->last; s++)
        rows += scheme->stage[s].nodes *
                (s < scheme->last - 1 ? rows_of(scheme, s, extents) : ARRAY_ROWS);
    return (int64_t)fmin(rows * (double)(pitch * words), MOST_WORDS);
}

static void set_extents(const struct array_scheme *scheme, int64_t first, int64_t block,
                        int64_t segment, int64_t *extents)
{
    for (int s = 0; s <= scheme->last; s++)
        extents[s] =
            min(scheme->stage[s].extent, s == scheme->last ? max(1, segment / scheme->pixel.numbers)
                                         : s == 0          ? first
                                                           : block);
}

int64_t array_least_words(const struct array_scheme *scheme, int words)
{
    int64_t few[ARRAY_STAGES];

    set_extents(scheme, ARRAY_ROWS, 1, LEAST_SEGMENT, few);
    return array_tile_words(scheme, few, words, false) +
           scheme->roots * words * few[scheme->last] * scheme->pixel.numbers;
}

static int passes_of(const struct stage *stage)
{
    int passes = 0;

    for (int n = 0; n < stage->nodes; n++)
        passes += stage->node[n].inputs;
    return passes;
}

double array_tile_products(const struct array_scheme *scheme, const int64_t *extents)
{
    const double ext = (double)array_pitch(scheme, extents[scheme->last]) + PRODUCTS_OF_A_ROW;
    const struct stage *first = &scheme->stage[0], *row = &scheme->stage[scheme->last];
    double sum = rows_of(scheme, -1, extents) * ext * PRODUCTS_OF_LOADING;

    if (scheme->last == 0 || first->reach == 0)
        sum += rows_of(scheme, 0, extents) * ext;
    for (int s = 0; s < scheme->last; s++)
        sum += rows_of(scheme, s, extents) * ext * passes_of(&scheme->stage[s]) *
               (2 * (double)scheme->stage[s].reach + 1);
    return sum + rows_of(scheme, scheme->last, extents) * passes_of(row) *
                     (double)(extents[scheme->last] * scheme->pixel.numbers + PRODUCTS_OF_A_ROW) *
                     (2 * (double)row->reach + 1);
}

int64_t array_tile_samples(const struct array_scheme *scheme, const int64_t *extents)
{
    int64_t samples = scheme->pixel.samples;

    for (int s = 0; s <= scheme->last; s++)
        samples *= extents[s];
    return samples;
}

/* Returns a tile's cost in products, divided by the number of samples of its result. A tile of more
 * words than `fast` is slower. */
static double cost(const struct array_scheme *scheme, const int64_t *extents, int64_t fast)
{
    const int64_t words = array_tile_words(scheme, extents, scheme->wide ? 2 : 1, false);

    return array_tile_products(scheme, extents) / (double)array_tile_samples(scheme, extents) *
           (double)max(words, fast) / (double)fast;
}

void array_tiling_count(struct array_tiling *tiling)
{
    const struct array_scheme *scheme = tiling->scheme;

    tiling->tiles = 1;
    for (int s = 0; s <= scheme->last; s++) {
        tiling->counts[s] = (scheme->stage[s].extent + tiling->block[s] - 1) / tiling->block[s];
        tiling->tiles *= tiling->counts[s];
    }
    for (int i = 0; i < scheme->batches; i++)
        tiling->tiles *= scheme->job->extent[scheme->batch_axis[i]];
}

struct array_tiling array_tiling_of(const struct array_scheme *scheme,
                                    const struct array_cosines *cosines)
{
    const struct array_job *job = scheme->job;
    const int64_t longest =
        max(LONGEST_SEGMENT, 2 * scheme->stage[scheme->last].reach * scheme->pixel.numbers);
    const struct isa *isa = job->isa ? job->isa : isa_find(NULL);
    struct array_tiling tiling = {.scheme = scheme,
                                  .loops = isa->arrays,
                                  .cosines_loops = isa->smooth_cosines,
                                  .cosines = cosines};
    const int64_t fast = max(CACHED_WORDS, array_least_words(scheme, 2));
    int64_t extents[ARRAY_STAGES] = {0};
    double least = INFINITY;

    if (cosines)
        set_extents(scheme, cosines_replace(cosines, 0) ? ARRAY_ROWS : LARGEST_BLOCK, 1,
                    cosines->segment * scheme->pixel.numbers, tiling.block);
    for (int64_t first = cosines ? 0 : LARGEST_BLOCK; first >= 1; first /= 2)
        for (int64_t block = scheme->last > 1 ? LARGEST_BLOCK : 1; block >= 1; block /= 2)
            for (int64_t segment = longest; segment >= LEAST_SEGMENT; segment /= 2) {
                double products;

                set_extents(scheme, first, block, segment, extents);
                products = cost(scheme, extents, fast);
                if (products < least) {
                    least = products;
                    memcpy(tiling.block, extents, sizeof extents);
                }
            }
    array_tiling_count(&tiling);
    return tiling;
}
