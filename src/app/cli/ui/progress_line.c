/* SPDX-License-Identifier: MIT */
/* "[######----]  62%  12/26 files, 1 failed  812 MB/s  0:42 left", as wide as there is room. */
#include "progress.h"

#include <math.h>
#include <string.h>

#define BAR_LEAST 8 /* columns between the brackets: a shorter one says nothing */
#define BAR_MOST 50
#define FIRST_SECONDS 1.0 /* before that, a rate is chance */

/* In the order of the line; which ones a narrow line loses first is in `losses`. */
enum part { PERCENT, FILES, FAILED, RATE, LEFT, PARTS };

struct parts {
    char text[PARTS][64];
};

/* An input that could not even be opened leaves its bytes out: where all files are done, all is. */
static double share_done(const struct progress_state *state)
{
    if (state->files_done >= state->files)
        return 1;
    if (state->bytes > 0)
        return (double)state->bytes_done / (double)state->bytes;
    return (double)state->files_done / (double)state->files;
}

/* 100 only at the very end. */
static int percent(const struct progress_state *state)
{
    const double share = share_done(state);
    const int whole = share >= 1 ? 100 : share > 0 ? (int)(100 * share) : 0;

    return whole == 100 && state->files_done < state->files ? 99 : whole;
}

/* "0:42", "1:02:03". Never too short, and as wide until ten hours: a bar should not jump. */
static void print_left(double seconds, char *text, size_t bytes)
{
    const long long whole = (long long)ceil(seconds);
    char time[40];

    if (whole < 3600)
        snprintf(time, sizeof time, "%lld:%02lld", whole / 60, whole % 60);
    else
        snprintf(time, sizeof time, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60,
                 whole % 60);
    snprintf(text, bytes, "  %7s left", time);
}

/* By the mean rate since the begin. A mean of the last seconds would follow every change from small
 * files to large ones, and jump; this one settles, and the plan's order mixes the sizes. */
static void print_speed(const struct progress_state *state, struct parts *parts)
{
    const double share = share_done(state);
    const double rate = (double)state->bytes_done / state->seconds / 1e6;
    double left;

    if (state->seconds < FIRST_SECONDS || share <= 0)
        return;
    if (state->bytes_done > 0)
        snprintf(parts->text[RATE], sizeof *parts->text,
                 rate < 10 ? "  %5.1f MB/s" : "  %5.0f MB/s", rate);
    left = share < 1 ? state->seconds * (1 - share) / share : 0;
    if (left < 1e9)
        print_left(left, parts->text[LEFT], sizeof *parts->text);
}

static struct parts make_parts(const struct progress_state *state)
{
    struct parts parts = {{""}};
    char total[24];

    snprintf(parts.text[PERCENT], sizeof *parts.text, "%3d%%", percent(state));
    snprintf(total, sizeof total, "%lld", (long long)state->files);
    snprintf(parts.text[FILES], sizeof *parts.text, "  %*lld/%s file%s", (int)strlen(total),
             (long long)state->files_done, total, state->files == 1 ? "" : "s");
    if (state->files_failed > 0)
        snprintf(parts.text[FAILED], sizeof *parts.text, ", %lld failed",
                 (long long)state->files_failed);
    print_speed(state, &parts);
    return parts;
}

static int width_of(const struct parts *parts)
{
    size_t width = 0;

    for (int i = 0; i < PARTS; i++)
        width += strlen(parts->text[i]);
    return (int)width;
}

/* "[####----] ", of so many columns in all, or nothing. */
static void print_bar(double share, int columns, char *text)
{
    const int inside = columns - 3 < BAR_MOST ? columns - 3 : BAR_MOST;
    const int full = (int)((share < 1 ? share : 1) * inside);

    if (inside < BAR_LEAST)
        return;
    *text++ = '[';
    memset(text, '#', (size_t)full);
    memset(text + full, '-', (size_t)(inside - full));
    strcpy(text + inside, "] ");
}

void progress_line(const struct progress_state *state, int columns, bool bar, char *text,
                   size_t bytes)
{
    static const enum part losses[] = {RATE, LEFT, FAILED, FILES, PERCENT};
    const int room = (columns < (int)bytes ? columns : (int)bytes) - 1; /* the last column wraps */
    struct parts parts = make_parts(state);
    char drawn[BAR_MOST + 4] = "";

    for (int i = 0; i < PARTS && width_of(&parts) > room; i++)
        *parts.text[losses[i]] = '\0';
    if (bar)
        print_bar(share_done(state), room - width_of(&parts), drawn);
    snprintf(text, bytes, "%s%s%s%s%s%s", drawn, parts.text[PERCENT], parts.text[FILES],
             parts.text[FAILED], parts.text[RATE], parts.text[LEFT]);
}
