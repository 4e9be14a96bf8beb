/* SPDX-License-Identifier: MIT */
/* What the fuzz targets stand on: bytes as files and pipes, and demands that must hold. A target is
 * one source file with LLVMFuzzerTestOneInput; see README.md. */
#ifndef SMOOTHIMG_FUZZ_GROUND_H
#define SMOOTHIMG_FUZZ_GROUND_H

#include "src/lib/base/error.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* What every target defines: runs the code under test on the bytes, and returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program, as a crash does, where the condition is false; a sentence says what is wrong
 * (printf's format and values). */
#define DEMAND(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                        \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#define GROUND_FILES 4          /* that can be there at the same time */
#define GROUND_PIPE_BYTES 65536 /* what a pipe holds while nobody reads */

/* The path of file `which` (0..GROUND_FILES-1), which has no disk behind it and holds the bytes.
 * The next call for the same file replaces them. */
const char *ground_file(int which, const void *bytes, size_t count);

/* Its path, once it is there. */
const char *ground_path(int which);

/* Demands that files `a` and `b` hold the same bytes. */
void ground_demand_same(int a, int b, const char *what);

/* Makes a pipe that holds the bytes, of which there are at most GROUND_PIPE_BYTES, and then ends.
 * The path is good until ground_pipe_close. */
const char *ground_pipe(const void *bytes, size_t count);
void ground_pipe_close(void);

/* Demands that a failure has a sentence that a terminal can show, whatever bytes were read. */
void ground_demand_told(enum status status, const struct error *error);

#endif
