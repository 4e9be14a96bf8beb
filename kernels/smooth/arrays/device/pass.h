/* SPDX-License-Identifier: MIT */
/* The arguments of the two kernels that filter arrays. filter_axis() filters along one axis into a
 * plane, a contiguous array of doubles in scratch memory. A plane has all axes of the array. Along
 * an axis that a later pass filters, it has all positions of the source; along the other axes, only
 * those of the box. There is one plane for each node: nodes are the sums of filtered inputs that
 * scheme.h plans. filter_plane() filters along the last two axes, unless filter_axis() has done so,
 * and rounds to samples.
 *
 * Terms:
 * - place: a position, which is an index along an axis.
 * - number: a sample converted to a real number, a weight, or a sum in a plane. If two doubles hold
 *   it (double-double), the lower one is its rest.
 * - peak: a bound on the magnitudes of some samples (device_peak).
 * - result: an array that a job computes; a job can have several. The results of a thread or of a
 *   tile are samples of such an array.
 * - open: unresolved. The rounding of such a sample of the result is not proven; once it is proven,
 *   the sample is closed.
 * - box: the part of the result for which the kernels are launched at a time (engine.h).
 * - tile: the part of a box that a block of filter_plane() computes at a time.
 * - plain: a sample is plain if it is 0 or from 2^-600 to 2^600 (bounds.h). */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_PASS_H
#define SMOOTHIMG_ARRAYS_DEVICE_PASS_H

#include "kernels/smooth/arrays/bounds.h"

/* How many adjacent results along an axis one thread computes from the same numbers, so that it
 * loads most numbers only once. Some kernels compute 2 GROUP. */
#define GROUP 8
#define STRIP 32 /* adjacent values, one for each lane of a warp */

/* The halo of a kernel is a template argument only if it is at most MOST_SHORT (bounds.h) and there
 * are at most this many sets of taps along an axis. */
#define SHORT_SETS 3

/* Returns how many results a thread of filter_axis() computes. halo: the kernel's template
 * argument; 0: the kernel takes any halo. */
HOST_DEVICE constexpr int results_by(int halo)
{
    return halo > 0 ? 2 * GROUP : GROUP;
}

/* Describes where an array lies in memory: for each axis, how many positions it has, and the bytes
 * from one position to the next. */
struct device_array {
    char *origin;
    int axes;
    int64_t extent[ARRAY_AXES], stride[ARRAY_AXES];
};

/* The input of a pass: samples, or values in planes. */
struct device_numbers {
    const char *origin;
    enum sample_type type; /* type of the samples */
    /* For planes: bytes from a plane to the next, and from a value to its lower double. */
    int64_t plane_bytes, rest_bytes;
};

/* The values of a pixel: its samples, or its samples and their weights (scheme.h). */
struct device_pixel {
    int samples, numbers;
    /* A pixel's values form groups of this length, and the last value of a group is the weight of
     * the others; 0: no weights. */
    int group;
    bool drops; /* weights are 0 for NaN, else 1; false: weights are alpha, or there are none */
};

/* The taps of one term along one axis, at distances 0..halo, and then zeros. The tap at distance -k
 * equals the tap at k, or, if `odd`, the negative of the tap at k. A term is a product of one
 * filter for each axis; the result is a sum of terms. */
struct device_taps {
    const double *taps, *rests;
    int halo;
    bool odd;
};

/* The taps of a kernel whose halo is a template argument. of_set[i]: the taps of set i, from
 * distance -halo on. Instructions read kernel arguments directly as operands, so these taps take no
 * registers. */
struct short_taps {
    double of_set[SHORT_SETS][2 * MOST_SHORT + 1];
};

/* One addend of a node: the samples or a plane, filtered along the stage's axis. */
struct device_input {
    struct device_taps taps;
    /* set: index of the taps among the stage's sets. plane: index of the plane that is read. */
    int16_t set, plane;
    enum edge edge;
    /* The value before the first and after the last position along the axis, if the edge rule needs
     * one: [0] for samples or sums, [1] for weights. */
    double outside[2], outside_rest[2];
    /* If sums are made of two doubles: their scale (bounds.h), divided by the scale of samples. */
    double gain;
};

struct device_node {
    const struct device_input *inputs;
    int count;
    /* The edge rule by which the next stage reads before the first and after the last position of a
     * row of this node's plane, and the value there if the rule needs one: [0] for samples or sums,
     * [1] for weights. */
    enum edge row_edge;
    double outside[2], outside_rest[2];
};

/* A bound on the magnitudes of some samples, infinities and NaN excepted: the upper word of a
 * double, rounded up. The sign bit is set if a sample is not plain (0, or 2^-600 to 2^600). A plane
 * has one peak for each STRIP adjacent values: the peak of the samples from which these values are
 * computed. */
typedef uint32_t device_peak;

#define NOT_PLAIN 0x80000000u

/* The counters in scratch memory. */
enum device_count {
    OPENED,   /* how many samples were marked as open; its maximum if there were no passes */
    CLOSED,   /* how many of these the second level has closed */
    GREATEST, /* greatest peak of all tiles, without the bit NOT_PLAIN; 0 if there were none */
    TAKEN,    /* how many words of `open` the blocks of repair_array() have taken */
    COUNTS
};

/* Decides whether the kernels of a level (engine.h) have work: they do if *opened, the count of
 * samples that the first level has left unresolved, is at least `least`. The first level always
 * runs: its `least` is 0. */
struct device_level {
    const unsigned long long *opened;
    unsigned long long least;
};

/* An axis along which a pass filters, or only copies. */
struct device_axis {
    int64_t length;        /* positions along this axis in the array that the pass reads */
    int64_t first, extent; /* the results: `extent` positions, from `first` on */
    int64_t from;          /* bytes from a position to the next in the array that the pass reads */
    int halo;
    unsigned edges; /* a bit for each edge rule in use */
};

/* The arguments of filter_axis(). */
struct axis_pass {
    struct device_level level;
    struct device_numbers from;
    struct device_array source; /* the samples, or plane 0; the other planes follow it */
    double *to;                 /* the plane that is written */
    int64_t to_rest;            /* distance, in doubles, from a value in `to` to its lower double */
    struct device_node node;
    struct device_axis axis;
    struct short_taps taps;
    int number;           /* index of the filtered axis in `source` */
    int64_t outer, inner; /* how many lines there are along the axes before the filtered one; along
                             those after it */
    int64_t pitch;        /* values from a position on the filtered axis to the next, in `to` */
    struct device_pixel pixel;
    device_peak *peaks_from, *peaks_to; /* peaks_to: NULL if peaks are not needed */
    bool joins_peaks; /* peaks_to already has the peaks of the samples that other nodes read */
    device_peak peak; /* the peak of the value outside of the array */
};

/* The axes that filter_plane() does not filter, without the axis of the samples in a pixel. The
 * kernel filters a two-dimensional slice for each combination of positions along these axes.
 * `from`, `to`, `own` and `number` have, for each axis, the step from a position to the next. from:
 * bytes in the array that the kernel reads; to: bytes in the result; own: bytes in the source;
 * number: the difference between the indices of the result's samples. count: how many slices there
 * are. */
struct device_batch {
    int axes;
    int64_t extent[ARRAY_AXES], from[ARRAY_AXES], to[ARRAY_AXES], number[ARRAY_AXES];
    int64_t own[ARRAY_AXES];
    int64_t count;
};

/* The source's samples at the positions of the results. Where alpha is 0 in a whole window, the
 * result is the source's sample. */
struct device_own {
    const char *origin;
    enum sample_type type;
    struct sample_format format;
    int64_t down, along, sample; /* bytes to the next row; pixel; sample */
};

/* Error bounds of sums over samples with the peak P: the error is below per_peak P + tiny. If all
 * samples are plain (0, or 2^-600 to 2^600), the error is also below relative |result| + tiny. The
 * rounding of sum - bound and sum + bound is not included: round.h and quick_ends (store.cuh) allow
 * for it. */
struct device_bound {
    bool scans;       /* P is measured for each tile; else it is `peak` */
    device_peak peak; /* if `scans`: P of the values outside of the array */
    double per_peak, relative, tiny;
    double quotient;      /* relative error that the division of two sums adds */
    bool special_is_sure; /* an infinite or NaN estimate is right if P is at most MOST_PLAIN */
    bool proves_zeros;    /* an estimate of 0 for plain samples means that the exact sum is 0 */
};

/* The arguments of filter_plane(). */
struct plane_pass {
    struct device_level level;
    struct device_numbers from;
    char *to;
    struct sample_format to_format;
    enum sample_type to_type;
    uint64_t most; /* results are clamped to at most this; UINT64_MAX: no limit */
    struct device_batch batch;
    /* A node is a sum of inputs filtered down the columns. A root is a sum of nodes filtered along
     * the rows. The member `plane` of a root's input is the index of the node. */
    const struct device_node *nodes, *roots;
    int root_count;
    bool squares; /* for a magnitude: the squares of the roots are summed */
    struct device_axis down, along;
    struct short_taps down_taps, along_taps;
    int64_t down_to, along_to, down_number, along_number; /* as `to` and `number` in device_batch */
    struct device_pixel pixel;
    int64_t from_sample, to_sample;
    bool gives_words;         /* a tile's rows can be copied to the result in aligned units of 16
                                 bytes (plane_word) */
    struct device_own own;    /* used if samples have weights */
    int tile, rows;           /* pixels in a row of a tile, and rows of a tile */
    int pitch;                /* in shared memory: doubles from a row of sums to the next */
    const device_peak *peaks; /* the peaks of the planes that are read */
    struct device_bound bound;
    uint32_t *open;             /* a bit for each sample of the result; set: the sample is open */
    unsigned long long *counts; /* enum device_count */
    int64_t first_sample;       /* index, in the whole result, of the box's first sample */
};

/* Returns how many doubles lie from a value in shared memory to its lower double. */
HOST_DEVICE int64_t to_rest(const struct plane_pass *pass)
{
    return (int64_t)pass->rows * pass->pitch;
}

#endif
