/* SPDX-License-Identifier: MIT */
#include "src/app/batch/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define MAX_NUMBER 2000000000 /* of any number here: sums of two fit */

/* Reads digits, without sign or blanks, up to the character `end`. */
static bool take_number(const char **text, char end, int *number)
{
    const char *at = *text;
    long value = 0;

    while (*at >= '0' && *at <= '9' && value <= MAX_NUMBER)
        value = 10 * value + (*at++ - '0');
    if (at == *text || *at != end || value > MAX_NUMBER)
        return false;
    *text = at + (end != '\0');
    *number = (int)value;
    return true;
}

static bool take_count(const char *text, int *count)
{
    return take_number(&text, '\0', count) && *count >= 1 && *count <= MAX_SHARDS;
}

/* An environment variable that holds a number. *found: its value, for the error. */
static bool take_variable(const char *name, int *number, const char **found)
{
    const char *text = getenv(name);

    *found = text ? text : "not set";
    return text && take_number(&text, '\0', number);
}

#define SLURM "SLURM_ARRAY_TASK_"
#define KUBERNETES "JOB_COMPLETION_INDEX"

/* A job array, and `id`, this task of it. */
struct slurm {
    int id, min, max, count, step; /* task min, min + step, ... max */
};

static enum status read_slurm(struct slurm *slurm, struct error *error)
{
    const struct {
        const char *name;
        int *number;
    } variables[] = {{SLURM "ID", &slurm->id},
                     {SLURM "MIN", &slurm->min},
                     {SLURM "MAX", &slurm->max},
                     {SLURM "COUNT", &slurm->count},
                     {SLURM "STEP", &slurm->step}};
    const char *found;

    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (!take_variable(variables[i].name, variables[i].number, &found))
            return fail(error, STATUS_USAGE,
                        "--shard auto: of a Slurm array %s must be a number, and it is %s; say "
                        "--shard I/N instead",
                        variables[i].name, found);
    return STATUS_OK;
}

/* The numbers of the tasks must be evenly spaced: in an array 1,3,7 the second task cannot know
 * that it is the second. */
static enum status shard_of_slurm(struct shard *shard, struct error *error)
{
    struct slurm slurm;
    const enum status status = read_slurm(&slurm, error);

    if (status != STATUS_OK)
        return status;
    if (slurm.step < 1 || slurm.min > slurm.id || slurm.id > slurm.max ||
        (slurm.id - slurm.min) % slurm.step != 0 ||
        (slurm.max - slurm.min) / slurm.step != slurm.count - 1 || slurm.count > MAX_SHARDS)
        return fail(error, STATUS_USAGE,
                    "--shard auto: " SLURM
                    "ID=%d, _MIN=%d, _MAX=%d, _COUNT=%d and _STEP=%d are not "
                    "an evenly spaced array; submit the job with sbatch --array=1-N, or say "
                    "--shard I/N",
                    slurm.id, slurm.min, slurm.max, slurm.count, slurm.step);
    *shard = (struct shard){(slurm.id - slurm.min) / slurm.step + 1, slurm.count};
    return STATUS_OK;
}

/* Kubernetes tells a pod its index, but not the number of pods. */
static enum status shard_of_kubernetes(int count, struct shard *shard, struct error *error)
{
    const char *found;
    int index;

    if (!take_variable(KUBERNETES, &index, &found))
        return fail(error, STATUS_USAGE,
                    "--shard auto: " KUBERNETES " must be a number, and it "
                    "is '%s'; say --shard I/N instead",
                    found);
    if (count == 0)
        return fail(error, STATUS_USAGE,
                    "--shard auto: " KUBERNETES "=%d does not say of how many; say --shard auto/N "
                    "with the completions of the Job",
                    index);
    if (index >= count)
        return fail(error, STATUS_USAGE,
                    "--shard auto/%d: " KUBERNETES "=%d, counted from 0, must be below %d; say "
                    "auto/N with the completions of the Job",
                    count, index, count);
    *shard = (struct shard){index + 1, count};
    return STATUS_OK;
}

/* count: of auto/N, or 0. */
static enum status shard_of_environment(int count, struct shard *shard, struct error *error)
{
    const bool slurm = getenv(SLURM "ID"), kubernetes = getenv(KUBERNETES);
    struct shard found;
    enum status status;

    if (slurm == kubernetes)
        return fail(error, STATUS_USAGE,
                    "--shard auto: %s " SLURM "ID (of a Slurm array) %s " KUBERNETES
                    " (of a Kubernetes indexed Job) %s set; say --shard I/N instead",
                    slurm ? "both" : "neither", slurm ? "and" : "nor", slurm ? "are" : "is");
    if (kubernetes)
        return shard_of_kubernetes(count, shard, error);
    status = shard_of_slurm(&found, error);
    if (status != STATUS_OK)
        return status;
    if (count != 0 && count != found.count)
        return fail(error, STATUS_USAGE,
                    "--shard auto/%d: " SLURM "COUNT=%d; say auto, or submit the job with sbatch "
                    "--array=1-%d",
                    count, found.count, count);
    *shard = found;
    return STATUS_OK;
}

enum status shard_parse(const char *text, struct shard *shard, struct error *error)
{
    const char *rest = text;
    int index, count;

    if (strcmp(text, "auto") == 0)
        return shard_of_environment(0, shard, error);
    if (strncmp(text, "auto/", 5) == 0 && take_count(text + 5, &count))
        return shard_of_environment(count, shard, error);
    if (!take_number(&rest, '/', &index) || !take_count(rest, &count) || index < 1 || index > count)
        return fail(error, STATUS_USAGE,
                    "--shard %s: must be I/N, with I from 1 to N and N up to %d, such as 2/4; "
                    "or auto, or auto/N",
                    text, MAX_SHARDS);
    *shard = (struct shard){index, count};
    return STATUS_OK;
}

bool shard_holds(const struct shard *shard, const char *name)
{
    return shard->count == 0 ||
           XXH3_64bits(name, strlen(name)) % (unsigned)shard->count == (unsigned)shard->index - 1;
}

struct phrase shard_text(const struct shard *shard)
{
    struct phrase phrase = {""};

    if (shard->count > 0)
        phrase_add(&phrase, "shard %d of %d", shard->index, shard->count);
    return phrase;
}
