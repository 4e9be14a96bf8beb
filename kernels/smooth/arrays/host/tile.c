/* SPDX-License-Identifier: MIT */
/* Computes a tile, pass by pass (tile.h). A stage is all passes along one axis; it computes
 * nodes, which are sums of filtered inputs (scheme.h). A place is a coordinate along a stage's
 * axis. A number is a sample converted to a real number, its weight, or a sum; it is a double, two
 * doubles, or an integer of several words. */
#include "kernels/smooth/arrays/host/tile.h"

#include "kernels/smooth/arrays/host/integers.h"
#include "kernels/common/numbers.h"

#include <math.h>
#include <string.h>

static int64_t row_words(const struct tile *tile)
{
    return tile->pitch * tile->words;
}

double tile_scale(const struct tile *tile, int s)
{
    double scale = tile->scale;

    for (int i = 0; i <= s; i++)
        scale *= tile->scheme->stage[i].gain;
    return scale;
}

/* --- The places (coordinates) that a tile reads, and where its rows are in memory. */

/* Returns the places (coordinates) that a tile reads along the axis of stage s. If the edge rule is
 * wrap and the tile does not read the whole axis, the range may begin or end outside of the
 * array. */
static struct places places_of(const struct tile *tile, int s)
{
    const struct stage *stage = &tile->scheme->stage[s];
    const int64_t first = tile->box.at[s] - stage->reach;
    const int64_t count = tile->box.extent[s] + 2 * stage->reach;
    const int64_t inside = max(first, 0), end = min(first + count, stage->length);

    return (stage->edges >> EDGE_WRAP & 1) && end - inside < count
               ? count < stage->length ? (struct places){first, count, true}
                                       : (struct places){0, stage->length, false}
               : (struct places){inside, end - inside, false};
}

/* Returns the index, among the places (coordinates) that the tile reads, of the place that the edge
 * rule gives for coordinate `at` of stage s; or -1 if the value outside of the array is used
 * there. */
static int64_t find_place(const struct tile *tile, int s, enum edge edge, int64_t at)
{
    const struct places *places = &tile->places[s];
    const int64_t place = edge_index(edge, at, tile->scheme->stage[s].length);

    return place < 0 ? -1 : (places->wraps && edge == EDGE_WRAP ? at : place) - places->first;
}

/* Returns the coordinate, inside of the array, of place number i among those that the tile reads
 * along the axis of stage s. */
static int64_t place_at(const struct tile *tile, int s, int64_t i)
{
    return edge_index(EDGE_WRAP, tile->places[s].first + i, tile->scheme->stage[s].length);
}

/* Returns the number of rows that stage s computes along the axes of stages first..end - 1. Along
 * the axis of a stage up to s these rows are at the coordinates of the tile's results, along that
 * of a later stage at all coordinates that the later stage reads. */
static int64_t rows_between(const struct tile *tile, int s, int first, int end)
{
    int64_t rows = 1;

    for (int i = first; i < end; i++)
        rows *= i <= s ? tile->box.extent[i] : tile->places[i].count;
    return rows;
}

void tile_begin(struct tile *tile, const struct box *box, enum level level, int words)
{
    const struct array_scheme *scheme = tile->scheme;
    const struct stage *row = &scheme->stage[scheme->last];
    const int64_t pixels = box->extent[scheme->last];
    const int64_t first = box->at[scheme->last] - row->reach;
    const int64_t end = first + pixels + 2 * row->reach;
    uint64_t *free = tile->memory;

    tile->box = *box;
    tile->level = level;
    tile->words = words;
    tile->one = level == LEVEL_TWO_DOUBLES ? tile->scale / 8 : 1;
    tile->pitch = array_pitch(scheme, pixels);
    tile->wraps = (row->edges >> EDGE_WRAP & 1) && (first < 0 || end > row->length);
    tile->begin = (tile->wraps ? 0 : max(-first, 0)) * scheme->pixel.numbers;
    tile->end = (tile->wraps ? end - first : min(end, row->length) - first) * scheme->pixel.numbers;
    tile->places[0].count = 0;
    for (int s = cosines_replace(tile->cosines, 0); s < scheme->last; s++)
        tile->places[s] = places_of(tile, s);
    for (int s = 0; s < scheme->last; s++)
        for (int n = 0; n < scheme->stage[s].nodes; n++) {
            tile->nodes[s][n] = free;
            free += (s < scheme->last - 1 ? rows_between(tile, s, 0, scheme->last) : ARRAY_ROWS) *
                    row_words(tile);
        }
    tile->loaded = free;
    tile->result = free + (cosines_replace(tile->cosines, 0) ? 2 * (ARRAY_ROWS + 1)
                                                             : tile->places[0].count + 1) *
                              row_words(tile);
    for (int64_t i = 0; i <= tile->places[0].count; i++)
        tile->loaded_rows[i] = -1;
}

/* --- Copies and constants, in rows of doubles, of two doubles or of integers. */

/* Copies n numbers of a row from index `from` to index `to`. */
static inline void copy_numbers(const struct tile *tile, uint64_t *row, int64_t from, int64_t n,
                                int64_t to)
{
    const bool together = tile->level == LEVEL_INTEGERS; /* all words of a number are adjacent */
    const int64_t planes = together ? 1 : tile->words, words = together ? tile->words : 1;

    for (int64_t i = 0; i < planes; i++, row += tile->pitch)
        for (int64_t w = 0; w < n * words; w++)
            row[to * words + w] = row[from * words + w];
}

static void clear_numbers(const struct tile *tile, uint64_t *row, int64_t x, int64_t n)
{
    if (tile->level == LEVEL_INTEGERS)
        memset(row + x * tile->words, 0, (size_t)(n * tile->words) * sizeof *row);
    else
        for (int i = 0; i < tile->words; i++)
            memset(row + i * tile->pitch + x, 0, (size_t)n * sizeof *row);
}

static void put_double(uint64_t *row, int64_t x, double value)
{
    memcpy(row + x, &value, sizeof value);
}

void tile_flat(const struct tile *tile, const struct exact_number *sample, int s,
               const struct node *node, uint64_t *to)
{
    const struct stage *stage = &tile->scheme->stage[s];
    uint64_t from[EXACT_MOST_WORDS];

    memset(to, 0, (size_t)tile->words * sizeof *to);
    for (int i = 0; i < node->inputs; i++) {
        if (s > 0)
            tile_flat(tile, sample, s - 1, &stage[-1].node[node->input[i].node], from);
        else
            integer_set(sample, tile->unit, tile->words, from);
        integer_add_sum(&stage->set[node->input[i].taps], from, tile->words, to);
    }
}

/* Sets the number at index x of a row of stage s to the value that the node (an array of sums,
 * scheme.h) has outside of the array. s is -1 for a loaded sample. The upper double of a loaded
 * sample, unlike that of a sum, is not rounded to a multiple of the grid's unit (bounds.h). */
static void put_outside(const struct tile *tile, int s, const struct node *node, uint64_t *row,
                        int64_t x)
{
    const struct array_scheme *scheme = tile->scheme;
    const bool weight =
        scheme->pixel.group > 0 && x % scheme->pixel.group == scheme->pixel.group - 1;
    const bool has_alpha = scheme->job->weighing == ARRAY_BY_ALPHA;
    const double start = 1.5 * tile_scale(tile, s);
    double value, rest, upper;

    if (tile->level == LEVEL_INTEGERS) {
        const struct exact_number *const own = &tile->common.outside;
        const struct exact_number sample =
            scheme->pixel.group == 0 ? *own
                                     : exact_part_of(own, has_alpha ? own : NULL,
                                                     weight ? EXACT_WEIGHTS : EXACT_WEIGHED);

        if (s < 0)
            integer_set(&sample, tile->unit, tile->words, row + x * tile->words);
        else
            tile_flat(tile, &sample, s, node, row + x * tile->words);
        return;
    }
    array_outside(scheme->job, weight, &value, &rest);
    if (s >= 0) {
        value = node->outside[weight];
        rest = node->outside_rest[weight];
    }
    if (weight && !has_alpha) {
        value *= tile->one;
        rest *= tile->one;
    }
    upper = s < 0 ? value : value + start - start;
    put_double(row, x, tile->level == LEVEL_DOUBLES ? value : upper);
    if (tile->level == LEVEL_TWO_DOUBLES)
        put_double(row, x + tile->pitch, value - upper + rest);
}

static void fill_outside(const struct tile *tile, int s, const struct node *node, uint64_t *row)
{
    const int64_t begin = tile->begin & -8, alike = max(tile->scheme->pixel.group, 1);

    for (int64_t x = begin; x < tile->end + ARRAY_BLOCK; x++)
        if (x < begin + alike)
            put_outside(tile, s, node, row, x);
        else
            copy_numbers(tile, row, x - alike, 1, x);
}

/* --- Loading rows of samples as numbers. */

/* Loads n samples as integers. If alpha weights them, the n samples are those of whole pixels. */
static void load_integers(const struct tile *tile, const char *from, int64_t stride, int64_t n,
                          uint64_t *row, int64_t x)
{
    const struct array_scheme *scheme = tile->scheme;
    const enum sample_type type = scheme->job->src.type;
    const bool has_alpha = scheme->job->weighing == ARRAY_BY_ALPHA;

    for (int64_t i = 0; i < n; i++) {
        const int64_t weight = scheme_weight(scheme, i);
        const struct exact_number sample =
            exact_sample(from + i * stride, type, &tile->common.from);
        const struct exact_number alpha =
            has_alpha && weight >= 0
                ? exact_sample(from + weight * stride, type, &tile->common.from)
                : sample;
        const struct exact_number *const by = has_alpha ? &alpha : NULL;
        uint64_t *const to = row + (x + scheme_number(scheme, i)) * tile->words;
        struct exact_number part = sample;

        if (weight >= 0)
            part = exact_part_of(&sample, by, EXACT_WEIGHED);
        integer_set(&part, tile->unit, tile->words, to);
        if (weight < 0 || has_alpha)
            continue;
        part = exact_part_of(&sample, by, EXACT_WEIGHTS);
        integer_set(&part, tile->unit, tile->words, to + tile->words);
    }
}

static void load_some(const struct tile *tile, const char *from, int64_t stride, int64_t n,
                      bool as_samples, uint64_t *row, int64_t x)
{
    const struct array_scheme *scheme = tile->scheme;
    const struct array_loops *loops = tile->tiling->loops;
    double *const value = (double *)(row + x);
    double *const rest = tile->words > 1 && scheme->has_rests ? value + tile->pitch : NULL;

    if (tile->level == LEVEL_INTEGERS) {
        load_integers(tile, from, stride, n, row, x);
        return;
    }
    loops->load(from, stride, scheme->job->src.type, n, value, rest);
    if (scheme->job->weighing == ARRAY_BY_ALPHA && !as_samples)
        loops->weigh_by_alpha(scheme->pixel.samples, n / scheme->pixel.samples, value, rest);
    else if (scheme->job->weighing == ARRAY_WITHOUT_NAN && as_samples)
        loops->drop_nan(n, value);
    else if (scheme->job->weighing == ARRAY_WITHOUT_NAN)
        loops->weigh_numbers(tile->one, n, value, rest);
    /* Sums in two doubles cannot contain infinities and NaN. The results that depend on them are
     * already stored. */
    for (int64_t i = 0; i < scheme_number(scheme, n) && tile->special && tile->words > 1; i++)
        value[i] = fabs(value[i]) < INFINITY ? value[i] : 0;
}

/* Samples that are loaded at a time: so few that they are still in the first-level cache when they
 * are multiplied by their weights. */
#define LOADED_AT_A_TIME 512

int64_t tile_load(const struct tile *tile, const char *from, bool as_samples, uint64_t *to)
{
    const struct array_scheme *scheme = tile->scheme;
    const struct stage *row = &scheme->stage[scheme->last];
    const int64_t first = tile->box.at[scheme->last] - row->reach, begin = tile->begin & -8;
    const int64_t samples = scheme->pixel.samples, step = row->from_stride;
    const int64_t numbers = as_samples ? samples : scheme->pixel.numbers;
    const int64_t end = first + tile->end / scheme->pixel.numbers;
    /* Pixels that are loaded by one call: if their samples are not equally far apart, only one. */
    const int64_t most = samples == 1 ? row->length
                         : step == samples * scheme->pixel.stride
                             ? max(LOADED_AT_A_TIME / samples, 1)
                             : 1;

    clear_numbers(tile, to, begin, tile->begin - begin);
    clear_numbers(tile, to, tile->end, ARRAY_BLOCK);
    for (int64_t p = first + tile->begin / scheme->pixel.numbers, count; p < end; p += count) {
        const int64_t pixel = edge_index(EDGE_WRAP, p, row->length);

        count = min(min(end - p, row->length - pixel), most);
        load_some(tile, from + pixel * step, samples == 1 ? step : scheme->pixel.stride,
                  count * samples, as_samples, to, (p - first) * numbers);
    }
    return tile->begin / scheme->pixel.numbers * numbers;
}

int64_t tile_source_rows(const struct tile *tile)
{
    return rows_between(tile, 0, 1, tile->scheme->last);
}

const char *tile_source_row(const struct tile *tile, int64_t i, int64_t row)
{
    const char *from = tile->source + place_at(tile, 0, i) * tile->scheme->stage[0].from_stride;

    for (int s = tile->scheme->last - 1; s > 0; s--) {
        const int64_t count = tile->places[s].count;

        from += place_at(tile, s, row % count) * tile->scheme->stage[s].from_stride;
        row /= count;
    }
    return from;
}

bool tile_lies_packed(const struct tile *tile)
{
    return tile->scheme->packed && !tile->wraps;
}

bool tile_reads_samples(const struct tile *tile)
{
    return tile->scheme->pixel.group == 0 && tile_lies_packed(tile);
}

const char *tile_samples(const struct tile *tile, const char *row)
{
    const struct stage *last = &tile->scheme->stage[tile->scheme->last];

    return row + max(tile->box.at[tile->scheme->last] - last->reach, 0) * last->from_stride;
}

/* --- Passes over rows: each filters along the axis of one stage. */

/* Runs a pass of stage s over the first n numbers of each row that tile->rows points to.
 * as_samples: the rows hold samples of the source, not numbers. */
static void pass_rows(const struct tile *tile, int s, const struct axis_taps *taps, int count,
                      bool adds, bool as_samples, int64_t n, uint64_t *const *outs)
{
    const struct array_loops *loops = tile->tiling->loops;
    struct array_pass of = {.rows = tile->rows,
                            .taps = taps->taps,
                            .rests = taps->rests,
                            .halo = taps->halo,
                            .count = count,
                            .odd = taps->odd,
                            .dense = taps->dense,
                            .adds = adds,
                            .skips = tile->special,
                            .scale = tile_scale(tile, s),
                            .apart = s == 0,
                            .to_rest = s > 0 || tile->scheme->has_rests ? tile->pitch : 0,
                            .out_to_rest = tile->pitch};

    for (int i = 0; i < count; i++) {
        of.outs[i] = outs[i];
        if (tile->level == LEVEL_INTEGERS)
            integer_pass(taps, (const uint64_t *const *)tile->rows + i, adds, n, tile->words,
                         outs[i]);
    }
    if (tile->level == LEVEL_TWO_DOUBLES)
        loops->sum_wide(&of, n);
    else if (tile->level == LEVEL_DOUBLES)
        (as_samples ? loops->sum_samples[tile->scheme->job->src.type] : loops->sum)(&of, n);
}

/* Runs a pass as pass_rows() does, but only for the part of each row that lies inside the array. In
 * rows of numbers this part begins at an index that is rounded down to a multiple of 8, and its
 * length is rounded up. */
static void pass(const struct tile *tile, int s, const struct axis_taps *taps, int count, bool adds,
                 bool as_samples, uint64_t *const *outs)
{
    const int64_t begin = as_samples ? tile->begin : tile->begin & -8, length = tile->end - begin;
    const bool overlaps = tile->level == LEVEL_DOUBLES && !adds && length >= ARRAY_BLOCK;
    const int64_t first = begin * (tile->level == LEVEL_INTEGERS ? tile->words : 1);
    uint64_t *from[ARRAY_ROWS];

    for (int64_t j = 0; j < count + 2 * taps->halo && !as_samples; j++)
        tile->rows[j] = (const uint64_t *)tile->rows[j] + first;
    for (int i = 0; i < count; i++)
        from[i] = outs[i] + first;
    pass_rows(tile, s, taps, count, adds, as_samples,
              as_samples ? length : round_up(length, overlaps ? 8 : ARRAY_BLOCK), from);
}

/* Returns the address of source row `row` at place (coordinate to read) number i of the first
 * stage, loaded as numbers; for i = -1, the address of a row of values outside of the array. Loads
 * the row unless it is loaded already. The tile keeps one loaded row for each place. */
static const uint64_t *loaded_row(const struct tile *tile, int64_t i, int64_t row)
{
    const int64_t slot = i < 0 ? tile->places[0].count : i;
    uint64_t *const loaded = tile->loaded + slot * row_words(tile);

    if (tile->loaded_rows[slot] == row)
        return loaded;
    tile->loaded_rows[slot] = row;
    if (i < 0)
        fill_outside(tile, -1, NULL, loaded);
    else
        tile_load(tile, tile_source_row(tile, i, row), false, loaded);
    return loaded;
}

/* Returns the address in source row y of the first number that descend() sums, for the recursions
 * down the columns (series.h). as_samples: the recursions read the source itself;
 * otherwise the row is loaded as doubles into row number `slot` of tile->loaded. Returns the
 * address of a row of zeros if row y is above the recursions' first window, or if the edge rule
 * gives no row of the array for y. */
static const void *descent_row(const struct tile *tile, int64_t y, bool as_samples, int64_t slot)
{
    const struct stage *stage = &tile->scheme->stage[0];
    const bool is_before = y < tile->descent->start - stage->reach;
    const int64_t place = is_before ? -1 : edge_index(stage->set[0].edge, y, stage->length);
    uint64_t *const loaded = tile->loaded + slot * row_words(tile);

    if (place < 0)
        return tile->descent->zeros;
    if (as_samples)
        return tile_samples(tile, tile->source + place * stage->from_stride);
    tile_load(tile, tile->source + place * stage->from_stride, false, loaded);
    return loaded + (tile->begin & -8);
}

/* Sums the columns of the tile's rows by recursions. The recursions go on where they ended in the
 * tile above. After cosines->band rows, or if the tile above was not the last one computed, they
 * begin anew, with the window of the tile's first row. */
static void descend(const struct tile *tile)
{
    const int64_t halo = tile->scheme->stage[0].reach, at = tile->box.at[0];
    const bool as_samples = tile_reads_samples(tile) && tile->end - tile->begin >= ARRAY_ROWS;
    const int64_t begin = as_samples ? tile->begin : tile->begin & -8;
    const int64_t n = as_samples ? tile->end - begin : round_up(tile->end - begin, 8);
    struct descent *const descent = tile->descent;
    struct array_descent step = {.series = &tile->cosines->series[0],
                                 .bytes = as_samples ? tile->common.from.bytes : 8,
                                 .state = descent->state};

    if (at != descent->next || at - descent->start >= tile->cosines->band) {
        memset(descent->state, 0, (size_t)array_descent_state(n) * sizeof *descent->state);
        descent->start = at;
        descent->next = at - round_up(2 * halo, ARRAY_ROWS);
    }
    for (int i = 0; i < ARRAY_ROWS; i++)
        step.outs[i] = (double *)tile->nodes[0][0] + i * tile->pitch + begin;
    for (; descent->next <= at; descent->next += ARRAY_ROWS) {
        for (int i = 0; i <= ARRAY_ROWS; i++) {
            const int64_t y = descent->next - 1 + i;

            step.entering[i] = descent_row(tile, y + halo, as_samples, i);
            step.leaving[i] = descent_row(tile, y - halo - 1, as_samples, ARRAY_ROWS + 1 + i);
        }
        tile->tiling->cosines_loops->descend(&step, n);
    }
}

/* Identifies `count` rows of stage s, at adjacent coordinates of its axis from index e on. `before`
 * is the index of a combination of coordinates of the stages before s. `after` is the index of a
 * combination of coordinates of the stages after s, except the last stage; there are `inner` such
 * combinations. */
struct rows {
    int64_t before, after, inner, e;
    int count;
};

/* Passes up to this halo convert samples while they read them. For each ARRAY_ROWS rows of results
 * such a pass converts ARRAY_ROWS + 2 halo rows. For a larger halo each row is converted once,
 * before the pass. */
#define MOST_CONVERTED 4

/* True if a pass of the first stage can read all samples that it needs in memory, without
 * tile_load(). at: the first result's coordinate. */
static bool passes_samples(const struct tile *tile, const struct axis_taps *taps, int64_t at,
                           int count)
{
    const bool is_inside =
        at >= taps->halo && at + count + taps->halo <= tile->scheme->stage[0].length;

    return tile->level == LEVEL_DOUBLES && !tile->special && taps->halo <= MOST_CONVERTED &&
           tile->end - tile->begin >= ARRAY_BLOCK && tile_reads_samples(tile) &&
           tile->tiling->loops->sum_samples[tile->scheme->job->src.type] &&
           (is_inside || taps->edge != EDGE_ZERO);
}

/* Runs the pass that filters one input of a node (scheme.h), for the given rows. */
static void filter_input(const struct tile *tile, int s, const struct input *input,
                         const struct rows *rows, bool adds, uint64_t *const *outs)
{
    const struct stage *stage = &tile->scheme->stage[s];
    const struct axis_taps *taps = &stage->set[input->taps];
    const int64_t words = row_words(tile), at = tile->box.at[s] + rows->e;
    const int64_t before = rows->before * tile->places[s].count * rows->inner + rows->after;
    const uint64_t *const first = s > 0 ? tile->nodes[s - 1][input->node] + before * words : NULL;
    const bool as_samples = s == 0 && !adds && passes_samples(tile, taps, at, rows->count);
    const uint64_t *outside = NULL;

    for (int64_t j = 0; j < rows->count + 2 * taps->halo; j++) {
        const int64_t place = find_place(tile, s, taps->edge, at - taps->halo + j);

        if (first && place >= 0)
            tile->rows[j] = first + place * rows->inner * words;
        else if (as_samples)
            tile->rows[j] = tile_samples(tile, tile_source_row(tile, place, rows->after));
        else if (s == 0)
            tile->rows[j] = loaded_row(tile, place, rows->after);
        else {
            if (!outside)
                fill_outside(tile, s - 1, &stage[-1].node[input->node], tile->loaded);
            tile->rows[j] = outside = tile->loaded;
        }
    }
    pass(tile, s, taps, rows->count, adds, as_samples, outs);
}

/* Fills the coordinates outside of the array, in rows of a node (an array of sums) of the stage
 * before the last: with the numbers at the coordinates that the edge rule gives, or with the values
 * outside. */
static void fill_ends(const struct tile *tile, const struct node *node, uint64_t *const *rows,
                      int count)
{
    const struct array_scheme *scheme = tile->scheme;
    const struct stage *last = &scheme->stage[scheme->last];
    const int64_t first = tile->box.at[scheme->last] - last->reach, length = last->length;
    const int64_t end = tile->box.extent[scheme->last] + 2 * last->reach,
                  each = scheme->pixel.numbers;
    int64_t outside = -1; /* a coordinate that already holds the values outside, or -1 */

    for (int64_t p = 0; p < end && !(tile->wraps && node->row_edge == EDGE_WRAP); p++) {
        if (first + p >= 0 && first + p < length) /* skips the coordinates inside */
            p = length - first;
        if (p < end) {
            const int64_t place = edge_index(node->row_edge, first + p, length);
            const int64_t from = place < 0 ? outside : place - first;

            for (int i = 0; i < count; i++)
                if (from >= 0 && each * tile->words == 1)
                    rows[i][p] = rows[i][from];
                else if (from >= 0)
                    copy_numbers(tile, rows[i], from * each, each, p * each);
                else
                    for (int64_t x = 0; x < each; x++)
                        put_outside(tile, scheme->last - 1, node, rows[i], p * each + x);
            outside = place < 0 ? p : outside;
        }
    }
}

/* Computes the same rows of all nodes (arrays of sums) of stage s from which wanted result arrays
 * are made. Among a node's rows the first one has the index `to`, each next one is rows->inner
 * further. */
static void filter_nodes(const struct tile *tile, int s, const struct rows *rows, int64_t to)
{
    const struct stage *stage = &tile->scheme->stage[s];
    uint64_t *outs[ARRAY_ROWS];

    for (int n = 0; n < stage->nodes; n++) {
        if (!(stage->node[n].results & tile->wanted))
            continue;
        for (int j = 0; j < rows->count; j++)
            outs[j] = tile->nodes[s][n] + (to + j * rows->inner) * row_words(tile);
        for (int i = 0; i < stage->node[n].inputs; i++)
            if (cosines_replace(tile->cosines, 0))
                descend(tile);
            else
                filter_input(tile, s, &stage->node[n].input[i], rows, i > 0, outs);
        if (s == tile->scheme->last - 1)
            fill_ends(tile, &stage->node[n], outs, rows->count);
    }
}

void tile_filter(const struct tile *tile)
{
    for (int s = 0; s < tile->scheme->last - 1; s++) {
        const int64_t outer = rows_between(tile, s, 0, s), extent = tile->box.extent[s];
        struct rows rows = {.inner = rows_between(tile, s, s + 1, tile->scheme->last)};

        for (rows.before = 0; rows.before < outer; rows.before++)
            for (rows.after = 0; rows.after < rows.inner; rows.after++)
                for (rows.e = 0; rows.e < extent; rows.e += rows.count) {
                    rows.count = (int)min(extent - rows.e, ARRAY_ROWS);
                    filter_nodes(tile, s, &rows,
                                 (rows.before * extent + rows.e) * rows.inner + rows.after);
                }
    }
}

int tile_filter_rows(const struct tile *tile, int64_t row)
{
    const int s = tile->scheme->last - 1;
    const int64_t extent = tile->box.extent[s], e = row % extent;
    const struct rows rows = {
        .before = row / extent, .inner = 1, .e = e, .count = (int)min(extent - e, ARRAY_ROWS)};

    filter_nodes(tile, s, &rows, 0);
    return rows.count;
}

const double *tile_sum_along(const struct tile *tile, int count)
{
    const struct array_scheme *scheme = tile->scheme;
    const int64_t reach = scheme->stage[scheme->last].reach,
                  extent = tile->box.extent[scheme->last];
    double *rows[ARRAY_ROWS], *outs[ARRAY_ROWS];

    for (int i = 0; i < ARRAY_ROWS; i++) {
        rows[i] = (double *)tile->nodes[0][0] + min(i, count - 1) * tile->pitch;
        outs[i] = (double *)tile->result + i * tile->pitch;
    }
    tile->tiling->cosines_loops->sum_along(&tile->cosines->series[1], rows, scheme->pixel.numbers,
                                           (extent + 2 * reach) * scheme->pixel.numbers, outs);
    return outs[0] + 2 * reach * scheme->pixel.numbers;
}

const uint64_t *tile_centre(const struct tile *tile, int node, int row)
{
    const struct array_scheme *scheme = tile->scheme;
    const int64_t words = tile->level == LEVEL_INTEGERS ? tile->words : 1;

    return tile->nodes[scheme->last - 1][node] + row * row_words(tile) +
           scheme->stage[scheme->last].reach * scheme->pixel.numbers * words;
}

void tile_filter_line(const struct tile *tile, int root, int row, int64_t n, uint64_t *to)
{
    const struct array_scheme *scheme = tile->scheme;
    const struct stage *stage = &scheme->stage[scheme->last];
    const struct node *node = &stage->node[scheme->root[root]];
    const int64_t step = scheme->pixel.numbers * (tile->level == LEVEL_INTEGERS ? tile->words : 1);

    for (int i = 0; i < node->inputs; i++) {
        const struct axis_taps *taps = &stage->set[node->input[i].taps];
        const uint64_t *centre = tile_centre(tile, node->input[i].node, row);

        for (int64_t k = -taps->halo; k <= taps->halo; k++)
            tile->rows[k + taps->halo] = centre + k * step;
        pass_rows(tile, scheme->last, taps, 1, i > 0, false, n, &to);
    }
}
