/* SPDX-License-Identifier: MIT */
/* The contract between the host and a variant: everything that a file in this folder may assume,
 * and everything that it owes. C and CUDA C++ read this header alike.
 *
 * The host moves bytes, a variant only computes:
 *  - run() reads job->src and writes every sample of job->dst, and not one byte beside them: the
 *    bytes between the end of a row and the next stride, and the border, are not the variant's.
 *  - src and dst never overlap. src is never written.
 *  - src has a border of job->halo pixels on each of its four sides, filled by the edge rule. No
 *    variant knows an edge rule. transpose and reverse get a halo of 0.
 *  - every size from 1x1 is legal, any channel count from 1, rows of any stride. Offsets are 64
 * bits wide: images exceed 2^31 samples.
 *  - on the GPU, an aligned unit of 16 bytes that holds a sample of a row of src, or of its border,
 *    may be read whole.
 *  - run() neither allocates nor prints nor exits. Working memory is job->scratch, of the size that
 *    scratch_bytes() asked for, aligned to 64 bytes, with unspecified contents.
 *  - all variants of an operation give the same bytes. The one marked `reference` says which. */
#ifndef SMOOTHIMG_VARIANT_H
#define SMOOTHIMG_VARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_HALO 1024 /* pixels */

enum op { OP_SMOOTH, OP_TRANSPOSE, OP_REVERSE, OP_COUNT };
enum backend { ON_CPU, ON_GPU };

/* An image in the memory of the variant's backend. Samples of a pixel lie side by side. */
struct view {
    void *origin;         /* first sample of pixel (0, 0), inside the border */
    int64_t width;        /* pixels in a row */
    int64_t height;       /* rows */
    int64_t stride_bytes; /* from a sample to the one below it; a multiple of sample_bytes */
    int32_t channels;     /* samples in a pixel */
    int32_t sample_bytes; /* 1: uint8_t; 2: uint16_t in the machine's byte order */
};

/* One call of one variant. */
struct job {
    struct view src;
    struct view dst;         /* transpose: dst.width == src.height; else the same size as src */
    uint32_t maxval;         /* no sample of src is above it; 1..255 with 1 byte, 1..65535 with 2 */
    bool weighted;           /* smooth: the last channel, of two or more, is alpha, and weighs the
                                others: smooth/reference.c */
    int64_t halo;            /* smooth: border of src, and reach of the filter, in pixels */
    const uint64_t *weights; /* smooth: 2 * halo + 1 of them, symmetric, in units of 2^-46; always
                                in the host's memory: a launch takes them along as an argument */
    void *scratch;
    int threads;  /* CPU: how many may compute at once, at least 1 */
    int block;    /* GPU: edge of the thread block that --block asks for; 0: the variant's own */
    void *stream; /* GPU: the cudaStream_t to launch on. run() enqueues and returns, but for
                     smooth's fused on tensor cores: it waits once in a process for each device and
                     shape of its kernel, to compare a small image with the other kernels */
    const struct isa *isa; /* CPU: whose inner loops to use (common/isa.h); NULL: the highest */
};

struct variant {
    enum op op;
    const char *name;        /* the word after --variant */
    enum backend backend;    /* where src, dst, weights and scratch are */
    bool reference;          /* exactly one for each operation, on the CPU */
    const char *description; /* one line for --list-variants */

    /* NULL, or a sentence that says why this variant cannot serve this job. May be NULL: it serves
     * every job. */
    const char *(*refuses)(const struct job *job);

    /* Bytes of scratch that run() will use. May be NULL: none. */
    size_t (*scratch_bytes)(const struct job *job);

    /* Computes. NULL, or a sentence that says what failed. */
    const char *(*run)(const struct job *job);

    /* GPU: by how many bytes src's rows should begin off a multiple of 256, below 256. May be NULL:
     * by none. A wish: run() takes any job. */
    int64_t (*src_phase)(const struct job *job);
};

/* Defines the variant of the row STEM of the list, the stem of its file. C++ would give a const
 * object internal linkage, hence the declaration first. */
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
