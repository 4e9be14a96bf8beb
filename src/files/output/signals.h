/* SPDX-License-Identifier: MIT */
/* Signals that end the program: a thread waits for them, has the interruption reported, and removes
 * the temporary files of all threads. No signal handler does this, so that none of it need be
 * async-signal-safe. */
#ifndef SMOOTHIMG_SIGNALS_H
#define SMOOTHIMG_SIGNALS_H

/* Starts that thread for SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE and SIGXCPU. It calls
 * before_death (or NULL), removes the files that signals_guard has named and lets the signal do
 * what it does; the first process of a container exits with 128 + the signal's number instead. A
 * second signal of the same kind ends the program at once. What is ignored or blocked stays so;
 * without memory for a thread all stay as they are. SIGXFSZ is ignored: a write beyond the
 * file-size limit fails.
 */
void signals_catch(void (*before_death)(void));

/* Until signals_release no signal ends the program, so that a file's name and what the program
 * knows of it change together. before_death is called while signals are held. A thread may hold
 * them several times. After a signal has come, signals_hold does not return. Both keep errno. */
void signals_hold(void);
void signals_release(void);

/* A temporary name. All zeros: none. */
struct signals_name {
    const char *path;
    struct signals_name *next;
};

/* Call it while signals are held. After their release a signal removes the file `path`, which must
 * stay where it is, as *name must, until the next call. path: NULL: no signal removes it. */
void signals_guard(struct signals_name *name, const char *path);

#endif
