/* SPDX-License-Identifier: MIT */
/* Memory for an array that lies as a request says: each row, or all of it, between pages without
 * access, and all other bytes of its pages a poison. */
#ifndef SMOOTHIMG_RANDOM_ROOM_H
#define SMOOTHIMG_RANDOM_ROOM_H

#include "tests/random/request.h"

struct room {
    char *memory; /* of the host */
    size_t bytes, row_bytes;
    size_t open, pitch; /* of a row: of its pages, and to the next row's */
    int64_t rows, samples, sample_bytes;
    int axes;
    int64_t shape[AXES], strides[AXES];
    int64_t origin; /* bytes from memory to the array's first sample */
    int64_t begin;  /* and to its lowest byte */
};

/* shape: of dst with gaps, other orders and so on, as *lie says. */
void room_make(struct room *room, const struct lie *lie, int axes, const int64_t *shape,
               int64_t sample_bytes);
void room_free(struct room *room);

/* Writes samples, given in C order. */
void room_put(const struct room *room, const uint64_t *samples);

/* What the samples are then, of those that share a place the last. */
void room_get(const struct room *room, uint64_t *samples);

/* No byte can be written from now on. */
void room_seal(const struct room *room);

/* Is it an address of what was sealed last? */
bool room_is_sealed(const void *address);

/* Tells what differs: other samples than these, or a byte beside them. Returns the fault, "samples"
 * or "write"; NULL if nothing does. wanted: NULL: nothing was to be written. */
const char *room_difference(const struct room *room, const uint64_t *wanted);

#endif
