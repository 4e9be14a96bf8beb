/* SPDX-License-Identifier: MIT */
#include "src/app/cli/options/options.h"

#include "src/app/cli/ui/progress.h"

static struct combine combine_of(const struct options *options, int operation)
{
    return (struct combine){
        .kind = operation == OPERATION_SHARPEN      ? COMBINE_SHARPEN
                : operation == OPERATION_DIFFERENCE ? COMBINE_DIFFERENCE
                                                    : COMBINE_NOTHING,
        .amount = (int32_t)options->amount,
        .offset = (int32_t)options->offset,
    };
}

static struct dispatch_options dispatch_options_of(const struct options *options)
{
    struct dispatch_options work = {
        .op_count = options->op_count,
        .filter = options->filter,
        .variant = options->variant,
        .device = options->device,
        .block = (int)options->block,
        .threads = (int)options->threads,
        .isa = options->isa,
    };

    for (int i = 0; i < options->op_count; i++) {
        work.ops[i] = operation_smooths(options->ops[i]) ? OP_SMOOTH : options->ops[i];
        work.combines[i] = combine_of(options, options->ops[i]);
    }
    return work;
}

/* May a NaN spread without the user having said so? */
static bool nan_may_surprise(const struct options *options)
{
    bool smooths = false;

    for (int i = 0; i < options->op_count; i++)
        smooths = smooths || options->ops[i] == OPERATION_SMOOTH;
    return smooths && filter_halo(&options->filter) > 0 && !options->quiet && !options->mask &&
           !option_is_given(&option_table, options, "nan");
}

static struct stream_options stream_options_of(const struct options *options)
{
    return (struct stream_options){
        .work = dispatch_options_of(options),
        .output = {.format = options->format,
                   .no_clobber = options->no_clobber,
                   .preserve = options->preserve,
                   .backup = options->backup,
                   .write = {.plain = options->plain,
                             .scale = options->scale,
                             .png_level = (int)options->png_level,
                             .tiff_compression = (enum tiff_compression)options->tiff_compression,
                             .threads = (int)options->threads,
                             .checksum = options->checksum,
                             .count_nan = nan_may_surprise(options)}},
        .max_pixels = options->max_pixels,
        .max_side = options->max_side,
        .max_channels = options->max_channels,
        .max_metadata = options->strip_metadata ? 0 : options->max_metadata,
        .linear = options->linear,
        .verify = options->verify,
        .in_place = options->in_place,
        .progress = progress_add,
    };
}

struct batch_options batch_options_of(const struct options *options)
{
    return (struct batch_options){
        .stream = stream_options_of(options),
        .folder = options->output,
        .mask = options->mask,
        .max_memory = options->max_memory,
        .fail_fast = options->fail_fast,
        .skip_existing = options->skip_existing,
    };
}

struct plan_options plan_options_of(const struct options *options)
{
    return (struct plan_options){
        .inputs = options->inputs,
        .input_count = options->input_count,
        .output = options->output,
        .output_file = options->output_file,
        .output_dir = options->output_dir,
        .format = options->format,
        .suffix = options->suffix,
        .backup = options->backup,
        .files_from = options->files_from,
        .failed_list = options->failed_list,
        .shard = options->shard,
        .recursive = options->recursive,
        .in_place = options->in_place,
        .skip_existing = options->skip_existing,
        .fail_fast = options->fail_fast,
    };
}
