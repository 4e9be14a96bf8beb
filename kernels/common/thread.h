/* SPDX-License-Identifier: MIT */
/* Threads whose stacks do not depend on the system's limit for that of the process. */
#ifndef SMOOTHIMG_THREAD_H
#define SMOOTHIMG_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Far more than what a thread runs needs: codecs, variants and CUDA's driver, with the room that
 * the sanitizers add. By default it would be `ulimit -s`: too little, or as much as all memory. */
#define THREAD_STACK_BYTES (1 << 20)

/* False if none can be started. The caller joins or detaches it. */
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
