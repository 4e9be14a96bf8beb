/* SPDX-License-Identifier: MIT */
/* Children of a test that a signal ends. */
#ifndef SMOOTHIMG_CHILD_H
#define SMOOTHIMG_CHILD_H

#include <signal.h>
#include <unistd.h>

/* Far longer than any child works; then SIGALRM ends it, and the test fails and does not hang. */
#define CHILD_SECONDS 60

/* A fork() whose child the signal ends, also where the caller of the test ignores or blocks it, as
 * nohup does SIGHUP and a shell's & does SIGINT. */
static inline pid_t child_fork(int signal_number)
{
    sigset_t set;
    pid_t child;

    sigemptyset(&set);
    sigaddset(&set, signal_number);
    sigaddset(&set, SIGALRM);
    signal(signal_number, SIG_DFL); /* fails for SIGKILL, which needs nothing */
    signal(SIGALRM, SIG_DFL);
    /* Before the fork: the signal may come before the child's first instruction. */
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    child = fork();
    if (child == 0)
        alarm(CHILD_SECONDS);
    return child;
}

/* Makes this test's caller one that ignores SIGINT and SIGTERM, and blocks SIGTERM too. */
static inline void child_ignore_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
}

#endif
