/* SPDX-License-Identifier: MIT */
#include "kernels/common/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

struct band {
    parallel_work *work;
    const void *context;
    int index;
    int64_t first, last;
    pthread_t thread;
    bool started;
};

static void *run_band(void *argument)
{
    const struct band *band = argument;

    band->work(band->context, band->index, band->first, band->last);
    return NULL;
}

void parallel_rows(int threads, int64_t rows, parallel_work *work, const void *context)
{
    struct band bands[MAX_THREADS];
    const int wanted = threads < MAX_THREADS ? threads : MAX_THREADS;
    const int count = wanted < rows ? wanted : (int)rows;

    for (int i = 0; i < count; i++) {
        struct band *band = &bands[i];

        *band = (struct band){.work = work,
                              .context = context,
                              .index = i,
                              .first = rows / count * i + rows % count * i / count,
                              .last = rows / count * (i + 1) + rows % count * (i + 1) / count};
        /* The last band is this thread's own. */
        band->started = i + 1 < count && pthread_create(&band->thread, NULL, run_band, band) == 0;
    }
    for (int i = count - 1; i >= 0; i--)
        if (!bands[i].started)
            run_band(&bands[i]);
    for (int i = 0; i < count; i++)
        if (bands[i].started)
            pthread_join(bands[i].thread, NULL);
}

int parallel_processors(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return CPU_COUNT(&set) < MAX_THREADS ? CPU_COUNT(&set) : MAX_THREADS;
}
