/* SPDX-License-Identifier: MIT */
/* Tests the pool of worker threads that parallel_rows() uses: whether each row is computed once,
 * how many threads exist and when, what workers inherit, and the pool in a forked child. */
#include "kernels/common/parallel.h"
#include "kernels/common/worker_pool.h"
#include "kernels/common/clock.h"
#include "tests/unit/threads.h"

#include <fenv.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MANY 8 /* more threads than most test machines have processors */

static void sleep_for(double seconds)
{
    const struct timespec span = {(time_t)seconds, (long)(seconds * 1e9) % 1000000000};

    nanosleep(&span, NULL);
}

/* --- parallel_rows() divides rows into bands, at most one for each thread. Each row is computed
 * once, even if the function that computes a band calls parallel_rows() again. */

struct bands {
    int nested; /* depth of further calls of parallel_rows() that count_band() makes */
    /* Totals of all calls of count_band(). wrong: how many of these calls found that their nested
     * call of parallel_rows() had not computed its seven rows once each. */
    atomic_int rows, calls, wrong;
};

static void count_band(const void *context, int band, int64_t first, int64_t last)
{
    struct bands *bands = *(struct bands *const *)context;
    struct bands inner = {.nested = bands->nested - 1};
    struct bands *const shared = &inner;

    (void)band;
    atomic_fetch_add(&bands->rows, (int)(last - first));
    atomic_fetch_add(&bands->calls, 1);
    if (bands->nested == 0)
        return;
    parallel_rows(3, 7, count_band, &shared);
    atomic_fetch_add(&bands->wrong,
                     inner.rows != 7 || inner.calls < 1 || inner.calls > 3 || inner.wrong != 0);
}

static void check_bands(void)
{
    for (int threads = 1; threads <= MANY; threads++)
        for (int rows = 0; rows < 12; rows++)
            for (int nested = 0; nested < 3; nested++) {
                struct bands bands = {.nested = nested};
                struct bands *const shared = &bands;
                const int calls = rows < threads ? rows : threads;

                parallel_rows(threads, rows, count_band, &shared);
                CHECK(bands.rows == rows && bands.calls == calls && bands.wrong == 0,
                      "%d threads, %d rows, %d levels", threads, rows, nested);
            }
}

/* --- How many threads compute at once. */

struct crowd {
    double seconds;       /* how long the work on a band of rows takes */
    int awaited;          /* join_crowd() waits until this many calls run at once, at most 10 s */
    atomic_int now, most; /* calls of join_crowd() that run now; the most so far */
};

static void join_crowd(const void *context, int band, int64_t first, int64_t last)
{
    struct crowd *crowd = *(struct crowd *const *)context;
    const int now = atomic_fetch_add(&crowd->now, 1) + 1;
    int most = crowd->most;

    (void)band, (void)first, (void)last;
    while (now > most && !atomic_compare_exchange_weak(&crowd->most, &most, now))
        continue;
    for (int i = 0; i < 10000 && crowd->most < crowd->awaited; i++)
        sleep_for(0.001);
    sleep_for(crowd->seconds);
    atomic_fetch_sub(&crowd->now, 1);
}

static void *call_with_many(void *context)
{
    struct crowd *const crowd = context;

    for (int i = 0; i < 5; i++)
        parallel_rows(MANY, MANY, join_crowd, &crowd);
    return NULL;
}

/* Each caller asks for MANY threads, itself included. All callers together must get at least MANY.
 * With one caller, at most max(processors, MANY) threads may compute at once; each further caller
 * adds one, its own thread. */
static void check_limit(int callers)
{
    struct crowd crowd = {.seconds = 0.01};
    const int processors = parallel_processors();
    const int limit = (processors > MANY ? processors : MANY) + callers - 1;
    pthread_t threads[MANY];

    for (int i = 0; i < callers; i++)
        NEED(pthread_create(&threads[i], NULL, call_with_many, &crowd) == 0);
    for (int i = 0; i < callers; i++)
        pthread_join(threads[i], NULL);
    CHECK(crowd.most <= limit, "%d callers: %d threads at once", callers, crowd.most);
    CHECK(crowd.most >= MANY, "%d callers: only %d threads at once", callers, crowd.most);
}

/* --- Between worker_pool_hold() and worker_pool_release(), worker threads stay alive after the
 * call of parallel_rows() that started them. At other times they end when parallel_rows()
 * returns. */

static void check_life(void)
{
    struct crowd crowd = {.seconds = 0.001}, *const shared = &crowd;

    parallel_rows(MANY, MANY, join_crowd, &shared);
    CHECK(threads_are(1), "without a holder %d threads are left", threads_count());
    worker_pool_hold();
    worker_pool_hold();
    for (int i = 0; i < 3; i++) {
        parallel_rows(MANY, MANY, join_crowd, &shared);
        CHECK(threads_are(MANY), "%d threads after call %d", threads_count(), i);
    }
    worker_pool_release();
    CHECK(threads_are(MANY), "%d threads, and a holder", threads_count());
    worker_pool_release();
    CHECK(threads_are(1), "%d threads are left", threads_count());
}

/* After its work a worker stays awake for less than a millisecond, in case more work comes, and
 * then sleeps. On a busy machine the test may have to try several times until it sees an awake
 * worker. */
static void check_awake(void)
{
    struct crowd crowd = {.seconds = 0}, *const shared = &crowd;
    bool awake = false;

    for (int i = 0; i < 10000 && !awake; i++) {
        parallel_rows(1, 1, join_crowd, &shared);
        awake = worker_pool_is_awake();
    }
    CHECK(awake, "after some work");
    sleep_for(0.001);
    CHECK(!worker_pool_is_awake(), "a millisecond later");
}

/* Workers that have been idle for 0.1 s take no processor time. */
static void check_idle(void)
{
    struct crowd crowd = {.seconds = 0}, *const shared = &crowd;
    clock_t before;

    worker_pool_hold();
    parallel_rows(MANY, MANY, join_crowd, &shared);
    sleep_for(0.1); /* longer than idle workers spin before they sleep */
    before = clock();
    sleep_for(0.5);
    CHECK(clock() - before < CLOCKS_PER_SEC / 100, "idle workers took %ld us of a processor",
          (long)(clock() - before));
    worker_pool_release();
}

/* --- Every sleeping thread is woken. A wake-up could be lost only if it came within the few
 * nanoseconds in which a thread falls asleep, so the tests try pauses of many lengths. */

struct pauses {
    double caller, worker; /* how many seconds the calling thread and a worker compute */
    pthread_t thread;      /* the calling thread */
};

static void work_for(const void *context, int band, int64_t first, int64_t last)
{
    const struct pauses *pauses = context;
    const double seconds =
        pthread_equal(pthread_self(), pauses->thread) ? pauses->caller : pauses->worker;
    const double until = clock_seconds() + seconds;

    (void)band, (void)first, (void)last;
    while (clock_seconds() < until)
        continue;
}

/* The caller falls asleep at about the moment when its worker ends its work. */
static void check_sleeping_callers(void)
{
    struct pauses pauses = {.caller = 5e-6, .thread = pthread_self()};

    worker_pool_hold();
    for (int i = 0; i < 10000; i++) {
        pauses.worker = 24e-6 + i % 400 * 1e-8;
        parallel_rows(2, 2, work_for, &pauses);
    }
    worker_pool_release();
}

/* A worker falls asleep at about the moment when worker_pool_release() tells it to end. */
static void check_sleeping_workers(void)
{
    struct pauses work = {5e-6, 5e-6, pthread_self()}, pause = work;

    for (int i = 0; i < 10000; i++) {
        worker_pool_hold();
        parallel_rows(2, 2, work_for, &work);
        parallel_rows(2, 2, work_for, &work);
        pause.caller = 18e-6 + i % 400 * 1e-8;
        work_for(&pause, 0, 0, 0);
        worker_pool_release();
    }
}

/* --- What a worker inherits from the thread that starts it. */

struct inheritance {
    pthread_t caller;
    /* workers: how many bands were computed by workers, not by the caller. wrong: for how many of
     * these the worker's rounding mode or blocked signals were wrong. */
    atomic_int wrong, workers;
};

static void look_around(const void *context, int band, int64_t first, int64_t last)
{
    struct inheritance *found = *(struct inheritance *const *)context;
    sigset_t blocked;

    (void)band, (void)first, (void)last;
    sleep_for(0.001);
    if (pthread_equal(pthread_self(), found->caller))
        return;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    atomic_fetch_add(&found->workers, 1);
    atomic_fetch_add(&found->wrong, fegetround() != FE_TONEAREST ||
                                        !sigismember(&blocked, SIGUSR1) ||
                                        sigismember(&blocked, SIGPIPE));
}

static void check_inheritance(void)
{
    struct inheritance found = {.caller = pthread_self()}, *const shared = &found;
    sigset_t blocked;

    fesetround(FE_UPWARD);
    parallel_rows(MANY, MANY, look_around, &shared);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    CHECK(!sigismember(&blocked, SIGUSR1), "the caller's signals are put off");
    CHECK(fegetround() == FE_UPWARD, "the caller's rounding is another");
    fesetround(FE_TONEAREST);
    CHECK(found.workers > 0 && found.wrong == 0, "%d of %d workers round or take signals wrongly",
          found.wrong, found.workers);
}

/* --- A forked child has no workers of its parent, and starts new ones. */

#ifndef __SANITIZE_THREAD__ /* the thread sanitizer does not let a forked child start threads */
static int work_in_child(struct crowd *crowd)
{
    struct crowd *const shared = crowd;
    int wrong = !threads_are(1);

    crowd->most = 0;
    parallel_rows(MANY, MANY, join_crowd, &shared);
    wrong |= (crowd->most != MANY) << 1 | (!threads_are(MANY)) << 2;
    worker_pool_release();
    return wrong | (!threads_are(1)) << 3;
}

static void check_fork(void)
{
    struct crowd crowd = {.awaited = MANY}, *const shared = &crowd;
    int status;
    pid_t child;

    worker_pool_hold();
    parallel_rows(MANY, MANY, join_crowd, &shared);
    child = fork();
    if (child == 0)
        _exit(work_in_child(&crowd));
    NEED(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(status == 0, "the child ended with %x", (unsigned)status);
    crowd.most = 0;
    parallel_rows(MANY, MANY, join_crowd, &shared);
    CHECK(crowd.most == MANY && threads_are(MANY), "%d threads at once after a fork", crowd.most);
    worker_pool_release();
}

static atomic_bool ended;

static void *start_and_end_workers(void *context)
{
    struct crowd crowd = {.seconds = 0.0001}, *const shared = &crowd;

    while (!ended)
        parallel_rows(MANY, MANY, join_crowd, &shared);
    return context;
}

/* Forks while workers are starting, computing or ending. */
static void check_fork_amid(void)
{
    struct crowd crowd = {.awaited = MANY};
    pthread_t threads[2];
    int status;

    for (int i = 0; i < 2; i++)
        NEED(pthread_create(&threads[i], NULL, start_and_end_workers, NULL) == 0);
    for (int i = 0; i < 30; i++) {
        const pid_t child = fork();

        if (child == 0) {
            alarm(60);
            worker_pool_hold();
            _exit(work_in_child(&crowd));
        }
        NEED(child > 0 && waitpid(child, &status, 0) == child);
        CHECK(status == 0, "child %d ended with %x", i, (unsigned)status);
    }
    ended = true;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
#else
static void check_fork(void) {}
static void check_fork_amid(void) {}
#endif

/* --- Workers have stacks of THREAD_STACK_BYTES (1 MiB), even if RLIMIT_STACK is 256 KiB. */

static pthread_t caller;
/* Counts the calls of use_stack(), and the worker's call of fill_stack(). */
static atomic_int arrived;

/* Not inlined: use_stack() also runs on the calling thread's stack, which is too small for this
 * frame. */
static __attribute__((noinline)) void fill_stack(void)
{
    volatile char stack[THREAD_STACK_BYTES / 2];

    for (size_t i = 0; i < sizeof stack; i += 1024)
        stack[i] = 1;
}

static void use_stack(const void *context, int band, int64_t first, int64_t last)
{
    (void)context, (void)band, (void)first, (void)last;
    atomic_fetch_add(&arrived, 1);
    while (arrived < 2)
        sleep_for(0.001);
    if (pthread_equal(pthread_self(), caller))
        return;
    fill_stack();
    atomic_fetch_add(&arrived, 1);
}

/* Runs in a child process whose RLIMIT_STACK is 256 KiB. */
static int work_with_small_stack(void)
{
    alarm(20);
    caller = pthread_self();
    parallel_rows(2, 2, use_stack, NULL);
    return arrived != 3;
}

static void check_stack(const char *program)
{
    const struct rlimit limit = {256 << 10, RLIM_INFINITY};
    const pid_t child = fork();
    int status;

    if (child == 0) {
        setrlimit(RLIMIT_STACK, &limit);
        execl(program, program, "small stack", (char *)NULL);
        _exit(99);
    }
    NEED(child > 0 && waitpid(child, &status, 0) == child);
#ifdef __SANITIZE_THREAD__ /* the thread sanitizer needs a part of each stack */
    status = 0;
#endif
    CHECK(status == 0, "a worker that uses half of its stack ended with %x", (unsigned)status);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return work_with_small_stack();
    threads_begin();
    check_stack(argv[0]);
    alarm(25); /* ends the test if a thread is never woken */
    check_life();
    check_awake();
    check_idle();
    check_inheritance();
    check_sleeping_callers();
    check_sleeping_workers();
    for (int holds = 0; holds < 2; holds++) {
        if (holds)
            worker_pool_hold();
        check_bands();
        for (int callers = 1; callers <= MANY; callers += MANY - 1)
            check_limit(callers);
    }
    worker_pool_release();
    check_fork();
    check_fork_amid();
    return unit_result();
}
