/* SPDX-License-Identifier: MIT */
#include "src/files/output/signal_guard.h"
#include "src/files/output/output.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A slot is FREE; BUSY between signal_guard_enter and signal_guard_leave, while its thread changes
 * names; or LIVE: a signal removes the path. */
enum { FREE, BUSY, LIVE };

static struct {
    atomic_int state;
    char path[PATH_MAX];
} slots[GUARD_SLOTS];

static atomic_bool dying;
static void (*last_words)(void);

static const int fatal_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
#define FATAL_SIGNALS (sizeof fatal_signals / sizeof *fatal_signals)

static sigset_t fatal_set(void)
{
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < FATAL_SIGNALS; i++)
        sigaddset(&set, fatal_signals[i]);
    return set;
}

/* Makes a slot BUSY that was in the state `from`. Once the program is dying, waits for its end: no
 * name may change while the handler reads. (Both sides write first and then read, sequentially
 * consistent: either the handler sees BUSY, or the thread sees dying.) */
static bool make_busy(int slot, int from)
{
    int expected = from;

    if (!atomic_compare_exchange_strong(&slots[slot].state, &expected, BUSY))
        return false;
    if (!atomic_load(&dying))
        return true;
    atomic_store(&slots[slot].state, from);
    for (;;)
        pause();
}

static int take_slot(void)
{
    for (int i = 0; i < GUARD_SLOTS; i++)
        if (make_busy(i, FREE))
            return i + 1;
    errno = EMFILE;
    return 0;
}

bool signal_guard_enter(struct signal_guard *guard)
{
    const sigset_t set = fatal_set();

    /* A handler in this thread would wait for its own BUSY slot. */
    pthread_sigmask(SIG_BLOCK, &set, &guard->before);
    if (guard->number)
        make_busy(guard->number - 1, LIVE);
    else
        guard->number = take_slot();
    if (!guard->number)
        pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
    return guard->number != 0;
}

void signal_guard_leave(struct signal_guard *guard, const char *path)
{
    const sigset_t before = guard->before;
    const int slot = guard->number - 1;

    if (path)
        snprintf(slots[slot].path, sizeof slots->path, "%s", path);
    else
        *guard = (struct signal_guard){0};
    atomic_store(&slots[slot].state, path ? LIVE : FREE);
    pthread_sigmask(SIG_SETMASK, &before, NULL); /* keeps errno */
}

/* Calls only async-signal-safe functions. A BUSY slot belongs to another thread, which runs on
 * while this one waits. */
static void remove_and_die(int signal_number)
{
    atomic_store(&dying, true);
    for (int i = 0; i < GUARD_SLOTS; i++) {
        while (atomic_load(&slots[i].state) == BUSY)
            ;
        if (atomic_load(&slots[i].state) == LIVE)
            unlink(slots[i].path);
    }
    if (last_words)
        last_words();
    /* The first process of a container has no default action: it would survive. */
    if (getpid() == 1)
        _exit(128 + signal_number);
    raise(signal_number); /* acts when this returns: SA_RESETHAND has restored the default */
}

void output_guard_signals(void (*before_death)(void))
{
    struct sigaction action, old;

    last_words = before_death;
    memset(&action, 0, sizeof action);
    action.sa_handler = remove_and_die;
    action.sa_flags = (int)SA_RESETHAND;
    action.sa_mask = fatal_set();
    for (size_t i = 0; i < FATAL_SIGNALS; i++)
        /* What the caller ignores, as nohup does, stays ignored. */
        if (sigaction(fatal_signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(fatal_signals[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* the write then fails with EFBIG */
}
