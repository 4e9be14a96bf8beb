/* SPDX-License-Identifier: MIT */
/* Who computes each piece of work: a band of an image, or all of it, through all operations. The
 * thread that holds it does, or a GPU session that is lent to the thread. Under --variant auto the
 * processor begins; a GPU is opened in the background once it is worth opening (pace.h), and then
 * takes pieces as long as it is faster than a thread. A piece that fails with its GPU is computed
 * elsewhere: on another device, or under auto by its thread. One dispatcher serves all threads of a
 * run. */
#ifndef SMOOTHIMG_DISPATCHER_H
#define SMOOTHIMG_DISPATCHER_H

#include "src/app/dispatch/dispatch_options.h"
#include "src/lib/gpu/gpu.h"
#include "src/lib/image/image.h"

#include <stdio.h>

struct dispatcher;
struct session;

/* Who computes one piece. */
struct executor {
    struct gpu *gpu; /* lent to the thread, with its gpu_host_memory; NULL: the thread computes */
    int part;        /* divides the best size of the piece: see pace.h */
    struct session *session; /* the rest is for the dispatcher */
    int lent;
};

/* What is done to a piece: all operations, each on the result of the one before. */
struct chain {
    /* The views of the first src and the last dst are in the host's memory; of those between only
     * the shapes count. dispatcher_run sets variants and times. */
    struct step steps[MAX_OPS];
    int count;
    const struct combine *combines; /* of each operation; or NULL */
    int32_t kept_channels;          /* the last ones, which combines leave alone */
    struct image *source; /* freed once the first operation on it is done; or NULL: kept */

    /* Set by dispatcher_run: seconds, on a GPU by its clock; for filling the border before. */
    double seconds[MAX_OPS], halo_seconds[MAX_OPS];
};

/* What has computed the pieces of an operation, by enum backend. */
struct op_work {
    const struct variant *variants[2]; /* the last; NULL: none */
    int64_t pieces[2];
};

static inline void op_work_add(struct op_work *work, const struct variant *variant, int64_t pieces)
{
    work->variants[variant->backend] = variant;
    work->pieces[variant->backend] += pieces;
}

/* Adds the pieces of *work to *sum. */
static inline void op_work_merge(struct op_work *sum, const struct op_work *work)
{
    for (int backend = ON_CPU; backend <= ON_GPU; backend++)
        if (work->pieces[backend] > 0)
            op_work_add(sum, work->variants[backend], work->pieces[backend]);
}

/* Finds the variants, and begins to open the GPU if one was asked for by name. STATUS_USAGE and
 * STATUS_DEVICE as choose_variant. Borrows the options. The caller closes it. */
enum status dispatcher_open(const struct dispatch_options *options, struct dispatcher **dispatcher,
                            struct error *error);

/* Does not wait for a GPU that auto still opens. NULL is legal. */
void dispatcher_close(struct dispatcher *dispatcher);

/* Is an opening still under way that dispatcher_close did not wait for? Then the process must end
 * without exit(), which would take CUDA down while it starts. */
bool dispatcher_left_opening(void);

/* If a GPU was asked for by name, waits for it. STATUS_DEVICE if there is none. */
enum status dispatcher_check(struct dispatcher *dispatcher, struct error *error);

/* The variant that was asked for by name; under auto, the processor's. */
const struct variant *dispatcher_variant(const struct dispatcher *dispatcher, int op);

/* May a GPU compute pieces? */
bool dispatcher_may_use_gpu(const struct dispatcher *dispatcher);

/* How many threads are of use for the bands of one image. compresses: most of their time goes into
 * compressing the result. */
int dispatcher_threads(const struct dispatcher *dispatcher, int threads, bool compresses);

/* Chooses who computes the next piece, before the piece is taken, so that it can be put into the
 * GPU's memory. plenty: more full pieces are left than there are threads. May open a session. The
 * caller gives the executor back once it needs that memory no more, also after a failure.
 * STATUS_DEVICE if the GPU that was asked for is not there. */
enum status dispatcher_take(struct dispatcher *dispatcher, bool plenty, struct executor *executor,
                            struct error *error);
void dispatcher_give(struct dispatcher *dispatcher, const struct executor *executor);

/* Computes a piece: on a GPU with one upload and one download; where that fails, and on the
 * processor, one operation after the other, as run_job does. Times are all zero where no GPU did
 * it. A device without the memory for smooth or reverse gets it in halves. */
enum status dispatcher_run(struct dispatcher *dispatcher, struct executor *executor,
                           struct chain *chain, struct error *error);

/* Tell auto of the work. expect: the run has so many more bytes of input than told before (below
 * zero: fewer). note: so many bytes were computed; threads spent so many seconds on reading and
 * writing. True if that has begun to open a GPU in the background: then one of several threads
 * should call dispatcher_pause. */
void dispatcher_expect(struct dispatcher *dispatcher, double bytes);
bool dispatcher_note(struct dispatcher *dispatcher, double bytes_done, double file_seconds);

/* Waits for the GPU that is being opened, for a limited time, so that opening gets a processor. */
void dispatcher_pause(struct dispatcher *dispatcher);

/* Has the last device failed that the named variants need? */
bool dispatcher_is_lost(struct dispatcher *dispatcher);

/* Under auto: in a few words, why no GPU computes now. NULL: one does, or a variant was named. */
const char *dispatcher_why_no_gpu(struct dispatcher *dispatcher);

/* Was a GPU opened, or begun to be? */
bool dispatcher_uses_gpu(struct dispatcher *dispatcher);

/* "0: NVIDIA H200, 1: NVIDIA H200", of the devices that were opened; "" if none was. */
void dispatcher_name_gpu(struct dispatcher *dispatcher, char *text, size_t bytes);

/* Lines of --verbose: how the GPU failed, under auto; and how long each device took to open that
 * was opened (false, and no line, if none was). */
void dispatcher_print_failure(FILE *stream, struct dispatcher *dispatcher);
bool dispatcher_print_opening(FILE *stream, struct dispatcher *dispatcher);

#endif
