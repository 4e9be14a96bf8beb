/* SPDX-License-Identifier: MIT */
/* A variant or a baseline as a subject that can be checked and timed. */
#ifndef SMOOTHIMG_VARIANT_SUBJECT_H
#define SMOOTHIMG_VARIANT_SUBJECT_H

#include "src/bench/core/measure.h"
#include "src/bench/variants/stage.h"

/* A subject's context. */
struct variant_subject {
    struct stage *stage;
    const struct variant *variant;
    void *scratch; /* of a CPU's variant; owned */
    bool scratch_missing;
};

/* Sets the subject's two functions; its row and its context are there already. */
void variant_subject_init(struct subject *subject);

#endif
