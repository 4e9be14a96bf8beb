/* SPDX-License-Identifier: MIT */
#include "src/bench/memory/suite.h"

#include <stdlib.h>
#include <string.h>

enum status profiles_open(struct profiles *profiles, const char *path, struct error *error)
{
    *profiles = (struct profiles){.counts = {0}};
    return path ? output_open(&profiles->output, path, false, error) : STATUS_OK;
}

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

    if (!profiles->output.file || !is_profile(job) || profiles->sums[axis])
        return STATUS_OK;
    profiles->sums[axis] = malloc(bytes);
    if (!profiles->sums[axis])
        return fail(error, STATUS_INPUT, "no memory for %lld sums", (long long)job->out.count);
    memcpy(profiles->sums[axis], job->out.memory, bytes);
    profiles->counts[axis] = job->out.count;
    return STATUS_OK;
}

enum status profiles_close(struct profiles *profiles, enum status status, struct error *error)
{
    FILE *file = profiles->output.file;

    if (file && status == STATUS_OK) {
        fputs("axis\tnumber\tsum\n", file);
        for (int axis = 0; axis < 2; axis++)
            for (int64_t i = 0; i < profiles->counts[axis]; i++)
                fprintf(file, "%s\t%lld\t%lld\n", axis == 0 ? "row" : "column", (long long)i,
                        (long long)profiles->sums[axis][i]);
        status = output_commit(&profiles->output, error); /* fails if a write above failed */
    }
    output_abandon(&profiles->output);
    free(profiles->sums[0]);
    free(profiles->sums[1]);
    return status;
}
