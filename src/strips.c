/* SPDX-License-Identifier: MIT */
#include "strips.h"

#include "clock.h"
#include "parallel.h"
#include "run.h"

#include <pthread.h>
#include <stdlib.h>

#define PIECE_BYTES 4096      /* of a row, in a strip: less would read pages of a file twice */
#define STRIP_BYTES (1 << 20) /* less is not worth the threads */
#define CHUNK_BYTES (1 << 18) /* what a thread reads at once: it stays in its cache */
#define CHUNK_ROWS 64         /* or so many rows: a cache line of the result is written whole */

/* Source columns top..first+count-1 as rows 0.. of `rows`: those from `first` on are the strip,
 * those above them the sink's lead. */
struct strip {
    struct image rows;
    int64_t top, first, count;
};

/* How the image is cut. */
struct cut {
    struct sink_wants wants;
    struct shape turned; /* the result */
    int64_t columns;     /* of a strip, without its lead */
    int64_t chunk_rows;  /* of the source */
    int64_t bytes;       /* of memory, with everything */
};

/* What the threads share. In each round they write one strip and fill the other: what is to be
 * written comes first. */
struct work {
    const struct strips *strips;
    const struct source *source;
    struct sink *sink;
    struct shape shape;
    struct cut cut;
    struct strip both[2];
    struct image *chunks;       /* one for each thread */
    struct strip *full, *empty; /* NULL: none */
    int64_t puts, fills;        /* tasks of the round */

    pthread_mutex_t mutex; /* over what follows */
    int64_t next;          /* task */
    enum status status;    /* of the first failure: there are no further tasks then */
    struct error error;
    struct bands_times times; /* sums of the threads' */
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t pixel_bytes(const struct shape *shape)
{
    return (int64_t)shape->channels * sample_bytes_of(shape->maxval);
}

static int64_t round_up(int64_t count, int64_t unit)
{
    return (count - 1 + unit) / unit * unit;
}

/* So many columns in a strip that the file's pages are not read too often, or, with an image that
 * is larger than all memory and so will be read from the disk each time, as many as fit. */
static int64_t choose_columns(const struct strips *strips, const struct cut *cut,
                              int64_t column_bytes, int64_t fixed_bytes)
{
    const struct shape *turned = &cut->turned;
    const int64_t each = 2 * column_bytes + strips->threads * CHUNK_ROWS * pixel_bytes(turned);
    const int64_t fitting = (strips->max_bytes - fixed_bytes) / each;
    int64_t columns = most(PIECE_BYTES / pixel_bytes(turned), STRIP_BYTES / column_bytes);

    if (turned->height * column_bytes > strips->max_bytes)
        columns = fitting;
    if (strips->columns > 0)
        columns = strips->columns;
    columns = round_up(most(least(columns, turned->height), 1), cut->wants.unit);
    if (columns > fitting)
        columns = most(fitting / cut->wants.unit, 1) * cut->wants.unit;
    return columns;
}

static struct cut make_cut(const struct strips *strips, const struct sink *sink,
                           const struct image *about)
{
    const struct shape shape = image_shape(about);
    struct cut cut = {.turned = {shape.height, shape.width, shape.channels, shape.maxval}};
    const int64_t column_bytes = round_up(shape.height * pixel_bytes(&shape), ROW_ALIGNMENT);
    int64_t fixed_bytes, chunk_row_bytes;
    struct image turned;

    image_describe(&turned, &cut.turned);
    cut.wants = sink_wants(sink, &turned);
    fixed_bytes =
        2 * cut.wants.lead * column_bytes + strips->threads * (CHUNK_BYTES + cut.wants.bytes);
    cut.columns = choose_columns(strips, &cut, column_bytes, fixed_bytes);
    chunk_row_bytes = round_up((cut.columns + cut.wants.lead) * pixel_bytes(&shape), ROW_ALIGNMENT);
    cut.chunk_rows = most(CHUNK_BYTES / chunk_row_bytes / CHUNK_ROWS, 1) * CHUNK_ROWS;
    cut.bytes = 2 * (cut.columns + cut.wants.lead) * column_bytes +
                strips->threads * (cut.chunk_rows * chunk_row_bytes + cut.wants.bytes);
    return cut;
}

int64_t strips_bytes(const struct strips *strips, const struct sink *sink,
                     const struct image *about)
{
    return make_cut(strips, sink, about).bytes;
}

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

/* Some rows of the source become as many columns of the strip. */
static enum status fill(struct worker *worker, int64_t index, struct error *error)
{
    const struct work *work = worker->work;
    const struct strip *strip = work->empty;
    const int64_t first = index * work->cut.chunk_rows;
    const int64_t count = least(work->cut.chunk_rows, work->shape.height - first);
    struct job job = {.maxval = work->shape.maxval, .threads = 1};
    enum status status;

    worker->chunk.view.width = strip->first + strip->count - strip->top;
    worker->chunk.view.height = count;
    status = source_read_columns(work->source, first, count, strip->top, &worker->chunk, 0, error);
    lap(worker, &worker->times.read);
    if (status != STATUS_OK)
        return status;
    job.src = worker->chunk.view;
    job.dst = strip->rows.view;
    job.dst.origin = (char *)job.dst.origin + first * pixel_bytes(&work->shape);
    job.dst.width = count;
    job.dst.height = job.src.width;
    status = run_job(work->strips->variant, &job, NULL, error);
    lap(worker, &worker->times.compute);
    return status;
}

/* A unit, or, if the sink only writes what it gets, all of the strip: threads would wait for each
 * other. */
static int64_t rows_of_put(const struct work *work)
{
    return work->cut.wants.lead > 0 ? work->cut.wants.unit : work->cut.columns;
}

static enum status put(struct worker *worker, int64_t index, struct error *error)
{
    const struct work *work = worker->work;
    const struct strip *strip = work->full;
    const int64_t done = index * rows_of_put(work);
    const int64_t count = least(rows_of_put(work), strip->count - done);
    const enum status status = sink_rows(work->sink, strip->first + done, count, &strip->rows,
                                         strip->first + done - strip->top, error);

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

/* The strip that begins at a column, into memory that is free. */
static struct strip *begin_strip(const struct work *work, struct strip *strip, int64_t first)
{
    if (first >= work->shape.width)
        return NULL;
    strip->first = first;
    strip->count = least(work->cut.columns, work->shape.width - first);
    strip->top = most(first - work->cut.wants.lead, 0);
    return strip;
}

/* Each round: the strip that the round before has filled is written, and the next is filled. */
static void do_rounds(struct work *work)
{
    const int64_t chunks = (work->shape.height - 1) / work->cut.chunk_rows + 1;
    int64_t first = 0;

    for (int round = 0; work->status == STATUS_OK; round ^= 1) {
        work->full = work->empty;
        work->empty = begin_strip(work, &work->both[round], first);
        first += work->cut.columns;
        work->puts = work->full ? (work->full->count - 1) / rows_of_put(work) + 1 : 0;
        work->fills = work->empty ? chunks : 0;
        work->next = 0;
        if (work->puts + work->fills == 0)
            break;
        parallel_rows(work->strips->threads, least(work->puts + work->fills, MAX_THREADS), do_tasks,
                      &work);
    }
}

static void free_memory(struct work *work)
{
    for (int i = 0; work->chunks && i < work->strips->threads; i++)
        image_free(&work->chunks[i]);
    free(work->chunks);
    image_free(&work->both[0].rows);
    image_free(&work->both[1].rows);
}

static enum status get_memory(struct work *work, struct error *error)
{
    const struct cut *cut = &work->cut;
    struct shape rows = cut->turned, chunk = work->shape;
    enum status status = STATUS_OK;

    rows.height = least(cut->columns + cut->wants.lead, work->shape.width);
    chunk.width = rows.height;
    chunk.height = least(cut->chunk_rows, chunk.height);
    work->chunks = calloc((size_t)work->strips->threads, sizeof *work->chunks);
    if (!work->chunks)
        return fail(error, STATUS_INPUT, "no memory for %d threads", work->strips->threads);
    for (int i = 0; i < work->strips->threads && status == STATUS_OK; i++)
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
                        .cut = make_cut(strips, sink, about),
                        .mutex = PTHREAD_MUTEX_INITIALIZER};
    struct image turned;
    enum status status;

    image_describe(&turned, &work.cut.turned);
    image_copy_kind(&turned, about);
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
