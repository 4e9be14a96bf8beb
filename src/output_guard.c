/* SPDX-License-Identifier: MIT */
/* What happens to temporary files when a signal ends the program. */
#include "output_guard.h"
#include "output.h"
#include "progress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

/* A slot is FREE, or BUSY while its thread creates the file and writes the path down, or LIVE: the
 * file exists. */
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

/* Takes a slot, or -1. Once the program is dying no slot may change its path under the handler's
 * eyes: the thread waits for the end here. (Both sides write first and then read, in one order for
 * all threads: either the handler sees BUSY, or the thread sees dying.) */
static int take_slot(void)
{
    for (int i = 0; i < GUARD_SLOTS; i++) {
        int expected = FREE;

        if (!atomic_compare_exchange_strong(&slots[i].state, &expected, BUSY))
            continue;
        if (!atomic_load(&dying))
            return i;
        atomic_store(&slots[i].state, FREE);
        for (;;)
            pause();
    }
    errno = EMFILE;
    return -1;
}

int guard_create(const char *path, mode_t mode, int *slot)
{
    const sigset_t set = fatal_set();
    const size_t bytes = strlen(path) + 1;
    sigset_t before;
    int fd = -1, reason;

    if (bytes > sizeof slots->path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    /* No handler may run in this thread while its slot is BUSY: it would wait for itself. */
    pthread_sigmask(SIG_BLOCK, &set, &before);
    *slot = take_slot();
    if (*slot >= 0) {
        memcpy(slots[*slot].path, path, bytes);
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        atomic_store(&slots[*slot].state, fd < 0 ? FREE : LIVE);
    }
    reason = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return fd;
}

void guard_release(int slot)
{
    atomic_store(&slots[slot].state, FREE);
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
