/* SPDX-License-Identifier: MIT */
/* Rows of an image straight between its memory and a place in a file, by as few system calls as the
 * system allows, and without a copy in between. Threads may do so at the same time. */
#ifndef SMOOTHIMG_ROW_IO_H
#define SMOOTHIMG_ROW_IO_H

#include "image.h"

/* Reads into, or writes from, rows y..y+count-1 of *image. In the file they stand one behind the
 * other from `offset` on. Returns how many rows are whole: fewer than count at the file's end
 * (errno is 0) or on failure (errno says why). */
int64_t rows_pread(int fd, int64_t offset, const struct image *image, int64_t y, int64_t count);
int64_t rows_pwrite(int fd, int64_t offset, const struct image *image, int64_t y, int64_t count);

/* The same, where the rows of *image are parts of wider ones: in the file they begin row_bytes
 * apart. A system call each. */
int64_t row_parts_pread(int fd, int64_t offset, int64_t row_bytes, const struct image *image,
                        int64_t y, int64_t count);
int64_t row_parts_pwrite(int fd, int64_t offset, int64_t row_bytes, const struct image *image,
                         int64_t y, int64_t count);

#endif
