/* SPDX-License-Identifier: MIT */
/* How far a run has come: one line on a terminal, drawn again and again in its place, or now and
 * then a plain line elsewhere. There is one terminal and so one bar, which is why no handle is
 * passed; between progress_open and progress_close every function may be called by any thread, and
 * outside of them none does anything. No colours, so NO_COLOR has nothing to ask for. */
#ifndef SMOOTHIMG_PROGRESS_H
#define SMOOTHIMG_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --progress and --no-progress. */
enum progress_mode {
    PROGRESS_AUTO,   /* a bar, if the stream is a terminal that can draw one */
    PROGRESS_ALWAYS, /* a bar there, and plain lines elsewhere */
    PROGRESS_NEVER
};

/* What a line tells. */
struct progress_state {
    int64_t files, files_done, files_failed; /* done: in any way, the failed ones among them */
    int64_t bytes, bytes_done;               /* of the inputs; bytes 0: not known */
    double seconds;                          /* since the begin */
};

/* Begins, with nothing done of so many files with so many bytes in all (0: not known). */
void progress_open(enum progress_mode mode, int64_t files, int64_t bytes, FILE *stream);

/* So many bytes of the inputs more are done. Cheap: draws at most ten times a second. */
void progress_add(int64_t bytes);

/* A file has come to its end. */
void progress_file(bool failed);

/* A file of so many bytes needs no work: it does not count, lest it make the rest look fast. */
void progress_skip(int64_t bytes);

/* Around a message for the terminal: takes the line away, and draws it again. No other thread draws
 * in between: those that come to it go on without. */
void progress_clear(void);
void progress_redraw(void);

/* Ends: takes the bar away; plain lines get a last one. */
void progress_close(void);

/* For a signal's handler, before the program dies: leaves the bar's line, if there is one. */
void progress_leave(void);

/* The line, in less than `columns` columns, one byte each. One that is too narrow for all loses the
 * rate, then the time left, the failures, the files, and the percentage. A bar, if it is wanted,
 * has what room remains, or is left out. */
void progress_line(const struct progress_state *state, int columns, bool bar, char *text,
                   size_t bytes);

/* The part of one file in a run's bytes: what is added for its rows never exceeds its size, and at
 * its end the rest is added. All zero: none. */
struct progress_share {
    int64_t bytes; /* of the file */
    _Atomic int64_t added;
};
void progress_share_add(struct progress_share *share, int64_t bytes);
void progress_share_end(struct progress_share *share);

#endif
