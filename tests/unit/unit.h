/* SPDX-License-Identifier: MIT */
/* A unit test is a program that makes CHECKs and ends with `return unit_result();`. */
#ifndef SMOOTHIMG_UNIT_H
#define SMOOTHIMG_UNIT_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long unit_checks, unit_failures;

/* Counts a check. If the condition is false, prints file, line and a text (printf's format and
 * values), and continues. */
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        unit_checks++;                                                                             \
        if (!(condition)) {                                                                        \
            unit_failures++;                                                                       \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                        \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

/* Exits with 99 if the condition is false, since the test cannot continue then. */
#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s is needed\n", __FILE__, __LINE__, #condition);              \
            exit(99);                                                                              \
        }                                                                                          \
    } while (0)

/* Returns the seed of the random numbers: SMOOTHIMG_TEST_TURN of the environment, or else the
 * number of days since 1970. */
static inline unsigned long unit_turn(void)
{
    const char *turn = getenv("SMOOTHIMG_TEST_TURN");

    return turn ? strtoul(turn, NULL, 10) : (unsigned long)(time(NULL) / 86400);
}

static inline void unit_set(const char *variable, int number)
{
    char text[20];

    snprintf(text, sizeof text, "%d", number);
    NEED(setenv(variable, text, 1) == 0);
}

/* Prints the counts. Returns the exit status: 1 if a check failed, or if there was no check. */
static inline int unit_result(void)
{
    printf("%ld checks, %ld failures\n", unit_checks, unit_failures);
    if (unit_failures > 0)
        printf("SMOOTHIMG_TEST_TURN=%lu\n", unit_turn());
    return unit_failures > 0 || unit_checks == 0;
}

#endif
