/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/arrays/peaks.h"

#include "kernels/common/carve.h"
#include "kernels/common/numbers.h"

#include <math.h>

int64_t peaks_blocks(const struct array_tiling *tiling)
{
    const struct array_scheme *scheme = tiling->scheme;

    return array_pitch(scheme, tiling->block[scheme->last]) / ARRAY_BLOCK + 1;
}

static int64_t slices_of(const struct array_tiling *tiling)
{
    return tiling->block[0] + 2 * tiling->scheme->stage[0].reach;
}

void peaks_lay_out(struct peaks *peaks, const struct array_tiling *tiling, uintptr_t *memory)
{
    const int64_t blocks = peaks_blocks(tiling), bytes = (int64_t)sizeof(struct array_peak);

    peaks->slices = carve(memory, slices_of(tiling) * blocks * bytes);
    peaks->places = carve(memory, slices_of(tiling) * (int64_t)sizeof(int64_t));
    peaks->blocks = carve(memory, blocks * bytes);
}

void peaks_forget(struct peaks *peaks, const struct array_tiling *tiling)
{
    for (int64_t i = 0; i < slices_of(tiling); i++)
        peaks->places[i] = -1;
}

static const struct array_peak no_peak = {.smallest = INFINITY};

static void join(const struct array_peak *from, struct array_peak *peak)
{
    peak->most = from->most > peak->most ? from->most : peak->most;
    peak->smallest = from->smallest < peak->smallest ? from->smallest : peak->smallest;
    peak->negative = peak->negative || from->negative;
    peak->zero = peak->zero || from->zero;
    peak->special = peak->special || from->special;
}

bool peak_is_plain(const struct array_peak *peak)
{
    return !peak->special && !peak->negative && peak->smallest >= LEAST_PLAIN;
}

/* Measures a row that the tile reads: where it lies, or as doubles. Where errors are bounded by
 * plain results, its blocks need no peaks of their own. */
static void measure_row(const struct tile *tile, const char *row, struct array_peak *blocks)
{
    const struct array_scheme *scheme = tile->scheme;
    const bool lies =
        tile_reads_samples(tile) && tile->tiling->loops->measure[scheme->job->src.type];
    const enum sample_type type = lies ? scheme->job->src.type : SAMPLE_F64;
    const int64_t bytes = sample_format(type).bytes;
    const char *samples =
        lies ? tile_samples(tile, row) : (const char *)(tile->loaded + tile->begin);
    struct array_peak whole = no_peak;

    if (!lies)
        tile_load(tile, row, tile->loaded);
    if (scheme->keeps_plain)
        tile->tiling->loops->measure[type](samples, tile->end - tile->begin, &whole);
    for (int64_t x = tile->begin, end; x < tile->end; x = end) {
        end = min(round_up(x + 1, ARRAY_BLOCK), tile->end);
        if (scheme->keeps_plain && peak_is_plain(&whole))
            join(&whole, &blocks[x / ARRAY_BLOCK]);
        else
            tile->tiling->loops->measure[type](samples + (x - tile->begin) * bytes, end - x,
                                               &blocks[x / ARRAY_BLOCK]);
    }
}

/* Measures the rows of a slice that the tile reads. */
static void measure_slice(const struct tile *tile, int64_t place, struct array_peak *blocks)
{
    const int64_t count = peaks_blocks(tile->tiling);
    const struct array_scheme *scheme = tile->scheme;
    const int64_t slice = place * scheme->stage[0].from_stride;

    for (int64_t b = 0; b < count; b++)
        blocks[b] = no_peak;
    for (int64_t row = 0; row < tile_source_rows(tile); row++)
        measure_row(tile, tile_source_row(tile, row) + slice, blocks);
}

/* The peaks of a slice, which are measured once for a column. */
static const struct array_peak *slice_at(struct peaks *peaks, const struct tile *tile,
                                         int64_t place)
{
    const int64_t slice = place % slices_of(tile->tiling);
    struct array_peak *const blocks = peaks->slices + slice * peaks_blocks(tile->tiling);

    if (peaks->places[slice] != place)
        measure_slice(tile, place, blocks);
    peaks->places[slice] = place;
    return blocks;
}

bool peaks_read_outside(const struct tile *tile)
{
    bool reads = false;

    for (int s = 0; s <= tile->scheme->last; s++) {
        const struct stage *stage = &tile->scheme->stage[s];

        reads = reads || ((stage->edges >> EDGE_ZERO & 1) &&
                          (tile->box.at[s] < stage->reach ||
                           tile->box.at[s] + tile->box.extent[s] + stage->reach > stage->length));
    }
    return reads;
}

/* Takes the peaks of the samples' type, where bounds need no samples. */
static void take_type(struct peaks *peaks, const struct tile *tile)
{
    const int64_t count = peaks_blocks(tile->tiling);
    const struct array_scheme *scheme = tile->scheme;
    const bool is_signed = sample_format(scheme->job->src.type).is_signed;

    peaks->all = (struct array_peak){scheme->peak, 1, is_signed, true, false};
    for (int64_t b = 0; b < count; b++)
        peaks->blocks[b] = peaks->all;
}

static void take_slices(struct peaks *peaks, const struct tile *tile)
{
    const int64_t count = peaks_blocks(tile->tiling);
    const struct places *places = &tile->places[0];

    peaks->all = no_peak;
    for (int64_t b = 0; b < count; b++)
        peaks->blocks[b] = no_peak;
    for (int64_t i = 0; i < places->count; i++) {
        const struct array_peak *slice = slice_at(peaks, tile, place_at(places, i));

        for (int64_t b = 0; b < count; b++)
            join(&slice[b], &peaks->blocks[b]);
    }
}

void peaks_find(struct peaks *peaks, const struct tile *tile)
{
    const int64_t count = peaks_blocks(tile->tiling);
    const struct array_scheme *scheme = tile->scheme;
    const double outside = scheme->job->outside;
    const struct array_peak beyond = {
        .most = fabs(outside),
        .smallest = outside != 0 ? fabs(outside) : INFINITY,
        .negative = outside < 0,
        .zero = outside == 0,
    };
    const bool reads = peaks_read_outside(tile);

    if (scheme->scans)
        take_slices(peaks, tile);
    else
        take_type(peaks, tile);
    for (int64_t b = 0; b < count; b++) {
        if (reads)
            join(&beyond, &peaks->blocks[b]);
        join(&peaks->blocks[b], &peaks->all);
    }
}

struct array_peak peaks_in_reach(const struct peaks *peaks, const struct array_scheme *scheme,
                                 int64_t x)
{
    const int64_t reach = 2 * scheme->stage[scheme->last].reach * scheme->samples;
    struct array_peak peak = no_peak;

    for (int64_t b = x / ARRAY_BLOCK; b <= (x + ARRAY_BLOCK - 1 + reach) / ARRAY_BLOCK; b++)
        join(&peaks->blocks[b], &peak);
    return peak;
}
