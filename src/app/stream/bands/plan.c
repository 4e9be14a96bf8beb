/* SPDX-License-Identifier: MIT */
#include "band_plan.h"

#include "gpu.h"
#include "numbers.h"

/* Of source rows, on the CPU. With the result they fit in a large L2 cache; less than the least is
 * not worth a thread. */
#define CPU_BAND_BYTES ((int64_t)1 << 20)
#define CPU_BAND_BYTES_LEAST ((int64_t)1 << 16)

/* On a GPU. A copy of 4 MiB takes a tenth of a millisecond: ten times as long as it takes to ask
 * for it. Larger ones leave the bus idle while the first band is read and the last one written. */
#define GPU_BAND_BYTES ((int64_t)4 << 20)
#define GPU_BAND_BYTES_LEAST ((int64_t)1 << 20)
#define EMULATED_BAND_BYTES ((int64_t)1 << 10) /* so that small images have several */

#define HALOS 8 /* rows of a band, in halos: those around it are filtered, and read, twice */

bool bands_on_gpu(const struct bands *bands)
{
    return bands->variant->place == ON_GPU;
}

/* How many rows of a source that has them in order must be kept: of the next band there may be in
 * work already what lies above it. What begins at the source's end wants all of them. */
static int64_t rows_to_keep(const struct bands *bands, const struct source *source,
                            const struct sink *sink, int64_t height, int64_t rows)
{
    if (bands->variant->op == OP_REVERSE || bands->edge == EDGE_WRAP ||
        source->order == ROWS_AT_ONCE)
        return height;
    return least(rows + sink->lead + 2 * bands->halo, height);
}

/* Of one thread: a band with its border and its result, what the variant works in, and what the
 * sink makes of the result before it is written. */
static double worker_bytes(const struct bands *bands, const struct sink *sink,
                           const struct image *about, int64_t rows)
{
    struct shape shape = image_shape(about);
    struct image src, dst;
    int64_t src_bytes, dst_bytes;
    struct error unused;
    struct job job = {.maxval = shape.maxval,
                      .weighted = bands->weighted,
                      .halo = bands->halo,
                      .weights = bands->weights,
                      .threads = 1,
                      .block = bands->block};
    const double written = sink->lead > 0 ? (double)image_row_bytes(about) * (double)rows : 0;

    shape.height = rows + sink->lead;
    if (image_measure(&shape, bands->halo, &src_bytes, &unused) != STATUS_OK ||
        image_measure(&shape, 0, &dst_bytes, &unused) != STATUS_OK)
        return (double)INT64_MAX;
    if (bands_on_gpu(bands) || !bands->variant->scratch_bytes)
        return (double)src_bytes + (double)dst_bytes + written;
    image_place(&src, &shape, bands->halo, NULL);
    image_place(&dst, &shape, 0, NULL);
    job.src = src.view;
    job.dst = dst.view;
    return (double)src_bytes + (double)dst_bytes + written +
           (double)bands->variant->scratch_bytes(&job);
}

int64_t bands_bytes(const struct bands *bands, const struct source *source, const struct sink *sink,
                    const struct image *about, int threads, int64_t rows)
{
    const int64_t keep = rows_to_keep(bands, source, sink, about->view.height, rows);
    const double kept = source->order == ROWS_IN_ANY_ORDER
                            ? 0
                            : (double)keep * (double)(image_row_bytes(about) + ROW_ALIGNMENT);
    const double bytes = threads * worker_bytes(bands, sink, about, rows) + kept;

    return bytes < 0x1p62 ? (int64_t)bytes : INT64_MAX;
}

/* As fits the cache, or the bus, or, where most of the work is the sink's, as it likes; with a
 * large halo more, but work for every thread. */
static int64_t best_rows(const struct bands *bands, const struct sink *sink,
                         const struct image *about, int threads)
{
    const int64_t row_bytes = (int64_t)image_row_bytes(about);
    const int64_t share = (about->view.height - 1) / threads + 1;
    const bool gpu = bands_on_gpu(bands), emulated = gpu && gpu_is_emulated();
    const int64_t bytes = emulated ? EMULATED_BAND_BYTES : gpu ? GPU_BAND_BYTES : CPU_BAND_BYTES;
    const int64_t few = emulated ? EMULATED_BAND_BYTES
                        : gpu    ? GPU_BAND_BYTES_LEAST
                                 : CPU_BAND_BYTES_LEAST;
    const int64_t fitting = sink->lead > 0 && !gpu ? sink->unit : bytes / row_bytes;
    const int64_t rows = least(most(fitting, HALOS * bands->halo), share);

    return most(rows, few / row_bytes + 1);
}

/* The most rows up to so many, a multiple of the sink's unit, that keep within the limit with so
 * many threads; at least one unit, which may not. */
static int64_t rows_within(const struct bands *bands, const struct source *source,
                           const struct sink *sink, const struct image *about, int threads,
                           int64_t rows)
{
    int64_t low = 1, high = (rows - 1) / sink->unit + 1; /* in units */

    if (bands->max_bytes == 0)
        return high * sink->unit;
    while (low < high) {
        const int64_t middle = high - (high - low) / 2;

        if (bands_bytes(bands, source, sink, about, threads, middle * sink->unit) <=
            bands->max_bytes)
            low = middle;
        else
            high = middle - 1;
    }
    return low * sink->unit;
}

/* Of a band of fewer rows than this, in halves of a halo, more goes to the rows around it than
 * another thread brings: (threads)(rows) / (rows + 2 halo) is largest, for one and the same memory,
 * at 1.4 halos. */
#define LEAST_HALF_HALOS 3

/* Within the limit: bands of fewer rows, and then fewer threads. */
static void keep_within(const struct bands *bands, const struct source *source,
                        const struct sink *sink, const struct image *about, struct band_plan *plan)
{
    const int64_t wanted = plan->rows, worthwhile = LEAST_HALF_HALOS * bands->halo / 2;

    for (;; plan->threads--) {
        plan->rows = rows_within(bands, source, sink, about, plan->threads, wanted);
        if (plan->threads == 1 || bands->max_bytes == 0 ||
            (plan->rows >= least(worthwhile, wanted) &&
             bands_bytes(bands, source, sink, about, plan->threads, plan->rows) <=
                 bands->max_bytes))
            return;
    }
}

/* Where the threads also compress, most of their time goes to that: more of them share a GPU, but
 * each takes a few milliseconds to open its lane, one after the other. */
static int most_lanes(const struct band_lanes *lanes, const struct sink *sink)
{
    return sink->lead > 0 ? 4 * lanes->most : lanes->most;
}

struct band_plan band_plan_make(const struct bands *bands, const struct source *source,
                                const struct sink *sink, const struct image *about)
{
    const int64_t height = about->view.height;
    struct band_plan plan = {.threads = bands->threads};

    if (bands_on_gpu(bands))
        plan.threads = (int)least(plan.threads, most_lanes(bands->lanes, sink));
    plan.rows = bands->rows > 0 ? bands->rows : best_rows(bands, sink, about, plan.threads);
    plan.rows = least(plan.rows, height);
    keep_within(bands, source, sink, about, &plan);
    plan.threads = (int)least(plan.threads, (height - 1) / plan.rows + 1);
    plan.keep = rows_to_keep(bands, source, sink, height, plan.rows);
    return plan;
}
