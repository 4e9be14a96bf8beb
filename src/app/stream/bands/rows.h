/* SPDX-License-Identifier: MIT */
/* Lets the threads of bands.c read rows of an image, whatever the reader's row order. */
#ifndef SMOOTHIMG_BAND_ROWS_H
#define SMOOTHIMG_BAND_ROWS_H

#include "src/files/codec/codec.h"

#include <pthread.h>

struct band_rows {
    struct image_reader *reader;
    int64_t height;
    /* The rows that were read most recently: row y is row y % keep of `kept`. Unused if the reader
     * allows any order. */
    struct image kept;
    int64_t keep; /* rows that `kept` has room for */
    int64_t rows_read;
    enum status status; /* status of the first failed read, after which nothing is read */
    struct error error; /* the error of that read */
    int64_t turn;       /* the band that may be read next */
    /* Protects this struct; held from band_rows_enter to band_rows_leave. */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

/* Prepares the rows of the image that image_reader_begin has found. `keep` is how many recent rows
 * stay readable. After a failure nothing needs to be closed. */
enum status band_rows_open(struct band_rows *rows, struct image_reader *reader,
                           const struct image *header, int64_t keep, struct error *error);

/* Call these before and after band_rows_fetch for a band; bands are numbered from 0. If the reader
 * allows any order, they do nothing. Else only one thread at a time is between the two calls, and
 * the threads come in the order of their bands. A band can read earlier rows only if `kept` still
 * has them. */
void band_rows_enter(struct band_rows *rows, int64_t band);
void band_rows_leave(struct band_rows *rows);

/* Reads rows first..first+count-1 into *image, from row 0 of *image on. Row -1 stands for the last
 * row of the source, and row `height` for row 0, as --edge wrap needs them. */
enum status band_rows_fetch(struct band_rows *rows, int64_t first, int64_t count,
                            const struct image *image, struct error *error);

void band_rows_close(struct band_rows *rows);

#endif
