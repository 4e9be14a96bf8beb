/* SPDX-License-Identifier: MIT */
/* Prints notes: sentences about results that may surprise the user, and about options that have no
 * effect. */
#include "src/app/cli/ui/ui.h"
#include "src/files/output/output.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

/* Prints a note, unless this run has already printed a note with the same `word`. */
__attribute__((format(printf, 3, 4))) static void note(struct notes *notes, const char *word,
                                                       const char *format, ...)
{
    const int printed = notes->printed.count;
    char text[sizeof(struct phrase)];
    va_list arguments;

    string_list_add(&notes->printed, word);
    if (notes->printed.count == printed)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    message_print("%s%s", text, notes->many ? " (said once)" : "");
}

/* Prints a note if the samples of a PNG fill only a part of the range of its bit depth. A grey PNG
 * can also have 1, 2 or 4 bits, so that a maxval of 1, 3 or 15 fills the range. */
static void tell_dark(struct notes *notes, const char *output, const struct report *report)
{
    const unsigned maxval = report->shape.maxval, range = maxval > 255 ? 65535 : 255;
    const bool few = report->shape.channels == 1 && (maxval == 1 || maxval == 3 || maxval == 15);

    if (!few && maxval < range)
        note(notes, "dark",
             "%s: a maxval of %u in a PNG of %u looks %.3g times too dark in most viewers; --scale "
             "stretches it",
             output, maxval, range, (double)range / maxval);
}

/* Prints a note that --linear decoded the samples without regard to the file's colour profile. */
static void tell_profile(struct notes *notes, const char *input, const struct report *report)
{
    struct phrase curve = {""};

    phrase_add(&curve, report->gamma == LIGHT_SRGB ? "sRGB" : "a gamma of %.7g",
               report->gamma / 1e5);
    note(notes, "profile", "%s: --linear does not read its colour profile; decoded by %s", input,
         curve.text);
}

/* Prints notes on options that cannot change the result of this image. A batch may write several
 * formats, and an option for one format, such as --quality for JPEG, then has an effect on some
 * files. Such options are therefore noted only for a single file, or if --format sets one format
 * for all files. */
static void tell_no_effect(struct notes *notes, const struct options *options, const char *input,
                           const struct report *report)
{
    const struct smooth_options *filter = &options->batch.stream.work.filter;
    const bool floats = report->shape.maxval == FLOAT_SAMPLES;
    const bool one = !notes->many || options->batch.plan.format;
    const struct {
        bool so;
        const char *option, *why;
    } all[] = {
        {floats, "--linear", "its samples are floats"},
        {floats, "--float", "its samples are floats"},
        {options->nan == NAN_SKIP && !floats, "--nan", "its samples are integers"},
        {filter->alpha == ALPHA_SEPARATE && !report->has_alpha, "--alpha", "it has no alpha"},
        /* With --edge zero a single page has pages of zeros before and after it, so the filter
         * changes it. */
        {filter->z.halo > 0 && filter->edge != EDGE_ZERO && report->images == 1,
         "the third number of --sigma or --halo", "it has one page"},
        {one && report->format != FORMAT_PNG, "--scale", "its output is not PNG"},
        {one && report->format != FORMAT_PNG, "--png-level", "its output is not PNG"},
        {one && report->format != FORMAT_JPEG, "--quality", "its output is not JPEG"},
        {one && report->format != FORMAT_TIFF, "--tiff-compression", "its output is not TIFF"},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].so &&
            (*all[i].option != '-' || option_is_given(&option_table, options, all[i].option + 2)))
            note(notes, all[i].option, "%s: %s has no effect: %s", input, all[i].option,
                 all[i].why);
}

#define MAX_COMMON_CHANNELS 4 /* an array with more channels than this may be a stack of images */

void notes_print(struct notes *notes, const struct options *options, const struct task *task,
                 const struct report *report)
{
    const char *input = image_reader_name(task->input), *output = output_name(task->output);
    const char *faults = report->faults.text, *left_out = report->damaged.text;
    const struct shape *shape = &report->shape;

    if (*faults || *left_out)
        message_print("%s: damaged in part%s%s%s%s", input, *faults ? ": " : "", faults,
                      *left_out ? "; left out: " : "", left_out);
    if (task->exists && task->second_operand)
        message_print("%s: an older image of this name was replaced", task->output);
    if (*report->gpu.text && gpu_is_emulated())
        note(notes, "emulated", "the GPU is emulated, on the processor: its times mean nothing");
    /* With --verbose the record of the file lists the metadata that the output lacks. */
    if (*report->not_carried.text && !options->verbose)
        note(notes, "carried", "%s: not carried over to %s: %s", input, format_word(report->format),
             report->not_carried.text);
    if (report->format == FORMAT_JPEG)
        note(notes, "lossy", "%s: JPEG is lossy: its samples differ a little from the result; %s",
             output,
             options->batch.plan.in_place ? "without --in-place a .png keeps it exactly"
             : notes->many || options->batch.plan.format
                 ? "--format png keeps it exactly"
                 : "name the output .png to keep it exactly");
    if (report->linear && report->has_profile)
        tell_profile(notes, input, report);
    tell_no_effect(notes, options, input, report);
    if (*report->no_data)
        note(notes, "no data",
             "%s: samples of %s are smoothed like others, though the tag GDAL_NODATA calls them "
             "missing; use --mask, or turn them into NaN for --nan skip",
             input, report->no_data);
    if (report->input_format == FORMAT_NPY && shape->channels > MAX_COMMON_CHANNELS)
        note(notes, "channels",
             "%s: read as %lld x %lld pixels of %d channels, since the axes of an array are rows, "
             "columns, channels; for a stack of images give --sigma or --halo three numbers, such "
             "as 2,2,0",
             input, (long long)shape->width, (long long)shape->height, (int)shape->channels);
    if (report->format == FORMAT_PNG && !options->batch.stream.output.write.scale)
        tell_dark(notes, output, report);
}

void notes_print_before(const struct options *options)
{
    const char *text = options->sigma_text;

    if (options->quiet)
        return;
    if (text && axes_look_like_one(options))
        message_print("--sigma %s: %g along the rows, %g down the columns; for one number with a "
                      "fraction write %.*s.%s",
                      text, options->sigmas[0], options->sigmas[1], (int)strcspn(text, ","), text,
                      text + strcspn(text, ",") + 1);
    if (text && options->halo_count == 0 &&
        (options->operations & (BIT(SMOOTH) | BIT(SHARPEN) | BIT(DIFFERENCE))) &&
        filter_halo(&options->batch.stream.work.filter) == 0)
        message_print(
            "--sigma %s: smooths nothing, since the halo that follows from it is 0; use a "
            "larger --sigma, or give --halo too",
            text);
    /* Without these notes a program that waits for the terminal would seem to hang. */
    if (isatty(STDIN_FILENO) && names_stream(options->batch.plan.files_from))
        message_print("reading names of files from the terminal, one a line; Ctrl-D ends the list");
    else if (isatty(STDIN_FILENO) && options->batch.plan.input_count == 1 &&
             names_stream(options->batch.plan.inputs[0]))
        message_print("reading an image from the terminal; Ctrl-C ends this; to read a file, name "
                      "it instead of -");
}
