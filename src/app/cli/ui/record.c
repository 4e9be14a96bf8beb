/* SPDX-License-Identifier: MIT */
#include "src/app/cli/ui/ui.h"

#include "src/lib/api/study.h"
#include "src/lib/base/escape.h"
#include "src/text/exit_status.h"
#include "src/text/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIGITS 6         /* significant digits of most numbers */
#define DIGITS_DOUBLE 17 /* enough to tell any two doubles apart */
#define WIDTH 80         /* columns of a line of --verbose, unless a field is longer */

static const char *const outcome_words[] = {"done", "skipped", "failed", "planned"};

/* A record that is being written: what was done with one file, or in the whole run. Its form is
 * JSON, or "name value, name value" for --verbose. */
struct fields {
    FILE *stream;
    bool json;
    int count; /* 0 before the first field of the record or of a group, where no comma is printed */
};

static FILE *begin_field(struct fields *fields, const char *name)
{
    const int count = fields->count++;

    if (fields->json)
        fprintf(fields->stream, "%s\"%s\": ", count > 0 ? ", " : "", name);
    else
        fprintf(fields->stream, "%s%s ", count > 0 ? ",\t" : "", name); /* \t: see record_tell */
    return fields->stream;
}

/* Adds a string. NULL stands for an unknown value: null in JSON, else nothing. */
static void add_text(struct fields *fields, const char *name, const char *text)
{
    if (text)
        (fields->json ? json_string : escape_print)(begin_field(fields, name), text);
    else if (fields->json)
        fputs("null", begin_field(fields, name));
}

static void add_integer(struct fields *fields, const char *name, int64_t value)
{
    fprintf(begin_field(fields, name), "%lld", (long long)value);
}

static void add_number(struct fields *fields, const char *name, double value)
{
    json_number(begin_field(fields, name), value, DIGITS);
}

/* Adds a number of bytes; -1 means unknown. */
static void add_bytes(struct fields *fields, const char *name, int64_t bytes)
{
    if (bytes >= 0)
        add_integer(fields, name, bytes);
    else
        add_text(fields, name, NULL);
}

/* begin_group and end_group enclose a group of fields: in braces in JSON, in an indented line for
 * --verbose. `json` is the JSON text that begins the group, such as ", {", or ends it, such as
 * "}]". */
static void begin_group(struct fields *fields, const char *json)
{
    fputs(fields->json ? json : "\n  ", fields->stream);
    fields->count = 0;
}

static void end_group(struct fields *fields, const char *json)
{
    fputs(fields->json ? json : "", fields->stream);
    fields->count = 1;
}

/* Prints the shortest decimal that reads back as the same double: 2.01, not 2.0099999999999998. */
static void print_exactly(FILE *stream, double value)
{
    char text[40];
    int digits = DIGITS - 1;

    do
        snprintf(text, sizeof text, "%.*g", ++digits, value);
    while (digits < DIGITS_DOUBLE && strtod(text, NULL) != value);
    json_number(stream, value, digits);
}

/* Adds a field with the results of value() for the axes x, y and, for a volume, z. For an image the
 * field is a single number if the filters along x and y are equal. */
static void add_axes(struct fields *fields, const char *name, const struct smooth_options *filter,
                     double (*value)(const struct filter_axis *axis))
{
    const struct filter_axis *const axes[] = {&filter->x, &filter->y, &filter->z};
    const bool even = filter->x.halo == filter->y.halo &&
                      (filter->x.sigma == filter->y.sigma || filter->x.halo == 0);
    const int count = filter->z.halo > 0 ? 3 : even ? 1 : 2;
    const bool list = fields->json && count > 1;
    FILE *stream = begin_field(fields, name);

    for (int i = 0; i < count; i++) {
        fputs(i > 0 ? (list ? ", " : ",") : list ? "[" : "", stream);
        print_exactly(stream, value(axes[i]));
    }
    fputs(list ? "]" : "", stream);
}

static double halo_of(const struct filter_axis *axis)
{
    return (double)axis->halo;
}

static void add_filter(struct fields *fields, const struct options *options, bool floats)
{
    const struct smooth_options *filter = &options->batch.stream.work.filter;

    add_axes(fields, "halo", filter, halo_of);
    add_axes(fields, "sigma", filter, gauss_sigma);
    add_text(fields, "edge", edge_words[filter->edge]);
    add_text(fields, "norm", norm_words[filter->norm]);
    add_text(fields, "alpha", alpha_words[filter->alpha]);
    if (floats)
        add_text(fields, "nan", nan_words[filter->nan]);
    if (options->batch.mask)
        add_text(fields, "mask", options->batch.mask);
    if (options->batch.stream.work.floats)
        fputs("true", begin_field(fields, "float"));
}

static void add_op(struct fields *fields, const struct options *options,
                   const struct report *report, int i)
{
    const struct work_options *work = &options->batch.stream.work;
    const struct op_times *times = &report->times.ops[i];
    const int operation = work->ops[i];

    add_text(fields, "op", operation_words[operation]);
    add_text(fields, "variant", times->variant);
    add_text(fields, "engine", times->engine);
    add_text(fields, "device", times->on_gpu ? report->gpu.text : "cpu");
    if (!times->on_gpu && strcmp(times->variant, "reference") != 0)
        add_text(fields, "instructions", study_instructions(NULL, work->instructions));
    if (operation_smooths(operation))
        add_filter(fields, options, report->shape.maxval == FLOAT_SAMPLES);
    if (operation == OPERATION_SHARPEN || operation_derives(operation))
        add_number(fields, "amount", (double)work->amount / AMOUNT_UNIT);
    if ((operation == OPERATION_DIFFERENCE || operation == OPERATION_LAPLACE) &&
        work->offset != MIDDLE_OFFSET)
        add_integer(fields, "offset", work->offset);
    add_number(fields, "seconds", times->compute);
    if (times->on_gpu) {
        add_number(fields, "upload", times->gpu.upload);
        add_number(fields, "kernel", times->gpu.kernel);
        add_number(fields, "download", times->gpu.download);
    }
}

static void add_shape(struct fields *fields, const struct report *report)
{
    const struct shape *shape = &report->shape;

    add_integer(fields, "width", shape->width);
    add_integer(fields, "height", shape->height);
    add_integer(fields, "channels", shape->channels);
    add_bytes(fields, "maxval", shape->maxval == FLOAT_SAMPLES ? -1 : (int64_t)shape->maxval);
    add_integer(fields, "images", report->images);
    add_integer(fields, "pixels", report->pixels);
}

static void add_work(struct fields *fields, const struct options *options,
                     const struct report *report)
{
    const int count = options->batch.stream.work.op_count;

    add_bytes(fields, "output_bytes", report->output_bytes);
    add_text(fields, "format", format_word(report->format));
    if (report->linear && report->gamma == LIGHT_SRGB)
        add_text(fields, "linear", "sRGB");
    else if (report->linear)
        add_number(fields, "linear", report->gamma / 1e5);
    if (*report->left_out.text)
        add_text(fields, "left_out", report->left_out.text);
    if (*report->not_carried.text)
        add_text(fields, "not_carried", report->not_carried.text);
    for (int i = 0; i < count; i++) {
        begin_group(fields, i > 0 ? ", {" : ", \"ops\": [{");
        add_op(fields, options, report, i);
        end_group(fields, i + 1 < count ? "}" : "}]");
    }
    begin_group(fields, ", \"seconds\": {");
    add_number(fields, "read", report->times.read);
    add_number(fields, "write", report->times.write);
    add_number(fields, "elapsed", report->seconds);
    end_group(fields, "}");
}

static void print_record(struct fields *fields, const struct options *options,
                         const struct task_result *result)
{
    const struct report *report = result->report;
    const struct task *task = result->task;
    const char *why = result->outcome == OUTCOME_SKIPPED ? "the output exists"
                      : result->error                    ? result->error->text
                                                         : NULL;

    add_text(fields, "status", outcome_words[result->outcome]);
    add_text(fields, "input", task->input);
    add_text(fields, "output", task->output);
    add_integer(fields, "exit", exit_statuses[result->status]);
    if (why)
        add_text(fields, result->outcome == OUTCOME_FAILED ? "error" : "reason", why);
    add_bytes(fields, "input_bytes", report->input_bytes < 0 ? task->bytes : report->input_bytes);
    if (report->images > 0)
        add_shape(fields, report);
    if (result->outcome == OUTCOME_DONE)
        add_work(fields, options, report);
}

static void print_summary(struct fields *fields, const struct record_summary *summary)
{
    add_text(fields, "status", "summary");
    add_text(fields, "version", SMOOTHIMG_VERSION);
    add_bytes(fields, "exit", summary->interrupted ? -1 : exit_statuses[summary->exit]);
    for (int i = 0; i < OUTCOMES; i++)
        add_integer(fields, outcome_words[i], summary->counts[i]);
    add_integer(fields, "left", summary->left);
    add_integer(fields, "others", summary->others);
    add_integer(fields, "folders", summary->folders);
    add_integer(fields, "images", summary->total.images);
    add_integer(fields, "pixels", summary->total.pixels);
    add_integer(fields, "input_bytes", summary->total.input_bytes);
    add_integer(fields, "output_bytes", summary->total.output_bytes);
    add_number(fields, "seconds", summary->seconds);
}

/* Returns the text of a file's record, or, if `result` is NULL, of the record of the whole run
 * (`summary`). The caller frees the text. Returns NULL if there is no memory for the text. */
static char *record_text(const struct options *options, const struct task_result *result,
                         const struct record_summary *summary, bool json)
{
    char *text = NULL;
    size_t bytes;
    struct fields fields = {.stream = open_memstream(&text, &bytes), .json = json};
    bool whole;

    if (!fields.stream)
        return NULL;
    fputs(json ? "{" : "", fields.stream);
    if (result)
        print_record(&fields, options, result);
    else
        print_summary(&fields, summary);
    fputs(json ? "}\n" : "\n", fields.stream);
    whole = !ferror(fields.stream);
    /* If there is no memory for the end of the text, glibc sets the pointer to NULL and reports no
     * error. */
    if (fclose(fields.stream) == 0 && text && whole)
        return text;
    free(text);
    return NULL;
}

/* In the record's text a tab follows the comma after each field. Prints a blank in place of the
 * tab, or begins a new line where the next field would end beyond column WIDTH. */
void record_tell(FILE *stream, const struct options *options, const struct task_result *result)
{
    char *const text = record_text(options, result, NULL, false);
    int column = 0, length;

    for (const char *field = text; field && *field; field += length + 1) {
        length = (int)strcspn(field, "\t\n");
        if (column > 0)
            column = column + 1 + length > WIDTH ? fprintf(stream, "\n    ") - 1
                                                 : column + fprintf(stream, " ");
        column += fprintf(stream, "%.*s", length, field);
        if (field[length] == '\n') {
            fputc('\n', stream);
            column = 0;
        }
    }
    free(text);
}

/* Writes the text to standard output. After a short write (full disk, limit, signal) it tries to
 * write the rest: if the cause persists, this second write fails and sets errno. */
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
    char *const text = record_text(options, result, summary, true);
    const enum status status =
        text ? write_line(text, strlen(text), error)
             : fail(error, STATUS_OUTPUT, "standard output: no memory for a line of --json");

    free(text);
    return status;
}
