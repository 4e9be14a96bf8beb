/* SPDX-License-Identifier: MIT */
#include "bands.h"

#include "band_plan.h"
#include "band_rows.h"
#include "clock.h"
#include "numbers.h"
#include "parallel.h"
#include "run.h"

/* What the threads share. */
struct work {
    const struct bands *bands;
    struct band_rows *rows;
    struct sink *sink;
    struct shape shape;
    struct band_plan plan;

    pthread_mutex_t mutex; /* over what follows */
    int64_t next;          /* the row at which the next band begins */
    enum status status;    /* of the first failure: there are no further bands then */
    struct error error;
    struct bands_times times;
};

/* One thread's memory. Row y of the result is row y - first of dst, of the source row y - from of
 * src. */
struct worker {
    struct work *work;
    int lane;
    struct image src, dst;
    int64_t band;        /* its first row */
    int64_t first, last; /* the band and the sink's lead above it */
    int64_t from;        /* the row of the source that comes first: as many as there are in dst */
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
    };

    job.src.height = job.dst.height = worker->last - worker->first;
    if (!bands_on_gpu(bands))
        return run_job(bands->variant, &job, NULL, error);
    status = bands->lanes->run(bands->lanes->context, worker->lane, &job, &times, error);
    if (status == STATUS_OK)
        gpu_times_add(&worker->times.gpu, times);
    return status;
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
    status = sink_rows(work->sink, worker->band, worker->last - worker->band, &worker->dst,
                       worker->band - worker->first, error);
    lap(worker, &worker->times.write);
    return status;
}

/* The next band, if there is one to do. */
static bool choose_band(struct worker *worker)
{
    struct work *work = worker->work;
    bool taken;

    pthread_mutex_lock(&work->mutex);
    taken = work->status == STATUS_OK && work->next < work->shape.height;
    worker->band = work->next;
    worker->first = most(work->next - work->sink->lead, 0);
    worker->last = least(work->next + work->plan.rows, work->shape.height);
    worker->from =
        work->bands->variant->op == OP_REVERSE ? work->shape.height - worker->last : worker->first;
    if (taken)
        work->next = worker->last;
    pthread_mutex_unlock(&work->mutex);
    return taken;
}

/* Chooses the next band and reads it. False if there is none, or on failure. */
static bool take_band(struct worker *worker, enum status *status, struct error *error)
{
    const struct work *work = worker->work;
    bool taken;

    band_rows_enter(work->rows);
    taken = choose_band(worker);
    if (taken)
        *status = band_rows_fetch(work->rows, work->bands->edge, worker->from,
                                  worker->last - worker->first, &worker->src, error);
    band_rows_leave(work->rows);
    lap(worker, &worker->times.read);
    return taken && *status == STATUS_OK;
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
    pthread_mutex_unlock(&work->mutex);
}

/* In memory that the GPU reaches by itself, if there is a GPU, and it has any to give. */
static enum status make_image(struct image *image, const struct shape *shape, int64_t halo,
                              struct gpu *gpu, int which, struct error *error)
{
    int64_t bytes;
    void *memory;

    if (!gpu || image_measure(shape, halo, &bytes, error) != STATUS_OK ||
        gpu_host_memory(gpu, which, bytes, &memory, error) != STATUS_OK)
        return image_alloc(image, shape, halo, error);
    image_place(image, shape, halo, memory);
    return STATUS_OK;
}

/* The thread's GPU and memory. */
static enum status equip(struct worker *worker, struct error *error)
{
    const struct work *work = worker->work;
    const struct bands *bands = work->bands;
    struct shape shape = work->shape;
    struct gpu *gpu = NULL;
    enum status status = STATUS_OK;

    shape.height = work->plan.rows + work->sink->lead;
    if (bands_on_gpu(bands))
        status = bands->lanes->open(bands->lanes->context, worker->lane, &gpu, error);
    if (status == STATUS_OK)
        status = make_image(&worker->src, &shape, bands->halo, gpu, 0, error);
    if (status == STATUS_OK)
        status = make_image(&worker->dst, &shape, 0, gpu, 1, error);
    lap(worker, &worker->times.compute);
    return status;
}

/* A thread's life. */
static void do_bands(const void *context, int index, int64_t first, int64_t last)
{
    struct worker worker = {
        .work = *(struct work *const *)context, .lane = index, .mark = clock_seconds()};
    struct error error;
    enum status status = equip(&worker, &error);

    (void)first, (void)last;
    if (status == STATUS_DEVICE && index > 0)
        status = STATUS_OK; /* a lane that cannot be had leaves its bands to the others */
    else
        while (status == STATUS_OK && take_band(&worker, &status, &error))
            status = do_band(&worker, &error);
    note(&worker, status, &error);
    image_free(&worker.src);
    image_free(&worker.dst);
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
}

static enum status run_threads(struct work *work, struct source *source, const struct image *about,
                               struct bands_times *times, struct error *error)
{
    const int threads = work->plan.threads;
    struct band_rows rows;
    const enum status status = band_rows_open(&rows, source, about, work->plan.keep, error);

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

enum status bands_run(const struct bands *bands, struct source *source, struct sink *sink,
                      const struct image *about, struct bands_times *times, struct error *error)
{
    struct work work = {.bands = bands,
                        .sink = sink,
                        .shape = image_shape(about),
                        .mutex = PTHREAD_MUTEX_INITIALIZER};
    struct image result = *about;
    enum status status;

    image_note_op(&result, bands->variant->op, bands->halo);
    status = sink_begin(sink, &result, error);
    if (status == STATUS_OK) {
        work.plan = band_plan_make(bands, source, sink, about);
        status = run_threads(&work, source, about, times, error);
    }
    if (status == STATUS_INPUT && source->order == ROWS_IN_ANY_ORDER)
        status = source_first_fault(source, &work.shape, error);
    if (status == STATUS_OK)
        status = source_finish(source, error);
    if (status == STATUS_OK)
        status = sink_end(sink, error);
    sink_discard(sink);
    return status;
}
