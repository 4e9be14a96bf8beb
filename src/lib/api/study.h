/* SPDX-License-Identifier: MIT */
/* What the program smoothimg uses beyond smoothimg.h: choices for tests and study, the times of a
 * call, and memory that a GPU copies quickly. The installed library does not export it. */
#ifndef SMOOTHIMG_STUDY_H
#define SMOOTHIMG_STUDY_H

#include "src/lib/gpu/devices.h"
#include "src/lib/smoothimg.h"

/* A variant of an operation. */
struct study_variant {
    enum smoothimg_op op;
    const char *name;
    const char *description; /* one line; NULL: it needs a GPU, and this build has none */
    bool on_gpu;
};

/* Variant number `index` of all: by operation, and within one from plain to fast. False past the
 * last one. */
bool study_variant(int index, struct study_variant *variant);

/* The name of engine number `index` of a variant, such as "cpu:u8"; NULL past the last one. */
const char *study_engine(const struct study_variant *variant, int index);

/* Sets the instruction set of the loops. NULL: the highest; unknown, or the processor lacks it:
 * "base". Returns the name of the one that is used. context: NULL: sets nothing. */
const char *study_instructions(struct smoothimg_context *context, const char *name);

/* For tests: all threads of the context compute, even if there is little to do. */
void study_every_thread(struct smoothimg_context *context);

/* Sets the edge of the thread blocks of GPU variants that have a choice; 0: their own. */
void study_block(struct smoothimg_context *context, int block);

/* The times of the last call on arrays of the host that the context's device computed. */
struct gpu_times study_times(const struct smoothimg_context *context);

/* Returns at least so many bytes of pinned memory of the host, which the context's device copies at
 * the full speed of the bus; NULL: there is none. There are two such memories, number 0 and 1; a
 * larger request loses the contents. The context owns them until it is closed. */
void *study_pinned(struct smoothimg_context *context, int number, int64_t bytes);

#endif
