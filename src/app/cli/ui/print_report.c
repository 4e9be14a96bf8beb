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

struct checksum_text report_checksum(const struct report *report)
{
    struct checksum_text text;

    snprintf(text.text, sizeof text.text, CHECKSUM_PREFIX "%016" PRIx64, report->checksum);
    return text;
}

#define SHORTEST 1e-5 /* seconds; of less a speed means nothing: hardly any byte was moved */

/* Seconds and speed. */
static void print_stage(FILE *stream, const char *name, double seconds, int64_t bytes)
{
    char text[SPEED_TEXT];

    fprintf(stream, "  %-10s %10.6f s", name, seconds);
    if (seconds >= SHORTEST)
        fprintf(stream, " %15s", speed_text((double)bytes / seconds, text));
    fputc('\n', stream);
}

/* A copy or a kernel of a GPU, if there was one: always in GB/s. */
static void print_gpu_stage(FILE *stream, const char *name, double seconds, int64_t bytes)
{
    if (bytes == 0)
        return;
    fprintf(stream, "    %-8s %10.6f s", name, seconds);
    if (seconds > 0)
        fprintf(stream, " %10.2f GB/s", (double)bytes / seconds / 1e9);
    fputc('\n', stream);
}

static void print_op_times(FILE *stream, int operation, const struct op_times *op, int64_t bytes)
{
    const struct gpu_times *gpu = &op->gpu;

    print_stage(stream, operation_word(operation), op->compute, bytes);
    print_gpu_stage(stream, "upload", gpu->upload, gpu->upload_bytes);
    print_gpu_stage(stream, "kernel", gpu->kernel, gpu->kernel_bytes);
    print_gpu_stage(stream, "download", gpu->download, gpu->download_bytes);
}

void report_print_timings(FILE *stream, const struct options *options, const struct report *report,
                          double elapsed)
{
    const struct bands_times *times = &report->times;
    double total = times->read + times->halo + times->write;

    fprintf(stream, "timings: %lld image%s, %lld pixels\n", (long long)report->images,
            report->images == 1 ? "" : "s", (long long)report->pixels);
    print_stage(stream, "read", times->read, report->bytes);
    print_stage(stream, "halo", times->halo, report->bytes);
    for (int i = 0; i < options->op_count; i++) {
        print_op_times(stream, options->ops[i], &times->ops[i], report->bytes);
        total += times->ops[i].compute;
    }
    print_stage(stream, "write", times->write, report->bytes);
    print_stage(stream, "total", total, report->bytes);
    print_stage(stream, "elapsed", elapsed, report->bytes);
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
        const struct variant *variant = report->times.ops[i].variant;

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
