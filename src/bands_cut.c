/* SPDX-License-Identifier: MIT */
#include "bands_cut.h"

#define BAND_BYTES (1 << 20)     /* of source rows: with the result they fit in a large L2 cache */
#define BAND_BYTES_MIN (1 << 16) /* less is not worth a thread */
#define HALOS 8 /* rows of a band, in halos: those around it are filtered, and read, twice */

/* What the cut depends on. */
struct terms {
    const struct bands *bands;
    struct sink_wants wants;
    struct shape shape;
    enum row_order order; /* of the source's rows */
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t round_up(int64_t rows, int64_t unit)
{
    return (rows - 1 + unit) / unit * unit;
}

/* As fits the cache, or, where most of the work is the sink's, as it likes; with a large halo more,
 * but work for every thread. */
static int64_t preferred_rows(const struct terms *terms)
{
    const struct bands *bands = terms->bands;
    const int64_t height = terms->shape.height;
    const int64_t row_bytes =
        terms->shape.width * terms->shape.channels * sample_bytes_of(terms->shape.maxval);
    const int64_t share = (height - 1) / bands->threads + 1;
    const int64_t fitting = terms->wants.lead > 0 ? terms->wants.unit : BAND_BYTES / row_bytes;
    int64_t rows = most(fitting, HALOS * bands->halo);

    rows = most(least(rows, share), BAND_BYTES_MIN / row_bytes + 1);
    if (bands->rows > 0)
        rows = bands->rows;
    return round_up(least(rows, height), terms->wants.unit);
}

/* How many rows of a source that has them in order must be kept: of the next band there may be in
 * work already what lies above it. What begins at the source's end wants all of them. */
static int64_t rows_to_keep(const struct terms *terms, int64_t rows)
{
    const struct bands *bands = terms->bands;

    if (bands->variant->op == OP_REVERSE || bands->edge == EDGE_WRAP ||
        terms->order == ROWS_AT_ONCE)
        return terms->shape.height;
    return least(rows + terms->wants.lead + 2 * bands->halo, terms->shape.height);
}

/* What the variant asks for, to work on a band. */
static int64_t scratch_bytes(const struct terms *terms, int64_t rows)
{
    const struct bands *bands = terms->bands;
    const struct shape shape = {terms->shape.width, rows, terms->shape.channels,
                                terms->shape.maxval};
    struct job job = {
        .maxval = shape.maxval, .halo = bands->halo, .weights = bands->weights, .threads = 1};
    struct image band;

    image_describe(&band, &shape);
    job.src = job.dst = band.view;
    return bands->variant->scratch_bytes ? (int64_t)bands->variant->scratch_bytes(&job) : 0;
}

static int64_t bytes_for(const struct terms *terms, int64_t rows, int threads)
{
    struct shape band = terms->shape, kept = terms->shape;
    int64_t each, sum;

    band.height = rows + terms->wants.lead;
    kept.height = terms->order == ROWS_IN_ANY_ORDER ? 0 : rows_to_keep(terms, rows);
    if (__builtin_add_overflow(image_needs(&band, terms->bands->halo), image_needs(&band, 0),
                               &each) ||
        __builtin_add_overflow(each, scratch_bytes(terms, rows) + terms->wants.bytes, &each) ||
        __builtin_mul_overflow(each, threads, &sum) ||
        __builtin_add_overflow(sum, image_needs(&kept, 0), &sum))
        return INT64_MAX;
    return sum;
}

/* The most rows, up to those preferred, that fit with so many threads; 0 if none do. */
static int64_t fitting_rows(const struct terms *terms, int64_t preferred, int threads)
{
    const int64_t unit = terms->wants.unit;
    int64_t good = 0, bad = preferred / unit + 1; /* in units */

    while (bad - good > 1) {
        const int64_t middle = (good + bad) / 2;

        if (bytes_for(terms, middle * unit, threads) <= terms->bands->max_bytes)
            good = middle;
        else
            bad = middle;
    }
    return good * unit;
}

/* Fewer threads with higher bands can be faster: the rows around a band are filtered in vain. */
static void fit(const struct terms *terms, struct bands_cut *cut)
{
    const double around = 2 * (double)terms->bands->halo + (double)terms->wants.lead;
    const int64_t preferred = cut->rows;
    double best = 0;

    for (int threads = cut->threads; threads >= 1; threads--) {
        const int64_t rows = fitting_rows(terms, preferred, threads);
        const double speed = rows == 0 ? 0 : threads * (double)rows / ((double)rows + around);

        if (speed > best) {
            cut->rows = rows;
            cut->threads = threads;
            best = speed;
        }
    }
    if (best == 0) {
        cut->rows = terms->wants.unit;
        cut->threads = 1;
    }
}

struct bands_cut bands_cut(const struct bands *bands, const struct source *source,
                           const struct sink *sink, const struct image *about)
{
    const struct terms terms = {bands, sink_wants(sink, about), image_shape(about), source->order};
    struct bands_cut cut = {.rows = preferred_rows(&terms)};

    cut.threads = (int)least(bands->threads, (terms.shape.height - 1) / cut.rows + 1);
    cut.bytes = bytes_for(&terms, cut.rows, cut.threads);
    if (bands->max_bytes > 0 && cut.bytes > bands->max_bytes) {
        fit(&terms, &cut);
        cut.bytes = bytes_for(&terms, cut.rows, cut.threads);
    }
    cut.keep = rows_to_keep(&terms, cut.rows);
    return cut;
}

int64_t bands_bytes(const struct bands *bands, const struct source *source, const struct sink *sink,
                    const struct image *about)
{
    return bands_cut(bands, source, sink, about).bytes;
}
