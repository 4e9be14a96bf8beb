/* SPDX-License-Identifier: MIT */
/* One smooth job, by the reference and by a variant. The tests paint the border of the source too:
 * no variant knows an edge rule. */
#ifndef SMOOTHIMG_TRIAL_H
#define SMOOTHIMG_TRIAL_H

#include "src/lib/gpu/gpu.h"
#include "src/lib/image/image.h"
#include "src/lib/filter/registry.h"

#include <stdbool.h>
#include <stdint.h>

/* A variant, and the GPU if it needs one. */
struct subject {
    const char *stem;
    const struct variant *variant;
    struct gpu *gpu;
};

/* The images of one shape and halo. */
struct trial {
    struct image src, wanted, got;
    struct job job; /* the caller sets weights and weighted */
};

/* A hash of a counter (splitmix64), the same on every machine. */
uint64_t trial_hash(uint64_t counter);

/* Finds the variant and opens the GPU. 0, or the exit status that the program owes: 77 if the
 * processor lacks the level that SMOOTHIMG_CPU names, or there is no GPU (1 with
 * SMOOTHIMG_REQUIRE_GPU in the environment). */
int subject_open(struct subject *subject, const char *stem);
void subject_close(struct subject *subject);

/* Allocates; ends the program where there is no memory. All samples are 0, in the border too. */
void trial_open(struct trial *trial, const struct shape *shape, int64_t halo);
void trial_close(struct trial *trial);

/* How many samples of the variant's result differ from the reference's. Prints the first difference
 * or the failure; -1: it failed, or refused. */
int64_t trial_run(struct trial *trial, const struct subject *subject);

#endif
