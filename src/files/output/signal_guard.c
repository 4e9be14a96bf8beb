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

/* The states of a slot. BUSY: between signal_guard_enter and signal_guard_leave, while its thread
 * changes names. LIVE: a signal removes the path. */
enum { FREE, BUSY, LIVE };

static struct {
    atomic_int state;
    char path[PATH_MAX];
} slots[GUARD_SLOTS];

static atomic_bool dying; /* the handler has begun */
static void (*call_before_death)(void);

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

/* Makes a slot BUSY if its state is `from`; else returns false. Once the program is dying, does not
 * return: no name may change while the handler reads. The thread writes BUSY and then reads
 * `dying`, the handler writes `dying` and then reads the state; both are sequentially consistent,
 * so at least one of them sees the other's write. */
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

/* Makes a free slot BUSY. Returns its number, from 1; 0 with errno if there is none. */
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

/* The handler: calls only async-signal-safe functions. A BUSY slot belongs to another thread, since
 * that thread has blocked the signals, and soon leaves that state. */
static void remove_and_die(int signal_number)
{
    atomic_store(&dying, true);
    for (int i = 0; i < GUARD_SLOTS; i++) {
        while (atomic_load(&slots[i].state) == BUSY)
            ;
        if (atomic_load(&slots[i].state) == LIVE)
            unlink(slots[i].path);
    }
    if (call_before_death)
        call_before_death();
    /* For the first process of a container the default action is to ignore the signal. */
    if (getpid() == 1)
        _exit(128 + signal_number);
    raise(signal_number); /* SA_RESETHAND has restored the default; it acts after the return */
}

void output_guard_signals(void (*before_death)(void))
{
    struct sigaction action, old;

    call_before_death = before_death;
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
