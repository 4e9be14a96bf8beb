/* SPDX-License-Identifier: MIT */
/* The passes by which a job is computed, and their bounds, as far as they do not depend on
 * the samples: made once, read by all threads.
 *
 * Passes filter one axis each, stage by stage: the outermost filtered axis first, straight from the
 * samples, and the row's axis, whose samples lie nearest to each other, last. Terms that begin
 * alike share passes, and so do terms that end alike and are added: what a stage makes are nodes,
 * sums of passes over nodes of the stage before. A Laplacian in three axes, 0 smooths and 2 is the
 * second derivative, takes 2, 3 and 2 passes for 9:
 *
 *     z: A = 0(samples), B = 2(samples)    y: C = 0(A), D = 0(B) + 2(A)    x: result = 2(C) + 0(D)
 */
#ifndef SMOOTHIMG_ARRAYS_SCHEME_H
#define SMOOTHIMG_ARRAYS_SCHEME_H

#include "kernels/smooth/arrays/bounds.h"
#include "kernels/smooth/arrays/loops.h"

/* The row's may be an axis of its own that is not filtered, and so may the first. */
#define ARRAY_STAGES (ARRAY_FILTERED + 2)

struct input {
    uint8_t node; /* of the stage before; of the first stage: unused */
    uint8_t taps; /* which of the stage's */
};

struct node {
    uint32_t terms; /* a bit for each term that it is a part of */
    int inputs;
    struct input input[ARRAY_FILTERED];
    enum edge row_edge; /* by which its consumer reads beyond the row's ends */
    /* What it is where all samples are those outside of the array; and of their weights. */
    double outside[2], outside_rest[2];
    struct node_bound bound;
};

struct stage {
    int axis;                      /* of the job; -1: none, of one place */
    int filtered;                  /* which of the job's filtered axes; -1: it is not filtered */
    int64_t length, first, extent; /* of the source; of the result */
    int64_t from_stride, to_stride;
    int64_t reach;  /* the greatest halo */
    unsigned edges; /* a bit for each edge rule that is in use */
    double gain;    /* by which scales of sums of two doubles grow: a power of two */
    int sets;
    struct axis_taps set[ARRAY_FILTERED];
    int nodes;
    struct node node[ARRAY_FILTERED];
};

struct array_scheme {
    const struct array_job *job; /* simple */
    bool in_order;               /* each sum is made from one end to the other, as on a GPU */
    struct array_weight one;     /* of an axis that is not filtered */
    int last;                    /* the row's stage */
    struct stage stage[ARRAY_STAGES];
    uint8_t set_of[ARRAY_FILTERED][ARRAY_STAGES]; /* of a term */
    int roots; /* nodes of the last stage whose sum of squares is asked for, or one */
    uint8_t root[ARRAY_FILTERED];
    int sample_axis; /* within pixels, not filtered; or -1 */
    int64_t samples; /* of a pixel */
    int64_t numbers; /* of a pixel, which passes filter: as many, or with weights of samples more */
    int64_t group;   /* numbers of which the last is the others' weight; 0: all count alike */
    int64_t sample_stride, to_sample_stride;
    int batches; /* other axes that are not filtered */
    int batch_axis[ARRAY_AXES];
    bool packed, to_packed; /* rows lie sample by sample */
    bool has_rests;         /* numbers that are loaded take two doubles */
    bool keeps_bytes; /* a pixel without a mean is copied: its alpha, too, is 0 before and after */
    bool wide;        /* the first estimates are sums of two doubles */
    bool scans;       /* bounds come from the samples' peaks, not from their type */
    bool is_special;  /* no estimate serves */
    bool keeps_plain; /* no tap is negative, and there is one root, of no squares */
    double peak;      /* of the type, and outside */
    double size;      /* the greatest |result|, by the peak */
    double per_peak;  /* the error, by the peak */
    double relative;  /* of plain samples: the error, by the result */
    double mean_relative; /* the same, of quotients */
    double least;         /* the least product of a tap of each stage that is not 0 */
    double tiny;          /* what underflow adds */
    double wide_relative; /* of two doubles: the error, by the scale of the last pass */
    double gains;         /* of all stages */
    bool proves_zeros;    /* in two doubles, of plain samples */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Which number of a row is sample x of the result, and which is its weight; -1: it has none. */
static inline int64_t scheme_number(const struct array_scheme *scheme, int64_t x)
{
    return x * (scheme->numbers / scheme->samples);
}

static inline int64_t scheme_weight(const struct array_scheme *scheme, int64_t x)
{
    const int64_t number = scheme_number(scheme, x), group = scheme->group;
    const int64_t weight = group > 0 ? number - number % group + group - 1 : number;

    return weight == number ? -1 : weight;
}

/* What is outside of the array, as it is loaded, or its weight. */
void array_outside(const struct array_job *job, bool weight, double *value, double *rest);

/* Counts what the scheme takes: its taps lie in *memory, which it moves on. job: simple; it and the
 * taps must stay. With an address of 0 nothing is written there. */
void array_make_scheme(const struct array_job *job, bool in_order, uintptr_t *memory,
                       struct array_scheme *scheme);

#ifdef __cplusplus
}
#endif

#endif
