/* SPDX-License-Identifier: MIT */
/* The share of one file in the progress of a run. */
#ifndef SMOOTHIMG_PROGRESS_SHARE_H
#define SMOOTHIMG_PROGRESS_SHARE_H

#include <stdint.h>

/* What is added for a file's rows never exceeds its size; at its end the rest is added. */
struct progress_share {
    void (*add)(int64_t bytes); /* of stream_options; or NULL */
    int64_t bytes;              /* of the file; 0: unknown */
    double scale;               /* bytes of the file for a byte of the image's samples */
    _Atomic int64_t added;
};

/* For the next image of the file. An image is all of its file, or, where several are in one, as
 * much as its samples take. */
void progress_share_begin(struct progress_share *share, int64_t sample_bytes);

/* The on_rows of an image writer: context is the share. For any thread. */
void progress_share_rows(void *context, int64_t sample_bytes);

void progress_share_end(struct progress_share *share);

#endif
