/* SPDX-License-Identifier: MIT */
#include "src/app/stream/column_blocks/column_blocks.h"

#include "src/lib/base/clock.h"
#include "src/lib/base/work_queue.h"
#include "kernels/common/numbers.h"
#include "src/lib/run/run.h"

#include <stdlib.h>

/* A column block: source columns first..first+count-1, and before them the writer's context rows,
 * from `top` on; as rows 0.. of `rows`. */
struct block {
    struct image rows;
    int64_t top, first, count;
};

/* A thread's own. */
struct worker {
    struct image chunk; /* the source rows that it reads at once */
    struct bands_times times;
    double mark; /* of add_time_since */
};

/* What the threads share. In each round they write one block and fill the other: tasks 0..puts-1
 * write, the others fill. */
struct work {
    const struct column_blocks *blocks;
    const struct image_reader *reader;
    struct image_writer *writer;
    struct shape shape;
    const struct column_block_plan *plan;
    struct block pair[2];
    struct worker *workers;     /* one for each thread */
    struct block *full, *empty; /* of this round: to write, to fill; NULL: none */
    int64_t puts;
};

/* Reads chunk number `index` of the empty block, and transposes it into the block: source rows
 * become columns. */
static enum status fill(const struct work *work, struct worker *worker, int64_t index,
                        struct error *error)
{
    const struct block *block = work->empty;
    const int64_t done = index * work->plan->chunk_rows;
    const int64_t count = min(work->plan->chunk_rows, work->shape.height - done);
    const struct request request = {.threads = 1, .isa = work->blocks->isa};
    struct view turned = block->rows.view;
    struct job job;
    enum status status;

    worker->chunk.view.width = block->first + block->count - block->top;
    worker->chunk.view.height = count;
    status =
        image_reader_read_columns(work->reader, done, count, block->top, &worker->chunk, 0, error);
    add_time_since(&worker->mark, &worker->times.read);
    if (status != STATUS_OK)
        return status;
    turned.origin = (char *)turned.origin + done * pixel_bytes(&work->shape);
    turned.width = count;
    turned.height = worker->chunk.view.width;
    job = request_job(&request, OP_TRANSPOSE, work->shape.maxval, worker->chunk.view, turned);
    status = run_job(work->blocks->variant, &job, NULL, error);
    add_time_since(&worker->mark, &worker->times.ops[0].compute);
    return status;
}

/* Rows of the result in one call of the writer: its own block if it compresses, for several threads
 * to do so; else the whole column block, since the threads would only wait for each other. */
static int64_t rows_of_put(const struct work *work)
{
    return work->plan->requirements.encodes ? work->plan->requirements.block_rows
                                            : work->plan->columns;
}

/* Writes rows number `index` of the full block, in units of rows_of_put. */
static enum status put(const struct work *work, struct worker *worker, int64_t index,
                       struct error *error)
{
    const struct block *block = work->full;
    const int64_t first = block->first + index * rows_of_put(work);
    const int64_t count = min(rows_of_put(work), block->first + block->count - first);
    const enum status status =
        image_writer_rows(work->writer, first, count, &block->rows, first - block->top, error);

    add_time_since(&worker->mark, &worker->times.write);
    return status;
}

static enum status do_task(void *context, int thread, int64_t task, struct error *error)
{
    const struct work *work = context;
    struct worker *worker = &work->workers[thread];

    worker->mark = clock_seconds();
    return task < work->puts ? put(work, worker, task, error)
                             : fill(work, worker, task - work->puts, error);
}

/* Describes in *block the one after *last (NULL: the first). Returns block, or NULL if there is
 * none. */
static struct block *next_block(const struct work *work, const struct block *last,
                                struct block *block)
{
    block->first = last ? last->first + last->count : 0;
    if (block->first >= work->shape.width)
        return NULL;
    block->count = min(work->plan->columns, work->shape.width - block->first);
    block->top = max(block->first - work->plan->requirements.context_rows, 0);
    return block;
}

/* Each round writes the block that the previous round has filled, and fills the next one. */
static enum status do_rounds(struct work *work, struct error *error)
{
    const int64_t chunks = (work->shape.height - 1) / work->plan->chunk_rows + 1;
    enum status status;
    int turn = 0;

    do {
        work->full = work->empty;
        work->empty = next_block(work, work->full, &work->pair[turn]);
        turn ^= 1;
        work->puts = work->full ? (work->full->count - 1) / rows_of_put(work) + 1 : 0;
        status = work_queue_run(work->plan->threads, work->puts + (work->empty ? chunks : 0),
                                do_task, work, error);
    } while (work->empty && status == STATUS_OK);
    return status;
}

static void free_memory(struct work *work)
{
    for (int i = 0; work->workers && i < work->plan->threads; i++)
        image_free(&work->workers[i].chunk);
    free(work->workers);
    image_free(&work->pair[0].rows);
    image_free(&work->pair[1].rows);
}

static enum status get_memory(struct work *work, struct error *error)
{
    const struct column_block_plan *plan = work->plan;
    struct shape rows = plan->turned, chunk = work->shape;
    enum status status = STATUS_OK;

    rows.height = min(plan->columns + plan->requirements.context_rows, work->shape.width);
    chunk.width = rows.height;
    chunk.height = min(plan->chunk_rows, chunk.height);
    work->workers = calloc((size_t)work->plan->threads, sizeof *work->workers);
    if (!work->workers)
        return fail(error, STATUS_INPUT, "no memory for %d threads", work->plan->threads);
    for (int i = 0; i < work->plan->threads && status == STATUS_OK; i++)
        status = image_alloc(&work->workers[i].chunk, &chunk, 0, error);
    for (int i = 0; i < 2 && status == STATUS_OK; i++)
        status = image_alloc(&work->pair[i].rows, &rows, 0, error);
    return status;
}

/* Adds the threads' times, scaled so that their sum is the time that has passed: the threads' waits
 * for each other are shared out among the stages. */
static void add_times(struct bands_times *times, const struct work *work, double passed)
{
    double sum = 0;

    for (int i = 0; work->workers && i < work->plan->threads; i++) {
        const struct bands_times *spent = &work->workers[i].times;

        sum += spent->read + spent->ops[0].compute + spent->write;
    }
    for (int i = 0; sum > 0 && i < work->plan->threads; i++)
        bands_times_add(times, &work->workers[i].times, passed / sum);
}

static enum status run_work(struct work *work, struct bands_times *times, struct error *error)
{
    const double start = clock_seconds();
    struct error why;
    enum status status = get_memory(work, &why);

    if (status == STATUS_OK)
        status = do_rounds(work, error);
    else
        status = fail(error, status, "%s: %s", work->reader->name, why.text);
    add_times(times, work, clock_seconds() - start);
    free_memory(work);
    times->ops[0].variant = times->ops[0].engine = work->blocks->variant;
    return status;
}

enum status column_blocks_run(const struct column_blocks *blocks,
                              const struct column_block_plan *plan, struct image_reader *reader,
                              struct image_writer *writer, const struct image *header,
                              struct bands_times *times, struct error *error)
{
    struct work work = {.blocks = blocks,
                        .reader = reader,
                        .writer = writer,
                        .shape = image_shape(header),
                        .plan = plan};
    struct image turned;
    enum status status;

    image_describe(&turned, &plan->turned);
    image_copy_kind(&turned, header);
    image_note_op(&turned, OP_TRANSPOSE, 0);
    status = image_writer_begin(writer, &turned, error);
    if (status == STATUS_OK)
        status = run_work(&work, times, error);
    if (status == STATUS_INPUT)
        status = image_reader_first_fault(reader, &work.shape, error);
    if (status == STATUS_OK)
        status = image_reader_finish(reader, error);
    if (status == STATUS_OK)
        status = image_writer_end(writer, error);
    image_writer_discard(writer);
    return status;
}
