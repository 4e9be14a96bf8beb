/* SPDX-License-Identifier: MIT */
#include "src/app/cli/ui/ui.h"

#include "src/text/exit_status.h"
#include "src/text/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIME_DIGITS 6
#define ALL_DIGITS 17

static const char *const outcome_words[] = {"done",    "skipped", "failed",
                                            "planned", "other",   "folder"};

static void print_seconds(FILE *line, const char *key, double seconds)
{
    json_next_number(line, key, seconds, TIME_DIGITS);
}

/* A size, or null if unknown. */
static void print_bytes(FILE *line, const char *key, int64_t bytes)
{
    if (bytes >= 0)
        json_next_integer(line, key, bytes);
    else
        fprintf(line, ", \"%s\": null", key);
}

static void print_shape(FILE *line, const struct report *report)
{
    json_next_integer(line, "width", report->shape.width);
    json_next_integer(line, "height", report->shape.height);
    json_next_integer(line, "channels", report->shape.channels);
    if (report->shape.maxval == FLOAT_SAMPLES)
        fputs(", \"maxval\": null", line);
    else
        json_next_integer(line, "maxval", report->shape.maxval);
    json_next_integer(line, "images", report->images);
    json_next_integer(line, "pixels", report->pixels);
}

/* Halos and sigmas of x, y and, of a volume, z: one number each, if there are two that are the
 * same. */
static void print_axes(FILE *line, const struct filter *filter)
{
    const struct filter_axis axes[3] = {filter->x, filter->y, filter->z};
    const int count = filter->z.halo > 0 ? 3 : 2;

    if (count == 2 && filter_is_even(filter)) {
        json_next_integer(line, "halo", filter->x.halo);
        json_next_number(line, "sigma", gauss_sigma(&filter->x), ALL_DIGITS);
        return;
    }
    for (int i = 0; i < count; i++)
        fprintf(line, "%s%lld", i == 0 ? ", \"halo\": [" : ", ", (long long)axes[i].halo);
    fputs("], \"sigma\": [", line);
    for (int i = 0; i < count; i++) {
        fputs(i == 0 ? "" : ", ", line);
        json_number(line, gauss_sigma(&axes[i]), ALL_DIGITS);
    }
    fputc(']', line);
}

static void print_filter(FILE *line, const struct filter *filter, bool floats)
{
    print_axes(line, filter);
    json_next_text(line, "edge", edge_words[filter->edge]);
    json_next_text(line, "norm", norm_words[filter->norm]);
    json_next_text(line, "alpha", alpha_words[filter->alpha]);
    if (floats)
        json_next_text(line, "nan", nan_words[filter->nan]);
}

static void print_op(FILE *line, const struct options *options, const struct report *report, int i)
{
    const struct work_options *work = &options->batch.stream.work;
    const struct op_times *times = &report->times.ops[i];
    const int operation = work->ops[i];

    fputs(i > 0 ? ", {" : "{", line);
    json_text_pair(line, "op", operation_words[operation]);
    json_next_text(line, "variant", times->variant);
    json_next_text(line, "engine", times->engine);
    json_next_text(line, "device", times->on_gpu ? report->gpu.text : "cpu");
    if (operation_smooths(operation))
        print_filter(line, &work->filter, report->shape.maxval == FLOAT_SAMPLES);
    if (operation_smooths(operation) && options->batch.mask)
        json_next_text(line, "mask", options->batch.mask);
    if (operation == OPERATION_SHARPEN || operation_derives(operation))
        json_next_number(line, "amount", (double)work->amount / AMOUNT_UNIT, TIME_DIGITS);
    if ((operation == OPERATION_DIFFERENCE || operation == OPERATION_LAPLACE) &&
        work->offset != MIDDLE_OFFSET)
        json_next_integer(line, "offset", work->offset);
    if (operation_smooths(operation) && work->floats)
        fputs(", \"float\": true", line);
    print_seconds(line, "seconds", times->compute);
    if (times->on_gpu) {
        print_seconds(line, "upload", times->gpu.upload);
        print_seconds(line, "kernel", times->gpu.kernel);
        print_seconds(line, "download", times->gpu.download);
    }
    fputc('}', line);
}

/* The gamma by which samples were decoded to linear light, or "sRGB". */
static void print_curve(FILE *line, uint32_t gamma)
{
    if (gamma == LIGHT_SRGB)
        json_text_pair(line, "linear", "sRGB");
    else
        json_number_pair(line, "linear", gamma / 1e5, TIME_DIGITS);
    fputs(", ", line);
}

/* Only of a file that is done. */
static void print_work(FILE *line, const struct options *options, const struct report *report)
{
    print_bytes(line, "output_bytes", report->output_bytes);
    json_next_text(line, "format", format_word(report->format));
    fputs(", \"ops\": [", line);
    for (int i = 0; i < options->batch.stream.work.op_count; i++)
        print_op(line, options, report, i);
    fputs("], ", line);
    if (report->linear)
        print_curve(line, report->gamma);
    fputs("\"seconds\": {", line);
    json_number_pair(line, "read", report->times.read, TIME_DIGITS);
    print_seconds(line, "write", report->times.write);
    print_seconds(line, "elapsed", report->seconds);
    fputc('}', line);
}

static void print_outcome(FILE *line, const struct task_result *result)
{
    const char *why = result->outcome == OUTCOME_SKIPPED ? "the output exists"
                      : result->error                    ? result->error->text
                                                         : result->why;

    json_next_integer(line, "exit", exit_status(result->status));
    if (why)
        json_next_text(line, result->outcome == OUTCOME_FAILED ? "error" : "reason", why);
}

static void print_record(FILE *line, const struct options *options,
                         const struct task_result *result)
{
    const struct report *report = result->report;
    const struct task *task = result->task;

    fputc('{', line);
    json_text_pair(line, "status", outcome_words[result->outcome]);
    json_next_text(line, "input", task->input);
    if (task->output)
        json_next_text(line, "output", task->output);
    else
        fputs(", \"output\": null", line);
    print_outcome(line, result);
    print_bytes(line, "input_bytes", report->input_bytes < 0 ? task->bytes : report->input_bytes);
    if (report->images > 0)
        print_shape(line, report);
    if (result->outcome == OUTCOME_DONE)
        print_work(line, options, report);
    fputs("}\n", line);
}

static void print_summary(FILE *line, const struct record_summary *summary)
{
    fputs("{\"status\": \"summary\"", line);
    json_next_text(line, "version", SMOOTHIMG_VERSION);
    if (summary->interrupted)
        fputs(", \"exit\": null", line);
    else
        json_next_integer(line, "exit", exit_status(summary->exit));
    for (int i = 0; i < OUTCOMES; i++)
        json_next_integer(line, outcome_words[i], summary->counts[i]);
    json_next_integer(line, "left", summary->left);
    json_next_integer(line, "others", summary->others);
    json_next_integer(line, "folders", summary->folders);
    json_next_integer(line, "images", summary->total.images);
    json_next_integer(line, "pixels", summary->total.pixels);
    json_next_integer(line, "input_bytes", summary->total.input_bytes);
    json_next_integer(line, "output_bytes", summary->total.output_bytes);
    print_seconds(line, "seconds", summary->seconds);
    fputs("}\n", line);
}

/* After a short write (a full disk, a limit, a signal) the next one fails with the reason. */
static enum status write_line(const char *text, size_t bytes, struct error *error)
{
    while (bytes > 0) {
        const ssize_t written = write(STDOUT_FILENO, text, bytes);

        if (written < 0 && errno != EINTR)
            return fail(error, STATUS_OUTPUT,
                        "standard output: a line of --json cannot be written: %s",
                        error_reason(errno));
        text += written > 0 ? written : 0;
        bytes -= written > 0 ? (size_t)written : 0;
    }
    return STATUS_OK;
}

enum status record_print(const struct options *options, const struct task_result *result,
                         const struct record_summary *summary, struct error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *line = open_memstream(&text, &bytes);
    enum status status;
    bool whole = false;

    if (line) {
        if (result)
            print_record(line, options, result);
        else
            print_summary(line, summary);
        whole = !ferror(line);
        /* Without memory for the end of the text, glibc only sets it to NULL. */
        whole = fclose(line) == 0 && text && whole;
    }
    status = whole ? write_line(text, bytes, error)
                   : fail(error, STATUS_OUTPUT, "standard output: no memory for a line of --json");
    free(text);
    return status;
}
