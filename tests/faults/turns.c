/* SPDX-License-Identifier: MIT */
/* Replaces functions of pthreads, so that one thread runs at a time ("has the turn"), and the
 * threads make their calls in the same order in each run. When the running thread unlocks a mutex,
 * waits, or ends, the next thread that waits only for its turn gets the turn. */
#include "tests/faults/inject.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_THREADS 1024 /* the greatest number of threads that a run may create */

/* The threads. Only the thread whose turn it is reads and writes this table. */
static struct place {
    pthread_t thread; /* libc's pthread_t; the program gets the address of this entry */
    sem_t turn;       /* posted when it is the thread's turn */
    /* What the thread waits for: a mutex, a condition, a semaphore, a signal set, or the entry of
     * another thread. NULL: only for its turn. */
    const void *waits_for;
    bool ended;
    void *(*routine)(void *);
    void *argument, *result;
} places[MOST_THREADS]; /* the first one is the main thread */
static int count = 1;
/* The thread that had the turn before, if its routine has ended and it is not joined yet; else
 * NULL. */
static struct place *leaving;

static _Thread_local int self;

/* libc's own functions, which the functions in this file replace. */
static struct {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    int (*join)(pthread_t, void **);
    int (*try)(pthread_mutex_t *);
    int (*unlock)(pthread_mutex_t *);
    int (*sem_wait)(sem_t *);
    int (*sem_try)(sem_t *);
    int (*sem_post)(sem_t *);
} next;

void turns_open(void)
{
    inject_find(&next.create, "pthread_create");
    inject_find(&next.join, "pthread_join");
    inject_find(&next.try, "pthread_mutex_trylock");
    inject_find(&next.unlock, "pthread_mutex_unlock");
    inject_find(&next.sem_wait, "sem_wait");
    inject_find(&next.sem_try, "sem_trywait");
    inject_find(&next.sem_post, "sem_post");
    sem_init(&places[0].turn, 0, 0);
}

/* Waits until the calling thread has the turn. If the thread that had the turn before has ended,
 * also waits until libc has finished that thread, so that its last calls precede further calls. */
static void wait_for_turn(void)
{
    while (next.sem_wait(&places[self].turn) != 0)
        ; /* a signal interrupted sem_wait */
    if (leaving)
        next.join(leaving->thread, NULL);
    leaving = NULL;
}

static bool can_go_on(int i)
{
    return !places[i].ended && !places[i].waits_for;
}

static void deadlock(void)
{
    fputs("inject: every thread waits for another\n", stderr);
    abort();
}

/* Passes the turn to the next thread that waits only for its turn. If there is none, the calling
 * thread keeps the turn, or, if it cannot go on either, the program aborts. */
static void pass_on(void)
{
    int i = self;

    do
        i = (i + 1) % count;
    while (i != self && !can_go_on(i));
    if (!can_go_on(i))
        deadlock();
    if (i == self)
        return;
    next.sem_post(&places[i].turn);
    if (!places[self].ended)
        wait_for_turn();
}

static void wait_for(const void *what)
{
    places[self].waits_for = what;
    pass_on();
}

static void wake(const void *what)
{
    for (int i = 0; i < count; i++)
        if (places[i].waits_for == what)
            places[i].waits_for = NULL;
}

static void *run_thread(void *context)
{
    struct place *place = context;

    self = (int)(place - places);
    wait_for_turn();
    place->result = place->routine(place->argument);
    place->ended = true;
    leaving = place;
    wake(place);
    pass_on();
    return NULL;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *),
                   void *argument)
{
    struct place *place = &places[count];
    int reason = inject(KIND_THREAD);

    if (reason != 0)
        return reason;
    if (count == MOST_THREADS || sem_init(&place->turn, 0, 0) != 0)
        inject_give_up("more threads than there is room for");
    place->routine = routine;
    place->argument = argument;
    reason = next.create(&place->thread, attributes, run_thread, place);
    count += reason == 0;
    *thread = (pthread_t)place;
    return reason;
}

/* The tests send no signals, so the thread waits until the process ends. */
int sigwait(const sigset_t *set, int *number)
{
    *number = 0;
    wait_for(set);
    return 0;
}

int pthread_join(pthread_t thread, void **result)
{
    const struct place *place = (const struct place *)thread;

    while (!place->ended)
        wait_for(place);
    if (result)
        *result = place->result;
    return 0;
}

/* Does nothing while next.try is NULL, before turns_open(): there is only one thread then. */
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    int reason = 0;

    while (next.try && (reason = next.try(mutex)) == EBUSY)
        wait_for(mutex);
    return reason;
}

static int unlock(pthread_mutex_t *mutex)
{
    const int reason = next.unlock ? next.unlock(mutex) : 0;

    wake(mutex);
    return reason;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    const int reason = unlock(mutex);

    pass_on();
    return reason;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    unlock(mutex);
    wait_for(condition);
    return pthread_mutex_lock(mutex);
}

int pthread_cond_broadcast(pthread_cond_t *condition)
{
    wake(condition);
    return 0;
}

int pthread_cond_signal(pthread_cond_t *condition)
{
    wake(condition);
    return 0;
}

int sem_wait(sem_t *semaphore)
{
    while (next.sem_try(semaphore) != 0)
        wait_for(semaphore);
    return 0;
}

int sem_post(sem_t *semaphore)
{
    const int result = next.sem_post(semaphore);

    wake(semaphore);
    return result;
}
