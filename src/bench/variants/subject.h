/* SPDX-License-Identifier: MIT */
/* A variant or a baseline as a subject that can be validated and timed. */
#ifndef SMOOTHIMG_VARIANT_SUBJECT_H
#define SMOOTHIMG_VARIANT_SUBJECT_H

#include "src/bench/core/measure.h"
#include "src/bench/variants/stage.h"

/* A subject's context. */
struct variant_subject {
    struct stage *stage;
    const struct variant *variant;
    void *scratch;        /* for job.scratch of a CPU variant, or NULL; group.c frees it */
    bool scratch_missing; /* there was no memory for it */
};

/* Runs once and judges the result: sets row->outcome and what belongs to it. */
void variant_subject_validate(struct subject *subject);

/* For measure(): runs again. On the GPU the variant that was validated last runs. */
enum status variant_subject_run(struct subject *subject, int64_t runs, double *seconds,
                                struct error *error);

#endif
