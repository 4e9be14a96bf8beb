/* SPDX-License-Identifier: MIT */
/* Memory for an array, laid out as a request says. Each row, or all of the array, is between
 * inaccessible pages, and all other bytes of its pages are poison. */
#ifndef SMOOTHIMG_RANDOM_ROOM_H
#define SMOOTHIMG_RANDOM_ROOM_H

#include "tests/random/request.h"

struct room {
    char *memory; /* of the host */
    size_t bytes, row_bytes;
    size_t open, pitch; /* bytes of a row's accessible pages; bytes to the next row's */
    int64_t rows, samples, sample_bytes;
    int axes;
    int64_t shape[AXES], strides[AXES];
    int64_t origin; /* bytes from `memory` to the array's first sample */
    int64_t begin;  /* and to its lowest byte */
};

/* Makes the room for an array of this shape, with gaps, orders of axes and so on as *lie says. */
void room_make(struct room *room, const struct lie *lie, int axes, const int64_t *shape,
               int64_t sample_bytes);
void room_free(struct room *room);

/* Writes samples, given in C order. */
void room_put(const struct room *room, const uint64_t *samples);

/* Gets the samples. Where several share an address, the last one counts. */
void room_get(const struct room *room, uint64_t *samples);

/* Makes all bytes read-only from now on. */
void room_seal(const struct room *room);

/* True if the address is in the room that was sealed last. */
bool room_is_sealed(const void *address);

/* Prints what differs: samples from the wanted ones, or a byte beside them. Returns the fault,
 * "samples" or "write", or NULL if nothing differs. With a NULL `wanted` nothing may have been
 * written. */
const char *room_difference(const struct room *room, const uint64_t *wanted);

#endif
