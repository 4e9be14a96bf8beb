/* SPDX-License-Identifier: MIT */
/* Smooths an image by the reference and by a variant, another implementation, and compares the
 * results. The source has a frame of samples on all sides, which the filter reads instead of
 * applying an edge rule. A test fills the frame as well as the source. A variant may have several
 * engines (methods), of which it chooses one for each request. */
#ifndef SMOOTHIMG_TRIAL_H
#define SMOOTHIMG_TRIAL_H

#include "src/bench/run/plane.h"
#include "src/lib/gpu/gpu.h"
#include "src/files/image/image.h"
#include "src/lib/filter/registry.h"

#include <stdbool.h>
#include <stdint.h>

/* The variant that a test program tests. */
struct subject {
    const char *stem;              /* such as "smooth_cpu" */
    const struct variant *variant; /* NULL: this build lacks the variant */
    struct variant named;          /* what `variant` points to */
    struct gpu *gpu;
};

/* A request and its images, all of one shape: the source, the reference's result (wanted) and the
 * variant's result (got). The request points to the caller's filter. */
struct trial {
    struct image src, wanted, got;
    struct request request; /* for one thread; dst is set for each run */
};

/* Returns a hash of a counter (splitmix64). */
uint64_t trial_hash(uint64_t counter);

/* Finds the variant `stem`, and opens the GPU if the variant needs one. Returns 0, or prints why
 * not and returns the exit status for the test program: 2 if there is no such variant; that of
 * isa_check() for the instruction set that the environment variable SMOOTHIMG_CPU names; 77 if
 * there is no GPU or this build lacks the variant, or 1 in these cases if SMOOTHIMG_REQUIRE_GPU is
 * set. */
int subject_open(struct subject *subject, const char *stem);
void subject_close(struct subject *subject);

/* Allocates the images. The source gets a frame as wide as the larger of the filter's two halos;
 * all samples of the source and of its frame are 0. Exits with 99 if memory is lacking. The caller
 * paints trial->src, and calls trial_close(). */
void trial_open(struct trial *trial, const struct shape *shape, const struct plane_filter *filter);
void trial_close(struct trial *trial);

/* Returns how many samples of the variant's result differ from the reference's, or -1 if the
 * variant failed, refused or wrote outside of its result. Prints the first difference or the
 * failure. On a GPU, if the variant is right and has several engines, the call also tests one of
 * them by itself; successive calls test the engines in turn. An engine that refuses counts as no
 * difference. */
int64_t trial_run(struct trial *trial, const struct subject *subject);

#endif
