/* SPDX-License-Identifier: MIT */
/* A program that allocates memory in each way that replaced.c counts, and frees all of it. The test
 * faults.py runs it to test the count of blocks that are not freed (inject.h): some allocations
 * fail by themselves, and others are made to fail. Exit status 1: an allocation that must fail
 * succeeded. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* More bytes than there can be. volatile: compilers warn of allocations of so many bytes. */
static volatile size_t most = PTRDIFF_MAX;

/* Returns false if an allocation that must fail succeeds. */
static bool try_aligned(size_t alignment, size_t bytes, bool must_fail)
{
    void *memory = NULL;
    const bool failed = posix_memalign(&memory, alignment, bytes) != 0;

    if (!failed)
        free(memory);
    return failed || !must_fail;
}

/* With 0 bytes, glibc's realloc() frees the block and returns NULL. */
static void resize(size_t bytes)
{
    void *memory = malloc(8);
    void *resized = realloc(memory, bytes);

    if (resized)
        free(resized);
    else if (bytes > 0)
        free(memory);
}

int main(void)
{
    free(malloc(8));
    free(calloc(2, 8));
    free(calloc(most, 2));
    free(reallocarray(NULL, 2, 8));
    free(aligned_alloc(64, 64));
    resize(16);
    resize(0);
    return !(try_aligned(64, 8, false) && try_aligned(1, 8, true) && try_aligned(64, most, true));
}
