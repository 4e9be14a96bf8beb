/* SPDX-License-Identifier: MIT */
#include "src/app/cli/parameters.h"

#include "src/app/cli/ui/progress.h"

#include <string.h>

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

    memcpy(work.ops, options->ops, sizeof work.ops);
    return work;
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
                             .threads = (int)options->threads,
                             .checksum = options->checksum}},
        .max_pixels = options->max_pixels,
        .max_side = options->max_side,
        .max_channels = options->max_channels,
        .max_metadata = options->strip_metadata ? 0 : options->max_metadata,
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
