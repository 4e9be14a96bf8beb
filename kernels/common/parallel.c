/* SPDX-License-Identifier: MIT */
#include "kernels/common/parallel.h"

#include "kernels/common/numbers.h"
#include "kernels/common/worker_pool.h"

#include <sched.h>

struct shared_rows {
    struct shared_work shared; /* the first member: run_some gets its address */
    parallel_work *work;
    const void *context;
    int64_t rows;
    int count;
    atomic_int next;
};

/* Bands as long as there are any: that of a thread that is late is done by another. */
static void run_some(struct shared_work *shared)
{
    struct shared_rows *all = (struct shared_rows *)shared;
    const int64_t rows = all->rows, count = all->count;

    for (int64_t i; (i = atomic_fetch_add(&all->next, 1)) < count;)
        all->work(all->context, (int)i, rows / count * i + rows % count * i / count,
                  rows / count * (i + 1) + rows % count * (i + 1) / count);
}

void parallel_rows(int threads, int64_t rows, parallel_work *work, const void *context)
{
    const int wanted = (int)min(min(threads, MAX_THREADS), rows);
    struct shared_rows all;

    all.shared.run = run_some;
    all.work = work;
    all.context = context;
    all.rows = rows;
    all.count = (int)min(wanted, 1 + worker_pool_choose(&all.shared, wanted - 1));
    atomic_init(&all.next, 0);
    worker_pool_begin(&all.shared);
    run_some(&all.shared);
    worker_pool_end(&all.shared);
}

int parallel_processors(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return CPU_COUNT(&set) < MAX_THREADS ? CPU_COUNT(&set) : MAX_THREADS;
}
