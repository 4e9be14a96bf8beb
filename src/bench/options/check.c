/* SPDX-License-Identifier: MIT */
/* Refuses options that do not go together. */
#include "src/bench/options/options.h"

static bool is_given(const struct bench_options *options, const char *name)
{
    return option_is_given(&bench_option_table, options, name);
}

/* The first of the options, up to a NULL, that was given; or NULL. */
static const char *first_given(const struct bench_options *options, const char *const *names)
{
    while (*names && !is_given(options, *names))
        names++;
    return *names;
}

/* A file has its own size, depth and channels. */
static enum status check_file(const struct bench_options *options, struct error *error)
{
    static const char *const made[] = {"size", "depth", "channels", NULL};
    const char *culprit = first_given(options, made);

    if (!culprit)
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "--%s is for made images, and %s is a file; leave it out, or use --image noise, "
                "chequer or photo",
                culprit, options->image);
}

/* Alpha is the last of several channels. */
static enum status check_alpha(const struct bench_options *options, struct error *error)
{
    if (!options->weighted || options->channels > 1)
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "--alpha weighted: the image has one channel, and no alpha; add --channels 4");
}

/* --occupancy, --sectors and --transactions time nothing, and each prints a table of its own. */
static enum status check_counting(const struct bench_options *options, struct error *error)
{
    static const char *const actions[] = {"occupancy", "sectors", "transactions", NULL};
    static const char *const of_occupancy[] = {"repeat",  "min-time", "max-time", "transactions",
                                               "sectors", "json",     NULL};
    static const char *const of_counts[] = {"repeat", "min-time", "max-time",
                                            "place",  "device",   NULL};
    const char *action = first_given(options, actions);
    const char *culprit =
        action ? first_given(options, options->occupancy ? of_occupancy : of_counts) : NULL;

    if (!culprit && options->sectors && options->transactions)
        culprit = "transactions";
    if (!culprit)
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "--%s measures nothing, and has no use for --%s; leave one of "
                "them out",
                action, culprit);
}

/* Refuses the options of the other suite instead of ignoring them. */
static enum status check_suite(const struct bench_options *options, struct error *error)
{
    static const char *const of_suite[][11] = {
        [SUITE_VARIANTS] = {"op", "variant", "image", "depth", "channels", "alpha", "against",
                            "jobs", "save-image", NULL},
        [SUITE_MEMORY] = {"experiment", "occupancy", "sectors", "transactions", NULL},
    };
    const enum suite other = options->suite == SUITE_MEMORY ? SUITE_VARIANTS : SUITE_MEMORY;
    const char *culprit = first_given(options, of_suite[other]);

    if (culprit)
        return fail(error, STATUS_USAGE,
                    "--%s is for --suite %s, and this is --suite %s; leave one of them out",
                    culprit, suite_words[other], suite_words[options->suite]);
    if (options->suite == SUITE_MEMORY && options->image)
        return fail(error, STATUS_USAGE, "%s: --suite memory takes no image; leave it out",
                    options->image);
    if (options->suite == SUITE_MEMORY && options->halo_count > 1)
        return fail(error, STATUS_USAGE,
                    "--halo: --suite memory takes one; use a run for each of them");
    return check_counting(options, error);
}

enum status bench_options_check(const struct bench_options *options, struct error *error)
{
    enum status status = check_suite(options, error);

    if (status != STATUS_OK || options->suite != SUITE_VARIANTS)
        return status;
    return !options->image || picture_is_made(options->image) ? check_alpha(options, error)
                                                              : check_file(options, error);
}
