/* SPDX-License-Identifier: MIT */
/* What the line of progress says, at given times and widths, and how parts of files add up. */
#include "kernels/common/parallel.h"
#include "src/app/cli/ui/progress.h"
#include "src/app/stream/progress_share.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <string.h>

#define MILLION 1000000

/* done: in thousandths of 1000 MB. */
static void check_line(int done, double seconds, int columns, const char *wanted)
{
    char text[512];

    progress_line(done / 1000.0, 1000 * MILLION, seconds, columns, text, sizeof text);
    CHECK(strcmp(text, wanted) == 0, "%d columns:\n  %s\n  %s", columns, text, wanted);
}

static void check_lines(void)
{
    check_line(10, 0.5, 80, "[--------------------]   1%");
    check_line(500, 10, 80, "[##########----------]  50%  0:00:10 left  50.0 MB/s");
    check_line(500, 10, 79, " 50%  0:00:10 left  50.0 MB/s");
    check_line(500, 10, 40, " 50%  0:00:10 left  50.0 MB/s");
    check_line(500, 10, 39, " 50%");
    check_line(500, 10, 5, " 50%");
    check_line(500, 10, 4, " 50");
    check_line(500, 10, 1, "");
    check_line(2, 36, 79, "  0%  4:59:24 left  0.1 MB/s");
    check_line(0, 50, 79, "  0%");
    check_line(1000, 0.1, 79, "100%");
}

static int64_t added; /* work */

static void count(int64_t work)
{
    __atomic_fetch_add(&added, work, __ATOMIC_RELAXED);
}

/* A thread's part of a file's work, in small pieces: more of them than the file has. */
static void add_pieces(const void *context, int thread, int64_t first, int64_t last)
{
    struct progress_share *share = *(struct progress_share *const *)context;

    (void)thread;
    for (int64_t i = first; i < last; i++)
        progress_share_rows(share, 7);
}

/* Pieces of 7 bytes of 400000 samples add up to no more than the work of a file of so many bytes;
 * its end adds the rest. */
static void check_sum(int64_t work, int64_t file_bytes, int64_t pieces, bool ended, int64_t wanted)
{
    struct progress_share share = {.add = count, .work = work, .file_bytes = file_bytes};
    struct progress_share *shared = &share;

    added = 0;
    progress_share_begin(&share, 400000);
    parallel_rows(4, pieces, add_pieces, &shared);
    if (ended)
        progress_share_end(&share);
    CHECK(added == wanted, "%lld pieces: %lld bytes", (long long)pieces, (long long)added);
}

int main(void)
{
    check_lines();
    check_sum(500000, 500000, 30000, false, 210000);
    check_sum(500000, 500000, 90000, false, 500000);
    check_sum(500000, 500000, 30000, true, 500000);
    check_sum(500000, 500000, 90000, true, 500000);
    check_sum(1500000, 500000, 30000, false, 630000); /* among larger files */
    check_sum(800000, 1000, 30000, false, 420000);    /* compressed */
    check_sum(800000, 1000, 90000, false, 800000);
    return unit_result();
}
