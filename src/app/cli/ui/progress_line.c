/* SPDX-License-Identifier: MIT */
/* "[########------------]  62%  12/26 files, 1 failed  0:00:42 left  812.0 MB/s"; a single file is
 * not counted. */
#include "src/app/cli/ui/progress.h"

#include "src/text/size.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#define BAR 20          /* columns between the brackets */
#define BAR_FROM 80     /* columns of the terminal: narrower ones have no bar */
#define FIRST_SECONDS 1 /* before that, the mean rate says little */

/* 1 once all files are done, although a file that could not be opened has not added its bytes. */
static double share_done(const struct progress_state *state)
{
    if (state->files_done >= state->files)
        return 1;
    if (state->bytes > 0)
        return fmin((double)state->bytes_done / (double)state->bytes, 1);
    return (double)state->files_done / (double)state->files;
}

/* Adds a part to the text; if there is no room for all of it, drops it and all that follow. */
__attribute__((format(printf, 3, 4))) static void add(char *text, size_t *room, const char *format,
                                                      ...)
{
    const size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    if ((size_t)vsnprintf(text + used, *room - used, format, arguments) >= *room - used) {
        text[used] = '\0';
        *room = used;
    }
    va_end(arguments);
}

/* By the mean rate since the start: a mean of the last seconds would jump with every change between
 * small and large files. */
static void add_speed(const struct progress_state *state, double seconds, char *text, size_t *room)
{
    const double share = share_done(state), left = ceil(seconds * (1 - share) / share);
    char speed[SPEED_TEXT];

    if (seconds < FIRST_SECONDS || share <= 0)
        return;
    if (left < 1e9)
        add(text, room, "  %d:%02d:%02d left", (int)left / 3600, (int)left / 60 % 60,
            (int)left % 60);
    if (state->bytes_done > 0)
        add(text, room, "  %s", speed_text((double)state->bytes_done / seconds, speed));
}

void progress_line(const struct progress_state *state, double seconds, int columns, char *text,
                   size_t bytes)
{
    size_t room = columns > 0 && (size_t)columns < bytes ? (size_t)columns : bytes;
    const double share = share_done(state);
    const bool all = state->files_done >= state->files;
    char bar[] = "[--------------------] ";

    *text = '\0';
    memset(bar + 1, '#', (size_t)(BAR * share));
    if (columns >= BAR_FROM)
        add(text, &room, "%s", bar);
    add(text, &room, "%3d%%", share == 1 && !all ? 99 : (int)(100 * share));
    if (state->files != 1)
        add(text, &room, "  %lld/%lld files", (long long)state->files_done,
            (long long)state->files);
    if (state->files_failed > 0)
        add(text, &room, ", %lld failed", (long long)state->files_failed);
    add_speed(state, seconds, text, &room);
}
