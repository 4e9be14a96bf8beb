/* SPDX-License-Identifier: MIT */
#include "src/app/cli/cli.h"

#include "src/app/cli/hints.h"
#include "src/app/cli/options/axes.h"

#include <string.h>
#include <unistd.h>

/* Part of a name. option: as it is written before it; suffix: NULL if it was not given. */
static enum status check_suffix(const char *option, const char *suffix, const char *example,
                                struct error *error)
{
    if (!suffix || !strchr(suffix, '/'))
        return STATUS_OK;
    return fail(error, STATUS_USAGE, "%s%s: a suffix of names, such as %s; it has no slash", option,
                suffix, example);
}

/* --backup without a suffix means ~, as cp has it. */
static enum status take_suffixes(struct options *options, struct error *error)
{
    const enum status status = check_suffix("--suffix ", options->suffix, "_s", error);

    if (options->backup && *options->backup == '\0')
        options->backup = "~";
    return status == STATUS_OK ? check_suffix("--backup=", options->backup, ".orig", error)
                               : status;
}

static enum status make_filter(struct options *options, struct error *error)
{
    options->filter.edge = (enum edge)options->edge;
    options->filter.norm = (enum norm)options->norm;
    options->filter.alpha = (enum alpha)options->alpha;
    options->filter.nan = options->mask ? NAN_SKIP : (enum nan_rule)options->nan;
    return axes_complete(options, error);
}

enum status cli_parse(int argc, char **argv, struct options *options, struct error *error)
{
    enum status status;
    int operands = argc;

    *options = options_default();
    status = option_table_parse(&option_table, argc, argv, options, &operands, error);
    if (status != STATUS_OK || options->action != ACTION_RUN)
        return status;
    if (options->op_count == 0)
        options->ops[options->op_count++] = OPERATION_SMOOTH;
    status = make_filter(options, error);
    if (status == STATUS_OK)
        status = take_suffixes(options, error);
    if (status == STATUS_OK)
        status = operands_take(argc - operands, argv + operands, options, error);
    return status == STATUS_OK ? hints_check(options, error) : status;
}

enum progress_mode cli_progress(const struct options *options)
{
    const bool disturbs =
        options->quiet || options->verbose || (options->json && isatty(STDOUT_FILENO));

    if (options->progress == PROGRESS_AUTO && disturbs)
        return PROGRESS_NEVER;
    return (enum progress_mode)options->progress;
}

double cli_progress_after(const struct options *options, bool many)
{
    return many || options->progress == PROGRESS_ALWAYS ? 0.1 : 1;
}
