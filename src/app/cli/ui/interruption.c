/* SPDX-License-Identifier: MIT */
#include "src/app/cli/ui/ui.h"

#include "src/app/cli/ui/message.h"
#include "src/app/cli/ui/progress.h"
#include "src/files/output/output.h"
#include "src/lib/base/clock.h"

#include <stdio.h>
#include <unistd.h>

#define TEXT_BYTES 2048

/* Changed only while signals are held. */
static const struct ui *ui;
static bool telling;       /* until interruption_close */
static struct output list; /* of --failed-list */
static bool listing;       /* it is open */

void interruption_open(const struct ui *run)
{
    signals_hold();
    ui = run;
    telling = true;
    signals_release();
}

enum status interruption_open_list(const char *path, struct error *error)
{
    const enum status status = output_open(&list, path, false, error);

    signals_hold();
    listing = status == STATUS_OK;
    signals_release();
    return status;
}

enum status interruption_write_list(struct error *error)
{
    enum status status = STATUS_OK;
    bool open, held;

    signals_hold();
    open = listing;
    listing = false;
    held = open && list.target;
    if (!held)
        signals_release(); /* a stream's reader may never read */
    if (open) {
        plan_put_unfinished(ui->plan, list.file);
        status = output_commit(&list, error);
    }
    if (held)
        signals_release();
    return status;
}

void interruption_close(void)
{
    signals_hold();
    telling = false;
    signals_release();
}

/* *goes_on: how, if the list is written. */
static bool write_list(struct error *goes_on)
{
    struct error error;

    if (!listing || ftrylockfile(list.file) != 0) /* held by one that waits for its reader */
        return false;
    fail(goes_on, STATUS_OK, "%s lists the others, for --files-from", list.name);
    return interruption_write_list(&error) == STATUS_OK;
}

static const char *usual_way_on(const struct options *options)
{
    if (options->batch.plan.in_place)
        return "those that are done would be done twice by the same command: name the others";
    return options->batch.plan.skip_existing ? "the same command goes on"
                                             : "the same command with --skip-existing goes on";
}

/* The last line of --json. */
static void record(void)
{
    struct record_summary summary = ui->summary;
    struct error unused;

    summary.seconds = clock_seconds() - ui->start;
    summary.interrupted = true;
    record_print(NULL, NULL, &summary, &unused);
}

/* "smoothimg: interrupted: 12 done, 1 failed, 35 not done; ..." What cannot be written is lost: the
 * program dies. By write: a stream may be held by a thread that waits for its reader. */
static void tell(const char *goes_on)
{
    const struct plan *plan = ui->plan;
    char text[TEXT_BYTES], wrapped[MESSAGE_BYTES];
    size_t done = 0, failed = 0;

    for (size_t i = 0; i < plan->count; i++) {
        done += plan->tasks[i].finished;
        failed += plan->tasks[i].failed;
    }
    snprintf(text, sizeof text, "smoothimg: interrupted: %zu done, %zu failed, %zu not done; %s",
             done, failed, plan->count - done - failed, goes_on);
    if (write(STDERR_FILENO, wrapped, message_wrap(text, message_columns(stderr), wrapped)) < 0)
        return;
}

void interruption_tell(void)
{
    struct error goes_on;
    bool listed;

    progress_leave();
    if (telling && ui->options->json)
        record();
    listed = write_list(&goes_on);
    if (telling && ui->plan->folders && !ui->options->quiet)
        tell(listed ? goes_on.text : usual_way_on(ui->options));
}
