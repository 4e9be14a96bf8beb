/* SPDX-License-Identifier: MIT */
/* The engine of arrays. The result is cut into tiles, and each is computed by passes (tile.h) at
 * the first level that serves: in doubles, in sums of two doubles, or in integers. The first two
 * estimate, with a bound, round, and leave samples open; the next level computes these again: all
 * of a box around them, or boxes that have few others, whatever takes less. Integers leave none
 * open.
 */
#include "kernels/common/arrays.h"

#include "kernels/smooth/arrays/combine.h"
#include "kernels/smooth/arrays/integers.h"
#include "kernels/smooth/arrays/layout.h"
#include "kernels/smooth/arrays/tile.h"
#include "kernels/common/carve.h"
#include "kernels/common/numbers.h"
#include "kernels/common/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* One thread's. */
struct worker {
    const struct array_scheme *scheme;
    struct exact_common common;
    struct box main; /* the tile that is computed, of which boxes are parts */
    struct tile tile;
    uint64_t *words;
    int64_t *others;
    int64_t place[ARRAY_AXES];
    struct peaks {
        struct array_peak *slices; /* of blocks of a row, for places of the first stage's axis */
        int64_t *places;           /* of which slice, or -1 */
        struct array_peak *blocks; /* of the tile */
        struct array_peak all;
    } peaks;
    double *bounds; /* of blocks of a row of the result */
    uint8_t *open;  /* samples of the main tile */
    bool any_open;
};

/* --- Sizes. */

static int64_t blocks_of(const struct array_scheme *scheme)
{
    return array_pitch(scheme, scheme->stage[scheme->last].block) / ARRAY_BLOCK + 1;
}

static int64_t slices_of(const struct array_scheme *scheme)
{
    return scheme->stage[0].block + 2 * scheme->stage[0].reach;
}

/* Samples of a tile, at most. */
static int64_t samples_of(const struct array_scheme *scheme)
{
    int64_t samples = scheme->samples;

    for (int s = 0; s <= scheme->last; s++)
        samples *= scheme->stage[s].block;
    return samples;
}

/* Words of 64 bits: to sum large boxes in integers, and any sample; beyond, the definition does. */
#define ENOUGH_FOR_INTEGERS (1 << 18)
#define MOST_OF_INTEGERS (1 << 21)

/* Words for the passes of any level. */
static int64_t words_of(const struct array_scheme *scheme)
{
    const int integers = exact_prepare(scheme->job).words;
    int64_t extents[ARRAY_STAGES], one[ARRAY_STAGES], least;

    for (int s = 0; s <= scheme->last; s++) {
        extents[s] = scheme->stage[s].block;
        one[s] = 1;
    }
    least = max(array_tile_words(scheme, one, 2),
                min(array_tile_words(scheme, one, integers), MOST_OF_INTEGERS));
    least = max(least, min(array_tile_words(scheme, extents, integers), ENOUGH_FOR_INTEGERS));
    return max(least, array_tile_words(scheme, extents, scheme->wide ? 2 : 1));
}

static void worker_lay_out(struct worker *worker, const struct array_scheme *scheme,
                           uintptr_t *memory)
{
    const int64_t peaks = (int64_t)sizeof(struct array_peak), eight = 8;

    worker->words = carve(memory, words_of(scheme) * eight);
    worker->others = carve(memory, tile_others(scheme) * eight);
    worker->tile.rows = carve(memory, (2 * (MAX_HALO + ARRAY_ROWS)) * (int64_t)sizeof(void *));
    worker->peaks.slices = carve(memory, slices_of(scheme) * blocks_of(scheme) * peaks);
    worker->peaks.places = carve(memory, slices_of(scheme) * eight);
    worker->peaks.blocks = carve(memory, blocks_of(scheme) * peaks);
    worker->bounds = carve(memory, blocks_of(scheme) * eight);
    worker->open = carve(memory, samples_of(scheme));
}

/* --- Peaks. */

static const struct array_peak no_peak = {.smallest = INFINITY};

static void join(const struct array_peak *from, struct array_peak *peak)
{
    peak->most = from->most > peak->most ? from->most : peak->most;
    peak->smallest = from->smallest < peak->smallest ? from->smallest : peak->smallest;
    peak->negative = peak->negative || from->negative;
    peak->zero = peak->zero || from->zero;
    peak->special = peak->special || from->special;
}

/* Of a row that the tile reads: where it lies, or as doubles. */
static void measure_row(const struct tile *tile, const char *row, struct array_peak *blocks)
{
    const struct array_scheme *scheme = tile->scheme;
    const bool lies = tile_reads_samples(tile) && scheme->loops->measure[scheme->job->src.type];
    const enum sample_type type = lies ? scheme->job->src.type : SAMPLE_F64;
    const int64_t bytes = sample_format(type).bytes;
    const char *samples =
        lies ? tile_samples(tile, row) : (const char *)(tile->loaded + tile->begin);

    if (!lies)
        tile_load(tile, row, tile->loaded);
    for (int64_t x = tile->begin, end; x < tile->end; x = end) {
        end = min(round_up(x + 1, ARRAY_BLOCK), tile->end);
        scheme->loops->measure[type](samples + (x - tile->begin) * bytes, end - x,
                                     &blocks[x / ARRAY_BLOCK]);
    }
}

/* Of the rows of a slice that the tile reads. */
static void measure_slice(struct worker *worker, int64_t place, struct array_peak *blocks)
{
    const struct array_scheme *scheme = worker->scheme;
    const int64_t slice = place * scheme->stage[0].from_stride;

    for (int64_t b = 0; b < blocks_of(scheme); b++)
        blocks[b] = no_peak;
    for (int64_t row = 0; row < tile_source_rows(&worker->tile); row++)
        measure_row(&worker->tile, tile_source_row(&worker->tile, row) + slice, blocks);
}

/* The peaks of a slice, which are measured once for a column. */
static const struct array_peak *slice_at(struct worker *worker, int64_t place)
{
    const int64_t slice = place % slices_of(worker->scheme);
    struct array_peak *const blocks = worker->peaks.slices + slice * blocks_of(worker->scheme);

    if (worker->peaks.places[slice] != place)
        measure_slice(worker, place, blocks);
    worker->peaks.places[slice] = place;
    return blocks;
}

/* Does the tile read what is outside of the array? */
static bool reads_outside(const struct worker *worker)
{
    bool reads = false;

    for (int s = 0; s <= worker->scheme->last; s++) {
        const struct stage *stage = &worker->scheme->stage[s];

        reads =
            reads || ((stage->edges >> EDGE_ZERO & 1) &&
                      (worker->main.at[s] < stage->reach ||
                       worker->main.at[s] + worker->main.extent[s] + stage->reach > stage->length));
    }
    return reads;
}

/* Of a job whose bounds need no samples: those of its type. */
static void take_type(struct worker *worker)
{
    const struct array_scheme *scheme = worker->scheme;
    const bool is_signed = sample_format(scheme->job->src.type).is_signed;

    worker->peaks.all = (struct array_peak){scheme->peak, 1, is_signed, true, false};
    for (int64_t b = 0; b < blocks_of(scheme); b++)
        worker->peaks.blocks[b] = worker->peaks.all;
}

static void take_slices(struct worker *worker)
{
    const struct array_scheme *scheme = worker->scheme;
    const struct places *places = &worker->tile.places[0];

    worker->peaks.all = no_peak;
    for (int64_t b = 0; b < blocks_of(scheme); b++)
        worker->peaks.blocks[b] = no_peak;
    for (int64_t i = 0; i < places->count; i++) {
        const struct array_peak *slice = slice_at(
            worker, i < places->inside ? places->first + i : places->others[i - places->inside]);

        for (int64_t b = 0; b < blocks_of(scheme); b++)
            join(&slice[b], &worker->peaks.blocks[b]);
    }
}

/* Finds the peaks of what the tile reads: of each block of a row, and of all. */
static void find_peaks(struct worker *worker)
{
    const struct array_scheme *scheme = worker->scheme;
    const double outside = scheme->job->outside;
    const struct array_peak beyond = {
        .most = fabs(outside),
        .smallest = outside != 0 ? fabs(outside) : INFINITY,
        .negative = outside < 0,
        .zero = outside == 0,
    };
    const bool reads = reads_outside(worker);

    if (scheme->scans)
        take_slices(worker);
    else
        take_type(worker);
    for (int64_t b = 0; b < blocks_of(scheme); b++) {
        if (reads)
            join(&beyond, &worker->peaks.blocks[b]);
        join(&worker->peaks.blocks[b], &worker->peaks.all);
    }
}

/* Of what the block of results at number x of a row reads. */
static struct array_peak peak_in_reach(const struct worker *worker, int64_t x)
{
    const struct array_scheme *scheme = worker->scheme;
    const int64_t reach = 2 * scheme->stage[scheme->last].reach * scheme->samples;
    struct array_peak peak = no_peak;

    for (int64_t b = x / ARRAY_BLOCK; b <= (x + ARRAY_BLOCK - 1 + reach) / ARRAY_BLOCK; b++)
        join(&worker->peaks.blocks[b], &peak);
    return peak;
}

/* The bounds of the estimates in doubles of each block of a row. */
static void set_bounds(struct worker *worker)
{
    const struct array_scheme *scheme = worker->scheme;
    const double least = sample_format(scheme->job->dst.type).is_float ? 0 : 0x1p-50;
    const int64_t n = worker->main.extent[scheme->last] * scheme->samples;

    for (int64_t x = 0; x < n; x += ARRAY_BLOCK) {
        const double peak = peak_in_reach(worker, x).most;

        worker->bounds[x / ARRAY_BLOCK] =
            peak > 0 ? scheme->per_peak * peak + scheme->tiny + least : least;
    }
}

/* --- Results. */

/* A row of results. */
struct result {
    char *dst;      /* its first sample */
    uint8_t *open;  /* of each */
    int64_t n;      /* samples */
    int number;     /* of those that passes left */
    bool only_open; /* others are done */
};

static int64_t count_rows(const struct array_scheme *scheme, const struct box *box)
{
    int64_t rows = 1;

    for (int s = 0; s < scheme->last; s++)
        rows *= box->extent[s];
    return rows;
}

static int64_t length_of(const struct array_scheme *scheme, const struct box *box)
{
    return box->extent[scheme->last] * scheme->samples;
}

/* Goes to the first place of a row of the box. */
static struct result enter_row(struct worker *worker, const struct box *box, int64_t row)
{
    const struct array_scheme *scheme = worker->scheme;
    const struct array_job *job = scheme->job;
    struct result result = {.dst = job->dst.origin, .n = length_of(scheme, box), .only_open = true};
    int64_t number = 0, size = 1;

    for (int s = scheme->last - 1; s >= 0; s--) {
        const int64_t at = box->at[s] + row % box->extent[s];

        row /= box->extent[s];
        if (scheme->stage[s].axis >= 0)
            worker->place[scheme->stage[s].axis] = at;
        number += (at - worker->main.at[s]) * size;
        size *= worker->main.extent[s];
    }
    worker->place[scheme->stage[scheme->last].axis] = box->at[scheme->last];
    if (scheme->sample_axis >= 0)
        worker->place[scheme->sample_axis] = 0;
    result.open = worker->open + number * length_of(scheme, &worker->main) +
                  (box->at[scheme->last] - worker->main.at[scheme->last]) * scheme->samples;
    for (int i = 0; i < job->axes; i++)
        result.dst += (worker->place[i] - job->first[i]) * job->dst.strides[i];
    return result;
}

static char *sample_of(const struct array_scheme *scheme, const struct result *row, int64_t x)
{
    const int64_t step = scheme->stage[scheme->last].to_stride;

    return scheme->samples == 1 ? row->dst + x * step
                                : row->dst + x / scheme->samples * step +
                                      x % scheme->samples * scheme->to_sample_stride;
}

static void put_bits(const struct worker *worker, char *target, uint64_t bits)
{
    const uint32_t four = (uint32_t)bits;
    const uint16_t two = (uint16_t)bits;

    switch (worker->common.to.bytes) {
    case 1:
        *(uint8_t *)target = (uint8_t)bits;
        break;
    case 2:
        memcpy(target, &two, sizeof two);
        break;
    case 4:
        memcpy(target, &four, sizeof four);
        break;
    default:
        memcpy(target, &bits, sizeof bits);
    }
}

static void store(struct worker *worker, const struct array_estimates *estimates,
                  const struct result *row)
{
    const struct array_scheme *scheme = worker->scheme;
    const enum sample_type type = scheme->job->dst.type;
    const int64_t bytes = worker->common.to.bytes;
    const int64_t step = scheme->to_packed ? bytes : scheme->stage[scheme->last].to_stride;

    if (!row->only_open && (scheme->to_packed || scheme->samples == 1)) {
        worker->any_open |=
            scheme->loops->store(estimates, type, row->n, row->dst, step, row->open);
        return;
    }
    for (int64_t x = 0; x < row->n; x++) {
        struct array_estimates one = *estimates;

        if (row->only_open && !row->open[x])
            continue;
        one.value += x;
        one.rest = one.rest ? one.rest + x : NULL;
        one.bounds += x / ARRAY_BLOCK;
        worker->any_open |=
            scheme->loops->store(&one, type, 1, sample_of(scheme, row, x), bytes, &row->open[x]);
    }
}

/* Results that are infinite or NaN come from such samples: sums of others do not overflow. */
static void store_specials(struct worker *worker, const double *values, const struct result *row)
{
    for (int64_t x = 0; x < row->n; x++)
        if (!(fabs(values[x]) < INFINITY)) {
            put_bits(worker, sample_of(worker->scheme, row, x),
                     exact_special(exact_kind_of(values[x]), &worker->common.to));
            row->open[x] = 0;
        }
}

/* --- Doubles. */

static int set_parts(const struct tile *tile, int row, struct array_part *parts, int *ends)
{
    const struct array_scheme *scheme = tile->scheme;
    const struct stage *stage = &scheme->stage[scheme->last];
    int count = 0;

    for (int r = 0; r < scheme->roots; r++) {
        const struct node *root = &stage->node[scheme->root[r]];

        for (int i = 0; i < root->inputs; i++) {
            const struct axis_taps *taps = &stage->set[root->input[i].taps];

            parts[count++] =
                (struct array_part){(const double *)tile_centre(tile, root->input[i].node, row),
                                    taps->taps, taps->halo, taps->odd, taps->dense};
        }
        ends[r] = count;
    }
    return count;
}

/* Filters along the row, and stores; only what is infinite or NaN, if two doubles are next, or if a
 * root of what underflows would be taken for such. */
static void finish_doubles(struct worker *worker, const struct result *row)
{
    const struct array_scheme *scheme = worker->scheme;
    const bool squares = scheme->job->combination == ARRAY_MAGNITUDE;
    const bool specials_only = scheme->wide || (worker->tile.special && squares);
    const bool plain = scheme->keeps_plain && !worker->peaks.all.negative &&
                       worker->peaks.all.smallest >= LEAST_PLAIN;
    struct array_part parts[ARRAY_FILTERED];
    int ends[ARRAY_FILTERED];
    const struct array_line line = {.parts = parts,
                                    .ends = ends,
                                    .roots = scheme->roots,
                                    .squares = squares,
                                    .step = scheme->samples,
                                    .small_serves = specials_only || !worker->common.to.is_float,
                                    .bounds = worker->bounds,
                                    .relative = plain ? scheme->relative : INFINITY};
    double *const values = (double *)worker->tile.result;
    const struct array_estimates estimates = {
        values, NULL, worker->bounds, line.relative, false, squares || worker->tile.special};

    set_parts(&worker->tile, row->number, parts, ends);
    scheme->loops->sum_line(&line, round_up(row->n, ARRAY_BLOCK), values);
    worker->any_open |= specials_only;
    if (specials_only)
        memset(row->open, 1, (size_t)row->n);
    else
        store(worker, &estimates, row);
    if (worker->tile.special)
        store_specials(worker, values, row);
}

/* --- Two doubles. */

/* Filters a root along the row: values, and rests behind them. */
static void sum_two_doubles(const struct tile *tile, int root, int row, uint64_t *to)
{
    const struct array_scheme *scheme = tile->scheme;
    const struct stage *stage = &scheme->stage[scheme->last];
    const struct node *node = &stage->node[scheme->root[root]];

    for (int i = 0; i < node->inputs; i++) {
        const struct axis_taps *taps = &stage->set[node->input[i].taps];
        const uint64_t *centre = tile_centre(tile, node->input[i].node, row);
        const struct array_pass pass = {.rows = tile->rows,
                                        .taps = taps->taps,
                                        .rests = taps->rests,
                                        .halo = taps->halo,
                                        .count = 1,
                                        .odd = taps->odd,
                                        .dense = taps->dense,
                                        .adds = i > 0,
                                        .outs = {to},
                                        .scale = tile_scale(tile, scheme->last),
                                        .to_rest = tile->pitch,
                                        .out_to_rest = tile->pitch};

        for (int64_t k = -taps->halo; k <= taps->halo; k++)
            tile->rows[k + taps->halo] = centre + k * scheme->samples;
        scheme->loops->sum_wide(&pass, round_up(length_of(scheme, &tile->box), ARRAY_BLOCK));
    }
}

static void finish_two_doubles(struct worker *worker, const struct result *row)
{
    const struct array_scheme *scheme = worker->scheme;
    const struct tile *tile = &worker->tile;
    const int64_t n = round_up(row->n, ARRAY_BLOCK), pitch = tile->pitch;
    const bool squares = scheme->job->combination == ARRAY_MAGNITUDE;
    double *const total = (double *)tile->result, *const term = total + 2 * pitch;
    const bool plain = scheme->keeps_plain && scheme->proves_zeros && !worker->peaks.all.negative &&
                       worker->peaks.all.smallest >= LEAST_PLAIN;
    const double scale = tile_scale(tile, scheme->last);
    const double bound = scale > 0 ? scheme->wide_relative * scale + scheme->tiny : 0;
    const struct array_estimates estimates = {total,    total + pitch, worker->bounds,
                                              INFINITY, plain,         squares};

    for (int64_t b = 0; b < n / ARRAY_BLOCK; b++)
        worker->bounds[b] = bound;
    for (int r = 0; r < scheme->roots; r++) {
        sum_two_doubles(tile, r, row->number, (uint64_t *)(squares ? term : total));
        if (squares)
            scheme->loops->add_squares(term, pitch, r > 0, n, total);
    }
    if (squares)
        scheme->loops->take_roots(pitch, scale == 0 || !worker->common.to.is_float, n, total);
    else if (!scheme->wide)
        scheme->loops->make_rests_small(pitch, n, total);
    store(worker, &estimates, row);
}

/* --- Integers. */

/* The bits that a result may have above the unit of samples, and its sign. */
static int words_of_integers(const struct worker *worker, int *unit)
{
    const struct array_scheme *scheme = worker->scheme;
    const struct array_job *job = scheme->job;
    const struct sample_format *from = &worker->common.from;
    const double peak = worker->peaks.all.most;
    int least = 0, most = 0;

    if (from->is_float) {
        least = from->least_exponent;
        if (worker->peaks.all.smallest < INFINITY) {
            frexp(worker->peaks.all.smallest, &least);
            least = (int)max(least - from->significant_bits, from->least_exponent);
        }
    }
    if (worker->common.outside.significand != 0 && reads_outside(worker))
        least = (int)min(least, worker->common.outside.exponent);
    frexp(peak, &most);
    *unit = least;
    return (int)max(2,
                    (most - least + job->bits * job->filtered + ilogb(scheme->size + 1) + 66) / 64);
}

/* Rounds exact sums of roots, each `step` words behind the one before. */
static uint64_t round_sums(const struct worker *worker, const uint64_t *sums, int64_t step)
{
    const struct array_scheme *scheme = worker->scheme;
    const int words = worker->tile.words;
    uint64_t memory[EXACT_ARRAYS * ARRAY_MOST_WORDS];
    struct exact_memory exact = exact_memory_at(memory, words);
    struct exact_common common = worker->common;

    common.words = words;
    common.unit = worker->tile.unit;
    wide_clear(exact.total, words);
    wide_clear(exact.squares, 2 * words);
    for (int r = 0; r < scheme->roots; r++) {
        memcpy(exact.term, sums + r * step, (size_t)words * sizeof *sums);
        exact_add_term(scheme->job, &common, &exact);
    }
    return exact_round_result(scheme->job, &common, EXACT_FINITE, &exact);
}

static void finish_integers(struct worker *worker, const struct result *row)
{
    const struct array_scheme *scheme = worker->scheme;
    const struct tile *tile = &worker->tile;
    const struct stage *stage = &scheme->stage[scheme->last];
    const int64_t n = row->n, words = tile->words;
    uint64_t *const sums = tile->result;

    for (int r = 0; r < scheme->roots; r++) {
        const struct node *node = &stage->node[scheme->root[r]];

        for (int i = 0; i < node->inputs; i++) {
            const struct axis_taps *taps = &stage->set[node->input[i].taps];
            const uint64_t *centre = tile_centre(tile, node->input[i].node, row->number);

            for (int64_t k = -taps->halo; k <= taps->halo; k++)
                tile->rows[k + taps->halo] = centre + k * scheme->samples * words;
            integer_pass(taps, (const uint64_t *const *)tile->rows, i > 0, n, tile->words,
                         sums + r * n * words);
        }
    }
    for (int64_t x = 0; x < n; x++)
        if (row->open[x]) {
            put_bits(worker, sample_of(scheme, row, x),
                     round_sums(worker, sums + x * words, n * words));
            row->open[x] = 0;
        }
}

/* The result where all samples in reach are `value`. */
static uint64_t round_flat(const struct worker *worker, double value)
{
    const struct array_scheme *scheme = worker->scheme;
    const struct sample_format format = sample_format(SAMPLE_F64);
    uint64_t sums[ARRAY_FILTERED * ARRAY_MOST_WORDS], bits;
    struct exact_number sample;

    memcpy(&bits, &value, sizeof bits);
    sample = exact_float(bits, &format);
    if (value != 0 && sample.exponent < worker->tile.unit) { /* of which it is a multiple */
        sample.significand >>= worker->tile.unit - sample.exponent;
        sample.exponent = worker->tile.unit;
    }
    for (int r = 0; r < scheme->roots; r++)
        tile_flat(&worker->tile, &sample, scheme->last,
                  &scheme->stage[scheme->last].node[scheme->root[r]],
                  sums + r * worker->tile.words);
    return round_sums(worker, sums, worker->tile.words);
}

static bool is_flat(const struct array_peak *peak)
{
    return !peak->special &&
           (peak->most == 0 || (peak->smallest == peak->most && !peak->zero && !peak->negative));
}

/* Stores what is open where all samples in reach of a block have one value: derivatives of flat
 * parts are 0, or nearly, which no estimate proves. Doubles hold the samples. */
static void finish_flat(struct worker *worker)
{
    const struct array_scheme *scheme = worker->scheme;
    const int64_t n = length_of(scheme, &worker->main);
    double value = -1;
    uint64_t bits = 0;

    for (int64_t first = 0; first < n; first += ARRAY_BLOCK) {
        const struct array_peak peak = peak_in_reach(worker, first);

        if (!is_flat(&peak))
            continue;
        if (peak.most != value)
            bits = round_flat(worker, peak.most);
        value = peak.most;
        for (int64_t i = 0; i < count_rows(scheme, &worker->main); i++) {
            const struct result row = enter_row(worker, &worker->main, i);

            for (int64_t x = first; x < min(first + ARRAY_BLOCK, n); x++)
                if (row.open[x]) {
                    put_bits(worker, sample_of(scheme, &row, x), bits);
                    row.open[x] = 0;
                }
        }
    }
}

/* --- Levels. */

static void begin(struct worker *worker, const struct box *box, enum level level, int words)
{
    worker->tile.scheme = worker->scheme;
    worker->tile.common = &worker->common;
    worker->tile.box = *box;
    worker->tile.level = level;
    worker->tile.words = words;
    tile_begin(&worker->tile, worker->words, worker->others);
}

/* Makes a box as small as what is open in it; false: nothing is. */
static bool shrink(struct worker *worker, struct box *box)
{
    const struct array_scheme *scheme = worker->scheme;
    const int last = scheme->last;
    int64_t least[ARRAY_STAGES], most[ARRAY_STAGES];
    bool any = false;

    for (int64_t i = 0; i < count_rows(scheme, box); i++) {
        const struct result row = enter_row(worker, box, i);
        const uint8_t *const first = memchr(row.open, 1, (size_t)row.n);
        int64_t end = row.n, rest = i;

        if (!first)
            continue;
        while (!row.open[end - 1])
            end--;
        for (int s = last; s >= 0; s--) {
            const int64_t low =
                s == last ? (first - row.open) / scheme->samples : rest % box->extent[s];
            const int64_t high = s == last ? (end - 1) / scheme->samples : low;

            rest = s == last ? rest : rest / box->extent[s];
            least[s] = any ? min(least[s], low) : low;
            most[s] = any ? max(most[s], high) : high;
        }
        any = true;
    }
    for (int s = 0; s <= last && any; s++) {
        box->at[s] += least[s];
        box->extent[s] = most[s] - least[s] + 1;
    }
    return any;
}

/* The definition, for samples whose integers are too many. */
static void sum_definition(struct worker *worker, const struct box *box)
{
    const struct array_scheme *scheme = worker->scheme;

    for (int64_t i = 0; i < count_rows(scheme, box); i++) {
        const struct result row = enter_row(worker, box, i);

        for (int64_t x = 0; x < row.n; x++) {
            if (!row.open[x])
                continue;
            worker->place[scheme->stage[scheme->last].axis] =
                box->at[scheme->last] + x / scheme->samples;
            if (scheme->sample_axis >= 0)
                worker->place[scheme->sample_axis] = x % scheme->samples;
            put_bits(worker, sample_of(scheme, &row, x), array_exact(scheme->job, worker->place));
            row.open[x] = 0;
        }
    }
}

/* Filters and stores a box; only_open: nothing but what is open. */
static void compute_box(struct worker *worker, const struct box *box, enum level level, int words,
                        bool only_open)
{
    const int64_t step = worker->scheme->stage[worker->scheme->last - 1].to_stride;
    const int64_t length = length_of(worker->scheme, &worker->main);
    int count;

    begin(worker, box, level, words);
    tile_filter(&worker->tile);
    for (int64_t first = 0; first < count_rows(worker->scheme, box); first += count) {
        struct result row = enter_row(worker, box, first);

        row.only_open = only_open;
        count = tile_filter_rows(&worker->tile, first);
        for (; row.number < count; row.number++, row.dst += step, row.open += length)
            if (level == LEVEL_DOUBLES)
                finish_doubles(worker, &row);
            else if (level == LEVEL_TWO_DOUBLES)
                finish_two_doubles(worker, &row);
            else
                finish_integers(worker, &row);
    }
}

/* Halves a box across its longest side; false: it is one sample. */
static bool halve(const struct array_scheme *scheme, const struct box *box, struct box *halves)
{
    int longest = 0;

    for (int s = 1; s <= scheme->last; s++)
        if (box->extent[s] > box->extent[longest])
            longest = s;
    halves[0] = halves[1] = *box;
    halves[0].extent[longest] /= 2;
    halves[1].at[longest] += halves[0].extent[longest];
    halves[1].extent[longest] -= halves[0].extent[longest];
    return box->extent[longest] > 1;
}

/* Computes what is open in a box: at once, if its halves, as small as what is open in them, would
 * take longer. */
static void refine(struct worker *worker, struct box box, enum level level, int words)
{
    const struct array_scheme *scheme = worker->scheme;
    struct box halves[2];
    double products = 0;
    bool fits;

    if (!shrink(worker, &box))
        return;
    fits = array_tile_words(scheme, box.extent, words) +
               scheme->roots * words * length_of(scheme, &box) <=
           words_of(scheme);
    if (!halve(scheme, &box, halves)) {
        if (fits)
            compute_box(worker, &box, level, words, true);
        else if (level == LEVEL_INTEGERS)
            sum_definition(worker, &box);
        worker->any_open |= !fits;
        return;
    }
    for (int i = 0; i < 2; i++)
        if (shrink(worker, &halves[i]))
            products += array_tile_products(scheme, halves[i].extent);
    if (fits && array_tile_products(scheme, box.extent) <= products)
        compute_box(worker, &box, level, words, true);
    else
        for (int i = 0; i < 2; i++)
            refine(worker, halves[i], level, words);
}

#define MOST_OF_DOUBLES 0x1p480 /* whose squares do not overflow */

static void compute_tile(struct worker *worker)
{
    const struct array_scheme *scheme = worker->scheme;
    const struct box *box = &worker->main;
    const int64_t rows = count_rows(scheme, box);
    const bool squares = scheme->job->combination == ARRAY_MAGNITUDE;
    bool serves;

    if (scheme->job->exact_only) {
        memset(worker->open, 1, (size_t)(rows * length_of(scheme, box)));
        sum_definition(worker, box);
        return;
    }
    worker->tile.special = false;
    begin(worker, box, LEVEL_DOUBLES, 1);
    find_peaks(worker);
    worker->tile.special = worker->peaks.all.special;
    serves = !scheme->is_special &&
             worker->peaks.all.most * scheme->gains < (squares ? MOST_OF_DOUBLES : 0x1p940);
    worker->any_open = !serves || scheme->wide;
    memset(worker->open, worker->any_open, (size_t)(rows * length_of(scheme, box)));
    if (serves && (!scheme->wide || worker->tile.special)) {
        set_bounds(worker);
        compute_box(worker, box, LEVEL_DOUBLES, 1, false);
    } else if (worker->tile.special) {
        sum_definition(worker, box);
        return;
    }
    worker->tile.scale = array_scale(worker->peaks.all.most);
    if (serves && worker->any_open) {
        worker->any_open = false;
        if (scheme->wide && !worker->tile.special)
            compute_box(worker, box, LEVEL_TWO_DOUBLES, 2, false);
        else
            refine(worker, *box, LEVEL_TWO_DOUBLES, 2);
    }
    if (!worker->any_open)
        return;
    worker->tile.words = words_of_integers(worker, &worker->tile.unit);
    if (scheme->scans && scheme->job->outside_rest == 0 &&
        worker->common.from.significant_bits <= 53)
        finish_flat(worker);
    refine(worker, *box, LEVEL_INTEGERS, worker->tile.words);
}

/* --- Tiles. */

/* Goes to a tile of a column: the number of either. */
static void enter(struct worker *worker, int64_t column, int64_t number)
{
    const struct array_scheme *scheme = worker->scheme;
    const struct array_job *job = scheme->job;
    const char *source = job->src.origin;

    for (int s = scheme->last; s >= 0; s--) {
        const struct stage *stage = &scheme->stage[s];
        const int64_t i = s > 0 ? column % scheme->counts[s] : number;

        column = s > 0 ? column / scheme->counts[s] : column;
        worker->main.at[s] = stage->first + i * stage->block;
        worker->main.extent[s] =
            min(stage->block, stage->first + stage->extent - worker->main.at[s]);
    }
    for (int i = scheme->batches - 1; i >= 0; i--) {
        const int axis = scheme->batch_axis[i];

        worker->place[axis] = job->first[axis] + column % job->extent[axis];
        column /= job->extent[axis];
        source += worker->place[axis] * job->src.strides[axis];
    }
    worker->tile.source = source;
}

struct run {
    const struct array_scheme *scheme;
    void *const *scratch;
    int64_t scheme_bytes;
};

static void smooth_some(const void *context, int band, int64_t first, int64_t last)
{
    const struct run *run = context;
    uintptr_t memory = (uintptr_t)run->scratch[band] + (uintptr_t)run->scheme_bytes;
    struct worker worker;
    bool is_first = true;

    worker.scheme = run->scheme;
    worker.common = exact_prepare(run->scheme->job);
    worker_lay_out(&worker, run->scheme, &memory);
    for (; first < last; first++) {
        const int64_t column = first / run->scheme->counts[0],
                      number = first % run->scheme->counts[0];

        enter(&worker, column, number);
        if (number == 0 || is_first)
            for (int64_t i = 0; i < slices_of(run->scheme); i++)
                worker.peaks.places[i] = -1;
        is_first = false;
        compute_tile(&worker);
    }
}

/* The scheme's taps lie before each thread's memory; those of the first are used. */
static int64_t scheme_bytes(const struct array_job *simple, struct array_scheme *scheme)
{
    uintptr_t bytes = 0;

    array_make_scheme(simple, &bytes, scheme);
    return (int64_t)bytes;
}

size_t array_scratch_bytes(const struct array_job *job)
{
    struct array_job simple;
    struct array_taps taps[ARRAY_FILTERED * ARRAY_FILTERED];
    struct array_scheme scheme;
    struct worker unused;
    uintptr_t bytes;

    array_simplify(job, &simple, taps);
    bytes = (uintptr_t)scheme_bytes(&simple, &scheme);
    worker_lay_out(&unused, &scheme, &bytes);
    return bytes;
}

void array_run(const struct array_job *job, void *const *scratch)
{
    struct array_job simple;
    struct array_taps taps[ARRAY_FILTERED * ARRAY_FILTERED];
    struct array_scheme scheme;
    uintptr_t memory = (uintptr_t)scratch[0];
    struct run run = {.scheme = &scheme, .scratch = scratch};

    array_simplify(job, &simple, taps);
#if FLT_EVAL_METHOD != 0
    simple.exact_only = true; /* doubles have other roundings than the bounds count */
#endif
    array_make_scheme(&simple, &memory, &scheme);
    run.scheme_bytes = (int64_t)(memory - (uintptr_t)scratch[0]);
    parallel_rows(job->threads, scheme.tiles, smooth_some, &run);
}
