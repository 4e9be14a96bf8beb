/* SPDX-License-Identifier: MIT */
#include "src/app/cli/ui/ui.h"

#include "src/app/cli/ui/message.h"
#include "src/app/cli/ui/progress.h"
#include "src/files/output/signal_file.h"

#include <stdatomic.h>
#include <unistd.h>

#define TEXT_BYTES 1024

struct line {
    char text[TEXT_BYTES];
    size_t bytes;
};

static const struct plan *plan;
static atomic_bool telling;      /* in a batch, without --quiet: how far it is */
static int columns;              /* of the terminal */
static const char *way_on;       /* how the rest can be done */
static struct error list_way_on; /* its text: the same, where the list is written */
static struct signal_file list;  /* of --failed-list */
static atomic_bool listing;      /* the list is wanted, and has not been written */
static struct line records[2];   /* the handler reads one while the other is made */
static struct line *_Atomic now; /* NULL: there is no line of --json to write */
static atomic_bool dying;        /* the handler has begun, and reads all of this */

static const char *usual_way_on(const struct options *options)
{
    if (options->batch.plan.in_place)
        return "those that are done would be done twice by the same command: name the others";
    return options->batch.plan.skip_existing ? "the same command goes on"
                                             : "the same command with --skip-existing goes on";
}

void interruption_open(const struct options *options, const struct plan *run)
{
    columns = message_columns(stderr);
    way_on = usual_way_on(options);
    plan = run;
    telling = run->folders && !options->quiet;
}

enum status interruption_take_list(const struct output *output, struct error *error)
{
    const enum status status = signal_file_prepare(&list, output, error);

    fail(&list_way_on, STATUS_OK, "%s lists the others, for --files-from", output->name);
    listing = status == STATUS_OK;
    return status;
}

void interruption_update(const struct record_summary *summary)
{
    struct line *next = now == &records[0] ? &records[1] : &records[0];

    if (dying)
        return;
    next->bytes = record_summary_text(summary, next->text, TEXT_BYTES);
    now = next;
}

/* Does not return while a handler in another thread reads what the caller is about to change. */
static void wait_for_death(void)
{
    while (dying)
        pause();
}

void interruption_drop_list(void)
{
    listing = false;
    wait_for_death();
    signal_file_free(&list);
}

void interruption_close(void)
{
    telling = false;
    now = NULL;
    wait_for_death();
}

/* What follows is async-signal-safe. */

static void add_text(struct line *line, const char *text)
{
    for (; *text && line->bytes + 1 < TEXT_BYTES; text++)
        line->text[line->bytes++] = *text;
    line->text[line->bytes] = '\0';
}

static void add_number(struct line *line, size_t number)
{
    char digits[24] = "", *at = digits + sizeof digits - 1;

    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    add_text(line, at);
}

static void add_count(struct line *line, size_t count, const char *what)
{
    add_number(line, count);
    add_text(line, what);
}

/* "smoothimg: interrupted: 12 done, 1 failed, 35 not done; ..." */
static void make_line(bool listed, struct line *line)
{
    size_t done = 0, failed = 0;

    for (size_t i = 0; i < plan->count; i++) {
        done += plan->tasks[i].finished;
        failed += plan->tasks[i].failed;
    }
    add_text(line, "smoothimg: interrupted: ");
    add_count(line, done, " done, ");
    add_count(line, failed, " failed, ");
    add_count(line, plan->count - done - failed, " not done; ");
    add_text(line, listed ? list_way_on.text : way_on);
}

/* What cannot be written is lost: the program dies. */
static void show(int fd, const char *text, size_t bytes)
{
    if (bytes > 0 && write(fd, text, bytes) < 0)
        return;
}

static bool write_list(void)
{
    if (!signal_file_open(&list))
        return false;
    plan_put_unfinished(plan, signal_file_put, &list);
    return signal_file_commit(&list);
}

void interruption_tell(void)
{
    const struct line *record;
    struct line line = {.bytes = 0};
    char wrapped[MESSAGE_BYTES];
    bool listed;

    dying = true;
    record = now;
    progress_leave();
    if (record)
        show(STDOUT_FILENO, record->text, record->bytes);
    listed = listing && write_list();
    if (!telling)
        return;
    make_line(listed, &line);
    show(STDERR_FILENO, wrapped, message_wrap(line.text, columns, wrapped));
}
