/* SPDX-License-Identifier: MIT */
/* smoothimg: smooths, transposes and reverses images, exactly. Ends the program; the error that
 * goes up to it is the exit status. */
#include "cli.h"
#include "console.h"
#include "gpu.h"
#include "output.h"
#include "progress.h"

#include <fcntl.h>

/* The list of what failed is begun before the work is, so that it can be written at its end. */
static enum status open_failed_list(const struct options *options, struct output *list,
                                    struct error *error)
{
    return options->failed_list ? output_open(list, options->failed_list, false, error) : STATUS_OK;
}

static enum status close_failed_list(struct output *list, const struct plan *plan,
                                     enum status status)
{
    struct error error;

    if (!list->file)
        return status;
    plan_write_unfinished(list->file, plan);
    if (output_commit(list, &error) == STATUS_OK)
        return status;
    console_print_error(&error);
    return status == STATUS_OK ? error.status : status;
}

/* Has the console heard of what ended the run? A file's own failure ends it where there is only
 * that one. */
static bool is_told(const struct plan *plan, const struct batch_counts *counts, enum status status)
{
    return status == STATUS_OK || status == STATUS_PARTIAL ||
           (!plan->folders && counts->failed > 0);
}

static enum status run_plan(struct console *console, struct plan *plan, const uint64_t *weights)
{
    const struct options *options = console->options;
    struct batch_counts counts = {0};
    struct output list = {0};
    struct error error;
    enum status status = open_failed_list(options, &list, &error);

    if (status == STATUS_OK) {
        progress_open(cli_progress(options, plan->folders), (int64_t)plan->count, plan_bytes(plan),
                      stderr);
        status = batch_run(options, weights, plan, console_listen, console, &counts, &error);
    }
    if (!is_told(plan, &counts, status)) {
        console_print_error(&error);
        progress_close();
        if (counts.done + counts.failed + counts.left == 0)
            return close_failed_list(&list, plan, status); /* it has not begun */
    }
    status = console_close(console, plan, &counts, status);
    return close_failed_list(&list, plan, status);
}

static enum status run_all(const struct options *options)
{
    struct console console;
    struct plan plan = {0};
    uint64_t weights[2 * MAX_HALO + 1];
    struct error error;
    enum status status = pipeline_check(options, weights, &error);

    console_open(&console, options);
    if (status == STATUS_OK)
        status = plan_make(options, &plan, &error);
    if (status != STATUS_OK) {
        console_print_error(&error);
    } else if (options->dry_run) {
        status = console_print_plan(&console, &plan);
    } else {
        output_guard_signals();
        status = run_plan(&console, &plan, weights);
    }
    plan_free(&plan);
    return status;
}

static enum status list_devices(void)
{
    struct gpu_device device;
    struct error error;
    int count;
    enum status status = gpu_count(&count, &error);

    for (int i = 0; i < count && status == STATUS_OK; i++) {
        status = gpu_describe(i, &device, &error);
        if (status == STATUS_OK)
            printf("%d  %s, %.1f GB, compute capability %d.%d, %d multiprocessors\n", i,
                   device.name, (double)device.memory_bytes / 1e9, device.major, device.minor,
                   device.multiprocessors);
    }
    if (status != STATUS_OK)
        console_print_error(&error);
    return status == STATUS_OK ? console_close_stdout() : status;
}

/* Started with a standard stream closed, the next file to be opened would take its place, and be
 * read or written as if it were that stream. /dev/null takes it, opened the wrong way round, so
 * that using the stream fails. */
static void occupy_closed_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            return;
}

static enum status print_text(void (*print)(FILE *stream))
{
    print(stdout);
    return console_close_stdout();
}

static enum status act(const struct options *options)
{
    switch ((enum action)options->action) {
    case ACTION_HELP:
        return print_text(cli_print_help);
    case ACTION_VERSION:
        return print_text(cli_print_version);
    case ACTION_LIST_VARIANTS:
        return print_text(cli_print_variants);
    case ACTION_LIST_DEVICES:
        return list_devices();
    case ACTION_RUN:
        break;
    }
    return run_all(options);
}

int main(int argc, char **argv)
{
    struct options options;
    struct error error;
    enum status status;

    occupy_closed_streams();
    status = cli_parse(argc, argv, &options, &error);
    if (status == STATUS_OK)
        status = act(&options);
    else
        console_print_error(&error);
    return (int)status;
}
