/* SPDX-License-Identifier: MIT */
/* Runs one smooth request by the reference and by a variant, and compares the
 * results. The tests paint the border of the source too, since a variant applies no edge rule to
 * it. */
#ifndef SMOOTHIMG_TRIAL_H
#define SMOOTHIMG_TRIAL_H

#include "src/bench/run/plane.h"
#include "src/lib/gpu/gpu.h"
#include "src/files/image/image.h"
#include "src/lib/filter/registry.h"

#include <stdbool.h>
#include <stdint.h>

/* A variant, and the GPU if it needs one. */
struct subject {
    const char *stem;
    const struct variant *variant; /* NULL: it is not in this build */
    struct variant named;          /* it, if it is an engine */
    struct gpu *gpu;
};

/* Images of one shape, and one filter, which the caller keeps. */
struct trial {
    struct image src, wanted, got;
    struct request request; /* the caller sets weighted and edge */
};

/* A hash of a counter (splitmix64), the same on every machine. */
uint64_t trial_hash(uint64_t counter);

/* Finds the variant, and opens the GPU if it needs one. Returns 0, or the exit status for the
 * program, after a message: 2 if the list has no such variant; 77 if it cannot run here, since the
 * processor lacks the instruction set that SMOOTHIMG_CPU names, or there is no GPU (1 with
 * SMOOTHIMG_REQUIRE_GPU in the environment). */
int subject_open(struct subject *subject, const char *stem);
void subject_close(struct subject *subject);

/* Allocates the images, with all samples 0, the border too; exits with 99 without memory. The
 * caller paints trial->src, and closes. */
void trial_open(struct trial *trial, const struct shape *shape, const struct plane_filter *filter);
void trial_close(struct trial *trial);

/* Returns how many samples of the variant's result differ from the reference's, or -1 if the
 * variant failed, refused or wrote beside its result. Prints the first difference or the failure.
 * On the GPU one of its engines computes too, each in its turn, unless it refuses. */
int64_t trial_run(struct trial *trial, const struct subject *subject);

/* The same with all engines. */
int64_t trial_run_all(struct trial *trial, const struct subject *subject);

#endif
