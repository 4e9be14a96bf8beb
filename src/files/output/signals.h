/* SPDX-License-Identifier: MIT */
/* Handles signals that end the program. One thread waits for them, calls a function of the caller,
 * which may report the interruption, and removes the temporary files of all threads. Since this is
 * a thread and not a signal handler, it may call functions that are not async-signal-safe. */
#ifndef SMOOTHIMG_SIGNALS_H
#define SMOOTHIMG_SIGNALS_H

/* Starts the thread, which waits for SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE and SIGXCPU. On a
 * signal it calls before_death (unless NULL), removes the files that signals_guard has named, and
 * lets the signal take its default action; the first process of a container exits with 128 + the
 * signal's number instead. A second signal of the same kind ends the program at once. Signals that
 * are ignored or blocked when the program starts stay ignored or blocked. If the thread cannot
 * start, all of these signals keep their actions. SIGXFSZ is ignored, so that a write beyond the
 * file-size limit fails. */
void signals_catch(void (*before_death)(void));

/* No signal of signals_catch, except a second one of the same kind, ends the program while a thread
 * is between signals_hold and signals_release. A thread calls them around each creation, renaming
 * or removal of a temporary file together with the call of signals_guard for this file. The calls
 * may be nested. After a signal has come, signals_hold does not return, unless the call is nested.
 * While before_death runs, no other thread is between signals_hold and signals_release. Both
 * functions keep errno. */
void signals_hold(void);
void signals_release(void);

/* An entry in the list of temporary names. All zeros: no name. */
struct signals_name {
    const char *path;
    struct signals_name *next;
};

/* Call it between signals_hold and signals_release. From the release until the next call with this
 * *name, a signal that ends the program also removes the file `path`; *path and *name must stay
 * valid that long. If path is NULL, no file is removed for this *name from then on. */
void signals_guard(struct signals_name *name, const char *path);

#endif
