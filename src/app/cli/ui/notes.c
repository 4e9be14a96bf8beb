/* SPDX-License-Identifier: MIT */

#include "src/app/cli/ui/ui.h"
#include "src/files/output/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ONCE " (said once)"

/* Takes a note that has not been printed. */
static bool take(bool *printed, bool wanted)
{
    const bool now = wanted && !*printed;

    *printed = *printed || now;
    return now;
}

/* The full range of the samples of a PNG that are stored without --scale; 0: they have it, or it is
 * no PNG. */
static unsigned full_range(const struct options *options, const struct report *report)
{
    const unsigned maxval = report->shape.maxval;
    const bool few = report->shape.channels == 1 && (maxval == 1 || maxval == 3 || maxval == 15);

    if (report->format != FORMAT_PNG || options->batch.stream.output.write.scale || few ||
        maxval == 255 || maxval == 65535)
        return 0;
    return maxval > 255 ? 65535 : 255;
}

/* Damage in the input that did not prevent reading it. */
static void tell_damage(const char *input, const struct report *report)
{
    const char *faults = report->faults.text, *left_out = report->damaged.text;

    if (*faults || *left_out)
        message_print("%s: damaged in part%s%s%s%s", input, *faults ? ": " : "", faults,
                      *left_out ? "; left out: " : "", left_out);
}

#define MAX_COMMON_CHANNELS 4 /* an array with more may be a stack of images */

/* Of an array that may have been meant otherwise, and of missing samples. */
static void tell_array(struct notes *notes, const char *input, const struct report *report,
                       const char *said)
{
    const struct shape *shape = &report->shape;

    if (take(&notes->channels,
             report->input_format == FORMAT_NPY && shape->channels > MAX_COMMON_CHANNELS))
        message_print("%s: read as %lld x %lld pixels of %d channels, since the axes of an array "
                      "are rows, columns, channels; for a stack of images give --sigma or --halo "
                      "three numbers, such as 2,2,0%s",
                      input, (long long)shape->width, (long long)shape->height,
                      (int)shape->channels, said);
    if (take(&notes->spread_nan, report->nan_samples > 0))
        message_print("%s: %lld sample%s of the result %s NaN: a NaN of the input, or infinities "
                      "of both signs, make all in reach NaN; --nan skip leaves NaN out%s",
                      input, (long long)report->nan_samples, report->nan_samples == 1 ? "" : "s",
                      report->nan_samples == 1 ? "is" : "are", said);
}

/* Was an option given that is for another format than the output's? That is no surprise in a
 * folder, whose outputs may have several formats. */
static bool gives(const struct options *options, const char *option, const struct report *report,
                  enum format format, bool many)
{
    return !many && report->format != format && option_is_given(&option_table, options, option);
}

/* Options that cannot change the result of this image. */
static void tell_no_effect(struct notes *notes, const struct options *options, const char *input,
                           const struct report *report, bool many)
{
    const struct filter *filter = &options->batch.stream.work.filter;
    const bool floats = report->shape.maxval == FLOAT_SAMPLES;
    const struct {
        bool so;
        const char *option, *why;
    } all[NO_EFFECTS] = {
        {options->batch.stream.linear && floats, "--linear", "its samples are floats"},
        {options->batch.stream.work.floats && floats, "--float", "its samples are floats"},
        {options->nan == NAN_SKIP && !floats, "--nan", "its samples are integers"},
        {filter->alpha == ALPHA_SEPARATE && !report->has_alpha, "--alpha", "it has no alpha"},
        /* Zeros around the page count. */
        {filter->z.halo > 0 && filter->edge != EDGE_ZERO && report->images == 1,
         "the third number of --sigma or --halo", "it has one page"},
        {gives(options, "scale", report, FORMAT_PNG, many), "--scale", "its output is not PNG"},
        {gives(options, "png-level", report, FORMAT_PNG, many), "--png-level",
         "its output is not PNG"},
        {gives(options, "quality", report, FORMAT_JPEG, many), "--quality",
         "its output is not JPEG"},
        {gives(options, "tiff-compression", report, FORMAT_TIFF, many), "--tiff-compression",
         "its output is not TIFF"},
    };

    for (int i = 0; i < NO_EFFECTS; i++)
        if (take(&notes->no_effect[i], all[i].so))
            message_print("%s: %s has no effect: %s%s", input, all[i].option, all[i].why,
                          many ? ONCE : "");
}

void notes_print(struct notes *notes, const struct options *options, const struct task *task,
                 const struct report *report, bool many)
{
    const char *input = image_reader_name(task->input), *said = many ? ONCE : "";
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    struct phrase curve = {""};
    const unsigned range = full_range(options, report), maxval = report->shape.maxval;

    tell_damage(input, report);
    if (take(&notes->gpu, options->verbose && variant_is(options, "auto") && !gpu_absent() &&
                              !(visible && *visible == '\0')))
        message_print("a GPU is here; --variant gpu uses it");
    if (task->exists && task->second_operand)
        message_print("%s: an older image of this name was replaced", task->output);
    if (take(&notes->emulated, gpu_is_emulated() && *report->gpu.text))
        message_print("the GPU is emulated, on the processor: its times mean nothing");
    /* The lines of --verbose say it too. */
    if (take(&notes->not_carried, report->not_carried.text[0] != '\0' && !options->verbose))
        message_print("%s: not carried over to %s: %s%s", input, format_word(report->format),
                      report->not_carried.text, said);
    if (take(&notes->lossy, report->format == FORMAT_JPEG))
        message_print("%s: JPEG is lossy: its samples differ a little from the result; %s%s",
                      output_name(task->output),
                      options->batch.plan.in_place ? "without --in-place a .png keeps it exactly"
                      : many || options->batch.plan.format
                          ? "--format png keeps it exactly"
                          : "name the output .png to keep it exactly",
                      said);
    if (report->gamma != LIGHT_SRGB)
        phrase_add(&curve, "a gamma of %.7g", report->gamma / 1e5);
    if (take(&notes->profile, report->linear && report->has_profile))
        message_print("%s: --linear does not read its colour profile; decoded by %s%s", input,
                      *curve.text ? curve.text : "sRGB", said);
    tell_no_effect(notes, options, input, report, many);
    tell_array(notes, input, report, said);
    if (take(&notes->dark, range > 0))
        message_print(
            "%s: a maxval of %u in a PNG of %u looks %.3g times too dark in most viewers; "
            "--scale stretches it%s",
            output_name(task->output), maxval, range, (double)range / maxval, said);
}

void notes_print_before(const struct options *options)
{
    const char *text = options->sigma_text;

    if (options->quiet)
        return;
    if (axes_look_like_one(options))
        message_print("--sigma %s: %g along the rows, %g down the columns; for one number with a "
                      "fraction write %.*s.%s",
                      text, options->sigmas[0], options->sigmas[1], (int)strcspn(text, ","), text,
                      text + strcspn(text, ",") + 1);
    /* The program would seem to hang. */
    if (isatty(STDIN_FILENO) && names_stream(options->batch.plan.files_from))
        message_print("reading names of files from the terminal, one a line; Ctrl-D ends the list");
    else if (isatty(STDIN_FILENO) && options->batch.plan.input_count == 1 &&
             names_stream(options->batch.plan.inputs[0]))
        message_print("reading an image from the terminal; Ctrl-C ends this; to read a file, name "
                      "it instead of -");
}
