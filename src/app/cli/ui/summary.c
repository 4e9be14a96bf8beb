/* SPDX-License-Identifier: MIT */
#include "src/app/cli/ui/ui.h"

/* "3 files skipped". */
static void add_others(struct phrase *phrase, const char *before, const struct tasks *plan)
{
    if (plan->others > 0)
        phrase_add(phrase, "%s%lld file%s skipped", before, (long long)plan->others,
                   plan->others == 1 ? "" : "s");
}

void report_print_summary(const struct options *options, const struct tasks *plan,
                          const struct record_summary *summary)
{
    const bool dry = options->batch.stream.dry_run;
    const int64_t *counts = summary->counts;
    struct phrase skipped = {""}, left = {""};

    if (counts[OUTCOME_SKIPPED] > 0)
        phrase_add(&skipped, ", %lld skipped (the output exists)",
                   (long long)counts[OUTCOME_SKIPPED]);
    if (summary->left > 0)
        phrase_add(&left, ", %lld not begun", (long long)summary->left);
    if (plan->foreign > 0)
        phrase_add(&left, ", %lld left to other shards", (long long)plan->foreign);
    add_others(&left, ", ", plan);
    if (plan->others > 0)
        phrase_add(&left, " (not %s)",
                   plan->others == 1 ? "a supported image" : "supported images");
    message_print("%s%s%lld %s%s, %lld failed%s", shard_text(&options->batch.plan.shard).text,
                  options->batch.plan.shard.count > 0 ? ": " : "",
                  (long long)counts[dry ? OUTCOME_PLANNED : OUTCOME_DONE], dry ? "to do" : "done",
                  skipped.text, (long long)counts[OUTCOME_FAILED], left.text);
}

/* Nothing was there. */
static enum status say_empty(const struct options *options)
{
    if (options->quiet)
        return STATUS_OK;
    if (options->batch.plan.files_from)
        message_print("no files were named: there is nothing to do");
    else
        message_print("%s %s: there is nothing to do", options->batch.plan.inputs[0],
                      options->batch.plan.input_count == 1 ? "is empty"
                                                           : "and the other folders are empty");
    return STATUS_OK;
}

enum status passed_over_check(const struct options *options, const struct tasks *plan)
{
    const long long folders = (long long)plan->folders_left;
    const bool one = options->batch.plan.input_count == 1 && !options->batch.plan.files_from;
    struct phrase there = {""};

    if (plan->count > 0 || plan->foreign > 0)
        return STATUS_OK;
    if (plan->others == 0 && folders == 0)
        return say_empty(options);
    add_others(&there, "; ", plan);
    if (folders > 0)
        phrase_add(&there, "; %lld folder%s not entered: -r does", folders,
                   folders == 1 ? "" : "s");
    message_print("no supported images in %s%s",
                  one ? options->batch.plan.inputs[0] : "what was named", there.text);
    return STATUS_PARTIAL;
}
