/* SPDX-License-Identifier: MIT */
#include "src/app/cli/cli.h"

#include "kernels/common/parallel.h"
#include "src/app/cli/options/options.h"
#include "src/files/codec/format.h"
#include "src/files/output/output.h"

#include <errno.h>
#include <string.h>

#define USAGE "usage: smoothimg [options] INPUT OUTPUT"
#define NEEDS_FOLDER "needs a folder; name one, or the folder of the outputs with -O"

/* Refuses operands and options that do not fit together: for example if no input or no output is
 * named, if several inputs have one output file, or if --recursive is given without a folder. Also
 * fails if stat() of the only input fails for another reason than a missing file, or if the last
 * operand should be the folder of the outputs but does not exist. `plain` means that none of -o, -O
 * and
 * --in-place is given. */
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
    /* empty: a name is ""; stream: an input is "-" */
    bool empty = output && !*output, stream = false;

    for (int i = 0; i < plan->input_count; i++) {
        empty = empty || !*plan->inputs[i];
        stream = stream || names_stream(plan->inputs[i]);
    }
    const struct {
        bool so;
        const char *name, *why;
    } rows[] = {
        {empty, "''", "an empty name is no file; say - for standard input or output"},
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
        {(many || plan->in_place) && stream && out != PATH_STREAM, "-",
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
    /* If both the output folder and the list of --files-from are missing, returns STATUS_OK:
     * reading the list will fail. */
    if (!into_last || out != PATH_MISSING ||
        (plan->files_from && path_kind(plan->files_from) == PATH_MISSING))
        return STATUS_OK;
    return output_check_folder(output, error) == STATUS_OK
               ? fail(error, STATUS_OUTPUT, "%s: no such folder; option -O makes it", output)
               : error->status;
}

/* Sets inputs, input_count, output and output_dir from the operands, -o and -O, after the options
 * have been parsed, and checks the operands. The last operand is the output, as with cp, unless an
 * option says where the outputs go. With --suffix the last operand is an input, like the others, if
 * it is a file, or if it is the only operand and --files-from is not given; the outputs then go
 * next to the inputs. */
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

/* --- Options that have no effect, or that exclude each other. */

#define NAMES 11 /* at most 10 options in a row of check_effects, and a NULL */

/* Refuses options that cannot change anything on this command line. If only the contents or the
 * format of a file make an option useless, ui/notes.c prints a note instead. */
static enum status check_effects(const struct options *options, struct error *error)
{
    const struct work_options *work = &options->batch.stream.work;
    const struct plan_options *plan = &options->batch.plan;
    const unsigned ops = options->operations;
    const struct {
        bool so;
        const char *names[NAMES], *why;
    } rows[] = {
        {plan->in_place,
         {"output-dir", "output", "suffix", "format", "skip-existing", "no-clobber"},
         "--in-place replaces each input by its result, with the same name and format"},
        {!(ops & ~(BIT(TRANSPOSE) | BIT(REVERSE))),
         {"halo", "sigma", "truncate", "edge", "norm", "alpha", "linear", "nan", "mask", "float"},
         "the operation is not smooth"},
        {options->halo_count > 0, {"truncate"}, "--halo says where the filter ends"},
        {!options->sigma_text, {"truncate"}, "there is no --sigma that it multiplies"},
        {filter_halo(&work->filter) == 0,
         {"edge", "norm", "alpha", "linear", "nan", "mask", "amount"},
         "nothing is smoothed with a halo of 0"},
        {options->halo_count > 0 && filter_halo(&work->filter) == 0,
         {"sigma"},
         "nothing is smoothed with a halo of 0"},
        {options->batch.mask && options->nan == NAN_PROPAGATE,
         {"nan"},
         "--mask leaves out every NaN of floats, as --nan skip does"},
        {!(ops & (BIT(SHARPEN) | BIT(GRADIENT) | BIT(LAPLACE))),
         {"amount"},
         "the operation is not sharpen, gradient or laplace"},
        {!(ops & (BIT(DIFFERENCE) | BIT(LAPLACE))),
         {"offset"},
         "the operation is not difference or laplace"},
        {work->floats, {"offset"}, "floats have a sign"},
        {strcmp(work->variant, "naive") != 0 && strcmp(work->variant, "coalesced") != 0,
         {"block"},
         "only --variant naive and coalesced have it"},
        {options->strip_metadata, {"max-metadata"}, "--strip-metadata keeps none"},
        {plan->input_count == 1 && names_stream(plan->inputs[0]),
         {"preserve"},
         "standard input has no times"},
        {names_stream(plan->output),
         {"preserve", "skip-existing", "no-clobber"},
         "standard output is not a file"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (const char *const *name = rows[i].names; rows[i].so && *name; name++)
            if (option_is_given(&option_table, options, *name))
                return fail(error, STATUS_USAGE, "--%s: has no effect, since %s; leave it out",
                            *name, rows[i].why);
    return STATUS_OK;
}

#define LEAVES_OUT                                                                                 \
    ": derivatives and volumes leave no sample out; smooth along x and y, or fill what is missing"

/* Refuses options that can have no effect, or that exclude each other. */
static enum status check_options(const struct options *options, struct error *error)
{
    static const char *const any_operation[] = {"auto", "cpu", "gpu", "reference"};
    const struct work_options *work = &options->batch.stream.work;
    const bool derivatives = options->operations & (BIT(GRADIENT) | BIT(LAPLACE));
    const bool volume = work->filter.z.halo > 0;
    bool any = false; /* --variant is a word that works for every operation */
    int smooths = 0;

    for (size_t i = 0; i < sizeof any_operation / sizeof *any_operation; i++)
        any = any || strcmp(work->variant, any_operation[i]) == 0;
    for (int i = 0; i < work->op_count; i++)
        smooths += operation_smooths(work->ops[i]);
    const struct {
        bool so;
        const char *message;
    } rows[] = {
        {options->json && names_stream(options->batch.plan.output),
         "--json: its lines go to standard output; name a file for the image"},
        {options->quiet && options->verbose, "--quiet and --verbose: are opposites; leave one out"},
        {names_stream(options->batch.mask), "--mask -: a mask is read from a file; name one"},
        /* In images of floats the masked pixels are NaN. The first operation that smooths replaces
         * a NaN by a number wherever it reaches other samples, so a second one would not know the
         * mask. */
        {options->batch.mask && smooths > 1,
         "--mask: give the operations that smooth one at a time, each with its mask"},
        {derivatives && filter_halo(&work->filter) == 0,
         "--halo 0: leaves nothing to differentiate; use a larger --halo, or --sigma"},
        {derivatives && work->amount == 0, "--amount 0: leaves nothing of a derivative; use more"},
        {derivatives && work->filter.norm == NORM_ANALYTIC,
         "--norm analytic: derivatives have no such norm; leave it out"},
        {(derivatives || volume) && work->filter.nan == NAN_SKIP,
         options->batch.mask ? "--mask" LEAVES_OUT : "--nan skip" LEAVES_OUT},
        {work->floats && options->batch.stream.linear,
         "--linear: floats are not encoded again; leave out --float, or --linear"},
        {volume && work->op_count > 1,
         "--halo or --sigma: a third number is for a single --op; give two, or one --op at a time"},
        {(derivatives || volume || work->floats) && !any,
         "--variant: derivatives, volumes and --float need cpu, gpu or reference"},
    };

    if (check_effects(options, error) != STATUS_OK)
        return STATUS_USAGE;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].so)
            return fail(error, STATUS_USAGE, "%s", rows[i].message);
    return STATUS_OK;
}

/* --- Parses the whole command line. */

enum status cli_parse(int argc, char **argv, struct options *options, struct error *error)
{
    struct work_options *work = &options->batch.stream.work;
    enum status status;
    int operands = argc;

    *options = default_options;
    status = option_table_parse(&option_table, argc, argv, options, &operands, error);
    if (status != STATUS_OK || options->action != ACTION_RUN)
        return status;
    if (work->op_count == 0) { /* without --op: ops[0] is 0, which is smooth */
        work->op_count = 1;
        options->operations = BIT(SMOOTH);
    }
    if (work->threads == 0)
        work->threads = parallel_processors();
    work->filter.nan = options->batch.mask ? NAN_SKIP : (enum nan_rule)options->nan;
    status = axes_complete(options, error);
    if (status == STATUS_OK)
        status = take_operands(argc - operands, argv + operands, &options->batch.plan, error);
    options->batch.stream.max_metadata = options->strip_metadata ? 0 : options->max_metadata;
    return status == STATUS_OK ? check_options(options, error) : status;
}
