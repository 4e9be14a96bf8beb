/* SPDX-License-Identifier: MIT */
/* What takes part in a contest: a variant or a plain copy, as a subject that can be measured. */
#ifndef SMOOTHIMG_CONTESTANT_H
#define SMOOTHIMG_CONTESTANT_H

#include "measure.h"
#include "stage.h"

/* A subject's context. */
struct contestant {
    struct stage *stage;
    const struct variant *variant; /* NULL: the plain copy */
    bool peer;
    void *scratch; /* of a CPU's variant; owned */
    bool scratch_missing;
};

/* Sets the subject's two functions, for its context and for its row's place: for a variant, or for
 * the plain copy of half as many bytes as the row counts. */
void contestant_enter(struct subject *subject);

#endif
