/* SPDX-License-Identifier: MIT */
/* Who computes each piece of work: an operation on a band of an image, or on all of it. The
 * thread that holds it does or, if a GPU's variant was named, a GPU session that is lent to the
 * thread. One dispatcher serves all threads of a run. */
#ifndef SMOOTHIMG_DISPATCHER_H
#define SMOOTHIMG_DISPATCHER_H

#include "src/app/dispatch/combine.h"
#include "src/app/dispatch/sessions.h"
#include "src/lib/filter/engine_plan.h"
#include "src/lib/filter/gauss.h"
#include "src/lib/gpu/gpu.h"
#include "src/lib/image/image.h"
#include "kernels/variant.h"
#include "src/lib/base/error.h"
#include "src/text/string_list.h"

#include <stdio.h>

#define MAX_OPS 32

#define DEVICE_EMULATED (-1) /* the first one, which is emulated */

/* What is to be done to each image, and where. */
struct dispatch_options {
    int ops[MAX_OPS];                 /* enum op, in the order in which they run */
    struct combine combines[MAX_OPS]; /* likewise, of each smooth */
    int op_count;
    struct filter filter;  /* of smooth */
    const char *variant;   /* "auto", "cpu", "gpu", the name of one or of an engine */
    int64_t device;        /* a number of --list-devices, or DEVICE_EMULATED */
    int block;             /* edge of the thread block; 0: the variant's own */
    int threads;           /* that work at the same time, on all files together */
    const struct isa *isa; /* of kernels/common/isa.h; NULL: the highest */
};

struct dispatcher;
struct smoothimg_filter; /* of src/lib/smoothimg.h */

/* An operation on a band of an image, or on all of it. */
struct piece {
    int index;                     /* of those that run */
    bool reference;                /* by the operation's reference, on the processor */
    const struct combine *combine; /* of the operation; or NULL */
    int32_t kept_channels;         /* the last ones, which it leaves alone */
    struct job job;                /* in the host's memory */

    const struct variant *variant; /* set by dispatcher_plan */
    struct gpu_note done;          /* set by dispatcher_run; the processor has no times */
};

/* Finds the variants. STATUS_USAGE and STATUS_DEVICE as choose_variants. Borrows the options. The
 * caller closes it. */
enum status dispatcher_open(const struct dispatch_options *options, struct dispatcher **dispatcher,
                            struct error *error);

/* NULL is legal. */
void dispatcher_close(struct dispatcher *dispatcher);

/* Opens a GPU if one was asked for. STATUS_DEVICE if there is none. */
enum status dispatcher_check(struct dispatcher *dispatcher, struct error *error);

/* The variant of operation number `index` of those that run. */
const struct variant *dispatcher_variant(const struct dispatcher *dispatcher, int index);

/* Its filter by arrays.h; else NULL. */
const struct smoothimg_filter *dispatcher_arrays(const struct dispatcher *dispatcher, int index);

/* Does a GPU compute? */
bool dispatcher_uses_gpu(const struct dispatcher *dispatcher);

/* How many threads are of use for the bands of one image. compresses: most of their time goes into
 * compressing the result. */
int dispatcher_threads(const struct dispatcher *dispatcher, int threads, bool compresses);

/* Chooses who computes a piece, before the piece is read, so that it can be put into the GPU's
 * memory (gpu_host_memory): a session that is lent to the thread, maybe opened for it, or for NULL
 * the thread. The caller gives it back once it needs that memory no more, also after a failure.
 * STATUS_DEVICE, and NULL, if the GPU that was asked for is not there. */
enum status dispatcher_take(struct dispatcher *dispatcher, struct session **session,
                            struct error *error);
void dispatcher_give(struct dispatcher *dispatcher, struct session *session);

/* Chooses the variant of the piece, and plans its job: on the session's GPU or, for NULL, the
 * processor. The plan has to outlive the piece; then the job may get other addresses and fewer
 * rows. Fails as engine_plan_make does; what cannot be planned on a GPU now is planned when it
 * runs, and fails then. */
enum status dispatcher_plan(const struct dispatcher *dispatcher, struct session *session,
                            struct piece *piece, struct engine_plan *plan, struct error *error);

/* Computes a piece that is planned, likewise. A device without the memory for smooth or reverse
 * gets it in halves. */
enum status dispatcher_run(const struct dispatcher *dispatcher, struct session *session,
                           struct piece *piece, struct error *error);

/* After a failure: has the device failed that the variants need? */
bool dispatcher_is_lost(struct dispatcher *dispatcher);

/* "0: NVIDIA H200", if the device was opened; else "". */
struct phrase dispatcher_gpus(struct dispatcher *dispatcher);

/* A line of --verbose: how long the device took to open. False, and no line, if it was not. */
bool dispatcher_print_opening(FILE *stream, struct dispatcher *dispatcher);

/* Sets variants to what `--variant WORD` means for each operation: the variant of that name; for
 * `cpu` and `gpu` the best of that backend; for `auto` as for `cpu`. STATUS_USAGE: the word is
 * unknown; the message lists the known ones. STATUS_DEVICE: this build lacks the variant; the
 * message says how to build it. */
enum status choose_variants(const struct dispatch_options *options,
                            const struct variant *variants[MAX_OPS], struct error *error);

#endif
