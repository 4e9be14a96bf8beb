/* SPDX-License-Identifier: MIT */
/* Faults on purpose, in a library to be preloaded. It counts the program's system calls,
 * allocations and thread creations by kind, and makes one of them fail, or all from one on.
 *
 * FAULT_COUNTS names the file for the counts: 24 bytes for each kind, its name (16) and the number
 * of calls (8); the last entry counts the faults. FAULT=KIND:EFFECT:N makes call N of that kind
 * fail; FAULT=KIND:EFFECT:N+ all later ones too. EFFECT is an errno, a cudaError_t, or `short`: a
 * read or write transfers half of the bytes.
 *
 * Threads take turns (turns.c), so that the same call has the same number in each run.
 *
 * Writes to standard error are not counted: if a message cannot be written, no program can tell. */
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
    KIND_FOLDER,
    KIND_LIST, /* of a folder's files */
    KIND_MODE,
    KIND_ATTRIBUTE, /* of a file, such as its ACL */
    KIND_SIZE,
    KIND_CPUS,
    KIND_CUDA, /* of the emulated device: see cuda.c */
    KINDS
};

#define FAULT_SHORT (-1) /* instead of an errno */

/* While true, the calls of this thread are not counted. */
extern _Thread_local bool inject_pauses;

/* Counts a call. Returns the error that it has to fail with, FAULT_SHORT, or 0: make the call. */
int inject(enum kind kind);

/* Reads FAULT and FAULT_COUNTS, and begins to count. Gives up if that is impossible. */
void inject_begin(void);

/* From here on no call is counted, and none fails. */
void inject_end(void);

/* Prints why the test cannot run here, and exits with 77 (skipped). */
void inject_give_up(const char *why) __attribute__((noreturn));

/* Finds the function of that name that the program would call without this library. `function` is
 * the address of a function pointer, which is set. */
void inject_find(void *function, const char *name);

/* Makes threads take turns. Call it before the first thread is created. */
void turns_open(void);

/* From here on libc's system calls pass through inject(). Returns false if the kernel or the
 * processor is not supported. */
bool trap_open(void);

/* Makes a system call that does not pass through inject(). Returns its result, or -errno. */
long plain_call(long number, const long arguments[6]);

#endif
