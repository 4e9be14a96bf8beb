/* SPDX-License-Identifier: MIT */
/* What the files of a run share. All of it is borrowed. */
#ifndef SMOOTHIMG_STREAM_CONTEXT_H
#define SMOOTHIMG_STREAM_CONTEXT_H

#include "src/app/dispatch/dispatcher.h"
#include "src/app/stream/memory/budget.h"
#include "src/app/stream/stream_options.h"
#include "src/files/light/lights.h"

struct stream_context {
    const struct stream_options *options;
    const struct filter_weights *weights; /* of pipeline_check */
    struct dispatcher *dispatcher;
    struct budget *budget;
    struct lights *lights;   /* for the images that are decoded to linear light */
    const struct mask *mask; /* of all images; NULL: none */
    int threads;             /* for one file */
};

#endif
