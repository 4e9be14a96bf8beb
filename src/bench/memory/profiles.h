/* SPDX-License-Identifier: MIT */
/* The projection profiles of the memory suite's image: the sum of each row and of each column. For
 * --profiles. */
#ifndef SMOOTHIMG_PROFILES_H
#define SMOOTHIMG_PROFILES_H

#include "src/lib/base/error.h"
#include "kernels/memory/experiments.h"

struct profiles {
    int64_t *sums[2];  /* of rows, of columns; owned; NULL until an experiment has computed them */
    int64_t counts[2]; /* how many sums */
};

/* Copies the experiment's result, which is right, if it is a profile that *profiles lacks.
 * STATUS_INPUT without memory. */
enum status profiles_take(struct profiles *profiles, const struct experiment_job *job,
                          struct error *error);

/* Writes a file with tabs between the fields: a line of headings, then for each sum a line with
 * "row" or "column", its number from 0, and the sum. The file appears whole or not at all:
 * STATUS_OUTPUT. */
enum status profiles_write(const struct profiles *profiles, const char *path, struct error *error);

void profiles_free(struct profiles *profiles);

#endif
