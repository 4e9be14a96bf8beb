/* SPDX-License-Identifier: MIT */
#include "src/app/stream/bands/bands.h"

#include "kernels/common/numbers.h"
#include "src/files/codec/rows/encoding.h"

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

/* Of a band's height: the rows around it are read and computed several times. */
#define BAND_MIN_HALOS 8

/* Below this band height, in half halos, fewer threads with higher bands are faster: lower bands
 * spend more on the rows around them than another thread brings. With memory fixed,
 * threads * rows / (rows + 2 halo) is largest at rows = 1.4 halo. */
#define MIN_HALF_HALOS 3

/* What a plan is made from. */
struct band_request {
    const struct bands *bands;
    const struct image *header;
    struct image result; /* for the writer: without samples */
    struct write_requirements writes;
    enum row_order order; /* of the reader */
};

/* If the reader has them at once, or if it has them in order and the first band needs the last. */
bool bands_keep_all(const struct operations *operations, enum row_order order)
{
    return order == ROWS_AT_ONCE ||
           (order == ROWS_IN_ORDER &&
            (operations->work->ops[0] == OPERATION_REVERSE ||
             (operations_reach(operations) > 0 && operations->work->filter.edge == EDGE_WRAP)));
}

int64_t bands_source_rows(const struct operations *operations, int64_t rows, int64_t height)
{
    const int64_t reach = operations_reach(operations), most = min(rows, height) + 2 * reach;

    return operations->work->filter.edge == EDGE_WRAP && reach > 0 ? most : min(most, height);
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

/* Bytes of one thread: a band of so many rows with those beside it, the result, what the library
 * works in, and what the writer makes of the result before it is written. */
static double thread_bytes(const struct band_request *request, int64_t rows)
{
    const struct operations *operations = &request->bands->operations;
    const int64_t height = request->header->view.height;
    const double written =
        request->writes.encodes ? (double)image_row_bytes(&request->result) * (double)rows : 0;
    struct shape from = image_shape(request->header), to = image_shape(&request->result);
    struct image src, dst;
    struct part part = {.row = 0};

    from.height = bands_source_rows(operations, rows, height);
    to.height = min(rows, height);
    image_place(&src, &from, 0, NULL);
    image_place(&dst, &to, 0, NULL);
    part.src = pages_of(&src), part.dst = pages_of(&dst);
    part.row = min(operations_reach(operations), from.height - to.height);
    return (double)image_needs(&from, 0) + (double)image_needs(&to, 0) + written +
           (double)encoding_bytes(request->header, to.height) +
           operations_bytes(operations, 0, 1, &part);
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
    const struct operations *operations = &request->bands->operations;
    const int64_t row_bytes = (int64_t)image_row_bytes(request->header);
    const int64_t share = (request->header->view.height - 1) / threads + 1;
    const bool gpu = computer_uses_gpu(operations->computer);
    const bool emulated = gpu && gpu_is_emulated();
    const int64_t bytes = emulated ? EMULATED_BAND_BYTES : gpu ? GPU_BAND_BYTES : CPU_BAND_BYTES;
    const int64_t min_bytes = emulated ? EMULATED_BAND_BYTES
                              : gpu    ? MIN_GPU_BAND_BYTES
                                       : MIN_CPU_BAND_BYTES;
    const int64_t fitting =
        request->writes.encodes && !gpu ? request->writes.block_rows : bytes / row_bytes;
    const int64_t rows = min(max(fitting, BAND_MIN_HALOS * operations_reach(operations)), share);

    return max(rows, min_bytes / row_bytes + 1);
}

/* Sets the largest band height, in whole blocks of the writer and up to `wanted` (rounded up), at
 * which the plan's threads stay within the limit, and the bytes. One block if none does. */
static void set_rows(const struct band_request *request, int64_t wanted, struct band_plan *plan)
{
    const int64_t block = request->writes.block_rows;
    const int64_t limit = request->bands->max_bytes > 0 ? request->bands->max_bytes : INT64_MAX;
    int64_t low = 0, high = (wanted - 1) / block + 2, middle = high - 1; /* in blocks */

    while (low + 1 < high) { /* low is within the limit, or 0; high is not, or not wanted */
        plan->rows = middle * block;
        plan->bytes = plan_bytes(request, plan->threads, plan->rows);
        *(plan->bytes <= limit ? &low : &high) = middle;
        middle = low + (high - low) / 2;
    }
    if (plan->rows != max(low, 1) * block) {
        plan->rows = max(low, 1) * block;
        plan->bytes = plan_bytes(request, plan->threads, plan->rows);
    }
}

/* Keeps the plan within the limit: lowers the bands and then, if they get too low, takes threads
 * away. */
static void keep_within(const struct band_request *request, int64_t wanted, struct band_plan *plan)
{
    const int64_t limit = request->bands->max_bytes, height = request->header->view.height;
    const int64_t worthwhile = MIN_HALF_HALOS * operations_reach(&request->bands->operations) / 2;

    for (;; plan->threads--) {
        plan->threads = (int)min(plan->threads, (height - 1) / wanted + 1);
        set_rows(request, wanted, plan);
        if (plan->threads == 1 || limit == 0 ||
            (plan->rows >= min(worthwhile, wanted) && plan->bytes <= limit))
            return;
    }
}

struct band_plan bands_plan(const struct bands *bands, const struct image_reader *reader,
                            const struct image_writer *writer, const struct image *header)
{
    const int64_t height = header->view.height;
    struct band_request request = {
        .bands = bands,
        .header = header,
        .result = operations_result(&bands->operations, header),
        .order = reader->order,
    };
    struct band_plan plan = {0};
    int64_t rows;

    request.writes = image_writer_requirements(writer, &request.result);
    plan.threads =
        computer_threads(bands->operations.computer, bands->threads, request.writes.encodes);
    rows = round_up(min(bands->rows > 0 ? bands->rows : best_rows(&request, plan.threads), height),
                    request.writes.block_rows);
    keep_within(&request, rows, &plan);
    plan.keep = rows_to_keep(&request, plan.rows);
    return plan;
}
