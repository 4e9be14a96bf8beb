/* SPDX-License-Identifier: MIT */
/* One experiment at one size: its arrays on the host and, for the GPU's, on the device; the right
 * result; and how a run is judged and timed. */
#ifndef SMOOTHIMG_MEMORY_STAGE_H
#define SMOOTHIMG_MEMORY_STAGE_H

#include "src/lib/gpu/arrays.h"
#include "kernels/memory/experiments.h"
#include "src/bench/core/measure.h"
#include "src/lib/image/image.h"

/* What the rows of a group have in common. */
struct memory_setting {
    struct problem_size size;
    const struct image *picture; /* for inputs that are images; NULL: they are made */
    struct gpu *gpu;             /* NULL: there is none */
};

struct memory_stage {
    const struct experiment *experiment;
    struct gpu *gpu;              /* not owned; of the CPU's experiments NULL */
    struct array_specs shape;     /* of the arrays */
    struct experiment_job host;   /* the data, and where a result is brought */
    struct experiment_job device; /* of the GPU's experiments: the same on the device */
    struct array wanted;          /* the right result */
};

/* Allocates the arrays, makes the data and computes the right result, which is taken from `earlier`
 * (NULL: there is none) where that had the same. The caller frees *stage, also after a failure.
 * STATUS_INPUT or STATUS_DEVICE without memory, with the sizes. */
enum status memory_stage_make(struct memory_stage *stage, struct memory_stage *earlier,
                              const struct experiment *experiment,
                              const struct memory_setting *setting, struct error *error);

void memory_stage_free(struct memory_stage *stage);

/* Poisons the result, runs once, and compares every element: sets row->outcome, and row->worst.
 */
void memory_stage_validate(struct memory_stage *stage, struct row *row);

/* For measure(): runs again. The subject's context is the stage. */
enum status memory_stage_run(struct subject *subject, int64_t runs, double *seconds,
                             struct error *error);

#endif
