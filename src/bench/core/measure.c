/* SPDX-License-Identifier: MIT */
#include "src/bench/core/measure.h"

#include "kernels/common/clock.h"

#include <stdio.h>
#include <stdlib.h>

/* A sample is the time of one run. If a run is shorter than SAMPLE_SECONDS, several runs are timed
 * together, and a sample is their mean time. So the time for reading the clock and for launching
 * the first kernel hardly counts. */
#define SAMPLE_SECONDS 1e-3
#define MAX_RUNS 1000 /* maximum number of runs in a sample */

enum status time_calls(const char *(*run)(void *context), void *context, int64_t runs,
                       double *seconds, struct error *error)
{
    const double start = clock_seconds();
    const char *failure = NULL;

    for (int64_t i = 0; i < runs && !failure; i++)
        failure = run(context);
    *seconds = clock_seconds() - start;
    return failure ? fail(error, STATUS_DEVICE, "%s", failure) : STATUS_OK;
}

void row_reject(struct row *row, enum outcome outcome, enum status status, const char *why)
{
    row->outcome = outcome;
    row->status = status;
    snprintf(row->why, sizeof row->why, "%.500s", why);
}

static void take_sample(struct subject *subject)
{
    struct row *row = subject->row;
    struct error error;
    double seconds;

    if (subject->run(subject, subject->runs, &seconds, &error) != STATUS_OK) {
        row_reject(row, ROW_FAILED, error.status, error.text);
        return;
    }
    subject->samples[row->repeats++] = seconds / (double)subject->runs;
    subject->spent += seconds;
}

/* Runs the subject once, and chooses how many runs make a sample. This first run counts as a sample
 * only if it took max_seconds or more. */
static void warm_up(struct subject *subject, const struct effort *effort)
{
    struct row *row = subject->row;
    double runs;

    row->repeats = 0;
    subject->spent = 0;
    subject->runs = 1;
    take_sample(subject);
    if (row->outcome != ROW_TIMED || subject->spent >= effort->max_seconds)
        return;
    runs = subject->spent > 0 ? SAMPLE_SECONDS / subject->spent : MAX_RUNS;
    subject->runs = runs < 1 ? 1 : runs > MAX_RUNS ? MAX_RUNS : (int64_t)runs + 1;
    subject->spent = 0;
    row->repeats = 0;
}

static bool is_done(const struct subject *subject, const struct effort *effort)
{
    const struct row *row = subject->row;

    if (row->outcome != ROW_TIMED || row->repeats == MAX_REPEATS)
        return true;
    if (row->repeats > 0 && subject->spent >= effort->max_seconds)
        return true;
    return row->repeats >= effort->repeats && subject->spent >= effort->min_seconds;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void sum_up(struct subject *subject)
{
    struct row *row = subject->row;
    const double *samples = subject->samples;
    const int n = row->repeats;

    if (row->outcome != ROW_TIMED)
        return;
    qsort(subject->samples, (size_t)n, sizeof *samples, by_size);
    row->best = samples[0];
    row->median = (samples[(n - 1) / 2] + samples[n / 2]) / 2;
}

enum status measure(struct subject *subjects, int count, const struct effort *effort,
                    struct error *error)
{
    double *samples = calloc((size_t)count * MAX_REPEATS + 1, sizeof *samples);
    bool more = true;

    if (!samples)
        return fail(error, STATUS_INPUT, "no memory for %d times of %d rows", MAX_REPEATS, count);
    for (int i = 0; i < count; i++) {
        subjects[i].samples = samples + (size_t)i * MAX_REPEATS;
        if (subjects[i].row->outcome == ROW_TIMED)
            warm_up(&subjects[i], effort);
    }
    while (more) {
        more = false;
        for (int i = 0; i < count; i++) {
            if (is_done(&subjects[i], effort))
                continue;
            take_sample(&subjects[i]);
            more = true;
        }
    }
    for (int i = 0; i < count; i++)
        sum_up(&subjects[i]);
    free(samples);
    return STATUS_OK;
}
