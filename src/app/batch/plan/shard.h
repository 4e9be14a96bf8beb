/* SPDX-License-Identifier: MIT */
/* One part of a batch, for several machines or processes that share the work without communicating.
 * The hash of a file's name decides its shard: the same everywhere, whatever other files exist. */
#ifndef SMOOTHIMG_SHARD_H
#define SMOOTHIMG_SHARD_H

#include "src/lib/base/error.h"

#include <stdbool.h>

struct shard {
    int index; /* 1 to count */
    int count; /* 0: no shards; one run does everything */
};

#define MAX_SHARDS 1000000

/* Reads the argument of --shard: "2/4"; or "auto" or "auto/4", by the variables of a Slurm array or
 * a Kubernetes indexed Job. STATUS_USAGE names them and their values. */
enum status shard_parse(const char *text, struct shard *shard, struct error *error);

/* name: of a file, relative to the folder of the batch. */
bool shard_holds(const struct shard *shard, const char *name);

/* "shard 2 of 4", or "" if there are none. */
struct shard_text {
    char text[40];
};
struct shard_text shard_text(const struct shard *shard);

#endif
