/* SPDX-License-Identifier: MIT */
#include "src/bench/memory/suite.h"

#include "src/files/output/output.h"

#include <stdlib.h>
#include <string.h>

static bool is_profile(const struct experiment_job *job)
{
    struct array_specs shape = {0};

    job->row->shape(job->row, &job->size, &shape);
    return job->row->profile != PROFILE_NONE && shape.in[0].image;
}

enum status profiles_take(struct profiles *profiles, const struct experiment_job *job,
                          struct error *error)
{
    const int axis = job->row->profile == PROFILE_OF_COLUMNS;
    const size_t bytes = (size_t)job->out.count * sizeof(int64_t);

    if (!is_profile(job) || profiles->sums[axis])
        return STATUS_OK;
    profiles->sums[axis] = malloc(bytes);
    if (!profiles->sums[axis])
        return fail(error, STATUS_INPUT, "no memory for %lld sums", (long long)job->out.count);
    memcpy(profiles->sums[axis], job->out.memory, bytes);
    profiles->counts[axis] = job->out.count;
    return STATUS_OK;
}

enum status profiles_write(const struct profiles *profiles, const char *path, struct error *error)
{
    struct output output;
    const enum status status = output_open(&output, path, false, error);

    if (status != STATUS_OK)
        return status;
    fputs("axis\tnumber\tsum\n", output.file);
    for (int axis = 0; axis < 2; axis++)
        for (int64_t i = 0; i < profiles->counts[axis]; i++)
            fprintf(output.file, "%s\t%lld\t%lld\n", axis == 0 ? "row" : "column", (long long)i,
                    (long long)profiles->sums[axis][i]);
    return output_commit(&output, error); /* fails if a write above failed */
}

void profiles_free(struct profiles *profiles)
{
    free(profiles->sums[0]);
    free(profiles->sums[1]);
    *profiles = (struct profiles){.counts = {0}};
}
