/* SPDX-License-Identifier: MIT */
#include "src/files/output/signals.h"

#include "kernels/common/worker_pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

static const int fatal_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
#define FATAL_SIGNALS (sizeof fatal_signals / sizeof *fatal_signals)

static pthread_mutex_t holding = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
/* How many times this thread has locked `holding`. */
static _Thread_local volatile sig_atomic_t holds;
static struct signals_name *names;

static pthread_t waiter;
static sigset_t awaited;
static atomic_bool dying;
static void (*call_before_death)(void);

static void wait_for_death(void)
{
    for (;;)
        pause();
}

void signals_hold(void)
{
    pthread_mutex_lock(&holding);
    if (holds++ > 0 || !dying || pthread_equal(pthread_self(), waiter))
        return;
    holds--;
    pthread_mutex_unlock(&holding);
    wait_for_death();
}

void signals_release(void)
{
    holds--;
    pthread_mutex_unlock(&holding);
}

void signals_guard(struct signals_name *name, const char *path)
{
    struct signals_name **link = &names;

    while (*link && *link != name)
        link = &(*link)->next;
    if (*link)
        *link = name->next;
    name->path = path;
    if (!path)
        return;
    name->next = names;
    names = name;
}

/* The signal handler. Wakes the waiting thread by sending it the signal. Stops a thread whose write
 * has raised SIGPIPE, so that this thread does not also report the failed write. But a thread that
 * is between signals_hold and signals_release must run on, since the waiting thread waits for the
 * release; the next call of signals_hold stops such a thread. */
static void pass_on(int number, siginfo_t *info, void *unused)
{
    (void)unused;
    dying = true;
    pthread_kill(waiter, number);
    if (number == SIGPIPE && info->si_pid == getpid() && holds == 0)
        wait_for_death();
}

/* The waiting thread's function. All signals are blocked in it. */
static void *wait_and_die(void *unused)
{
    int number = 0;

    (void)unused;
    sigwait(&awaited, &number);
    signal(number, SIG_DFL);
    dying = true;
    signals_hold();
    if (call_before_death)
        call_before_death();
    for (const struct signals_name *name = names; name; name = name->next)
        unlink(name->path);
    /* In the first process of a container the default action of a signal is to ignore it. */
    if (getpid() == 1)
        _exit(128 + number);
    pthread_sigmask(SIG_UNBLOCK, &awaited, NULL);
    raise(number);
    return NULL;
}

/* The waiting thread does not wait for signals that are ignored (as with nohup) or blocked when the
 * program starts. */
void signals_catch(void (*before_death)(void))
{
    struct sigaction old, action = {.sa_flags = SA_SIGINFO | SA_RESTART | (int)SA_RESETHAND};
    sigset_t all, blocked;
    bool started;

    call_before_death = before_death;
    action.sa_sigaction = pass_on;
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the file-size limit then fails with EFBIG */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &blocked); /* the waiting thread inherits this mask */
    sigemptyset(&awaited);
    for (size_t i = 0; i < FATAL_SIGNALS; i++)
        if (sigaction(fatal_signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN &&
            !sigismember(&blocked, fatal_signals[i]))
            sigaddset(&awaited, fatal_signals[i]);
    started = thread_start(&waiter, wait_and_die, NULL);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    for (size_t i = 0; i < FATAL_SIGNALS && started; i++)
        if (sigismember(&awaited, fatal_signals[i]))
            sigaction(fatal_signals[i], &action, NULL);
}
