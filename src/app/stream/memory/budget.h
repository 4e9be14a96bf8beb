/* SPDX-License-Identifier: MIT */
/* How much memory the images in work may take, those of all threads together. Whoever begins an
 * image takes all that it will need at once, so that nobody waits who holds some; first come, first
 * served, so that a large image is not kept waiting by small ones. */
#ifndef SMOOTHIMG_BUDGET_H
#define SMOOTHIMG_BUDGET_H

#include "error.h"

#include <pthread.h>
#include <stdint.h>

struct budget {
    int64_t limit;         /* bytes */
    pthread_mutex_t mutex; /* over what follows */
    pthread_cond_t changed;
    int64_t taken;
    uint64_t tickets, serving; /* given out; the one whose turn it is */
};

/* limit: of --max-memory; 0: three quarters of what the machine, or the process's control group,
 * has. The caller closes it, when nobody uses it any more. */
void budget_open(struct budget *budget, int64_t limit);
void budget_close(struct budget *budget);

/* Waits until so many bytes can be had, and takes them. What is above the limit can never be had:
 * STATUS_INPUT, at once, in the words "WHAT would take ... bytes of memory, above the limit ...;
 * raise it with --max-memory", then remedy, what would need less ("" if nothing would). INT64_MAX
 * bytes are more than there can be, and the words say so. */
enum status budget_take(struct budget *budget, int64_t bytes, const char *what, const char *remedy,
                        struct error *error);

void budget_give(struct budget *budget, int64_t bytes);

#endif
