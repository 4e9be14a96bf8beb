/* SPDX-License-Identifier: MIT */
#include "kernels/common/parallel.h"

#include "kernels/common/numbers.h"
#include "kernels/common/worker_pool.h"

#include <sched.h>

struct shared_rows {
    struct shared_work shared; /* the first member: run_some casts its address */
    parallel_work *work;
    const void *context;
    int64_t rows;
    int count;
    atomic_bool taken[MAX_THREADS]; /* for each band, whether a thread has taken it */
};

static int64_t first_row(const struct shared_rows *all, int64_t band)
{
    return all->rows / all->count * band + all->rows % all->count * band / all->count;
}

/* Each thread does its own band first, whose rows may still be in its cache from the last call,
 * then the bands of threads that have not started. */
static void run_some(struct shared_work *shared, int number)
{
    struct shared_rows *all = (struct shared_rows *)shared;

    for (int i = 0; i < all->count; i++) {
        const int band = (number + i) % all->count;

        if (!atomic_load(&all->taken[band]) && !atomic_exchange(&all->taken[band], true))
            all->work(all->context, band, first_row(all, band), first_row(all, band + 1));
    }
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
    for (int i = 0; i < all.count; i++)
        atomic_init(&all.taken[i], false);
    worker_pool_begin(&all.shared);
    run_some(&all.shared, 0);
    worker_pool_end(&all.shared);
}

int parallel_processors(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return CPU_COUNT(&set) < MAX_THREADS ? CPU_COUNT(&set) : MAX_THREADS;
}
