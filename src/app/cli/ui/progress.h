/* SPDX-License-Identifier: MIT */
/* The progress of a run: one line on a terminal, redrawn in place: a bar, the time left, the speed.
 * There is one terminal, and so no handle. Between progress_open and progress_close any thread may
 * call these functions; before and after they do nothing. */
#ifndef SMOOTHIMG_PROGRESS_H
#define SMOOTHIMG_PROGRESS_H

#include <stdint.h>

/* work, bytes: of all inputs; work is in any unit. after: seconds before the line appears. Does
 * nothing where standard error is no terminal that can redraw a line, and where there is no work.
 */
void progress_open(int64_t work, int64_t bytes, double after);

/* Adds work that is done. Draws at most ten times a second. */
void progress_add(int64_t work);

/* Around a message for the terminal: removes the line, and redraws it. Meanwhile no other thread
 * draws. */
void progress_clear(void);
void progress_redraw(void);

/* Removes the line. */
void progress_close(void);

/* Before a signal ends the program: ends the line, if there is one. Takes no lock: a thread that
 * draws may wait for the terminal. */
void progress_leave(void);

#endif
