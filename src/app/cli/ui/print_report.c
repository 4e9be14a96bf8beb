/* SPDX-License-Identifier: MIT */
#include "src/app/cli/ui/print_report.h"

#include "src/app/cli/options/axes.h"
#include "src/app/cli/ui/message.h"
#include "src/app/cli/ui/passed_over.h"
#include "src/files/codec/rows/checksum.h"
#include "kernels/common/isa.h"
#include "src/lib/base/escape.h"
#include "src/text/size.h"
#include "src/text/string_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void add_stage(struct stage *sum, const struct stage *stage)
{
    sum->seconds += stage->seconds;
    sum->bytes += stage->bytes;
}

void report_add(struct report *sum, const struct report *file)
{
    sum->images += file->images;
    sum->pixels += file->pixels;
    add_stage(&sum->read, &file->read);
    add_stage(&sum->halo, &file->halo);
    for (int i = 0; i < MAX_OPS; i++) {
        add_stage(&sum->ops[i], &file->ops[i]);
        add_stage(&sum->gpu[i].upload, &file->gpu[i].upload);
        add_stage(&sum->gpu[i].kernel, &file->gpu[i].kernel);
        add_stage(&sum->gpu[i].download, &file->gpu[i].download);
    }
    add_stage(&sum->write, &file->write);
    sum->seconds += file->seconds;
    sum->input_bytes += file->input_bytes > 0 ? file->input_bytes : 0;
    sum->output_bytes += file->output_bytes > 0 ? file->output_bytes : 0;
}

struct checksum_text report_checksum(const struct report *report)
{
    struct checksum_text text;

    snprintf(text.text, sizeof text.text, CHECKSUM_PREFIX "%016" PRIx64, report->checksum);
    return text;
}

#define SHORTEST 1e-5 /* seconds; of less a speed means nothing: hardly any byte was moved */

/* Seconds and speed; of the copies and kernels of a GPU always in GB/s. */
static void print_stage(FILE *stream, const char *name, const struct stage *stage, bool on_gpu)
{
    const double speed = stage->seconds > 0 ? (double)stage->bytes / stage->seconds : 0;
    char text[SPEED_TEXT];

    fprintf(stream, "  %-10s %10.6f s", name, stage->seconds);
    if (on_gpu && speed > 0)
        fprintf(stream, " %10.2f GB/s", speed / 1e9);
    else if (stage->seconds >= SHORTEST)
        fprintf(stream, " %15s", speed_text(speed, text));
    fputc('\n', stream);
}

static void print_gpu_stages(FILE *stream, const struct gpu_stages *stages)
{
    if (stages->upload.bytes > 0)
        print_stage(stream, "  upload", &stages->upload, true);
    if (stages->kernel.bytes > 0)
        print_stage(stream, "  kernel", &stages->kernel, true);
    if (stages->download.bytes > 0)
        print_stage(stream, "  download", &stages->download, true);
}

void report_print_timings(FILE *stream, const struct options *options, const struct report *report,
                          double elapsed)
{
    struct stage total = report->read;
    const struct stage passed = {elapsed, report->read.bytes};

    fprintf(stream, "timings: %lld image%s, %lld pixels\n", (long long)report->images,
            report->images == 1 ? "" : "s", (long long)report->pixels);
    print_stage(stream, "read", &report->read, false);
    print_stage(stream, "halo", &report->halo, false);
    total.seconds += report->halo.seconds;
    for (int i = 0; i < options->op_count; i++) {
        print_stage(stream, operation_word(options->ops[i]), &report->ops[i], false);
        print_gpu_stages(stream, &report->gpu[i]);
        total.seconds += report->ops[i].seconds;
    }
    print_stage(stream, "write", &report->write, false);
    total.seconds += report->write.seconds;
    print_stage(stream, "total", &total, false);
    print_stage(stream, "elapsed", &passed, false);
}

void report_print_input(FILE *stream, const char *input, const struct report *report)
{
    escape_print(stream, input);
    fprintf(stream, ": %lld x %lld pixels, %d channel%s, ", (long long)report->shape.width,
            (long long)report->shape.height, (int)report->shape.channels,
            report->shape.channels == 1 ? "" : "s");
    if (report->shape.maxval == FLOAT_SAMPLES)
        fputs("float samples", stream);
    else
        fprintf(stream, "maxval %u", (unsigned)report->shape.maxval);
    if (report->images > 1)
        fprintf(stream, ", the first of %lld images", (long long)report->images);
    fputc('\n', stream);
    if (report->left_out.text[0])
        fprintf(stream, "  metadata left out: %s\n", report->left_out.text);
    if (report->not_carried.text[0])
        fprintf(stream, "  not carried over to %s: %s\n", format_word(report->format),
                report->not_carried.text);
}

struct curve_text curve_text(const struct image_curve *curve)
{
    struct curve_text text = {"sRGB"};

    if (!curve->is_srgb && curve->gamma > 0)
        snprintf(text.text, sizeof text.text, "a gamma of %.7g", curve->gamma / 1e5);
    return text;
}

/* What else an operation is told, such as ",\n    amount 1.5". */
static void print_combine(FILE *stream, const struct options *options, int operation)
{
    if (operation == OPERATION_SHARPEN)
        fprintf(stream, ",\n    amount %g", (double)options->amount / COMBINE_UNIT);
    if (operation == OPERATION_DIFFERENCE && options->offset != COMBINE_MIDDLE_OFFSET)
        fprintf(stream, ",\n    offset %lld", (long long)options->offset);
}

static void print_op(FILE *stream, const struct options *options, int operation,
                     const struct variant *variant)
{
    const struct filter *filter = &options->filter;

    fprintf(stream, "  %s, variant %s", operation_word(operation), variant->name);
    if (operation_smooths(operation)) {
        fputs(", halo ", stream);
        axes_print_halo(stream, filter);
        fputs(", sigma ", stream);
        axes_print_sigma(stream, filter);
        fprintf(stream, ", edge %s, norm %s%s%s", edge_word(filter->edge), norm_word(filter->norm),
                filter->alpha == ALPHA_SEPARATE ? ",\n    alpha separate" : "",
                options->nan == NAN_SKIP ? ",\n    nan skip" : "");
        if (options->mask) {
            fputs(",\n    mask ", stream);
            escape_print(stream, options->mask);
        }
        print_combine(stream, options, operation);
    }
    fputc('\n', stream);
}

/* The default leaves a GPU alone, which some will not expect. */
static void tell_of_gpu(FILE *stream, const struct options *options)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");

    if (strcmp(options->variant, "auto") == 0 && !gpu_absent() && !(visible && *visible == '\0'))
        fputs("  a GPU is here; --variant gpu uses it\n", stream);
}

void report_print_ops(FILE *stream, const struct options *options, const struct report *report)
{
    bool on_cpu = false;

    for (int i = 0; i < options->op_count; i++) {
        const struct variant *variant = report->variants[i];

        on_cpu = on_cpu || (variant->backend == ON_CPU && !variant->reference);
        print_op(stream, options, options->ops[i], variant);
    }
    if (report->linear)
        fprintf(stream, "  in linear light, decoded by %s\n", curve_text(&report->curve).text);
    if (on_cpu)
        fprintf(stream, "  instructions of variant cpu: %s\n", options->isa->name);
    tell_of_gpu(stream, options);
}

/* Leaves out a count of 0. */
static void add_some(struct phrase *phrase, long long count, const char *what)
{
    const size_t used = strlen(phrase->text);

    if (count > 0)
        snprintf(phrase->text + used, sizeof phrase->text - used, ", %lld %s", count, what);
}

void report_print_summary(const struct options *options, const struct plan *plan,
                          const struct batch_counts *counts)
{
    const char *of = options->shard.count > 0 ? ": " : "";
    struct phrase left = {""}, skipped = {""};

    add_some(&skipped, counts->skipped, "skipped (the output exists)");
    add_some(&left, counts->left, "not begun");
    add_some(&left, plan->foreign, "left to other shards");
    message_print("%s%s%lld done%s, %lld failed%s%s", shard_text(&options->shard).text, of,
                  (long long)counts->done, skipped.text, (long long)counts->failed, left.text,
                  passed_over_summary(plan).text);
}
