/* SPDX-License-Identifier: MIT */
#include "src/app/stream/budget.h"

#include "kernels/common/numbers.h"
#include "src/text/size.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The limit until the system is asked for it: the least that --max-memory accepts. */
#define SURE_BYTES ((int64_t)1 << 20)

void budget_open(struct budget *budget, int64_t limit)
{
    *budget = (struct budget){
        .limit = limit > 0 ? limit : SURE_BYTES,
        .asked = limit > 0,
        .mutex = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
    };
}

static enum status refuse(const struct budget *budget, int64_t bytes, const char *what,
                          struct error *error)
{
    const int64_t whole = budget->limit + budget->kept;
    char kept[64] = "";

    if (budget->kept > 0)
        snprintf(kept, sizeof kept, ", of which the mask has %lld", (long long)budget->kept);
    return fail(error, STATUS_INPUT,
                "%s would take %lld bytes of memory (%s), above the limit of %lld (%s)%s; raise it "
                "with --max-memory",
                what, (long long)bytes, size_text(bytes).text, (long long)whole,
                size_text(whole).text, kept);
}

/* Reading the system's files takes as long as smoothing a small image, so the system is asked only
 * when `bytes` exceed what is surely free. If two threads ask at the same time, both set the same
 * limit. */
int64_t budget_limit(struct budget *budget, int64_t bytes)
{
    if (!budget->asked && bytes > budget->limit - budget->taken) {
        budget->limit = max(memory_limit("") / 4 * 3, SURE_BYTES);
        budget->asked = true;
    }
    return budget->limit;
}

enum status budget_take(struct budget *budget, int64_t bytes, const char *what, struct error *error)
{
    uint64_t ticket;

    pthread_mutex_lock(&budget->mutex);
    if (bytes > budget_limit(budget, bytes)) {
        pthread_mutex_unlock(&budget->mutex);
        return refuse(budget, bytes, what, error);
    }
    ticket = budget->tickets++;
    while (ticket != budget->serving || bytes > budget->limit - budget->taken)
        pthread_cond_wait(&budget->changed, &budget->mutex);
    budget->taken += bytes;
    budget->serving++;
    pthread_cond_broadcast(&budget->changed); /* the next request in line may fit as well */
    pthread_mutex_unlock(&budget->mutex);
    return STATUS_OK;
}

void budget_give(struct budget *budget, int64_t bytes)
{
    pthread_mutex_lock(&budget->mutex);
    budget->taken -= bytes;
    pthread_cond_broadcast(&budget->changed);
    pthread_mutex_unlock(&budget->mutex);
}

void budget_keep(struct budget *budget, int64_t bytes)
{
    budget->limit = budget_limit(budget, INT64_MAX) - bytes;
    budget->kept += bytes;
}

/* --- How much memory this process may use. */

/* Returns the number in a file; INT64_MAX, which means no limit, for "max" or a missing file. */
static int64_t limit_in(const char *path)
{
    FILE *file = fopen(path, "re");
    long long bytes = INT64_MAX;

    if (!file)
        return INT64_MAX;
    if (fscanf(file, "%lld", &bytes) != 1 || bytes < 1)
        bytes = INT64_MAX;
    fclose(file);
    return bytes;
}

/* Returns the lowest limit of a control group and its parents. Cuts `group` at its last slash to
 * get each parent. In a container the path may be that of the host, and only the root group exists,
 * so groups without a file are skipped. */
static int64_t lowest_limit(const char *root, const char *folder, char *group, const char *file)
{
    char path[PATH_MAX];
    int64_t lowest = INT64_MAX;

    for (char *slash = group; slash;) {
        snprintf(path, sizeof path, "%s%s%s/%s", root, folder, group, file);
        lowest = min(lowest, limit_in(path));
        slash = strrchr(group, '/');
        if (slash)
            *slash = '\0';
    }
    return lowest;
}

/* Returns the limit for a line of /proc/self/cgroup, "number:controllers:/group". Commas separate
 * the controllers; a line of version 2 has none. INT64_MAX means no limit. Modifies the line. */
static int64_t limit_of_line(const char *root, char *line)
{
    char *group = line, *controllers, *controller;

    line[strcspn(line, "\n")] = '\0';
    strsep(&group, ":");
    controllers = strsep(&group, ":");
    if (!group)
        return INT64_MAX;
    if (*controllers == '\0')
        return lowest_limit(root, "/sys/fs/cgroup", group, "memory.max");
    while ((controller = strsep(&controllers, ",")))
        if (strcmp(controller, "memory") == 0)
            return lowest_limit(root, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
    return INT64_MAX;
}

int64_t memory_limit(const char *root)
{
    const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    int64_t lowest = pages > 0 && page > 0 ? min(pages * page, PTRDIFF_MAX) : PTRDIFF_MAX;
    char path[PATH_MAX], line[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        lowest = min(lowest, limit_of_line(root, line));
    if (file)
        fclose(file);
    return lowest;
}
