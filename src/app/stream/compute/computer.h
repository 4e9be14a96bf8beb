/* SPDX-License-Identifier: MIT */
/* The computer of a run makes the library's filters once, and lends contexts of the library to
 * threads: the borrower alone uses a context until it gives the context back. On a GPU a context,
 * called a session here, is kept for the next borrower. The copies and kernels of several sessions
 * overlap. */
#ifndef SMOOTHIMG_COMPUTER_H
#define SMOOTHIMG_COMPUTER_H

#include "kernels/common/parallel.h"
#include "src/app/stream/compute/work.h"
#include "src/lib/api/study.h"
#include "src/text/string_list.h"

#include <pthread.h>
#include <stdatomic.h>

/* Axes of the arrays: pages, rows, pixels, samples; the last is not filtered. */
#define VOLUME_AXES 4

/* Other files read the members, but only computer.c changes them. */
struct computer {
    const struct work_options *options;
    const char *variants[MAX_OPS]; /* the name of the variant that computes each operation */
    bool on_gpu;                   /* all operations run on the GPU: --variant applies to all */
    /* The operations only move or copy pixels, so that gamma and the mask do not matter. */
    bool only_moves;
    atomic_bool lost; /* the GPU has failed, or could not be opened */
    /* The filters of operation i: [i][0] without weights, [i][1] with the last channel as the
     * weight of the others (computer_make_weighted). NULL if there is no such filter. */
    struct smoothimg_filter *filters[MAX_OPS][2];

    /* The context that made the filters, with all threads of the run. While it is open, the library
     * keeps its worker threads. */
    struct smoothimg_context *maker;
    pthread_mutex_t mutex; /* protects the members below, and the making of filters */
    struct smoothimg_context *free[MAX_THREADS]; /* idle sessions of the GPU */
    int free_count;
    struct gpu_device device; /* the name is empty until the device is opened */
};

/* Chooses the variants and makes the filters without weights. Returns STATUS_USAGE if --variant is
 * an unknown word; the message lists the known words. Returns STATUS_DEVICE if this build lacks the
 * variant; the message says what to do. Returns STATUS_INVALID if the weights cannot be
 * represented. The options must outlive the computer. The caller closes the computer, after a
 * failure too. */
enum status computer_open(struct computer *computer, const struct work_options *options,
                          struct error *error);
void computer_close(struct computer *computer);

/* Makes the filters for images whose last channel weights the others, unless they exist already.
 * computer_open cannot make them: only an image's header tells whether it has alpha. */
enum status computer_make_weighted(struct computer *computer, struct error *error);

/* Opens the GPU if the variants need one. Returns STATUS_DEVICE if that fails. */
enum status computer_check(struct computer *computer, struct error *error);

/* Lends a context to the calling thread: on a GPU an idle session, or a new one if there is none;
 * on the CPU a new context that computes with `threads` threads. Each thread of the run may hold
 * one context. Returns STATUS_DEVICE if the GPU cannot be used. The caller gives the context back
 * by computer_give, with the status of its work: after STATUS_DEVICE this context is not lent
 * again. computer_give accepts a NULL context. */
enum status computer_lend(struct computer *computer, int threads,
                          struct smoothimg_context **context, struct error *error);
void computer_give(struct computer *computer, struct smoothimg_context *context,
                   enum status status);

/* Translates a failure of the library into the program's status and error. `context` has the
 * library's message; NULL: the context could not be opened. */
enum status computer_status(struct computer *computer, const struct smoothimg_context *context,
                            enum smoothimg_status status, struct error *error);

/* Returns the GPU's number and name, such as "0: NVIDIA H200", if it was opened; else "". */
struct phrase computer_gpu(struct computer *computer);

#endif
