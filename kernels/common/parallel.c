/* SPDX-License-Identifier: MIT */
#include "kernels/common/parallel.h"

#include "kernels/common/numbers.h"
#include "kernels/common/worker_pool.h"

#include <sched.h>

struct bands {
    struct shared_work shared; /* the first member: run_bands gets its address */
    parallel_work *work;
    const void *context;
    int64_t rows;
    int count;
    atomic_int next;
};

/* Bands as long as there are any: that of a thread that is late is done by another. */
static void run_bands(struct shared_work *shared)
{
    struct bands *bands = (struct bands *)shared;
    const int64_t rows = bands->rows, count = bands->count;

    for (int64_t i; (i = atomic_fetch_add(&bands->next, 1)) < count;)
        bands->work(bands->context, (int)i, rows / count * i + rows % count * i / count,
                    rows / count * (i + 1) + rows % count * (i + 1) / count);
}

void parallel_rows(int threads, int64_t rows, parallel_work *work, const void *context)
{
    const int wanted = (int)min(min(threads, MAX_THREADS), rows);
    struct bands bands;

    bands.shared.run = run_bands;
    bands.work = work;
    bands.context = context;
    bands.rows = rows;
    bands.count = (int)min(wanted, 1 + worker_pool_choose(&bands.shared, wanted - 1));
    atomic_init(&bands.next, 0);
    worker_pool_begin(&bands.shared);
    run_bands(&bands.shared);
    worker_pool_end(&bands.shared);
}

int parallel_processors(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return CPU_COUNT(&set) < MAX_THREADS ? CPU_COUNT(&set) : MAX_THREADS;
}
