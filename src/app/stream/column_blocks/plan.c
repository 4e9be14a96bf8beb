/* SPDX-License-Identifier: MIT */
#include "strip_plan.h"
#include "numbers.h"

#include <math.h>

#define PIECE_BYTES 4096 /* of a row, in a strip: less would read a file's pages twice */
#define STRIP_BYTES ((int64_t)1 << 20) /* less is not worth the threads */
#define CHUNK_BYTES ((int64_t)1 << 18) /* what a thread reads at once: it stays in its cache */
#define CHUNK_ROWS 64 /* or so many rows: a cache line of the result is written whole */

/* What two parts may take: a quarter of the limit is for what the threads read. */
static int64_t room_for_parts(const struct strips *strips, const struct strip_plan *plan,
                              int64_t row_bytes)
{
    return strips->max_bytes / 4 * 3 - 2 * plan->wants.lead * row_bytes -
           strips->threads * plan->wants.bytes;
}

/* As many columns as threads can read CHUNK_ROWS of within the limit. */
static int64_t most_columns(const struct strips *strips, int64_t pixel)
{
    return most(strips->max_bytes / 4 / strips->threads / CHUNK_ROWS / pixel, 1);
}

/* Where the image is larger than the limit its file may not stay in the system's memory, and pages
 * that are wanted for the next strip too are read from the disk again: strips are as wide as they
 * can be. */
static void cut_strips(const struct strips *strips, struct strip_plan *plan, int64_t row_bytes)
{
    const int64_t pixel = pixel_bytes(&plan->turned), unit = plan->wants.unit;
    const int64_t fitting = least(room_for_parts(strips, plan, row_bytes) / (2 * row_bytes),
                                  most_columns(strips, pixel));

    plan->rows = plan->turned.width;
    plan->columns = most(PIECE_BYTES / pixel, STRIP_BYTES / row_bytes);
    if (row_bytes * plan->turned.height > strips->max_bytes)
        plan->columns = fitting;
    if (strips->columns > 0)
        plan->columns = strips->columns;
    plan->columns = round_up(most(least(plan->columns, plan->turned.height), 1), unit);
    if (plan->columns > fitting)
        plan->columns = most(fitting / unit, 1) * unit;
}

/* To write parts of rows takes three times as long as to write whole ones, so this is done only
 * where there is no room for strips of PIECE_BYTES, and in parts that are as long both ways. */
static void cut_parts(const struct strips *strips, struct strip_plan *plan)
{
    const int64_t pixel = pixel_bytes(&plan->turned);
    const int64_t room = most(room_for_parts(strips, plan, 0) / 2 / pixel, CHUNK_ROWS);

    plan->columns = least((int64_t)sqrt((double)room), most_columns(strips, pixel));
    plan->columns = least(most(plan->columns, 1), plan->turned.height);
    plan->rows = most(room / plan->columns / CHUNK_ROWS, 1) * CHUNK_ROWS;
    plan->rows = least(plan->rows, plan->turned.width);
}

static struct strip_plan plan_for(const struct strips *strips, const struct sink *sink,
                                  const struct image *about)
{
    const struct shape shape = image_shape(about);
    struct strip_plan plan = {.threads = strips->threads,
                              .turned = {shape.height, shape.width, shape.channels, shape.maxval}};
    const int64_t pixel = pixel_bytes(&shape);
    int64_t chunk_row_bytes, part_row_bytes;
    struct image turned;

    image_describe(&turned, &plan.turned);
    plan.wants = sink_wants(sink, &turned);
    cut_strips(strips, &plan, round_up(shape.height * pixel, ROW_ALIGNMENT));
    if (sink_has_columns(sink) && strips->columns == 0 && plan.columns < shape.width &&
        plan.columns < PIECE_BYTES / pixel)
        cut_parts(strips, &plan);
    if (sink_has_columns(sink) && strips->rows > 0)
        plan.rows = least(strips->rows, shape.height);
    part_row_bytes = round_up(plan.rows * pixel, ROW_ALIGNMENT);
    chunk_row_bytes = round_up((plan.columns + plan.wants.lead) * pixel, ROW_ALIGNMENT);
    plan.chunk_rows = least(CHUNK_BYTES, strips->max_bytes / 4 / strips->threads) / chunk_row_bytes;
    plan.chunk_rows = most(plan.chunk_rows / CHUNK_ROWS, 1) * CHUNK_ROWS;
    plan.bytes = 2 * (plan.columns + plan.wants.lead) * part_row_bytes +
                 strips->threads * (plan.chunk_rows * chunk_row_bytes + plan.wants.bytes);
    return plan;
}

/* Do the threads take no more than there is, and of that no more than a quarter for what the sink
 * makes of rows? Else strips would be so narrow that the file is read again and again. */
static bool fits(const struct strip_plan *plan, int64_t max_bytes)
{
    return plan->bytes <= max_bytes && plan->threads * plan->wants.bytes <= max_bytes / 4;
}

/* Within the limit: strips of fewer columns, and fewer threads. */
struct strip_plan strip_plan_make(const struct strips *strips, const struct sink *sink,
                                  const struct image *about)
{
    struct strips fewer = *strips;
    struct strip_plan plan = plan_for(&fewer, sink, about);

    while (fewer.threads > 1 && !fits(&plan, fewer.max_bytes)) {
        fewer.threads--;
        plan = plan_for(&fewer, sink, about);
    }
    return plan;
}

int64_t strips_bytes(const struct strips *strips, const struct sink *sink,
                     const struct image *about)
{
    return strip_plan_make(strips, sink, about).bytes;
}
