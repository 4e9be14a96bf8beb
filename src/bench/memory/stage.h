/* SPDX-License-Identifier: MIT */
/* One experiment at one size: its arrays on the host and, for the GPU's, on the device; the right
 * result; and how a run is judged and timed. */
#ifndef SMOOTHIMG_LAB_STAGE_H
#define SMOOTHIMG_LAB_STAGE_H

#include "gpu_arrays.h"
#include "lab.h"
#include "lab_results.h"

/* What the rows of a group have in common. */
struct lab_setting {
    struct lab_size size;
    const struct image *picture; /* for inputs that are images; NULL: they are made */
    struct gpu *gpu;             /* NULL: there is none */
};

struct lab_stage {
    const struct experiment *experiment;
    struct gpu *gpu;         /* not owned; of the CPU's experiments NULL */
    struct lab_shape shape;  /* of the arrays */
    struct lab_job host;     /* the data, and where a result is brought */
    struct lab_job device;   /* of the GPU's experiments: the same on the device */
    struct lab_array wanted; /* the right result */
    bool same;               /* it was the earlier stage's: nothing was computed again */
};

/* Allocates the arrays, makes the data and computes the right result, which is taken from `earlier`
 * (NULL: there is none) where that had the same. The caller frees *stage, also after a failure.
 * STATUS_INPUT or STATUS_DEVICE without memory, with the sizes. */
enum status lab_stage_make(struct lab_stage *stage, struct lab_stage *earlier,
                           const struct experiment *experiment, const struct lab_setting *setting,
                           struct error *error);

void lab_stage_free(struct lab_stage *stage);

/* Poisons the result, runs once, and compares every element: sets row->row.outcome, and row->worst.
 */
void lab_stage_validate(struct lab_stage *stage, struct lab_row *row);

/* For measure(): runs again. The subject's context is the stage. */
enum status lab_stage_run(struct subject *subject, int64_t runs, double *seconds,
                          struct error *error);

#endif
