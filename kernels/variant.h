/* SPDX-License-Identifier: MIT */
/* The contract between the host and a variant: what the variants in this folder may assume, and
 * what they guarantee. Both C and CUDA C++ include this header.
 *
 * The host allocates and copies; a variant only computes:
 *  - run() reads job->src and writes every sample of job->dst and nothing else: neither the bytes
 *    between a row's end and the next row, nor the border.
 *  - src and dst never overlap. A variant never writes to src.
 *  - smooth reads what src has beside the job's pixels (job->beside), and where that ends, before
 *    the filter does, the edge rule tells what is there. transpose and reverse get halos of 0.
 *  - Any size from 1x1 is legal, any channel count from 1, rows of any stride, and more than 2^31
 *    samples: offsets have 64 bits.
 *  - On the GPU, a variant may read a whole aligned unit of 16 bytes if one of its bytes belongs
 *    to a row of src, or of what lies beside it.
 *  - run() neither allocates nor prints nor exits. Its working memory is job->scratch: as many
 *    bytes as scratch_bytes() returned, aligned to 64, with unspecified contents.
 *  - All variants of an operation give the same bytes. The one marked `reference` defines them. */
#ifndef SMOOTHIMG_VARIANT_H
#define SMOOTHIMG_VARIANT_H

#if defined __FAST_MATH__ || __FINITE_MATH_ONLY__ + 0 > 0
#error "the bounds of errors need IEEE arithmetic: compile without -ffast-math"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_HALO 1024         /* pixels */
#define MOST_STATE_BYTES 4224 /* of an engine: see prepare() */

/* The maxval of an image whose samples are binary32: 4 bytes in the machine's byte order, with any
 * bits, NaN and infinities included. Of no integers: theirs is 1 or more. */
#define FLOAT_SAMPLES 0u

enum op { OP_SMOOTH, OP_TRANSPOSE, OP_REVERSE, OP_COUNT };
enum backend { ON_CPU, ON_GPU };

/* An image in the memory of the variant's backend, which the view does not own. Samples of a pixel
 * lie side by side. */
struct view {
    void *origin;         /* first sample of pixel (0, 0), inside the border */
    int64_t width;        /* pixels in a row */
    int64_t height;       /* rows */
    int64_t stride_bytes; /* from a sample to the one below it; a multiple of sample_bytes */
    int32_t channels;     /* samples in a pixel */
    int32_t sample_bytes; /* 1: uint8_t; 2: uint16_t; 4: float; in the machine's byte order */
};

/* How many pixels, and rows, of a source lie on each side of those that a job names: these are
 * there too, at the same distances. Where they end, the edge rule applies. */
struct beside {
    int64_t left, right, above, below; /* 0 or more */
};

/* One call of one variant. */
struct job {
    struct view src;
    struct view dst;        /* transpose: dst.width == src.height; else the same size as src, but
                               for `above` */
    uint32_t maxval;        /* the greatest sample of src; 1..255 with 1 byte, 1..65535 with 2;
                               FLOAT_SAMPLES with 4 */
    bool weighted;          /* smooth: the last channel, of two or more, is alpha and weighs the
                               others: smooth/reference.c */
    bool skip_nan;          /* smooth, floats: a NaN is no sample; the rest is divided by the sum of
                               its weights */
    struct beside beside;   /* smooth: what src has beside these pixels */
    int64_t halo;           /* smooth: the greater of the next two */
    int64_t halo_x, halo_y; /* smooth: reach of the filter along the rows, down the columns; 0:
                               that axis is left alone */
    /* smooth: 2 * halo_x + 1 and 2 * halo_y + 1 of them, symmetric, in units of 2^-46; always in
     * the host's memory: kernels get them as an argument. May be one array. */
    const uint64_t *weights_x, *weights_y;
    int edge; /* smooth: where src ends, an enum edge (common/edge.h) */
    /* GPU: a stack of images of one shape, of which src and dst are the first, and the bytes from
     * one to the next; 0 images: one. For variants that `takes_stack`: see common/engine.h. */
    int64_t images, src_apart, dst_apart;
    void *scratch; /* in the backend's memory; the host owns it */
    int threads;   /* CPU: how many may compute at once, at least 1 */
    int block;     /* GPU: edge of the thread block that --block asks for; 0: the variant's own */
    /* What was decided and made once for many such jobs (src/lib/filter/engine_plan.h): which
     * engine computes, and its prepare()'s state. NULL: it is chosen for this job, and prepares
     * itself. */
    const struct variant *engine;
    const void *state;
    void *stream; /* GPU: the cudaStream_t to launch on. run() enqueues and returns. Exception:
                     smooth's fused waits for its trials (smooth/fused/trial.cuh), once in a
                     process for each device and kernel, or shape of a kernel, that needs one */
    const struct isa *isa; /* CPU: whose inner loops to use (common/isa.h); NULL: the highest */
};

/* Does src have all that the filter reaches? */
static inline bool source_has_all(const struct job *job)
{
    const struct beside *beside = &job->beside;

    return beside->left >= job->halo_x && beside->right >= job->halo_x &&
           beside->above >= job->halo_y && beside->below >= job->halo_y;
}

/* Members that may be left out, and then are 0. C++ compilers warn of others. */
#ifdef __cplusplus
#define OPTIONAL = {}
#else
#define OPTIONAL
#endif

/* clang-format would take the space away before OPTIONAL. */
/* clang-format off */
struct variant {
    enum op op;
    const char *name;        /* the word after --variant */
    enum backend backend;    /* where src, dst and scratch are */
    bool reference OPTIONAL; /* exactly one for each operation, on the CPU */
    const char *description; /* one line for --list-variants */

    /* Returns NULL, or a static string that says why this variant cannot do the job. A NULL
     * pointer: it can do every job. */
    const char *(*refuses)(const struct job *job) OPTIONAL;

    /* Returns the bytes of scratch that run() uses. A NULL pointer: none. */
    size_t (*scratch_bytes)(const struct job *job) OPTIONAL;

    /* Computes. Returns NULL, or a static string that says what failed. */
    const char *(*run)(const struct job *job) OPTIONAL;

    /* GPU, of an engine: whether run() computes where src and dst lie, as it does where all rows
     * begin at multiples of 16 bytes. A NULL pointer: anywhere. Ask by lies_well()
     * (common/engine.h). */
    bool (*lies_well)(const struct job *job) OPTIONAL;

    /* GPU: whether run() computes all images of job->images. For fewer or smaller images of that
     * kind run() needs no more scratch. A NULL pointer: it computes one image. */
    bool (*takes_stack)(const struct job *job) OPTIONAL;

    /* Of an engine: whether it is faster for a job than those below it in the table, if it does not
     * refuse it: this is asked first, of any job. A NULL pointer: always. */
    bool (*pays)(const struct job *job) OPTIONAL;

    /* Of an engine: makes, in MOST_STATE_BYTES aligned to 64, what jobs share that have the filter,
     * the kind of samples and the width of this one, and no more rows; addresses may differ.
     * Returns NULL, or why the engine cannot do them, where refuses() would take too long to find
     * out. A NULL pointer: there is nothing to prepare. */
    const char *(*prepare)(const struct job *job, void *state) OPTIONAL;

    /* Ways to compute, each a variant of its own, which --variant names with a colon, cpu:u8: from
     * special to general, and a row without a name at the end. engine_for() (common/engine.h)
     * chooses; this variant has none of the functions above but refuses. NULL: there
     * is one way, this variant's. */
    const struct variant *engines OPTIONAL;
};
/* clang-format on */

/* Defines the variant of the file OP/NAME; STEM is OP_NAME, as in variant_list.h. The declaration
 * comes first because a const object has internal linkage in C++ otherwise. */
#ifdef __cplusplus
#define DEFINE_VARIANT(STEM)                                                                       \
    extern "C" {                                                                                   \
    extern const struct variant variant_##STEM;                                                    \
    }                                                                                              \
    const struct variant variant_##STEM
#else
#define DEFINE_VARIANT(STEM)                                                                       \
    extern const struct variant variant_##STEM;                                                    \
    const struct variant variant_##STEM
#endif

#endif
