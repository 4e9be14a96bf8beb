/* SPDX-License-Identifier: MIT */
/* The threads that read, compute and write the bands of an image. A passage (passage.h) is the
 * state of one image on its way from the reader to the writer. */
#include "src/app/stream/bands/bands.h"

#include "kernels/common/numbers.h"
#include "kernels/common/clock.h"
#include "src/lib/base/work_queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Names the files whose rows can be read in any order, for messages. */
#define RAW_FILE "an uncompressed file (NPY, TIFF in strips, raw PGM, PPM or PAM)"

/* --- Gives several threads the rows of the source, in whatever order the reader delivers them. */

struct rows {
    struct image_reader *reader;
    int64_t height;
    bool in_any_order; /* the reader allows any order: no rows are kept, no thread waits */
    /* The rows that were read most recently: row y is row y % keep of `kept`. */
    struct image kept;
    int64_t keep; /* rows that `kept` has room for */
    int64_t rows_read;
    enum status status; /* status of the first failed read, after which nothing is read */
    struct error error; /* the error of that read */
    int64_t turn;       /* the band that may be read next */
    /* Protects this struct; held from rows_enter to rows_leave. */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

/* Unless the reader allows any order, call rows_enter before rows_fetch for a band, and rows_leave
 * after rows_fetch. Only one thread at a time is between the two calls, and the threads come in the
 * order of their bands. A band can read earlier rows only if `kept` still has them. */
static void rows_enter(struct rows *rows, int64_t band)
{
    pthread_mutex_lock(&rows->mutex);
    while (rows->turn != band)
        pthread_cond_wait(&rows->changed, &rows->mutex);
}

static void rows_leave(struct rows *rows)
{
    rows->turn++;
    pthread_cond_broadcast(&rows->changed);
    pthread_mutex_unlock(&rows->mutex);
}

/* Reads the next rows of the file into rows->kept, until rows 0..wanted-1 have been read. A reader
 * that has all rows at once (ROWS_AT_ONCE) is asked for all of them. */
static enum status read_on(struct rows *rows, int64_t wanted, struct error *error)
{
    const int64_t end = rows->reader->order == ROWS_AT_ONCE ? rows->height : wanted;

    while (rows->rows_read < wanted && rows->status == STATUS_OK) {
        const int64_t to = rows->rows_read % rows->keep, room = rows->keep - to;
        const int64_t count = min(end - rows->rows_read, room);

        rows->status =
            image_reader_read(rows->reader, rows->rows_read, count, &rows->kept, to, &rows->error);
        rows->rows_read += count;
    }
    if (rows->status != STATUS_OK)
        *error = rows->error;
    return rows->status;
}

/* Copies source rows first..first+count-1 to rows to..to+count-1 of *image. First reads the source
 * rows that have not been read yet. */
static enum status copy_rows(struct rows *rows, int64_t first, int64_t count,
                             const struct image *image, int64_t to, struct error *error)
{
    const size_t bytes = image_row_bytes(image);
    const enum status status = read_on(rows, first + count, error);

    for (int64_t i = 0; i < count && status == STATUS_OK; i++)
        memcpy(image_row(image, to + i), image_row(&rows->kept, (first + i) % rows->keep), bytes);
    return status;
}

/* Reads rows first..first+count-1 into *image, from row 0 of *image on. Row -1 stands for the last
 * row of the source, and row `height` for row 0, as --edge wrap needs them. */
static enum status rows_fetch(struct rows *rows, int64_t first, int64_t count,
                              const struct image *image, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t some;

    for (int64_t to = 0; to < count && status == STATUS_OK; to += some) {
        const int64_t y = ((first + to) % rows->height + rows->height) % rows->height;

        some = min(count - to, rows->height - y);
        status = rows->in_any_order ? image_reader_read(rows->reader, y, some, image, to, error)
                                    : copy_rows(rows, y, some, image, to, error);
    }
    return status;
}

/* --- The threads, each of which reads, computes and writes one band after the other. */

/* The state of a thread. */
struct worker {
    /* A GPU context is lent for one band, a CPU context for all bands of the thread. */
    struct smoothimg_context *context;
    /* The current band. Its images are in the context's pinned memory if it has some, else in
     * own_src and own_dst. */
    struct part part;
    int64_t first, from; /* the band's first row in the result; its first row in the source */
    struct image own_src, own_dst; /* images in the thread's memory, allocated when first needed */
    double read, write;            /* seconds */
    struct op_times times;
    double mark; /* when the current stage began, for clock_add_since */
};

/* The state of bands_run, which all threads share. */
struct work {
    const struct passage *passage;
    const struct band_plan *plan;
    struct rows rows;
    struct worker *workers; /* one for each thread */
};

/* Sets *image up for a band: in the context's pinned memory if it has some, else in the thread's
 * memory, *own, which is allocated once. */
static enum status place_image(struct image *image, struct image *own, const struct shape *shape,
                               struct smoothimg_context *context, int number, struct error *error)
{
    image->view.origin = study_pinned(context, number, image_lay_out(image, shape));
    if (image->view.origin)
        return STATUS_OK;
    if (!own->memory && image_alloc(own, shape, error) != STATUS_OK)
        return error->status;
    *image = *own;
    return STATUS_OK;
}

/* Chooses the source rows: the rows of the band itself, and as many rows above and below them as
 * the filter reaches, clipped to the image. With --edge wrap the rows continue at the other end of
 * the image. For --op reverse the source rows are as far from the image's end as the band is from
 * the beginning of the result. */
static void choose_rows(const struct work *work, struct worker *worker, int64_t band)
{
    const struct operations *operations = &work->passage->operations;
    const bool reverses = operations->work->ops[0] == OPERATION_REVERSE;
    const int64_t reach = operations->reach, height = work->rows.height;
    const int64_t first = band * work->plan->rows, last = min(first + work->plan->rows, height);
    int64_t from = reverses ? height - last : first - reach;
    int64_t to = reverses ? height - first : last + reach;

    if (operations->work->filter.edge != EDGE_WRAP) {
        from = max(from, 0);
        to = min(to, height);
    }
    worker->first = first;
    worker->from = from;
    worker->part.src.view.height = to - from;
    worker->part.dst.view.height = last - first;
    worker->part.row = reverses ? 0 : first - from;
}

/* Borrows a context for the band, and reads the band. */
static enum status read_band(struct work *work, struct worker *worker, int64_t band,
                             struct error *error)
{
    struct part *part = &worker->part;
    enum status status = STATUS_OK;

    worker->mark = clock_seconds();
    if (!work->rows.in_any_order)
        rows_enter(&work->rows, band);
    clock_add_since(&worker->mark, &worker->read);
    if (!worker->context)
        status = computer_lend(work->passage->operations.computer, 1, &worker->context, error);
    part->src_pages = part->dst_pages = 1;
    if (status == STATUS_OK)
        status =
            place_image(&part->src, &worker->own_src, &work->plan->from, worker->context, 0, error);
    if (status == STATUS_OK)
        status =
            place_image(&part->dst, &worker->own_dst, &work->plan->to, worker->context, 1, error);
    choose_rows(work, worker, band);
    clock_add_since(&worker->mark, &worker->times.compute);
    if (status == STATUS_OK)
        status = rows_fetch(&work->rows, worker->from, part->src.view.height, &part->src, error);
    if (!work->rows.in_any_order)
        rows_leave(&work->rows);
    clock_add_since(&worker->mark, &worker->read);
    return status;
}

/* Reads, computes and writes one band. Called by work_queue_run. */
static enum status do_band(void *context, int thread, int64_t band, struct error *error)
{
    struct work *work = context;
    const struct operations *operations = &work->passage->operations;
    struct worker *worker = &work->workers[thread];
    const struct part *part = &worker->part;
    enum status status = read_band(work, worker, band, error);

    if (status == STATUS_OK)
        status = operations_compute(operations, 0, false, worker->context, 1, part, &worker->times,
                                    error);
    worker->mark = clock_seconds();
    if (status == STATUS_OK)
        status = image_writer_rows(work->passage->writer, worker->first, part->dst.view.height,
                                   &part->dst, 0, error);
    clock_add_since(&worker->mark, &worker->write);
    if (operations->computer->on_gpu) {
        computer_give(operations->computer, worker->context, status);
        worker->context = NULL;
    }
    return status;
}

/* Does all bands with the planned threads, and adds the mean of their times to the report. */
static enum status run_workers(struct work *work, struct error *error)
{
    const struct passage *passage = work->passage;
    struct stage_times *times = &passage->report->times;
    const int threads = work->plan->threads;
    const int64_t bands = (work->rows.height - 1) / work->plan->rows + 1;
    struct shape kept = work->plan->from;
    struct error why;
    enum status status;

    kept.height = work->rows.keep;
    if (!work->rows.in_any_order && image_alloc(&work->rows.kept, &kept, &why) != STATUS_OK)
        return fail(error, STATUS_INPUT, "%s: %s", passage->reader->name, why.text);
    work->workers = calloc((size_t)threads, sizeof *work->workers);
    status = work->workers ? work_queue_run(threads, bands, false, do_band, work, error)
                           : fail(error, STATUS_INPUT, "no memory for %d threads", threads);
    for (int i = 0; work->workers && i < threads; i++) {
        struct worker *worker = &work->workers[i];

        op_times_add(&times->ops[0], &worker->times, 1.0 / threads);
        times->read += worker->read / threads;
        times->write += worker->write / threads;
        computer_give(passage->operations.computer, worker->context, STATUS_OK);
        image_free(&worker->own_src);
        image_free(&worker->own_dst);
    }
    free(work->workers);
    image_free(&work->rows.kept);
    return status;
}

enum status bands_run(const struct passage *passage, struct error *error)
{
    const struct band_plan plan = bands_plan(passage);
    struct work work = {.passage = passage,
                        .plan = &plan,
                        .rows = {.reader = passage->reader,
                                 .height = passage->header->view.height,
                                 .in_any_order = passage->reader->order == ROWS_IN_ANY_ORDER,
                                 .keep = plan.keep,
                                 .mutex = PTHREAD_MUTEX_INITIALIZER,
                                 .changed = PTHREAD_COND_INITIALIZER}};
    const struct string_list less = {
        .words = {plan.keeps_all ? "from " RAW_FILE : "with a smaller --halo"},
        .count = plan.keeps_all || passage->operations.reach > 0};
    enum status status = passage_take_memory(
        passage, plan.bytes, plan.keeps_all ? "in bands, with all rows read first" : "in bands",
        &less, error);

    if (status != STATUS_OK)
        return status;
    status = image_writer_begin(passage->writer, &passage->result, error);
    if (status == STATUS_OK)
        status = run_workers(&work, error);
    if (status == STATUS_OK)
        status = image_reader_finish(passage->reader, error);
    status = image_writer_end(passage->writer, status, error);
    budget_give(passage->context->budget, plan.bytes);
    return status;
}
