/* SPDX-License-Identifier: MIT */
/* What is counted, and which call is to fail; the allocator's functions, and threads. */
#include "inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CANNOT 77 /* the exit status of a test that cannot run here */

static const char *const names[KINDS + 1] = {
    [KIND_ALLOC] = "alloc", [KIND_THREAD] = "thread", [KIND_MAP] = "map",
    [KIND_OPEN] = "open",   [KIND_READ] = "read",     [KIND_WRITE] = "write",
    [KIND_SYNC] = "sync",   [KIND_NAME] = "name",     [KIND_UNLINK] = "unlink",
    [KIND_CLOSE] = "close", [KIND_STAT] = "stat",     [KIND_SEEK] = "seek",
    [KIND_COPY] = "copy",   [KIND_LOCK] = "lock",     [KIND_FOLDER] = "folder",
    [KIND_LIST] = "list",   [KIND_MODE] = "mode",     [KIND_SIZE] = "size",
    [KIND_CPUS] = "cpus",   [KINDS] = "faults",
};

struct count {
    char name[16];
    atomic_ullong calls;
};

static struct count *counts; /* in the file, so that they outlive a crash; NULL: not yet */
static int chosen = -1;      /* the kind that fails */
static int effect;
static unsigned long long first;
static bool all_that_follow;

int inject(enum kind kind)
{
    unsigned long long call;

    if (!counts)
        return 0;
    call = atomic_fetch_add(&counts[kind].calls, 1) + 1;
    if ((int)kind != chosen || call < first || (call > first && !all_that_follow))
        return 0;
    atomic_fetch_add(&counts[KINDS].calls, 1);
    return effect;
}

static void __attribute__((noreturn)) give_up(const char *why)
{
    fprintf(stderr, "inject: %s\n", why);
    _exit(CANNOT);
}

static void read_wish(const char *wish)
{
    char kind[16], what[16], rest[2] = "";

    if (sscanf(wish, "%15[a-z]:%15[a-z0-9]:%llu%1s", kind, what, &first, rest) < 3)
        give_up("FAULT is not KIND:EFFECT:N or KIND:EFFECT:N+");
    for (int i = 0; i < KINDS; i++)
        if (strcmp(names[i], kind) == 0)
            chosen = i;
    effect = strcmp(what, "short") == 0 ? FAULT_SHORT : atoi(what);
    all_that_follow = *rest == '+';
    if (chosen < 0 || effect == 0)
        give_up("FAULT names no kind or effect that is known");
}

static struct count *open_counts(const char *path)
{
    const size_t bytes = (KINDS + 1) * sizeof *counts;
    const int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    struct count *made = MAP_FAILED;

    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0)
        made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (made == MAP_FAILED)
        give_up("FAULT_COUNTS is no file to write to");
    for (int i = 0; i <= KINDS; i++) {
        snprintf(made[i].name, sizeof made[i].name, "%s", names[i]);
        atomic_store(&made[i].calls, 0);
    }
    return made;
}

__attribute__((constructor)) static void begin(void)
{
    const char *wish = getenv("FAULT");
    struct count *made = open_counts(getenv("FAULT_COUNTS"));

    if (wish)
        read_wish(wish);
    if (!trap_open())
        give_up("this system lets nobody trap its calls (seccomp)");
    counts = made;
}

/* The function of this name that would have been called without this library. */
static void *behind(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (!found)
        abort();
    return found;
}

/* dlsym may ask for memory itself, before there is any way to get it: a little is kept for that. */
static _Alignas(max_align_t) char early[4096];
static size_t early_used;
static __thread bool searching;

static bool is_early(const void *memory)
{
    return (uintptr_t)memory >= (uintptr_t)early &&
           (uintptr_t)memory < (uintptr_t)early + sizeof early;
}

static void *take_early(size_t bytes)
{
    const size_t at = early_used;

    early_used += (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    return early_used <= sizeof early ? early + at : NULL;
}

#define FIND(function, name)                                                                       \
    do {                                                                                           \
        if (!(function)) {                                                                         \
            searching = true;                                                                      \
            *(void **)&(function) = behind(name);                                                  \
            searching = false;                                                                     \
        }                                                                                          \
    } while (0)

static bool no_memory(void)
{
    const int reason = inject(KIND_ALLOC);

    if (reason != 0)
        errno = reason;
    return reason != 0;
}

void *malloc(size_t bytes)
{
    static void *(*next)(size_t bytes);

    if (searching)
        return take_early(bytes);
    FIND(next, "malloc");
    return no_memory() ? NULL : next(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    static void *(*next)(size_t count, size_t bytes);

    if (searching)
        return take_early(count * bytes);
    FIND(next, "calloc");
    return no_memory() ? NULL : next(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    static void *(*next)(void *memory, size_t bytes);

    FIND(next, "realloc");
    return no_memory() ? NULL : next(memory, bytes);
}

void *reallocarray(void *memory, size_t count, size_t bytes)
{
    size_t all;

    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(memory, all);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    static void *(*next)(size_t alignment, size_t bytes);

    FIND(next, "aligned_alloc");
    return no_memory() ? NULL : next(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    static int (*next)(void **memory, size_t alignment, size_t bytes);

    FIND(next, "posix_memalign");
    return no_memory() ? ENOMEM : next(memory, alignment, bytes);
}

void free(void *memory)
{
    static void (*next)(void *memory);

    if (is_early(memory))
        return;
    FIND(next, "free");
    next(memory);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *),
                   void *argument)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    const int reason = inject(KIND_THREAD);

    FIND(next, "pthread_create");
    return reason != 0 ? reason : next(thread, attributes, routine, argument);
}

/* A thread that put off all signals would be killed by the first call that is trapped. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    static int (*next)(int, const sigset_t *, sigset_t *);
    sigset_t most;

    FIND(next, "pthread_sigmask");
    if (!set)
        return next(how, NULL, before);
    most = *set;
    if (how != SIG_UNBLOCK)
        sigdelset(&most, SIGSYS);
    return next(how, &most, before);
}
