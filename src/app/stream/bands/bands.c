/* SPDX-License-Identifier: MIT */
#include "src/app/stream/bands/bands.h"

#include "kernels/common/numbers.h"
#include "src/app/stream/bands/rows.h"
#include "src/lib/base/clock.h"
#include "src/lib/base/work_queue.h"
#include "src/lib/image/halo.h"

#include <stdlib.h>
#include <string.h>

/* One thread, and its band. Row y of the result is row y - first of dst; row y of the source is row
 * y - from of src. */
struct worker {
    struct session *session;       /* that computes it; NULL: the thread does */
    struct image src, dst;         /* in the GPU's host memory, or the same as: */
    struct image own_src, own_dst; /* in the thread's memory; allocated when first needed */
    int64_t first, last;           /* the band is rows first..last-1 of the result */
    struct piece piece;            /* these rows */
    int64_t from;                  /* the first row of its source */
    struct engine_plan plan;       /* on a GPU, if it is: */
    bool planned;
    struct bands_times times;
    double mark; /* of add_time_since */
};

/* What the threads share. */
struct work {
    const struct bands *bands;
    const struct band_plan *plan;
    struct band_rows rows;
    struct image_writer *writer;
    struct shape shape;        /* of the source; of the result but for the samples: */
    uint32_t maxval;           /* of the result */
    struct piece piece;        /* a band of the greatest height */
    struct engine_plan shared; /* plan of the piece on the processor */
    struct worker *workers;    /* one for each thread */
};

/* Makes *image for a band: in the GPU's host memory (gpu_host_memory) if there is a GPU and it has
 * that memory; else in the thread's own memory, *own, which is allocated once. */
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

/* Makes the images of a band, as high as the highest. */
static enum status place_band(const struct work *work, struct worker *worker, struct error *error)
{
    const struct job *job = &work->piece.job;
    struct gpu *gpu = worker->session ? worker->session->gpu : NULL;
    struct shape from = work->shape, to = work->shape;
    enum status status;

    from.height = job->src.height;
    to.maxval = work->maxval;
    to.height = job->dst.height;
    status = place_image(&worker->src, &worker->own_src, &from, job->halo, gpu, 0, error);
    if (status == STATUS_OK)
        status = place_image(&worker->dst, &worker->own_dst, &to, 0, gpu, 1, error);
    return status;
}

/* The view is the first rows of the image, as many as it has. */
static void use_rows(struct view *view, const struct image *image)
{
    const int64_t height = view->height;

    *view = image->view;
    view->height = height;
}

/* Plans the work for the GPU, once for all bands of the thread. */
static void plan_on_gpu(const struct work *work, struct worker *worker)
{
    struct error unused;

    if (worker->planned)
        return;
    worker->planned = true;
    dispatcher_plan(work->bands->dispatcher, worker->session, &worker->piece, &worker->plan,
                    &unused);
}

static void choose_rows(const struct work *work, struct worker *worker, int64_t band)
{
    worker->first = band * work->plan->rows;
    worker->last = min(worker->first + work->plan->rows, work->shape.height);
    worker->from = work->bands->operations.ops[0] == OP_REVERSE ? work->shape.height - worker->last
                                                                : worker->first;
    worker->piece.job.src.height = worker->piece.job.dst.height = worker->last - worker->first;
}

/* Chooses who computes the band (dispatcher_take), and reads it. */
static enum status read_band(struct work *work, struct worker *worker, int64_t band,
                             struct error *error)
{
    const struct job *job = &worker->piece.job;
    enum status status;

    worker->mark = clock_seconds();
    band_rows_enter(&work->rows, band);
    add_time_since(&worker->mark, &worker->times.read);
    status = dispatcher_take(work->bands->dispatcher, &worker->session, error);
    if (worker->session)
        plan_on_gpu(work, worker);
    choose_rows(work, worker, band);
    if (status == STATUS_OK)
        status = place_band(work, worker, error);
    add_time_since(&worker->mark, &worker->times.ops[0].compute);
    if (status == STATUS_OK)
        status = band_rows_fetch(&work->rows, operations_edge(&work->bands->operations),
                                 job->halo_y, worker->from, job->src.height, &worker->src, error);
    band_rows_leave(&work->rows);
    add_time_since(&worker->mark, &worker->times.read);
    return status;
}

static enum status compute_band(const struct work *work, struct worker *worker, struct error *error)
{
    struct job *job = &worker->piece.job;
    double seconds = 0;
    enum status status;

    use_rows(&job->src, &worker->src);
    use_rows(&job->dst, &worker->dst);
    halo_fill_ends(&worker->src, operations_edge(&work->bands->operations), job->halo_x,
                   -job->halo_y, job->src.height + job->halo_y);
    add_time_since(&worker->mark, &worker->times.halo);
    status = dispatcher_run(work->bands->dispatcher, worker->session, &worker->piece, error);
    add_time_since(&worker->mark, &seconds);
    if (status == STATUS_OK)
        bands_times_add_piece(&worker->times, &worker->piece, seconds);
    return status;
}

/* Takes one band from the reader to the writer, as a work_piece. */
static enum status do_band(void *context, int thread, int64_t band, struct error *error)
{
    struct work *work = context;
    struct worker *worker = &work->workers[thread];
    enum status status = read_band(work, worker, band, error);

    if (status == STATUS_OK)
        status = compute_band(work, worker, error);
    if (status == STATUS_OK)
        status = image_writer_rows(work->writer, worker->first, worker->last - worker->first,
                                   &worker->dst, 0, error);
    add_time_since(&worker->mark, &worker->times.write);
    dispatcher_give(work->bands->dispatcher, worker->session);
    return status;
}

static enum status open_workers(struct work *work, struct error *error)
{
    const int threads = work->plan->threads;
    const size_t bytes = (size_t)threads * sizeof *work->workers;

    work->workers = aligned_alloc(_Alignof(struct worker), bytes);
    if (!work->workers)
        return fail(error, STATUS_INPUT, "no memory for %d threads", threads);
    memset(work->workers, 0, bytes);
    for (int i = 0; i < threads; i++)
        work->workers[i].piece = work->piece;
    return STATUS_OK;
}

/* Adds the mean of the threads' times. */
static void close_workers(struct work *work, struct bands_times *times)
{
    for (int i = 0; work->workers && i < work->plan->threads; i++) {
        struct worker *worker = &work->workers[i];

        bands_times_add(times, &worker->times, 1.0 / work->plan->threads);
        image_free(&worker->own_src);
        image_free(&worker->own_dst);
    }
    free(work->workers);
}

static enum status run_workers(struct work *work, struct image_reader *reader,
                               const struct image *header, struct bands_times *times,
                               struct error *error)
{
    const int64_t bands = (work->shape.height - 1) / work->plan->rows + 1;
    enum status status = band_rows_open(&work->rows, reader, header, work->plan->keep, error);

    if (status != STATUS_OK)
        return status;
    if (!dispatcher_uses_gpu(work->bands->dispatcher))
        status = dispatcher_plan(work->bands->dispatcher, NULL, &work->piece, &work->shared, error);
    if (status == STATUS_OK)
        status = open_workers(work, error);
    if (status == STATUS_OK)
        status = work_queue_run(work->plan->threads, bands, do_band, work, error);
    close_workers(work, times);
    band_rows_close(&work->rows);
    return status;
}

enum status bands_run(const struct bands *bands, const struct band_plan *plan,
                      struct image_reader *reader, struct image_writer *writer,
                      const struct image *header, struct bands_times *times, struct error *error)
{
    struct work work = {.bands = bands,
                        .plan = plan,
                        .writer = writer,
                        .shape = image_shape(header),
                        .piece = plan->piece};
    const struct image result = operations_result(&bands->operations, header);
    enum status status;

    work.maxval = result.maxval;
    status = image_writer_begin(writer, &result, error);
    if (status == STATUS_OK)
        status = run_workers(&work, reader, header, times, error);
    if (status == STATUS_INPUT && reader->order == ROWS_IN_ANY_ORDER)
        status = image_reader_first_fault(reader, &work.shape, error);
    if (status == STATUS_OK)
        status = image_reader_finish(reader, error);
    if (status == STATUS_OK)
        status = image_writer_end(writer, error);
    image_writer_discard(writer);
    return status;
}
