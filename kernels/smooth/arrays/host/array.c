/* SPDX-License-Identifier: MIT */
/* The engine that filters arrays on the CPU. The result is cut into tiles, which are boxes of
 * samples. A tile is computed by passes, each along one axis (tile.h), at one of three levels: in
 * doubles, in two doubles for each number, or in integers. The first two levels estimate with an
 * error bound, round, and leave a sample unresolved (`open` in the code) if the bound does not
 * prove its rounding. The next level computes these samples again, with all other samples of a box
 * around them. That level computes either one box or several smaller ones that contain fewer other
 * samples, whichever takes less time. The last level, in integers, leaves no sample unresolved.
 *
 * A number is a sample converted to a real number, the weight of a sample, or a sum of such
 * numbers; a stage consists of the passes along one axis (scheme.h). With ARRAY_APART a job has
 * several result arrays, one for each term, and the same passes compute all of them. */
#include "kernels/smooth/arrays/host/array.h"

#include "kernels/smooth/arrays/layout.h"
#include "kernels/smooth/arrays/host/results.h"
#include "kernels/common/numbers.h"
#include "kernels/common/parallel.h"
#include "kernels/common/sample.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Memory for passes in integers, in 64-bit words. ENOUGH_FOR_INTEGERS is enough to sum a large box
 * of results as a whole. MOST_OF_INTEGERS is the limit: a sample that needs more is computed by the
 * definition, array_exact(). Where a window has more than LONG_WINDOW samples, the definition
 * would take seconds, and MOST_OF_LONG_WINDOWS is the limit: 512 MiB, enough for 2 samples along
 * each of 13 axes. */
#define ENOUGH_FOR_INTEGERS (1 << 18)
#define MOST_OF_INTEGERS (1 << 21)
#define MOST_OF_LONG_WINDOWS (1 << 26)
#define LONG_WINDOW 0x1p24

/* Returns how many 64-bit words the smallest tile takes if it is summed in integers, or
 * MOST_OF_INTEGERS if the tile takes more than the limit. integers: words of one integer. */
static int64_t integers_of(const struct array_scheme *scheme, int integers)
{
    const int64_t least = array_least_words(scheme, integers);
    double window = 1;

    for (int s = 0; s <= scheme->last; s++)
        window *= 2 * (double)scheme->stage[s].reach + 1;
    return window > LONG_WINDOW && least <= MOST_OF_LONG_WINDOWS ? least
                                                                 : min(least, MOST_OF_INTEGERS);
}

/* Returns how many 64-bit words a thread needs for the passes over a tile, whether their sums are
 * doubles, pairs of doubles or integers. */
static int64_t words_of(const struct array_tiling *tiling)
{
    const struct array_scheme *scheme = tiling->scheme;
    const int integers = exact_prepare(scheme->job).words;
    int64_t least = max(array_least_words(scheme, 2), integers_of(scheme, integers));

    least = max(least,
                min(array_tile_words(scheme, tiling->block, integers, false), ENOUGH_FOR_INTEGERS));
    return max(least, array_tile_words(scheme, tiling->block, scheme->wide ? 2 : 1,
                                       cosines_replace(tiling->cosines, 0)));
}

static void worker_lay_out(struct worker *worker, const struct array_tiling *tiling,
                           uintptr_t *memory)
{
    const int64_t eight = 8, row = array_pitch(tiling->scheme, tiling->block[tiling->scheme->last]);

    worker->room = words_of(tiling);
    worker->tile.memory = carve(memory, worker->room * eight);
    worker->tile.loaded_rows =
        carve(memory, (array_reach(&tiling->scheme->stage[0], tiling->block[0]) + 1) * eight);
    worker->tile.rows = carve(memory, (2 * (MAX_HALO + ARRAY_ROWS)) * (int64_t)sizeof(void *));
    worker->peaks.blocks =
        carve(memory, peaks_blocks(tiling) * (int64_t)sizeof *worker->peaks.blocks);
    worker->means = carve(memory, peaks_blocks(tiling) * eight);
    worker->none = carve(memory, peaks_blocks(tiling) * ARRAY_BLOCK);
    for (int r = 0; r < tiling->scheme->results; r++)
        worker->proofs[r] =
            (struct proof){carve(memory, peaks_blocks(tiling) * eight),
                           carve(memory, array_tile_samples(tiling->scheme, tiling->block))};
    if (cosines_replace(tiling->cosines, 0)) {
        worker->descent.state = carve(memory, array_descent_state(row) * eight);
        worker->descent.zeros = carve(memory, row * eight);
    }
}

/* --- The levels of arithmetic: estimates first, then the samples that they leave unresolved. */

/* Shrinks a box (a range of results along each axis) to the smallest one that contains all its
 * unresolved samples, in the result array that worker->result selects. Returns false, and leaves
 * the box as it is, if none of its samples is unresolved. */
static bool shrink(struct worker *worker, struct box *box)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    const int last = scheme->last;
    int64_t least[ARRAY_STAGES], most[ARRAY_STAGES];
    bool any = false;

    for (int64_t i = 0; i < result_rows(scheme, box); i++) {
        const struct result row = result_at(worker, box, i);
        const uint8_t *const first = memchr(row.open, 1, (size_t)row.n);
        int64_t end = row.n;

        if (!first)
            continue;
        while (!row.open[end - 1])
            end--;
        for (int s = 0; s <= last; s++) {
            const int axis = scheme->stage[s].axis;
            const int64_t at = axis < 0 ? 0 : worker->place[axis];
            const int64_t low = s < last ? at : at + (first - row.open) / scheme->pixel.samples;
            const int64_t high = s < last ? at : at + (end - 1) / scheme->pixel.samples;

            least[s] = any ? min(least[s], low) : low;
            most[s] = any ? max(most[s], high) : high;
        }
        any = true;
    }
    for (int s = 0; s <= last && any; s++) {
        box->at[s] = least[s];
        box->extent[s] = most[s] - least[s] + 1;
    }
    return any;
}

/* Computes the unresolved samples of a box by the definition, array_exact(), one by one. */
static void sum_definition(struct worker *worker, const struct box *box)
{
    const struct array_scheme *scheme = worker->tile.scheme;

    for (int64_t i = 0; i < result_rows(scheme, box); i++) {
        const struct result row = result_at(worker, box, i);

        for (int64_t x = 0; x < row.n; x++) {
            if (!row.open[x])
                continue;
            result_enter(worker, box, x);
            result_put(worker, &row, x, array_exact(scheme->job, worker->result, worker->place));
        }
    }
}

/* Stores `count` rows of a result array, from row `first` of the box on. sums: the sums of the last
 * pass, if tile_sum_along() has computed them; if NULL, this function does the last pass.
 * only_open: stores only samples that are still unresolved. */
static void finish_rows(struct worker *worker, const struct box *box, int64_t first, int count,
                        bool only_open, const double *sums)
{
    const int64_t step = worker->tile.scheme->stage[worker->tile.scheme->last - 1].to_stride;
    const int64_t length = result_length(worker->tile.scheme, &worker->main);
    const int across = worker->tile.scheme->stage[worker->tile.scheme->last - 1].axis;
    struct result row = result_at(worker, box, first);

    row.only_open = only_open;
    for (; row.number < count; row.number++, row.dst += step, row.open += length) {
        finish_row(worker, &row, sums ? sums + row.number * worker->tile.pitch : NULL);
        if (across >= 0)
            worker->place[across]++;
    }
}

/* Filters a box and stores its results in the result arrays that tile->wanted selects. only_open:
 * stores only samples that are still unresolved. */
static void compute_box(struct worker *worker, const struct box *box, enum level level, int words,
                        bool only_open)
{
    struct tile *const tile = &worker->tile;
    int count;

    tile_begin(tile, box, level, words);
    tile_filter(tile);
    for (int64_t first = 0; first < result_rows(tile->scheme, box); first += count) {
        const double *sums = NULL;

        count = tile_filter_rows(tile, first);
        if (cosines_replace(tile->cosines, 1))
            sums = tile_sum_along(tile, count);
        for (int r = 0; r < tile->scheme->results; r++)
            if (tile->wanted >> r & 1) {
                worker->result = r;
                finish_rows(worker, box, first, count, only_open, sums);
            }
    }
}

/* Halves a box across its longest side. Returns false if the box is only one pixel. */
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

/* Computes the unresolved samples of a box. It computes either the box as a whole, or its two
 * halves, each shrunk to its unresolved samples, whichever takes fewer products of a number and a
 * tap. A box that needs more memory than the thread has is always halved. If a single pixel needs
 * more memory, the definition computes it at LEVEL_INTEGERS; at the levels before, it stays
 * unresolved. */
static void refine(struct worker *worker, struct box box, enum level level, int words)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    struct box halves[2];
    double products = 0;
    bool fits;

    if (!shrink(worker, &box))
        return;
    fits = array_tile_words(scheme, box.extent, words, false) +
               scheme->roots * words * scheme_number(scheme, result_length(scheme, &box)) <=
           worker->room;
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

#define MOST_OF_DOUBLES 0x1p480 /* squares of smaller numbers do not overflow */

/* Computes the samples that are still unresolved in the result array that worker->result selects.
 * is_estimated: estimates in two doubles may resolve them and have not been made yet. */
static void resolve(struct worker *worker, bool is_estimated)
{
    const struct array_scheme *scheme = worker->tile.scheme;

    if (is_estimated) {
        worker->any_open = false;
        refine(worker, worker->main, LEVEL_TWO_DOUBLES, 2);
    }
    if (!worker->any_open)
        return;
    worker->tile.words = integers_words(worker, &worker->tile.unit);
    if (scheme->bounds.scans && scheme->pixel.group == 0 && scheme->job->outside_rest == 0 &&
        worker->tile.common.from.significant_bits <= 53)
        finish_flat(worker);
    refine(worker, worker->main, LEVEL_INTEGERS, worker->tile.words);
}

/* Marks all samples of all result arrays as unresolved (if `open`) or as resolved. */
static void mark_all(struct worker *worker, bool open)
{
    const struct array_scheme *scheme = worker->tile.scheme;

    worker->any_open = open;
    for (int r = 0; r < scheme->results; r++)
        memset(worker->proofs[r].open, open,
               (size_t)array_tile_samples(scheme, worker->main.extent));
}

/* Estimates all result arrays at once, at the first level of arithmetic: in doubles, or in two
 * doubles if scheme->wide. Returns false if all samples are resolved. Sets *is_estimated to true if
 * estimates in two doubles may resolve more samples and have not been made yet. */
static bool estimate(struct worker *worker, bool *is_estimated)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    const struct box *box = &worker->main;
    const bool squares = scheme->job->combination == ARRAY_MAGNITUDE;
    const bool has_alpha = scheme->job->weighing == ARRAY_BY_ALPHA;

    worker->tile.special = false;
    worker->tile.cosines = worker->tile.tiling->cosines;
    tile_begin(&worker->tile, box, LEVEL_DOUBLES, 1);
    peaks_find(&worker->peaks, &worker->tile);
    worker->tile.special = worker->peaks.all.special;
    *is_estimated =
        !scheme->bounds.is_special && !(worker->tile.special && has_alpha) &&
        numbers_peak(worker) * scheme->bounds.gains < (squares ? MOST_OF_DOUBLES : 0x1p940);
    mark_all(worker, !*is_estimated || scheme->wide);
    for (int r = 0; r < scheme->results; r++) {
        worker->result = r;
        set_bounds(worker);
    }
    if (*is_estimated && (!scheme->wide || worker->tile.special))
        compute_box(worker, box, LEVEL_DOUBLES, 1, false);
    if (worker->tile.cosines && worker->any_open) {
        worker->tile.cosines = NULL;
        worker->any_open = false;
        set_bounds(worker);
        refine(worker, *box, LEVEL_DOUBLES, 1);
    }
    worker->tile.cosines = NULL;
    worker->tile.scale = array_scale(numbers_peak(worker));
    if (*is_estimated && scheme->wide && !worker->tile.special) {
        *is_estimated = false;
        worker->any_open = false;
        compute_box(worker, box, LEVEL_TWO_DOUBLES, 2, false);
    }
    return worker->any_open;
}

static void compute_tile(struct worker *worker)
{
    const struct array_scheme *scheme = worker->tile.scheme;
    /* Where the compiler computes with excess precision, doubles round differently than the bounds
     * assume, so only the definition is used. */
    bool is_estimated = false, defines = scheme->job->exact_only || FLT_EVAL_METHOD != 0;

    worker->tile.wanted = UINT32_MAX;
    if (defines)
        mark_all(worker, true);
    else if (!estimate(worker, &is_estimated))
        return;
    defines |= !is_estimated && worker->tile.special;
    for (int r = 0; r < scheme->results; r++) {
        worker->tile.wanted = (uint32_t)1 << r;
        worker->any_open = true;
        worker->result = r;
        if (defines)
            sum_definition(worker, &worker->main);
        else
            resolve(worker, is_estimated);
    }
}

/* --- The place of each tile in the result. */

/* Makes a tile the worker's main box. Tiles of the same column differ only in their position along
 * the first stage's axis. column: index of the column; number: index of the tile in its column. */
static void enter(struct worker *worker, int64_t column, int64_t number)
{
    const struct array_tiling *tiling = worker->tile.tiling;
    const struct array_scheme *scheme = worker->tile.scheme;
    const struct array_job *job = scheme->job;
    const char *source = job->src.origin;

    for (int s = scheme->last; s >= 0; s--) {
        const struct stage *stage = &scheme->stage[s];
        const int64_t i = s > 0 ? column % tiling->counts[s] : number;

        column = s > 0 ? column / tiling->counts[s] : column;
        worker->main.at[s] = stage->first + i * tiling->block[s];
        worker->main.extent[s] =
            min(tiling->block[s], stage->first + stage->extent - worker->main.at[s]);
    }
    for (int i = scheme->batches - 1; i >= 0; i--) {
        const int axis = scheme->batch_axis[i];

        worker->place[axis] = job->first[axis] + column % job->extent[axis];
        column /= job->extent[axis];
        source += worker->place[axis] * job->src.strides[axis];
    }
    worker->tile.source = source;
}

/* --- The engine's state and functions (struct engine). */

/* cosines: as for image_state_make(). */
static void state_make(const struct array_job *job, const struct array_cosines *cosines,
                       struct array_state *state)
{
    struct array_taps taps[ARRAY_FILTERED * ARRAY_FILTERED];
    struct array_job simple;
    struct worker unused;
    uintptr_t shared = 0, each = 0;

    array_simplify(job, &simple, taps);
    array_make_scheme(&simple, false, &shared, &state->scheme);
    carve(&shared, (int64_t)sizeof state->scheme);
    state->tiling = array_tiling_of(&state->scheme, cosines);
    worker_lay_out(&unused, &state->tiling, &each);
    state->shared = shared;
    state->each = each;
    state->threads = job->threads;
}

size_t array_scratch_bytes(const struct request *request, const void *memory)
{
    const struct array_state *state = memory;

    (void)request;
    return state->each > (PTRDIFF_MAX - state->shared) / (size_t)state->threads
               ? PTRDIFF_MAX
               : state->shared + (size_t)state->threads * state->each;
}

static const char *make(const struct request *request, void *state)
{
    state_make(request->arrays, NULL, state);
    return NULL;
}

struct run {
    struct array_tiling tiling;
    char *scratch; /* the threads' memory, one thread's after the other's: `each` bytes for each */
    size_t each;
};

static void smooth_some(const void *context, int band, int64_t first, int64_t last)
{
    const struct run *run = context;
    const struct array_tiling *tiling = &run->tiling;
    uintptr_t memory = (uintptr_t)(run->scratch + (size_t)band * run->each);
    struct worker worker = {.tile = {.tiling = tiling,
                                     .scheme = tiling->scheme,
                                     .common = exact_prepare(tiling->scheme->job),
                                     .descent = &worker.descent},
                            .descent = {.next = -1}};

    worker_lay_out(&worker, tiling, &memory);
    if (cosines_replace(tiling->cosines, 0))
        memset(worker.descent.zeros, 0,
               (size_t)array_pitch(tiling->scheme, tiling->block[tiling->scheme->last]) *
                   sizeof(double));
    for (; first < last; first++) {
        enter(&worker, first / tiling->counts[0], first % tiling->counts[0]);
        compute_tile(&worker);
    }
}

/* Computes a job like the one for which the state was made. Its arrays may be at other addresses,
 * and may be smaller. scratch: array_scratch_bytes() bytes. Makes the scheme again, because
 * state_make() has made it without tables of taps and error bounds. The scheme is in scratch
 * memory, because it is too large for a stack. */
static void state_run(const struct array_state *state, const struct array_job *job, void *scratch)
{
    struct array_taps taps[ARRAY_FILTERED * ARRAY_FILTERED];
    struct array_job simple;
    uintptr_t memory = (uintptr_t)scratch;
    struct array_scheme *scheme = carve(&memory, (int64_t)sizeof *scheme);
    struct run run = {state->tiling, (char *)scratch + state->shared, state->each};

    array_simplify(job, &simple, taps);
    array_make_scheme(&simple, false, &memory, scheme);
    run.tiling.scheme = scheme;
    array_tiling_count(&run.tiling);
    parallel_rows(job->threads, run.tiling.tiles, smooth_some, &run);
}

static const char *run(const struct piece *piece)
{
    struct array_job job = *piece->request->arrays;

    job.src.origin = piece->src.origin;
    job.dst.origin = piece->dst.origin;
    state_run(piece->state, &job, piece->scratch);
    return NULL;
}

const struct engine array_engine = {.name = "arrays",
                                    .make = make,
                                    .state_bytes = sizeof(struct array_state),
                                    .scratch_bytes = array_scratch_bytes,
                                    .run = run};

/* --- Images. */

void image_state_make(const struct request *request, const struct array_cosines *cosines,
                      struct image_state *state)
{
    struct array_job job;

    image_weights_make(request, &state->weights);
    job = image_job_largest(request, 1, &state->weights);
    state_make(&job, cosines, &state->arrays);
}

/* Clamps results to maxval. The engine has clamped them only to the range of their type. */
static void clamp(const struct view *image, uint32_t maxval)
{
    for (int64_t y = 0; y < image->height; y++)
        for (int64_t x = 0; x < image->width; x++)
            for (int32_t channel = 0; channel < image->channels; channel++)
                if (sample_get(image, y, x, channel) > maxval)
                    sample_set(image, y, x, channel, maxval);
}

const char *arrays_of_images_run(const struct piece *piece)
{
    const struct image_state *state = piece->state;
    const struct array_job job = image_job(piece, &state->weights);

    state_run(&state->arrays, &job, piece->scratch);
    if (state->weights.exceeds && piece->request->maxval != FLOAT_SAMPLES)
        clamp(&piece->dst, piece->request->maxval);
    return NULL;
}
