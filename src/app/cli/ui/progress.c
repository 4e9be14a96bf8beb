/* SPDX-License-Identifier: MIT */
#include "src/app/cli/ui/progress.h"

#include "kernels/common/numbers.h"
#include "kernels/common/clock.h"
#include "src/text/size.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define DRAW_SECONDS 0.1 /* seconds between redraws; nobody could read more frequent ones */
#define LINE_BYTES 512

#define BAR 20          /* columns between the brackets */
#define BAR_FROM 80     /* columns that a terminal needs for the bar */
#define RATE_FROM 40    /* columns that a terminal needs for the time left and the speed */
#define FIRST_SECONDS 1 /* seconds until the mean rate is meaningful */

static struct {
    atomic_bool open;
    atomic_bool drawn; /* the line is on the terminal, with the cursor after it */
    double start;
    double after;         /* seconds from the start until the line first appears */
    _Atomic double due;   /* the time (clock_seconds) from which the line may be redrawn */
    int64_t work, bytes;  /* totals of all inputs */
    _Atomic int64_t done; /* work that is done so far */
    pthread_mutex_t drawing;
} progress = {.drawing = PTHREAD_MUTEX_INITIALIZER};

void progress_open(int64_t work, int64_t bytes, double after)
{
    const char *terminal = getenv("TERM");

    if (work == 0 || !isatty(STDERR_FILENO) || !terminal || !*terminal ||
        strcmp(terminal, "dumb") == 0)
        return;
    progress.start = clock_seconds();
    progress.after = after;
    progress.due = progress.start + after;
    progress.work = work;
    progress.bytes = bytes;
    progress.open = true;
}

/* Draws "[########------------] 62% 0:00:42 left 812.0 MB/s". The rate is the mean since the start:
 * a mean of the last seconds would jump between small and large files. A single write draws the
 * line and erases what is left of the old line. A process in the background draws nothing, since
 * another program uses the terminal. */
static void redraw(void)
{
    const pid_t foreground = tcgetpgrp(STDERR_FILENO);
    const double share = fmin((double)progress.done / (double)progress.work, 1);
    const double seconds = clock_seconds() - progress.start;
    const double left = ceil(seconds * (1 - share) / share);
    struct winsize size;
    const bool told = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    const int width = told ? size.ws_col : 80;
    struct phrase rate = {""};
    char bar[] = "[--------------------] ", line[LINE_BYTES];

    if (foreground >= 0 && foreground != getpgrp())
        return;
    memset(bar + 1, '#', (size_t)(BAR * share));
    if (width >= RATE_FROM && seconds >= FIRST_SECONDS && share > 0 && left < 1e9)
        phrase_add(&rate, "  %d:%02d:%02d left  %s", (int)left / 3600, (int)left / 60 % 60,
                   (int)left % 60, speed_text(share * (double)progress.bytes / seconds).text);
    snprintf(line, (size_t)min(width, LINE_BYTES), "%s%3d%%%s", width >= BAR_FROM ? bar : "",
             (int)(100 * share), rate.text);
    progress.drawn = true;
    dprintf(STDERR_FILENO, "\r%s\033[K", line);
}

/* If several threads find that a redraw is due, only one of them draws. */
void progress_add(int64_t work)
{
    double now, due;

    if (!progress.open)
        return;
    progress.done += work;
    now = clock_seconds();
    due = progress.due;
    if (now < due || !atomic_compare_exchange_strong(&progress.due, &due, now + DRAW_SECONDS) ||
        pthread_mutex_trylock(&progress.drawing) != 0)
        return;
    if (progress.open)
        redraw();
    pthread_mutex_unlock(&progress.drawing);
}

void progress_clear(void)
{
    pthread_mutex_lock(&progress.drawing);
    if (atomic_exchange(&progress.drawn, false))
        dprintf(STDERR_FILENO, "\r\033[K");
}

void progress_redraw(void)
{
    if (progress.open && clock_seconds() - progress.start >= progress.after)
        redraw();
    pthread_mutex_unlock(&progress.drawing);
}

void progress_close(void)
{
    progress_clear();
    progress.open = false;
    pthread_mutex_unlock(&progress.drawing);
}

void progress_leave(void)
{
    progress.open = false;
    if (atomic_exchange(&progress.drawn, false))
        dprintf(STDERR_FILENO, "\n");
}
