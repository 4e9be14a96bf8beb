/* SPDX-License-Identifier: MIT */
/* What `--variant auto` goes by: what the processor and the GPU have reached in this run. Holds no
 * figure of any machine's speed. The caller locks. */
#ifndef SMOOTHIMG_PACE_H
#define SMOOTHIMG_PACE_H

#include "src/app/dispatch/dispatch_options.h"

#include <stdbool.h>

/* Of one operation. An amount of work is in samples; only ratios of amounts count. */
struct op_pace {
    double amount, seconds; /* of the processor: seconds of one thread */
    int64_t gpu_pieces;
    bool gpu_proved; /* a GPU session was faster than a thread */
    int slow_pieces; /* in a row, on which one session alone was slower */
    int sessions;    /* that may work at the same time */
};

struct pace {
    int threads;             /* that work at the same time */
    double opening;          /* seconds that opening a GPU takes */
    double expected, done;   /* bytes of input, of the whole run */
    double files, computing; /* seconds, summed over the threads: reading and writing; computing */
    int64_t computed, noted; /* pieces: computed by the processor; and in `done` */
    struct op_pace ops[MAX_OPS];
};

struct pace pace_begin(int threads, double opening);

/* A thread has computed a piece of operation i in so many seconds; or `threads` of them have, in
 * seconds x threads. */
void pace_cpu_piece(struct pace *pace, int i, double amount, double seconds);

/* A session has computed a piece that would have had so many threads of the processor. lent: the
 * sessions that computed at the time, this one included. */
void pace_gpu_piece(struct pace *pace, int i, double amount, double seconds, int threads, int lent);

/* A piece has been computed and written: so many bytes of input, 0 for none; or threads have spent
 * seconds on files. */
void pace_note(struct pace *pace, double bytes, double files);

/* NULL: a GPU is worth opening now. Else why not, in a few words: the processor would be done soon,
 * or files take longer than computing. */
const char *pace_why_closed(const struct pace *pace);

/* How many sessions may compute operation i at the same time: none before the processor has done a
 * piece, one until it has shown that it is faster than a thread, and then as many as each are. */
int pace_sessions(const struct pace *pace, int i);

/* So many times should a piece of operation i be smaller than is best for whoever computes it. For
 * a session: until it is known to be of use. For a thread: while a GPU is being opened or in use
 * (begun), so that it does not wait long for the last pieces of threads; and, where many pieces are
 * to come (plenty), until its speed is known. */
int pace_part_for_gpu(const struct pace *pace, int i);
int pace_part_for_cpu(const struct pace *pace, int i, bool begun, bool plenty);

#endif
