/* SPDX-License-Identifier: MIT */
/* Refuses options that do not go together. */
#include "src/bench/options/options.h"

/* A file has its own size, depth and channels. */
static enum status check_file(const struct bench_options *options, struct error *error)
{
    const char *culprit = options->size_count > 0 ? "size"
                          : options->depth >= 0   ? "depth"
                          : options->channels > 0 ? "channels"
                          : options->images > 0   ? "images"
                                                  : NULL;

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
    if (options->alpha != ALPHA_WEIGHTED || options->channels > 1)
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "--alpha weighted: the image has one channel, and no alpha; add --channels 4");
}

/* Several images are made, and smoothed once. */
static enum status check_images(const struct bench_options *options, struct error *error)
{
    const char *culprit =
        options->op_count > 1 || (options->op_count == 1 && options->ops[0] != OP_SMOOTH) ? "op"
        : options->save_image ? "save-image"
                              : NULL;

    if (options->images <= 1 || !culprit)
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "--images is for one smooth of each image, and does not go with --%s; leave one of "
                "them out",
                culprit);
}

/* The first option that was given and has no effect on `action`, or NULL. */
static const char *useless_option(const struct bench_options *options, bool counts)
{
    const struct {
        const char *name;
        bool given;
    } useless[] = {
        {"image", options->image != NULL},
        {"profiles", options->profiles != NULL},
        {"repeat", options->effort.repeats > 0},
        {"min-time", options->effort.min_seconds > 0},
        {"max-time", options->effort.max_seconds > 0},
        {"place", counts && options->where != ANYWHERE},
        {"device", counts && options->device >= 0},
        {"transactions", options->transactions && (options->sectors || !counts)},
        {"sectors", options->sectors && !counts},
        {"json", options->json && !counts},
    };

    for (size_t i = 0; i < sizeof useless / sizeof *useless; i++)
        if (useless[i].given)
            return useless[i].name;
    return NULL;
}

/* --occupancy, --sectors and --transactions read no image and time nothing, and each prints a table
 * of its own. */
static enum status check_counting(const struct bench_options *options, struct error *error)
{
    const char *action = options->occupancy      ? "occupancy"
                         : options->sectors      ? "sectors"
                         : options->transactions ? "transactions"
                                                 : NULL;
    const char *culprit = action ? useless_option(options, !options->occupancy) : NULL;

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
    const struct {
        const char *name;
        bool given;
        enum suite suite;
    } own[] = {
        {"op", options->op_count > 0, SUITE_VARIANTS},
        {"variant", options->variant_count > 0, SUITE_VARIANTS},
        {"no-peers", options->no_peers, SUITE_VARIANTS},
        {"depth", options->depth >= 0, SUITE_VARIANTS},
        {"channels", options->channels > 0, SUITE_VARIANTS},
        {"alpha", options->alpha >= 0, SUITE_VARIANTS},
        {"against", options->against != NULL, SUITE_VARIANTS},
        {"images", options->images > 0, SUITE_VARIANTS},
        {"jobs", options->thread_count > 0, SUITE_VARIANTS},
        {"save-image", options->save_image != NULL, SUITE_VARIANTS},
        {"experiment", options->experiment_count > 0, SUITE_MEMORY},
        {"occupancy", options->occupancy, SUITE_MEMORY},
        {"sectors", options->sectors, SUITE_MEMORY},
        {"transactions", options->transactions, SUITE_MEMORY},
        {"profiles", options->profiles != NULL, SUITE_MEMORY},
    };

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i].given && (int)own[i].suite != options->suite)
            return fail(error, STATUS_USAGE,
                        "--%s is for --suite %s, and this is --suite %s; leave one of them out",
                        own[i].name, suite_words[own[i].suite], suite_words[options->suite]);
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
    status = check_images(options, error);
    if (status != STATUS_OK)
        return status;
    return !options->image || picture_is_made(options->image) ? check_alpha(options, error)
                                                              : check_file(options, error);
}
