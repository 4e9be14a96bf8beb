/* SPDX-License-Identifier: MIT */
#include "src/app/cli/ui/progress.h"

#include "src/app/cli/ui/message.h"
#include "src/lib/base/clock.h"
#include "src/text/size.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define DRAW_SECONDS 0.1 /* between redraws: faster than an eye reads */
#define LINE_SECONDS 5.0 /* between plain lines: a log should stay short */
#define LINE_BYTES 512

#define BAR 20          /* columns between the brackets */
#define BAR_FROM 80     /* columns of the terminal: narrower ones have no bar */
#define FIRST_SECONDS 1 /* before that, the mean rate says little */

static struct {
    atomic_bool open;
    atomic_bool drawn; /* a line is on the terminal, and the cursor after it */
    bool terminal;
    FILE *stream;
    double start, interval;
    double after;       /* seconds from the start to the first line */
    _Atomic double due; /* when the next line may be drawn */
    struct progress_state state;
    pthread_mutex_t drawing;
} progress = {.drawing = PTHREAD_MUTEX_INITIALIZER};

static bool can_redraw(FILE *stream)
{
    const char *kind = getenv("TERM");

    return isatty(fileno(stream)) && kind && *kind && strcmp(kind, "dumb") != 0;
}

void progress_open(enum progress_mode mode, int64_t files, int64_t bytes, double after,
                   FILE *stream)
{
    progress.terminal = can_redraw(stream);
    if (mode == PROGRESS_NEVER || (mode == PROGRESS_AUTO && !progress.terminal))
        return;
    progress.stream = stream;
    progress.start = clock_seconds();
    progress.interval = progress.terminal ? DRAW_SECONDS : LINE_SECONDS;
    progress.after = progress.terminal ? after : progress.interval;
    progress.due = progress.start + progress.after;
    progress.state = (struct progress_state){.files = files, .bytes = bytes};
    progress.drawn = false;
    progress.open = true;
}

/* A line that cannot be shown is no failure of the run. */
static void show(const char *text, size_t bytes)
{
    if (write(fileno(progress.stream), text, bytes) < 0)
        return;
}

/* Draws the line with a single write, which also erases the rest of the old one. A background job
 * draws nothing: another program uses the terminal. */
static void redraw(void)
{
    const int fd = fileno(progress.stream);
    const pid_t foreground = tcgetpgrp(fd);
    char line[LINE_BYTES], text[LINE_BYTES + 8];

    if (foreground >= 0 && foreground != getpgrp())
        return;
    progress_line(&progress.state, clock_seconds() - progress.start,
                  message_columns(progress.stream), line, sizeof line);
    progress.drawn = true;
    show(text, (size_t)snprintf(text, sizeof text, "\r%s\033[K", line));
}

static void print_line(void)
{
    char line[LINE_BYTES];

    progress_line(&progress.state, clock_seconds() - progress.start, 0, line, sizeof line);
    fprintf(progress.stream, "smoothimg: %s\n", line + strspn(line, " "));
}

/* If several threads find the line due, one of them draws it. */
static void draw_if_due(void)
{
    const double now = clock_seconds();
    double due = progress.due;

    if (now < due ||
        !atomic_compare_exchange_strong(&progress.due, &due, now + progress.interval) ||
        pthread_mutex_trylock(&progress.drawing) != 0)
        return;
    if (progress.open && progress.terminal)
        redraw();
    else if (progress.open)
        print_line();
    pthread_mutex_unlock(&progress.drawing);
}

void progress_add(int64_t bytes)
{
    if (!progress.open)
        return;
    progress.state.bytes_done += bytes;
    draw_if_due();
}

void progress_file(bool failed)
{
    if (!progress.open)
        return;
    progress.state.files_failed += failed;
    progress.state.files_done++;
    draw_if_due();
}

static void erase(void)
{
    if (atomic_exchange(&progress.drawn, false))
        show("\r\033[K", 4);
}

void progress_clear(void)
{
    pthread_mutex_lock(&progress.drawing);
    erase();
}

void progress_redraw(void)
{
    if (progress.open && progress.terminal && clock_seconds() - progress.start >= progress.after)
        redraw();
    pthread_mutex_unlock(&progress.drawing);
}

void progress_close(void)
{
    pthread_mutex_lock(&progress.drawing);
    if (atomic_exchange(&progress.open, false)) {
        erase();
        if (!progress.terminal)
            print_line();
    }
    pthread_mutex_unlock(&progress.drawing);
}

void progress_leave(void)
{
    progress.open = false;
    if (atomic_exchange(&progress.drawn, false))
        show("\n", 1);
}

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

    if (seconds < FIRST_SECONDS || share <= 0)
        return;
    if (left < 1e9)
        add(text, room, "  %d:%02d:%02d left", (int)left / 3600, (int)left / 60 % 60,
            (int)left % 60);
    if (state->bytes_done > 0)
        add(text, room, "  %s", speed_text((double)state->bytes_done / seconds).text);
}

/* "[########------------]  62%  12/26 files, 1 failed  0:00:42 left  812.0 MB/s"; a single file is
 * not counted. */
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
