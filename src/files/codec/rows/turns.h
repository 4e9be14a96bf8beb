/* SPDX-License-Identifier: MIT */
/* Writes the parts of a file in their order, though threads make them in any order. A part that is
 * made too early waits in memory for its turn. */
#ifndef SMOOTHIMG_TURNS_H
#define SMOOTHIMG_TURNS_H

#include "src/lib/base/error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct turn_part {
    uint8_t *bytes; /* owned, from malloc; NULL: not made yet, or already written */
    size_t count;
    uint32_t adler;   /* PNG: Adler-32 of the filtered rows, before compression */
    size_t raw_bytes; /* PNG: bytes of the filtered rows */
};

/* All zeros: not open. */
struct turns {
    pthread_mutex_t mutex;   /* guards the other members and the writing */
    struct turn_part *parts; /* owned; part i waits to be written if parts[i].bytes is not NULL */
    /* count: number of parts. next: index of the first part that has not been written. */
    int64_t count, next;
};

/* Opens *turns for `count` parts. Returns false if memory runs out. */
bool turns_open(struct turns *turns, int64_t count);

struct image_writer;
typedef enum status write_part(struct image_writer *writer, int64_t index,
                               const struct turn_part *part, struct error *error);

/* Takes ownership of part `index`. Then calls `write`, while no other thread calls it, for each
 * part that has been delivered and whose predecessors have all been given to `write`. Stops at the
 * first failure, and returns its status. */
enum status turns_deliver(struct turns *turns, int64_t index, struct turn_part part,
                          write_part *write, struct image_writer *writer, struct error *error);

/* Frees the parts that have not been written. Harmless if not open. */
void turns_close(struct turns *turns);

#endif
