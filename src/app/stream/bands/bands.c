/* SPDX-License-Identifier: MIT */
#include "src/app/stream/bands/worker.h"

#include "src/lib/base/clock.h"
#include "kernels/common/numbers.h"
#include "kernels/common/parallel.h"

/* Chooses the rows of the next band. False if none is left, or after a failure. */
static bool choose_band(struct worker *worker)
{
    struct work *work = worker->work;
    bool chosen;

    pthread_mutex_lock(&work->mutex);
    chosen = work->status == STATUS_OK && work->next < work->shape.height;
    worker->band = work->next;
    worker->first = max(work->next - work->writer->context_rows, 0);
    worker->last = min(work->next + work->plan->rows, work->shape.height);
    if (chosen)
        work->next = worker->last;
    pthread_mutex_unlock(&work->mutex);
    if (chosen)
        worker->from = chain_take_rows(&work->bands->operations, work->shape.height, worker->first,
                                       worker->last, &worker->chain);
    return chosen;
}

/* Chooses who computes the next band (dispatcher_take), chooses the band, and reads it. False if
 * there is none, or on failure. */
static bool take_band(struct worker *worker, enum status *status, struct error *error)
{
    struct work *work = worker->work;
    bool taken = false;

    band_rows_enter(work->rows);
    lap(&worker->mark, &worker->times.read);
    *status = dispatcher_take(work->bands->dispatcher, &worker->executor, error);
    lap(&worker->mark, &worker->times.ops[0].compute);
    if (*status == STATUS_OK && choose_band(worker)) {
        *status = worker_read_band(worker, error);
        taken = *status == STATUS_OK;
    }
    band_rows_leave(work->rows);
    return taken;
}

/* Adds a thread's times, and its failure, to what the threads share. */
static void note(struct worker *worker, enum status status, const struct error *error)
{
    struct work *work = worker->work;

    pthread_mutex_lock(&work->mutex);
    if (status != STATUS_OK && work->status == STATUS_OK) {
        work->status = status;
        work->error = *error;
    }
    bands_times_add(work->times, &worker->times, 1.0 / work->plan->threads);
    pthread_mutex_unlock(&work->mutex);
}

/* Takes one band from the reader to the writer. False if there is none, or on failure. */
static bool pass_band(struct worker *worker, enum status *status, struct error *error)
{
    const bool taken = take_band(worker, status, error);

    if (taken)
        *status = worker_finish_band(worker, error);
    dispatcher_give(worker->work->bands->dispatcher, &worker->executor);
    return taken && *status == STATUS_OK;
}

/* The work of one thread, as a parallel_work: takes bands as long as there are any. */
static void do_bands(const void *context, int index, int64_t first, int64_t last)
{
    struct work *work = *(struct work *const *)context;
    struct worker worker = {.work = work, .chain = work->chain, .mark = clock_seconds()};
    enum status status = STATUS_OK;
    struct error error;

    (void)index, (void)first, (void)last;
    while (pass_band(&worker, &status, &error))
        continue;
    note(&worker, status, &error);
    image_free(&worker.own_src);
    image_free(&worker.own_dst);
}

/* Makes the chain, and plans the operations of the processor, for bands of the greatest height. */
static enum status plan_chain(struct work *work, struct error *error)
{
    const struct operations *operations = &work->bands->operations;
    const int64_t height = work->shape.height;
    struct chain *chain = &work->chain;
    enum status status = STATUS_OK;

    chain_make(operations, &work->shape, chain);
    chain_take_rows(operations, height, 0,
                    min(work->plan->rows + work->writer->context_rows, height), chain);
    for (int i = 0; i < chain->count && status == STATUS_OK; i++) {
        const struct variant *variant = dispatcher_variant(work->bands->dispatcher, i);
        struct job *job = &chain->steps[i].job;

        if (variant->backend == ON_GPU)
            continue;
        status = engine_plan_make(variant, job, &work->plans[i], error);
        if (status == STATUS_OK)
            *job = engine_plan_job(&work->plans[i], job);
    }
    return status;
}

static enum status run_threads(struct work *work, struct image_reader *reader,
                               const struct image *header, struct error *error)
{
    const int threads = work->plan->threads;
    struct band_rows rows;
    enum status status = plan_chain(work, error);

    if (status == STATUS_OK)
        status = band_rows_open(&rows, reader, header, work->plan->keep, error);
    if (status != STATUS_OK)
        return status;
    work->rows = &rows;
    parallel_rows(threads, threads, do_bands, &work);
    band_rows_close(&rows);
    if (work->status != STATUS_OK)
        *error = work->error;
    return work->status;
}

enum status bands_run(const struct bands *bands, const struct band_plan *plan,
                      struct image_reader *reader, struct image_writer *writer,
                      const struct image *header, struct bands_times *times, struct error *error)
{
    struct work work = {.bands = bands,
                        .plan = plan,
                        .writer = writer,
                        .shape = image_shape(header),
                        .mutex = PTHREAD_MUTEX_INITIALIZER,
                        .times = times};
    struct image result = *header;
    enum status status;

    for (int i = 0; i < bands->operations.count; i++)
        image_note_op(&result, (enum op)bands->operations.ops[i],
                      chain_halo(&bands->operations, i));
    status = image_writer_begin(writer, &result, error);
    if (status == STATUS_OK)
        status = run_threads(&work, reader, header, error);
    if (status == STATUS_INPUT && reader->order == ROWS_IN_ANY_ORDER)
        status = image_reader_first_fault(reader, &work.shape, error);
    if (status == STATUS_OK)
        status = image_reader_finish(reader, error);
    if (status == STATUS_OK)
        status = image_writer_end(writer, error);
    image_writer_discard(writer);
    return status;
}
