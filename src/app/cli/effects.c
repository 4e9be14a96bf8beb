/* SPDX-License-Identifier: MIT */
#include "src/app/cli/effects.h"

#include "src/files/codec/codec.h"

#include <string.h>

static bool smooths_not(const struct options *options)
{
    for (int i = 0; i < options->op_count; i++)
        if (operation_smooths(options->ops[i]))
            return false;
    return true;
}

static bool lacks(const struct options *options, enum operation operation)
{
    for (int i = 0; i < options->op_count; i++)
        if (options->ops[i] == (int)operation)
            return false;
    return true;
}

static bool sharpens_not(const struct options *options)
{
    return lacks(options, OPERATION_SHARPEN);
}

static bool subtracts_not(const struct options *options)
{
    return lacks(options, OPERATION_DIFFERENCE);
}

static bool has_halo(const struct options *options)
{
    return options->halo_given;
}

static bool has_no_reach(const struct options *options)
{
    return filter_halo(&options->filter) == 0;
}

static bool has_mask_and_propagates(const struct options *options)
{
    return options->mask && options->nan == NAN_PROPAGATE;
}

static bool has_no_sigma(const struct options *options)
{
    return !options->sigma_text;
}

static bool is_variant(const struct options *options, const char *name)
{
    return strcmp(options->variant, name) == 0;
}

static bool has_no_block(const struct options *options)
{
    return !is_variant(options, "naive") && !is_variant(options, "coalesced");
}

static bool is_on_cpu(const struct options *options)
{
    return is_variant(options, "cpu") || is_variant(options, "reference");
}

static bool is_stream(const struct options *options)
{
    return options->output && strcmp(options->output, "-") == 0;
}

/* Is the format of all outputs known, and another one? A folder's name tells no format. */
static bool is_other_than(const struct options *options, enum format format)
{
    const char *extension = options->format;
    enum format found;

    if (!extension && !options->output_dir && options->output && format_is_named(options->output))
        extension = format_extension(options->output);
    return extension && format_of_extension(extension, NULL, &found) && found != format;
}

static bool is_not_png(const struct options *options)
{
    return is_other_than(options, FORMAT_PNG);
}

static bool is_not_tiff(const struct options *options)
{
    return is_other_than(options, FORMAT_TIFF);
}

static bool strips(const struct options *options)
{
    return options->strip_metadata;
}

static bool is_from_stream(const struct options *options)
{
    return options->input_count == 1 && strcmp(options->inputs[0], "-") == 0;
}

static bool never_replaces(const struct options *options)
{
    return options->no_clobber || options->skip_existing;
}

#define OF_SMOOTH "the operation is not smooth"
#define OF_PNG "the output is not PNG"
#define OF_TIFF "the output is not TIFF"
#define OF_STREAM "standard output is not a file"

static const struct {
    const char *option;
    bool (*is_useless)(const struct options *options);
    const char *why;
} rules[] = {
    {"halo", smooths_not, OF_SMOOTH},
    {"sigma", smooths_not, OF_SMOOTH},
    {"truncate", smooths_not, OF_SMOOTH},
    {"truncate", has_halo, "--halo says where the filter ends"},
    {"truncate", has_no_sigma, "there is no --sigma that it multiplies"},
    {"edge", smooths_not, OF_SMOOTH},
    {"norm", smooths_not, OF_SMOOTH},
    {"alpha", smooths_not, OF_SMOOTH},
    {"linear", smooths_not, OF_SMOOTH},
    {"nan", smooths_not, OF_SMOOTH},
    {"mask", smooths_not, OF_SMOOTH},
    {"mask", has_no_reach, "nothing is smoothed with a halo of 0"},
    {"nan", has_mask_and_propagates, "--mask leaves out every NaN of floats, as --nan skip does"},
    {"amount", sharpens_not, "the operation is not sharpen"},
    {"offset", subtracts_not, "the operation is not difference"},
    {"block", has_no_block, "only --variant naive and coalesced have it"},
    {"device", is_on_cpu, "this --variant uses no GPU"},
    {"scale", is_not_png, OF_PNG},
    {"png-level", is_not_png, OF_PNG},
    {"tiff-compression", is_not_tiff, OF_TIFF},
    {"max-metadata", strips, "--strip-metadata keeps none"},
    {"backup", never_replaces, "no file is replaced"},
    {"preserve", is_from_stream, "standard input has no times"},
    {"preserve", is_stream, OF_STREAM},
    {"backup", is_stream, OF_STREAM},
    {"skip-existing", is_stream, OF_STREAM},
    {"no-clobber", is_stream, OF_STREAM},
};

/* A second smooth would weigh by the smoothed mask, and take for a float what the first one has
 * made of its neighbours. */
static enum status check_mask(const struct options *options, struct error *error)
{
    int smooths = 0;

    for (int i = 0; i < options->op_count; i++)
        smooths += operation_smooths(options->ops[i]);
    if (!options->mask)
        return STATUS_OK;
    if (strcmp(options->mask, "-") == 0)
        return fail(error, STATUS_USAGE, "--mask -: a mask is not read from a pipe; name a file");
    if (smooths > 1)
        return fail(error, STATUS_USAGE,
                    "--mask: of several operations that smooth it is only clear for the first; use "
                    "one at a time");
    return STATUS_OK;
}

enum status effects_check(const struct options *options, struct error *error)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (option_is_given(&option_table, options, rules[i].option) &&
            rules[i].is_useless(options))
            return fail(error, STATUS_USAGE, "--%s: has no effect, since %s; leave it out",
                        rules[i].option, rules[i].why);
    return check_mask(options, error);
}
