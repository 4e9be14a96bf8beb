/* SPDX-License-Identifier: MIT */
#include "console.h"

#include "clock.h"
#include "gpu.h"
#include "output.h"
#include "progress.h"
#include "visible.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void console_open(struct console *console, const struct options *options)
{
    *console = (struct console){.options = options, .start = clock_seconds()};
}

void console_print_error(const struct error *error)
{
    progress_clear();
    fprintf(stderr, "smoothimg: %s\n", error->text);
    if (error->status == STATUS_USAGE)
        fputs("Try 'smoothimg --help' or 'man smoothimg'.\n", stderr);
    progress_redraw();
}

enum status console_close_stdout(void)
{
    struct error error;

    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    fail(&error, STATUS_OUTPUT, "standard output: cannot be written: %s", strerror(errno));
    console_print_error(&error);
    return error.status;
}

/* A line of --json; its failure is told once. */
static void print_record(struct console *console, const struct record *record)
{
    struct error error;

    if (console->printing != STATUS_OK)
        return;
    if (isatty(STDOUT_FILENO))
        progress_clear();
    console->printing = record_print(STDOUT_FILENO, console->options, record, &error);
    if (isatty(STDOUT_FILENO))
        progress_redraw();
    if (console->printing != STATUS_OK)
        console_print_error(&error);
}

/* Once, for a run that uses it. */
static void tell_emulated(struct console *console, const struct pipeline *pipeline)
{
    if (console->told_emulated || console->options->quiet || !gpu_is_emulated() ||
        !chooser_wants_gpu(pipeline->chooser))
        return;
    progress_clear();
    fputs("smoothimg: the GPU is emulated, on the processor: its times mean nothing\n", stderr);
    progress_redraw();
    console->told_emulated = true;
}

/* The lines of --verbose. */
static void print_work(struct console *console, const struct ending *ending)
{
    const struct pipeline *pipeline = ending->pipeline;
    const struct report *report = ending->report;
    const bool checksum = console->options->checksum;

    report_print_input(stderr, source_name(ending->task->input), report);
    report_print_ops(stderr, console->options, pipeline->variants);
    chooser_print(stderr, pipeline->chooser);
    visible_print(stderr, output_name(ending->task->output));
    fprintf(stderr, ": written as %s%s%s\n", format_word(report->format),
            checksum ? ", checksum " : "", checksum ? report_checksum(report).text : "");
    if (!console->told_opening)
        console->told_opening = chooser_print_opening(stderr, pipeline->chooser);
}

/* What of the input was damaged, and did no harm. */
static void tell_damage(const struct ending *ending)
{
    const char *faults = ending->report->faults.text, *left_out = ending->report->damaged.text;

    if (!*faults && !*left_out)
        return;
    progress_clear();
    fputs("smoothimg: ", stderr);
    visible_print(stderr, source_name(ending->task->input));
    fprintf(stderr, ": damaged in part%s%s%s%s\n", *faults ? ": " : "", faults,
            *left_out ? "; left out: " : "", left_out);
    progress_redraw();
}

static void print_skipped(const struct task *task)
{
    visible_print(stderr, task->input);
    fputs(": skipped, ", stderr);
    visible_print(stderr, task->output);
    fputs(" exists\n", stderr);
}

static void tell_person(struct console *console, const struct ending *ending)
{
    if (ending->status == STATUS_OK && !console->options->quiet)
        tell_damage(ending);
    if (ending->status != STATUS_OK) {
        console_print_error(ending->error);
    } else if (console->options->verbose) {
        progress_clear();
        if (ending->skipped)
            print_skipped(ending->task);
        else
            print_work(console, ending);
        progress_redraw();
    }
}

/* By the plan: where the input was not opened. */
static int64_t known_bytes(const struct task *task)
{
    return task->bytes > 0 ? task->bytes : -1;
}

static struct record record_of(const struct ending *ending)
{
    const struct task *task = ending->task;
    const bool failed = ending->status != STATUS_OK;

    return (struct record){
        .input = task->input,
        .output = task->output,
        .input_bytes =
            ending->report->input_bytes >= 0 ? ending->report->input_bytes : known_bytes(task),
        .outcome = failed            ? OUTCOME_FAILED
                   : ending->skipped ? OUTCOME_SKIPPED
                                     : OUTCOME_DONE,
        .exit = ending->status,
        .why = failed            ? ending->error->text
               : ending->skipped ? "the output exists"
                                 : NULL,
        .report = ending->report,
    };
}

void console_listen(void *context, const struct ending *ending)
{
    struct console *console = context;
    const struct record record = record_of(ending);

    report_add(&console->total, ending->report);
    if (ending->skipped)
        progress_skip(ending->task->bytes);
    else
        progress_file(ending->status != STATUS_OK);
    if (ending->pipeline)
        tell_emulated(console, ending->pipeline);
    if (console->options->json)
        print_record(console, &record);
    tell_person(console, ending);
}

static void print_some(long long count, const char *what)
{
    if (count > 0)
        fprintf(stderr, ", %lld %s", count, what);
}

static void print_summary(const struct options *options, const struct plan *plan,
                          const struct batch_counts *counts)
{
    fputs("smoothimg: ", stderr);
    if (options->shard.count > 0)
        fprintf(stderr, "%s: ", shard_text(&options->shard).text);
    fprintf(stderr, "%lld done", (long long)counts->done);
    print_some(counts->skipped, "skipped");
    fprintf(stderr, ", %lld failed", (long long)counts->failed);
    print_some(counts->left, "not begun");
    print_some(plan->foreign, "left to other shards");
    fprintf(stderr, ", %lld other file%s left alone\n", (long long)plan->others,
            plan->others == 1 ? "" : "s");
}

/* The last line of --json: one that is missing is an output that could not be written. */
static enum status end_records(struct console *console, enum status status)
{
    struct error error;

    console->summary.seconds = clock_seconds() - console->start;
    console->summary.total = &console->total;
    console->summary.exit = status;
    if (console->printing == STATUS_OK) {
        console->printing = record_print_summary(STDOUT_FILENO, &console->summary, &error);
        if (console->printing != STATUS_OK)
            console_print_error(&error);
    }
    return status > STATUS_PARTIAL || console->printing == STATUS_OK ? status : console->printing;
}

enum status console_close(struct console *console, const struct plan *plan,
                          const struct batch_counts *counts, enum status status)
{
    const struct options *options = console->options;

    progress_close();
    if (plan->folders && !options->quiet)
        print_summary(options, plan, counts);
    if (options->timings && console->total.images > 0)
        report_print_timings(stderr, options, &console->total, clock_seconds() - console->start);
    if (!options->json)
        return status;
    console->summary.done = counts->done;
    console->summary.skipped = counts->skipped;
    console->summary.failed = counts->failed;
    console->summary.others = plan->others;
    return end_records(console, status);
}

/* A line of --dry-run. */
static void print_intent(const struct task *task, bool skipped, bool no_clobber)
{
    fputs(skipped ? "skip  " : "do    ", stdout);
    visible_print(stdout, task->input);
    fputs(" -> ", stdout);
    visible_print(stdout, task->output);
    puts(skipped || !task->exists ? "" : no_clobber ? "  (exists: will fail)" : "  (replaced)");
}

static void print_task(struct console *console, const struct task *task)
{
    const struct options *options = console->options;
    const bool skipped = task->exists && options->skip_existing;
    const struct record record = {
        .input = task->input,
        .output = task->output,
        .input_bytes = known_bytes(task),
        .outcome = task->problem ? OUTCOME_FAILED
                   : skipped     ? OUTCOME_SKIPPED
                                 : OUTCOME_PLANNED,
        .exit = task->problem ? STATUS_INPUT : STATUS_OK,
        .why = task->problem ? task->problem
               : skipped     ? "the output exists"
                             : NULL,
    };

    console->summary.failed += record.outcome == OUTCOME_FAILED;
    console->summary.skipped += record.outcome == OUTCOME_SKIPPED;
    console->summary.planned += record.outcome == OUTCOME_PLANNED;
    if (options->json)
        print_record(console, &record);
    else if (task->problem)
        printf("fail  %s\n", task->problem);
    else
        print_intent(task, skipped, options->no_clobber);
}

enum status console_print_plan(struct console *console, const struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        print_task(console, &plan->tasks[i]);
    if (!console->options->json)
        return console_close_stdout();
    console->summary.others = plan->others;
    return end_records(console, STATUS_OK);
}
