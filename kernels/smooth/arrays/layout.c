/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/arrays/layout.h"

#include "kernels/smooth/arrays/bounds.h"
#include "kernels/smooth/arrays/loops.h"
#include "kernels/common/numbers.h"

#include <math.h>
#include <string.h>

#define MOST_SAMPLES 16   /* of a pixel, else they are a row of their own */
#define LEAST_SEGMENT 128 /* samples: shorter ones take as long */
#define LONGEST_SEGMENT 512
#define LARGEST_BLOCK 64
#define CACHE_BYTES 0x1.8p24  /* of working memory, which then costs as much as the work */
#define MOST_BYTES (8 << 20)  /* of it, where that is enough; of two doubles three times that */
#define TOO_MUCH 0x1p200      /* products for each byte: less is always better */
#define PRODUCTS_OF_LOADING 8 /* that take as long as a sample's conversion */
#define PRODUCTS_OF_A_ROW 256 /* as what is done once for a row, in a pass */
#define PRODUCTS_OF_STORING 4 /* as a number on its way through memory to the storer */
#define LINE_DOUBLES 8        /* of a cache */

static int filtered_index(const struct array_job *job, int axis)
{
    for (int i = 0; i < job->filtered; i++)
        if (job->axis[i] == axis)
            return i;
    return -1;
}

static int64_t distance(const struct array_job *job, int axis)
{
    const int64_t stride = job->src.strides[axis];

    return stride < 0 ? -stride : stride;
}

/* order[0..]: the axes, from those that lie farthest apart in the source to those side by side. */
static void sort_axes(const struct array_job *job, int *order)
{
    for (int i = 0; i < job->axes; i++) {
        int j = i;

        for (; j > 0 && distance(job, order[j - 1]) < distance(job, i); j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
}

/* Does the axis, which is not filtered, go on where the simple job's last one is at its end? */
static bool joins(const struct array_job *job, int axis, const struct array_job *simple)
{
    const int last = simple->axes - 1;

    return last >= 0 && filtered_index(simple, last) < 0 && job->extent[axis] == job->shape[axis] &&
           simple->src.strides[last] == job->src.strides[axis] * job->shape[axis] &&
           simple->dst.strides[last] == job->dst.strides[axis] * job->shape[axis];
}

static void add_axis(const struct array_job *job, int axis, struct array_job *simple,
                     struct array_taps *taps)
{
    const int filtered = filtered_index(job, axis);
    int to = simple->axes;

    if (filtered < 0 && job->shape[axis] == 1)
        return;
    if (filtered < 0 && joins(job, axis, simple)) {
        to--;
        simple->shape[to] *= job->shape[axis];
        simple->first[to] *= job->shape[axis];
        simple->extent[to] *= job->shape[axis];
    } else {
        simple->axes++;
        simple->shape[to] = job->shape[axis];
        simple->first[to] = job->first[axis];
        simple->extent[to] = job->extent[axis];
    }
    simple->src.strides[to] = job->src.strides[axis];
    simple->dst.strides[to] = job->dst.strides[axis];
    if (filtered < 0)
        return;
    simple->axis[simple->filtered] = to;
    simple->halo[simple->filtered] = job->halo[filtered];
    for (int t = 0; t < job->terms; t++)
        taps[t * job->filtered + simple->filtered] = job->taps[t * job->filtered + filtered];
    simple->filtered++;
}

void array_simplify(const struct array_job *job, struct array_job *simple, struct array_taps *taps)
{
    int order[ARRAY_AXES];

    *simple = *job;
    simple->axes = simple->filtered = 0;
    simple->taps = taps;
    sort_axes(job, order);
    for (int i = 0; i < job->axes; i++)
        add_axis(job, order[i], simple, taps);
    if (simple->axes == 0) { /* one sample */
        simple->axes = 1;
        simple->shape[0] = simple->extent[0] = 1;
        simple->first[0] = 0;
        simple->src.strides[0] = simple->dst.strides[0] = sample_format(job->src.type).bytes;
    }
}

static void choose_row(const struct array_job *job, struct array_layout *layout)
{
    const int last = job->axes - 1;
    const bool is_pixel = last > 0 && filtered_index(job, last) < 0 &&
                          job->extent[last] == job->shape[last] &&
                          job->shape[last] <= MOST_SAMPLES && filtered_index(job, last - 1) >= 0;

    layout->row = is_pixel ? last - 1 : last;
    layout->sample_axis = is_pixel ? last : -1;
    layout->row_filtered = filtered_index(job, layout->row);
    layout->row_pixels = job->shape[layout->row];
    layout->samples = is_pixel ? job->shape[last] : 1;
    layout->pixel_stride = job->src.strides[layout->row];
    layout->sample_stride = job->src.strides[last];
    layout->row_halo = layout->row_filtered >= 0 ? job->halo[layout->row_filtered] : 0;
}

/* Columns go along the outermost filtered axis, or, if there is none but the row's, along the
 * outermost. */
static void choose_along(const struct array_job *job, struct array_layout *layout)
{
    layout->along = layout->along_filtered = -1;
    for (int i = 0; i < job->filtered && layout->along < 0; i++)
        if (job->axis[i] != layout->row)
            layout->along = job->axis[i];
    if (layout->along < 0 && layout->row > 0)
        layout->along = 0;
    if (layout->along >= 0)
        layout->along_filtered = filtered_index(job, layout->along);
    layout->length = layout->along >= 0 ? job->shape[layout->along] : 1;
    layout->places = layout->along >= 0 ? job->extent[layout->along] : 1;
    layout->along_halo = layout->along_filtered >= 0 ? job->halo[layout->along_filtered] : 0;
    layout->whole = layout->length <= 2 * layout->along_halo;
    layout->slices = layout->whole ? layout->length + 1 : 2 * layout->along_halo + ARRAY_ROWS;
}

static void choose_others(const struct array_job *job, struct array_layout *layout)
{
    layout->blocks = layout->batches = 0;
    for (int axis = 0; axis < job->axes; axis++) {
        const int filtered = filtered_index(job, axis);

        if (axis == layout->row || axis == layout->sample_axis || axis == layout->along)
            continue;
        if (filtered < 0)
            layout->batch_axis[layout->batches++] = axis;
        else {
            layout->block_axis[layout->blocks] = axis;
            layout->block_filtered[layout->blocks] = filtered;
            layout->block_halo[layout->blocks++] = job->halo[filtered];
        }
    }
}

/* Of a row: its planes, and what its blocks have. */
static int64_t doubles_of(const struct array_layout *layout, int64_t pitch)
{
    return layout->planes * pitch + (layout->wide + layout->flats) * array_blocks(pitch);
}

/* A pass across slices reads one place of all of them: at odd distances these are in different sets
 * of the first-level cache, at multiples of 4 KiB in one set, of 12 lines or so. */
static int64_t odd_lines(int64_t doubles)
{
    return (round_up(doubles, LINE_DOUBLES) / LINE_DOUBLES | 1) * LINE_DOUBLES;
}

/* Of a column's working memory, with what is read of it again and again. */
static int64_t column_bytes(const struct array_job *job, struct array_layout *layout)
{
    layout->block_rows = layout->extended_rows = 1;
    for (int b = 0; b < layout->blocks; b++) {
        layout->block_rows *= layout->block_extent[b];
        layout->extended_rows *= layout->block_extent[b] + 2 * layout->block_halo[b];
    }
    layout->line_pitch =
        round_up((layout->segment + 2 * layout->row_halo) * layout->samples + ARRAY_BLOCK,
                 ARRAY_BLOCK) +
        8;
    layout->pitch = layout->row_last ? layout->line_pitch
                                     : round_up(layout->segment * layout->samples, ARRAY_BLOCK) + 8;
    layout->row_doubles = doubles_of(layout, layout->pitch);
    layout->slice_doubles = odd_lines(layout->row_doubles * layout->block_rows);
    return (int64_t)sizeof(double) * (layout->slice_doubles * job->terms * layout->slices +
                                      layout->row_doubles * layout->extended_rows);
}

static void count_columns(const struct array_job *job, struct array_layout *layout)
{
    layout->segments = (job->extent[layout->row] + layout->segment - 1) / layout->segment;
    layout->columns = layout->segments;
    for (int b = 0; b < layout->blocks; b++) {
        layout->block_count[b] =
            (job->extent[layout->block_axis[b]] + layout->block_extent[b] - 1) /
            layout->block_extent[b];
        layout->columns *= layout->block_count[b];
    }
    for (int i = 0; i < layout->batches; i++)
        layout->columns *= job->extent[layout->batch_axis[i]];
}

/* Sets what follows from the sizes, and returns what they cost, in products for each sample: what
 * is loaded, each pass, by how much more than the result it has to make, and what a row costs by
 * itself. A working memory that the caches hold no longer costs time too: measured on volumes of
 * 512 x 512 planes, halos 8 to 48, where twice as much memory for half of the rims paid up to 4
 * MiB, and by 5 % to 10 MiB. */
static double cost(const struct array_job *job, struct array_layout *layout)
{
    const int64_t column = column_bytes(job, layout);
    /* Magnitudes are seldom needed beside plain numbers. */
    const double bytes = (double)column * (1 + layout->wide) / layout->planes;
    const double samples = (double)(layout->segment * layout->samples);
    const double a_row = PRODUCTS_OF_A_ROW / samples;
    const double line = (double)array_line_length(layout, (int64_t)samples) / samples;
    const double width = layout->row_last ? line : 1;
    double rows = 1, places, sum;

    for (int b = 0; b < layout->blocks; b++)
        rows *= (double)(layout->block_extent[b] + 2 * layout->block_halo[b]) /
                (double)layout->block_extent[b];
    sum = rows * (PRODUCTS_OF_LOADING * line + a_row);
    if (!layout->row_last)
        sum += PRODUCTS_OF_STORING + rows * ((double)(layout->row_halo + 1) + a_row);
    for (int b = 0; b < layout->blocks; b++) {
        rows *= (double)layout->block_extent[b] /
                (double)(layout->block_extent[b] + 2 * layout->block_halo[b]);
        sum += rows * (width * (double)(layout->block_halo[b] + 1) + a_row);
    }
    count_columns(job, layout);
    places = (double)layout->columns * (double)layout->places / job->threads;
    sum *= 1 + 2 * (double)layout->along_halo / fmin(places, (double)layout->places);
    sum += width * (double)(layout->along_halo + 1) + a_row;
    if (layout->row_last)
        sum += (double)(layout->row_halo + 1) + a_row;
    return column > (layout->wide ? 3 : 1) * MOST_BYTES ? TOO_MUCH * (double)column
                                                        : sum * (1 + bytes / CACHE_BYTES);
}

static void set_sizes(const struct array_job *job, int64_t segment, int64_t block, bool row_last,
                      struct array_layout *layout)
{
    layout->segment = min(job->extent[layout->row], max(1, segment / layout->samples));
    for (int b = 0; b < layout->blocks; b++)
        layout->block_extent[b] = min(job->extent[layout->block_axis[b]], block);
    layout->row_last = row_last;
}

/* The sizes that cost least. */
static void choose_sizes(const struct array_job *job, struct array_layout *layout)
{
    const int64_t longest = max(LONGEST_SEGMENT, 2 * layout->row_halo * layout->samples);
    struct array_layout best;
    double least = INFINITY;

    for (int64_t segment = longest; segment >= LEAST_SEGMENT; segment /= 2)
        for (int64_t block = layout->blocks > 0 ? LARGEST_BLOCK : 1; block >= 1; block /= 2)
            for (int row_last = 0; row_last <= !layout->wide; row_last++) {
                double products;

                set_sizes(job, segment, block, row_last, layout);
                products = cost(job, layout);
                if (products < least) {
                    least = products;
                    best = *layout;
                }
            }
    *layout = best;
    layout->line_doubles = doubles_of(layout, layout->line_pitch);
}

static bool has_derivatives(const struct array_job *job)
{
    bool has = false;

    for (int t = 0; t < job->terms; t++)
        for (int i = 0; i < job->filtered; i++) {
            const struct array_taps *taps = &job->taps[t * job->filtered + i];

            for (int64_t k = 0; k <= job->halo[i] && !has; k++)
                has = taps->odd || taps->weights[k].negative;
        }
    return has;
}

void array_lay_out(const struct array_job *job, struct array_layout *layout)
{
    layout->wide = array_is_wide(job);
    layout->magnitudes = array_has_magnitudes(job);
    layout->planes = 1 + layout->wide + layout->magnitudes;
    layout->loads_rests =
        job->src.type == SAMPLE_I64 || job->src.type == SAMPLE_U64 || job->outside_rest != 0;
    layout->flats =
        !layout->loads_rests && sample_format(job->dst.type).is_float && has_derivatives(job);
    choose_row(job, layout);
    choose_along(job, layout);
    choose_others(job, layout);
    layout->next_row = layout->blocks > 0 ? job->src.strides[layout->block_axis[layout->blocks - 1]]
                       : layout->along >= 0 ? job->src.strides[layout->along]
                                            : 0;
    choose_sizes(job, layout);
}
