/* SPDX-License-Identifier: MIT */
/* Shared by the fuzz targets: bytes as files and pipes in memory, and DEMAND. A target is one
 * source file that defines LLVMFuzzerTestOneInput; see README.md. */
#ifndef SMOOTHIMG_FUZZ_GROUND_H
#define SMOOTHIMG_FUZZ_GROUND_H

#include "src/lib/base/error.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Every target defines this: it runs the code under test on the bytes, and returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* If the condition is false, prints the place and a sentence (printf's format and values), and
 * aborts, which the fuzzer treats as a crash. */
#define DEMAND(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                        \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#define GROUND_FILES 4          /* at the same time */
#define GROUND_PIPE_BYTES 65536 /* that a pipe holds before a write blocks */

/* Writes the bytes to file `which` (0..GROUND_FILES-1), which is in memory. Returns its path. The
 * next call for the same file replaces them. */
const char *ground_file(int which, const void *bytes, size_t count);

/* The path of file `which`, after ground_file. */
const char *ground_path(int which);

/* Makes a pipe that contains the bytes, at most GROUND_PIPE_BYTES, and whose writing end is closed.
 * Returns a path to read from until ground_pipe_close. There is one pipe at a time. */
const char *ground_pipe(const void *bytes, size_t count);
void ground_pipe_close(void);

/* Demands that a failure has a message in printable ASCII, whatever bytes were read. */
void ground_demand_told(enum status status, const struct error *error);

#endif
