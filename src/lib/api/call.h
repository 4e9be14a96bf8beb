/* SPDX-License-Identifier: MIT */
/* One call of an operation: what its threads share, and what makes a piece of work. */
#ifndef SMOOTHIMG_CALL_H
#define SMOOTHIMG_CALL_H

#include "src/lib/api/context.h"
#include "src/lib/api/dims.h"
#include "src/lib/api/images.h"
#include "src/lib/filter/plan.h"

struct call {
    struct smoothimg_context *context;
    enum op op;
    struct request asked;     /* what it has of the filter: the images are these: */
    struct images src, dst;   /* complete; of arrays only where they lie */
    uint64_t filter;          /* its number, which no other has; 0: none */
    void *stream;             /* for images in a device's memory; else NULL */
    int64_t band_rows, bands; /* smooth on the host: rows of a band; bands of an image */
    int64_t side_by_side;     /* smooth on the host: images that are computed as one */
    int threads;              /* on the host: that work on the call, at most */
    int64_t memory_bytes;     /* on the host: of a thread */
    const struct plan *plan;  /* the context's */
};

/* Where the call's images are, and so its variants. */
enum backend call_backend(const struct call *call);

/* Bytes of a pixel of its images. */
int64_t pixel_bytes_of(const struct call *call);

/* How many of the context's threads shorten the call (useful_threads). */
int call_threads(const struct call *call);

/* What is asked, of rows first..last-1 of the first image. */
struct request call_request(const struct call *call, int64_t first, int64_t last);

/* Plans it: by the chosen variant if the operation has it there; else by the fastest one that does
 * not refuse. On a GPU, while the device is current. Fails as plan_make does. */
enum status call_plan(const struct call *call, const struct request *request, struct plan *plan,
                      struct error *error);

/* Runs the call with its images where they are, and at each further place of the axes. */
enum status call_at_each(struct call *call, const struct dims *outer,
                         enum status (*run)(struct call *call, struct error *error),
                         struct error *error);

/* Smooths what is complete, fits together and does not overlap. */
enum status smooth(struct call *call, struct error *error);

/* *bytes: of the host's memory that smooth takes for such arrays, whose samples are not looked at,
 * for all its threads. */
enum status smooth_measure(struct call *call, int64_t *bytes, struct error *error);

/* Allocates what smooth needs for such arrays, whose samples are not looked at. */
enum status smooth_reserve(struct call *call, struct error *error);

#endif
