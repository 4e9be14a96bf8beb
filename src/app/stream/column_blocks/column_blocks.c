/* SPDX-License-Identifier: MIT */
#include "strips.h"

#include "clock.h"
#include "numbers.h"
#include "parallel.h"
#include "run.h"
#include "strip_plan.h"

#include <pthread.h>
#include <stdlib.h>

/* Of a strip, source columns top..first+count-1, the source rows row..row+height-1, as rows 0.. of
 * `rows`: those from column `first` on are the strip, those above them the sink's lead. */
struct part {
    struct image rows;
    int64_t top, first, count;
    int64_t row, height;
};

/* What the threads share. In each round they write one part and fill the other: what is to be
 * written comes first. */
struct work {
    const struct strips *strips;
    const struct source *source;
    struct sink *sink;
    struct shape shape;
    struct strip_plan plan;
    struct part both[2];
    struct image *chunks;      /* one for each thread */
    struct part *full, *empty; /* NULL: none */
    int64_t puts, fills;       /* tasks of the round */

    pthread_mutex_t mutex; /* over what follows */
    int64_t next;          /* task */
    enum status status;    /* of the first failure: there are no further tasks then */
    struct error error;
    struct bands_times times; /* sums of the threads' */
};

/* A thread in a round. */
struct worker {
    struct work *work;
    struct image chunk;
    struct bands_times times;
    double mark;
};

static void lap(struct worker *worker, double *stage)
{
    const double now = clock_seconds();

    *stage += now - worker->mark;
    worker->mark = now;
}

/* Some rows of the source become as many columns of the part. */
static enum status fill(struct worker *worker, int64_t index, struct error *error)
{
    const struct work *work = worker->work;
    const struct part *part = work->empty;
    const int64_t done = index * work->plan.chunk_rows;
    const int64_t count = least(work->plan.chunk_rows, part->height - done);
    struct job job = {.maxval = work->shape.maxval, .threads = 1};
    enum status status;

    worker->chunk.view.width = part->first + part->count - part->top;
    worker->chunk.view.height = count;
    status = source_read_columns(work->source, part->row + done, count, part->top, &worker->chunk,
                                 0, error);
    lap(worker, &worker->times.read);
    if (status != STATUS_OK)
        return status;
    job.src = worker->chunk.view;
    job.dst = part->rows.view;
    job.dst.origin = (char *)job.dst.origin + done * pixel_bytes(&work->shape);
    job.dst.width = count;
    job.dst.height = job.src.width;
    status = run_job(work->strips->variant, &job, NULL, error);
    lap(worker, &worker->times.compute);
    return status;
}

/* A unit, or, if the sink only writes what it gets, all of the part: threads would wait for each
 * other. */
static int64_t rows_of_put(const struct work *work)
{
    return work->plan.wants.lead > 0 ? work->plan.wants.unit : work->plan.columns;
}

static enum status put(struct worker *worker, int64_t index, struct error *error)
{
    const struct work *work = worker->work;
    const struct part *part = work->full;
    const int64_t first = part->first + index * rows_of_put(work);
    const int64_t count = least(rows_of_put(work), part->first + part->count - first);
    const enum status status =
        part->height == work->shape.height
            ? sink_rows(work->sink, first, count, &part->rows, first - part->top, error)
            : sink_put_columns(work->sink, first, count, part->row, &part->rows, first - part->top,
                               error);

    lap(worker, &worker->times.write);
    return status;
}

/* Takes a task, after having told how the one before it went. */
static bool take_task(struct work *work, enum status status, const struct error *error,
                      int64_t *task)
{
    bool taken;

    pthread_mutex_lock(&work->mutex);
    if (status != STATUS_OK && work->status == STATUS_OK) {
        work->status = status;
        work->error = *error;
    }
    *task = work->next;
    taken = *task < work->puts + work->fills && work->status == STATUS_OK;
    work->next += taken;
    pthread_mutex_unlock(&work->mutex);
    return taken;
}

static void do_tasks(const void *context, int index, int64_t first, int64_t last)
{
    struct work *work = *(struct work *const *)context;
    struct worker worker = {.work = work, .chunk = work->chunks[index], .mark = clock_seconds()};
    enum status status = STATUS_OK;
    struct error error;
    int64_t task;

    (void)first, (void)last;
    while (take_task(work, status, &error, &task))
        status = task < work->puts ? put(&worker, task, &error)
                                   : fill(&worker, task - work->puts, &error);
    pthread_mutex_lock(&work->mutex);
    work->times.read += worker.times.read;
    work->times.compute += worker.times.compute;
    work->times.write += worker.times.write;
    pthread_mutex_unlock(&work->mutex);
}

/* The part behind another one, down the strip and then in the next strip, into memory that is free.
 * NULL: there is none. */
static struct part *next_part(const struct work *work, const struct part *last, struct part *part)
{
    const bool below = last && last->row + last->height < work->shape.height;

    part->first = below ? last->first : last ? last->first + last->count : 0;
    part->row = below ? last->row + last->height : 0;
    if (part->first >= work->shape.width)
        return NULL;
    part->count = least(work->plan.columns, work->shape.width - part->first);
    part->top = most(part->first - work->plan.wants.lead, 0);
    part->height = least(work->plan.rows, work->shape.height - part->row);
    part->rows.view.width = part->height;
    return part;
}

/* Each round: the part that the round before has filled is written, and the next is filled. */
static void do_rounds(struct work *work)
{
    int turn = 0;

    do {
        work->full = work->empty;
        work->empty = next_part(work, work->full, &work->both[turn]);
        turn ^= 1;
        work->puts = work->full ? (work->full->count - 1) / rows_of_put(work) + 1 : 0;
        work->fills = work->empty ? (work->empty->height - 1) / work->plan.chunk_rows + 1 : 0;
        work->next = 0;
        parallel_rows(work->plan.threads, work->puts + work->fills, do_tasks, &work);
    } while (work->empty && work->status == STATUS_OK);
}

static void free_memory(struct work *work)
{
    for (int i = 0; work->chunks && i < work->plan.threads; i++)
        image_free(&work->chunks[i]);
    free(work->chunks);
    image_free(&work->both[0].rows);
    image_free(&work->both[1].rows);
}

static enum status get_memory(struct work *work, struct error *error)
{
    const struct strip_plan *plan = &work->plan;
    struct shape rows = plan->turned, chunk = work->shape;
    enum status status = STATUS_OK;

    rows.width = plan->rows;
    rows.height = least(plan->columns + plan->wants.lead, work->shape.width);
    chunk.width = rows.height;
    chunk.height = least(plan->chunk_rows, chunk.height);
    work->chunks = calloc((size_t)work->plan.threads, sizeof *work->chunks);
    if (!work->chunks)
        return fail(error, STATUS_INPUT, "no memory for %d threads", work->plan.threads);
    for (int i = 0; i < work->plan.threads && status == STATUS_OK; i++)
        status = image_alloc(&work->chunks[i], &chunk, 0, error);
    for (int i = 0; i < 2 && status == STATUS_OK; i++)
        status = image_alloc(&work->both[i].rows, &rows, 0, error);
    return status;
}

/* The threads' times, with what they have waited for each other, so that their sum is the time that
 * has passed. */
static void add_times(struct bands_times *times, const struct bands_times *sums, double passed)
{
    const double sum = sums->read + sums->compute + sums->write;
    const double scale = sum > 0 ? passed / sum : 0;

    times->read += scale * sums->read;
    times->compute += scale * sums->compute;
    times->write += scale * sums->write;
}

static enum status run_work(struct work *work, struct bands_times *times, struct error *error)
{
    const double start = clock_seconds();
    struct error why;
    enum status status = get_memory(work, &why);

    if (status == STATUS_OK) {
        do_rounds(work);
        status = work->status;
        *error = work->error;
    } else {
        status = fail(error, status, "%s: %s", work->source->name, why.text);
    }
    free_memory(work);
    add_times(times, &work->times, clock_seconds() - start);
    return status;
}

enum status strips_run(const struct strips *strips, struct source *source, struct sink *sink,
                       const struct image *about, struct bands_times *times, struct error *error)
{
    struct work work = {.strips = strips,
                        .source = source,
                        .sink = sink,
                        .shape = image_shape(about),
                        .plan = strip_plan_make(strips, sink, about),
                        .mutex = PTHREAD_MUTEX_INITIALIZER};
    struct image turned;
    enum status status;

    image_describe(&turned, &work.plan.turned);
    image_copy_kind(&turned, about);
    image_note_op(&turned, OP_TRANSPOSE, 0);
    status = sink_begin(sink, &turned, error);
    if (status == STATUS_OK)
        status = run_work(&work, times, error);
    if (status == STATUS_INPUT)
        status = source_first_fault(source, &work.shape, error);
    if (status == STATUS_OK)
        status = source_finish(source, error);
    if (status == STATUS_OK)
        status = sink_end(sink, error);
    sink_discard(sink);
    return status;
}
