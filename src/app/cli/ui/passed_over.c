/* SPDX-License-Identifier: MIT */
#include "src/app/cli/ui/ui.h"

#include "src/app/cli/ui/message.h"
#include "src/lib/base/escape.h"

void passed_over_print(const struct tasks *plan)
{
    for (size_t i = 0; i < plan->passed_count; i++) {
        fputs("skip  ", stdout);
        escape_print(stdout, plan->passed_over[i].input);
        printf("  (%s)\n", plan->passed_over[i].why);
    }
}

/* "3 files skipped". */
static void add_count(struct phrase *phrase, const struct tasks *plan)
{
    phrase_add(phrase, "%lld file%s skipped", (long long)plan->others,
               plan->others == 1 ? "" : "s");
}

struct phrase passed_over_summary(const struct tasks *plan)
{
    struct phrase phrase = {""};

    if (plan->others == 0)
        return phrase;
    phrase_add(&phrase, ", ");
    add_count(&phrase, plan);
    phrase_add(&phrase, " (not %s)", plan->others == 1 ? "a supported image" : "supported images");
    return phrase;
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
    if (plan->passed_count == 0)
        return say_empty(options);
    if (plan->others > 0) {
        phrase_add(&there, "; ");
        add_count(&there, plan);
    }
    if (folders > 0)
        phrase_add(&there, "; %lld folder%s not entered: -r does", folders,
                   folders == 1 ? "" : "s");
    message_print("no supported images in %s%s",
                  one ? options->batch.plan.inputs[0] : "what was named", there.text);
    return STATUS_PARTIAL;
}
