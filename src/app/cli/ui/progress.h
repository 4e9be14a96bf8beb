/* SPDX-License-Identifier: MIT */
/* The progress of a run: on a terminal one line, redrawn in place; elsewhere a plain line now and
 * then. There is one terminal, and so no handle. Between progress_open and progress_close any
 * thread may call these functions; before and after they do nothing. */
#ifndef SMOOTHIMG_PROGRESS_H
#define SMOOTHIMG_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --progress and --no-progress. */
enum progress_mode {
    PROGRESS_AUTO,   /* a line, if the stream is a terminal that can redraw it */
    PROGRESS_ALWAYS, /* there; plain lines elsewhere */
    PROGRESS_NEVER
};

struct progress_state {
    int64_t files, bytes;                     /* in all, of the inputs; bytes 0: unknown */
    _Atomic int64_t files_done, files_failed; /* done includes failed */
    _Atomic int64_t bytes_done;
};

/* On a terminal the first line comes after so many seconds. */
void progress_open(enum progress_mode mode, int64_t files, int64_t bytes, double after,
                   FILE *stream);

/* Adds bytes of the inputs. Draws at most ten times a second. */
void progress_add(int64_t bytes);

/* A file is done. */
void progress_file(bool failed);

/* Around a message for the terminal: removes the line, and redraws it. Meanwhile no other thread
 * draws. */
void progress_clear(void);
void progress_redraw(void);

/* Removes the line, or prints the last plain one. */
void progress_close(void);

/* Before a signal ends the program: ends the line, if there is one. Takes no lock: a thread that
 * draws may wait for the terminal. */
void progress_leave(void);

/* The line, less than `columns` wide, with a bar if there is room; columns 0: of any width, without
 * a bar. Leaves out the parts that do not fit. */
void progress_line(const struct progress_state *state, double seconds, int columns, char *text,
                   size_t bytes);

#endif
