/* SPDX-License-Identifier: MIT */
/* Where `auto` has each operation done, CPU or GPU: from the work, the machine and the measured
 * speeds (figures.h) alone, so that the same question always has the same answer. Every variant
 * gives the same bytes: a bad choice costs time, and nothing else. */
#ifndef SMOOTHIMG_CHOICE_H
#define SMOOTHIMG_CHOICE_H

#include "figures.h"
#include "image.h"

#include <stdbool.h>

#define MAX_OPS 32

/* A number of images of one shape, each taken through all of the operations. */
struct work {
    const int *ops; /* enum op */
    int op_count;
    int64_t halo; /* of smooth */
    int64_t images;
    struct shape shape;
    bool weighted; /* smooth: alpha weighs the colours */
};

struct machine {
    int threads;             /* that compute at once, at least 1 */
    const char *level;       /* of the processor: a name of levels.h */
    const char *no_gpu;      /* why there is no GPU to choose, in a few words; NULL: there is one */
    bool tensor;             /* its tensor cores serve smooth */
    double gpu_speed;        /* of its kernels: 1 is the GPU of the figures */
    double gpu_wait;         /* seconds that its start still costs; 0: it is there */
    double gpu_call;         /* seconds to begin an operation */
    double upload, download; /* bytes a second */
};

struct choice {
    struct {
        bool on_gpu;
        const char *no_gpu; /* why no GPU was to be chosen, in a few words; NULL: it was slower */
        double cpu_seconds, gpu_seconds; /* for one image; the GPU's without its start */
    } ops[MAX_OPS];
    bool any_on_gpu;
    double gpu_wait; /* of the machine */
};

/* The machine with so many threads and the GPU of the figures, not started. */
struct machine machine_of_figures(int threads, const char *level);

/* Kernel speed of a GPU as a share of that of the figures, by multiprocessors x clock: an estimate,
 * which knows nothing of its memory or of the kinds of its arithmetic. 0 or less is unknown, and
 * taken as the same. */
double machine_gpu_speed(int multiprocessors, int clock_mhz);

/* Seconds in which the first file is read, raw or PNG, while a GPU can start. */
double choice_reading_seconds(const struct shape *shape, bool png);

/* Each operation goes where an image takes less time, but for a smooth whose halo has no figures on
 * the GPU, see FIGURES_GPU_HALO: that goes to the CPU. But all go to the CPU where the GPU's start
 * costs more than it saves over all images, and on a tie. */
struct choice choose(const struct work *work, const struct machine *machine);

/* "smooth cpu, about 31 ms; GPU 290 ms, of it 250 ms to start", or "smooth fused, about 40 ms; CPU
 * 610 ms": what was chosen for operation i, with the variant's name, and why. At most 70 bytes in
 * practice. */
void choice_sentence(const struct choice *choice, int i, const char *op, const char *name,
                     char *text, size_t bytes);

#endif
