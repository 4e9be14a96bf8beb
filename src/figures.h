/* SPDX-License-Identifier: MIT */
/* The measured speeds that `auto` goes by. All of them stand in figures.c, with the machines that
 * they were measured on. */
#ifndef SMOOTHIMG_FIGURES_H
#define SMOOTHIMG_FIGURES_H

#include "variant.h"

/* What an operation does to a sample, as far as its speed goes. */
struct figures_job {
    enum op op;
    int64_t halo;         /* of smooth */
    int32_t channels;     /* samples in a pixel */
    int32_t sample_bytes; /* 1 or 2 */
    bool weighted;        /* alpha weighs the colours */
};

/* Samples a second of one thread of the best variant on the CPU, for a result in memory that has
 * been used before. level: a name of levels.h; an unknown one counts as the slowest. */
double figures_cpu_rate(const struct figures_job *job, const char *level);

/* The largest halo of smooth that has figures on the GPU. Beyond it the best variant depends on the
 * GPU so much that estimates from one rate were wrong by a factor of 7. */
#define FIGURES_GPU_HALO 64
#define FIGURES_GPU_HALO_TEXT "no GPU beyond halo 64"

/* Samples a second of the kernel of the best variant on the GPU of the figures, up to that halo.
 * tensor: smooth may use its tensor cores. */
double figures_gpu_rate(const struct figures_job *job, bool tensor);

/* The rest, as it is. */
struct figures {
    double fresh;        /* CPU: bytes a second that one thread gets of new memory */
    double memory;       /* CPU: bytes a second, read and written, by however many threads */
    double cpu_call;     /* seconds to begin an operation: threads, tables */
    double read_raw;     /* bytes of a file a second */
    double read_png;     /* bytes of samples a second */
    double gpu_start;    /* seconds from nothing to the first copy */
    double gpu_end;      /* seconds to give it back */
    double gpu_call;     /* seconds to begin an operation: tables, launches, waiting */
    double bus;          /* bytes a second between pinned memory and the GPU */
    double lane;         /* bytes a second that one thread copies from or to pinned memory */
    int lanes;           /* threads that copy, at most */
    int multiprocessors; /* of the GPU of the figures */
    int clock_mhz;
};
extern const struct figures figures;

#endif
