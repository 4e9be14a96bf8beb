/* SPDX-License-Identifier: MIT */
/* What the kernels of arrays get. There are two: filter_axis() filters along one axis, and
 * filter_plane() along the last two, and gives samples. What lies between them are planes of
 * numbers in scratch, one for each node (scheme.h), without gaps: all axes of the array, with the
 * places that later passes read. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_PASS_H
#define SMOOTHIMG_ARRAYS_DEVICE_PASS_H

#include "kernels/common/arrays.h"

#define GROUP 8  /* results that a thread makes along an axis: they share what it reads */
#define STRIP 32 /* numbers side by side, which the lanes of a warp take */

#define MOST_SHORT 8 /* the longest halo that kernels know */
#define SHORT_SETS 2 /* sets of taps along an axis, for these */

/* How many results a thread of filter_axis() makes; halo: that the kernel knows, or 0. */
HOST_DEVICE constexpr int results_by(int halo)
{
    return halo > 0 ? 2 * GROUP : GROUP;
}

/* Of the axes of an array: how many places each has, and bytes between them. */
struct device_array {
    char *origin;
    int axes;
    int64_t extent[ARRAY_AXES], stride[ARRAY_AXES];
};

/* What a pass reads: samples, or planes of numbers. */
struct device_numbers {
    const char *origin;
    enum sample_type type;           /* of samples */
    int64_t plane_bytes, rest_bytes; /* from a plane to the next; from a number to its rest */
};

/* What is filtered of a pixel: its samples, or these and their weights. scheme.h */
struct device_pixel {
    int samples, numbers;
    int group;  /* numbers of which the last is the others' weight; 0: all count alike */
    bool drops; /* the weight is 0 for a NaN, else 1; if not, it is alpha */
};

/* The taps of a term along an axis, of 2 halo + 1 places from the first one on, and then zeros. */
struct device_taps {
    const double *taps, *rests;
    int halo;
};

/* The same for a halo that the kernel knows: as arguments, taps are operands of instructions, and
 * take no registers. */
struct short_taps {
    double of_set[SHORT_SETS][2 * MOST_SHORT + 1];
};

/* A part of a node's sum. */
struct device_input {
    const double *taps, *rests; /* 2 halo + 1, the first place's first; then zeros */
    int16_t set, plane;         /* which of the axis' sets they are; the plane that it reads */
    enum edge edge;
    /* What is outside of that plane along the axis: of numbers, and of weights. */
    double outside[2], outside_rest[2];
};

struct device_node {
    const struct device_input *inputs;
    int count;
    enum edge row_edge; /* of its consumer along the rows, where it is beyond their ends: */
    double outside[2], outside_rest[2];
};

/* No finite sample of some is greater in magnitude: the upper word of a double, rounded up, with
 * the sign bit if a sample is not plain (loops.h). */
typedef uint32_t device_peak;

#define NOT_PLAIN 0x80000000u

/* The peaks in reach of the results of a pass, for each group along its axis and strip of numbers
 * beside it. The results are outer x extent x inner numbers. */
struct device_peaks {
    device_peak *of; /* NULL: none */
    int64_t extent, inner;
};

/* Of the second level: it runs if at least so many samples are open after the first. Of the first
 * level: 0. */
struct device_level {
    const unsigned long long *opened;
    unsigned long long least;
};

/* Of the axis that a pass filters along. */
struct device_axis {
    int64_t length;        /* places that it reads */
    int64_t first, extent; /* that it gives: so many, from there on */
    int64_t from;          /* bytes from a place to the next, in what it reads */
    int halo;
    unsigned edges; /* a bit for each edge rule in use */
};

struct axis_pass {
    struct device_level level;
    struct device_numbers from;
    struct device_array source; /* of samples: where they lie */
    double *to;                 /* a plane */
    int64_t to_rest;            /* numbers from a number to its rest */
    struct device_node node;
    struct device_axis axis;
    struct short_taps taps;
    int number;           /* of the axis, in `source` */
    int64_t outer, inner; /* numbers along all axes before it, and after it */
    struct device_pixel pixel;
    struct device_peaks peaks_from, peaks_to;
};

/* The axes that are neither filtered by the pass nor within pixels, by all places of which it is
 * done: bytes in what it reads and gives, and how many samples of the result lie between places. */
struct device_batch {
    int axes;
    int64_t extent[ARRAY_AXES], from[ARRAY_AXES], to[ARRAY_AXES], number[ARRAY_AXES];
    int64_t own[ARRAY_AXES]; /* in the source */
    int64_t count;
};

/* Where the source has the samples in whose places results are. */
struct device_own {
    const char *origin;
    enum sample_type type;
    struct sample_format format;
    int64_t down, along, sample; /* bytes to the next */
};

/* How sure sums are, of samples with a peak P: the error is below per_peak P + tiny, and, if all
 * are plain, below relative times the result, plus tiny. Both have room for what rounds a sum
 * that is moved by them. */
struct device_bound {
    bool scans;       /* P is found; else it is: */
    device_peak peak; /* of samples outside, if it scans */
    double per_peak, relative, tiny;
    double quotient;      /* relative: what a quotient of two sums loses by itself */
    bool special_is_sure; /* an estimate that is infinite or NaN is right, if nothing is huge */
    bool proves_zeros;    /* of plain samples: a sum that is 0 is that */
};

struct plane_pass {
    struct device_level level;
    struct device_numbers from;
    char *to;
    struct sample_format to_format;
    enum sample_type to_type;
    struct device_batch batch;
    const struct device_node *nodes, *roots; /* the inputs of roots are numbers of nodes */
    int root_count;
    bool squares;
    struct device_axis down, along;
    struct short_taps down_taps, along_taps;
    int64_t down_to, along_to, down_number, along_number; /* as in a batch */
    struct device_pixel pixel;
    int64_t from_sample, to_sample;
    bool gives_words;      /* rows of the result are whole words, which lie as a tile's do */
    struct device_own own; /* where samples do not all count alike */
    int tile, rows;        /* of a tile: pixels of a row; rows */
    int pitch;             /* numbers from a row of a tile to the next */
    struct device_peaks peaks;
    struct device_bound bound;
    bool exact_only;
    uint32_t *open; /* a bit for each sample of the result, that may be wrong */
    unsigned long long *opened, *closed; /* how many are, and are no more */
    int64_t first_sample;                /* the number of the first one in the result */
};

/* Numbers of a tile from a number to its rest. */
HOST_DEVICE int64_t to_rest(const struct plane_pass *pass)
{
    return (int64_t)pass->rows * pass->pitch;
}

#endif
