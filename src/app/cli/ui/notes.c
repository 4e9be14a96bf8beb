/* SPDX-License-Identifier: MIT */
#include "src/app/cli/ui/notes.h"

#include "src/app/cli/ui/message.h"
#include "src/app/cli/ui/print_report.h"
#include "src/files/output/output.h"
#include "src/lib/gpu/gpu.h"

static const char *once(bool many)
{
    return many ? " (said once; -v says it of each file)" : "";
}

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

    if (report->format != FORMAT_PNG || options->scale || few || maxval == 255 || maxval == 65535)
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
                      "are rows, columns, channels; of a stack of images save each as a file of "
                      "its own%s",
                      input, (long long)shape->width, (long long)shape->height,
                      (int)shape->channels, said);
    if (take(&notes->spread_nan, report->nan_samples > 0))
        message_print("%s: %lld sample%s of the result %s NaN: a NaN of the input, or infinities "
                      "of both signs, make all in reach NaN; --nan skip leaves NaN out%s",
                      input, (long long)report->nan_samples, report->nan_samples == 1 ? "" : "s",
                      report->nan_samples == 1 ? "is" : "are", said);
}

void notes_print(struct notes *notes, const struct options *options, const struct task *task,
                 const struct report *report, bool many)
{
    const char *input = image_reader_name(task->input), *said = many ? " (said once)" : "";
    const unsigned range = full_range(options, report), maxval = report->shape.maxval;

    tell_damage(input, report);
    if (take(&notes->emulated, gpu_is_emulated() && report->device[0] != '\0'))
        message_print("the GPU is emulated, on the processor: its times mean nothing");
    /* The lines of --verbose say it too. */
    if (take(&notes->not_carried, report->not_carried.text[0] != '\0' && !options->verbose))
        message_print("%s: not carried over to %s: %s%s", input, format_word(report->format),
                      report->not_carried.text, once(many));
    if (take(&notes->profile, report->linear && report->curve.has_profile))
        message_print("%s: --linear does not read its colour profile; decoded by %s%s", input,
                      curve_text(&report->curve).text, said);
    if (take(&notes->no_light, options->linear && maxval == FLOAT_SAMPLES))
        message_print("%s: --linear has no effect: its samples are floats%s", input, said);
    if (take(&notes->no_nan, options->nan == NAN_SKIP && maxval != FLOAT_SAMPLES))
        message_print("%s: --nan has no effect: its samples are integers%s", input, said);
    tell_array(notes, input, report, said);
    if (take(&notes->dark, range > 0))
        message_print(
            "%s: a maxval of %u in a PNG of %u looks %.3g times too dark in most viewers; "
            "--scale stretches it%s",
            output_name(task->output), maxval, range, (double)range / maxval, said);
}
