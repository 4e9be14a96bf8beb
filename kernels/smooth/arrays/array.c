/* SPDX-License-Identifier: MIT */
/* The general engine. An array is cut into columns: a segment of its rows (the axis whose samples
 * are nearest to each other), by a block of the other filtered axes but the outermost, along which
 * a column is computed from one end to the other. Slices across it go into a ring, each filtered
 * along the row and along the block's axes; 2 halo + 1 of them give a slice of the result, and some
 * more as many as share what is read of them. So each axis is filtered once, but for the blocks'
 * rims, and what is in between stays in the cache. Along axes that are not filtered the array is
 * several arrays.
 *
 * Where one double is enough and the halo along the row is short, the row's axis is filtered last
 * (layout->row_last): until then rows are lines, which have the samples beside the segment too, and
 * the last pass rounds and stores what it has in registers. */
#include "kernels/common/arrays.h"

#include "kernels/smooth/arrays/bounds.h"
#include "kernels/smooth/arrays/combine.h"
#include "kernels/smooth/arrays/exact.h"
#include "kernels/smooth/arrays/layout.h"
#include "kernels/smooth/arrays/window.h"
#include "kernels/common/carve.h"
#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "kernels/common/parallel.h"
#include "kernels/smooth/cpu/loops.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* One thread's. Rows of real numbers are `layout.pitch` doubles for each of their planes. */
struct worker {
    const struct array_job *job;
    const struct array_layout *layout;
    const struct array_loops *loops;
    struct array_bound bound;
    struct taps taps[ARRAY_FILTERED][ARRAY_FILTERED]; /* of a term, of an axis */
    struct taps itself;                               /* of an axis that is not filtered */
    double one, none;                                 /* its tap, and the rest of that */
    bool stores_lines; /* the last pass stores what it makes: store_line() */
    double *line;      /* a row of the source, with its reach on both sides */
    double *slices;    /* layout.slices of each term */
    double *extended[2];
    double *down, *term, *total;                           /* ARRAY_ROWS each; down: lines */
    double **numbers, **magnitudes, **row_scales, **flats; /* of the rows that a pass reads */
    double *scales;                                        /* of what a pass makes */
    double *least_scales;                                  /* of what it reads */
    uint8_t *apart;
    uint8_t *open;
    struct array_window window; /* of what rows leave open, in two doubles */
    struct array_bound window_bound;
    double flat; /* what all samples of a window were whose result is flat_bits, or NaN */
    uint64_t flat_bits;
    int64_t flat_x; /* the last sample of the row whose window has been found flat */

    int64_t place[ARRAY_AXES];      /* of the column, and in it of what is computed */
    int64_t origin[ARRAY_FILTERED]; /* of the block, along the layout's block axes */
    int64_t extent[ARRAY_FILTERED]; /* of the block */
    int64_t first, pixels;          /* the segment */
    int64_t padded;                 /* its samples, rounded up to what passes take */
    int64_t loaded;                 /* the same of a line, with its reach */
    int64_t passed;                 /* what passes across and down take: one of these */
};

static double *carve_rows(uintptr_t *memory, const struct array_layout *layout, int64_t rows)
{
    return carve(memory, rows * layout->row_doubles * (int64_t)sizeof(double));
}

/* Places its memory from *memory on. */
static void worker_lay_out(struct worker *worker, const struct array_job *job,
                           const struct array_layout *layout, uintptr_t *memory)
{
    const int64_t window = array_window_length(job) * (int64_t)sizeof(double);
    int64_t longest = 0;

    for (int i = 0; i < job->filtered; i++) {
        longest = max(longest, job->halo[i]);
        for (int t = 0; t < job->terms; t++) {
            const struct array_taps *taps = &job->taps[t * job->filtered + i];
            const int64_t bytes = (job->halo[i] + 1) * (int64_t)sizeof(double);

            worker->taps[t][i] = (struct taps){carve(memory, bytes),
                                               carve(memory, bytes),
                                               carve(memory, bytes),
                                               job->halo[i],
                                               taps->odd,
                                               !taps->odd,
                                               !taps->odd,
                                               1,
                                               taps->edge};
        }
    }
    worker->line = carve(memory, layout->line_doubles * (int64_t)sizeof(double));
    worker->slices = carve(memory, job->terms * layout->slices * layout->slice_doubles *
                                       (int64_t)sizeof(double));
    for (int i = 0; i < 2; i++)
        worker->extended[i] =
            carve_rows(memory, layout, layout->blocks > 0 ? layout->extended_rows : 0);
    worker->down = carve_rows(memory, layout, layout->row_last ? ARRAY_ROWS : 0);
    worker->term = carve_rows(memory, layout, ARRAY_ROWS);
    worker->total = carve_rows(memory, layout, ARRAY_ROWS);
    worker->numbers = carve(memory, (2 * longest + ARRAY_ROWS) * (int64_t)sizeof(double *));
    worker->magnitudes = carve(memory, (2 * longest + ARRAY_ROWS) * (int64_t)sizeof(double *));
    worker->row_scales = carve(memory, (2 * longest + ARRAY_ROWS) * (int64_t)sizeof(double *));
    worker->flats = carve(memory, (2 * longest + ARRAY_ROWS) * (int64_t)sizeof(double *));
    worker->scales = carve(memory, layout->pitch / ARRAY_BLOCK * (int64_t)sizeof(double));
    worker->least_scales = carve(memory, layout->pitch / ARRAY_BLOCK * (int64_t)sizeof(double));
    worker->apart = carve(memory, layout->pitch / ARRAY_BLOCK);
    worker->open = carve(memory, layout->pitch);
    worker->window.row.value = carve(memory, window);
    worker->window.row.magnitude = carve(memory, window);
    worker->window.sum.value = carve(memory, window);
    worker->window.sum.rest = carve(memory, window);
    worker->window.sum.magnitude = carve(memory, window);
}

static void set_axis(const struct array_job *job, const struct array_weight *weights,
                     struct taps *taps)
{
    taps->keeps_plain = taps->keeps_plain && array_proves_zeros(job);
    for (int64_t k = 0; k <= taps->halo; k++) {
        array_tap(job, &weights[k], &taps->taps[k], &taps->rests[k]);
        taps->magnitudes[k] = fabs(taps->taps[k]);
        taps->keeps_plain = taps->keeps_plain && !weights[k].negative;
        taps->dense = taps->dense && taps->taps[k] != 0;
    }
    taps->gain = array_gain(taps->magnitudes, taps->halo);
}

static void set_taps(struct worker *worker)
{
    const struct array_job *job = worker->job;

    worker->one = 1;
    worker->itself = (struct taps){&worker->one, &worker->none,           &worker->one, 0,
                                   false,        array_proves_zeros(job), true,         1,
                                   EDGE_CLAMP};
    for (int t = 0; t < job->terms; t++)
        for (int i = 0; i < job->filtered; i++)
            set_axis(job, job->taps[t * job->filtered + i].weights, &worker->taps[t][i]);
}

/* The planes of a row that begins there, to be written. */
static struct reals planes_of(const struct worker *worker, double *row, int64_t pitch)
{
    const struct array_layout *layout = worker->layout;

    return (struct reals){
        row, layout->wide ? row + pitch : NULL,
        layout->magnitudes ? row + pitch * (layout->planes - 1) : NULL,
        layout->wide ? row + pitch * layout->planes : NULL,
        layout->flats ? row + pitch * layout->planes + layout->wide * array_blocks(pitch) : NULL};
}

/* The double after its planes, in which a row notes whether its numbers are plain: 1 or 0. */
static double *mark_of(const struct worker *worker, double *row, int64_t pitch)
{
    return row + pitch * worker->layout->planes - 1;
}

/* The planes of a row that has been written: plain numbers are their own magnitudes. */
static struct reals written(const struct worker *worker, double *row, int64_t pitch)
{
    struct reals planes = planes_of(worker, row, pitch);

    if (planes.magnitude && *mark_of(worker, row, pitch) != 0)
        planes.magnitude = planes.value;
    return planes;
}

static struct reals reals_of(const struct worker *worker, double *row)
{
    return written(worker, row, worker->layout->pitch);
}

/* The edge rule of a term along a filtered axis; -1: it is not filtered, and nothing is outside. */
static enum edge edge_of(const struct worker *worker, int term, int filtered)
{
    return filtered < 0 ? EDGE_CLAMP : worker->taps[term][filtered].edge;
}

/* Row number `row` of some. */
static double *row_of(const struct worker *worker, double *rows, int64_t row)
{
    return rows + row * worker->layout->row_doubles;
}

static double *slice_of(const struct worker *worker, int term, int64_t slice)
{
    return worker->slices + (term * worker->layout->slices + slice) * worker->layout->slice_doubles;
}

/* Points the pass at the row at distance k. */
static void point(const struct worker *worker, const struct taps *taps, int64_t k,
                  const struct reals *row)
{
    worker->numbers[taps->halo + k] = row->value;
    worker->magnitudes[taps->halo + k] = row->magnitude;
    worker->row_scales[taps->halo + k] = row->scales;
    worker->flats[taps->halo + k] = row->flats;
}

/* Are the rows that are pointed at plain, and what the taps make of them too? */
static bool stays_plain(const struct worker *worker, const struct taps *taps, int count)
{
    bool plain = taps->keeps_plain;

    for (int64_t k = 0; k < 2 * taps->halo + count; k++)
        plain = plain && worker->magnitudes[k] == worker->numbers[k];
    return plain;
}

/* Finds the scales of `count` rows of the result, and where the sums of two numbers may be inexact:
 * in a raw line, and where scales differ too much. */
static void find_scales(const struct worker *worker, const struct taps *taps, bool raw, int count)
{
    const int64_t blocks = worker->padded / ARRAY_BLOCK;
    double *const *of = worker->row_scales;
    double *const restrict most = worker->scales, *const restrict least = worker->least_scales;

    for (int64_t b = 0; b < blocks; b++) {
        most[b] = of[0][b];
        least[b] = INFINITY;
    }
    for (int64_t k = 0; k < 2 * taps->halo + count && !raw; k++)
        for (int64_t b = 0; b < blocks; b++) {
            const double scale = of[k][b], some = scale > 0 ? scale : INFINITY;

            most[b] = scale > most[b] ? scale : most[b];
            least[b] = some < least[b] ? some : least[b];
        }
    for (int64_t b = 0; b < blocks; b++) {
        worker->apart[b] = raw || most[b] > least[b] * ARRAY_SLACK;
        most[b] *= taps->gain;
    }
}

/* flats: NaN where others differ from it. */
static void join_flats(const double *restrict others, int64_t blocks, double *restrict flats)
{
    for (int64_t b = 0; b < blocks; b++)
        flats[b] = flats[b] == others[b] ? flats[b] : NAN;
}

/* Finds what rows of the result have that comes from rows that are all the same. */
static void find_flats(const struct worker *worker, const struct taps *taps, bool raw, int64_t n,
                       int count, double *flats)
{
    const int64_t blocks = n / ARRAY_BLOCK;

    memcpy(flats, worker->flats[0], (size_t)blocks * sizeof *flats);
    for (int64_t k = 1; k < 2 * taps->halo + count && !raw; k++)
        join_flats(worker->flats[k], blocks, flats);
}

/* Sets the magnitudes of plain rows that are pointed at, beside others or for taps of both signs:
 * the upper numbers alone may be 0 where the sum is not. */
static void set_magnitudes(const struct worker *worker, const struct taps *taps, int count)
{
    const int64_t pitch = worker->layout->pitch;

    for (int64_t k = 0; k < 2 * taps->halo + count; k++) {
        double *const row = worker->numbers[k];
        const struct reals planes = planes_of(worker, row, pitch);

        if (worker->magnitudes[k] != row)
            continue;
        for (int64_t x = 0; x < worker->padded; x++)
            planes.magnitude[x] = fabs(planes.value[x]) + fabs(planes.rest[x]);
        *mark_of(worker, row, pitch) = 0;
        worker->magnitudes[k] = planes.magnitude;
    }
}

/* Filters n numbers of the rows that are pointed at into `count` rows. raw: they are a line. */
static void pass(const struct worker *worker, const struct taps *taps, bool raw, int64_t n,
                 int count, double *const *rows)
{
    const struct array_layout *layout = worker->layout;
    const bool plain = stays_plain(worker, taps, count), has_rests = layout->loads_rests || !raw;
    struct array_pass pass = {.rows = (const double *const *)worker->numbers + taps->halo,
                              .to_rest = !has_rests ? 0
                                         : raw      ? layout->line_pitch
                                                    : layout->pitch,
                              .out_to_rest = layout->pitch,
                              .taps = taps->taps,
                              .tap_rests = taps->rests,
                              .halo = taps->halo,
                              .odd = taps->odd,
                              .dense = taps->dense,
                              .count = count,
                              .scales = worker->scales,
                              .apart = worker->apart};
    double *magnitudes[ARRAY_ROWS];

    if (layout->wide)
        find_scales(worker, taps, raw, count);
    for (int i = 0; i < count; i++) {
        const struct reals out = planes_of(worker, rows[i], layout->pitch);

        pass.outs[i] = out.value;
        magnitudes[i] = out.magnitude;
        if (layout->wide)
            memcpy(out.scales, worker->scales,
                   (size_t)(worker->padded / ARRAY_BLOCK) * sizeof *out.scales);
        if (layout->flats)
            find_flats(worker, taps, raw, n, count, out.flats);
        *mark_of(worker, rows[i], layout->pitch) = plain;
    }
    (layout->wide ? worker->loops->sum_wide : worker->loops->sum)(&pass, n);
    if (!layout->magnitudes || plain)
        return;
    if (layout->wide && !raw)
        set_magnitudes(worker, taps, count);
    pass.rows = (const double *const *)worker->magnitudes + taps->halo;
    pass.taps = taps->magnitudes;
    pass.odd = false;
    memcpy(pass.outs, magnitudes, sizeof magnitudes);
    worker->loops->sum(&pass, n);
}

/* How many rows of the result one pass makes, where so many are left. */
static int rows_at_once(int64_t left)
{
    return (int)min(left, ARRAY_ROWS);
}

static void fill(const struct reals *row, int64_t first, int64_t n, double value, double rest)
{
    for (int64_t x = first; x < first + n; x++) {
        row->value[x] = value;
        if (row->rest)
            row->rest[x] = rest;
    }
}

/* With what is outside of the array. */
static void fill_outside(const struct worker *worker, const struct reals *row, int64_t first,
                         int64_t n)
{
    fill(row, first, n, worker->job->outside, worker->job->outside_rest);
}

static struct reals from(const struct reals *row, int64_t x)
{
    return (struct reals){row->value + x, row->rest ? row->rest + x : NULL,
                          row->magnitude ? row->magnitude + x : NULL, row->scales, row->flats};
}

/* Do all samples of a row lie side by side? */
static bool is_packed(const int64_t *strides, const struct array_layout *layout,
                      enum sample_type type)
{
    const int64_t bytes = sample_format(type).bytes;

    return strides[layout->row] == layout->samples * bytes &&
           (layout->sample_axis < 0 || strides[layout->sample_axis] == bytes);
}

#define FETCHED 256 /* samples that are loaded at a time, while as many are fetched */

/* Loads n samples that lie side by side, and fetches those of the row after the next one, of which
 * the processor knows nothing yet. */
static void load_packed(const struct worker *worker, const char *address, int64_t n,
                        const struct reals *line, int64_t x)
{
    const struct array *src = &worker->job->src;
    const int64_t bytes = sample_format(src->type).bytes;
    const int64_t ahead = 2 * worker->layout->next_row;

    for (int64_t i = 0; i < n; i += FETCHED) {
        const int64_t some = min(n - i, FETCHED);
        const struct reals to = from(line, x + i);

        for (int64_t byte = i * bytes; byte < (i + some) * bytes; byte += CACHE_LINE)
            __builtin_prefetch(address + ahead + byte);
        worker->loops->load(address + i * bytes, bytes, src->type, some, &to);
    }
}

/* Loads pixels of the row at `address` into the line from sample x on. */
static void load_pixels(const struct worker *worker, const char *address, int64_t pixel,
                        int64_t count, const struct reals *line, int64_t x)
{
    const struct array_layout *layout = worker->layout;
    const enum sample_type type = worker->job->src.type;
    const int64_t step = layout->pixel_stride, samples = layout->samples;
    const struct reals to = from(line, x);

    address += pixel * step;
    if (count > 1 && is_packed(worker->job->src.strides, layout, type))
        load_packed(worker, address, count * samples, line, x);
    else if (samples == 1)
        worker->loops->load(address, step, type, count, &to);
    else if (step == samples * layout->sample_stride)
        worker->loops->load(address, layout->sample_stride, type, count * samples, &to);
    else
        for (int64_t i = 0; i < count; i++) {
            const struct reals one = from(line, x + i * samples);

            worker->loops->load(address + i * step, layout->sample_stride, type, samples, &one);
        }
}

static void copy_samples(const struct reals *line, int64_t from, int64_t n, int64_t to)
{
    for (int64_t i = 0; i < n; i++) {
        line->value[to + i] = line->value[from + i];
        if (line->rest)
            line->rest[to + i] = line->rest[from + i];
    }
}

/* Loads pixels first..last-1, which are outside of the row, into the line, which begins with pixel
 * `begin` and has those that are inside. */
static void load_ends(const struct worker *worker, int term, const char *address, int64_t first,
                      int64_t last, int64_t begin, const struct reals *line)
{
    const struct array_layout *layout = worker->layout;
    const enum edge edge = edge_of(worker, term, layout->row_filtered);
    const int64_t samples = layout->samples;
    const int64_t end = worker->first + worker->pixels + layout->row_halo;

    for (int64_t p = first; p < last; p++) {
        const int64_t pixel = edge_index(edge, p, layout->row_pixels);

        if (pixel < 0)
            fill_outside(worker, line, (p - begin) * samples, samples);
        else if (pixel >= begin && pixel < end)
            copy_samples(line, (pixel - begin) * samples, samples, (p - begin) * samples);
        else
            load_pixels(worker, address, pixel, 1, line, (p - begin) * samples);
    }
}

/* The scales of the blocks of a row of the result: of what each reads of the line. */
static void scale_line(const struct worker *worker, int64_t n, double *scales)
{
    const int64_t reach = 2 * worker->layout->row_halo * worker->layout->samples;
    const int64_t more = (ARRAY_BLOCK - 1 + reach) / ARRAY_BLOCK;

    worker->loops->most(worker->line, n, scales);
    for (int64_t b = 0; b < worker->padded / ARRAY_BLOCK; b++) {
        double most = scales[b];

        for (int64_t i = b + 1; i <= b + more; i++)
            most = scales[i] > most ? scales[i] : most;
        scales[b] = array_scale(most);
    }
}

/* The same of flats, of which those of the line's own blocks are there. */
static void flatten_line(const struct worker *worker, double *flats)
{
    const int64_t reach = 2 * worker->layout->row_halo * worker->layout->samples;
    const int64_t more = (ARRAY_BLOCK - 1 + reach) / ARRAY_BLOCK;

    for (int64_t b = 0; b < worker->padded / ARRAY_BLOCK; b++)
        for (int64_t i = b + 1; i <= b + more; i++)
            flats[b] = flats[b] == flats[i] ? flats[b] : NAN;
}

/* Fills a line with the segment of the row at `address`; outside: it is no row of the array. */
static void load_line(const struct worker *worker, int term, const char *address, bool outside,
                      double *to)
{
    const struct array_layout *layout = worker->layout;
    const struct reals line = planes_of(worker, to, layout->line_pitch);
    const int64_t reach = layout->row_halo, samples = layout->samples;
    const int64_t begin = worker->first - reach, end = worker->first + worker->pixels + reach;
    const int64_t inside = max(begin, 0), last = min(end, layout->row_pixels);
    const int64_t loaded = (end - begin) * samples, all = worker->loaded;

    if (outside)
        fill_outside(worker, &line, 0, loaded);
    else {
        load_pixels(worker, address, inside, last - inside, &line, (inside - begin) * samples);
        load_ends(worker, term, address, begin, inside, begin, &line);
        load_ends(worker, term, address, last, end, begin, &line);
    }
    fill(&line, loaded, all - loaded, line.value[loaded - 1], 0); /* as flat as the end */
    *mark_of(worker, to, layout->line_pitch) =
        line.magnitude && worker->loops->measure(line.value, all, line.magnitude);
    if (layout->wide)
        scale_line(worker, all, line.scales);
    if (layout->flats)
        worker->loops->flat(line.value, all, line.flats);
}

/* Of the row's axis. */
static const struct taps *taps_along(const struct worker *worker, int term)
{
    const int axis = worker->layout->row_filtered;

    return axis >= 0 ? &worker->taps[term][axis] : &worker->itself;
}

/* Filters a line along the row into `row`; where it is not filtered, each sample is itself. */
static void pass_along(const struct worker *worker, int term, double *from_line, double *row)
{
    const struct array_layout *layout = worker->layout;
    const struct reals line = written(worker, from_line, layout->line_pitch);
    const struct taps *taps = taps_along(worker, term);

    for (int64_t k = -taps->halo; k <= taps->halo; k++) {
        const struct reals there = from(&line, (layout->row_halo + k) * layout->samples);

        point(worker, taps, k, &there);
    }
    if (layout->flats)
        flatten_line(worker, line.flats);
    pass(worker, taps, true, worker->padded, 1, &row);
}

/* Loads and filters along the row each row that the block's passes need, at place `address` along
 * the other axes. rows: where to, one after the other. */
static void extend_block(const struct worker *worker, int term, const char *address, bool outside,
                         double *rows)
{
    const struct array_layout *layout = worker->layout;
    int64_t at[ARRAY_FILTERED] = {0};

    for (int64_t row = 0;; row++) {
        const char *there = address;
        bool beyond = outside;
        int b = layout->blocks - 1;

        for (int i = 0; i < layout->blocks; i++) {
            const int axis = layout->block_axis[i];
            const int64_t place = edge_index(edge_of(worker, term, layout->block_filtered[i]),
                                             worker->origin[i] - layout->block_halo[i] + at[i],
                                             worker->job->shape[axis]);

            beyond = beyond || place < 0;
            there += max(place, 0) * worker->job->src.strides[axis];
        }
        if (layout->row_last)
            load_line(worker, term, there, beyond, row_of(worker, rows, row));
        else {
            load_line(worker, term, there, beyond, worker->line);
            pass_along(worker, term, worker->line, row_of(worker, rows, row));
        }
        while (b >= 0 && ++at[b] == worker->extent[b] + 2 * layout->block_halo[b])
            at[b--] = 0;
        if (b < 0)
            return;
    }
}

/* Filters rows along the block's axis number b: extent + 2 halo times `inner` rows become extent
 * times inner. */
static void pass_across(const struct worker *worker, int term, int b, int64_t inner, double *rows,
                        double *out)
{
    const struct taps *taps = &worker->taps[term][worker->layout->block_filtered[b]];
    const int64_t extent = worker->extent[b];
    double *outs[ARRAY_ROWS];
    int count;

    for (int64_t y = 0; y < extent; y += count) {
        count = rows_at_once(extent - y);
        for (int64_t i = y * inner; i < (y + 1) * inner; i++) {
            for (int64_t k = 0; k < 2 * taps->halo + count; k++) {
                const struct reals row = reals_of(worker, row_of(worker, rows, i + k * inner));

                point(worker, taps, k - taps->halo, &row);
            }
            for (int j = 0; j < count; j++)
                outs[j] = row_of(worker, out, i + j * inner);
            pass(worker, taps, false, worker->passed, count, outs);
        }
    }
}

/* Computes a term's slice at place `at` along the column, which may be outside. */
static void make_slice(const struct worker *worker, int term, const char *column, int64_t at,
                       int64_t slice)
{
    const struct array_layout *layout = worker->layout;
    const enum edge edge = edge_of(worker, term, layout->along_filtered);
    const int64_t place = layout->along >= 0 ? edge_index(edge, at, layout->length) : 0;
    const int64_t stride = layout->along >= 0 ? worker->job->src.strides[layout->along] : 0;
    double *const target = slice_of(worker, term, slice);
    double *rows = layout->blocks > 0 ? worker->extended[0] : target;
    int64_t inner = 1;

    extend_block(worker, term, column + max(place, 0) * stride, place < 0, rows);
    for (int b = layout->blocks - 1; b >= 0; b--) {
        double *const to = b == 0 ? target : worker->extended[(layout->blocks - b) % 2];
        int64_t outer = 1;

        for (int i = 0; i < b; i++)
            outer *= worker->extent[i] + 2 * layout->block_halo[i];
        for (int64_t o = 0; o < outer; o++)
            pass_across(
                worker, term, b, inner,
                row_of(worker, rows, o * (worker->extent[b] + 2 * layout->block_halo[b]) * inner),
                row_of(worker, to, o * worker->extent[b] * inner));
        inner *= worker->extent[b];
        rows = to;
    }
}

/* The same of all terms. */
static void make_slices(const struct worker *worker, const char *column, int64_t at, int64_t slice)
{
    for (int t = 0; t < worker->job->terms; t++)
        make_slice(worker, t, column, at, slice);
}

/* Where the slice at that place is: each once, if the column is short, and one for those outside;
 * else in a ring. */
static int64_t slice_number(const struct worker *worker, int term, int64_t at)
{
    const struct array_layout *layout = worker->layout;
    int64_t place;

    if (layout->whole) {
        place = edge_index(edge_of(worker, term, layout->along_filtered), at, layout->length);
        return place < 0 ? layout->length : place;
    }
    return (at + layout->along_halo) % layout->slices;
}

/* Filters row `row` of the slices around `at` along the column, and of those around the places
 * after it: into worker->term, or lines into worker->down. Without a filter the slice's row itself
 * is the result. */
static void pass_down(const struct worker *worker, int term, int64_t at, int64_t row, int count,
                      double **results)
{
    const struct array_layout *layout = worker->layout;
    double *const to = layout->row_last ? worker->down : worker->term;
    const struct taps *taps;

    for (int i = 0; i < count; i++)
        results[i] =
            layout->along_filtered < 0
                ? row_of(worker, slice_of(worker, term, slice_number(worker, term, at + i)), row)
                : row_of(worker, to, i);
    if (layout->along_filtered < 0)
        return;
    taps = &worker->taps[term][layout->along_filtered];
    for (int64_t k = -taps->halo; k < taps->halo + count; k++) {
        const struct reals there = reals_of(
            worker,
            row_of(worker, slice_of(worker, term, slice_number(worker, term, at + k)), row));

        point(worker, taps, k, &there);
    }
    pass(worker, taps, false, worker->passed, count, results);
}

/* The same, ready to be combined and stored. */
static void give_term(const struct worker *worker, int term, int64_t at, int64_t row, int count,
                      struct reals *results)
{
    const int64_t pitch = worker->layout->pitch;
    double *rows[ARRAY_ROWS];

    pass_down(worker, term, at, row, count, rows);
    for (int i = 0; i < count; i++) {
        if (worker->layout->row_last) {
            double *const line = rows[i];

            rows[i] = row_of(worker, worker->term, i);
            pass_along(worker, term, line, rows[i]);
        }
        results[i] = reals_of(worker, rows[i]);
        if (worker->layout->wide) {
            const bool plain = *mark_of(worker, rows[i], pitch) != 0;
            const struct reals made = {results[i].value, results[i].rest,
                                       plain ? NULL : results[i].magnitude, results[i].scales,
                                       NULL};

            results[i] = planes_of(worker, rows[i], pitch);
            worker->loops->finish(&made, made.scales, worker->padded, results[i].magnitude);
        }
    }
}

/* Where the sample x of the segment goes, and its place. */
static char *target_of(struct worker *worker, int64_t x)
{
    const struct array_layout *layout = worker->layout;
    char *address = worker->job->dst.origin;

    worker->place[layout->row] = worker->first + x / layout->samples;
    if (layout->sample_axis >= 0)
        worker->place[layout->sample_axis] = x % layout->samples;
    for (int i = 0; i < worker->job->axes; i++)
        address += (worker->place[i] - worker->job->first[i]) * worker->job->dst.strides[i];
    return address;
}

/* Whether an estimate of two doubles decides where one of one double has not. */
static bool estimate_closes(const struct worker *worker, char *target)
{
    const struct array_job *job = worker->job;
    uint8_t open;
    struct real number;
    const struct reals estimate = {&number.value, &number.rest, &number.magnitude, NULL, NULL};

    if (worker->layout->wide || job->exact_only || job->filtered == 0)
        return false;
    number = array_estimate(&worker->window, worker->place);
    return !worker->loops->store(&estimate, &worker->window_bound, job->dst.type, 1, target,
                                 sample_format(job->dst.type).bytes, &open);
}

/* The result at worker->place. flat: what all samples of its window are, or NaN: once for each such
 * value. */
static uint64_t exact_of(struct worker *worker, double flat)
{
    uint64_t bits;

    if (flat == worker->flat)
        return worker->flat_bits;
    bits = array_exact(worker->job, worker->place);
    if (!isnan(flat)) {
        worker->flat = flat;
        worker->flat_bits = bits;
    }
    return bits;
}

/* What all samples of the window of worker->place, sample x of the segment, are, or NaN: for those
 * beside a flat block. Along a row where the window one place before is flat, only what has come in
 * is looked at. */
static double flat_around(const struct worker *worker, int64_t x)
{
    const struct array_job *job = worker->job;
    const struct array_layout *layout = worker->layout;
    const int bytes = sample_format(job->src.type).bytes, last = job->filtered - 1;
    const char *const own = exact_own(job, worker->place);
    const bool goes_on =
        worker->flat_x == x - 1 && layout->row_filtered == last && layout->samples == 1;
    double value = NAN;
    const struct reals number = {.value = &value};
    uint32_t length;

    if (!layout->flats)
        return NAN;
    length = 2 * (uint32_t)job->halo[last] + 1;
    if (exact_is_flat(job, bytes, worker->place, exact_bits_at(own, bytes),
                      goes_on ? length - 1 : 0, goes_on ? length : 1))
        worker->loops->load(own, 0, job->src.type, 1, &number);
    return value;
}

static void put_bits(const struct worker *worker, char *target, uint64_t bits)
{
    const uint32_t four = (uint32_t)bits;
    const uint16_t two = (uint16_t)bits;

    switch (sample_format(worker->job->dst.type).bytes) {
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

/* Is an estimate that is infinite or NaN the result? It is if it comes from the window's samples:
 * these go through the sums of upper numbers by the rules of IEEE 754, which are the definition's,
 * since taps of 0 are left out. But sums of finite numbers overflow too:
 * - Two doubles do not, nor their squares, while their scale (here the magnitude) is far below
 *   2^1024. At level base a product is split, which overflows from 2^996 on.
 * - One double does only in squares: else the job is wide (array_is_wide). Where the magnitude is
 *   infinite, a sample is, and the result is not finite whatever overflows beside it. */
static bool is_special(const struct worker *worker, double number, double magnitude)
{
    const bool squares = worker->job->combination == ARRAY_MAGNITUDE;

    if (isfinite(number))
        return false;
    if (worker->layout->wide)
        return magnitude < (squares ? 0x1p490 : 0x1p980);
    return !squares || !isfinite(magnitude);
}

/* Sample x of the segment, whose estimate left it open. result: NULL: there is none. */
static void repair(struct worker *worker, int64_t x, const struct reals *result)
{
    const struct sample_format to = sample_format(worker->job->dst.type);
    char *const target = target_of(worker, x);
    double flat = result && result->flats ? result->flats[x / ARRAY_BLOCK] : NAN;

    if (result &&
        is_special(worker, result->value[x], result->magnitude ? result->magnitude[x] : 0)) {
        put_bits(worker, target, exact_special(exact_kind_of(result->value[x]), &to));
        return;
    }
    if (isnan(flat))
        flat = flat_around(worker, x);
    if (!isnan(flat))
        worker->flat_x = x;
    if (!isnan(flat) || !estimate_closes(worker, target))
        put_bits(worker, target, exact_of(worker, flat));
}

/* Stores the samples at once, or pixel by pixel where they do not lie one after the other. */
static bool store(struct worker *worker, const struct reals *result)
{
    const struct array_layout *layout = worker->layout;
    const struct array *dst = &worker->job->dst;
    const int64_t step = dst->strides[layout->row], samples = layout->samples;
    char *const target = target_of(worker, 0);
    bool any = false;

    if (samples == 1)
        return worker->loops->store(result, &worker->bound, dst->type, worker->pixels, target, step,
                                    worker->open);
    if (step == samples * dst->strides[layout->sample_axis])
        return worker->loops->store(result, &worker->bound, dst->type, worker->pixels * samples,
                                    target, dst->strides[layout->sample_axis], worker->open);
    for (int64_t i = 0; i < worker->pixels; i++) {
        const struct reals pixel = from(result, i * samples);

        any |= worker->loops->store(&pixel, &worker->bound, dst->type, samples, target + i * step,
                                    dst->strides[layout->sample_axis], worker->open + i * samples);
    }
    return any;
}

/* Combines the terms of a row of the result at `count` places. */
static void combine(const struct worker *worker, int64_t at, int64_t row, int count,
                    struct reals *results)
{
    const struct array_job *job = worker->job;
    const bool squares = job->combination == ARRAY_MAGNITUDE;
    struct reals terms[ARRAY_ROWS];

    if (job->terms == 1 && !squares) {
        give_term(worker, 0, at, row, count, results);
        return;
    }
    for (int i = 0; i < count; i++)
        results[i] = planes_of(worker, row_of(worker, worker->total, i), worker->layout->pitch);
    for (int t = 0; t < job->terms; t++) {
        give_term(worker, t, at, row, count, terms);
        for (int i = 0; i < count; i++) {
            combine_add_rows(&results[i], &terms[i], t == 0, squares, worker->padded);
            if (results[i].flats && t == 0)
                memcpy(results[i].flats, terms[i].flats,
                       (size_t)(worker->padded / ARRAY_BLOCK) * sizeof(double));
            else if (results[i].flats)
                join_flats(terms[i].flats, worker->padded / ARRAY_BLOCK, results[i].flats);
        }
    }
    for (int i = 0; i < count && squares; i++)
        combine_root_rows(&results[i], worker->padded);
}

/* Whether store_line() may serve: of one term, and with a bound for each magnitude or for all. */
static bool serves_lines(const struct worker *worker)
{
    const struct array_job *job = worker->job;
    const struct taps *taps = taps_along(worker, 0);

    return worker->layout->row_last && job->terms == 1 && job->combination == ARRAY_SUM &&
           !job->exact_only && taps->dense && (!worker->layout->magnitudes || taps->keeps_plain) &&
           worker->bound.relative < 1 && is_packed(job->dst.strides, worker->layout, job->dst.type);
}

/* Filters a line along the row right into the result; returns whether all samples are sure. */
static bool store_line(struct worker *worker, double *from_line)
{
    const struct taps *taps = taps_along(worker, 0);
    const int64_t step = worker->layout->samples;
    const struct reals line = reals_of(worker, from_line);
    const struct reals centre = from(&line, worker->layout->row_halo * step);
    const struct array_line pass = {centre.value, centre.magnitude, taps->taps, taps->halo, step};

    return worker->loops->store_line(&pass, &worker->bound, worker->job->dst.type,
                                     worker->pixels * step, target_of(worker, 0));
}

/* Goes to that place along the column. */
static void go_along(struct worker *worker, int64_t at)
{
    if (worker->layout->along >= 0)
        worker->place[worker->layout->along] = at;
}

/* Gives one row of the result; result: NULL: exactly. */
static void give_row(struct worker *worker, const struct reals *result)
{
    const int64_t n = worker->pixels * worker->layout->samples;
    bool any = true;

    worker->flat_x = INT64_MIN;
    if (result)
        any = store(worker, result);
    else
        memset(worker->open, 1, (size_t)n);
    for (int64_t x = 0; x < n && any; x++)
        if (worker->open[x])
            repair(worker, x, result);
}

/* Gives rows of the only term, whose lines are filtered along the row last. */
static void give_lines(struct worker *worker, int64_t at, int64_t row, int count)
{
    double *lines[ARRAY_ROWS];

    pass_down(worker, 0, at, row, count, lines);
    for (int i = 0; i < count; i++) {
        struct reals result;

        go_along(worker, at + i);
        if (store_line(worker, lines[i]))
            continue;
        pass_along(worker, 0, lines[i], worker->term);
        result = reals_of(worker, worker->term);
        give_row(worker, &result);
    }
}

/* Gives the slices of the result at `count` places along the column. */
static void give_slices(struct worker *worker, int64_t at, int count)
{
    const struct array_layout *layout = worker->layout;
    int64_t rows = 1;

    for (int b = 0; b < layout->blocks; b++)
        rows *= worker->extent[b];
    for (int64_t row = 0; row < rows; row++) {
        struct reals results[ARRAY_ROWS];
        int64_t rest = row;

        for (int b = layout->blocks - 1; b >= 0; b--, rest /= worker->extent[b + 1])
            worker->place[layout->block_axis[b]] = worker->origin[b] + rest % worker->extent[b];
        if (worker->stores_lines) {
            give_lines(worker, at, row, count);
            continue;
        }
        if (!worker->job->exact_only)
            combine(worker, at, row, count, results);
        for (int i = 0; i < count; i++) {
            go_along(worker, at + i);
            give_row(worker, worker->job->exact_only ? NULL : &results[i]);
        }
    }
}

/* Computes places begin..end-1 of a column, as the source counts them. */
static void smooth_column(struct worker *worker, int64_t begin, int64_t end)
{
    const struct array_layout *layout = worker->layout;
    const int64_t halo = layout->along_halo;
    const char *column = worker->job->src.origin;
    int64_t next = begin - halo;
    int count;

    for (int i = 0; i < layout->batches; i++)
        column +=
            worker->place[layout->batch_axis[i]] * worker->job->src.strides[layout->batch_axis[i]];
    if (layout->whole && !worker->job->exact_only) {
        for (int64_t at = 0; at < layout->length; at++)
            make_slices(worker, column, at, at);
        for (int t = 0; t < worker->job->terms; t++)
            if (edge_of(worker, t, layout->along_filtered) == EDGE_ZERO)
                make_slice(worker, t, column, -1, layout->length);
    }
    for (int64_t at = begin; at < end; at += count) {
        count = rows_at_once(end - at);
        for (; next < at + halo + count && !layout->whole && !worker->job->exact_only; next++)
            make_slices(worker, column, next, slice_number(worker, 0, next));
        give_slices(worker, at, count);
    }
}

/* Goes to column number `column`. */
static void enter(struct worker *worker, int64_t column)
{
    const struct array_layout *layout = worker->layout;
    const struct array_job *job = worker->job;
    const int64_t end = job->first[layout->row] + job->extent[layout->row];

    worker->first = job->first[layout->row] + column % layout->segments * layout->segment;
    worker->pixels = min(layout->segment, end - worker->first);
    worker->padded = round_up(worker->pixels * layout->samples, ARRAY_BLOCK);
    worker->loaded = array_line_length(layout, worker->padded);
    worker->passed = layout->row_last ? worker->loaded : worker->padded;
    column /= layout->segments;
    for (int b = layout->blocks - 1; b >= 0; b--) {
        const int axis = layout->block_axis[b];

        worker->origin[b] =
            job->first[axis] + column % layout->block_count[b] * layout->block_extent[b];
        worker->extent[b] =
            min(layout->block_extent[b], job->first[axis] + job->extent[axis] - worker->origin[b]);
        column /= layout->block_count[b];
    }
    for (int i = layout->batches - 1; i >= 0; i--) {
        const int axis = layout->batch_axis[i];

        worker->place[axis] = job->first[axis] + column % job->extent[axis];
        column /= job->extent[axis];
    }
}

struct run {
    const struct array_job *job;
    const struct array_layout *layout;
    void *const *scratch;
};

static void smooth_some(const void *context, int band, int64_t first, int64_t last)
{
    const struct run *run = context;
    uintptr_t memory = (uintptr_t)run->scratch[band];
    struct worker worker = {.job = run->job,
                            .layout = run->layout,
                            .loops = (run->job->isa ? run->job->isa : isa_find(NULL))->arrays,
                            .flat = NAN,
                            .window_bound = array_window_bound(run->job),
                            .bound = array_bound(run->job, 1)};

    worker_lay_out(&worker, run->job, run->layout, &memory);
    set_taps(&worker);
    worker.stores_lines = serves_lines(&worker);
    worker.window.job = run->job;
    worker.window.loops = worker.loops;
    for (int t = 0; t < run->job->terms; t++)
        worker.window.taps[t] = worker.taps[t];
    while (first < last) {
        const int64_t begin = first % run->layout->places;
        const int64_t end = min(run->layout->places, begin + last - first);
        const int along = run->layout->along;
        const int64_t origin = along >= 0 ? run->job->first[along] : 0;

        enter(&worker, first / run->layout->places);
        smooth_column(&worker, origin + begin, origin + end);
        first += end - begin;
    }
}

size_t array_scratch_bytes(const struct array_job *job)
{
    struct array_job simple;
    struct array_taps taps[ARRAY_FILTERED * ARRAY_FILTERED];
    struct array_layout layout;
    struct worker unused;
    uintptr_t bytes = 0;

    array_simplify(job, &simple, taps);
    array_lay_out(&simple, &layout);
    worker_lay_out(&unused, &simple, &layout, &bytes);
    return bytes;
}

void array_run(const struct array_job *job, void *const *scratch)
{
    struct array_job simple;
    struct array_taps taps[ARRAY_FILTERED * ARRAY_FILTERED];
    struct array_layout layout;
    const struct run run = {&simple, &layout, scratch};

    array_simplify(job, &simple, taps);
#if FLT_EVAL_METHOD != 0
    simple.exact_only = true; /* doubles have other roundings than the bounds count */
#endif
    array_lay_out(&simple, &layout);
    parallel_rows(job->threads, layout.columns * layout.places, smooth_some, &run);
}
