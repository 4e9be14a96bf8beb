/* SPDX-License-Identifier: MIT */
/* Measures times. A subject is anything that can be run repeatedly. A row is the line of the table
 * for a subject: it holds the results. */
#ifndef SMOOTHIMG_MEASURE_H
#define SMOOTHIMG_MEASURE_H

#include "src/bench/options/options.h"
#include "src/lib/base/error.h"
#include "kernels/variant.h"

enum outcome {
    ROW_TIMED,
    ROW_LEFT_OUT,  /* not run: the row's code refuses the image or size, takes too long, or needs a
                      GPU */
    ROW_DIFFERENT, /* not timed: the result is wrong */
    ROW_FAILED,    /* not timed: the run failed */
    ROW_CHECKED    /* not timed: the result is right, but the device is emulated */
};

/* One line of a table: a variant, a plain copy or a memory experiment. */
struct row {
    const char *name;
    enum backend place; /* whether the row's code runs on the CPU or the GPU */
    bool copy; /* a plain copy of memory: the rates of other rows are compared with its rate */
    enum outcome outcome;
    enum status status; /* for ROW_FAILED and ROW_DIFFERENT: may become the program's status */
    char why[512];      /* unless the result is right: why, as a sentence without its full stop */
    int64_t pixels;     /* pixels that one run computes */
    /* The number of bytes that one run must read plus the number that it must write; each byte
     * counts once. */
    int64_t bytes;
    int repeats;         /* number of samples; each is the mean time of one or more runs */
    double median, best; /* seconds for one run */

    /* Members for memory experiments. */
    const char *shows; /* a sentence: what the experiment demonstrates */
    double flops;      /* floating-point operations of one run; 0: the row is about memory only */
    double asked;      /* bytes of all loads and stores; a byte counts each time it is accessed */
    bool doubles;      /* the arithmetic is in double precision */
    bool exact;        /* each element of the result must equal the right one, bit for bit */
    /* If not exact: the largest error of an element, divided by the bound that is allowed for it.
     * At most 1 if the result is right. */
    double worst;
};

struct subject {
    struct row *row;
    void *context; /* what `run` needs; not owned */
    /* Runs the subject `runs` times; *seconds is the time of all runs. */
    enum status (*run)(struct subject *subject, int64_t runs, double *seconds, struct error *error);
    /* Only measure() uses the members below. */
    int64_t runs;    /* runs of one sample */
    double spent;    /* seconds of all samples so far */
    double *samples; /* for each sample, the seconds of one run */
};

/* Calls run(context) `runs` times on the CPU; *seconds is the time of all calls. run returns NULL,
 * or a message that says why it failed: time_calls then stops, and returns STATUS_DEVICE with this
 * message. */
enum status time_calls(const char *(*run)(void *context), void *context, int64_t runs,
                       double *seconds, struct error *error);

/* Measures the subjects whose rows have the outcome ROW_TIMED, which is the initial outcome, and
 * fills these rows. First runs each subject once to warm up. Then takes one sample of each subject,
 * then the next sample of each, and so on, so that other load on the machine affects all subjects
 * alike. A row whose subject fails becomes ROW_FAILED. Returns STATUS_INPUT if memory runs out. */
enum status measure(struct subject *subjects, int count, const struct effort *effort,
                    struct error *error);

/* Sets the outcome of a row that is not timed, and the reason. */
void row_reject(struct row *row, enum outcome outcome, enum status status, const char *why);

#endif
