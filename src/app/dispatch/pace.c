/* SPDX-License-Identifier: MIT */
#include "src/app/dispatch/pace.h"

#include "kernels/common/numbers.h"

#include <stddef.h>

/* A GPU is worth opening if the processor needs this many times as long for the rest: closing the
 * GPU at the end of the process takes half as long as opening it. */
#define WORTHWHILE 1.5

/* Opening takes half as long again while as many threads compute as there are processors (16, for
 * an H200: 0.5 s against 0.36), so one of many threads pauses. */
#define MANY_THREADS 8
#define MAX_PAUSE 2 /* times the opening that is expected */

#define SLOW_PIECES 2 /* one may be slow by chance */

#define GPU_PART 16
#define CPU_PART 4
#define FIRST_CPU_PART 16 /* small, to know the processor's speed soon */

struct pace pace_begin(int threads, double opening)
{
    return (struct pace){.threads = threads, .opening = opening, .sessions = 1};
}

void pace_cpu_piece(struct pace *pace, double amount, double seconds)
{
    pace->amount += amount;
    pace->computing += seconds;
    pace->computed++;
}

void pace_note(struct pace *pace, double bytes, double files)
{
    pace->done += bytes;
    pace->noted += bytes > 0;
    pace->files += files;
}

/* How many sessions are each as fast as a thread. Sessions share the GPU: if one of `lent` sessions
 * is f times as fast as a thread, f x lent of them are as fast as a thread each. */
static int fair_sessions(const struct pace *pace, int lent, double seconds, double by_threads)
{
    const double fair = lent * by_threads;

    return fair < seconds * pace->threads ? (int)(fair / seconds) : pace->threads;
}

void pace_gpu_piece(struct pace *pace, double amount, double seconds, int threads, int lent)
{
    const double by_threads = amount * pace->computing / pace->amount / threads;
    const int fair = fair_sessions(pace, lent, seconds, by_threads);
    const bool first = pace->gpu_pieces++ == 0;

    if (seconds < by_threads) {
        pace->gpu_proved = true;
        pace->slow_pieces = 0;
        pace->sessions = (int)max(pace->sessions, max(fair, lent + 1));
    } else if (lent > 1) {
        pace->sessions = (int)min(pace->sessions, max(fair, 1));
    } else if (!first && ++pace->slow_pieces == SLOW_PIECES) { /* the first loads the kernel */
        pace->sessions = 0;
    }
}

const char *pace_why_closed(const struct pace *pace)
{
    const double left = pace->expected - pace->done;
    /* For `done` alone: other threads have computed pieces that they have not written yet. */
    const double computing = pace->computed > pace->noted
                                 ? pace->computing * (double)pace->noted / (double)pace->computed
                                 : pace->computing;
    double doubt;

    if (pace->files >= computing)
        return "files take longer than computing";
    /* The first pieces are small, and touch memory for the first time: few of them are trusted only
     * if they say that very much is left. (Computing took time, so at least one is noted.) */
    doubt = 1 + (double)pace->threads / (double)pace->noted;
    if (computing / pace->threads * left <= doubt * WORTHWHILE * pace->opening * pace->done)
        return "too little is left for opening a GPU";
    return NULL;
}

double pace_pause(const struct pace *pace)
{
    return pace->threads >= MANY_THREADS ? MAX_PAUSE * pace->opening : 0;
}

int pace_sessions(const struct pace *pace)
{
    return pace->amount > 0 ? pace->sessions : 0;
}

int pace_part_for_gpu(const struct pace *pace)
{
    return pace->gpu_proved ? 1 : GPU_PART;
}

int pace_part_for_cpu(const struct pace *pace, bool begun, bool plenty)
{
    if (plenty && pace->amount == 0)
        return FIRST_CPU_PART;
    return begun && pace->sessions > 0 ? CPU_PART : 1;
}
