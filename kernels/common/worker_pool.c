/* SPDX-License-Identifier: MIT */
#include "kernels/common/worker_pool.h"

#include "kernels/common/numbers.h"
#include "kernels/common/thread.h"

#include <fenv.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

/* How long a thread spins for new work, or for its workers, before it sleeps. Callers return within
 * that time, from Python too; a wake-up takes a quarter of it. The thread yields while it spins:
 * the thread that it waits for may need its processor. */
#define SPIN_NANOSECONDS 20000

/* The state of a worker; or the address of the work that it is chosen for, with the bit CHOSEN set
 * until it is told to begin. */
#define IDLE ((uintptr_t)0)
#define CHOSEN ((uintptr_t)1)
#define BUSY ((uintptr_t)2)
#define ENDED ((uintptr_t)4)

/* Set beside the number of unfinished workers: the caller sleeps until they are done. */
#define CALLER_SLEEPS (1 << 30)

struct worker {
    _Alignas(64) atomic_uintptr_t state;
    atomic_bool asleep; /* or about to be: the thread that changes the state wakes it */
    sem_t wake;
    pthread_t thread;
};

static struct {
    pthread_mutex_t mutex; /* protects the first three members, and starting and ending threads */
    int holders, calls;    /* threads stay while there is a holder or a call */
    bool watches_forks;
    atomic_int count; /* workers that have been started */
    int processors;
    atomic_int computing;          /* callers, and workers from the time they are chosen */
    atomic_int_least64_t last_end; /* when the last work of a caller ended, by nanoseconds() */
    struct worker workers[MAX_THREADS];
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool computes; /* this thread is counted in `computing` */

/* --- Waiting. */

static int64_t nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static bool has_work(const struct worker *worker)
{
    const uintptr_t state = atomic_load(&worker->state);

    return state != IDLE && !(state & CHOSEN);
}

static bool is_finished(const struct shared_work *work)
{
    return atomic_load(&work->unfinished) == 0;
}

static void spin_for_work(const struct worker *worker)
{
    const int64_t until = nanoseconds() + SPIN_NANOSECONDS;

    while (!has_work(worker) && nanoseconds() < until)
        sched_yield();
}

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0) /* loops: a signal handler has run */
        continue;
}

static void sleep_until_work(struct worker *worker)
{
    for (;;) {
        /* An exchange, not a store: emulators of ARM let the next load pass a store, and the
         * wake-up is lost. */
        atomic_exchange(&worker->asleep, true);
        if (has_work(worker))
            break;
        wait_for(&worker->wake);
    }
    atomic_store(&worker->asleep, false);
}

/* Wakes the worker after its state has changed. */
static void wake(struct worker *worker)
{
    if (atomic_exchange(&worker->asleep, false))
        sem_post(&worker->wake);
}

static void spin_for_end(const struct shared_work *work)
{
    const int64_t until = nanoseconds() + SPIN_NANOSECONDS;

    while (!is_finished(work) && nanoseconds() < until)
        sched_yield();
}

static void sleep_until_end(struct shared_work *work)
{
    sem_init(&work->end, 0, 0);
    if (atomic_fetch_or(&work->unfinished, CALLER_SLEEPS) != 0)
        wait_for(&work->end);
}

/* --- Workers. */

/* Tells chosen worker i to begin, if there is one. */
static void tell(struct shared_work *work, int i)
{
    uintptr_t chosen = (uintptr_t)work | CHOSEN;

    if (i < work->count &&
        atomic_compare_exchange_strong(&work->workers[i]->state, &chosen, (uintptr_t)work))
        wake(work->workers[i]);
}

/* A wake-up costs the thread that makes it a microsecond or two. So each worker wakes two more, and
 * the caller wakes only the first. */
static void run_work(struct worker *worker, struct shared_work *work)
{
    int i = 0;

    while (work->workers[i] != worker)
        i++;
    tell(work, 2 * i + 1);
    tell(work, 2 * i + 2);
    work->run(work, i + 1);
    atomic_store(&worker->state, IDLE);
    atomic_fetch_sub(&pool.computing, 1);
    /* The work may be freed after this, unless its caller sleeps. */
    if (atomic_fetch_sub(&work->unfinished, 1) == (CALLER_SLEEPS | 1))
        sem_post(&work->end);
}

static void *run_worker(void *argument)
{
    struct worker *worker = argument;
    uintptr_t state;

    computes = true;
    fesetenv(FE_DFL_ENV); /* not the environment of the thread that started this one */
    for (;;) {
        sleep_until_work(worker);
        state = atomic_load(&worker->state);
        if (state == ENDED)
            return NULL;
        /* Unless the worker is not wanted any more. */
        if (state != IDLE && !(state & CHOSEN) &&
            atomic_compare_exchange_strong(&worker->state, &state, BUSY)) {
            run_work(worker, (struct shared_work *)state);
            spin_for_work(worker);
        }
    }
}

/* Process signals go to the process's own threads: an idle worker would otherwise receive a signal
 * that they have blocked for good. Signals that a worker causes itself are set as in its caller. */
static void put_off_signals(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGTRAP,
                              SIGSYS,  SIGABRT, SIGPIPE, SIGXFSZ, SIGPROF};
    sigset_t others;

    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_BLOCK, &others, before);
}

/* Starts a worker for the work. Returns false if it cannot be started. */
static bool start_worker(struct shared_work *work)
{
    struct worker *worker = &pool.workers[pool.count];
    sigset_t before;
    bool started;

    sem_init(&worker->wake, 0, 0);
    atomic_store(&worker->asleep, false);
    atomic_store(&worker->state, (uintptr_t)work | CHOSEN);
    work->workers[work->count] = worker;
    put_off_signals(&before);
    started = thread_start(&worker->thread, run_worker, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    work->count += started;
    pool.count += started;
    return started;
}

/* --- fork(). The child has only the thread that forks, and none of the workers. */

static void before_fork(void)
{
    pthread_mutex_lock(&pool.mutex);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&pool.mutex);
}

static void after_fork_in_child(void)
{
    pool.calls = 0;
    pool.count = 0;
    pool.computing = computes;
    pthread_mutex_unlock(&pool.mutex);
}

static bool watch_forks(void)
{
    if (!pool.watches_forks)
        pool.watches_forks = pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
    return pool.watches_forks;
}

/* --- Work. */

/* Counts up to `wanted` further threads as computing; returns how many. */
static int reserve(int wanted)
{
    const int limit = (int)max(pool.processors, wanted + 1);
    int computing = pool.computing, more;

    do
        more = (int)min(wanted, limit - computing);
    while (more > 0 &&
           !atomic_compare_exchange_weak(&pool.computing, &computing, computing + more));
    return (int)max(more, 0);
}

/* Chooses idle workers, the first ones before others: they worked last. */
static void choose_idle(struct shared_work *work, int wanted)
{
    const int count = pool.count;

    for (int i = 0; i < count && work->count < wanted; i++) {
        uintptr_t state = IDLE;

        if (atomic_compare_exchange_strong(&pool.workers[i].state, &state,
                                           (uintptr_t)work | CHOSEN))
            work->workers[work->count++] = &pool.workers[i];
    }
}

static void start_more(struct shared_work *work, int wanted)
{
    pthread_mutex_lock(&pool.mutex);
    while (work->count < wanted && pool.count < MAX_THREADS && watch_forks() && start_worker(work))
        continue;
    pthread_mutex_unlock(&pool.mutex);
}

/* Takes these workers off the work. */
static void drop(struct shared_work *work, int workers)
{
    atomic_fetch_sub(&pool.computing, workers);
    atomic_fetch_sub(&work->unfinished, workers);
}

static void choose(struct shared_work *work)
{
    const int reserved = reserve(work->wanted);

    atomic_store(&work->unfinished, reserved);
    choose_idle(work, reserved);
    if (work->count < reserved)
        start_more(work, reserved);
    drop(work, reserved - work->count);
}

static void enter(int *users)
{
    pthread_mutex_lock(&pool.mutex);
    if (pool.holders + pool.calls == 0)
        pool.processors = parallel_processors();
    ++*users;
    pthread_mutex_unlock(&pool.mutex);
}

/* No worker is busy: a thread with work is a user of the pool. */
static void end_workers(void)
{
    for (int i = 0; i < pool.count; i++) {
        atomic_store(&pool.workers[i].state, ENDED);
        wake(&pool.workers[i]);
    }
    for (int i = 0; i < pool.count; i++)
        pthread_join(pool.workers[i].thread, NULL);
    pool.count = 0;
}

static void leave(int *users)
{
    pthread_mutex_lock(&pool.mutex);
    --*users;
    if (pool.holders + pool.calls == 0)
        end_workers();
    pthread_mutex_unlock(&pool.mutex);
}

int worker_pool_choose(struct shared_work *work, int wanted)
{
    work->count = 0;
    work->wanted = wanted;
    work->outermost = !computes;
    atomic_init(&work->unfinished, 0);
    if (work->outermost) {
        computes = true;
        atomic_fetch_add(&pool.computing, 1);
    }
    if (wanted > 0) {
        enter(&pool.calls);
        choose(work);
    }
    return work->count;
}

void worker_pool_begin(struct shared_work *work)
{
    tell(work, 0);
}

/* True if the worker had not begun, and now will not. */
static bool dismiss(struct worker *worker, const struct shared_work *work)
{
    uintptr_t told = (uintptr_t)work, chosen = told | CHOSEN;

    return atomic_compare_exchange_strong(&worker->state, &chosen, IDLE) ||
           atomic_compare_exchange_strong(&worker->state, &told, IDLE);
}

static void finish(struct shared_work *work)
{
    int dismissed = 0;

    for (int i = work->count - 1; i >= 0; i--)
        dismissed += dismiss(work->workers[i], work);
    drop(work, dismissed);
    spin_for_end(work);
    if (!is_finished(work))
        sleep_until_end(work);
}

void worker_pool_end(struct shared_work *work)
{
    if (work->wanted > 0) {
        finish(work);
        leave(&pool.calls);
    }
    if (work->outermost) {
        atomic_fetch_sub(&pool.computing, 1);
        computes = false;
        atomic_store(&pool.last_end, nanoseconds());
    }
}

bool worker_pool_is_awake(void)
{
    return nanoseconds() - atomic_load(&pool.last_end) < SPIN_NANOSECONDS;
}

void worker_pool_hold(void)
{
    enter(&pool.holders);
}

void worker_pool_release(void)
{
    leave(&pool.holders);
}
