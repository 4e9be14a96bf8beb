/* SPDX-License-Identifier: MIT */
/* One part of a batch, for one of many machines or processes that share the work without talking to
 * each other. A file belongs to the shard that the hash of its name gives: the same everywhere, and
 * whatever other files come and go. */
#ifndef SMOOTHIMG_SHARD_H
#define SMOOTHIMG_SHARD_H

#include "error.h"

#include <stdbool.h>

struct shard {
    int index; /* 1 to count */
    int count; /* 0: no shards; one run does everything */
};

#define MAX_SHARDS 1000000

/* Reads the argument of --shard: "2/4", or "auto" or "auto/4", for which the variables of a Slurm
 * array or of a Kubernetes indexed Job are looked at. STATUS_USAGE names them, and what they hold.
 */
enum status shard_parse(const char *text, struct shard *shard, struct error *error);

/* Is the file of that name, relative to the batch's folder, in the shard? */
bool shard_holds(const struct shard *shard, const char *name);

/* "shard 2 of 4", or "" if there are none. */
struct shard_text {
    char text[40];
};
struct shard_text shard_text(const struct shard *shard);

#endif
