/* SPDX-License-Identifier: MIT */
#include "src/app/cli/ui/ui.h"

#include "src/lib/base/escape.h"
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

/* What an operation was told, as pairs of --json, or for people as "name value". */
struct fields {
    FILE *stream;
    bool json;
    int count;
};

#define FIELDS_IN_LINE 5 /* for people */

static FILE *begin_field(struct fields *fields, const char *name, bool flag)
{
    const bool wraps = !fields->json && fields->count > 0 && fields->count % FIELDS_IN_LINE == 0;

    fputs(fields->count++ == 0 ? "" : wraps ? ",\n    " : ", ", fields->stream);
    fprintf(fields->stream, fields->json ? "\"%s\": " : flag ? "%s" : "%s ", name);
    return fields->stream;
}

static void add_text(struct fields *fields, const char *name, const char *text)
{
    (fields->json ? json_string : escape_print)(begin_field(fields, name, false), text);
}

/* With as few digits, from a halo's on, as mean this double: 2.01, not 2.0099999999999998. */
static void print_shortest(FILE *stream, double value)
{
    char text[40];
    int digits = 3;

    do
        snprintf(text, sizeof text, "%.*g", ++digits, value);
    while (digits < ALL_DIGITS && strtod(text, NULL) != value);
    json_number(stream, value, digits);
}

/* Of x, y and, of a volume, z: one number, if there are two that are the same. */
static void add_axes(struct fields *fields, const char *name, const struct filter *filter,
                     double (*value)(const struct filter_axis *axis))
{
    const struct filter_axis *const axes[] = {&filter->x, &filter->y, &filter->z};
    const int count = filter->z.halo > 0 ? 3 : filter_is_even(filter) ? 1 : 2;
    FILE *stream = begin_field(fields, name, false);

    for (int i = 0; i < count; i++) {
        fputs(i > 0 ? (fields->json ? ", " : ",") : count > 1 && fields->json ? "[" : "", stream);
        print_shortest(stream, value(axes[i]));
    }
    fputs(count > 1 && fields->json ? "]" : "", stream);
}

static double halo_of(const struct filter_axis *axis)
{
    return (double)axis->halo;
}

static void add_filter(struct fields *fields, const struct options *options,
                       const struct report *report)
{
    const struct filter *filter = &options->batch.stream.work.filter;

    add_axes(fields, "halo", filter, halo_of);
    add_axes(fields, "sigma", filter, gauss_sigma);
    add_text(fields, "edge", edge_words[filter->edge]);
    add_text(fields, "norm", norm_words[filter->norm]);
    add_text(fields, "alpha", alpha_words[filter->alpha]);
    if (report->shape.maxval == FLOAT_SAMPLES)
        add_text(fields, "nan", nan_words[filter->nan]);
    if (options->batch.mask)
        add_text(fields, "mask", options->batch.mask);
    if (options->batch.stream.work.floats)
        fputs(fields->json ? "true" : "", begin_field(fields, "float", true));
}

static void describe(struct fields *fields, const struct options *options,
                     const struct report *report, int i)
{
    const struct work_options *work = &options->batch.stream.work;
    const int operation = work->ops[i];

    if (operation_smooths(operation))
        add_filter(fields, options, report);
    if (operation == OPERATION_SHARPEN || operation_derives(operation))
        print_shortest(begin_field(fields, "amount", false), (double)work->amount / AMOUNT_UNIT);
    if ((operation == OPERATION_DIFFERENCE || operation == OPERATION_LAPLACE) &&
        work->offset != MIDDLE_OFFSET)
        print_shortest(begin_field(fields, "offset", false), (double)work->offset);
}

void op_print(FILE *stream, const struct options *options, const struct report *report, int i)
{
    struct fields fields = {.stream = stream};

    fprintf(stream, "  %s, ", operation_words[options->batch.stream.work.ops[i]]);
    add_text(&fields, "variant", report->times.ops[i].engine);
    describe(&fields, options, report, i);
    fputc('\n', stream);
}

static void print_op(FILE *line, const struct options *options, const struct report *report, int i)
{
    const struct op_times *times = &report->times.ops[i];
    struct fields fields = {.stream = line, .json = true};

    fputs(i > 0 ? ", {" : "{", line);
    add_text(&fields, "op", operation_words[options->batch.stream.work.ops[i]]);
    add_text(&fields, "variant", times->variant);
    add_text(&fields, "engine", times->engine);
    add_text(&fields, "device", times->on_gpu ? report->gpu.text : "cpu");
    describe(&fields, options, report, i);
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
