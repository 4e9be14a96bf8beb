/* SPDX-License-Identifier: MIT */
#include "src/app/cli/cli.h"

#include "src/app/cli/options/options.h"

static int count_smooths(const struct options *options)
{
    int count = 0;

    for (int i = 0; i < options->batch.stream.work.op_count; i++)
        count += operation_smooths(options->batch.stream.work.ops[i]);
    return count;
}

static bool derives(const struct options *options)
{
    return options_have(options, OPERATION_GRADIENT) || options_have(options, OPERATION_LAPLACE);
}

#define NAMES 11 /* at most 10 options in a row of check_effects, and a NULL */

/* Refuses options that cannot change anything on this command line. If an option has no effect on
 * some of many files, ui/notes.c says so. */
static enum status check_effects(const struct options *options, struct error *error)
{
    const struct work_options *work = &options->batch.stream.work;
    const struct plan_options *plan = &options->batch.plan;
    const bool offsets =
        options_have(options, OPERATION_DIFFERENCE) || options_have(options, OPERATION_LAPLACE);
    const struct {
        bool so;
        const char *names[NAMES], *why;
    } rows[] = {
        {plan->in_place,
         {"output-dir", "output", "suffix", "format", "skip-existing", "no-clobber"},
         "--in-place replaces each input by its result, with the same name and format"},
        {count_smooths(options) == 0,
         {"halo", "sigma", "truncate", "edge", "norm", "alpha", "linear", "nan", "mask", "float"},
         "the operation is not smooth"},
        {options->halo_count > 0, {"truncate"}, "--halo says where the filter ends"},
        {!options->sigma_text, {"truncate"}, "there is no --sigma that it multiplies"},
        {filter_halo(&work->filter) == 0, {"mask", "edge"}, "nothing is smoothed with a halo of 0"},
        {options->batch.mask && options->nan == NAN_PROPAGATE,
         {"nan"},
         "--mask leaves out every NaN of floats, as --nan skip does"},
        {!derives(options) && !options_have(options, OPERATION_SHARPEN),
         {"amount"},
         "the operation is not sharpen, gradient or laplace"},
        {!offsets, {"offset"}, "the operation is not difference or laplace"},
        {work->floats, {"offset"}, "floats have a sign"},
        {!variant_is(options, "naive") && !variant_is(options, "coalesced"),
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

enum status hints_check(const struct options *options, struct error *error)
{
    const struct work_options *work = &options->batch.stream.work;
    const bool derivatives = derives(options), volume = work->filter.z.halo > 0;
    const bool any = variant_is(options, "auto") || variant_is(options, "cpu") ||
                     variant_is(options, "gpu") || variant_is(options, "reference");
    const struct {
        bool so;
        const char *message;
    } rows[] = {
        {options->json && names_stream(options->batch.plan.output),
         "--json: its lines go to standard output; name a file for the image"},
        {options->quiet && options->verbose, "--quiet and --verbose: are opposites; leave one out"},
        {names_stream(options->batch.mask), "--mask -: a mask is read from a file; name one"},
        /* In floats the masked pixels are NaN. The first operation that smooths fills them, so the
         * second one would have no mask. */
        {options->batch.mask && count_smooths(options) > 1,
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
