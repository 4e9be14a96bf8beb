/* SPDX-License-Identifier: MIT */
/* One call of an operation: what its threads share, and what makes a piece of work. */
#ifndef SMOOTHIMG_CALL_H
#define SMOOTHIMG_CALL_H

#include "src/lib/api/context.h"
#include "src/lib/api/images.h"
#include "src/lib/filter/engine_plan.h"
#include "src/lib/filter/request.h"

struct call {
    struct smoothimg_context *context;
    struct request request; /* threads: of a piece of work */
    enum op op;
    uint64_t filter;              /* its number, which no other has; 0: none */
    void *stream;                 /* for images in a device's memory; else NULL */
    struct images src, dst;       /* complete */
    int64_t band_rows, bands;     /* smooth: rows of a band; bands of an image */
    int64_t side_by_side;         /* smooth on the host: images that are computed as one */
    size_t memory_bytes;          /* of a thread, on the host */
    int threads;                  /* that work on the call, at most */
    const struct variant *engine; /* of the larger image that this one stands for; or NULL */
    struct engine_plan plan;      /* smooth on the host: of its bands */
};

/* Pixels of border that its source needs. */
int64_t call_halo(const struct call *call);

/* Where the call's images are, and so its variants. */
enum backend call_backend(const struct call *call);

/* Bytes of a pixel of its images. */
int64_t pixel_bytes_of(const struct call *call);

/* The chosen variant if the operation has it there, which may refuse the job; else the fastest one
 * that does the job. */
const struct variant *call_variant(const struct call *call, const struct job *job);

/* How many of the context's threads shorten the call (useful_threads). */
int call_threads(const struct call *call);

/* A job on rows first..last-1 of image i of dst, without scratch. */
struct job call_job(const struct call *call, int64_t i, int64_t first, int64_t last);

/* Smooths the call's images, which are complete, fit together and do not overlap. */
enum status smooth_images(struct call *call, struct error *error);

/* *bytes: of the host's memory that smooth_images takes for such images, whose samples are not
 * looked at, for all its threads. */
enum status measure_images(struct call *call, int64_t *bytes, struct error *error);

/* Allocates what smooth_images needs for such images, whose samples are not looked at. */
enum status reserve_images(struct call *call, struct error *error);

#endif
