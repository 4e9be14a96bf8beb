/* SPDX-License-Identifier: MIT */
/* What happens to temporary files when a signal ends the program. */
#include "output_guard.h"
#include "output.h"
#include "progress.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A slot is FREE; or BUSY while its thread changes names, between guard_enter and guard_leave; or
 * LIVE: the path is there, and goes when a signal comes. */
enum { FREE, BUSY, LIVE };

static struct {
    atomic_int state;
    char path[PATH_MAX];
} slots[GUARD_SLOTS];

static atomic_bool dying;

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

/* Makes a slot BUSY that was in the state `from`. Once the program is dying, nothing may change
 * under the handler's eyes: the thread waits for the end here. (Both sides write first and then
 * read, in one order for all threads: either the handler sees BUSY, or the thread sees dying.) */
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

bool guard_enter(struct guard *guard)
{
    const sigset_t set = fatal_set();

    /* No handler may run in this thread while its slot is BUSY: it would wait for itself. */
    pthread_sigmask(SIG_BLOCK, &set, &guard->before);
    if (guard->number)
        make_busy(guard->number - 1, LIVE);
    else
        guard->number = take_slot();
    if (!guard->number)
        pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
    return guard->number != 0;
}

void guard_leave(struct guard *guard, const char *path)
{
    const sigset_t before = guard->before;
    const int slot = guard->number - 1;

    if (path)
        snprintf(slots[slot].path, sizeof slots->path, "%s", path);
    else
        *guard = (struct guard){0};
    atomic_store(&slots[slot].state, path ? LIVE : FREE);
    pthread_sigmask(SIG_SETMASK, &before, NULL); /* which leaves errno alone */
}

/* Calls only what is safe in a handler. A BUSY slot belongs to another thread, which goes on while
 * this one waits, and holds no lock. */
static void remove_and_die(int signal_number)
{
    atomic_store(&dying, true);
    for (int i = 0; i < GUARD_SLOTS; i++) {
        while (atomic_load(&slots[i].state) == BUSY)
            ;
        if (atomic_load(&slots[i].state) == LIVE)
            unlink(slots[i].path);
    }
    progress_leave();
    /* The first process of a container has no default action: it would live on, and hang. */
    if (getpid() == 1)
        _exit(128 + signal_number);
    raise(signal_number); /* SA_RESETHAND has restored the default; it acts when this returns */
}

void output_guard_signals(void)
{
    struct sigaction action, old;

    memset(&action, 0, sizeof action);
    action.sa_handler = remove_and_die;
    action.sa_flags = (int)SA_RESETHAND;
    action.sa_mask = fatal_set();
    for (size_t i = 0; i < FATAL_SIGNALS; i++)
        /* What the caller has switched off, as nohup does, stays off. */
        if (sigaction(fatal_signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(fatal_signals[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* the write then fails with EFBIG */
}
