/* SPDX-License-Identifier: MIT */
/* One call of an operation: what its threads share. */
#ifndef SMOOTHIMG_CALL_H
#define SMOOTHIMG_CALL_H

#include "src/lib/api/context.h"
#include "src/lib/api/dims.h"
#include "src/lib/filter/plan.h"

struct call {
    struct smoothimg_context *context;
    enum op op;
    enum backend backend;
    struct request request;   /* for arrays that are no images, its views have only origins */
    uint64_t filter;          /* the filter's unique number; 0: none */
    void *stream;             /* for what lies in a device's memory; else NULL */
    int64_t band_rows, bands; /* on the host: rows of a band; bands of an image */
    int64_t side_by_side;     /* on the host: images that are computed as one */
    int threads;              /* on the host: greatest number of threads for the call */
    int64_t memory_bytes;     /* on the host: of a thread */
    const struct plan *plan;  /* the context's */
};

/* Returns a call on an image of one pixel in that memory; callers set the rest. */
struct call call_of(struct smoothimg_context *context, enum op op, enum smoothimg_memory memory,
                    void *stream);

/* How many of the context's threads shorten the call (useful_threads). */
int call_threads(const struct call *call);

/* Makes the thread's memory hold what the call needs of it. */
enum status call_memory(const struct call *call, int thread, struct error *error);

/* Plans a request: by the chosen variant if the operation has it on the call's backend; else by the
 * fastest variant that does not refuse. On a GPU, while the device is current. Fails as plan_make
 * does. */
enum status call_plan(const struct call *call, const struct request *request, struct plan *plan,
                      struct error *error);

/* Computes the call's request, which has been checked, at its place and at each further place of
 * the outer axes. */
enum status call_run(struct call *call, const struct dims *outer, struct error *error);

/* The same at one place. run_on_device enqueues it on the call's stream. */
enum status run_on_host(struct call *call, struct error *error);
enum status run_on_device(struct call *call, struct error *error);

/* Plans what run_on_host runs: sets call->plan, threads and memory_bytes. Accesses no sample. */
enum status plan_on_host(struct call *call, struct error *error);

/* Allocates what a smooth of such arrays needs. Accesses no sample. */
enum status reserve_on_host(struct call *call, struct error *error);

/* Allocates what run_on_device needs for such a call. For images also runs it once, at a limited
 * height and in memory of its own: this does what a process or a filter needs once. Waits for the
 * device. The call's images need no data. */
enum status reserve_on_device(const struct call *call, struct error *error);

#endif
