/* SPDX-License-Identifier: MIT */
#include "src/app/stream/bands/bands.h"

#include "kernels/common/engine.h"
#include "kernels/common/numbers.h"

#include <math.h>

/* Source bytes of a band on the CPU. A band and its result fit in a large L2 cache. A band below
 * the minimum is not worth a thread. */
#define CPU_BAND_BYTES ((int64_t)1 << 20)
#define MIN_CPU_BAND_BYTES ((int64_t)1 << 16)

/* On a GPU. A copy of 4 MiB takes a tenth of a millisecond, ten times as long as its launch. Larger
 * bands leave the bus idle while the first one is read and the last one is written. */
#define GPU_BAND_BYTES ((int64_t)4 << 20)
#define MIN_GPU_BAND_BYTES ((int64_t)1 << 20)
#define EMULATED_BAND_BYTES ((int64_t)1 << 10) /* so that small images have several */

/* What a plan is made from. */
struct band_request {
    const struct bands *bands;
    const struct variant *variant;
    const struct image *header;
    struct image result; /* for the writer: without samples */
    struct write_requirements writes;
    enum row_order order; /* of the reader */
    struct piece piece;   /* all rows */
};

/* If the reader has them at once, or if it has them in order and the first band needs the last. */
bool bands_keep_all(const struct operations *operations, enum row_order order)
{
    return order == ROWS_AT_ONCE ||
           (order == ROWS_IN_ORDER &&
            (operations->ops[0] == OP_REVERSE || operations_edge(operations) == EDGE_WRAP));
}

/* How many rows to keep of a reader that has its rows in order: the next band needs the last rows
 * that another thread has read for its own band. */
static int64_t rows_to_keep(const struct band_request *request, int64_t rows)
{
    const struct operations *operations = &request->bands->operations;
    const int64_t height = request->header->view.height;

    if (bands_keep_all(operations, request->order))
        return height;
    return min(rows + 2 * operations_reach(operations), height);
}

/* A band of so many rows of the result. */
static struct piece band_of(const struct band_request *request, int64_t rows)
{
    struct piece band = request->piece;

    band.job.src.height = band.job.dst.height = rows;
    return band;
}

/* Bytes of one thread: a band with its border, the result, scratch memory, and what the writer
 * makes of the result before it is written. */
static double thread_bytes(const struct band_request *request, int64_t rows)
{
    const struct piece band = band_of(request, rows);
    const double written =
        request->writes.encodes ? (double)image_row_bytes(&request->result) * (double)rows : 0;
    /* Rows in linear light, or with a mask's channel, are encoded in memory of their own. */
    const double encoded = ((request->header->light != NULL) + (request->header->mask != NULL)) *
                           (double)image_row_bytes(request->header) * (double)band.job.src.height;
    const double scratch =
        request->variant->backend == ON_CPU
            ? (double)job_needs(&request->bands->operations, 0, request->variant, &band.job)
            : 0;
    struct shape from = image_shape(request->header), to = image_shape(&request->result);

    from.height = to.height = band.job.src.height;
    return (double)image_needs(&from, band.job.halo) + (double)image_needs(&to, 0) + written +
           encoded + scratch;
}

static int64_t plan_bytes(const struct band_request *request, int threads, int64_t rows)
{
    const int64_t keep = rows_to_keep(request, rows);
    const double kept =
        request->order == ROWS_IN_ANY_ORDER
            ? 0
            : (double)keep * (double)(image_row_bytes(request->header) + ROW_ALIGNMENT);
    const double bytes = threads * thread_bytes(request, rows) + kept;

    return bytes < 0x1p62 ? (int64_t)bytes : INT64_MAX;
}

/* Band height: what fills the cache (CPU) or one transfer (GPU); the writer's block if the writer
 * compresses, which is most of the work. More with a large halo, up to a thread's share. */
static int64_t best_rows(const struct band_request *request, int threads)
{
    const struct bands *bands = request->bands;
    const int64_t row_bytes = (int64_t)image_row_bytes(request->header);
    const int64_t share = (request->header->view.height - 1) / threads + 1;
    const bool gpu = request->variant->backend == ON_GPU;
    const bool emulated = gpu && gpu_is_emulated();
    const int64_t bytes = emulated ? EMULATED_BAND_BYTES : gpu ? GPU_BAND_BYTES : CPU_BAND_BYTES;
    const int64_t min_bytes = emulated ? EMULATED_BAND_BYTES
                              : gpu    ? MIN_GPU_BAND_BYTES
                                       : MIN_CPU_BAND_BYTES;
    const int64_t fitting =
        request->writes.encodes && !gpu ? request->writes.block_rows : bytes / row_bytes;
    const int64_t rows =
        min(max(fitting, BAND_MIN_HALOS * operations_reach(&bands->operations)), share);

    return max(rows, min_bytes / row_bytes + 1);
}

/* The largest band height, in whole blocks of the writer and up to `rows` (rounded up), at which so
 * many threads stay within the limit. One block if none does. */
static int64_t rows_within(const struct band_request *request, int threads, int64_t rows)
{
    const int64_t block = request->writes.block_rows, limit = request->bands->max_bytes;
    int64_t low = 1, high = (rows - 1) / block + 1; /* in blocks */

    if (limit == 0)
        return high * block;
    while (low < high) {
        const int64_t middle = high - (high - low) / 2;

        if (plan_bytes(request, threads, middle * block) <= limit)
            low = middle;
        else
            high = middle - 1;
    }
    return low * block;
}

/* Below this band height, in half halos, fewer threads with higher bands are faster: lower bands
 * spend more on the rows around them than another thread brings. With memory fixed,
 * threads * rows / (rows + 2 halo) is largest at rows = 1.4 halo. */
#define MIN_HALF_HALOS 3

/* Keeps the plan within the limit: lowers the bands and then, if they get too low, takes threads
 * away. */
static void keep_within(const struct band_request *request, struct band_plan *plan)
{
    const int64_t limit = request->bands->max_bytes;
    const int64_t wanted = plan->rows,
                  worthwhile = MIN_HALF_HALOS * operations_reach(&request->bands->operations) / 2;

    for (;; plan->threads--) {
        plan->rows = rows_within(request, plan->threads, wanted);
        if (plan->threads == 1 || limit == 0 ||
            (plan->rows >= min(worthwhile, wanted) &&
             plan_bytes(request, plan->threads, plan->rows) <= limit))
            return;
    }
}

struct band_plan bands_plan(const struct bands *bands, const struct image_reader *reader,
                            const struct image_writer *writer, const struct image *header)
{
    const int64_t height = header->view.height;
    const struct shape shape = image_shape(header);
    struct band_request request = {
        .bands = bands,
        .variant = dispatcher_variant(bands->dispatcher, 0),
        .header = header,
        .result = operations_result(&bands->operations, header),
        .order = reader->order,
        .piece = operations_piece(&bands->operations, 0, &shape),
    };
    struct band_plan plan = {0};

    request.writes = image_writer_requirements(writer, &request.result);
    plan.threads = dispatcher_threads(bands->dispatcher, bands->threads, request.writes.encodes);
    plan.rows = bands->rows > 0 ? bands->rows : best_rows(&request, plan.threads);
    plan.rows = min(plan.rows, height);
    keep_within(&request, &plan);
    plan.threads = (int)min(plan.threads, (height - 1) / plan.rows + 1);
    plan.keep = rows_to_keep(&request, plan.rows);
    plan.bytes = plan_bytes(&request, plan.threads, plan.rows);
    plan.piece = band_of(&request, plan.rows);
    return plan;
}
