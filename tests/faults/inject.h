/* SPDX-License-Identifier: MIT */
/* Faults on purpose, in a library to be preloaded: every call that the program makes of the system,
 * of the allocator or for a thread is counted by its kind, and one of them, or all from one on,
 * fail.
 *
 * FAULT_COUNTS names the file that the counts go to: 24 bytes for each kind, its name and a number;
 * the last is that of the faults. FAULT=KIND:EFFECT:N lets call N of that kind fail, and with a +
 * behind it all that follow too. EFFECT is an errno, a cudaError_t, or `short`: half of what a read
 * or a write was asked for.
 *
 * Threads take turns (turns.c), so that the same call has the same number in each run.
 *
 * It counts no write to standard error: a message that cannot be written is lost, whatever a
 * program does. */
#ifndef SMOOTHIMG_INJECT_H
#define SMOOTHIMG_INJECT_H

#include <stdbool.h>

enum kind {
    KIND_ALLOC,
    KIND_THREAD,
    KIND_MAP,
    KIND_OPEN,
    KIND_READ,
    KIND_WRITE,
    KIND_SYNC,
    KIND_NAME,
    KIND_UNLINK,
    KIND_CLOSE,
    KIND_STAT,
    KIND_SEEK,
    KIND_COPY, /* of a descriptor */
    KIND_LOCK,
    KIND_FOLDER,
    KIND_LIST, /* of a folder's files */
    KIND_MODE,
    KIND_SIZE,
    KIND_CPUS,
    KIND_CUDA, /* of the emulated device: see cuda.c */
    KINDS
};

#define FAULT_SHORT (-1) /* instead of an errno */

/* A thread whose calls are not counted for a while. */
extern _Thread_local bool inject_pauses;

/* Counts a call. The errno that it has to fail with, FAULT_SHORT, or 0: let it be. */
int inject(enum kind kind);

/* Reads what is wanted, and begins to count. Ends the program where that cannot be. */
void inject_begin(void);

/* All that comes is let be. */
void inject_end(void);
void inject_give_up(const char *why) __attribute__((noreturn));

/* Finds the function of that name that would be called without this library. function: a pointer to
 * a pointer to it. */
void inject_find(void *function, const char *name);

/* Before threads are created. */
void turns_open(void);

/* From here on the system calls of libc come to inject. False: the kernel or the processor is none
 * that this is written for. */
bool trap_open(void);

/* A system call that does not come to inject: its result, or -errno. */
long plain_call(long number, const long arguments[6]);

#endif
