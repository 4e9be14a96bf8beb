/* SPDX-License-Identifier: MIT */
/* One call of the library that smooths, transposes or reverses: the data that its threads share. An
 * engine is an implementation of the operation. A plan is the engine chosen for the call, with the
 * data that it has prepared, such as weights. */
#ifndef SMOOTHIMG_CALL_H
#define SMOOTHIMG_CALL_H

#include "src/lib/api/arrays.h"
#include "src/lib/api/dims.h"
#include "src/lib/filter/plan.h"

struct call {
    struct smoothimg_context *context;
    enum op op;
    enum backend backend;
    /* The arrays lie in the host's memory, but the device computes (host_on_device()): the context
     * has a device, and a GPU variant is chosen. */
    bool on_device_too;
    struct array_job job; /* the call's arrays, and the filter's weights */
    /* If request.arrays is set, only the origins of request.src and request.dst count. */
    struct request request;
    struct dims outer;        /* axes along which images follow each other; none without images */
    uint64_t filter;          /* the filter's unique number; 0: none */
    void *stream;             /* the stream of a call on device memory; else NULL */
    int64_t band_rows, bands; /* host: rows of a band; number of bands of an image */
    int64_t side_by_side;     /* host: how many images are computed as one (side_by_side.h) */
    int threads;              /* host: threads that compute bands, or whole images */
    int64_t memory_bytes;     /* host: working memory of a thread */
    const struct plan *plan;  /* owned by the context, or by rehearse_in() (device.c) */
};

/* Prepares *call for an image of one pixel in the kind of memory (host or device) that asked->src
 * has. The caller then sets the job and the real images. Leaves all other members as they are: a
 * call on a small image takes a microsecond, and clearing the whole struct, 6 KiB, would slow such
 * a call. */
void call_begin(struct call *call, const struct arguments *asked, enum op op);

/* Runs the call's request once for each combination of indices along the outer axes. The request
 * has been checked, and describes the images at index 0 of each outer axis. */
enum status call_run(struct call *call, struct error *error);

/* Run the request once. run_on_device enqueues it on the call's stream. */
enum status run_on_host(struct call *call, struct error *error);
enum status run_on_device(struct call *call, struct error *error);
/* Plans the request, and makes the device's working memory large enough for it. */
enum status plan_on_device(struct call *call, struct error *error);

/* Divides the call among as many of the context's threads as make it faster: sets call->threads,
 * band_rows, bands and side_by_side, and for a transpose or reverse also request.threads. */
void divide_on_host(struct call *call);

/* Plans a call that divide_on_host() has divided: sets call->plan and memory_bytes. Allocates the
 * working memory of the first `threads` threads. Accesses no sample. */
enum status plan_on_host(struct call *call, int threads, struct error *error);

/* Allocates the memory that run_on_host needs to smooth arrays like the call's. Accesses no
 * sample. */
enum status reserve_on_host(struct call *call, struct error *error);

/* Allocates the memory that run_on_device needs for a call like this one. For images also runs the
 * call on an image of limited height, in memory of its own, since CUDA loads a kernel at its first
 * launch. Does so for each alignment of rows and each number of images that may need another
 * kernel. Waits for the device after each such run, and when memory has grown. The call's images
 * need no data. */
enum status reserve_on_device(const struct call *call, struct error *error);

/* --- The plans of a context's last calls. A later call of the same kind reuses a plan. */

/* Allocates the memory of all plans, enough for any engine: later plans allocate nothing. */
enum status plans_reserve(struct plans *plans, struct error *error);

/* Sets call->plan to an earlier request's plan that can be used for this request too. If there is
 * none, makes a new plan, which replaces the oldest. The plan is valid until the next call of this
 * function with the context. Fails as plan_make does. */
enum status plans_find(struct call *call, const struct request *request, struct error *error);

#endif
