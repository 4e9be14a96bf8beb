/* SPDX-License-Identifier: MIT */
/* What the threads of a run compute with: the library's filters, made once, and its contexts, each
 * lent to one thread at a time. If a variant of a GPU was named, a context is a session of the GPU,
 * kept for the next thread; several overlap their copies and kernels. */
#ifndef SMOOTHIMG_COMPUTER_H
#define SMOOTHIMG_COMPUTER_H

#include "kernels/common/parallel.h"
#include "src/app/stream/compute/work.h"
#include "src/lib/api/study.h"
#include "src/text/string_list.h"

#include <pthread.h>
#include <stdatomic.h>

#define VOLUME_AXES 4 /* of the arrays: pages, rows, pixels, samples; the last is not filtered */

/* What others read is changed by computer.c alone. */
struct computer {
    const struct work_options *options;
    const char *variants[MAX_OPS]; /* of each operation that runs */
    bool on_gpu;                   /* all of them: one word chose them */
    atomic_bool lost;              /* the device that they need has failed, or is not there */
    /* Of each operation that has one; [i][1]: the last channel weighs the others. */
    struct smoothimg_filter *filters[MAX_OPS][2];

    struct smoothimg_context *maker; /* of the filters; it also keeps the threads of all contexts */
    pthread_mutex_t mutex;           /* over what follows */
    struct smoothimg_context *free[MAX_THREADS]; /* sessions of the GPU that nobody has */
    int free_count;
    struct gpu_device device; /* once it is opened; without a name before */
};

/* Finds the variants (computer_variants), and makes the filters: STATUS_INVALID if their weights
 * cannot be. Borrows the options. The caller closes it, after a failure too. */
enum status computer_open(struct computer *computer, const struct work_options *options,
                          struct error *error);
void computer_close(struct computer *computer);

/* Sets variants to what `--variant WORD` means for each operation: the variant or engine of that
 * name; for `gpu` the best of a GPU, and for `auto` and `cpu` of the processor. STATUS_USAGE: the
 * word is unknown; the message lists the known ones. STATUS_DEVICE: this build lacks the variant;
 * the message says how to build it. *on_gpu: are they of a GPU? */
enum status computer_variants(const struct work_options *options, const char *variants[MAX_OPS],
                              bool *on_gpu, struct error *error);

/* Opens a GPU if one was asked for. STATUS_DEVICE if there is none. */
enum status computer_check(struct computer *computer, struct error *error);

/* Lends a context: a session of the GPU, maybe opened for it; else one that computes by so many
 * threads. No more than the run's threads have one at the same time. STATUS_DEVICE if the GPU that
 * was asked for is not there. The caller gives it back, with the status of what it was for: after
 * STATUS_DEVICE nobody gets it again. NULL is legal. */
enum status computer_lend(struct computer *computer, int threads,
                          struct smoothimg_context **context, struct error *error);
void computer_give(struct computer *computer, struct smoothimg_context *context,
                   enum status status);

/* A failure of the library as one of the program's. context: NULL: it could not be opened. */
enum status computer_status(struct computer *computer, const struct smoothimg_context *context,
                            enum smoothimg_status status, struct error *error);

/* "0: NVIDIA H200", if the device was opened; else "". */
struct phrase computer_gpu(const struct computer *computer);

#endif
