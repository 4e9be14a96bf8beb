/* SPDX-License-Identifier: MIT */
/* Reads and writes rows of an image at an offset of a file (preadv, pwritev): no copy in between,
 * as few system calls as possible, from any number of threads. */
#ifndef SMOOTHIMG_ROW_IO_H
#define SMOOTHIMG_ROW_IO_H

#include "src/files/image/image.h"

/* How the rows of an image may be read or written. */
enum row_order {
    ROWS_IN_ORDER,    /* each once, from the top, one call at a time */
    ROWS_AT_ONCE,     /* all of them in one call */
    ROWS_IN_ANY_ORDER /* several calls at the same time, by several threads */
};

/* Reads into, or writes from, rows y..y+count-1 of *image. In the file they are contiguous from
 * `offset` on. Returns the number of whole rows: fewer than count at the end of the file (errno is
 * 0) or on failure (errno is set). */
int64_t rows_pread(int fd, int64_t offset, const struct image *image, int64_t y, int64_t count);
int64_t rows_pwrite(int fd, int64_t offset, const struct image *image, int64_t y, int64_t count);

#endif
