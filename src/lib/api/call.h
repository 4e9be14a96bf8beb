/* SPDX-License-Identifier: MIT */
/* One call of an operation: what its threads share, and what makes a piece of work. */
#ifndef SMOOTHIMG_CALL_H
#define SMOOTHIMG_CALL_H

#include "src/lib/api/context.h"
#include "src/lib/api/dims.h"
#include "src/lib/filter/plan.h"

struct call {
    struct smoothimg_context *context;
    enum op op;
    enum backend backend;
    struct request request; /* all that is asked. Arrays that are no images are one of one pixel */
    uint64_t filter;        /* its number, which no other has; 0: none */
    void *stream;           /* for what lies in a device's memory; else NULL */
    int64_t band_rows, bands; /* on the host: rows of a band; bands of an image */
    int64_t side_by_side;     /* on the host: images that are computed as one */
    int threads;              /* on the host: that work on the call, at most */
    int64_t memory_bytes;     /* on the host: of a thread */
    const struct plan *plan;  /* the context's */
};

/* Of one pixel, in that memory. */
struct call call_of(struct smoothimg_context *context, enum op op, enum smoothimg_memory memory,
                    void *stream);

/* How many of the context's threads shorten the call (useful_threads). */
int call_threads(const struct call *call);

/* Makes the thread's memory hold what the call needs of it. */
enum status call_memory(const struct call *call, int thread, struct error *error);

/* Plans it: by the chosen variant if the operation has it there; else by the fastest one that does
 * not refuse. On a GPU, while the device is current. Fails as plan_make does. */
enum status call_plan(const struct call *call, const struct request *request, struct plan *plan,
                      struct error *error);

/* Computes what is complete, fits together and does not overlap, at the place where it is and at
 * each further place of the axes. */
enum status call_run(struct call *call, const struct dims *outer, struct error *error);

/* The same at one place: host.c, and device.c, which enqueues it on the call's stream. */
enum status run_on_host(struct call *call, struct error *error);
enum status run_on_device(struct call *call, struct error *error);

/* Plans what run_on_host runs, of arrays whose samples are not looked at: sets call->plan, threads
 * and memory_bytes. */
enum status plan_on_host(struct call *call, struct error *error);

/* Allocates what a smooth of such arrays needs, whose samples are not looked at. */
enum status reserve_on_host(struct call *call, struct error *error);

/* Allocates what run_on_device needs for such a call. Of images runs it once on memory of its own,
 * at a limited height: what a process or a filter needs once is done then. Waits for the device.
 * Nothing of the call has data. */
enum status reserve_on_device(const struct call *call, struct error *error);

#endif
