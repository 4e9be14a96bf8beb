/* SPDX-License-Identifier: MIT */
/* The rows of a source for several threads: whichever they ask for, in whatever order the source
 * has them. For bands.c alone. */
#ifndef SMOOTHIMG_BAND_ROWS_H
#define SMOOTHIMG_BAND_ROWS_H

#include "codec.h"
#include "halo.h"

#include <pthread.h>

struct band_rows {
    struct source *source;
    int64_t height;
    struct image kept; /* where rows cannot be read in any order: the last that have come, row y at
                        * y % keep */
    int64_t keep, come;
    enum status status;    /* of the reading: once it has failed, that is all there is to get */
    struct error error;    /* why */
    pthread_mutex_t mutex; /* over these, between band_rows_enter and band_rows_leave */
};

/* For the image that source_begin has found. keep: in one call of band_rows_fetch, or by turning
 * back in a later one, rows so far apart are wanted; up to all. On failure there is nothing to
 * close. */
enum status band_rows_open(struct band_rows *rows, struct source *source, const struct image *about,
                           int64_t keep, struct error *error);

/* Where the source has its rows in order, one thread at a time may choose what it fetches, and
 * fetch it; it must go on downwards, but for what is kept. Elsewhere nobody waits. */
void band_rows_enter(struct band_rows *rows);
void band_rows_leave(struct band_rows *rows);

/* Gets rows first..first+count-1 into the rows of *image from 0 on, and what lies above and below
 * them into the border, which may be outside of the source: the ends of the border are not
 * filled. */
enum status band_rows_fetch(struct band_rows *rows, enum edge edge, int64_t first, int64_t count,
                            const struct image *image, struct error *error);

void band_rows_close(struct band_rows *rows);

#endif
