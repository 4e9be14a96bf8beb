/* SPDX-License-Identifier: MIT */
/* Limits the memory that the images of all threads take together. Each image reserves all its
 * memory at once, which avoids deadlock. Requests are granted in the order in which they arrive, so
 * that small images do not keep a large one waiting. */
#ifndef SMOOTHIMG_BUDGET_H
#define SMOOTHIMG_BUDGET_H

#include "src/lib/base/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct budget {
    int64_t kept;          /* bytes of the mask, which `limit` no longer includes */
    _Atomic int64_t limit; /* bytes; until the system is asked, --max-memory's minimum */
    atomic_bool asked;     /* `limit` comes from the user or the system */
    _Atomic int64_t taken; /* bytes that are reserved at present */
    pthread_mutex_t mutex; /* protects the members below */
    pthread_cond_t changed;
    /* Each request takes the next number as its ticket. `tickets` is how many were taken; the
     * request whose ticket is `serving` is granted next. */
    uint64_t tickets, serving;
};

/* `limit` is the argument of --max-memory, in bytes; 0 means three quarters of what the machine, or
 * the process's control group, allows. */
void budget_open(struct budget *budget, int64_t limit);

/* Returns the limit. If the user has set none, the limit is a safe minimum until a caller passes
 * more `bytes` than are free below it. Only then is the system asked for its limit, since that is
 * slow. */
int64_t budget_limit(struct budget *budget, int64_t bytes);

/* Waits until `bytes` are free, and reserves them. If `bytes` exceeds the limit, fails at once with
 * STATUS_INPUT. A caller whose sum of bytes overflows passes INT64_MAX. The message says that
 * `what` would take too much, and how to raise the limit. */
enum status budget_take(struct budget *budget, int64_t bytes, const char *what,
                        struct error *error);

void budget_give(struct budget *budget, int64_t bytes);

/* Lowers the limit by `bytes`, which must not exceed the limit, for the mask, which is kept for the
 * whole run. Call it before threads use the budget. */
void budget_keep(struct budget *budget, int64_t bytes);

/* Returns the machine's memory in bytes, or the lowest limit of the process's control groups
 * (version 1 or 2) if that is lower; at most PTRDIFF_MAX, which is 2 GiB if pointers have 32 bits.
 * `root` is ""; tests pass a folder with a proc/self/cgroup and a sys/fs/cgroup of its own. */
int64_t memory_limit(const char *root);

#endif
