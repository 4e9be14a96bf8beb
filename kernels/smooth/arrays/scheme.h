/* SPDX-License-Identifier: MIT */
/* Plans the passes that compute a job, and computes those error bounds that do not depend on the
 * samples. The plan is made once, and all threads read it.
 *
 * A pass filters along one axis. The passes form stages, one for each filtered axis. The first
 * stage filters along the outermost axis and reads the samples; the last one filters along the
 * rows, whose samples are closest in memory. A stage makes nodes: a node is a sum of passes over
 * nodes of the stage before. A filter is a sum of terms, each with one pass along every filtered
 * axis. Terms that begin with the same passes share them. Terms that end with the same passes are
 * added before these, and then share them too. A Laplacian in three axes has three terms of three
 * passes each. Shared, these are 7 passes, where 0(...) smooths and 2(...) takes the second
 * derivative:
 *
 *     z: A = 0(samples), B = 2(samples)    y: C = 0(A), D = 0(B) + 2(A)    x: result = 2(C) + 0(D)
 *
 * With ARRAY_APART terms are not added: each is a result array of its own. A Hessian in three axes
 * has six terms of three passes each; shared, these are 15.
 *
 * A number is a sample converted to a real number, its weight, or a sum of these; if two doubles
 * hold it, the lower one is its rest. Samples are plain if each of them is 0 or at least
 * LEAST_PLAIN (2^-600); on a GPU they are also at most MOST_PLAIN (2^600). */
#ifndef SMOOTHIMG_ARRAYS_SCHEME_H
#define SMOOTHIMG_ARRAYS_SCHEME_H

#include "kernels/smooth/arrays/bounds.h"

/* The greatest number of stages, each of which is all passes along one axis: one for each filtered
 * axis, and two more. The row's axis has a stage even if it is not filtered, and so has the
 * outermost axis if no axis but the row's is filtered. */
#define ARRAY_STAGES (ARRAY_FILTERED + 2)
/* An unfiltered last axis holds the samples of a pixel if the last of them is alpha. It also does
 * if it has at most ARRAY_PIXEL samples, the result has all of them, and the axis before is
 * filtered. Otherwise the last axis is the row's axis. */
#define ARRAY_PIXEL 16

struct input {
    /* The node that is filtered: its index in node[] of the stage before. The first stage filters
     * samples instead. */
    uint8_t node;
    /* The taps of the filter: their index in set[] of the stage. */
    uint8_t taps;
};

struct node {
    uint32_t terms;   /* bit t is set if the node is a part of term t */
    uint32_t results; /* bit r is set if result array r is made from the node */
    int inputs;
    struct input input[ARRAY_FILTERED];
    enum edge row_edge; /* the edge rule of the last stage, along the row, for the node's terms */
    /* The value of the node's sums where all samples are equal to the value outside of the array.
     * [0]: of sums of samples, times their weights if they have any; [1]: of sums of weights. */
    double outside[2], outside_rest[2];
    struct node_bound bound;
    /* On a GPU: the scale U (bounds.h) of its sums in two doubles, divided by the scale of samples.
     */
    double gain;
};

struct stage {
    int axis; /* axis of the job; -1: the stage has no axis, but one coordinate */
    /* The axis's index among the job's filtered axes; -1: the axis is not filtered. */
    int filtered;
    /* Along the axis, the source has `length` coordinates, and the result `extent` of these, from
     * `first` on. */
    int64_t length, first, extent;
    /* Bytes from a coordinate to the next: in the source; in the result. */
    int64_t from_stride, to_stride;
    int64_t reach;  /* the greatest halo of the stage's taps */
    unsigned edges; /* bit e is set if a term uses edge rule e */
    /* For sums in two doubles: the power of two by which this stage multiplies the scale U of
     * bounds.h. */
    double gain;
    int sets;
    struct axis_taps set[ARRAY_FILTERED];
    int nodes;
    struct node node[ARRAY_FILTERED];
};

/* How the samples of a pixel lie in a row. */
struct scheme_pixel {
    int axis;        /* the axis along the samples of a pixel, which is not filtered; -1: none */
    int64_t samples; /* samples of a pixel */
    /* How many numbers of a pixel the passes filter: its samples, or its samples and their weights.
     */
    int64_t numbers;
    /* How many numbers form a group, of which the last is the weight of the others; 0: samples have
     * no weights. */
    int64_t group;
    int64_t stride, to_stride; /* bytes from a sample to the next: in the source; in the result */
};

/* The error bounds of estimates (bounds.h), as far as they do not depend on the samples. */
struct scheme_bounds {
    /* True if bounds are computed from peaks (extremes) of the samples, not from their type. */
    bool scans;
    bool is_special;  /* no bound for underflow holds (ARRAY_MOST_BITS): all sums are exact */
    bool keeps_plain; /* no tap is negative, and results are sums, not square roots */
    double peak;      /* bound on the magnitude of an integer sample; INFINITY for floats */
    double size;      /* bound on |result|, divided by the peak */
    /* [r]: the error bound of results in array r, divided by the peak. */
    double per_peak[ARRAY_FILTERED];
    /* If all samples are plain (0 or at least 2^-600): the error bound divided by the result. */
    double relative;
    double mean_relative; /* as `relative`, for a weighted mean */
    double least;         /* the least |product| of nonzero taps, one from each stage */
    double tiny;          /* bound on the errors that underflow causes */
    /* For sums in two doubles: the error bound divided by the scale of the last pass. */
    double wide_relative;
    double gains; /* product of the gains of all stages */
    /* True if an estimate of 0 in two doubles is exact for plain samples (0 or at least 2^-600). */
    bool proves_zeros;
};

struct array_scheme {
    const struct array_job *job; /* as array_simplify() makes it */
    bool on_gpu;                 /* products are added in the order of GPUs (bounds.h) */
    struct array_weight one; /* the number 1: the only tap of a stage whose axis is not filtered */
    int last;                /* index of the last stage, along the row */
    struct stage stage[ARRAY_STAGES];
    /* [t][s]: the index of term t's taps in set[] of stage s. */
    uint8_t set_of[ARRAY_FILTERED][ARRAY_STAGES];
    int results; /* number of result arrays: with ARRAY_APART the number of terms, else 1 */
    /* How many sums of the last stage (roots) make the results: one for each result array, or, for
     * a magnitude, one for each square that is summed. */
    int roots;
    uint8_t root[ARRAY_FILTERED]; /* [i]: index of root i in node[] of the last stage */
    struct scheme_pixel pixel;
    int batches; /* number of axes that are neither a stage's axis nor the pixel's */
    int batch_axis[ARRAY_AXES];
    bool packed, to_packed; /* the samples of a row are contiguous: in the source; in the result */
    bool has_rests;         /* a loaded number may not fit one double */
    /* True if pixels that have no mean, since the weights in their windows are 0, are copied as
     * bytes. Such a copy has the right alpha too: it is 0 in the source and in the result. */
    bool keeps_bytes;
    bool wide; /* estimates begin in two doubles, since one would not be precise enough */
    struct scheme_bounds bounds;
};

#ifdef __cplusplus
extern "C" {
#endif

/* A loaded row holds a number for each sample. With ARRAY_WITHOUT_NAN each number is followed by
 * its weight; with ARRAY_BY_ALPHA the last number of a pixel, alpha, is the weight of the others.
 * scheme_number() returns the index in such a row of the number for sample x of the result.
 * scheme_weight() returns the index of that sample's weight, or -1 if it has none. */
static inline int64_t scheme_number(const struct array_scheme *scheme, int64_t x)
{
    return x * (scheme->pixel.numbers / scheme->pixel.samples);
}

static inline int64_t scheme_weight(const struct array_scheme *scheme, int64_t x)
{
    const int64_t number = scheme_number(scheme, x), group = scheme->pixel.group;
    const int64_t weight = group > 0 ? number - number % group + group - 1 : number;

    return weight == number ? -1 : weight;
}

/* Sets *value and *rest to the number that is loaded for a sample outside of the array: the job's
 * value outside, or, if alpha weights samples, its square, since alpha has the same value there. If
 * `weight`, sets them to that sample's weight instead. */
void array_outside(const struct array_job *job, bool weight, double *value, double *rest);

/* Makes the scheme, and its taps at *memory; advances *memory by their bytes. `job` has been
 * simplified by array_simplify(); it and its taps must outlive the scheme. If *memory is 0, makes
 * no taps and no error bounds, but counts the taps' bytes. */
void array_make_scheme(const struct array_job *job, bool on_gpu, uintptr_t *memory,
                       struct array_scheme *scheme);

#ifdef __cplusplus
}
#endif

#endif
