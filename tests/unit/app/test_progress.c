/* SPDX-License-Identifier: MIT */
/* What the line of --progress says, at given times and widths, and how parts of files add up. */
#include "parallel.h"
#include "progress.h"
#include "unit.h"

#include <string.h>

#define MILLION 1000000

static void check_line(struct progress_state state, int columns, bool bar, const char *wanted)
{
    char text[512];

    progress_line(&state, columns, bar, text, sizeof text);
    CHECK(strcmp(text, wanted) == 0, "%d columns:\n  %s\n  %s", columns, text, wanted);
}

/* files, done, failed; bytes, done; seconds */
static const struct progress_state early = {26, 0, 0, 1000 * MILLION, 10 * MILLION, 0.5},
                                   middle = {26, 12, 0, 1000 * MILLION, 500 * MILLION, 10},
                                   failing = {26, 12, 2, 1000 * MILLION, 500 * MILLION, 10},
                                   slow = {5, 1, 0, 1000 * MILLION, 2 * MILLION, 36},
                                   sizeless = {4, 1, 0, 0, 0, 30};

static void check_parts(void)
{
    check_line(early, 80, false, "  1%   0/26 files");
    check_line(middle, 80, false, " 50%  12/26 files     50 MB/s     0:10 left");
    check_line(failing, 80, false, " 50%  12/26 files, 2 failed     50 MB/s     0:10 left");
    check_line(slow, 80, false, "  0%  1/5 files    0.1 MB/s  4:59:24 left");
    check_line(sizeless, 80, false, " 25%  1/4 files     1:30 left");
    check_line((struct progress_state){7, 3, 0, 0, 0, 10}, 80, false,
               " 42%  3/7 files     0:14 left"); /* 13.3 s */
    check_line((struct progress_state){1, 0, 0, 0, 0, 50}, 80, false, "  0%  0/1 file");
    check_line((struct progress_state){0}, 80, false, "100%  0/0 files");
    check_line((struct progress_state){2, 1, 0, 100, 100, 0.1}, 80, false, " 99%  1/2 files");
    check_line((struct progress_state){2, 2, 1, 100, 60, 0.1}, 80, false,
               "100%  2/2 files, 1 failed");
}

static void check_widths(void)
{
    static const struct progress_state *const states[] = {&early, &middle, &failing, &slow,
                                                          &sizeless};
    char text[512];

    check_line(middle, 80, true,
               "[################-----------------]  50%  12/26 files     50 MB/s     0:10 left");
    check_line(middle, 54, true, " 50%  12/26 files     50 MB/s     0:10 left");
    check_line(failing, 40, true, "[####-----]  50%  12/26 files, 2 failed");
    check_line(middle, 40, true, " 50%  12/26 files     0:10 left");
    check_line(failing, 20, true, " 50%  12/26 files");
    check_line(failing, 10, true, " 50%");
    check_line(failing, 5, true, " 50%");
    check_line(failing, 4, true, "");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        for (int columns = 1; columns < 600; columns++) {
            progress_line(states[i], columns, true, text, sizeof text);
            CHECK((int)strlen(text) < columns, "%d columns: %s", columns, text);
        }
}

/* A thread's part of a file's bytes, in small pieces: more of them than the file has. */
static void add_pieces(const void *context, int thread, int64_t first, int64_t last)
{
    struct progress_share *share = *(struct progress_share *const *)context;

    (void)thread;
    for (int64_t i = first; i < last; i++)
        progress_share_add(share, 7);
}

/* The last plain line, where a stream is no terminal. */
static void check_sum(enum progress_mode mode, int64_t pieces, bool ended, const char *wanted)
{
    struct progress_share share = {.bytes = 500000}, *shared = &share;
    char line[200] = "";
    FILE *stream = tmpfile();

    NEED(stream);
    progress_open(mode, 2, 1000000, stream);
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

static void check_skipped(void)
{
    static const char wanted[] = "smoothimg: 25%  1/3 files\n"; /* 100 of 400 bytes */
    char line[200] = "";
    FILE *stream = tmpfile();

    NEED(stream);
    progress_open(PROGRESS_ALWAYS, 5, 1000, stream);
    progress_skip(500);
    progress_add(100);
    progress_file(false);
    progress_skip(100);
    progress_close();
    rewind(stream);
    CHECK(fread(line, 1, sizeof line - 1, stream) > 0 && strcmp(line, wanted) == 0, "%s", line);
    fclose(stream);
}

int main(void)
{
    check_skipped();
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
