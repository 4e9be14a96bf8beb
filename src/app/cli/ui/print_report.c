/* SPDX-License-Identifier: MIT */
#include "report.h"

#include "checksum.h"
#include "clock.h"
#include "levels.h"
#include "registry.h"
#include "visible.h"

#include <inttypes.h>

static void add_part(struct stage *stage, double seconds, size_t bytes)
{
    stage->seconds += seconds;
    stage->bytes += (int64_t)bytes;
}

void report_stage(struct stage *stage, double start, size_t bytes)
{
    add_part(stage, clock_seconds() - start, bytes);
}

void report_overlapped(struct report *report, const struct bands_times *times, size_t bytes)
{
    add_part(&report->read, times->read, 0);
    add_part(&report->halo, times->halo, bytes);
    add_part(&report->ops[0], times->compute, bytes);
    add_part(&report->write, times->write, bytes);
    add_part(&report->gpu[0].upload, times->gpu.upload, (size_t)times->gpu.upload_bytes);
    add_part(&report->gpu[0].download, times->gpu.download, (size_t)times->gpu.download_bytes);
    /* Each sample of a band read once and written once. */
    add_part(&report->gpu[0].kernel, times->gpu.kernel, 2 * (size_t)times->gpu.download_bytes);
}

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

static void print_stage(FILE *stream, const char *name, const struct stage *stage)
{
    fprintf(stream, "  %-10s %10.6f s", name, stage->seconds);
    if (stage->seconds > 0)
        fprintf(stream, " %10.1f MB/s", (double)stage->bytes / stage->seconds / 1e6);
    fputc('\n', stream);
}

static void print_gpu_stage(FILE *stream, const char *name, const struct stage *stage)
{
    fprintf(stream, "    %-8s %10.6f s", name, stage->seconds);
    if (stage->seconds > 0)
        fprintf(stream, " %10.2f GB/s", (double)stage->bytes / stage->seconds / 1e9);
    fputc('\n', stream);
}

static void print_gpu_stages(FILE *stream, const struct gpu_stages *stages)
{
    if (stages->upload.bytes == 0)
        return;
    print_gpu_stage(stream, "upload", &stages->upload);
    print_gpu_stage(stream, "kernel", &stages->kernel);
    print_gpu_stage(stream, "download", &stages->download);
}

void report_print_timings(FILE *stream, const struct options *options, const struct report *report,
                          double elapsed)
{
    struct stage total = report->read;
    const struct stage passed = {elapsed, report->read.bytes};

    fprintf(stream, "timings: %lld image%s, %lld pixels\n", (long long)report->images,
            report->images == 1 ? "" : "s", (long long)report->pixels);
    print_stage(stream, "read", &report->read);
    print_stage(stream, "halo", &report->halo);
    total.seconds += report->halo.seconds;
    for (int i = 0; i < options->op_count; i++) {
        print_stage(stream, op_word((enum op)options->ops[i]), &report->ops[i]);
        print_gpu_stages(stream, &report->gpu[i]);
        total.seconds += report->ops[i].seconds;
    }
    print_stage(stream, "write", &report->write);
    total.seconds += report->write.seconds;
    print_stage(stream, "total", &total);
    print_stage(stream, "elapsed", &passed);
}

void report_print_input(FILE *stream, const char *input, const struct report *report)
{
    visible_print(stream, input);
    fprintf(stream, ": %lld x %lld pixels, %d channel%s, maxval %u", (long long)report->shape.width,
            (long long)report->shape.height, (int)report->shape.channels,
            report->shape.channels == 1 ? "" : "s", (unsigned)report->shape.maxval);
    if (report->images > 1)
        fprintf(stream, ", the first of %lld images", (long long)report->images);
    fputc('\n', stream);
    if (report->left_out.text[0])
        fprintf(stream, "  metadata left out: %s\n", report->left_out.text);
}

void report_print_ops(FILE *stream, const struct options *options,
                      const struct variant *const *variants)
{
    const struct filter *filter = &options->filter;
    bool by_level = false;

    for (int i = 0; i < options->op_count; i++) {
        by_level = by_level || (variants[i]->place == ON_CPU && !variants[i]->reference);
        fprintf(stream, "  %s, variant %s", op_word(variants[i]->op), variants[i]->name);
        if (variants[i]->op == OP_SMOOTH)
            fprintf(stream, ", halo %lld, sigma %.17g, edge %s, norm %s%s", (long long)filter->halo,
                    gauss_sigma(filter), edge_word(filter->edge), norm_word(filter->norm),
                    filter->alpha == ALPHA_SEPARATE ? ",\n    alpha separate" : "");
        fputc('\n', stream);
    }
    if (by_level)
        fprintf(stream, "  instructions of variant cpu: %s\n", level_in_use()->name);
}
