/* SPDX-License-Identifier: MIT */
/* Lets several threads read rows of an image, whatever the reader's row order. For bands.c. */
#ifndef SMOOTHIMG_BAND_ROWS_H
#define SMOOTHIMG_BAND_ROWS_H

#include "src/files/codec/codec.h"

#include <pthread.h>

struct band_rows {
    struct image_reader *reader;
    int64_t height;
    struct image kept; /* the last rows read, row y at y % keep; unused if the reader has them
                        * in any order */
    int64_t keep;      /* rows that `kept` has room for */
    int64_t rows_read;
    enum status status;    /* of the first failed read; nothing is read after it */
    struct error error;    /* unless status is STATUS_OK */
    int64_t turn;          /* the band whose rows are next */
    pthread_mutex_t mutex; /* protects these; locked from band_rows_enter to band_rows_leave */
    pthread_cond_t changed;
};

/* For the image that image_reader_begin has found. keep: how many recent rows stay readable. On
 * failure there is nothing to close. */
enum status band_rows_open(struct band_rows *rows, struct image_reader *reader,
                           const struct image *header, int64_t keep, struct error *error);

/* Called around band_rows_fetch for that band, 0, 1 and so on. If the reader has its rows in any
 * order, they do nothing. Else they let one thread in at a time, in the order of the bands. Rows
 * above those of the band before must be among those that are kept. */
void band_rows_enter(struct band_rows *rows, int64_t band);
void band_rows_leave(struct band_rows *rows);

/* Reads rows first..first+count-1 into rows 0.. of *image. Beyond its ends the image repeats. */
enum status band_rows_fetch(struct band_rows *rows, int64_t first, int64_t count,
                            const struct image *image, struct error *error);

void band_rows_close(struct band_rows *rows);

#endif
