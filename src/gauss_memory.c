/* SPDX-License-Identifier: MIT */
#include "gauss_memory.h"

#include <gmp.h>
#include <mpfr.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What the weights need at once is a few kilobytes, whatever the halo. */
#define POOL_BYTES (1 << 17)
#define UNIT 16    /* the smallest block, and what all are aligned to */
#define CLASSES 12 /* blocks of UNIT << 0.. bytes */

/* Blocks that have been freed are kept by their sizes, each with the address of the next one. */
struct pool {
    size_t used;
    void *freed[CLASSES];
    _Alignas(UNIT) char bytes[POOL_BYTES];
};

static _Thread_local struct pool *pool;

static int class_of(size_t bytes)
{
    int class = 0;

    while (class < CLASSES && (size_t)UNIT << class < bytes)
        class ++;
    return class;
}

static bool is_pooled(const void *memory)
{
    return pool && (uintptr_t)memory >= (uintptr_t)pool->bytes &&
           (uintptr_t)memory < (uintptr_t)pool->bytes + POOL_BYTES;
}

static void *take_pooled(int class)
{
    const size_t bytes = (size_t)UNIT << class;
    void *memory = pool->freed[class];

    if (memory) {
        memcpy(&pool->freed[class], memory, sizeof memory);
    } else if (bytes <= POOL_BYTES - pool->used) {
        memory = pool->bytes + pool->used;
        pool->used += bytes;
    }
    return memory;
}

/* GMP knows no way back from here: abort is its own answer too. It takes more than the pool has. */
static void *take(size_t bytes)
{
    const int class = class_of(bytes);
    void *memory = pool && class < CLASSES ? take_pooled(class) : NULL;

    if (!memory)
        memory = malloc(bytes);
    if (!memory)
        abort();
    return memory;
}

static void give(void *memory, size_t bytes)
{
    if (!is_pooled(memory)) {
        free(memory);
        return;
    }
    memcpy(memory, &pool->freed[class_of(bytes)], sizeof memory);
    pool->freed[class_of(bytes)] = memory;
}

static void *change(void *memory, size_t before, size_t after)
{
    void *changed = take(after);

    memcpy(changed, memory, before < after ? before : after);
    give(memory, before);
    return changed;
}

/* For all threads: those without a pool have what they ever had. */
static void set_functions(void)
{
    mp_set_memory_functions(take, change, give);
}

bool gauss_memory_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    /* What MPFR keeps for all threads would outlive the pool. */
    if (mpfr_buildopt_sharedcache_p())
        return true;
    pthread_once(&once, set_functions);
    pool = malloc(sizeof *pool);
    if (!pool)
        return false;
    memset(pool, 0, offsetof(struct pool, bytes));
    return true;
}

void gauss_memory_close(void)
{
    free(pool);
    pool = NULL;
}
