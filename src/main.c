/* SPDX-License-Identifier: MIT */
/* smoothimg: smooths, transposes and reverses images, exactly. The one file that prints messages
 * and ends the program; the error that goes up to it is the exit status. */
#include "batch.h"
#include "cli.h"
#include "gpu.h"
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static void print_error(const struct error *error)
{
    fprintf(stderr, "smoothimg: %s\n", error->text);
    if (error->status == STATUS_USAGE)
        fputs("Try 'smoothimg --help' or 'man smoothimg'.\n", stderr);
}

/* For the texts on standard output: a full disk is a failure there too. */
static enum status close_stdout(void)
{
    struct error error;

    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    fail(&error, STATUS_OUTPUT, "standard output: cannot be written: %s", strerror(errno));
    print_error(&error);
    return error.status;
}

/* What the run keeps for its end. */
struct run {
    const struct options *options;
    struct report total;
    bool told_emulated, told_opening;
};

static void print_work(struct run *run, const struct outcome *outcome)
{
    const struct pipeline *pipeline = outcome->pipeline;

    report_print_input(stderr, outcome->task->input, outcome->report);
    report_print_ops(stderr, run->options, pipeline->variants);
    chooser_print(stderr, pipeline->chooser);
    fprintf(stderr, "%s: written as %s\n", outcome->task->output,
            format_word(outcome->report->format));
    if (!run->told_opening)
        run->told_opening = chooser_print_opening(stderr, pipeline->chooser);
}

/* Once, for a run that uses it. */
static void tell_emulated(struct run *run, const struct pipeline *pipeline)
{
    if (run->told_emulated || run->options->quiet || !gpu_is_emulated() ||
        !chooser_wants_gpu(pipeline->chooser))
        return;
    fputs("smoothimg: the GPU is emulated, on the processor: its times mean nothing\n", stderr);
    run->told_emulated = true;
}

static void report_outcome(void *context, const struct outcome *outcome)
{
    struct run *run = context;

    report_add(&run->total, outcome->report);
    if (outcome->pipeline)
        tell_emulated(run, outcome->pipeline);
    if (outcome->status != STATUS_OK)
        print_error(outcome->error);
    else if (outcome->skipped && run->options->verbose)
        fprintf(stderr, "%s: skipped, %s exists\n", outcome->task->input, outcome->task->output);
    else if (!outcome->skipped && run->options->verbose)
        print_work(run, outcome);
}

/* "2 skipped, ", or nothing. */
static void print_some(long long count, const char *what)
{
    if (count > 0)
        fprintf(stderr, ", %lld %s", count, what);
}

static void print_summary(const struct options *options, const struct batch_counts *counts,
                          const struct plan *plan)
{
    const struct shard_text shard = shard_text(&options->shard);

    fprintf(stderr, "smoothimg: %s%s%lld done", shard.text, *shard.text ? ": " : "",
            (long long)counts->done);
    print_some(counts->skipped, "skipped");
    fprintf(stderr, ", %lld failed", (long long)counts->failed);
    print_some(counts->left, "not begun");
    print_some(plan->foreign, "left to other shards");
    fprintf(stderr, ", %lld other file%s left alone\n", (long long)plan->others,
            plan->others == 1 ? "" : "s");
}

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
    print_error(&error);
    return status == STATUS_OK ? error.status : status;
}

static enum status run_plan(struct run *run, struct plan *plan)
{
    const struct options *options = run->options;
    struct batch_counts counts = {0};
    struct output list = {0};
    struct error error;
    bool began;
    enum status status = open_failed_list(options, &list, &error);

    if (status == STATUS_OK)
        status = batch_run(options, plan, report_outcome, run, &counts, &error);
    began = status == STATUS_OK || status == STATUS_PARTIAL;
    if (plan->folders && !began)
        print_error(&error);
    if (plan->folders && !options->quiet && (began || counts.done + counts.failed > 0))
        print_summary(options, &counts, plan);
    if (options->timings && run->total.images > 0)
        report_print_timings(stderr, options, &run->total);
    return close_failed_list(&list, plan, status);
}

static enum status run_all(const struct options *options)
{
    struct run run = {.options = options};
    struct plan plan = {0};
    struct error error;
    enum status status = pipeline_check(options, &error);

    if (status == STATUS_OK)
        status = plan_make(options, &plan, &error);
    if (status != STATUS_OK) {
        print_error(&error);
    } else if (options->dry_run) {
        plan_print(stdout, options, &plan);
        status = close_stdout();
    } else {
        output_guard_signals();
        status = run_plan(&run, &plan);
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
        print_error(&error);
    return status == STATUS_OK ? close_stdout() : status;
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
    return close_stdout();
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
        print_error(&error);
    return (int)status;
}
