/* SPDX-License-Identifier: MIT */
/* The memory that the images of all threads may take together. Each image reserves all its memory
 * at once, so that there is no deadlock; first come, first served, so that small images do not keep
 * a large one waiting. */
#ifndef SMOOTHIMG_BUDGET_H
#define SMOOTHIMG_BUDGET_H

#include "src/lib/base/error.h"

#include <pthread.h>
#include <stdint.h>

struct budget {
    int64_t limit;         /* bytes */
    int64_t kept;          /* bytes of the mask, by which the limit was lowered */
    pthread_mutex_t mutex; /* over what follows */
    pthread_cond_t changed;
    int64_t taken;
    uint64_t tickets, serving; /* number given out; the one whose turn it is */
};

/* limit: of --max-memory; 0: three quarters of what the machine, or the process's control group,
 * allows. The caller closes it after its last use. */
void budget_open(struct budget *budget, int64_t limit);
void budget_close(struct budget *budget);

/* Waits until `bytes` are free, and takes them. More than the limit is STATUS_INPUT at once: "WHAT
 * would take ... bytes of memory, above the limit ...; raise it with --max-memory", then remedy:
 * what would need less, or "". INT64_MAX: more bytes than can be counted. */
enum status budget_take(struct budget *budget, int64_t bytes, const char *what, const char *remedy,
                        struct error *error);

/* Gives back bytes that budget_take has taken. */
void budget_give(struct budget *budget, int64_t bytes);

/* Lowers the limit by what the mask keeps for the whole run. Before threads use the budget; bytes:
 * no more than the limit. */
void budget_keep(struct budget *budget, int64_t bytes);

/* Bytes of the machine's memory, or of the lowest limit of the control groups (version 1 or 2) that
 * the process is in, where that is lower; at most PTRDIFF_MAX, which with 32 bits is 2 GiB. root:
 * ""; or, in tests, a folder that has proc/self/cgroup and sys/fs/cgroup in place of the system's.
 */
int64_t memory_limit(const char *root);

#endif
