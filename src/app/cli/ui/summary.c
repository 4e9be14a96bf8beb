/* SPDX-License-Identifier: MIT */
#include "src/app/cli/ui/ui.h"

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
    if (plan->others > 0)
        phrase_add(&left, ", %lld file%s skipped (not %s)", (long long)plan->others,
                   plan->others == 1 ? "" : "s",
                   plan->others == 1 ? "a supported image" : "supported images");
    message_print("%s%s%lld %s%s, %lld failed%s", shard_text(&options->batch.plan.shard).text,
                  options->batch.plan.shard.count > 0 ? ": " : "",
                  (long long)counts[dry ? OUTCOME_PLANNED : OUTCOME_DONE], dry ? "to do" : "done",
                  skipped.text, (long long)counts[OUTCOME_FAILED], left.text);
}

enum status passed_over_check(const struct options *options, const struct tasks *plan)
{
    const bool one = options->batch.plan.input_count == 1 && !options->batch.plan.files_from;

    if (plan->count > 0 || plan->foreign > 0 || (plan->others == 0 && plan->folders_left == 0))
        return STATUS_OK;
    message_print("no supported images in %s%s",
                  one ? options->batch.plan.inputs[0] : "what was named",
                  plan->folders_left > 0 ? "; -r enters subfolders" : "");
    return STATUS_PARTIAL;
}
