/* SPDX-License-Identifier: MIT */
#include "batch.h"

#include "crew.h"
#include "parallel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GLANCES 8 /* at files, to know what kind of work there is */

/* A header may promise anything. */
static double pixels_of(const struct glance *glance)
{
    return (double)glance->shape.width * (double)glance->shape.height;
}

/* What a worker will have to do: images like the largest of the first few. */
static struct glance expect(struct task *const *tasks, size_t count, int workers)
{
    struct glance expected = {0}, one;

    for (size_t i = 0; i < count && i < GLANCES; i++)
        if (glance_at(tasks[i]->input, &one) && pixels_of(&one) > pixels_of(&expected))
            expected = one;
    if (expected.images > 0)
        expected.images *= ((int64_t)count - 1) / workers + 1;
    return expected;
}

/* Some tasks, by so many workers. */
static void run_crew(struct crew *crew, struct task **tasks, size_t count, int most)
{
    const int workers = (int64_t)count < most ? (int)count : most;
    struct crew *const shared = crew;

    if (count == 0)
        return;
    crew->tasks = tasks;
    crew->next = 0;
    crew->count = count;
    crew->workers = crew->side_by_side = workers;
    crew->expected = expect(tasks, count, workers);
    crew->threads = (int)crew->options->threads / workers;
    if (crew->status == STATUS_OK)
        parallel_rows(workers, workers, crew_work, &shared);
    crew->counts->left += (int64_t)(count - crew->next);
}

/* Has it more than a thread's fair share of the work? */
static bool is_large(const struct task *task, int threads, double sum)
{
    return threads * (double)task->bytes > sum;
}

/* A large file would be waited for at the end: it is done first, by all threads. */
static size_t put_large_first(const struct plan *plan, int threads, struct task **tasks)
{
    double sum = 0;
    size_t large = 0, placed;

    for (size_t i = 0; i < plan->count; i++)
        sum += (double)plan->tasks[i].bytes;
    for (size_t i = 0; i < plan->count; i++)
        if (is_large(&plan->tasks[i], threads, sum))
            tasks[large++] = &plan->tasks[i];
    placed = large;
    for (size_t i = 0; i < plan->count; i++)
        if (!is_large(&plan->tasks[i], threads, sum))
            tasks[placed++] = &plan->tasks[i];
    return large;
}

static enum status run_tasks(struct crew *crew, const struct plan *plan)
{
    struct task **tasks = calloc(plan->count + 1, sizeof(struct task *));
    const int threads = (int)crew->options->threads;
    size_t large;

    if (!tasks)
        return fail(&crew->error, STATUS_INPUT, "no memory for a list of %zu files", plan->count);
    large = put_large_first(plan, threads, tasks);
    run_crew(crew, tasks, large, 1);
    run_crew(crew, tasks + large, plan->count - large, threads);
    free(tasks);
    return crew->status;
}

static enum status make_output_folder(const char *path, bool *made, struct error *error)
{
    struct stat about;

    *made = mkdir(path, 0777) == 0;
    if (*made)
        return STATUS_OK;
    if (errno == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return STATUS_OK;
    return fail(error, STATUS_OUTPUT, "%s: cannot make this folder: %s", path, strerror(errno));
}

enum status batch_run(const struct options *options, const uint64_t *weights, struct plan *plan,
                      batch_listener *listener, void *context, struct batch_counts *counts,
                      struct error *error)
{
    struct budget budget;
    struct crew crew = {.options = options,
                        .weights = weights,
                        .budget = &budget,
                        .folders = plan->folders,
                        .listener = listener,
                        .context = context,
                        .mutex = PTHREAD_MUTEX_INITIALIZER,
                        .counts = counts};
    enum status status = STATUS_OK;
    bool made = false;

    memset(counts, 0, sizeof *counts);
    if (plan->folders && options->output)
        status = make_output_folder(options->output, &made, error);
    if (status != STATUS_OK)
        return status;
    budget_open(&budget, options->max_memory);
    status = run_tasks(&crew, plan);
    budget_close(&budget);
    if (status != STATUS_OK)
        *error = crew.error;
    if (made && counts->done == 0 && status == STATUS_DEVICE)
        rmdir(options->output); /* no trace, if nothing is in it */
    return status == STATUS_OK && counts->failed > 0 ? STATUS_PARTIAL : status;
}
