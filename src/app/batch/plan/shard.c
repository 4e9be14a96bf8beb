/* SPDX-License-Identifier: MIT */
#include "src/app/batch/plan/plan.h"

#include <string.h>
#include <xxhash.h>

/* Reads digits, without sign or blanks, up to the character `end`; at most MAX_SHARDS. */
static bool take_number(const char **text, char end, int *number)
{
    const char *at = *text;
    long value = 0;

    while (*at >= '0' && *at <= '9' && value <= MAX_SHARDS)
        value = 10 * value + (*at++ - '0');
    if (at == *text || *at != end || value > MAX_SHARDS)
        return false;
    *text = at + (end != '\0');
    *number = (int)value;
    return true;
}

enum status shard_parse(const char *text, struct shard *shard, struct error *error)
{
    const char *rest = text;
    int index, count;

    if (!take_number(&rest, '/', &index) || !take_number(&rest, '\0', &count) || index < 1 ||
        index > count)
        return fail(error, STATUS_USAGE,
                    "--shard %s: must be I/N, with I from 1 to N and N up to %d, such as 2/4", text,
                    MAX_SHARDS);
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
