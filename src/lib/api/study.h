/* SPDX-License-Identifier: MIT */
/* Functions for the program smoothimg beyond smoothimg.h: choices for tests and study, the times of
 * a call, and memory that a GPU copies quickly. The installed library does not export them. */
#ifndef SMOOTHIMG_STUDY_H
#define SMOOTHIMG_STUDY_H

#include "src/lib/gpu/devices.h"
#include "src/lib/smoothimg.h"

struct study_variant {
    enum smoothimg_op op;
    const char *name;
    const char *description; /* one line; NULL if it needs a GPU, and this build has no GPU code */
    bool on_gpu;
};

/* Describes the variant with this index. A variant is an implementation of an operation. Variants
 * are sorted by operation, and then from the simplest to the fastest. Returns false after the last
 * one. */
bool study_variant(int index, struct study_variant *variant);

/* A variant may have several engines (methods). Returns the name of the engine with this index,
 * such as "cpu:u8". Returns NULL after the last one, and for a variant with a single engine. */
const char *study_engine(const struct study_variant *variant, int index);

/* Sets the instruction set of the CPU's inner loops. NULL selects the highest; a name that is
 * unknown, or that the processor lacks, selects "base". Returns the name of the selected set. With
 * a NULL context it sets nothing. */
const char *study_instructions(struct smoothimg_context *context, const char *name);

/* For tests: all threads of the context compute, even if there is little to do. */
void study_every_thread(struct smoothimg_context *context);

/* Sets the side, in threads, of the square thread blocks in GPU variants that allow a choice; 0:
 * each variant uses its own. */
void study_block(struct smoothimg_context *context, int block);

/* Returns the times of the last call in which the context's device computed arrays of the host.
 * With SMOOTHIMG_APART they are the times of the last result alone. */
struct gpu_times study_times(const struct smoothimg_context *context);

/* Returns at least `bytes` bytes of pinned host memory, or NULL if the context has no device, or if
 * the memory cannot be allocated. The device copies pinned memory at the full speed of the bus.
 * `number`, 0 or 1, selects one of two buffers. If the buffer has to grow, its contents are lost.
 * The context owns the buffers until smoothimg_close. */
void *study_pinned(struct smoothimg_context *context, int number, int64_t bytes);

#endif
