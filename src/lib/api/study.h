/* SPDX-License-Identifier: MIT */
/* What smoothimg asks of the library beyond smoothimg.h: to study it, to tell what it did, and
 * memory that a GPU copies quickly. Not among what a library shows to other programs. */
#ifndef SMOOTHIMG_STUDY_H
#define SMOOTHIMG_STUDY_H

#include "src/lib/gpu/devices.h"
#include "src/lib/smoothimg.h"

/* A variant of an operation. */
struct study_variant {
    enum smoothimg_op op;
    const char *name;
    const char *description; /* one line; NULL: this build has not got it, since it needs a GPU */
    bool on_gpu;
};

/* Variant number `index` of all: by operation, and within one from plain to fast. False past the
 * last one. */
bool study_variant(int index, struct study_variant *variant);

/* The name of engine number `index` of a variant, such as "cpu:u8"; NULL past the last one. */
const char *study_engine(const struct study_variant *variant, int index);

/* Computes by the loops for this instruction set; by those of the least if the processor lacks it,
 * or nobody knows it; for NULL by those of the highest. Returns its name. context: NULL: only says
 * that. */
const char *study_instructions(struct smoothimg_context *context, const char *name);

/* For tests: all of the context's threads compute, however little there is to do. */
void study_every_thread(struct smoothimg_context *context);

/* The edge of the thread blocks of a GPU's variants that have one; 0: their own. */
void study_block(struct smoothimg_context *context, int block);

/* Of the last call on arrays of the host that the context's device computed. */
struct gpu_times study_times(const struct smoothimg_context *context);

/* At least so many bytes of pinned memory of the host, which the context's device copies at the
 * full speed of the bus: number 0 or 1, of which a larger request loses the contents. The
 * context's, until it is closed. NULL: there is none. */
void *study_pinned(struct smoothimg_context *context, int number, int64_t bytes);

#endif
