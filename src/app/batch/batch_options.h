/* SPDX-License-Identifier: MIT */
#ifndef SMOOTHIMG_BATCH_OPTIONS_H
#define SMOOTHIMG_BATCH_OPTIONS_H

#include "src/app/stream/stream_options.h"

struct batch_options {
    struct stream_options stream; /* of a file that has all threads */
    const char *folder;           /* of the outputs; NULL: in place */
    int64_t max_memory;           /* bytes; 0: see budget_open */
    bool fail_fast, skip_existing;
};

#endif
