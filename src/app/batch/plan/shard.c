/* SPDX-License-Identifier: MIT */
#include "src/app/batch/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define DIGITS "%7[0-9]" /* as many as MAX_SHARDS has */

enum status shard_parse(const char *text, struct shard *shard, struct error *error)
{
    char index[8], count[8];
    struct shard read = {0};
    int length = 0;

    if (sscanf(text, DIGITS "/" DIGITS "%n", index, count, &length) == 2 && !text[length])
        read = (struct shard){atoi(index), atoi(count)};
    if (read.index >= 1 && read.index <= read.count && read.count <= MAX_SHARDS) {
        *shard = read;
        return STATUS_OK;
    }
    return fail(error, STATUS_USAGE,
                "--shard %s: must be I/N, with I from 1 to N and N up to %d, such as 2/4", text,
                MAX_SHARDS);
}

bool shard_holds(const struct shard *shard, const char *name)
{
    return shard->count == 0 ||
           XXH3_64bits(name, strlen(name)) % (unsigned)shard->count == (unsigned)shard->index - 1;
}
