/* SPDX-License-Identifier: MIT */
#include "tests/faults/inject.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SKIPPED 77 /* the exit status of a test that cannot run here */

/* The names of the kinds of calls, and of the two entries that follow them in the file
 * FAULT_COUNTS. */
static const char *const names[KINDS + 2] = {
    [KIND_ALLOC] = "alloc", [KIND_THREAD] = "thread",       [KIND_MAP] = "map",
    [KIND_OPEN] = "open",   [KIND_READ] = "read",           [KIND_WRITE] = "write",
    [KIND_SYNC] = "sync",   [KIND_NAME] = "name",           [KIND_UNLINK] = "unlink",
    [KIND_CLOSE] = "close", [KIND_STAT] = "stat",           [KIND_SEEK] = "seek",
    [KIND_COPY] = "copy",   [KIND_FOLDER] = "folder",       [KIND_LIST] = "list",
    [KIND_MODE] = "mode",   [KIND_SIZE] = "size",           [KIND_CPUS] = "cpus",
    [KIND_CUDA] = "cuda",   [KIND_ATTRIBUTE] = "attribute", [KINDS] = "faults",
    [KINDS + 1] = "left",
};

struct count {
    char name[16];
    atomic_ullong calls;
};

/* The content of the file FAULT_COUNTS, mapped into memory so that the counts survive a crash. NULL
 * before inject_begin(). */
static struct count *counts;
static int chosen = -1;          /* the kind of the calls that fail; -1: none fail */
static int effect;               /* how calls fail: an errno, a cudaError_t or FAULT_SHORT */
static unsigned long long first; /* the number, from 1, of the first call that fails */
static bool and_all_later;       /* all later calls of the chosen kind fail, too */

static atomic_bool ended;

_Thread_local bool inject_pauses;

int inject(enum kind kind)
{
    unsigned long long call;

    if (!counts || inject_pauses || atomic_load(&ended))
        return 0;
    call = atomic_fetch_add(&counts[kind].calls, 1) + 1;
    if ((int)kind != chosen || call < first || (call > first && !and_all_later))
        return 0;
    atomic_fetch_add(&counts[KINDS].calls, 1);
    return effect;
}

void inject_give_up(const char *why)
{
    fprintf(stderr, "inject: %s\n", why);
    _exit(SKIPPED);
}

void inject_end(unsigned long long left)
{
    atomic_store(&counts[KINDS + 1].calls, left);
    atomic_store(&ended, true);
}

static void read_fault(const char *text)
{
    char kind[16], what[16], rest[2] = "";

    if (sscanf(text, "%15[a-z]:%15[a-z0-9]:%llu%1s", kind, what, &first, rest) < 3)
        inject_give_up("FAULT is not KIND:EFFECT:N or KIND:EFFECT:N+");
    for (int i = 0; i < KINDS; i++)
        if (strcmp(names[i], kind) == 0)
            chosen = i;
    effect = strcmp(what, "short") == 0 ? FAULT_SHORT : atoi(what);
    and_all_later = *rest == '+';
    if (chosen < 0 || effect == 0)
        inject_give_up("FAULT names an unknown kind or effect");
}

static struct count *open_counts(const char *path)
{
    const size_t bytes = (KINDS + 2) * sizeof *counts;
    const int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    struct count *made = MAP_FAILED;

    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0)
        made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (made == MAP_FAILED)
        inject_give_up("FAULT_COUNTS names no file that can be written");
    for (int i = 0; i < KINDS + 2; i++) {
        snprintf(made[i].name, sizeof made[i].name, "%s", names[i]);
        atomic_store(&made[i].calls, 0);
    }
    return made;
}

void inject_begin(void)
{
    const char *fault = getenv("FAULT");
    struct count *made = open_counts(getenv("FAULT_COUNTS"));

    if (fault)
        read_fault(fault);
    if (!trap_open())
        inject_give_up("this system does not allow to trap system calls (seccomp)");
    counts = made;
}
