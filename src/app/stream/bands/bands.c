/* SPDX-License-Identifier: MIT */
/* The threads that read, compute and write the bands of an image. A passage (passage.h) is the
 * state of one image on its way from the reader to the writer. */
#include "src/app/stream/bands/bands.h"

#include "kernels/common/numbers.h"
#include "src/app/stream/bands/rows.h"
#include "src/lib/base/clock.h"
#include "src/lib/base/work_queue.h"

#include <stdlib.h>
#include <string.h>

/* Names the files whose rows can be read in any order, for messages. */
#define RAW_FILE "an uncompressed file (NPY, TIFF in strips, raw PGM, PPM or PAM)"

/* The state of a thread. Its current band is rows first..last-1 of the result; dst holds only these
 * rows. */
struct worker {
    /* A GPU context is lent for one band, a CPU context for all bands of the thread. */
    struct smoothimg_context *context;
    /* The images that the band uses: in the context's pinned memory if it has some, else own_src
     * and own_dst. */
    struct image src, dst;
    struct image own_src, own_dst; /* images in the thread's memory, allocated when first needed */
    int64_t first, last;
    int64_t from, to; /* src holds rows from..to-1 of the source */
    struct stage_times times;
    double mark; /* when the current stage began, for add_time_since */
};

/* The state of bands_run, which all threads share. */
struct work {
    const struct passage *passage;
    const struct band_plan *plan;
    struct band_rows rows;
    struct shape shape;     /* of the whole image */
    struct shape from, to;  /* shapes of the source and the result of the band with the most rows */
    struct worker *workers; /* one for each thread */
};

/* Sets *image up for a band: in the context's pinned memory if it has some, else in the thread's
 * memory, *own, which is allocated once. */
static enum status place_image(struct image *image, struct image *own, const struct shape *shape,
                               struct smoothimg_context *context, int number, struct error *error)
{
    void *const memory = study_pinned(context, number, image_needs(shape));

    if (memory) {
        image_place(image, shape, memory);
        return STATUS_OK;
    }
    if (!own->memory && image_alloc(own, shape, error) != STATUS_OK)
        return error->status;
    *image = *own;
    return STATUS_OK;
}

/* Chooses the source rows: the band's own, and as many above and below as the filter reaches,
 * clipped to the image. With --edge wrap the rows continue at the other end of the image. For --op
 * reverse the source rows are as far from the image's end as the band is from its beginning. */
static void choose_rows(const struct work *work, struct worker *worker, int64_t band)
{
    const struct operations *operations = &work->passage->operations;
    const int64_t reach = operations_reach(operations), height = work->shape.height;

    worker->first = band * work->plan->rows;
    worker->last = min(worker->first + work->plan->rows, height);
    worker->from = worker->first - reach;
    worker->to = worker->last + reach;
    if (operations->work->ops[0] == OPERATION_REVERSE) {
        worker->from = height - worker->last;
        worker->to = height - worker->first;
    } else if (operations->work->filter.edge != EDGE_WRAP) {
        worker->from = max(worker->from, 0);
        worker->to = min(worker->to, height);
    }
}

/* Borrows a context for the band, and reads the band. */
static enum status read_band(struct work *work, struct worker *worker, int64_t band,
                             struct error *error)
{
    enum status status = STATUS_OK;

    worker->mark = clock_seconds();
    band_rows_enter(&work->rows, band);
    add_time_since(&worker->mark, &worker->times.read);
    choose_rows(work, worker, band);
    if (!worker->context)
        status = computer_lend(work->passage->operations.computer, 1, &worker->context, error);
    if (status == STATUS_OK)
        status =
            place_image(&worker->src, &worker->own_src, &work->from, worker->context, 0, error);
    if (status == STATUS_OK)
        status = place_image(&worker->dst, &worker->own_dst, &work->to, worker->context, 1, error);
    add_time_since(&worker->mark, &worker->times.ops[0].compute);
    if (status == STATUS_OK)
        status = band_rows_fetch(&work->rows, worker->from, worker->to - worker->from, &worker->src,
                                 error);
    band_rows_leave(&work->rows);
    add_time_since(&worker->mark, &worker->times.read);
    return status;
}

static enum status compute_band(const struct work *work, struct worker *worker, struct error *error)
{
    const struct operations *operations = &work->passage->operations;
    struct part part = {.src = worker->src, .dst = worker->dst, .src_pages = 1, .dst_pages = 1};
    enum status status;

    part.src.view.height = worker->to - worker->from;
    part.dst.view.height = worker->last - worker->first;
    if (operations->work->ops[0] != OPERATION_REVERSE)
        part.row = worker->first - worker->from;
    status = operations_compute(operations, 0, false, worker->context, 1, &part,
                                &worker->times.ops[0], error);
    worker->mark = clock_seconds();
    return status;
}

/* Reads, computes and writes one band; work_queue_run calls it. */
static enum status do_band(void *context, int thread, int64_t band, struct error *error)
{
    struct work *work = context;
    struct worker *worker = &work->workers[thread];
    enum status status = read_band(work, worker, band, error);

    if (status == STATUS_OK)
        status = compute_band(work, worker, error);
    if (status == STATUS_OK)
        status = image_writer_rows(work->passage->writer, worker->first,
                                   worker->last - worker->first, &worker->dst, 0, error);
    add_time_since(&worker->mark, &worker->times.write);
    if (work->passage->operations.computer->on_gpu) {
        computer_give(work->passage->operations.computer, worker->context, status);
        worker->context = NULL;
    }
    return status;
}

/* Adds the mean of the threads' times to *times, and frees the workers. */
static void close_workers(struct work *work, struct stage_times *times)
{
    for (int i = 0; i < work->plan->threads; i++) {
        struct worker *worker = &work->workers[i];

        stage_times_add(times, &worker->times, 1.0 / work->plan->threads);
        computer_give(work->passage->operations.computer, worker->context, STATUS_OK);
        image_free(&worker->own_src);
        image_free(&worker->own_dst);
    }
    free(work->workers);
}

static enum status run_workers(struct work *work, struct error *error)
{
    const struct passage *passage = work->passage;
    const int64_t bands = (work->shape.height - 1) / work->plan->rows + 1;
    enum status status =
        band_rows_open(&work->rows, passage->reader, passage->header, work->plan->keep, error);

    if (status != STATUS_OK)
        return status;
    work->workers = calloc((size_t)work->plan->threads, sizeof *work->workers);
    if (!work->workers) {
        band_rows_close(&work->rows);
        return fail(error, STATUS_INPUT, "no memory for %d threads", work->plan->threads);
    }
    status = work_queue_run(work->plan->threads, bands, do_band, work, error);
    close_workers(work, &passage->report->times);
    band_rows_close(&work->rows);
    return status;
}

static enum status run(struct work *work, struct error *error)
{
    const struct passage *passage = work->passage;
    struct image_writer *writer = passage->writer;
    enum status status = image_writer_begin(writer, &passage->result, error);

    if (status == STATUS_OK)
        status = run_workers(work, error);
    if (status == STATUS_OK)
        status = image_reader_finish(passage->reader, error);
    if (status == STATUS_OK)
        status = image_writer_end(writer, error);
    image_writer_discard(writer);
    return status;
}

enum status bands_run(const struct band_plan *plan, struct error *error)
{
    const struct passage *passage = plan->passage;
    const bool keeps_all = bands_keep_all(passage);
    struct work work = {.passage = passage,
                        .plan = plan,
                        .from = image_shape(passage->header),
                        .to = image_shape(&passage->result)};
    struct string_list less = {0};
    enum status status;

    work.shape = work.from;
    work.from.height = plan->src_rows;
    work.to.height = min(plan->rows, work.shape.height);
    if (keeps_all)
        string_list_add(&less, "from " RAW_FILE);
    else if (operations_reach(&passage->operations) > 0)
        string_list_add(&less, "with a smaller --halo");
    status = passage_take_memory(passage, plan->bytes,
                                 keeps_all ? "in bands, with all rows read first" : "in bands",
                                 &less, error);
    if (status != STATUS_OK)
        return status;
    status = run(&work, error);
    budget_give(passage->context->budget, plan->bytes);
    return status;
}
