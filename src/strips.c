/* SPDX-License-Identifier: MIT */
#include "strips.h"

#include "clock.h"
#include "parallel.h"
#include "run.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#define PIECE_BYTES 4096 /* of a row, in a strip: less would read a file's pages twice */
#define STRIP_BYTES ((int64_t)1 << 20) /* less is not worth the threads */
#define CHUNK_BYTES ((int64_t)1 << 18) /* what a thread reads at once: it stays in its cache */
#define CHUNK_ROWS 64 /* or so many rows: a cache line of the result is written whole */

/* Of a strip, source columns top..first+count-1, the source rows row..row+height-1, as rows 0.. of
 * `rows`: those from column `first` on are the strip, those above them the sink's lead. */
struct part {
    struct image rows;
    int64_t top, first, count;
    int64_t row, height;
};

/* How the image is cut. */
struct cut {
    struct sink_wants wants;
    struct shape turned; /* the result */
    int64_t columns;     /* of a strip, without its lead */
    int64_t rows; /* of the source in a part of it: all, unless the sink takes parts of rows */
    int64_t chunk_rows; /* that a thread reads at once */
    int64_t bytes;      /* of memory, with everything */
};

/* What the threads share. In each round they write one part and fill the other: what is to be
 * written comes first. */
struct work {
    const struct strips *strips;
    const struct source *source;
    struct sink *sink;
    struct shape shape;
    struct cut cut;
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

/* What two parts may take: a quarter of the limit is for what the threads read. */
static int64_t room_for_parts(const struct strips *strips, const struct cut *cut, int64_t row_bytes)
{
    return strips->max_bytes / 4 * 3 - 2 * cut->wants.lead * row_bytes -
           strips->threads * cut->wants.bytes;
}

/* As many columns as threads can read CHUNK_ROWS of within the limit. */
static int64_t most_columns(const struct strips *strips, int64_t pixel)
{
    return most(strips->max_bytes / 4 / strips->threads / CHUNK_ROWS / pixel, 1);
}

/* Where the image is larger than the limit its file may not stay in the system's memory, and pages
 * that are wanted for the next strip too are read from the disk again: strips are as wide as they
 * can be. */
static void cut_strips(const struct strips *strips, struct cut *cut, int64_t row_bytes)
{
    const int64_t pixel = pixel_bytes(&cut->turned), unit = cut->wants.unit;
    const int64_t fitting = least(room_for_parts(strips, cut, row_bytes) / (2 * row_bytes),
                                  most_columns(strips, pixel));

    cut->rows = cut->turned.width;
    cut->columns = most(PIECE_BYTES / pixel, STRIP_BYTES / row_bytes);
    if (row_bytes * cut->turned.height > strips->max_bytes)
        cut->columns = fitting;
    if (strips->columns > 0)
        cut->columns = strips->columns;
    cut->columns = round_up(most(least(cut->columns, cut->turned.height), 1), unit);
    if (cut->columns > fitting)
        cut->columns = most(fitting / unit, 1) * unit;
}

/* To write parts of rows takes three times as long as to write whole ones, so this is done only
 * where there is no room for strips of PIECE_BYTES, and in parts that are as long both ways. */
static void cut_parts(const struct strips *strips, struct cut *cut)
{
    const int64_t pixel = pixel_bytes(&cut->turned);
    const int64_t room = most(room_for_parts(strips, cut, 0) / 2 / pixel, CHUNK_ROWS);

    cut->columns = least((int64_t)sqrt((double)room), most_columns(strips, pixel));
    cut->columns = least(most(cut->columns, 1), cut->turned.height);
    cut->rows = most(room / cut->columns / CHUNK_ROWS, 1) * CHUNK_ROWS;
    cut->rows = least(cut->rows, cut->turned.width);
}

static struct cut make_cut(const struct strips *strips, const struct sink *sink,
                           const struct image *about)
{
    const struct shape shape = image_shape(about);
    struct cut cut = {.turned = {shape.height, shape.width, shape.channels, shape.maxval}};
    const int64_t pixel = pixel_bytes(&shape);
    int64_t chunk_row_bytes, part_row_bytes;
    struct image turned;

    image_describe(&turned, &cut.turned);
    cut.wants = sink_wants(sink, &turned);
    cut_strips(strips, &cut, round_up(shape.height * pixel, ROW_ALIGNMENT));
    if (sink_has_columns(sink) && strips->columns == 0 && cut.columns < shape.width &&
        cut.columns < PIECE_BYTES / pixel)
        cut_parts(strips, &cut);
    if (sink_has_columns(sink) && strips->rows > 0)
        cut.rows = least(strips->rows, shape.height);
    part_row_bytes = round_up(cut.rows * pixel, ROW_ALIGNMENT);
    chunk_row_bytes = round_up((cut.columns + cut.wants.lead) * pixel, ROW_ALIGNMENT);
    cut.chunk_rows = least(CHUNK_BYTES, strips->max_bytes / 4 / strips->threads) / chunk_row_bytes;
    cut.chunk_rows = most(cut.chunk_rows / CHUNK_ROWS, 1) * CHUNK_ROWS;
    cut.bytes = 2 * (cut.columns + cut.wants.lead) * part_row_bytes +
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

/* Some rows of the source become as many columns of the part. */
static enum status fill(struct worker *worker, int64_t index, struct error *error)
{
    const struct work *work = worker->work;
    const struct part *part = work->empty;
    const int64_t done = index * work->cut.chunk_rows;
    const int64_t count = least(work->cut.chunk_rows, part->height - done);
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
    return work->cut.wants.lead > 0 ? work->cut.wants.unit : work->cut.columns;
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
    part->count = least(work->cut.columns, work->shape.width - part->first);
    part->top = most(part->first - work->cut.wants.lead, 0);
    part->height = least(work->cut.rows, work->shape.height - part->row);
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
        work->fills = work->empty ? (work->empty->height - 1) / work->cut.chunk_rows + 1 : 0;
        work->next = 0;
        parallel_rows(work->strips->threads, work->puts + work->fills, do_tasks, &work);
    } while (work->empty && work->status == STATUS_OK);
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

    rows.width = cut->rows;
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
