/* SPDX-License-Identifier: MIT */
/* Threads that stay alive between calls of parallel_rows(). Waking a thread takes a few
 * microseconds, starting one at least 15. The process has one pool, which starts threads when they
 * are first needed. */
#include "kernels/common/worker_pool.h"

#include "kernels/common/clock.h"
#include "kernels/common/numbers.h"
#include "kernels/common/parallel.h"

#include <fenv.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

/* How long a thread spins before it sleeps: a worker that waits for work, or a caller that waits
 * until its workers are done. Most callers, Python included, make their next call within this time.
 * Waking a sleeping thread takes a quarter of this time. A spinning thread yields, since the thread
 * for which it waits may need its processor. */
#define SPIN_SECONDS 20e-6

/* A worker's state is IDLE, BUSY or ENDED, or, from the moment when the worker is chosen until it
 * begins, the address of the struct shared_rows on which it will work. Until the worker is told to
 * begin, the bit CHOSEN of this address is set. */
#define IDLE ((uintptr_t)0)
#define CHOSEN ((uintptr_t)1)
#define BUSY ((uintptr_t)2)
#define ENDED ((uintptr_t)4)

/* A bit of `unfinished`, set while the caller sleeps until all workers are done. */
#define CALLER_SLEEPS (1 << 30)

/* Rows that a thread shares with workers. The struct is aligned, because the low bits of its
 * address hold flags. */
struct shared_rows {
    _Alignas(8) parallel_work *work;
    const void *context;
    int64_t rows;
    int count;             /* number of workers chosen for these rows */
    atomic_int unfinished; /* number of workers that run, or may still start */
    sem_t end;
    struct worker *workers[MAX_THREADS];
    atomic_bool taken[MAX_THREADS]; /* for each band, whether a thread has taken it */
};

struct worker {
    _Alignas(64) atomic_uintptr_t state;
    atomic_bool asleep; /* the thread sleeps, or is about to: whoever tells it to begin or to end
                           then has to call wake() */
    sem_t wake;
    pthread_t thread;
};

static struct {
    pthread_mutex_t mutex; /* guards holders, calls and watches_forks; also held while threads are
                              started and ended */
    /* How many callers hold the pool, and how many calls of share() are running; the workers end
     * when both are 0. */
    int holders, calls;
    bool watches_forks;
    atomic_int count; /* workers that have been started */
    int processors;
    /* Number of threads that compute: callers, and the workers that they have chosen. */
    atomic_int computing;
    _Atomic double last_end; /* clock_seconds() when an outermost parallel_rows() last returned */
    struct worker workers[MAX_THREADS];
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool computes; /* true in workers, and in a caller while pool.computing counts
                                       it */

/* --- Wait for work and for workers: first spin, then sleep. */

static bool has_work(const struct worker *worker)
{
    const uintptr_t state = atomic_load(&worker->state);

    return state != IDLE && !(state & CHOSEN);
}

static void spin_for_work(const struct worker *worker)
{
    const double until = clock_seconds() + SPIN_SECONDS;

    while (!has_work(worker) && clock_seconds() < until)
        sched_yield();
}

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0) /* a signal handler may end sem_wait() early */
        continue;
}

static void sleep_until_work(struct worker *worker)
{
    for (;;) {
        /* An exchange, not a store: an emulator of ARM processors may run the load in has_work()
         * before a plain store, and then the worker would miss its wake-up. */
        atomic_exchange(&worker->asleep, true);
        if (has_work(worker))
            break;
        wait_for(&worker->wake);
    }
    atomic_store(&worker->asleep, false);
}

/* Wakes the worker, if it is asleep, after its state has changed. */
static void wake(struct worker *worker)
{
    if (atomic_exchange(&worker->asleep, false))
        sem_post(&worker->wake);
}

/* Waits until all workers are done: spins first, then sleeps. */
static void wait_for_workers(struct shared_rows *all)
{
    const double until = clock_seconds() + SPIN_SECONDS;

    while (atomic_load(&all->unfinished) != 0)
        if (clock_seconds() < until) {
            sched_yield();
        } else {
            sem_init(&all->end, 0, 0);
            if (atomic_fetch_or(&all->unfinished, CALLER_SLEEPS) != 0)
                wait_for(&all->end);
            return;
        }
}

/* --- A worker's work, and how a worker is started. */

/* Tells the i-th chosen worker to begin, if there is one. */
static void tell(struct shared_rows *all, int i)
{
    uintptr_t chosen = (uintptr_t)all | CHOSEN;

    if (i < all->count &&
        atomic_compare_exchange_strong(&all->workers[i]->state, &chosen, (uintptr_t)all))
        wake(all->workers[i]);
}

static int64_t first_row(const struct shared_rows *all, int64_t band)
{
    const int bands = all->count + 1;

    return all->rows / bands * band + all->rows % bands * band / bands;
}

/* Does the bands that no thread has taken yet. Begins with band `number`, the calling thread's own:
 * its rows may still be in this thread's cache from the last call of parallel_rows(). Then come the
 * bands of threads that have not started. */
static void do_bands(struct shared_rows *all, int number)
{
    for (int i = 0; i <= all->count; i++) {
        const int band = (number + i) % (all->count + 1);

        if (!atomic_load(&all->taken[band]) && !atomic_exchange(&all->taken[band], true))
            all->work(all->context, band, first_row(all, band), first_row(all, band + 1));
    }
}

/* Does a worker's work, and marks the worker as idle. Waking another thread takes 1 or 2
 * microseconds of a thread's time. So the caller wakes only one worker, and each worker first wakes
 * two more. */
static void run_work(struct worker *worker, struct shared_rows *all)
{
    int i = 0;

    while (all->workers[i] != worker)
        i++;
    tell(all, 2 * i + 1);
    tell(all, 2 * i + 2);
    do_bands(all, i + 1);
    atomic_store(&worker->state, IDLE);
    atomic_fetch_sub(&pool.computing, 1);
    /* After this subtraction `all` may no longer exist, since a caller that does not sleep may
     * return. */
    if (atomic_fetch_sub(&all->unfinished, 1) == (CALLER_SLEEPS | 1))
        sem_post(&all->end);
}

static void *run_worker(void *argument)
{
    struct worker *worker = argument;
    uintptr_t state;

    computes = true;
    fesetenv(FE_DFL_ENV); /* a thread inherits the rounding mode of the one that started it */
    for (;;) {
        sleep_until_work(worker);
        state = atomic_load(&worker->state);
        if (state == ENDED)
            return NULL;
        /* The exchange fails if the caller has taken the work back (dismiss()). */
        if (state != IDLE && !(state & CHOSEN) &&
            atomic_compare_exchange_strong(&worker->state, &state, BUSY)) {
            run_work(worker, (struct shared_rows *)state);
            spin_for_work(worker);
        }
    }
}

bool thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
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

/* Blocks signals in the calling thread, so that they are blocked in the worker that it starts next.
 * Otherwise an idle worker would take a signal that all other threads have blocked. The signals in
 * `own`, which a worker's code may raise itself, stay as the caller has set them. */
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

static bool start_worker(struct shared_rows *all)
{
    struct worker *worker = &pool.workers[pool.count];
    sigset_t before;
    bool started;

    sem_init(&worker->wake, 0, 0);
    atomic_store(&worker->asleep, false);
    atomic_store(&worker->state, (uintptr_t)all | CHOSEN);
    all->workers[all->count] = worker;
    put_off_signals(&before);
    started = thread_start(&worker->thread, run_worker, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    all->count += started;
    pool.count += started;
    return started;
}

/* --- fork(). In the child only the thread that called fork() exists, and no workers. */

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

/* --- Share rows with workers: parallel_rows() and its parts; use of the pool by callers. */

/* Adds up to `wanted` threads to pool.computing, and returns how many it has added. The total stays
 * within the number of processors, or within wanted + 1 if that is more. */
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

/* Chooses idle workers in ascending order of their indices. So workers with low indices get work
 * most often, and may still be spinning, so that they need no wake-up. */
static void choose_idle(struct shared_rows *all, int wanted)
{
    const int count = pool.count;

    for (int i = 0; i < count && all->count < wanted; i++) {
        uintptr_t state = IDLE;

        if (atomic_compare_exchange_strong(&pool.workers[i].state, &state, (uintptr_t)all | CHOSEN))
            all->workers[all->count++] = &pool.workers[i];
    }
}

static void start_more(struct shared_rows *all, int wanted)
{
    pthread_mutex_lock(&pool.mutex);
    if (!pool.watches_forks)
        pool.watches_forks = pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
    while (pool.watches_forks && all->count < wanted && pool.count < MAX_THREADS &&
           start_worker(all))
        continue;
    pthread_mutex_unlock(&pool.mutex);
}

/* Subtracts `workers` from the counts of computing and of unfinished threads. */
static void drop(struct shared_rows *all, int workers)
{
    atomic_fetch_sub(&pool.computing, workers);
    atomic_fetch_sub(&all->unfinished, workers);
}

/* Begins a use of the pool: increments *users, which is pool.holders or pool.calls. leave()
 * decrements *users. */
static void enter(int *users)
{
    pthread_mutex_lock(&pool.mutex);
    if (pool.holders + pool.calls == 0)
        pool.processors = parallel_processors();
    ++*users;
    pthread_mutex_unlock(&pool.mutex);
}

/* Ends all workers. None of them is busy, since pool.calls is 0. */
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

/* Takes the work back from workers that have not begun. */
static void dismiss(struct shared_rows *all)
{
    int dismissed = 0;

    for (int i = all->count - 1; i >= 0; i--) {
        uintptr_t told = (uintptr_t)all, chosen = told | CHOSEN;

        dismissed += atomic_compare_exchange_strong(&all->workers[i]->state, &chosen, IDLE) ||
                     atomic_compare_exchange_strong(&all->workers[i]->state, &told, IDLE);
    }
    drop(all, dismissed);
}

/* Does the rows with up to `wanted` workers: fewer if reserve() allows fewer, or if a thread cannot
 * be started. */
static void share(struct shared_rows *all, int wanted)
{
    int reserved;

    enter(&pool.calls);
    reserved = reserve(wanted);
    atomic_store(&all->unfinished, reserved);
    choose_idle(all, reserved);
    if (all->count < reserved)
        start_more(all, reserved);
    drop(all, reserved - all->count);
    for (int i = 0; i <= all->count; i++)
        atomic_init(&all->taken[i], false);
    tell(all, 0);
    do_bands(all, 0);
    dismiss(all);
    wait_for_workers(all);
    leave(&pool.calls);
}

void parallel_rows(int threads, int64_t rows, parallel_work *work, const void *context)
{
    const int wanted = (int)min(min(threads, MAX_THREADS), rows);
    const bool outermost = !computes; /* false if the work of a band makes this call */
    struct shared_rows all;

    if (outermost) {
        computes = true;
        atomic_fetch_add(&pool.computing, 1);
    }
    if (wanted > 1) {
        all.work = work;
        all.context = context;
        all.rows = rows;
        all.count = 0;
        share(&all, wanted - 1);
    } else if (wanted == 1) {
        work(context, 0, 0, rows);
    }
    if (outermost) {
        atomic_fetch_sub(&pool.computing, 1);
        computes = false;
        atomic_store(&pool.last_end, clock_seconds());
    }
}

int parallel_processors(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return CPU_COUNT(&set) < MAX_THREADS ? CPU_COUNT(&set) : MAX_THREADS;
}

bool worker_pool_is_awake(void)
{
    return clock_seconds() - atomic_load(&pool.last_end) < SPIN_SECONDS;
}

void worker_pool_hold(void)
{
    enter(&pool.holders);
}

void worker_pool_release(void)
{
    leave(&pool.holders);
}
