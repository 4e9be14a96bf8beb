/* SPDX-License-Identifier: MIT */
/* Shows the progress of a run in one line on the terminal: a bar, the time left and the speed.
 * Between progress_open and progress_close any thread may call the other functions. Before and
 * after, the other functions print nothing. */
#ifndef SMOOTHIMG_PROGRESS_H
#define SMOOTHIMG_PROGRESS_H

#include <stdint.h>

/* Opens the line, which appears after `after` seconds. `work`, in an arbitrary unit, and `bytes`
 * are the totals of all inputs. Does nothing if standard error is not a terminal that can redraw a
 * line, or if there is no work. */
void progress_open(int64_t work, int64_t bytes, double after);

/* Adds finished work, in the unit of progress_open. Draws at most ten times a second. */
void progress_add(int64_t work);

/* Call these before and after a message to the terminal. progress_clear removes the line, and keeps
 * other threads from drawing until progress_redraw has drawn the line again. */
void progress_clear(void);
void progress_redraw(void);

void progress_close(void);

/* Leaves the line, if there is one, on the terminal and prints a newline, before a signal ends the
 * program. Takes no lock, since a thread that holds the lock to draw may be waiting for the
 * terminal. */
void progress_leave(void);

#endif
