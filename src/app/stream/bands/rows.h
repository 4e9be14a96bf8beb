/* SPDX-License-Identifier: MIT */
/* Lets several threads read rows of an image, whatever the reader's row order. For bands.c and
 * worker.c. */
#ifndef SMOOTHIMG_BAND_ROWS_H
#define SMOOTHIMG_BAND_ROWS_H

#include "src/files/codec/codec.h"
#include "src/lib/image/halo.h"

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
    pthread_mutex_t mutex; /* protects these; locked from band_rows_enter to band_rows_leave */
};

/* For the image that image_reader_begin has found. keep: how many recent rows stay readable. On
 * failure there is nothing to close. */
enum status band_rows_open(struct band_rows *rows, struct image_reader *reader,
                           const struct image *header, int64_t keep, struct error *error);

/* Called around the choice of rows and band_rows_fetch. If the reader has its rows in any order,
 * they do nothing. Else they let one thread in at a time, and the rows chosen must go downwards,
 * except those that are kept. */
void band_rows_enter(struct band_rows *rows);
void band_rows_leave(struct band_rows *rows);

/* Reads rows first..first+count-1 into rows 0.. of *image, and `halo` rows above and below them
 * into its border, by the edge rule where there are none. Does not fill the left and right border.
 */
enum status band_rows_fetch(struct band_rows *rows, enum edge edge, int64_t halo, int64_t first,
                            int64_t count, const struct image *image, struct error *error);

void band_rows_close(struct band_rows *rows);

#endif
