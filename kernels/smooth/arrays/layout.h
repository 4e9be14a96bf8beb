/* SPDX-License-Identifier: MIT */
/* How the general engine goes through an array: see array.c. */
#ifndef SMOOTHIMG_ARRAYS_LAYOUT_H
#define SMOOTHIMG_ARRAYS_LAYOUT_H

#include "kernels/common/arrays.h"
#include "kernels/common/numbers.h"
#include "kernels/smooth/arrays/loops.h"

/* Indices of filtered axes are those of job->axis; -1: the axis is not filtered, or there is none.
 */
struct array_layout {
    bool wide, magnitudes;
    int planes;         /* of a row of real numbers: values, rests, magnitudes */
    bool row_last;      /* the row's axis is filtered after the others: rows are lines until then */
    int64_t pitch;      /* doubles from a plane of a row to the next */
    int64_t line_pitch; /* and of the line, which has the reach too */
    int64_t row_doubles, line_doubles; /* with the scales of their blocks */
    bool loads_rests;                  /* the loader may give rests that are not 0 */
    bool flats; /* where all samples are the same, so may be the result, and 0 unproven */

    int row, row_filtered; /* the axis along which samples lie nearest to each other */
    int sample_axis;       /* the axis within its pixels, which is not filtered, or -1 */
    int64_t row_pixels, samples, row_halo;
    int64_t pixel_stride, sample_stride; /* bytes, of the source */
    int64_t next_row;                    /* bytes to the row that is loaded after one */
    int64_t segment, segments;           /* pixels of a column; how many */

    int along, along_filtered;  /* the axis along which columns go, or -1 */
    int64_t length, along_halo; /* of the source */
    int64_t places;             /* of the result */
    bool whole;     /* a column has as many slices as it is long, and one that is outside */
    int64_t slices; /* that are there at a time */

    int blocks; /* other filtered axes */
    int block_axis[ARRAY_FILTERED], block_filtered[ARRAY_FILTERED];
    int64_t block_halo[ARRAY_FILTERED], block_extent[ARRAY_FILTERED], block_count[ARRAY_FILTERED];
    int64_t block_rows, extended_rows; /* of a block; of one with its halos: at most */
    int64_t slice_doubles;             /* from a slice to the next */

    int batches; /* axes that are not filtered */
    int batch_axis[ARRAY_AXES];

    int64_t columns;
};

/* Doubles that hold one for each block of a row. */
static inline int64_t array_blocks(int64_t pitch)
{
    return round_up(pitch / ARRAY_BLOCK, 8);
}

/* The length of a line that is filtered into `padded` numbers. */
static inline int64_t array_line_length(const struct array_layout *layout, int64_t padded)
{
    return round_up(padded + 2 * layout->row_halo * layout->samples, ARRAY_BLOCK);
}

#ifdef __cplusplus
extern "C" {
#endif

/* The same job, with the axes in the order in which they lie in the source's memory, and those that
 * are not filtered joined where they can be. taps: room for ARRAY_FILTERED^2. */
void array_simplify(const struct array_job *job, struct array_job *simple, struct array_taps *taps);

/* Of a job that is simple. */
void array_lay_out(const struct array_job *job, struct array_layout *layout);

#ifdef __cplusplus
}
#endif

#endif
