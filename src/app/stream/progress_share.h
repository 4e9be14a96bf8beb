/* SPDX-License-Identifier: MIT */
/* What one file adds to the progress of a run. */
#ifndef SMOOTHIMG_PROGRESS_SHARE_H
#define SMOOTHIMG_PROGRESS_SHARE_H

#include <stdint.h>

/* Each row written adds a part of the file's work, in all no more than that; the end of the file
 * adds the rest. */
struct progress_share {
    void (*add)(int64_t work); /* of stream_options; or NULL */
    int64_t work, file_bytes;  /* of the file; 0: unknown */
    double scale;              /* work for a byte of the image's samples */
    _Atomic int64_t added;
};

/* Begins the next image of the file. An image with more bytes of samples than its file (a
 * compressed one) counts as the whole file; another one, of which a file may have several, as its
 * samples. */
void progress_share_begin(struct progress_share *share, int64_t sample_bytes);

/* The on_rows of an image writer: context is the share. Any thread may call it. */
void progress_share_rows(void *context, int64_t sample_bytes);

/* Adds what is left of the file. */
void progress_share_end(struct progress_share *share);

#endif
