/* SPDX-License-Identifier: MIT */
/* What chooser.c, which chooses, and chooser_run.c, which has it done, share. */
#ifndef SMOOTHIMG_CHOOSER_STATE_H
#define SMOOTHIMG_CHOOSER_STATE_H

#include "choice.h"
#include "chooser.h"
#include "gpu_opening.h"

#include <pthread.h>

struct chooser {
    const struct options *options;
    bool automatic; /* --variant auto */
    bool any;       /* the lanes are spread over all devices */
    int first;      /* device of lane 0 */
    struct machine machine;
    struct gpu_opening *lanes; /* options->threads of them */
    struct band_lanes of_bands;

    pthread_mutex_t mutex;                   /* over what follows, while bands are done */
    const struct variant *variants[MAX_OPS]; /* of the image at hand */
    struct choice choice;                    /* for it, under auto */
    bool failed; /* under auto: the GPU failed, for the reason that follows */
    struct error failure;
    bool lost; /* else: it is no longer there */
};

/* From here on auto has no GPU. */
void chooser_give_up(struct chooser *chooser, const struct error *failure);

/* Fills chooser->of_bands. */
void chooser_make_lanes(struct chooser *chooser);

#endif
