/* SPDX-License-Identifier: MIT */
/* smoothimg: smooths, transposes and reverses images, exactly. The one file that prints messages
 * and ends the program; the error that goes up to it is the exit status. */
#include "batch.h"
#include "cli.h"
#include "gpu.h"
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static void print_error(const struct error *error)
{
    fprintf(stderr, "smoothimg: %s\n", error->text);
    if (error->status == STATUS_USAGE)
        fputs("Try 'smoothimg --help' or 'man smoothimg'.\n", stderr);
}

/* What the run keeps for its end. */
struct run {
    const struct pipeline *pipeline;
    struct report total;
};

static void print_work(const struct pipeline *pipeline, const char *input, const char *output,
                       const struct report *report)
{
    report_print_input(stderr, input, report);
    report_print_ops(stderr, pipeline->options, pipeline->variants);
    chooser_print(stderr, pipeline->chooser);
    fprintf(stderr, "%s: written as %s\n", output, format_word(report->format));
}

static void report_file(void *context, const char *input, const char *output, enum status status,
                        const struct report *report, const struct error *error)
{
    struct run *run = context;
    const struct options *options = run->pipeline->options;

    report_add(&run->total, report);
    if (status != STATUS_OK)
        print_error(error);
    else if (options->verbose)
        print_work(run->pipeline, input, output, report);
}

static bool is_folder(const char *path)
{
    struct stat about;

    return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static enum status run_folder(struct run *run, const char *input, const char *output)
{
    struct batch_summary summary;
    struct error error;
    const enum status status =
        batch_run(run->pipeline, input, output, report_file, run, &summary, &error);

    if (status != STATUS_OK && status != STATUS_PARTIAL)
        print_error(&error);
    else if (!run->pipeline->options->quiet)
        fprintf(stderr, "smoothimg: %lld done, %lld failed, %lld other file%s left alone\n",
                (long long)summary.done, (long long)summary.failed, (long long)summary.others,
                summary.others == 1 ? "" : "s");
    return status;
}

/* Into a folder, a file keeps its name, as with cp. */
static enum status name_output(const char *input, const char *output, char *path, size_t size,
                               struct error *error)
{
    const char *slash = strrchr(input, '/');
    const char *name = slash ? slash + 1 : input;

    if (!is_folder(output)) {
        if (snprintf(path, size, "%s", output) < (int)size)
            return STATUS_OK;
    } else if (strcmp(input, "-") == 0) {
        return fail(
            error, STATUS_USAGE,
            "%s: this is a folder, and standard input has no name to use in it; name a file",
            output);
    } else if (snprintf(path, size, "%s/%s", output, name) < (int)size) {
        return STATUS_OK;
    }
    return fail(error, STATUS_OUTPUT, "%s: cannot be written: the name is too long", output);
}

static enum status run_file(struct run *run, const char *input, const char *output)
{
    char path[PATH_MAX];
    struct report report = {0};
    struct error error;
    enum status status = name_output(input, output, path, sizeof path, &error);

    if (status == STATUS_OK)
        status = pipeline_file(run->pipeline, input, path, false, &report, &error);
    report_file(run, input, path, status, &report, &error);
    return status;
}

static enum status run_all(const struct options *options)
{
    struct pipeline pipeline;
    struct run run = {.pipeline = &pipeline};
    struct error error;
    struct budget budget;
    enum status status = pipeline_prepare(&pipeline, options, &error);

    budget_open(&budget, options->max_memory);
    pipeline.budget = &budget;

    if (status != STATUS_OK) {
        print_error(&error);
        pipeline_close(&pipeline);
        budget_close(&budget);
        return status;
    }
    if (chooser_wants_gpu(pipeline.chooser) && gpu_is_emulated() && !options->quiet)
        fputs("smoothimg: the GPU is emulated, on the processor: its times mean nothing\n", stderr);
    output_guard_signals();
    status = is_folder(options->input) ? run_folder(&run, options->input, options->output)
                                       : run_file(&run, options->input, options->output);
    if (options->verbose)
        chooser_print_opening(stderr, pipeline.chooser);
    if (options->timings && run.total.images > 0)
        report_print_timings(stderr, options, &run.total);
    pipeline_close(&pipeline);
    budget_close(&budget);
    return status;
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
