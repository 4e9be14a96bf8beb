/* SPDX-License-Identifier: MIT */
#include "src/app/cli/ui/interruption.h"

#include "src/app/cli/ui/message.h"
#include "src/app/cli/ui/progress.h"

#include <stdatomic.h>
#include <unistd.h>

#define TEXT_BYTES 1024

struct texts {
    char message[MESSAGE_BYTES], record[TEXT_BYTES];
    size_t message_bytes, record_bytes;
};

static struct texts texts[2];       /* the handler reads one while the other is made */
static _Atomic(struct texts *) now; /* NULL: there is nothing to say */
static int columns = -1;            /* of the terminal, asked for once; -1: not yet */
static atomic_bool dying;           /* the handler reads *now */

/* How the rest can be done. */
static const char *way_on(const struct options *options)
{
    if (options->in_place)
        return "those that are done would be done twice by the same command: name the others";
    return options->skip_existing ? "the same command goes on"
                                  : "the same command with --skip-existing goes on";
}

static size_t make_message(const struct options *options, const struct record_summary *summary,
                           char wrapped[MESSAGE_BYTES])
{
    char text[TEXT_BYTES];

    snprintf(text, sizeof text, "smoothimg: interrupted: %lld done, %lld failed, %lld not done; %s",
             (long long)(summary->counts[OUTCOME_DONE] + summary->counts[OUTCOME_SKIPPED]),
             (long long)summary->counts[OUTCOME_FAILED], (long long)summary->left, way_on(options));
    if (columns < 0)
        columns = message_columns(stderr);
    return message_wrap(text, columns, wrapped);
}

void interruption_update(const struct options *options, const struct plan *plan,
                         const struct record_summary *summary)
{
    struct texts *next = now == &texts[0] ? &texts[1] : &texts[0];

    if (dying)
        return;
    next->message_bytes =
        plan->folders && !options->quiet ? make_message(options, summary, next->message) : 0;
    next->record_bytes = options->json ? record_summary_text(summary, next->record, TEXT_BYTES) : 0;
    now = next;
}

void interruption_close(void)
{
    now = NULL;
}

/* What cannot be written is lost: the program dies. */
static void show(int fd, const char *text, size_t bytes)
{
    if (bytes > 0 && write(fd, text, bytes) < 0)
        return;
}

void interruption_tell(void)
{
    const struct texts *last;

    dying = true;
    last = now;
    progress_leave();
    if (!last)
        return;
    show(STDOUT_FILENO, last->record, last->record_bytes);
    show(STDERR_FILENO, last->message, last->message_bytes);
}
