/* SPDX-License-Identifier: MIT */
/* The rule of `--variant auto`, from the speeds of the processor and the GPU that this run has
 * measured. Has no figure of any machine's speed. The caller locks. */
#ifndef SMOOTHIMG_PACE_H
#define SMOOTHIMG_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Amounts of work are in samples; only their ratios count. A piece of work has all operations. */
struct pace {
    int threads;             /* that work at the same time */
    double opening;          /* seconds that opening a GPU takes */
    double expected, done;   /* bytes of input, of the whole run */
    double files, computing; /* seconds, summed over the threads: reading and writing; computing */
    double amount;           /* computed by the processor, in `computing` seconds */
    int64_t computed, noted; /* pieces: computed by the processor; counted in `done` */
    int64_t gpu_pieces;
    bool gpu_proved; /* a GPU session was faster than a thread */
    int slow_pieces; /* pieces in a row for which a session, the only one lent, was slower */
    int sessions;    /* the most that may compute at the same time */
};

struct pace pace_begin(int threads, double opening);

/* The processor has computed a piece. seconds: the sum of its threads' seconds. */
void pace_cpu_piece(struct pace *pace, double amount, double seconds);

/* A session has computed a piece, which so many threads of the processor would have computed
 * otherwise. lent: the sessions that computed at that time, this one included. */
void pace_gpu_piece(struct pace *pace, double amount, double seconds, int threads, int lent);

/* A piece of so many bytes of input has been computed and written (0: none), and threads have spent
 * so many seconds on reading and writing. */
void pace_note(struct pace *pace, double bytes, double files);

/* Why a GPU is not worth opening now, in a few words: the processor will be done soon, or files
 * take longer than computing. NULL: it is worth opening. */
const char *pace_why_closed(const struct pace *pace);

/* How many seconds the thread that has begun to open a GPU pauses at most, so that opening has a
 * processor of its own. */
double pace_pause(const struct pace *pace);

/* How many sessions may compute at the same time: none before the processor has done a piece; one
 * until it was faster than a thread; then as many as are each faster than a thread. */
int pace_sessions(const struct pace *pace);

/* By what to divide the best size of the next piece. A session gets smaller pieces until it was
 * faster than a thread. A thread gets smaller pieces while a GPU is being opened or in use (begun),
 * so that the run's end does not wait long for it; and, if many pieces are left (plenty), until its
 * speed is known. */
int pace_part_for_gpu(const struct pace *pace);
int pace_part_for_cpu(const struct pace *pace, bool begun, bool plenty);

#endif
