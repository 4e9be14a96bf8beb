/* SPDX-License-Identifier: MIT */
/* The projection profiles of the image of the memory suite, as data: the sums of its rows, and
 * those of its columns. */
#ifndef SMOOTHIMG_PROFILES_H
#define SMOOTHIMG_PROFILES_H

#include "src/lib/base/error.h"
#include "kernels/memory/experiments.h"

struct profiles {
    int64_t *sums[2]; /* owned; of rows, of columns; NULL until a row has computed them */
    int64_t counts[2];
};

/* Takes a right result, if it is a profile that is not there yet. STATUS_INPUT without memory. */
enum status profiles_take(struct profiles *profiles, const struct experiment_job *job,
                          struct error *error);

/* Writes path: a heading, then a line for each sum, with tabs between: row or column, its number
 * from 0, its sum. Whole or not at all. STATUS_OUTPUT. */
enum status profiles_write(const struct profiles *profiles, const char *path, struct error *error);

void profiles_free(struct profiles *profiles);

#endif
