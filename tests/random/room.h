/* SPDX-License-Identifier: MIT */
/* A room is the memory of one array, laid out as a request says. Inaccessible pages enclose the
 * whole array, each of its rows, or each of its planes (`fence` of request.h). Below, "row" means
 * whatever the inaccessible pages enclose: the whole array, one of its rows, or one of its planes.
 * Some accessible bytes do not belong to the array: they hold poison, a fixed value, which shows
 * whether a call has overwritten them. */
#ifndef SMOOTHIMG_RANDOM_ROOM_H
#define SMOOTHIMG_RANDOM_ROOM_H

#include "tests/random/request.h"

struct room {
    char *memory;            /* the memory of the room, on the host */
    size_t bytes, row_bytes; /* bytes of `memory`; bytes of a row, with gaps between samples */
    size_t open, pitch;      /* bytes of a row's accessible pages; bytes from a row to the next */
    int64_t rows, samples, sample_bytes;
    int axes;
    int64_t shape[AXES], strides[AXES];
    int64_t origin; /* bytes from `memory` to the array's first sample */
    int64_t begin;  /* bytes from `memory` to the array's lowest byte */
};

/* Makes a room: the memory of an array of this shape, laid out as *lie says. */
void room_make(struct room *room, const struct lie *lie, int axes, const int64_t *shape,
               int64_t sample_bytes);
void room_free(struct room *room);

/* Writes samples, given in C order. If several samples share an address, the last one stays. */
void room_put(const struct room *room, const uint64_t *samples);

/* Reads all samples, in C order. */
void room_get(const struct room *room, uint64_t *samples);

/* Makes the room read-only. */
void room_seal(const struct room *room);

/* Returns true if the address is in a read-only page of the room that was sealed last. */
bool room_is_sealed(const void *address);

/* Checks that the array holds the wanted samples (if `wanted` is NULL: that it still holds poison),
 * and that all other accessible bytes are poison. Prints a difference. Returns "samples" if a
 * wanted sample differs, else "write" if a byte differs, else NULL. */
const char *room_difference(const struct room *room, const uint64_t *wanted);

#endif
