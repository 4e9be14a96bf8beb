/* SPDX-License-Identifier: MIT */
/* What the line of --progress says, at given times and widths, and how parts of files add up; and
 * where messages wrap. */
#include "kernels/common/parallel.h"
#include "src/app/cli/ui/message.h"
#include "src/app/cli/ui/progress.h"
#include "src/app/stream/output/progress_share.h"
#include "tests/unit/unit.h"

#include <string.h>

#define MILLION 1000000

static void check_line(struct progress_state state, double seconds, int columns, const char *wanted)
{
    char text[512];

    progress_line(&state, seconds, columns, text, sizeof text);
    CHECK(strcmp(text, wanted) == 0, "%d columns:\n  %s\n  %s", columns, text, wanted);
}

/* files, bytes; done, failed, bytes */
static const struct progress_state early = {26, 1000 * MILLION, 0, 0, 10 * MILLION},
                                   middle = {26, 1000 * MILLION, 12, 0, 500 * MILLION},
                                   failing = {26, 1000 * MILLION, 12, 2, 500 * MILLION},
                                   slow = {5, 1000 * MILLION, 1, 0, 2 * MILLION},
                                   sizeless = {4, 0, 1, 0, 0};

static void check_parts(void)
{
    check_line(early, 0.5, 0, "  1%  0/26 files");
    check_line(middle, 10, 0, " 50%  12/26 files  0:00:10 left  50.0 MB/s");
    check_line(failing, 10, 0, " 50%  12/26 files, 2 failed  0:00:10 left  50.0 MB/s");
    check_line(slow, 36, 0, "  0%  1/5 files  4:59:24 left  0.1 MB/s");
    check_line(sizeless, 30, 0, " 25%  1/4 files  0:01:30 left");
    check_line((struct progress_state){7, 0, 3, 0, 0}, 10, 0,
               " 42%  3/7 files  0:00:14 left"); /* 13.3 s */
    check_line((struct progress_state){1, 0, 0, 0, 0}, 50, 0, "  0%");
    check_line((struct progress_state){1, 100 * MILLION, 0, 0, 50 * MILLION}, 10, 0,
               " 50%  0:00:10 left  5.0 MB/s");
    check_line((struct progress_state){1, 100, 1, 1, 100}, 0.1, 0, "100%, 1 failed");
    check_line((struct progress_state){0}, 0, 0, "100%  0/0 files");
    check_line((struct progress_state){2, 100, 1, 0, 100}, 0.1, 0, " 99%  1/2 files");
    check_line((struct progress_state){2, 100, 2, 1, 60}, 0.1, 0, "100%  2/2 files, 1 failed");
}

static void check_widths(void)
{
    static const struct progress_state *const states[] = {&early, &middle, &failing, &slow,
                                                          &sizeless};
    char text[512];

    check_line(middle, 10, 80, "[##########----------]  50%  12/26 files  0:00:10 left  50.0 MB/s");
    check_line(middle, 10, 79, " 50%  12/26 files  0:00:10 left  50.0 MB/s");
    check_line(failing, 10, 40, " 50%  12/26 files, 2 failed");
    check_line(middle, 10, 40, " 50%  12/26 files  0:00:10 left");
    check_line(failing, 10, 18, " 50%  12/26 files");
    check_line(failing, 10, 17, " 50%");
    check_line(failing, 10, 5, " 50%");
    check_line(failing, 10, 4, "");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        for (int columns = 1; columns < 600; columns++) {
            progress_line(states[i], 10, columns, text, sizeof text);
            CHECK((int)strlen(text) < columns, "%d columns: %s", columns, text);
        }
}

/* A thread's part of a file's bytes, in small pieces: more of them than the file has. */
static void add_pieces(const void *context, int thread, int64_t first, int64_t last)
{
    struct progress_share *share = *(struct progress_share *const *)context;

    (void)thread;
    for (int64_t i = first; i < last; i++)
        progress_share_rows(share, 7);
}

/* The last plain line, where a stream is no terminal. */
static void check_sum(enum progress_mode mode, int64_t pieces, bool ended, const char *wanted)
{
    struct progress_share share = {.add = progress_add, .bytes = 500000}, *shared = &share;
    char line[200] = "";
    FILE *stream = tmpfile();

    NEED(stream);
    progress_open(mode, 2, 1000000, 0, stream);
    progress_share_begin(&share, 400000);
    parallel_rows(4, pieces, add_pieces, &shared);
    if (ended) {
        progress_share_end(&share);
        progress_file(true);
    }
    progress_clear();
    progress_redraw();
    progress_close();
    progress_add(1);
    rewind(stream);
    CHECK(fread(line, 1, sizeof line - 1, stream) == strlen(wanted) && strcmp(line, wanted) == 0,
          "%lld pieces: %s", (long long)pieces, line);
    fclose(stream);
}

/* Letters of two bytes take one column. */
static void check_wrapped(int columns, const char *wanted)
{
    char wrapped[MESSAGE_BYTES];
    const size_t bytes = message_wrap("äöü äöü", columns, wrapped);

    CHECK(bytes == strlen(wanted) && memcmp(wrapped, wanted, bytes) == 0, "%d columns: %.*s",
          columns, (int)bytes, wrapped);
}

int main(void)
{
    check_wrapped(7, "äöü äöü\n");
    check_wrapped(6, "äöü\n  äöü\n");
    check_parts();
    check_widths();
    check_sum(PROGRESS_ALWAYS, 30000, false, "smoothimg: 21%  0/2 files\n");
    check_sum(PROGRESS_ALWAYS, 90000, false, "smoothimg: 50%  0/2 files\n");
    check_sum(PROGRESS_ALWAYS, 30000, true, "smoothimg: 50%  1/2 files, 1 failed\n");
    check_sum(PROGRESS_ALWAYS, 90000, true, "smoothimg: 50%  1/2 files, 1 failed\n");
    check_sum(PROGRESS_AUTO, 90000, true, "");
    check_sum(PROGRESS_NEVER, 90000, true, "");
    return unit_result();
}
