/* SPDX-License-Identifier: MIT */
/* When a line is drawn, and where. What it says is made in progress_line.c. */
#include "progress.h"

#include "clock.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define DRAW_SECONDS 0.1 /* from a bar to the next: faster than an eye wants to read */
#define LINE_SECONDS 5.0 /* from a plain line to the next: a log should stay short */
#define LINE_BYTES 512
#define COLUMNS 80 /* of a terminal that does not tell */

static struct {
    atomic_bool open;
    atomic_bool drawn; /* the cursor stands behind a bar */
    bool terminal;
    FILE *stream;
    double start;
    _Atomic int64_t files, bytes;
    _Atomic int64_t files_done, files_failed, bytes_done;
    _Atomic int64_t due; /* when the next line may be drawn, in microseconds since the start */
    pthread_mutex_t drawing;
} progress = {.drawing = PTHREAD_MUTEX_INITIALIZER};

static bool draws_bars(FILE *stream)
{
    const char *kind = getenv("TERM");

    return isatty(fileno(stream)) && kind && *kind && strcmp(kind, "dumb") != 0;
}

static int64_t microseconds(void)
{
    return (int64_t)(1e6 * (clock_seconds() - progress.start));
}

static int64_t interval(void)
{
    return (int64_t)(1e6 * (progress.terminal ? DRAW_SECONDS : LINE_SECONDS));
}

void progress_open(enum progress_mode mode, int64_t files, int64_t bytes, FILE *stream)
{
    const bool terminal = draws_bars(stream);

    if (mode == PROGRESS_NEVER || (mode == PROGRESS_AUTO && !terminal))
        return;
    progress.terminal = terminal;
    progress.stream = stream;
    progress.start = clock_seconds();
    progress.files = files;
    progress.bytes = bytes;
    progress.files_done = progress.files_failed = progress.bytes_done = 0;
    progress.due = interval();
    progress.drawn = false;
    progress.open = true;
}

static struct progress_state state_now(void)
{
    return (struct progress_state){
        .files = progress.files,
        .files_done = progress.files_done,
        .files_failed = progress.files_failed,
        .bytes = progress.bytes,
        .bytes_done = progress.bytes_done,
        .seconds = clock_seconds() - progress.start,
    };
}

static int columns_of(int fd)
{
    struct winsize size;

    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : COLUMNS;
}

/* What cannot be shown is no failure of the run. */
static void show(const char *text, size_t bytes)
{
    if (write(fileno(progress.stream), text, bytes) < 0)
        return;
}

/* In one write, and with the rest of the line erased behind it. A job in the background leaves the
 * terminal to the others. */
static void draw_bar(void)
{
    const int fd = fileno(progress.stream);
    const struct progress_state state = state_now();
    const pid_t foreground = tcgetpgrp(fd);
    char line[LINE_BYTES], text[LINE_BYTES + 8];

    if (foreground >= 0 && foreground != getpgrp())
        return;
    progress_line(&state, columns_of(fd), true, line, sizeof line);
    progress.drawn = true;
    show(text, (size_t)snprintf(text, sizeof text, "\r%s\033[K", line));
}

static void print_line(void)
{
    const struct progress_state state = state_now();
    char line[LINE_BYTES];

    progress_line(&state, LINE_BYTES, false, line, sizeof line);
    fprintf(progress.stream, "smoothimg: %s\n", line + strspn(line, " "));
}

/* The drawing mutex is held. */
static void draw(void)
{
    if (!progress.open)
        return;
    if (progress.terminal)
        draw_bar();
    else
        print_line();
}

/* Of the threads that find a line due, one draws it. */
static void draw_if_due(void)
{
    int64_t due = progress.due;
    const int64_t now = microseconds();

    if (now < due || !atomic_compare_exchange_strong(&progress.due, &due, now + interval()))
        return;
    if (pthread_mutex_trylock(&progress.drawing) != 0)
        return;
    draw();
    pthread_mutex_unlock(&progress.drawing);
}

void progress_add(int64_t bytes)
{
    if (!progress.open)
        return;
    progress.bytes_done += bytes;
    draw_if_due();
}

void progress_file(bool failed)
{
    if (!progress.open)
        return;
    progress.files_failed += failed;
    progress.files_done++;
    draw_if_due();
}

void progress_skip(int64_t bytes)
{
    if (!progress.open)
        return;
    progress.files--;
    progress.bytes -= bytes;
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

/* Only where there was a bar: a plain line is not taken away. */
void progress_redraw(void)
{
    if (progress.open && progress.terminal && microseconds() >= interval())
        draw_bar();
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

/* Takes no lock: nothing here but atomic variables, and write. */
void progress_leave(void)
{
    progress.open = false;
    if (atomic_exchange(&progress.drawn, false))
        show("\n", 1);
}

void progress_share_add(struct progress_share *share, int64_t bytes)
{
    const int64_t left = share->bytes - atomic_fetch_add(&share->added, bytes);

    if (left > 0)
        progress_add(bytes < left ? bytes : left);
}

void progress_share_end(struct progress_share *share)
{
    progress_share_add(share, share->bytes);
}
