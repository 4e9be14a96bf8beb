/* SPDX-License-Identifier: MIT */
/* Does the last pass of a tile, rounds the results and tests each rounding by its error bound
 * (results.h). A root is a sum of the last pass (scheme.h). A number is plain if it is 0 or at
 * least LEAST_PLAIN (2^-600). A weighted result is a mean, the sum of weighted samples divided by
 * the sum of their weights. A result whose weights sum to 0 has no mean. */
#include "kernels/smooth/arrays/host/results.h"

#include "kernels/smooth/arrays/host/integers.h"
#include "kernels/common/numbers.h"

#include <math.h>
#include <string.h>

/* Returns the error bounds of the result array in progress. */
static double *bounds_of(const struct worker *worker)
{
    return worker->proofs[worker->result].bounds;
}

int64_t result_rows(const struct array_scheme *scheme, const struct box *box)
{
    int64_t rows = 1;

    for (int s = 0; s < scheme->last; s++)
        rows *= box->extent[s];
    return rows;
}

int64_t result_length(const struct array_scheme *scheme, const struct box *box)
{
    return box->extent[scheme->last] * scheme->pixel.samples;
}

struct result result_at(struct worker *worker, const struct box *box, int64_t row)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    const struct array_job *job = scheme->job;
    struct result result = {.dst = (char *)job->dst.origin + job->result[worker->result],
                            .n = result_length(scheme, box),
                            .only_open = true};
    int64_t number = 0, size = 1;

    for (int s = scheme->last - 1; s >= 0; s--) {
        const int64_t at = box->at[s] + row % box->extent[s];

        row /= box->extent[s];
        if (scheme->stage[s].axis >= 0)
            worker->place[scheme->stage[s].axis] = at;
        number += (at - worker->main.at[s]) * size;
        size *= worker->main.extent[s];
    }
    result_enter(worker, box, 0);
    result.open = worker->proofs[worker->result].open +
                  number * result_length(scheme, &worker->main) +
                  (box->at[scheme->last] - worker->main.at[scheme->last]) * scheme->pixel.samples;
    for (int i = 0; i < job->axes; i++)
        result.dst += (worker->place[i] - job->first[i]) * job->dst.strides[i];
    return result;
}

void result_enter(struct worker *worker, const struct box *box, int64_t x)
{
    const struct array_scheme *scheme = worker->tile.scheme;

    worker->place[scheme->stage[scheme->last].axis] =
        box->at[scheme->last] + x / scheme->pixel.samples;
    if (scheme->pixel.axis >= 0)
        worker->place[scheme->pixel.axis] = x % scheme->pixel.samples;
}

static char *result_sample(const struct array_scheme *scheme, const struct result *row, int64_t x)
{
    const int64_t step = scheme->stage[scheme->last].to_stride;

    return scheme->pixel.samples == 1 ? row->dst + x * step
                                      : row->dst + x / scheme->pixel.samples * step +
                                            x % scheme->pixel.samples * scheme->pixel.to_stride;
}

void result_put(const struct worker *worker, const struct result *row, int64_t x, uint64_t bits)
{
    exact_put_bits(result_sample(worker->tile.scheme, row, x), worker->tile.common.to.bytes, bits);
    row->open[x] = 0;
}

static void store(struct worker *worker, const struct array_estimates *estimates,
                  const struct result *row)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    const enum sample_type type = scheme->job->dst.type;
    const int64_t bytes = worker->tile.common.to.bytes;
    const int64_t step = scheme->to_packed ? bytes : scheme->stage[scheme->last].to_stride;

    if (!row->only_open && (scheme->to_packed || scheme->pixel.samples == 1)) {
        worker->any_open |=
            worker->tile.tiling->loops->store(estimates, type, row->n, row->dst, step, row->open);
        return;
    }
    for (int64_t x = 0; x < row->n; x++) {
        struct array_estimates one = *estimates;

        if (row->only_open && !row->open[x])
            continue;
        one.value += x;
        one.rest = one.rest ? one.rest + x : NULL;
        one.bounds += x / ARRAY_BLOCK;
        worker->any_open |= worker->tile.tiling->loops->store(
            &one, type, 1, result_sample(scheme, row, x), bytes, &row->open[x]);
    }
}

/* Stores infinite results and NaN. They come only from infinite samples and NaN, since sums of
 * finite samples do not overflow. */
static void store_specials(struct worker *worker, const double *values, const struct result *row)
{
    for (int64_t x = 0; x < row->n; x++)
        if (!(fabs(values[x]) < INFINITY))
            result_put(worker, row, x,
                       exact_special(exact_kind_of(values[x]), &worker->tile.common.to));
}

/* Stores results x..end - 1 of a row, which have no mean, since their weights sum to 0. If alpha
 * weights the samples, such results are copies of the source's samples. One memcpy() copies samples
 * that are contiguous in both arrays (keeps_bytes). */
static void store_kept(struct worker *worker, const struct result *row, int64_t x, int64_t end)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    const struct array_job *job = scheme->job;
    const struct sample_format *to = &worker->tile.common.to;

    memset(row->open + x, 0, (size_t)(end - x));
    result_enter(worker, &worker->tile.box, x);
    if (scheme->keeps_bytes) {
        memcpy(result_sample(scheme, row, x), exact_own(job, worker->place),
               (size_t)((end - x) * to->bytes));
        return;
    }
    for (; x < end; x++) {
        result_enter(worker, &worker->tile.box, x);
        if (exact_is_mean(job, worker->place))
            result_put(worker, row, x,
                       exact_without_mean(job, &worker->tile.common, worker->place));
    }
}

/* Stores all results of a row that have no mean, since their weights sum to 0. If alpha weights the
 * samples, worker->none marks whole pixels, alpha included. */
static void store_without_mean(struct worker *worker, const struct result *row)
{
    const uint8_t *const none = worker->none, *const behind = none + row->n;
    const uint8_t *from = none, *end;

    while ((from = memchr(from, 1, (size_t)(behind - from)))) {
        end = memchr(from, 0, (size_t)(behind - from));
        end = end ? end : behind;
        store_kept(worker, row, from - none, end - none);
        from = end;
    }
}

/* True if bounds can be relative to results: no tap is negative, each result is a single sum that
 * is not computed by sums of cosines, and each sample is finite and either +0 or so great that no
 * product of it loses bits to underflow. */
static bool is_plain(const struct worker *worker)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    const double least = scheme->job->weighing == ARRAY_BY_ALPHA ? LEAST_PLAIN_FACTOR : LEAST_PLAIN;

    return scheme->bounds.keeps_plain && !worker->tile.cosines &&
           peak_is_plain(&worker->peaks.all) && worker->peaks.all.smallest >= least;
}

double numbers_peak(const struct worker *worker)
{
    const double peak = worker->peaks.all.most;

    /* Where all samples are 0, the greatest numbers are weights of 1. Otherwise the weights, which
     * are tile.one or 0, do not exceed the greatest sample. */
    return worker->tile.scheme->job->weighing == ARRAY_WITHOUT_NAN && peak == 0
               ? 1
               : array_loaded_peak(worker->tile.scheme->job, peak);
}

/* True if the tile's sums are in two doubles. */
static bool is_wide(const struct worker *worker)
{
    return worker->tile.level == LEVEL_TWO_DOUBLES;
}

/* True if a sum of weights that is computed as 0 is proven to be 0. With ARRAY_WITHOUT_NAN weights
 * are tile.one, which is tiny if all samples are: then its products with taps may underflow to
 * 0. */
static bool proves_zeros(const struct worker *worker)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    const bool is_safe = scheme->job->weighing == ARRAY_WITHOUT_NAN
                             ? worker->tile.one * scheme->bounds.least >= 0x1p-1000
                             : is_plain(worker);

    return is_safe && (!is_wide(worker) || scheme->bounds.proves_zeros);
}

/* Returns the arguments with which the loops turn a row of sums into means. */
static struct array_means means_of(const struct worker *worker, const struct result *row,
                                   double weights_bound)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    const bool wide = is_wide(worker), drops = scheme->job->weighing == ARRAY_WITHOUT_NAN;

    return (struct array_means){.group = scheme->pixel.group,
                                .n = row->n,
                                .drops = drops,
                                .one = wide && drops ? worker->tile.one : 1,
                                .to_rest = wide ? worker->tile.pitch : 0,
                                .is_plain = is_plain(worker) && !wide,
                                .proves_zeros = proves_zeros(worker),
                                .sums = bounds_of(worker),
                                .weights_bound = weights_bound,
                                .weights_relative =
                                    drops && !wide ? scheme->bounds.relative : INFINITY,
                                .rounds = wide ? 0x1p-102 : 0x1p-51,
                                .bounds = worker->means,
                                .none = worker->none};
}

/* --- The last pass in doubles and in two doubles, and its error bounds. */

void set_bounds(struct worker *worker)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    /* With u = 2^-53, 2^-50 is 8 u. The vector code that rounds to integers adds an error of at
     * most u (A P + 3) (bounds.h): per_peak allows for u A P, `least` for the other 3 u. */
    const double least = sample_format(scheme->job->dst.type).is_float ? 0 : 0x1p-50;
    const struct array_cosines *cosines = worker->tile.cosines;
    const int64_t n = result_length(scheme, &worker->main);
    double *const bounds = bounds_of(worker);

    for (int64_t x = 0; x < n; x += ARRAY_BLOCK) {
        const double peak =
            array_loaded_peak(scheme->job, peaks_in_reach(&worker->peaks, scheme, x).most);

        bounds[x / ARRAY_BLOCK] = cosines    ? cosines->bound + least
                                  : peak > 0 ? scheme->bounds.per_peak[worker->result] * peak +
                                                   scheme->bounds.tiny + least
                                             : least;
    }
}

static void set_wide_bounds(struct worker *worker, int64_t blocks)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    const double scale = tile_scale(&worker->tile, scheme->last);

    for (int64_t b = 0; b < blocks; b++)
        bounds_of(worker)[b] =
            scale > 0 ? scheme->bounds.wide_relative * scale + scheme->bounds.tiny : 0;
}

/* Returns how many roots (sums of the last pass) make each result: one, or, if it is a magnitude,
 * several, whose squares are added. If there are several result arrays, each has one root. So root
 * number r of the array in progress has the index worker->result + r among all roots. */
static int roots_of(const struct worker *worker)
{
    return worker->tile.scheme->roots / worker->tile.scheme->results;
}

/* Describes in parts[] the sums along a row that are added to make root number r (a sum of the last
 * pass) of the result array in progress. row: index among the rows that the last tile_filter_rows()
 * has computed. Returns the number of parts. */
static int set_parts(const struct worker *worker, int r, int row, struct array_part *parts)
{
    const struct tile *tile = &worker->tile;
    const struct array_scheme *scheme = tile->scheme;
    const struct stage *stage = &scheme->stage[scheme->last];
    const struct node *root = &stage->node[scheme->root[worker->result + r]];

    for (int i = 0; i < root->inputs; i++) {
        const struct axis_taps *taps = &stage->set[root->input[i].taps];

        parts[i] = (struct array_part){(const double *)tile_centre(tile, root->input[i].node, row),
                                       taps->taps, taps->halo, taps->odd, taps->dense};
    }
    return root->inputs;
}

/* Computes the sums of the last pass along a row, in doubles or in two doubles; for a magnitude,
 * takes the square root of the sum of their squares. keeps_small: as in take_roots() of struct
 * array_loops. */
static void sum_roots(const struct worker *worker, const struct result *row, bool keeps_small)
{
    const struct tile *tile = &worker->tile;
    const struct array_scheme *scheme = tile->scheme;
    const struct array_loops *loops = tile->tiling->loops;
    const int64_t n = round_up(scheme_number(scheme, row->n), ARRAY_BLOCK);
    const int64_t to_rest = is_wide(worker) ? tile->pitch : 0;
    const bool squares = scheme->job->combination == ARRAY_MAGNITUDE;
    double *const total = (double *)tile->result;
    double *const term = squares ? total + 2 * tile->pitch : total;
    struct array_part parts[ARRAY_FILTERED];
    struct array_line line = {.parts = parts, .step = scheme->pixel.numbers};

    for (int r = 0; r < roots_of(worker); r++) {
        if (is_wide(worker))
            tile_filter_line(tile, worker->result + r, row->number, n, (uint64_t *)term);
        else {
            line.count = set_parts(worker, r, row->number, parts);
            loops->sum_line(&line, n, term);
        }
        if (squares)
            loops->add_squares(term, to_rest, r > 0, n, total);
    }
    if (squares)
        loops->take_roots(bounds_of(worker), to_rest, keeps_small, n, total);
}

/* Returns the error bound of results in units of their last place, if bounds can be relative to
 * results (is_plain()). Returns 0 if some results may be subnormal as floats. */
static int64_t spread_of(const struct worker *worker)
{
    return worker->peaks.all.smallest * worker->tile.scheme->bounds.least < 0x1p-125
               ? 0
               : (int64_t)(worker->tile.scheme->bounds.relative * 0x1p53) + 2;
}

/* The row that is prefetched for writing is this many rows after the one that is stored. Farther
 * ahead, it would be evicted from the first-level cache before it is written. */
#define ROWS_AHEAD 2

/* Sets the addresses of two rows that the last pass prefetches: one that the tile below reads, and
 * one that is stored soon. Does so only if there are two stages, as for images. Processors prefetch
 * on their own only within a page of memory, and a row of a large image is often in other pages
 * than the row before. */
static void set_ahead(const struct worker *worker, const struct result *row,
                      struct array_line *line)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    const struct stage *first = &scheme->stage[0];
    const struct tile *tile = &worker->tile;
    const int64_t place = first->axis < 0
                              ? first->length
                              : worker->place[first->axis] + tile->tiling->block[0] + first->reach;

    if (scheme->last > 1 || place >= first->length || !tile_lies_packed(tile))
        return;
    line->bytes = worker->tile.common.from.bytes;
    line->to_read = tile_samples(tile, tile->source + place * first->from_stride);
    line->to_write = row->dst + ROWS_AHEAD * first->to_stride;
}

/* True if all means, and all sums of weights, are at most the greatest integer of the result's
 * type. */
static bool are_in_range(const struct worker *worker)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    const struct sample_format *from = &worker->tile.common.from, *to = &worker->tile.common.to;

    return !from->is_float && from->significant_bits <= to->significant_bits &&
           scheme->job->outside <= ldexp(1, to->significant_bits) - 1 &&
           scheme->job->outside_rest == 0 && scheme->bounds.size <= 1 + 0x1p-30;
}

/* Does what finish_at_once() does, for weighted means whose error bounds can be relative to the
 * means (is_plain()). */
static bool store_means(struct worker *worker, struct array_line *line, const struct result *row)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    const struct array_loops *loops = worker->tile.tiling->loops;
    const enum sample_type type = scheme->job->dst.type;
    const double greatest =
        ldexp(fmax(scheme->bounds.size, 1), worker->tile.common.to.significant_bits);
    struct array_means means =
        means_of(worker, row, scheme->bounds.mean_relative * greatest + 0x1p-51 * (greatest + 1));
    bool none = false;

    if (!loops->store_means[type] || !means.is_plain ||
        (worker->tile.common.to.is_float ? line->spread == 0 : !are_in_range(worker)))
        return false;
    line->spread = (int64_t)(scheme->bounds.mean_relative * 0x1p53) + 2;
    if (!loops->store_means[type](line, &means, row->dst, &none))
        return false;
    if (none)
        store_without_mean(worker, row);
    return true;
}

/* Sums, rounds and stores a row in one loop, which keeps the sums in registers. Returns false if
 * there is no such loop for this job, or if the rounding of some samples is not proven. */
static bool finish_at_once(struct worker *worker, const struct result *row)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    bool (*const quick)(const struct array_line *, int64_t, char *) =
        worker->tile.tiling->loops->store_line[scheme->job->dst.type];
    struct array_part parts[ARRAY_FILTERED];
    struct array_line line = {.parts = parts,
                              .count = set_parts(worker, 0, row->number, parts),
                              .step = scheme->pixel.numbers,
                              .bounds = bounds_of(worker),
                              .spread = is_plain(worker) ? spread_of(worker) : 0};

    if (!scheme->to_packed || scheme->wide || row->only_open || worker->tile.special ||
        scheme->job->combination == ARRAY_MAGNITUDE || line.count != 1)
        return false;
    set_ahead(worker, row, &line);
    return scheme->pixel.group > 0 ? store_means(worker, &line, row)
                                   : quick && quick(&line, row->n, row->dst);
}

/* Replaces weighted sums by means, and sets the means' error bounds. Returns true if some results
 * have no mean, or may have none. */
static bool take_means(const struct worker *worker, const struct result *row,
                       struct array_estimates *estimates)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    const double weights_peak =
        scheme->job->weighing == ARRAY_BY_ALPHA ? worker->peaks.all.most : 1;
    const struct array_means means =
        means_of(worker, row,
                 is_wide(worker) ? bounds_of(worker)[0]
                                 : scheme->bounds.per_peak[0] * weights_peak + scheme->bounds.tiny);
    bool none;

    estimates->bounds = worker->means;
    estimates->relative = means.is_plain ? scheme->bounds.mean_relative : INFINITY;
    none = worker->tile.tiling->loops->take_means(&means, (double *)worker->tile.result);
    /* If it is uncertain whether a result has a mean, the result is INFINITY or NaN now. Unless
     * bounds are relative to the means, a bound may be INFINITY. */
    estimates->special |= !means.is_plain || (none && !means.proves_zeros);
    return none;
}

/* Does the last pass in doubles or in two doubles. */
static void finish_reals(struct worker *worker, const struct result *row)
{
    const struct tile *tile = &worker->tile;
    const struct array_scheme *scheme = tile->scheme;
    const int64_t n = round_up(scheme_number(scheme, row->n), ARRAY_BLOCK);
    const bool wide = is_wide(worker), plain = is_plain(worker);
    const bool squares = scheme->job->combination == ARRAY_MAGNITUDE;
    const bool specials_only = !wide && (scheme->wide || (tile->special && squares));
    double *const values = (double *)tile->result;
    struct array_estimates estimates = {
        .value = values,
        .rest = wide ? values + tile->pitch : NULL,
        .bounds = bounds_of(worker),
        .relative = plain && !wide ? scheme->bounds.relative : INFINITY,
        .proves_zeros = wide && plain && scheme->bounds.proves_zeros,
        .special = wide || squares || tile->special};
    bool none = false;

    if (wide)
        set_wide_bounds(worker, n / ARRAY_BLOCK);
    else if (finish_at_once(worker, row))
        return;
    sum_roots(worker, row, specials_only || !tile->common.to.is_float);
    if (scheme->pixel.group > 0)
        none = take_means(worker, row, &estimates);
    else if (wide && !squares && !scheme->wide)
        tile->tiling->loops->make_rests_small(tile->pitch, n, values);
    worker->any_open |= specials_only;
    if (specials_only)
        memset(row->open, 1, (size_t)row->n);
    else
        store(worker, &estimates, row);
    if (tile->special && !wide)
        store_specials(worker, values, row);
    if (none && proves_zeros(worker))
        store_without_mean(worker, row);
}

/* --- The last pass in integers, whose results are exact. */

/* Returns how many 64-bit words hold any result and its sign. No number that the tile reads has a
 * bit below 2^unit; the taps of each filtered axis add job->bits bits below that. */
int integers_words(const struct worker *worker, int *unit)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    const struct array_job *job = scheme->job;
    const struct sample_format *from = &worker->tile.common.from;
    const enum array_weighing weighing = job->weighing;
    int least = 0, most = 0;

    if (from->is_float) {
        least = from->least_exponent;
        if (worker->peaks.all.smallest < INFINITY) {
            frexp(worker->peaks.all.smallest, &least);
            least = (int)max(least - from->significant_bits, from->least_exponent);
        }
    }
    if (worker->tile.common.outside.significand != 0 && peaks_read_outside(scheme, &worker->main))
        least = (int)min(least, worker->tile.common.outside.exponent);
    frexp(worker->peaks.all.most, &most);
    if (weighing == ARRAY_BY_ALPHA) { /* numbers are samples times alpha, and alpha itself */
        most = (int)max(2 * most, most);
        least = (int)min(2 * least, least);
    } else if (weighing == ARRAY_WITHOUT_NAN) { /* numbers are samples, and weights of 1 */
        most = (int)max(most, 1);
        least = (int)min(least, 0);
    }
    *unit = least;
    return (int)max(
        2, (most - least + job->bits * job->filtered + ilogb(scheme->bounds.size + 1) + 66) / 64);
}

/* Returns the bits of a rounded result, given the exact values of all its roots (sums of the last
 * pass). Each value begins `step` words after the previous one. weights: for a mean, which is at
 * worker->place, the exact sum of its weights; otherwise NULL. */
static uint64_t round_sums(const struct worker *worker, const uint64_t *sums, int64_t step,
                           const uint64_t *weights)
{
    const struct array_job *job = worker->tile.scheme->job;
    const int words = worker->tile.words;
    uint64_t memory[EXACT_ARRAYS * EXACT_MOST_WORDS];
    struct exact_memory exact = exact_memory_at(memory, words);
    struct exact_common common = worker->tile.common;

    common.words = words;
    common.unit = worker->tile.unit;
    if (weights) {
        memcpy(exact.term, sums, (size_t)words * sizeof *sums);
        memcpy(exact.total, weights, (size_t)words * sizeof *weights);
        return exact_round_parts(job, &common, worker->place, EXACT_FINITE, EXACT_FINITE, &exact);
    }
    wide_clear(exact.total, words);
    wide_clear(exact.squares, 2 * words);
    for (int r = 0; r < roots_of(worker); r++) {
        memcpy(exact.term, sums + r * step, (size_t)words * sizeof *sums);
        exact_add_term(job, &common, &exact);
    }
    return exact_round_result(job, &common, EXACT_FINITE, &exact);
}

static void finish_integers(struct worker *worker, const struct result *row)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    const struct tile *tile = &worker->tile;
    const int64_t n = scheme_number(scheme, row->n), words = tile->words;
    uint64_t *const sums = tile->result;

    for (int r = 0; r < roots_of(worker); r++)
        tile_filter_line(tile, worker->result + r, row->number, n, sums + r * n * words);
    for (int64_t x = 0; x < row->n; x++) {
        const uint64_t *own = sums + scheme_number(scheme, x) * words;
        const int64_t weight = scheme_weight(scheme, x);

        if (!row->open[x])
            continue;
        result_enter(worker, &worker->tile.box, x);
        result_put(worker, row, x,
                   round_sums(worker, own, n * words, weight < 0 ? NULL : sums + weight * words));
    }
}

void finish_row(struct worker *worker, const struct result *row, const double *sums)
{
    const struct array_estimates estimates = {sums,     NULL,  bounds_of(worker),
                                              INFINITY, false, false};

    if (sums)
        store(worker, &estimates, row);
    else if (worker->tile.level == LEVEL_INTEGERS)
        finish_integers(worker, row);
    else
        finish_reals(worker, row);
}

/* Returns the bits of the result where all samples in the window are `value`. */
static uint64_t round_flat(const struct worker *worker, double value)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    const struct sample_format format = sample_format(SAMPLE_F64);
    uint64_t sums[ARRAY_FILTERED * EXACT_MOST_WORDS], bits;
    struct exact_number sample;

    memcpy(&bits, &value, sizeof bits);
    sample = exact_float(bits, &format);
    /* The shift loses nothing, since the sample is a multiple of 2^unit. */
    if (value != 0 && sample.exponent < worker->tile.unit) {
        sample.significand >>= worker->tile.unit - sample.exponent;
        sample.exponent = worker->tile.unit;
    }
    for (int r = 0; r < roots_of(worker); r++)
        tile_flat(&worker->tile, &sample, scheme->last,
                  &scheme->stage[scheme->last].node[scheme->root[worker->result + r]],
                  sums + r * worker->tile.words);
    return round_sums(worker, sums, worker->tile.words, NULL);
}

void finish_flat(struct worker *worker)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    const int64_t n = result_length(scheme, &worker->main);
    double value = -1;
    uint64_t bits = 0;

    for (int64_t first = 0; first < n; first += ARRAY_BLOCK) {
        const struct array_peak peak = peaks_in_reach(&worker->peaks, worker->tile.scheme, first);

        if (peak.special || (peak.most != 0 && peak.least != peak.most))
            continue;
        if (peak.most != value)
            bits = round_flat(worker, peak.most);
        value = peak.most;
        for (int64_t i = 0; i < result_rows(scheme, &worker->main); i++) {
            const struct result row = result_at(worker, &worker->main, i);

            for (int64_t x = first; x < min(first + ARRAY_BLOCK, n); x++)
                if (row.open[x])
                    result_put(worker, &row, x, bits);
        }
    }
}
