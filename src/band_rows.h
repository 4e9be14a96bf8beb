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
    struct image store;    /* where rows cannot be read in any order: those that have come, kept */
    int64_t come;          /* rows */
    pthread_mutex_t mutex; /* over `come` and what follows */
    enum status status;    /* of the reading, once it has failed */
    struct error error;
};

/* For the image that source_begin has found. On failure there is nothing to close. */
enum status band_rows_open(struct band_rows *rows, struct source *source, const struct image *about,
                           struct error *error);

/* Gets rows first..first+count-1 into the rows of *image from 0 on, and what lies above and below
 * them into the border, which may be outside of the source: the ends of the border are not filled.
 * Where the source has its rows in order, those up to there are read first, by one thread at a
 * time. */
enum status band_rows_fetch(struct band_rows *rows, enum edge edge, int64_t first, int64_t count,
                            const struct image *image, struct error *error);

void band_rows_close(struct band_rows *rows);

#endif
