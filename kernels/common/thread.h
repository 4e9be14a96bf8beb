/* SPDX-License-Identifier: MIT */
/* Threads with a stack size of their own, independent of the process's limit. */
#ifndef SMOOTHIMG_THREAD_H
#define SMOOTHIMG_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* 1 MiB, far more than codecs, variants, CUDA's driver and sanitizers need. The default is `ulimit
 * -s`, which may be too small, or as large as the memory. */
#define THREAD_STACK_BYTES (1 << 20)

/* Starts a thread, which the caller joins or detaches. Returns false if it cannot be started. */
static inline bool thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    bool started;

    if (pthread_attr_init(&attributes) != 0)
        return false;
    started = pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES) == 0 &&
              pthread_create(thread, &attributes, run, argument) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

#endif
