/* SPDX-License-Identifier: MIT */
/* Chooses the height of bands and the number of threads for an image. */
#include "src/app/stream/bands/bands.h"

#include "kernels/common/numbers.h"

/* Source bytes of a band: the best number, and the minimum that is worth a thread. On the CPU the
 * best band and its result fit in a large L2 cache. On a GPU a copy of 4 MiB takes a tenth of a
 * millisecond, ten times as long as a launch; larger bands would leave the bus idle while the first
 * band is read and the last is written. On the emulated device the numbers are so small that even
 * the small images of tests have several bands. */
static const struct band_bytes {
    int64_t best, min;
} of_cpu = {1 << 20, 1 << 16}, of_gpu = {4 << 20, 1 << 20}, of_emulated = {1 << 10, 1 << 10};

/* The maximum number of threads for an image on a GPU: while one thread reads or writes, the other
 * thread copies and computes. More threads would wait for each other to write (kernels/NOTES.md).
 * If the writer compresses, threads spend most of their time on compression, so ENCODING_FACTOR
 * times as many can share the GPU. */
#define GPU_THREADS 2
#define ENCODING_FACTOR 4

/* The minimum height of a band, in halos, if memory allows, and if a thread's share of the rows is
 * not lower. The rows within a halo of a band's first and last rows are read and filtered again for
 * the neighbouring bands. The higher the bands, the less this costs. */
#define BAND_MIN_HALOS 8

/* The band height, in half halos, below which fewer threads with higher bands are faster: lower
 * bands cost more in extra halo rows than another thread gains. The speed is proportional to
 * threads * rows / (rows + 2 halo). In fixed memory the number of threads is proportional to
 * 1 / (2 rows + 2 halo), since each thread needs its source and its result. Then the speed is
 * largest at rows = 1.4 halo. */
#define MIN_HALF_HALOS 3

/* Sets plan->keep, the heights of plan->from and plan->to, and plan->bytes, the memory of all
 * threads. Each thread needs its band with the halo's rows, the result, the library's working
 * memory, and memory to encode the result: to compress it, to convert it from linear light, or to
 * remove the mask. Unless the reader allows any order of rows, `keep` rows that were read are kept
 * for the next bands. */
static void set_bytes(struct band_plan *plan)
{
    const struct passage *passage = plan->passage;
    const struct operations *operations = &passage->operations;
    const int64_t height = passage->header->view.height, reach = operations->reach;
    const int64_t most = min(plan->rows, height) + 2 * reach;
    const struct image file = image_file(passage->header);
    struct part part = {.src_pages = 1, .dst_pages = 1};
    double bytes = 0;

    plan->keep = plan->keeps_all ? height : min(plan->rows + 2 * reach, height);
    plan->from.height = operations->wraps ? most : min(most, height);
    plan->to.height = min(plan->rows, height);
    part.row = min(reach, plan->from.height - plan->to.height);
    if (passage->writer->encodes)
        bytes = (double)image_row_bytes(&passage->result) * (double)plan->rows;
    bytes +=
        (double)image_lay_out(&part.src, &plan->from) + (double)image_lay_out(&part.dst, &plan->to);
    if (passage->header->light || passage->header->mask)
        bytes += (double)plan->to.height * (double)image_row_bytes(&file);
    bytes += operations_bytes(operations, 0, 1, &part);
    bytes *= plan->threads;
    if (passage->reader->order != ROWS_IN_ANY_ORDER)
        bytes += (double)plan->keep * (double)(image_row_bytes(passage->header) + ROW_ALIGNMENT);
    bytes += (double)passage->reader->bytes;
    plan->bytes = bytes < 0x1p62 ? (int64_t)bytes : INT64_MAX;
}

/* Returns the band height that fills the cache (CPU) or one transfer (GPU). On the CPU, with a
 * writer that compresses, it is the height of the writer's block, since compression takes most of
 * the time. A large halo raises the height. The height is at most a thread's share of the rows, but
 * a band has at least the minimum of bytes. */
static int64_t best_rows(const struct band_plan *plan)
{
    const struct passage *passage = plan->passage;
    const int64_t row_bytes = (int64_t)image_row_bytes(passage->header);
    const int64_t height = passage->header->view.height, share = (height - 1) / plan->threads + 1;
    const bool gpu = passage->operations.computer->on_gpu;
    const struct band_bytes bytes = !gpu ? of_cpu : gpu_is_emulated() ? of_emulated : of_gpu;
    const int64_t fitting =
        passage->writer->encodes && !gpu ? passage->writer->block_rows : bytes.best / row_bytes;
    const int64_t rows = min(max(fitting, BAND_MIN_HALOS * passage->operations.reach), share);

    return max(rows, bytes.min / row_bytes + 1);
}

/* To keep the memory within the limit, first makes the bands lower, down to about MIN_HALF_HALOS
 * half halos. Then uses fewer threads. When one thread is left, makes the bands lower still. */
struct band_plan bands_plan(const struct passage *passage)
{
    const int64_t height = passage->header->view.height;
    const int64_t worthwhile = MIN_HALF_HALOS * passage->operations.reach / 2;
    const enum row_order order = passage->reader->order;
    struct band_plan plan = {.passage = passage,
                             .from = image_shape(passage->header),
                             .to = image_shape(&passage->result)};
    int64_t block, blocks;

    /* All rows are kept if the reader delivers all at once, or if it delivers them in order and the
     * first band needs the last rows. */
    plan.keeps_all =
        order == ROWS_AT_ONCE ||
        (order == ROWS_IN_ORDER &&
         (passage->operations.wraps || passage->operations.work->ops[0] == OPERATION_REVERSE));
    plan.threads = passage->context->threads;
    if (passage->operations.computer->on_gpu)
        plan.threads =
            (int)min(plan.threads, GPU_THREADS * (passage->writer->encodes ? ENCODING_FACTOR : 1));
    block = passage->writer->block_rows;
    blocks = round_up(min(best_rows(&plan), height), block) / block;
    for (;;) {
        plan.rows = blocks * block;
        plan.threads = (int)min(plan.threads, (height - 1) / plan.rows + 1);
        set_bytes(&plan);
        if (plan.bytes <= budget_limit(passage->context->budget, plan.bytes) ||
            (blocks == 1 && plan.threads == 1))
            return plan;
        if (blocks > 1 && (plan.threads == 1 || plan.rows > worthwhile))
            blocks -= blocks / 8 + 1;
        else
            plan.threads--;
    }
}
