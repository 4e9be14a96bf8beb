/* SPDX-License-Identifier: MIT */
/* Shared by the fuzz targets: files and pipes in memory, and DEMAND. A target is a source file that
 * defines LLVMFuzzerTestOneInput; see README.md. */
#ifndef SMOOTHIMG_FUZZ_GROUND_H
#define SMOOTHIMG_FUZZ_GROUND_H

#include "src/lib/base/error.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Runs the code under test on the bytes, and returns 0. Every target defines it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* If the condition is false, prints the line and a message (as for printf), and aborts, which the
 * fuzzer treats as a crash. */
#define DEMAND(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                        \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#define GROUND_FILES 4          /* how many files may exist at the same time */
#define GROUND_PIPE_BYTES 65536 /* a pipe holds this many bytes without a reader */

/* Replaces the content of file `which` (0..GROUND_FILES-1), in memory. Returns its path. */
const char *ground_file(int which, const void *bytes, size_t count);

/* Returns the path of file `which`, after ground_file(). */
const char *ground_path(int which);

/* Makes a pipe of these bytes, at most GROUND_PIPE_BYTES. Returns its path, which can be read until
 * ground_pipe_close(). There is one pipe at a time. */
const char *ground_pipe(const void *bytes, size_t count);
void ground_pipe_close(void);

/* Demands that a failure (status) has a message, and that the message is printable ASCII. */
void ground_demand_told(enum status status, const struct error *error);

#endif
