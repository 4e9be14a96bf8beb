/* SPDX-License-Identifier: MIT */
/* Running smoothimg-tracer, and reading its lines. */
#include "src/bench/transactions/transactions.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACER "smoothimg-tracer"
#define MAX_PATH 4096

extern char **environ;

struct path {
    char text[MAX_PATH];
};

/* Beside this program, as in a build folder; or where it is installed, which is said relative to
 * this program's folder, so that an installation can be moved. "" if it is in neither. */
static struct path find_tracer(void)
{
    static const char *const folders[] = {".", TRACER_FOLDER};
    char program[MAX_PATH];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    struct path path = {""};

    if (length < 0)
        return path;
    program[length] = '\0';
    const char *const home = dirname(program);

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const int needed =
            folders[i][0] == '/'
                ? snprintf(path.text, sizeof path.text, "%s/" TRACER, folders[i])
                : snprintf(path.text, sizeof path.text, "%s/%s/" TRACER, home, folders[i]);

        if (needed < (int)sizeof path.text && access(path.text, X_OK) == 0)
            return path;
    }
    return (struct path){""};
}

/* A line of the tracer: fields with tabs between, in the order of struct traced_row. */
static bool read_row(const char *line, struct traced_row *row)
{
    const int found = sscanf(
        line,
        "%63[^\t]\t%63[^\t]\t%lld\t%lld\t%lf\t%lf\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu"
        "\t%llu\t%llu\t%u\t%llu\t%llu\t%u\t%15[^\t]\t%511[^\t]\t%511[^\n]",
        row->group, row->name, &row->width, &row->height, &row->flops, &row->needed,
        &row->loads.requests, &row->loads.transactions, &row->loads.sectors, &row->loads.bytes,
        &row->stores.requests, &row->stores.transactions, &row->stores.sectors, &row->stores.bytes,
        &row->shared_loads.requests, &row->shared_loads.extra_passes,
        &row->shared_loads.worst_degree, &row->shared_stores.requests,
        &row->shared_stores.extra_passes, &row->shared_stores.worst_degree, row->outcome,
        row->shows, row->why);

    return found == 23;
}

/* Starts the tracer with its standard output in *output; 0 or an error number. */
static int start(const char *path, const struct trace_request *request, pid_t *child, FILE **output)
{
    char numbers[5][24];
    char *arguments[7 + MAX_LIST + 1] = {(char *)path};
    const int64_t values[] = {request->size.width, request->size.height, request->fused_side,
                              request->halo, request->block};
    posix_spawn_file_actions_t actions;
    int ends[2], error;

    for (int i = 0; i < 5; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%lld", (long long)values[i]);
        arguments[1 + i] = numbers[i];
    }
    arguments[6] = request->packed ? "packed" : "aligned";
    for (int i = 0; i < request->group_count && i < MAX_LIST; i++)
        arguments[7 + i] = (char *)request->groups[i];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    error = posix_spawn(child, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *output = error == 0 ? fdopen(ends[0], "r") : NULL;
    if (!*output)
        close(ends[0]);
    return error == 0 && !*output ? errno : error;
}

/* What its end means. */
static enum status judge(int ending, int rows, struct error *error)
{
    if (WIFEXITED(ending) && WEXITSTATUS(ending) == 0)
        return STATUS_OK;
    if (WIFEXITED(ending))
        return fail(error, STATUS_DEVICE, TRACER " failed, after %d rows", rows);
    return fail(error, STATUS_DEVICE, TRACER " died of signal %d, after %d rows", WTERMSIG(ending),
                rows);
}

static bool append(struct traced_rows *rows, const struct traced_row *row)
{
    struct traced_row *list = realloc(rows->list, ((size_t)rows->count + 1) * sizeof *rows->list);

    if (!list)
        return false;
    rows->list = list;
    rows->list[rows->count++] = *row;
    return true;
}

enum status transactions_count(const struct trace_request *request, struct traced_rows *rows,
                               struct error *error)
{
    const struct path path = find_tracer();
    struct traced_row row;
    FILE *output = NULL;
    char line[2048];
    pid_t child = 0;
    int ending = 0;
    bool room = true;

    if (path.text[0] == '\0')
        return fail(error, STATUS_UNSUPPORTED,
                    "there is no " TRACER ", neither beside this program nor in "
                    "%s from there; in the project's folder gcc and g++ build it: ./setup.sh && "
                    "ninja -C build " TRACER,
                    TRACER_FOLDER);
    if ((ending = start(path.text, request, &child, &output)) != 0)
        return fail(error, STATUS_DEVICE, "%.900s cannot be run: %s", path.text, strerror(ending));
    while (fgets(line, sizeof line, output))
        if (read_row(line, &row))
            room = room && append(rows, &row);
    fclose(output);
    while (waitpid(child, &ending, 0) < 0 && errno == EINTR)
        continue;
    return room ? judge(ending, rows->count, error)
                : fail(error, STATUS_INPUT, "no memory for the counts of rows");
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

double traffic_ratio(const struct traffic *traffic)
{
    return ratio((double)traffic->transactions, (double)traffic->requests);
}

double traffic_sectors(const struct traffic *traffic)
{
    return ratio((double)traffic->sectors, (double)traffic->requests);
}

double traffic_efficiency(const struct traffic *traffic)
{
    return ratio((double)traffic->bytes, 32 * (double)traffic->sectors);
}

double traced_intensity(const struct traced_row *row)
{
    return ratio(row->flops, (double)row->loads.bytes);
}

double traced_moved(const struct traced_row *row)
{
    return ratio(32 * (double)(row->loads.sectors + row->stores.sectors), row->needed);
}

double traced_passes(const struct traced_row *row)
{
    const struct conflicts *loads = &row->shared_loads, *stores = &row->shared_stores;
    const double accesses = (double)(loads->requests + stores->requests);

    return ratio(accesses + (double)(loads->extra_passes + stores->extra_passes), accesses);
}

unsigned traced_degree(const struct traced_row *row)
{
    const unsigned loads = row->shared_loads.worst_degree, stores = row->shared_stores.worst_degree;

    return loads > stores ? loads : stores;
}
