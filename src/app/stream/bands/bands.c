/* SPDX-License-Identifier: MIT */
#include "src/app/stream/bands/bands.h"

#include "src/app/stream/bands/rows.h"
#include "src/lib/base/clock.h"
#include "kernels/common/numbers.h"
#include "kernels/common/parallel.h"

/* What the threads share. */
struct work {
    const struct bands *bands;
    const struct band_plan *plan;
    enum op op;
    struct band_rows *rows;
    struct image_writer *writer;
    struct shape shape;

    pthread_mutex_t mutex; /* over what follows */
    int64_t next;          /* the row at which the next band begins */
    enum status status;    /* of the first failure: there are no further bands then */
    struct error error;
    struct bands_times times;
};

/* One thread, and its band. Row y of the result is row y - first of dst, of the source row
 * y - from of src. */
struct worker {
    struct work *work;
    struct executor executor;
    struct image src, dst;         /* in the executor's memory, or in the thread's own: */
    struct image own_src, own_dst; /* no memory: not needed so far */
    int64_t band;                  /* its first row */
    int64_t first, last;           /* the band and the writer's context rows above it */
    int64_t from;                  /* the row of the source that comes first */
    struct bands_times times;
    double mark;
};

static void lap(struct worker *worker, double *stage)
{
    const double now = clock_seconds();

    *stage += now - worker->mark;
    worker->mark = now;
}

static enum status compute(struct worker *worker, struct error *error)
{
    const struct bands *bands = worker->work->bands;
    struct gpu_times times;
    enum status status;
    struct job job = {
        .src = worker->src.view,
        .dst = worker->dst.view,
        .maxval = worker->src.maxval,
        .weighted = bands->weighted,
        .halo = bands->halo,
        .weights = bands->weights,
        .threads = 1,
        .block = bands->block,
        .isa = bands->isa,
    };

    job.src.height = job.dst.height = worker->last - worker->first;
    status = dispatcher_run(bands->dispatcher, &worker->executor, &job, &times, error);
    if (status != STATUS_OK)
        return status;
    gpu_times_add(&worker->times.gpu, times);
    op_work_add(&worker->times.work, worker->executor.variant, 1);
    return STATUS_OK;
}

/* What is left to do with a band that has been read. */
static enum status do_band(struct worker *worker, struct error *error)
{
    const struct work *work = worker->work;
    const int64_t halo = work->bands->halo, rows = worker->last - worker->first;
    enum status status;

    halo_fill_ends(&worker->src, work->bands->edge, -halo, rows + halo);
    lap(worker, &worker->times.halo);
    status = compute(worker, error);
    lap(worker, &worker->times.compute);
    if (status != STATUS_OK)
        return status;
    status = image_writer_rows(work->writer, worker->band, worker->last - worker->band,
                               &worker->dst, worker->band - worker->first, error);
    lap(worker, &worker->times.write);
    return status;
}

/* Is there more than a last band for each thread? */
static bool has_plenty(struct work *work)
{
    bool plenty;

    pthread_mutex_lock(&work->mutex);
    plenty = work->shape.height - work->next > work->plan->threads * work->plan->rows;
    pthread_mutex_unlock(&work->mutex);
    return plenty;
}

/* The next band, if there is one to do. */
static bool choose_band(struct worker *worker)
{
    struct work *work = worker->work;
    const int64_t rows =
        round_up(max(work->plan->rows / worker->executor.part, 1), work->writer->block_rows);
    bool chosen;

    pthread_mutex_lock(&work->mutex);
    chosen = work->status == STATUS_OK && work->next < work->shape.height;
    worker->band = work->next;
    worker->first = max(work->next - work->writer->context_rows, 0);
    worker->last = min(work->next + rows, work->shape.height);
    worker->from = work->op == OP_REVERSE ? work->shape.height - worker->last : worker->first;
    if (chosen)
        work->next = worker->last;
    pthread_mutex_unlock(&work->mutex);
    return chosen;
}

/* An image for a band, in memory that the GPU reaches by itself, if there is a GPU, and it has any
 * to give; else in the thread's own. */
static enum status place_image(struct image *image, struct image *own, const struct shape *shape,
                               int64_t halo, struct gpu *gpu, int which, struct error *error)
{
    int64_t bytes;
    void *memory;
    enum status status = STATUS_OK;

    if (gpu && image_measure(shape, halo, &bytes, error) == STATUS_OK &&
        gpu_host_memory(gpu, which, bytes, &memory, error) == STATUS_OK) {
        image_place(image, shape, halo, memory);
        return STATUS_OK;
    }
    if (!own->memory)
        status = image_alloc(own, shape, halo, error);
    *image = *own;
    return status;
}

/* Reads the band into the memory of who computes it. */
static enum status fetch_band(struct worker *worker, struct error *error)
{
    const struct work *work = worker->work;
    const struct bands *bands = work->bands;
    struct gpu *gpu = worker->executor.gpu;
    struct shape shape = work->shape;
    enum status status;

    shape.height = work->plan->rows + work->writer->context_rows;
    status = place_image(&worker->src, &worker->own_src, &shape, bands->halo, gpu, 0, error);
    if (status == STATUS_OK)
        status = place_image(&worker->dst, &worker->own_dst, &shape, 0, gpu, 1, error);
    lap(worker, &worker->times.compute);
    if (status == STATUS_OK)
        status = band_rows_fetch(work->rows, bands->edge, worker->from,
                                 worker->last - worker->first, &worker->src, error);
    lap(worker, &worker->times.read);
    return status;
}

/* Chooses who computes the next band, and the band, and reads it. False if there is none, or on
 * failure. */
static bool take_band(struct worker *worker, enum status *status, struct error *error)
{
    struct work *work = worker->work;
    bool taken = false;

    band_rows_enter(work->rows);
    lap(worker, &worker->times.read);
    *status =
        dispatcher_take(work->bands->dispatcher, 0, has_plenty(work), &worker->executor, error);
    lap(worker, &worker->times.compute);
    if (*status == STATUS_OK && choose_band(worker)) {
        *status = fetch_band(worker, error);
        taken = *status == STATUS_OK;
    }
    band_rows_leave(work->rows);
    return taken;
}

/* What a thread has to say at its end. */
static void note(struct worker *worker, enum status status, const struct error *error)
{
    struct work *work = worker->work;

    pthread_mutex_lock(&work->mutex);
    if (status != STATUS_OK && work->status == STATUS_OK) {
        work->status = status;
        work->error = *error;
    }
    work->times.read += worker->times.read;
    work->times.halo += worker->times.halo;
    work->times.compute += worker->times.compute;
    work->times.write += worker->times.write;
    gpu_times_add(&work->times.gpu, worker->times.gpu);
    for (int place = ON_CPU; place <= ON_GPU; place++)
        if (worker->times.work.pieces[place] > 0)
            op_work_add(&work->times.work, worker->times.work.variants[place],
                        worker->times.work.pieces[place]);
    pthread_mutex_unlock(&work->mutex);
}

/* One band from the reader to the writer. False: there is none, or it has failed. */
static bool pass_band(struct worker *worker, enum status *status, struct error *error)
{
    const struct work *work = worker->work;
    struct dispatcher *dispatcher = work->bands->dispatcher;
    const double before = worker->times.read + worker->times.write;
    const bool taken = take_band(worker, status, error);

    if (taken)
        *status = do_band(worker, error);
    dispatcher_give(dispatcher, &worker->executor);
    if (taken && *status == STATUS_OK)
        dispatcher_note(dispatcher,
                        work->bands->input_bytes * (double)(worker->last - worker->band) /
                            (double)work->shape.height,
                        worker->times.read + worker->times.write - before);
    return taken && *status == STATUS_OK;
}

/* A thread's life. */
static void do_bands(const void *context, int index, int64_t first, int64_t last)
{
    struct worker worker = {.work = *(struct work *const *)context, .mark = clock_seconds()};
    enum status status = STATUS_OK;
    struct error error;

    (void)index, (void)first, (void)last;
    while (pass_band(&worker, &status, &error))
        continue;
    note(&worker, status, &error);
    image_free(&worker.own_src);
    image_free(&worker.own_dst);
}

static void add_means(struct bands_times *times, const struct bands_times *sums, int threads)
{
    const struct gpu_times gpu = {.upload = sums->gpu.upload / threads,
                                  .kernel = sums->gpu.kernel / threads,
                                  .download = sums->gpu.download / threads,
                                  .upload_bytes = sums->gpu.upload_bytes,
                                  .download_bytes = sums->gpu.download_bytes};

    times->read += sums->read / threads;
    times->halo += sums->halo / threads;
    times->compute += sums->compute / threads;
    times->write += sums->write / threads;
    gpu_times_add(&times->gpu, gpu);
    times->work = sums->work;
}

static enum status run_threads(struct work *work, struct image_reader *reader,
                               const struct image *header, struct bands_times *times,
                               struct error *error)
{
    const int threads = work->plan->threads;
    struct band_rows rows;
    const enum status status = band_rows_open(&rows, reader, header, work->plan->keep, error);

    if (status != STATUS_OK)
        return status;
    work->rows = &rows;
    parallel_rows(threads, threads, do_bands, &work);
    add_means(times, &work->times, threads);
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
                        .op = dispatcher_variant(bands->dispatcher, 0)->op,
                        .writer = writer,
                        .shape = image_shape(header),
                        .mutex = PTHREAD_MUTEX_INITIALIZER};
    struct image result = *header;
    enum status status;

    image_note_op(&result, work.op, bands->halo);
    status = image_writer_begin(writer, &result, error);
    if (status == STATUS_OK)
        status = run_threads(&work, reader, header, times, error);
    if (status == STATUS_INPUT && reader->order == ROWS_IN_ANY_ORDER)
        status = image_reader_first_fault(reader, &work.shape, error);
    if (status == STATUS_OK)
        status = image_reader_finish(reader, error);
    if (status == STATUS_OK)
        status = image_writer_end(writer, error);
    image_writer_discard(writer);
    return status;
}
