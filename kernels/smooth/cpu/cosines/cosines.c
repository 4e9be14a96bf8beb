/* SPDX-License-Identifier: MIT */
/* The engine of large halos: rows are cut into segments, each computed from top to bottom
 * (cosines.h). A line is a copy of a row with the samples that the edge rule adds. A sample is
 * unresolved if the error bound does not prove its rounding. */
#include "kernels/smooth/cpu/cosines/cosines.h"

#include "kernels/common/carve.h"
#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "kernels/common/parallel.h"
#include "kernels/smooth/cpu/cosines/plan.h"
#include "kernels/smooth/cpu/ends/ends.h"
#include "kernels/smooth/floats/floats.h"
#include "kernels/smooth/source.h"

#include <string.h>

/* Copies of source rows (lines), with the samples that the edge rule adds. rows[] says which row
 * each line holds. */
struct copies {
    int64_t count, line_bytes;
    char *lines;
    int64_t *rows;
};

/* One thread's state. */
struct cosines {
    const struct piece *piece;
    const struct cosines_plan *plan;
    const struct smooth_cosines_loops *loops;
    /* Distance to the next pixel, and reach of the weights along a row, in samples. */
    int64_t step, reach;
    int64_t room;     /* most samples of a segment, which is a part of all rows */
    int64_t first, n; /* first sample and length of the segment */

    struct row_ends ends; /* for copies of the segment's rows */
    struct copies entering, leaving;
    double *state;
    double *sums;   /* the first sample that sums along a row need; zeros precede it */
    char *middles;  /* a row of plan->middle: 0 once that is subtracted */
    uint8_t *marks; /* 1 for each sample that is unresolved in one of the LINES rows */
    void *scratch;  /* for image_boxes_run() */
};

/* Returns how many zeros precede the first sample of a line. */
static int64_t pad(int64_t halo, int64_t step)
{
    return (2 * halo + 2 + LINE_STEP) * step;
}

static void lay_out_copies(const struct cosines *cosines, struct copies *copies,
                           const struct request *request, int64_t count, int64_t length,
                           uintptr_t *memory)
{
    copies->count = cosines->piece && source_has_all(cosines->piece) ? 0 : count;
    copies->line_bytes = round_up(length * request->src.sample_bytes, CACHE_LINE);
    copies->lines = carve(memory, copies->count * copies->line_bytes);
    copies->rows = carve(memory, copies->count * (int64_t)sizeof *copies->rows);
}

static void lay_out(struct cosines *cosines, const struct request *request,
                    const struct cosines_plan *plan, uintptr_t *memory)
{
    const int64_t step = request->src.channels, reach = request->halo_x * step;
    const int64_t room = cosines_segment(request), length = room + 2 * reach;
    const int64_t line = pad(request->halo_x, step) + length + LINE_STEP * step;

    cosines->step = step;
    cosines->room = room;
    cosines->ends.places = carve(memory, 2 * reach * (int64_t)sizeof(int64_t));
    lay_out_copies(cosines, &cosines->entering, request,
                   LINES + 2 * min(request->halo_y, MAX_DIRECT) + 1, length, memory);
    lay_out_copies(cosines, &cosines->leaving, request, LINES + 1, length, memory);
    cosines->state = carve(memory, cosines_state_bytes(length, MAX_GROUPS));
    cosines->sums = carve(memory, line * LINES * (int64_t)sizeof(double));
    cosines->middles = carve(memory, length * request->src.sample_bytes);
    cosines->marks = carve(memory, room);
    cosines->scratch = carve(memory, (int64_t)image_boxes_scratch_bytes(&plan->boxes));
}

/* Returns the line that holds a copy of row y, and makes the copy if there is none. */
static const void *copied(const struct cosines *cosines, const struct copies *copies, int64_t y)
{
    const int64_t place = (y + 2 * MAX_HALO + LINES) % copies->count;
    char *line = copies->lines + place * copies->line_bytes;
    const char *row = source_row(cosines->piece, y);

    if (copies->rows[place] == y)
        return line;
    copies->rows[place] = y;
    if (row)
        row_ends_copy(&cosines->ends, row, line);
    else
        memset(line, 0, (size_t)copies->line_bytes);
    return line;
}

/* Returns source row y, from the first sample that the segment's sums need. Rows outside
 * top..last-1 count as zeros. */
static const void *source(const struct cosines *cosines, const struct copies *copies, int64_t y,
                          int64_t top, int64_t last)
{
    const struct view *src = &cosines->piece->src;

    if (y < top || y >= last)
        return cosines->middles;
    return copies->count > 0
               ? copied(cosines, copies, y)
               : (const char *)src->origin + y * src->stride_bytes + cosines->ends.begin;
}

/* Lets the engine of arrays compute the marked samples of `count` rows. It computes boxes: one
 * rectangle for each group of samples whose windows overlap. */
static void repair_rows(const struct cosines *cosines, int64_t y, int64_t count)
{
    const int64_t step = cosines->step, apart = 2 * cosines->piece->request->halo_x * step;
    uint8_t *const marks = cosines->marks, *next = memchr(marks, 1, (size_t)cosines->n);

    while (next) {
        const int64_t first = next - marks;
        int64_t last = first;

        for (; next && next - marks - last <= apart;
             next = memchr(next + 1, 1, (size_t)(cosines->n - 1 - last)))
            last = next - marks;
        image_boxes_run(&cosines->plan->boxes, cosines->piece, y, count,
                        (cosines->first + first) / step, last / step - first / step + 1,
                        cosines->scratch);
    }
    memset(marks, 0, (size_t)cosines->n);
}

/* Computes the LINES rows of the result that begin at row y from the sums down their columns.
 * Leaves out rows from `last` on. */
static void give_rows(const struct cosines *cosines, int64_t y, int64_t last)
{
    const struct cosines_plan *plan = cosines->plan;
    const struct view *dst = &cosines->piece->dst;
    const int count = (int)min(last - y, LINES);
    bool any = false;

    for (int64_t channel = 0; channel < cosines->step; channel++) {
        const int64_t front = (2 * plan->x.halo + 2) * cosines->step;
        void *rows[LINES] = {NULL};
        uint8_t *marks[LINES];
        const struct cosines_line line = {.axis = &plan->x,
                                          .sums = cosines->sums + (channel - front) * LINES,
                                          .step = cosines->step,
                                          .n = cosines->n / cosines->step,
                                          .bound = plan->bound,
                                          .raise = 0.5 + plan->bound + plan->whole,
                                          .maxval = (int32_t)cosines->piece->request->maxval,
                                          .sample_bytes = dst->sample_bytes,
                                          .dst = rows,
                                          .unresolved = marks};

        for (int row = 0; row < count; row++) {
            rows[row] = (char *)dst->origin + (y + row) * dst->stride_bytes +
                        (cosines->first + channel) * dst->sample_bytes;
            marks[row] = cosines->marks + channel;
        }
        any |= cosines->loops->sum_line(&line);
    }
    if (any)
        repair_rows(cosines, y, count);
}

/* Sums down the columns for the LINES rows that begin at row y. Source rows outside top..last-1
 * count as 0. */
static void sum_columns(const struct cosines *cosines, int64_t y, int64_t top, int64_t last,
                        double *sums)
{
    const struct cosines_plan *plan = cosines->plan;
    const int64_t halo = plan->y.halo;
    const void *entering[LINES + 2 * MAX_DIRECT + 1], *leaving[LINES + 1];
    const struct cosines_columns columns = {.axis = &plan->y,
                                            .entering = entering,
                                            .leaving = leaving,
                                            .sample_bytes = cosines->piece->src.sample_bytes,
                                            .middle = plan->middle,
                                            .n = cosines->n + 2 * cosines->reach,
                                            .state = cosines->state};

    for (int64_t i = 0; i <= LINES; i++) {
        entering[i] = source(cosines, &cosines->entering, y + halo - 1 + i, top, last);
        leaving[i] = source(cosines, &cosines->leaving, y - halo - 2 + i, top, last);
    }
    for (int64_t i = 0; plan->y.direct && i < LINES + 2 * halo; i++)
        entering[i] = source(cosines, &cosines->entering, y - halo + i, top, last);
    cosines->loops->sum_columns(&columns, sums);
}

static void smooth_segment(struct cosines *cosines, int64_t first, int64_t last)
{
    const struct cosines_plan *plan = cosines->plan;
    const int64_t halo = plan->y.halo, length = cosines->n + 2 * cosines->reach;
    const int64_t above = plan->y.direct ? 0 : round_up(2 * halo, LINES);

    memset(cosines->state, 0, (size_t)cosines_state_bytes(length, plan->y.series.groups));
    memset(cosines->sums + length * LINES, 0,
           (size_t)(LINE_STEP * cosines->step * LINES) * sizeof(double));
    for (int64_t y = first - above; y < last; y += LINES) {
        sum_columns(cosines, y, first - halo, last + halo, y < first ? NULL : cosines->sums);
        if (y >= first)
            give_rows(cosines, y, last);
    }
}

/* Marks all copies as empty: they hold rows of the previous segment. */
static void clear_copies(struct copies *copies)
{
    for (int64_t i = 0; i < copies->count; i++)
        copies->rows[i] = INT64_MIN;
    memset(copies->lines, 0, (size_t)(copies->count * copies->line_bytes));
}

/* Begins the segment of n samples whose first sample has index `first` in its row. */
static void enter(struct cosines *cosines, int64_t first, int64_t n)
{
    cosines->first = first;
    cosines->n = n;
    row_ends_find(&cosines->ends, cosines->piece, first - cosines->reach, n + 2 * cosines->reach);
    clear_copies(&cosines->entering);
    clear_copies(&cosines->leaving);
}

static size_t thread_bytes(const struct request *request, const struct cosines_plan *plan)
{
    struct cosines unused = {.piece = NULL};
    uintptr_t bytes = 0;

    lay_out(&unused, request, plan, &bytes);
    return bytes;
}

static void fill_middles(const struct cosines *cosines, int64_t n)
{
    const struct cosines_plan *plan = cosines->plan;
    uint16_t *const wide = (void *)cosines->middles;

    if (cosines->piece->src.sample_bytes == 1)
        memset(cosines->middles, (int)plan->middle, (size_t)n);
    else
        for (int64_t i = 0; i < n; i++)
            wide[i] = (uint16_t)plan->middle;
}

static void smooth_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct piece *piece = context;
    const struct cosines_plan *plan = piece->state;
    const int64_t samples = piece->src.width * piece->src.channels;
    uintptr_t memory =
        (uintptr_t)piece->scratch + (size_t)band * thread_bytes(piece->request, plan);
    struct cosines cosines = {
        .piece = piece, .plan = plan, .loops = isa_of(piece->request)->smooth_cosines};
    int64_t padding, length;

    lay_out(&cosines, piece->request, plan, &memory);
    cosines.reach = plan->x.halo * cosines.step;
    padding = pad(plan->x.halo, cosines.step);
    length = cosines.room + 2 * cosines.reach;
    memset(cosines.sums, 0, (size_t)(padding * LINES) * sizeof(double));
    fill_middles(&cosines, length);
    memset(cosines.marks, 0, (size_t)cosines.room);
    cosines.sums += padding * LINES;
    for (int64_t x = 0; x < samples; x += cosines.room) {
        enter(&cosines, x, min(cosines.room, samples - x));
        for (int64_t y = first; y < last; y += COSINES_BAND)
            smooth_segment(&cosines, y, min(y + COSINES_BAND, last));
    }
}

const char *smooth_cosines_refuses(const struct request *request)
{
    const bool is_narrow =
        (request->src.width + 2 * request->halo_x) * request->src.channels < STRIP;
    const char *refusal = refuses_all_but_integers(request);

    return refusal ? refusal : is_narrow ? "fewer columns than a strip has" : NULL;
}

size_t smooth_cosines_scratch_bytes(const struct request *request, const void *state)
{
    return thread_bytes(request, state) * (size_t)request->threads;
}

const char *smooth_cosines_run(const struct piece *piece)
{
    parallel_rows(piece->request->threads, piece->src.height, smooth_band, piece);
    return NULL;
}
