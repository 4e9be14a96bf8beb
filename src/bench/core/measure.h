/* SPDX-License-Identifier: MIT */
/* Timing. A subject is anything that can be checked, and then run again and again; a row is what
 * came out. Nothing here knows what a subject does. */
#ifndef SMOOTHIMG_MEASURE_H
#define SMOOTHIMG_MEASURE_H

#include "error.h"
#include "variant.h"

#define MAX_REPEATS 1000

enum outcome {
    ROW_TIMED,
    ROW_LEFT_OUT,  /* it refuses, or would take too long */
    ROW_DIFFERENT, /* its result is wrong: it is not timed */
    ROW_FAILED     /* it could not run */
};

/* One line of a table. */
struct row {
    const char *name;
    enum place place;
    bool peer; /* of another library: its result may differ */
    bool roof; /* the plain copy that the others are compared with */
    enum outcome outcome;
    enum status status;   /* of ROW_FAILED and ROW_DIFFERENT */
    char why[512];        /* unless timed: a sentence without its full stop */
    int64_t pixels;       /* of one run */
    int64_t bytes;        /* of one run: what must be read, and what must be written, once each */
    int64_t differing;    /* samples of a peer's result that are not the right ones */
    int repeats;          /* timed samples; each is the mean of one or more runs back to back */
    double median, least; /* seconds for one run */
};

struct subject {
    struct row *row;
    void *context; /* of the two functions; not owned */
    /* Runs once and judges the result: sets row->outcome, and what belongs to it. */
    void (*validate)(struct subject *subject);
    /* Runs `runs` times. *seconds is what all of them took. */
    enum status (*run)(struct subject *subject, int64_t runs, double *seconds, struct error *error);
    /* While measuring. */
    int64_t runs; /* in one sample */
    double spent; /* seconds */
    double *samples;
};

/* How long a row is measured: until it has so many repeats and seconds, or too many seconds. */
struct effort {
    int64_t repeats; /* 1..MAX_REPEATS */
    double min_seconds, max_seconds;
};

/* A clock for differences, in seconds. */
double clock_seconds(void);

/* Measures the subjects whose rows are ROW_TIMED so far: one run each to warm up, then in turns, so
 * that what else the machine does meets all of them. Fills their rows. One that fails becomes
 * ROW_FAILED. STATUS_INPUT without memory. */
enum status measure(struct subject *subjects, int count, const struct effort *effort,
                    struct error *error);

/* The row was not timed, and why. */
void row_reject(struct row *row, enum outcome outcome, enum status status, const char *why);

/* Bytes in a second, by the median; 0 unless timed. */
double row_rate(const struct row *row);

#endif
