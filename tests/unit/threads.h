/* SPDX-License-Identifier: MIT */
/* Counts this process's threads. Linux only. */
#ifndef SMOOTHIMG_UNIT_THREADS_H
#define SMOOTHIMG_UNIT_THREADS_H

#include "tests/unit/unit.h"

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

/* Number of threads that the thread sanitizer has started. threads_count() leaves them out. */
static int others_threads;

static int threads_count(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;

    NEED(tasks != NULL);
    for (struct dirent *entry; (entry = readdir(tasks));)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count - others_threads;
}

static void threads_wait(void)
{
    const struct timespec moment = {0, 10000000};

    nanosleep(&moment, NULL);
}

/* Returns true if there are this many threads now, or will be within a second: /proc may still list
 * threads that have ended. */
static bool threads_are(int wanted)
{
    for (int i = 0; i < 100 && threads_count() != wanted; i++)
        threads_wait();
    return threads_count() == wanted;
}

static void *end_at_once(void *unused)
{
    return unused;
}

/* Sets others_threads. Must be called at the beginning of main(), while the program itself has one
 * thread. */
static void threads_begin(void)
{
    pthread_t thread;

    NEED(pthread_create(&thread, NULL, end_at_once, NULL) == 0);
    pthread_join(thread, NULL);
    for (int i = 0; i < 10; i++)
        threads_wait();
    others_threads = threads_count() - 1;
}

#endif
