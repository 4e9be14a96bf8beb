/* SPDX-License-Identifier: MIT */
#include "src/app/cli/ui/ui.h"

#include "src/app/cli/ui/message.h"
#include "src/app/cli/ui/progress.h"
#include "src/files/output/signals.h"
#include "src/lib/base/clock.h"

#include <stdio.h>
#include <unistd.h>

#define TEXT_BYTES 2048

/* Changed only while signals are held. */
static const struct ui *ui;
static bool telling; /* until interruption_close */

void interruption_open(const struct ui *run)
{
    signals_hold();
    ui = run;
    telling = true;
    signals_release();
}

void interruption_close(void)
{
    signals_hold();
    telling = false;
    signals_release();
}

static const char *way_on(const struct options *options)
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
static void tell(void)
{
    const int64_t *counts = ui->summary.counts;
    char text[TEXT_BYTES], wrapped[MESSAGE_BYTES];

    snprintf(text, sizeof text, "smoothimg: interrupted: %lld done, %lld failed, %lld not done; %s",
             (long long)(counts[OUTCOME_DONE] + counts[OUTCOME_SKIPPED]),
             (long long)counts[OUTCOME_FAILED], (long long)ui->summary.left, way_on(ui->options));
    if (write(STDERR_FILENO, wrapped, message_wrap(text, message_columns(stderr), wrapped)) < 0)
        return;
}

void interruption_tell(void)
{
    progress_leave();
    if (telling && ui->options->json)
        record();
    if (telling && ui->plan->folders && !ui->options->quiet)
        tell();
}
