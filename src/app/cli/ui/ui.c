/* SPDX-License-Identifier: MIT */
/* Prints the messages of a run: errors, messages on each file, the summary, and, if a signal ends
 * the run, how far the run was. */
#include "kernels/common/numbers.h"
#include "kernels/common/clock.h"
#include "src/app/cli/ui/ui.h"
#include "src/app/cli/ui/progress.h"
#include "src/files/output/signals.h"
#include "src/lib/base/escape.h"
#include "src/text/exit_status.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

void message_print(const char *format, ...)
{
    struct error message; /* fail() escapes control characters */
    char text[sizeof message.text];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fail(&message, STATUS_OK, "smoothimg: %s", text);
    progress_clear();
    fprintf(stderr, "%s\n", message.text);
    progress_redraw();
}

/* --- Messages after a signal that ends the run. */

/* The ui of the current run, or NULL. Set before signals are caught. Cleared, and its summary
 * changed, between signals_hold and signals_release, so that tell_interruption does not run
 * meanwhile. */
static const struct ui *running;

static const char *way_on(const struct options *options)
{
    if (options->batch.plan.in_place)
        return "those that are done would be done twice by the same command: name the others";
    return options->batch.plan.skip_existing ? "the same command goes on"
                                             : "the same command with --skip-existing goes on";
}

/* A callback for signals_catch. Prints how far the run is: for a batch as text, "smoothimg:
 * interrupted: 12 done, 1 failed, 35 not done; ...", for --json as the last line. Ignores failed
 * writes, since the program is ending. Writes to file descriptors, not to streams: a thread that
 * waits for a slow reader may hold the lock of a stream. */
static void tell_interruption(void)
{
    struct record_summary summary;
    struct error unused;

    progress_leave();
    if (!running)
        return;
    summary = running->summary;
    summary.seconds = clock_seconds() - running->start;
    summary.interrupted = true;
    if (running->options->json)
        record_print(NULL, NULL, &summary, &unused);
    if (running->plan->folders && !running->options->quiet)
        dprintf(STDERR_FILENO,
                "smoothimg: interrupted: %lld done, %lld failed, %lld not done; %s\n",
                (long long)(summary.counts[OUTCOME_DONE] + summary.counts[OUTCOME_SKIPPED]),
                (long long)summary.counts[OUTCOME_FAILED], (long long)summary.left,
                way_on(running->options));
}

void ui_print_error(const struct error *error)
{
    message_print("%s%s", error->text,
                  error->status == STATUS_DEVICE ? "; use --variant cpu to do without" : "");
    if (exit_statuses[error->status] == exit_statuses[STATUS_USAGE])
        fputs("Try 'smoothimg -h' or 'man smoothimg'.\n", stderr);
}

enum status ui_close_stdout(void)
{
    struct error error;

    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    fail(&error, STATUS_OUTPUT, "standard output: cannot be written: %s", error_reason(errno));
    ui_print_error(&error);
    return error.status;
}

/* Prints the line of --json for one file, or, if result is NULL, for the whole run. Once a line
 * could not be written, prints no more lines. Returns false, with *error, if this line could not be
 * written. */
static bool print_record(struct ui *ui, const struct task_result *result, struct error *error)
{
    if (ui->printing != STATUS_OK)
        return true;
    ui->printing = record_print(ui->options, result, &ui->summary, error);
    return ui->printing == STATUS_OK;
}

/* Counts the task in the summary, and prints its line of --json. The summary that
 * tell_interruption prints thus counts the files whose lines are printed, and does not lie within a
 * line. */
static void add_to_summary(struct ui *ui, const struct task_result *result)
{
    const struct report *report = result->report;
    struct report *total = &ui->summary.total;
    struct error error;
    bool printed;

    signals_hold();
    if (result->outcome != OUTCOME_FAILED) {
        total->images += report->images;
        total->pixels += report->pixels;
        total->input_bytes += max(report->input_bytes, 0);
        total->output_bytes += max(report->output_bytes, 0);
    }
    ui->summary.counts[result->outcome]++;
    ui->summary.left--;
    printed = !ui->options->json || print_record(ui, result, &error);
    signals_release();
    if (printed)
        return;
    /* If the write has raised SIGPIPE, which ends the program without a message, the thread stops
     * in signals_hold. */
    signals_hold();
    signals_release();
    ui_print_error(&error);
}

/* Prints a line of --dry-run. */
static void print_intent(const struct options *options, const struct task_result *result)
{
    static const char *const words[] = {
        [OUTCOME_PLANNED] = "do  ", [OUTCOME_SKIPPED] = "skip", [OUTCOME_FAILED] = "fail"};
    const struct task *task = result->task;
    const char *end = result->outcome != OUTCOME_PLANNED || !task->exists ? ""
                      : options->batch.stream.output.no_clobber           ? "  (exists: will fail)"
                                                                          : "  (replaced)";

    printf("%s  ", words[result->outcome]);
    escape_print(stdout, result->error ? result->error->text : task->input);
    if (task->output && !result->error) {
        fputs(" -> ", stdout);
        escape_print(stdout, task->output);
    }
    puts(end);
}

/* Counts the task in the summary. Prints an error or notes, and what --json, --dry-run and
 * --verbose ask for. */
void ui_listen(void *context, const struct task_result *result)
{
    struct ui *ui = context;
    const struct options *options = ui->options;

    add_to_summary(ui, result);
    if (options->batch.stream.dry_run && !options->json)
        print_intent(options, result);
    if (options->batch.stream.dry_run)
        return;
    if (result->outcome == OUTCOME_FAILED) {
        ui_print_error(result->error);
        return;
    }
    if (result->outcome == OUTCOME_DONE && !options->quiet)
        notes_print(&ui->notes, options, result->task, result->report);
    if (options->verbose) {
        progress_clear();
        record_tell(stderr, options, result);
        progress_redraw();
    }
}

void ui_begin(struct ui *ui, const struct tasks *plan)
{
    const struct options *options = ui->options;
    int64_t work = 0, bytes = 0;

    ui->plan = plan;
    ui->notes.many = plan->folders;
    ui->summary.left = (int64_t)plan->count;
    ui->summary.others = plan->others;
    ui->summary.folders = plan->folders_left;
    running = ui;
    signals_catch(tell_interruption);
    if (options->batch.stream.dry_run || options->no_progress || options->quiet ||
        options->verbose || (options->json && isatty(STDOUT_FILENO)))
        return;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->tasks[i].prospect == OUTCOME_PLANNED) {
            work += plan->tasks[i].work;
            bytes += max(plan->tasks[i].bytes, 0);
        }
    /* A single file that finishes within a second shows no line. */
    progress_open(work, bytes, plan->folders ? 0.1 : 1);
}

/* Prints the last line of --json. If a line of --json could not be written, and `status` is
 * STATUS_OK or STATUS_PARTIAL, returns the status of that write; else returns `status`. */
static enum status end_records(struct ui *ui, enum status status)
{
    struct error error;

    ui->summary.seconds = clock_seconds() - ui->start;
    ui->summary.exit = status;
    if (!print_record(ui, NULL, &error))
        ui_print_error(&error);
    return (status != STATUS_OK && status != STATUS_PARTIAL) || ui->printing == STATUS_OK
               ? status
               : ui->printing;
}

/* Prints the last line of a batch: the counts of files. */
static void print_summary(const struct options *options, const struct tasks *plan,
                          const struct record_summary *summary)
{
    const bool dry = options->batch.stream.dry_run;
    const int64_t *counts = summary->counts;
    const struct shard *part = &options->batch.plan.shard;
    struct phrase text = {""};

    if (part->count > 0)
        phrase_add(&text, "shard %d of %d: ", part->index, part->count);
    phrase_add(&text, "%lld %s", (long long)counts[dry ? OUTCOME_PLANNED : OUTCOME_DONE],
               dry ? "to do" : "done");
    if (counts[OUTCOME_SKIPPED] > 0)
        phrase_add(&text, ", %lld skipped (the output exists)", (long long)counts[OUTCOME_SKIPPED]);
    phrase_add(&text, ", %lld failed", (long long)counts[OUTCOME_FAILED]);
    if (summary->left > 0)
        phrase_add(&text, ", %lld not begun", (long long)summary->left);
    if (plan->foreign > 0)
        phrase_add(&text, ", %lld left to other shards", (long long)plan->foreign);
    if (plan->others > 0)
        phrase_add(&text, ", %lld file%s skipped (not %s)", (long long)plan->others,
                   plan->others == 1 ? "" : "s",
                   plan->others == 1 ? "a supported image" : "supported images");
    message_print("%s", text.text);
}

/* Returns STATUS_PARTIAL, with a message, if files or subfolders were found, but no image. */
static enum status check_passed_over(const struct options *options, const struct tasks *plan)
{
    const bool one = options->batch.plan.input_count == 1 && !options->batch.plan.files_from;

    if (plan->count > 0 || plan->foreign > 0 || (plan->others == 0 && plan->folders_left == 0))
        return STATUS_OK;
    message_print("no supported images in %s%s",
                  one ? options->batch.plan.inputs[0] : "what was named",
                  plan->folders_left > 0 ? "; -r enters subfolders" : "");
    return STATUS_PARTIAL;
}

enum status ui_close(struct ui *ui, enum status status, const struct error *error)
{
    const struct options *options = ui->options;
    const struct tasks *plan = ui->plan;
    const struct report *total = &ui->summary.total;
    const bool begun =
        status == STATUS_OK || status == STATUS_DEVICE || ui->summary.left < (int64_t)plan->count;

    signals_hold();
    running = NULL;
    signals_release();
    progress_close();
    /* If a single file failed, ui_listen has printed its error. */
    if (status != STATUS_OK && status != STATUS_PARTIAL &&
        (plan->folders || ui->summary.counts[OUTCOME_FAILED] == 0))
        ui_print_error(error);
    if (status == STATUS_OK && plan->folders)
        status = check_passed_over(options, plan);
    /* Each image that is counted here equals the reference: a file that differs has failed. */
    if (options->batch.stream.verify && !options->batch.stream.dry_run && !options->quiet &&
        total->images > 0)
        message_print("verified: every sample of %lld pixels in %lld image%s is the reference's",
                      (long long)total->pixels, (long long)total->images,
                      total->images == 1 ? "" : "s");
    if (plan->folders && begun && !options->quiet)
        print_summary(options, plan, &ui->summary);
    if (options->batch.stream.dry_run && ui_close_stdout() != STATUS_OK)
        return STATUS_OUTPUT;
    return options->json && begun ? end_records(ui, status) : status;
}
