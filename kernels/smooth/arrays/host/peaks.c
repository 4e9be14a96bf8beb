/* SPDX-License-Identifier: MIT */
/* Finds peaks, which are extremes of samples (peaks.h). A tile is the part of the result that a
 * thread computes at a time. A stage is all passes along one axis. A row is plain if each of its
 * samples is 0 or at least LEAST_PLAIN (2^-600). */
#include "kernels/smooth/arrays/host/peaks.h"

#include "kernels/common/numbers.h"

#include <math.h>

int64_t peaks_blocks(const struct array_tiling *tiling)
{
    const struct array_scheme *scheme = tiling->scheme;

    return array_pitch(scheme, tiling->block[scheme->last]) / ARRAY_BLOCK + 1;
}

static const struct array_peak no_peak = {.least = INFINITY, .smallest = INFINITY};

static void join(const struct array_peak *from, struct array_peak *peak)
{
    peak->most = from->most > peak->most ? from->most : peak->most;
    peak->smallest = from->smallest < peak->smallest ? from->smallest : peak->smallest;
    peak->least = from->least < peak->least ? from->least : peak->least;
    peak->special = peak->special || from->special;
}

bool peak_is_plain(const struct array_peak *peak)
{
    return !peak->special && peak->least >= 0 && peak->smallest >= LEAST_PLAIN;
}

/* Finds the peaks of a row that the tile reads. Measures the samples in memory if the loops can,
 * otherwise after they are converted to doubles. If error bounds can be relative to results
 * (keeps_plain), the blocks of a plain row (each sample 0 or at least 2^-600) need no peaks of
 * their own. Then the row's peak is joined to *plain, which peaks_find() joins to the peak of every
 * block. */
static void measure_row(const struct tile *tile, const char *row, struct peaks *peaks,
                        struct array_peak *plain)
{
    const struct array_scheme *scheme = tile->scheme;
    const struct array_loops *loops = tile->tiling->loops;
    const bool lies = tile_reads_samples(tile) && loops->measure[scheme->job->src.type];
    const enum sample_type type = lies ? scheme->job->src.type : SAMPLE_F64;
    const int64_t n = (tile->end - tile->begin) / scheme->pixel.numbers * scheme->pixel.samples;
    const int64_t begin = lies ? tile->begin : tile_load(tile, row, true, tile->loaded);
    const char *samples = lies ? tile_samples(tile, row) : (const char *)(tile->loaded + begin);
    struct array_peak whole = no_peak;

    loops->measure[type](samples, 0, n, n, &whole);
    join(&whole, &peaks->all);
    if (scheme->bounds.keeps_plain && peak_is_plain(&whole))
        join(&whole, plain);
    else
        loops->measure[type](samples, begin % ARRAY_BLOCK, n, ARRAY_BLOCK,
                             peaks->blocks + begin / ARRAY_BLOCK);
}

bool peaks_read_outside(const struct array_scheme *scheme, const struct box *box)
{
    bool reads = false;

    for (int s = 0; s <= scheme->last; s++) {
        const struct stage *stage = &scheme->stage[s];

        reads = reads || ((stage->edges >> EDGE_ZERO & 1) &&
                          (box->at[s] < stage->reach ||
                           box->at[s] + box->extent[s] + stage->reach > stage->length));
    }
    return reads;
}

void peaks_find(struct peaks *peaks, const struct tile *tile)
{
    const int64_t count = peaks_blocks(tile->tiling);
    const struct array_scheme *scheme = tile->scheme;
    const bool is_signed = sample_format(scheme->job->src.type).is_signed;
    const double outside = scheme->job->outside;
    const struct array_peak beyond = {fabs(outside), outside < 0 ? -1 : outside,
                                      outside != 0 ? fabs(outside) : INFINITY, false};
    /* The peak of the values that every block may contain. Without a scan it consists of the
     * extremes of the sample type, so that bounds do not depend on the samples. */
    struct array_peak any =
        scheme->bounds.scans
            ? no_peak
            : (struct array_peak){scheme->bounds.peak, is_signed ? -1 : 0, 1, false};

    if (peaks_read_outside(scheme, &tile->box))
        join(&beyond, &any);
    peaks->all = any;
    for (int64_t b = 0; b < count; b++)
        peaks->blocks[b] = no_peak;
    for (int64_t row = 0; scheme->bounds.scans && row < tile_source_rows(tile); row++)
        for (int64_t i = 0; i < tile->places[0].count; i++)
            measure_row(tile, tile_source_row(tile, i, row), peaks, &any);
    for (int64_t b = 0; b < count; b++)
        join(&any, &peaks->blocks[b]);
}

struct array_peak peaks_in_reach(const struct peaks *peaks, const struct array_scheme *scheme,
                                 int64_t x)
{
    const int64_t reach = 2 * scheme->stage[scheme->last].reach * scheme->pixel.samples;
    struct array_peak peak = no_peak;

    for (int64_t b = x / ARRAY_BLOCK; b <= (x + ARRAY_BLOCK - 1 + reach) / ARRAY_BLOCK; b++)
        join(&peaks->blocks[b], &peak);
    return peak;
}
