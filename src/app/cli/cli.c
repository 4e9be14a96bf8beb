/* SPDX-License-Identifier: MIT */
#include "src/app/cli/cli.h"

#include "src/app/cli/options/options.h"
#include "src/files/codec/format.h"
#include "src/files/output/output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define USAGE "usage: smoothimg [options] INPUT OUTPUT"

static enum status check_suffix(const char *suffix, struct error *error)
{
    if (!suffix || !strchr(suffix, '/'))
        return STATUS_OK;
    return fail(error, STATUS_USAGE, "--suffix %s: a suffix of names, such as _s; it has no slash",
                suffix);
}

/* --- The operands: which are inputs, and where the outputs go. */

/* Data flows through this descriptor: it is neither a terminal nor a device such as /dev/null. */
static bool is_data(int fd)
{
    struct stat info;

    return fstat(fd, &info) == 0 &&
           (S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode));
}

/* Without operands, in a pipe: as if they were "- -". */
static enum status take_streams(struct plan_options *plan, struct error *error)
{
    static char stream[] = "-";
    static char *input[] = {stream};

    if (!is_data(STDIN_FILENO) || !is_data(STDOUT_FILENO))
        return fail(error, STATUS_USAGE, "no input and no output were named; " USAGE);
    plan->inputs = input;
    plan->input_count = 1;
    plan->output = stream;
    return STATUS_OK;
}

/* One operand: with --suffix, the output is next to the input. */
static enum status take_one(const struct plan_options *plan, struct error *error)
{
    const char *input = plan->inputs[0];
    const enum path_kind kind = path_kind(input);

    if (kind == PATH_MISSING)
        return fail(error, STATUS_USAGE, "%s: no such file; " USAGE, input);
    if (!plan->suffix)
        return fail(error, STATUS_USAGE, "no output was named; " USAGE " (- is standard output)");
    if (kind == PATH_STREAM || kind == PATH_FOLDER)
        return fail(error, STATUS_USAGE,
                    "%s: --suffix alone names the output of a file only; name a folder for the "
                    "output with -O",
                    input);
    return STATUS_OK;
}

/* Several operands, of which the last one is no folder. A word such as blur before the names of two
 * files is what is wrong there, rather than the last name. */
static enum status refuse_last(const struct plan_options *plan, const char *last,
                               struct error *error)
{
    const bool missing = path_kind(last) == PATH_MISSING;
    const int reason = errno;

    for (int i = 0; i + 1 < plan->input_count && format_is_named(last); i++)
        if (path_kind(plan->inputs[i]) == PATH_MISSING)
            return fail(error, STATUS_USAGE, "%s: no such file; " USAGE, plan->inputs[i]);
    if (!missing || format_is_named(last))
        return fail(
            error, STATUS_USAGE,
            "%s: not a folder; several inputs need one: smoothimg [options] INPUT... FOLDER", last);
    if (reason != ENOENT)
        return fail(error, STATUS_OUTPUT, "%s: cannot be opened: %s", last, strerror(reason));
    return output_no_folder(last, strlen(last), error);
}

/* INPUT... OUTDIR, as cp has it; or with --suffix files alone, each with its output next to it. */
static enum status take_many(struct plan_options *plan, struct error *error)
{
    const char *last = plan->inputs[plan->input_count - 1];
    const enum path_kind kind = path_kind(last);

    if (plan->suffix && kind == PATH_FILE)
        return STATUS_OK;
    if (kind == PATH_STREAM)
        return fail(error, STATUS_USAGE,
                    "-: outputs of several inputs go into a folder; name it last, or with -O");
    if (kind != PATH_FOLDER)
        return refuse_last(plan, last, error);
    plan->input_count--;
    plan->output_dir = last;
    plan->output = last;
    return STATUS_OK;
}

/* Without -o, -O or --in-place. */
static enum status take_plain(struct plan_options *plan, struct error *error)
{
    if (plan->files_from && plan->input_count == 0)
        return fail(error, STATUS_USAGE,
                    "--files-from: name the folder that the outputs go to with -O DIR, or say "
                    "--in-place");
    if (plan->input_count == 0)
        return take_streams(plan, error);
    if (plan->input_count == 1 && !plan->files_from)
        return take_one(plan, error);
    if (plan->input_count != 2 || plan->files_from ||
        (plan->suffix && path_kind(plan->inputs[1]) == PATH_FILE))
        return take_many(plan, error);
    plan->input_count = 1;
    plan->output = plan->inputs[1];
    return STATUS_OK;
}

/* Sets inputs, input_count, output and output_dir from the words that are no options; the options
 * are complete. STATUS_USAGE: they name no input, no output or too many; STATUS_OUTPUT: the folder
 * for the outputs does not exist. */
static enum status take_operands(int count, char **operands, struct plan_options *plan,
                                 struct error *error)
{
    const char *form = plan->in_place      ? "--in-place INPUT..."
                       : plan->output_dir  ? "-O DIR INPUT..."
                       : plan->output_file ? "-o FILE INPUT"
                                           : NULL;
    bool empty = plan->output_file && *plan->output_file == '\0';

    for (int i = 0; i < count; i++)
        empty = empty || *operands[i] == '\0';
    if (empty)
        return fail(error, STATUS_USAGE,
                    "an empty name is no file; say - for standard input or output");
    plan->inputs = operands;
    plan->input_count = count;
    if (!form)
        return take_plain(plan, error);
    if (!plan->in_place)
        plan->output = plan->output_dir ? plan->output_dir : plan->output_file;
    if (count == 0 && !plan->files_from)
        return fail(error, STATUS_USAGE, "no input was named; usage: smoothimg [options] %s", form);
    if (!plan->output_file || plan->in_place)
        return STATUS_OK;
    if (plan->output_dir)
        return fail(error, STATUS_USAGE, "-o names a file, and -O a folder; leave one of them out");
    if (count > 1 || plan->files_from)
        return fail(error, STATUS_USAGE,
                    "-o %s: this is one output, for one input; for several: smoothimg [options] -O "
                    "DIR INPUT...",
                    plan->output_file);
    return STATUS_OK;
}

/* --- All of it. */

enum status cli_parse(int argc, char **argv, struct options *options, struct error *error)
{
    enum status status;
    int operands = argc;

    *options = options_default();
    status = option_table_parse(&option_table, argc, argv, options, &operands, error);
    if (status != STATUS_OK || options->action != ACTION_RUN)
        return status;
    if (options->batch.stream.work.op_count == 0)
        options->batch.stream.work.op_count = 1; /* the first operation, smooth */
    options->batch.stream.work.filter.nan =
        options->batch.mask ? NAN_SKIP : (enum nan_rule)options->nan;
    status = axes_complete(options, error);
    if (status == STATUS_OK)
        status = check_suffix(options->batch.plan.suffix, error);
    if (status == STATUS_OK)
        status = take_operands(argc - operands, argv + operands, &options->batch.plan, error);
    if (status == STATUS_OK)
        options_complete(options);
    return status == STATUS_OK ? hints_check(options, error) : status;
}
