/* SPDX-License-Identifier: MIT */
#include "src/files/codec/rows/row_io.h"

#include <errno.h>
#include <sys/uio.h>

#define MAX_PIECES 1024 /* rows in a call: Linux's IOV_MAX */

typedef ssize_t transfer(int fd, const struct iovec *pieces, int count, off_t offset);

/* Lists the memory of rows y..y+count-1 without their first `done` bytes, at most MAX_PIECES rows.
 * Returns the number of pieces. */
static int list_rows(struct iovec *pieces, const struct image *image, int64_t y, int64_t count,
                     int64_t done)
{
    const int64_t row_bytes = (int64_t)image_row_bytes(image);
    int64_t skip = done % row_bytes;
    int listed = 0;

    for (int64_t row = done / row_bytes; row < count && listed < MAX_PIECES; row++) {
        pieces[listed++] = (struct iovec){.iov_base = (char *)image_row(image, y + row) + skip,
                                          .iov_len = (size_t)(row_bytes - skip)};
        skip = 0;
    }
    return listed;
}

static int64_t move_rows(transfer *move, int fd, int64_t offset, const struct image *image,
                         int64_t y, int64_t count)
{
    const int64_t row_bytes = (int64_t)image_row_bytes(image);
    struct iovec pieces[MAX_PIECES];
    int64_t done = 0;

    while (done < count * row_bytes) {
        const int listed = list_rows(pieces, image, y, count, done);
        const ssize_t moved = move(fd, pieces, listed, offset + done);

        if (moved < 0 && errno == EINTR)
            continue;
        if (moved == 0)
            errno = 0;
        if (moved <= 0)
            break;
        done += moved;
    }
    return done / row_bytes;
}

int64_t rows_pread(int fd, int64_t offset, const struct image *image, int64_t y, int64_t count)
{
    return move_rows(preadv, fd, offset, image, y, count);
}

int64_t rows_pwrite(int fd, int64_t offset, const struct image *image, int64_t y, int64_t count)
{
    return move_rows(pwritev, fd, offset, image, y, count);
}
