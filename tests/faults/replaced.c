/* SPDX-License-Identifier: MIT */
/* Replaces libc's allocator, so that allocations can fail (inject.h). Replaces the function that
 * calls main(), so that no call before main() fails. */
#include "tests/faults/inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EARLY_BYTES (1 << 20)

/* Memory for allocations before the program begins, when libc's malloc() cannot be looked up yet. A
 * sanitizer's runtime makes such allocations. This memory is never freed. */
static _Alignas(max_align_t) char early[EARLY_BYTES];
static size_t early_used;

static int (*program)(int, char **, char **); /* the program's main() */

static bool is_early(const void *memory)
{
    return (uintptr_t)memory >= (uintptr_t)early &&
           (uintptr_t)memory < (uintptr_t)early + sizeof early;
}

static void *take_early(size_t bytes)
{
    const size_t unit = sizeof(max_align_t), at = early_used;

    if (bytes > sizeof early - at - unit)
        inject_give_up("much memory is wanted before the program begins");
    early_used += (bytes + unit - 1) / unit * unit;
    return early + at;
}

static bool begun;
static atomic_ullong blocks; /* blocks of memory that the program has allocated and not freed */

/* libc's own functions, which the functions in this file replace. */
static struct {
    void *(*malloc)(size_t bytes);
    void *(*calloc)(size_t count, size_t bytes);
    void *(*realloc)(void *memory, size_t bytes);
    void *(*aligned_alloc)(size_t alignment, size_t bytes);
    int (*posix_memalign)(void **memory, size_t alignment, size_t bytes);
    void (*free)(void *memory);
    int (*attributes)(pthread_t, pthread_attr_t *);
    int (*mask)(int, const sigset_t *, sigset_t *);
    int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                 void (*)(void), void *);
} next;

/* ISO C has no conversion from dlsym's result to a function pointer, so the address is copied. */
void inject_find(void *function, const char *name)
{
    void *const found = dlsym(RTLD_NEXT, name);

    if (!found)
        inject_give_up(name);
    memcpy(function, &found, sizeof found);
}

static void find_all(void)
{
    inject_find(&next.malloc, "malloc");
    inject_find(&next.calloc, "calloc");
    inject_find(&next.realloc, "realloc");
    inject_find(&next.aligned_alloc, "aligned_alloc");
    inject_find(&next.posix_memalign, "posix_memalign");
    inject_find(&next.free, "free");
    inject_find(&next.attributes, "pthread_getattr_np");
    inject_find(&next.mask, "pthread_sigmask");
    inject_find(&next.start, "__libc_start_main");
}

static bool no_memory(void)
{
    const int reason = inject(KIND_ALLOC);

    if (reason != 0)
        errno = reason;
    return reason != 0;
}

static void *counted(void *memory)
{
    atomic_fetch_add(&blocks, memory != NULL);
    return memory;
}

void *malloc(size_t bytes)
{
    if (!begun)
        return take_early(bytes);
    return no_memory() ? NULL : counted(next.malloc(bytes));
}

void *calloc(size_t count, size_t bytes)
{
    if (!begun)
        return take_early(count * bytes);
    return no_memory() ? NULL : counted(next.calloc(count, bytes));
}

/* Copies a block of the early memory to a new block of `bytes` bytes. The length of the old block
 * is unknown, so bytes that follow it may be copied, too. */
static void *move_early(const void *memory, size_t bytes)
{
    const size_t rest = (size_t)(early + sizeof early - (const char *)memory);
    void *moved = malloc(bytes);

    if (moved)
        memcpy(moved, memory, bytes < rest ? bytes : rest);
    return moved;
}

void *realloc(void *memory, size_t bytes)
{
    if (!memory)
        return malloc(bytes);
    if (bytes == 0) { /* as glibc does */
        free(memory);
        return NULL;
    }
    if (is_early(memory))
        return move_early(memory, bytes);
    return no_memory() ? NULL : next.realloc(memory, bytes);
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
    if (!begun)
        inject_give_up("aligned memory is wanted before the program begins");
    return no_memory() ? NULL : counted(next.aligned_alloc(alignment, bytes));
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    int reason;

    if (!begun)
        inject_give_up("aligned memory is wanted before the program begins");
    if (no_memory())
        return ENOMEM;
    reason = next.posix_memalign(memory, alignment, bytes);
    atomic_fetch_add(&blocks, reason == 0);
    return reason;
}

void free(void *memory)
{
    if (!memory || is_early(memory))
        return;
    atomic_fetch_sub(&blocks, 1);
    next.free(memory);
}

/* Sanitizers' runtimes call this function for every thread, and end the program if it fails. So the
 * allocations that it makes are not counted and do not fail. */
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    int result;

    inject_pauses = true;
    result = next.attributes(thread, attributes);
    inject_pauses = false;
    return result;
}

/* Changes the blocked signals as the program asks, but never blocks SIGSYS, which the kernel sends
 * for each trapped call (trap.c): if SIGSYS were blocked, it would kill the program. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    sigset_t most;

    if (!set)
        return next.mask(how, NULL, before);
    most = *set;
    if (how != SIG_UNBLOCK)
        sigdelset(&most, SIGSYS);
    return next.mask(how, &most, before);
}

/* Runs main(). Calls that libraries make before and after it, such as a linked CUDA runtime's, are
 * not counted. */
static int run_program(int count, char **words, char **environment)
{
    unsigned long long before;
    int status;

    inject_begin();
    before = atomic_load(&blocks);
    status = program(count, words, environment);
    inject_end(atomic_load(&blocks) - before);
    return status;
}

/* libc's start code calls this function when all libraries are loaded. Runs run_program() in place
 * of main(). */
int __libc_start_main(int (*main)(int, char **, char **), int count, char **words,
                      void (*before)(void), void (*after)(void), void (*last)(void), void *stack);

int __libc_start_main(int (*main)(int, char **, char **), int count, char **words,
                      void (*before)(void), void (*after)(void), void (*last)(void), void *stack)
{
    find_all();
    turns_open();
    begun = true;
    program = main;
    return next.start(run_program, count, words, before, after, last, stack);
}
