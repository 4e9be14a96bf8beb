/* SPDX-License-Identifier: MIT */
/* Signals that end the program: a thread waits for them, removes the temporary files of all others,
 * and says what is to be said. No handler does it, so none of this need be async-signal-safe. */
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

/* From here to signals_release no signal ends the program, so that names of files and what is known
 * of them change together; before_death is called between them too. A thread may hold them more
 * than once. Once a signal has come, does not return. Both keep errno. */
void signals_hold(void);
void signals_release(void);

/* A temporary name. All zeros: none. */
struct signals_name {
    const char *path;
    struct signals_name *next;
};

/* While signals are held: from the release on a signal removes the file `path`. NULL: it no longer
 * does; until then *name and the path must stay where they are. */
void signals_guard(struct signals_name *name, const char *path);

#endif
