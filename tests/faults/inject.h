/* SPDX-License-Identifier: MIT */
/* A library that is preloaded into a program (LD_PRELOAD), and makes the program's calls fail. The
 * library counts system calls, allocations, thread creations and CUDA calls by kind. It lets one of
 * them fail, alone or together with all later ones of the same kind.
 *
 * Two environment variables control it. FAULT=KIND:EFFECT:N makes call N of that kind fail (the
 * first is 1); FAULT=KIND:EFFECT:N+ also makes all later calls of the kind fail. EFFECT is an
 * errno, a cudaError_t, or `short`: a read or write transfers half of the bytes. FAULT_COUNTS names
 * a file to which the counts are written. The file has 24 bytes for each kind: the name (16) and
 * the number of calls (8). Two more entries follow: `faults` counts the calls that were made to
 * fail, and `left` the blocks of memory that main() has allocated and not freed.
 *
 * One thread runs at a time (turns.c), so that a call has the same number in each run.
 *
 * Writes to standard error are not counted, since a program cannot report that they failed. */
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
    KIND_NAME, /* calls that rename or link a file */
    KIND_UNLINK,
    KIND_CLOSE,
    KIND_STAT, /* calls that ask about a file, a file system or the current folder */
    KIND_SEEK,
    KIND_COPY, /* calls that copy a file descriptor */
    KIND_FOLDER,
    KIND_LIST,      /* calls that list a folder's files */
    KIND_MODE,      /* calls that set a file's permissions or owner */
    KIND_ATTRIBUTE, /* calls for extended attributes, such as an ACL */
    KIND_SIZE,      /* calls that resize a file, or copy into it */
    KIND_CPUS,      /* calls that ask which processors the process may use */
    KIND_CUDA,      /* calls of the CUDA runtime, on the emulated device: cuda.c */
    KINDS
};

#define FAULT_SHORT (-1) /* in place of an errno: the call transfers half of its bytes */

/* While true, the calls of this thread are not counted and do not fail. */
extern _Thread_local bool inject_pauses;

/* Counts a call. Returns the error with which it must fail, FAULT_SHORT, or 0 to make the call. */
int inject(enum kind kind);

/* Reads FAULT and FAULT_COUNTS, and begins to count. If it cannot, it calls inject_give_up(). */
void inject_begin(void);

/* Ends counting. Later calls do not fail. `left`: how many blocks of memory are not freed. */
void inject_end(unsigned long long left);

/* Prints why the test cannot run here, and exits with 77 (skipped). */
void inject_give_up(const char *why) __attribute__((noreturn));

/* Finds the function of this name that the program would call without this library. Stores its
 * address in the function pointer at `function`. */
void inject_find(void *function, const char *name);

/* Makes threads run one at a time. Must be called before the first thread is created. */
void turns_open(void);

/* Makes libc's system calls pass through inject() from now on. Returns false if the kernel or libc
 * does not allow it. */
bool trap_open(void);

/* Makes a system call that does not pass through inject(). Returns its result, or -errno. */
long plain_call(long number, const long arguments[6]);

#endif
