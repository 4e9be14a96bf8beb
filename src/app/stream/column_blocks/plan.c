/* SPDX-License-Identifier: MIT */
#include "src/app/stream/column_blocks/column_blocks.h"

#include "kernels/common/numbers.h"
#include "src/lib/run/run.h"

#define PIECE_BYTES 4096 /* of a row in a column block: with fewer, two of them read one page */
#define BLOCK_BYTES ((int64_t)1 << 20) /* a smaller column block is not worth the threads */
#define CHUNK_BYTES ((int64_t)1 << 18) /* what a thread reads at once: it stays in its cache */
#define CHUNK_ROWS 64 /* chunks are multiples of this: whole cache lines of the result */

/* Bytes for the two blocks: three quarters of the limit, less what the writer takes. The other
 * quarter is for the threads' chunks. */
static int64_t room_for_blocks(const struct column_blocks *blocks,
                               const struct column_block_plan *plan, int64_t row_bytes)
{
    return blocks->max_bytes / 4 * 3 - 2 * plan->requirements.context_rows * row_bytes -
           blocks->threads * plan->requirements.bytes;
}

/* The most columns of which each thread can hold CHUNK_ROWS rows in that quarter. */
static int64_t max_columns(const struct column_blocks *blocks, int64_t pixel)
{
    return max(blocks->max_bytes / 4 / blocks->threads / CHUNK_ROWS / pixel, 1);
}

/* Chooses the width of column blocks. They are as wide as fits if the image is larger than the
 * limit: its file may not stay in the page cache, and each column block reads its pages from disk
 * again. */
static void cut_blocks(const struct column_blocks *blocks, struct column_block_plan *plan,
                       int64_t row_bytes)
{
    const int64_t pixel = pixel_bytes(&plan->turned), block_rows = plan->requirements.block_rows;
    const int64_t fitting =
        min(room_for_blocks(blocks, plan, row_bytes) / (2 * row_bytes), max_columns(blocks, pixel));

    plan->columns = max(PIECE_BYTES / pixel, BLOCK_BYTES / row_bytes);
    if (row_bytes * plan->turned.height > blocks->max_bytes)
        plan->columns = fitting;
    if (blocks->columns > 0)
        plan->columns = blocks->columns;
    plan->columns = round_up(max(min(plan->columns, plan->turned.height), 1), block_rows);
    if (plan->columns > fitting)
        plan->columns = max(fitting / block_rows, 1) * block_rows;
}

/* The plan for all of blocks->threads, within the limit if that is possible. */
static struct column_block_plan plan_for(const struct column_blocks *blocks,
                                         const struct image_writer *writer,
                                         const struct image *header)
{
    const struct shape shape = image_shape(header);
    struct column_block_plan plan = {.threads = blocks->threads,
                                     .turned = run_result_shape(OP_TRANSPOSE, &shape)};
    const int64_t pixel = pixel_bytes(&shape);
    const int64_t block_row_bytes = round_up(shape.height * pixel, ROW_ALIGNMENT);
    int64_t chunk_row_bytes;
    struct image turned;

    image_describe(&turned, &plan.turned);
    plan.requirements = image_writer_requirements(writer, &turned);
    cut_blocks(blocks, &plan, block_row_bytes);
    chunk_row_bytes =
        round_up((plan.columns + plan.requirements.context_rows) * pixel, ROW_ALIGNMENT);
    plan.chunk_rows = min(CHUNK_BYTES, blocks->max_bytes / 4 / blocks->threads) / chunk_row_bytes;
    plan.chunk_rows = max(plan.chunk_rows / CHUNK_ROWS, 1) * CHUNK_ROWS;
    plan.bytes = 2 * (plan.columns + plan.requirements.context_rows) * block_row_bytes +
                 blocks->threads * (plan.chunk_rows * chunk_row_bytes + plan.requirements.bytes);
    return plan;
}

/* Is the plan within the limit, with at most a quarter of it for the writer's own memory? With more
 * for the writer, column blocks would be so narrow that the file is read many times. */
static bool fits(const struct column_block_plan *plan, int64_t max_bytes)
{
    return plan->bytes <= max_bytes && plan->threads * plan->requirements.bytes <= max_bytes / 4;
}

/* plan_for narrows the column blocks; if that is not enough, threads are taken away. */
struct column_block_plan column_blocks_plan(const struct column_blocks *blocks,
                                            const struct image_writer *writer,
                                            const struct image *header)
{
    struct column_blocks fewer = *blocks;
    struct column_block_plan plan = plan_for(&fewer, writer, header);

    while (fewer.threads > 1 && !fits(&plan, fewer.max_bytes)) {
        fewer.threads--;
        plan = plan_for(&fewer, writer, header);
    }
    return plan;
}
