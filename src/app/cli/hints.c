/* SPDX-License-Identifier: MIT */
#include "src/app/cli/cli.h"

#include "src/app/cli/options/options.h"
#include "src/app/cli/ui/message.h"
#include "src/files/codec/format.h"

#include <string.h>
#include <unistd.h>

/* What can be so of a command line. */
enum fact {
    NO_SMOOTH,
    TWO_SMOOTHS,
    NO_AMOUNT,
    NO_OFFSET,
    FLOATS,
    HALO_GIVEN,
    NO_SIGMA,
    NO_REACH,
    MASK_SKIPS_NAN,
    MASK_FROM_STREAM,
    NO_BLOCK,
    NO_GPU,
    NOT_JPEG,
    NOT_PNG,
    NOT_TIFF,
    NO_METADATA,
    FROM_STREAM,
    TO_STREAM,
    FACTS
};

/* A row: the option makes no difference. */
#define NO_EFFECT(NAME, FACT, WHY)                                                                 \
    {                                                                                              \
        NAME, FACT, "--" NAME ": has no effect, since " WHY "; leave it out"                       \
    }

#define OF_SMOOTH "the operation is not smooth"
#define OF_PNG "the output is not PNG"
#define OF_STREAM "standard output is not a file"

/* Of a command line to which several apply, the first is printed. */
static const struct {
    const char *name; /* of an option that is given */
    enum fact fact;   /* and this is so */
    const char *text; /* the message */
} hints[] = {
    {"json", TO_STREAM,
     "--json: its lines go to standard output, and so would the image; name a file for the image"},
    NO_EFFECT("halo", NO_SMOOTH, OF_SMOOTH),
    NO_EFFECT("sigma", NO_SMOOTH, OF_SMOOTH),
    NO_EFFECT("truncate", NO_SMOOTH, OF_SMOOTH),
    NO_EFFECT("truncate", HALO_GIVEN, "--halo says where the filter ends"),
    NO_EFFECT("truncate", NO_SIGMA, "there is no --sigma that it multiplies"),
    NO_EFFECT("edge", NO_SMOOTH, OF_SMOOTH),
    NO_EFFECT("norm", NO_SMOOTH, OF_SMOOTH),
    NO_EFFECT("alpha", NO_SMOOTH, OF_SMOOTH),
    NO_EFFECT("linear", NO_SMOOTH, OF_SMOOTH),
    NO_EFFECT("nan", NO_SMOOTH, OF_SMOOTH),
    NO_EFFECT("mask", NO_SMOOTH, OF_SMOOTH),
    NO_EFFECT("mask", NO_REACH, "nothing is smoothed with a halo of 0"),
    NO_EFFECT("nan", MASK_SKIPS_NAN, "--mask leaves out every NaN of floats, as --nan skip does"),
    NO_EFFECT("amount", NO_AMOUNT, "the operation is not sharpen, gradient or laplace"),
    NO_EFFECT("offset", NO_OFFSET, "the operation is not difference or laplace"),
    NO_EFFECT("offset", FLOATS, "floats have a sign"),
    NO_EFFECT("float", NO_SMOOTH, OF_SMOOTH),
    NO_EFFECT("block", NO_BLOCK, "only --variant naive and coalesced have it"),
    {"device", NO_GPU,
     "--device: has no effect, since the processor computes; say --variant gpu, or leave it out"},
    NO_EFFECT("scale", NOT_PNG, OF_PNG),
    NO_EFFECT("quality", NOT_JPEG, "the output is not JPEG"),
    NO_EFFECT("png-level", NOT_PNG, OF_PNG),
    NO_EFFECT("tiff-compression", NOT_TIFF, "the output is not TIFF"),
    NO_EFFECT("max-metadata", NO_METADATA, "--strip-metadata keeps none"),
    NO_EFFECT("preserve", FROM_STREAM, "standard input has no times"),
    NO_EFFECT("preserve", TO_STREAM, OF_STREAM),
    NO_EFFECT("skip-existing", TO_STREAM, OF_STREAM),
    NO_EFFECT("no-clobber", TO_STREAM, OF_STREAM),
    {"mask", MASK_FROM_STREAM, "--mask -: a mask is not read from a pipe; name a file"},
    /* The second would weigh by the smoothed mask, and take for a float what the first one has made
     * of its neighbours. */
    {"mask", TWO_SMOOTHS,
     "--mask: of several operations that smooth it is only clear for the first; use one at a time"},

};

static int count_smooths(const struct options *options)
{
    int count = 0;

    for (int i = 0; i < options->batch.stream.work.op_count; i++)
        count += operation_smooths(options->batch.stream.work.ops[i]);
    return count;
}

/* NULL: not given. */
static bool is_stream(const char *name)
{
    return name && strcmp(name, "-") == 0;
}

/* Is the format of all outputs known, and another one? A folder's name tells no format. */
static bool is_other_than(const struct options *options, enum format format)
{
    const char *extension = options->batch.plan.format;
    enum format found;

    if (!extension && !options->batch.plan.output_dir && options->batch.plan.output &&
        format_is_named(options->batch.plan.output))
        extension = format_extension(options->batch.plan.output);
    return extension && format_of_extension(extension, NULL, &found) && found != format;
}

/* Does this word of --variant, or the part of it before the engine's name, leave the work to the
 * processor? */
static bool is_of_processor(const char *variant)
{
    static const char *const words[] = {"auto", "cpu", "reference"};
    const size_t length = strcspn(variant, ":");

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncmp(variant, words[i], length) == 0)
            return true;
    return false;
}

/* What depends on the images is not checked, since one command line serves many files. */
enum status hints_check(const struct options *options, struct error *error)
{
    const bool facts[FACTS] = {
        [NO_SMOOTH] = count_smooths(options) == 0,
        [TWO_SMOOTHS] = count_smooths(options) > 1,
        [NO_AMOUNT] = !options_have(options, OPERATION_SHARPEN) &&
                      !options_have(options, OPERATION_GRADIENT) &&
                      !options_have(options, OPERATION_LAPLACE),
        [NO_OFFSET] = !options_have(options, OPERATION_DIFFERENCE) &&
                      !options_have(options, OPERATION_LAPLACE),
        [FLOATS] = options->batch.stream.work.floats,
        [HALO_GIVEN] = option_is_given(&option_table, options, "halo"),
        [NO_SIGMA] = !options->sigma_text,
        [NO_REACH] = filter_halo(&options->batch.stream.work.filter) == 0,
        [MASK_SKIPS_NAN] = options->batch.mask && options->nan == NAN_PROPAGATE,
        [MASK_FROM_STREAM] = is_stream(options->batch.mask),
        [NO_BLOCK] = !variant_is(options, "naive") && !variant_is(options, "coalesced"),
        [NO_GPU] = is_of_processor(options->batch.stream.work.variant),
        [NOT_JPEG] = is_other_than(options, FORMAT_JPEG),
        [NOT_PNG] = is_other_than(options, FORMAT_PNG),
        [NOT_TIFF] = is_other_than(options, FORMAT_TIFF),
        [NO_METADATA] = options->strip_metadata,
        [FROM_STREAM] =
            options->batch.plan.input_count == 1 && is_stream(options->batch.plan.inputs[0]),
        [TO_STREAM] = is_stream(options->batch.plan.output),
    };

    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (facts[hints[i].fact] && option_is_given(&option_table, options, hints[i].name))
            return fail(error, STATUS_USAGE, "%s", hints[i].text);
    return STATUS_OK;
}

/* Of a sigma that may have been meant otherwise. */
static void explain_sigma(const struct options *options)
{
    const char *text = options->sigma_text;

    if (axes_look_like_one(options))
        message_print("--sigma %s: %g along the rows, %g down the columns; for one number with a "
                      "fraction write %.*s.%s",
                      text, options->sigmas[0], options->sigmas[1], (int)strcspn(text, ","), text,
                      text + strcspn(text, ",") + 1);
}

/* The program would seem to hang. */
static void explain_terminal(const struct options *options)
{
    if (!isatty(STDIN_FILENO))
        return;
    if (is_stream(options->batch.plan.files_from))
        message_print("reading names of files from the terminal, one a line; Ctrl-D ends the list");
    else if (options->batch.plan.input_count == 1 && is_stream(options->batch.plan.inputs[0]))
        message_print("reading an image from the terminal; Ctrl-C ends this; to read a file, name "
                      "it instead of -");
}

void hints_print(const struct options *options)
{
    if (options->quiet)
        return;
    explain_sigma(options);
    explain_terminal(options);
}
