/* SPDX-License-Identifier: MIT */
#include "src/bench/transactions/transactions.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TRACER "smoothimg-tracer"
#define MAX_PATH 4096
#define DEFAULT_SIDE 256 /* counting all kernels at this size takes about 20 s on one processor */

struct path {
    char text[MAX_PATH];
};

/* Returns the path of the tracer, or "" if there is none. Looks in this program's folder, where a
 * build has it; then in the folder where it is installed, whose path is relative to this program's
 * folder, so that an installation can be moved, unless Meson got an absolute libexecdir. */
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

enum status transactions_run(const struct bench_options *options, struct error *error)
{
    const struct path path = find_tracer();
    const struct size size =
        options->size_count > 0 ? options->sizes[0] : (struct size){DEFAULT_SIDE, DEFAULT_SIDE};
    const int64_t values[] = {size.width, size.height, options->halos[0], options->block};
    char numbers[4][24];
    const char *const counted = options->transactions ? "transactions" : "sectors";
    const char *arguments[7 + MAX_LIST + 1] = {path.text};

    if (options->size_count > 1)
        return fail(error, STATUS_USAGE, "--%s takes one --size; use a run for each", counted);
    if (path.text[0] == '\0')
        return fail(error, STATUS_UNSUPPORTED,
                    "there is no " TRACER ", neither beside this program nor in "
                    "%s from there; in the project's folder gcc and g++ build it: ./setup.sh && "
                    "ninja -C build " TRACER,
                    TRACER_FOLDER);
    for (int i = 0; i < 4; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%lld", (long long)values[i]);
        arguments[1 + i] = numbers[i];
    }
    arguments[5] = counted;
    arguments[6] = options->json ? "json" : "table";
    memcpy(arguments + 7, options->experiments,
           (size_t)options->experiment_count * sizeof *arguments);
    execv(path.text, (char *const *)arguments);
    return fail(error, STATUS_DEVICE, "%.900s cannot be run: %s", path.text, strerror(errno));
}
