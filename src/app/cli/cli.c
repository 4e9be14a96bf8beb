/* SPDX-License-Identifier: MIT */
#include "src/app/cli/cli.h"

#include "src/app/cli/options/options.h"
#include "src/files/codec/format.h"
#include "src/files/output/output.h"

#include <errno.h>
#include <string.h>

#define USAGE "usage: smoothimg [options] INPUT OUTPUT"
#define NEEDS_FOLDER "needs a folder; name one, or the folder of the outputs with -O"

static bool has_name(const struct plan_options *plan, const char *name)
{
    for (int i = 0; i < plan->input_count; i++)
        if (strcmp(plan->inputs[i], name) == 0)
            return true;
    return plan->output && strcmp(plan->output, name) == 0;
}

/* Refuses the operands if no input or no output is named, if several inputs have one output file,
 * if an operand cannot be examined, or if the output folder does not exist. `plain` means that none
 * of -o, -O and --in-place is given. */
static enum status check_operands(const struct plan_options *plan, bool plain, struct error *error)
{
    const char *input = plan->input_count > 0 ? plan->inputs[0] : "", *output = plan->output;
    const enum path_kind in = path_kind(input);
    const int reason = in == PATH_MISSING ? errno : 0;
    const enum path_kind out = output ? path_kind(output) : PATH_MISSING;
    const bool many = plan->output_dir || plan->files_from || plan->input_count > 1;
    const bool folders = many || in == PATH_FOLDER, into_last = plain && plan->output_dir;
    const bool lone = plain && !output && !many;
    const char *file = plan->in_place ? NULL : plan->output_file;
    const struct {
        bool so;
        const char *name, *why;
    } rows[] = {
        {has_name(plan, ""), "''", "an empty name is no file; say - for standard input or output"},
        {plan->suffix && strchr(plan->suffix, '/'), "--suffix",
         "is inserted into names, such as _s; it has no slash"},
        {file && plan->output_dir, "-o", "names a file, and -O a folder; leave one of them out"},
        {file && many, file,
         "this is one output, for one input; for several: smoothimg [options] -O DIR INPUT..."},
        {plan->input_count == 0 && !plan->files_from, plan->in_place ? "--in-place" : output,
         "no input was named; usage: smoothimg [options] INPUT..."},
        {plain && plan->files_from && !output, "--files-from",
         "name the folder that the outputs go to with -O DIR, or say --in-place"},
        {lone && in == PATH_MISSING, input, "no such file; " USAGE},
        {lone && !plan->suffix, input, "no output was named; " USAGE " (- is standard output)"},
        {lone && in != PATH_FILE, input,
         "--suffix alone names the output of a file only; name a folder for the output with -O"},
        {(many || plan->in_place) && has_name(plan, "-") && out != PATH_STREAM, "-",
         "standard input has no name to use here; name files, or their list with --files-from -"},
        {into_last && out == PATH_STREAM, output,
         "outputs of several inputs go into a folder; name it last, or with -O"},
        {into_last && out != PATH_FOLDER && (out != PATH_MISSING || format_is_named(output)),
         output, "not a folder; several inputs need one: smoothimg [options] INPUT... FOLDER"},
        {plan->output_dir && out == PATH_STREAM, output,
         "outputs go into a folder; name one, or for one image say -o -"},
        {folders && out == PATH_STREAM, input,
         "this is a folder, which cannot go to standard output; name a folder"},
        {folders && file, input,
         "this is a folder, and -o names a file; name a folder for its images with -O"},
        {folders && output && out != PATH_FOLDER && format_is_named(output), output,
         "named like an image, and outputs go into a folder; name a folder, or for one image say "
         "-o"},
        {file && out == PATH_FOLDER, output,
         "this is a folder, and -o names a file; for outputs in a folder say -O"},
        {in == PATH_STREAM && out == PATH_FOLDER, output,
         "this is a folder, and standard input has no name to use in it; name a file"},
        {!folders && plan->recursive, "--recursive", NEEDS_FOLDER},
        {!folders && plan->shard.count, "--shard", NEEDS_FOLDER},
        {!folders && plan->fail_fast, "--fail-fast", NEEDS_FOLDER},
        {!folders && plan->suffix && output && out != PATH_FOLDER, "--suffix",
         "has no effect on an output that is named; leave one of them out"},
    };

    if (!many && reason != 0 && reason != ENOENT)
        return fail(error, STATUS_INPUT, "%s: cannot be opened: %s", input, strerror(reason));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].so)
            return fail(error, STATUS_USAGE, "%s: %s", rows[i].name, rows[i].why);
    /* If the list of --files-from is missing too, only that is reported, when the list is read. */
    if (!into_last || out != PATH_MISSING ||
        (plan->files_from && path_kind(plan->files_from) == PATH_MISSING))
        return STATUS_OK;
    return output_check_folder(output, error) == STATUS_OK
               ? fail(error, STATUS_OUTPUT, "%s: no such folder; option -O makes it", output)
               : error->status;
}

/* Sets inputs, input_count, output and output_dir from the operands, after the options have been
 * parsed. The last operand is the output, as with cp, unless an option says where the outputs go.
 * With --suffix the last operand is an input too if it is a file, or the only operand; the outputs
 * then go next to the inputs. */
static enum status take_operands(int count, char **operands, struct plan_options *plan,
                                 struct error *error)
{
    const bool plain = !plan->in_place && !plan->output_dir && !plan->output_file;
    const bool one = count == 1 && !plan->files_from;

    if (plain && count == 0 && !plan->files_from)
        return fail(error, STATUS_USAGE, "no input and no output were named; " USAGE);
    plan->inputs = operands;
    plan->input_count = count;
    if (!plain && !plan->in_place)
        plan->output = plan->output_dir ? plan->output_dir : plan->output_file;
    if (plain && count > 0 && !one &&
        !(plan->suffix && path_kind(operands[count - 1]) == PATH_FILE)) {
        plan->output = operands[--plan->input_count];
        if (plan->input_count > 1 || plan->files_from)
            plan->output_dir = plan->output;
    }
    return check_operands(plan, plain, error);
}

enum status cli_parse(int argc, char **argv, struct options *options, struct error *error)
{
    enum status status;
    int operands = argc;

    *options = options_default();
    status = option_table_parse(&option_table, argc, argv, options, &operands, error);
    if (status != STATUS_OK || options->action != ACTION_RUN)
        return status;
    if (options->batch.stream.work.op_count == 0)
        options->batch.stream.work.op_count = 1; /* without --op: ops[0], smooth */
    options->batch.stream.work.filter.nan =
        options->batch.mask ? NAN_SKIP : (enum nan_rule)options->nan;
    status = axes_complete(options, error);
    if (status == STATUS_OK)
        status = take_operands(argc - operands, argv + operands, &options->batch.plan, error);
    options->batch.stream.max_metadata = options->strip_metadata ? 0 : options->max_metadata;
    return status == STATUS_OK ? hints_check(options, error) : status;
}
