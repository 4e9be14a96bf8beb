/* SPDX-License-Identifier: MIT */
#include "tests/unit/app/chain_runs.h"

#include "src/lib/filter/registry.h"
#include "src/lib/image/compare.h"
#include "src/lib/image/halo.h"
#include "tests/unit/app/band_files.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include "tests/unit/run_variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct filter_weights chain_weights;

struct stream_options chain_options(const char *variant, int64_t halo_x, int64_t halo_y,
                                    enum edge edge)
{
    const struct filter filter = {.x = {.halo = halo_x}, .y = {.halo = halo_y}, .edge = edge};
    struct stream_options options = {
        .work = {.filter = filter, .variant = variant, .threads = 2, .device = 0}};
    struct error error;

    NEED(filter_weights_make(&filter, &chain_weights, &error) == STATUS_OK);
    return options;
}

void chain_add(struct stream_options *options, const char *letters)
{
    for (; *letters; letters++)
        options->work.ops[options->work.op_count++] = *letters == 's'   ? OP_SMOOTH
                                                      : *letters == 't' ? OP_TRANSPOSE
                                                                        : OP_REVERSE;
}

struct operations chain_operations(const struct stream_options *options, const struct image *header)
{
    const struct stream_context context = {.options = options, .weights = &chain_weights};

    return operations_of(&context, header);
}

struct image chain_image(const struct stream_options *options, const struct shape *shape)
{
    const struct operations operations = chain_operations(options, &(struct image){0});
    struct image image = scratch_image(shape->width, shape->height, shape->channels, shape->maxval,
                                       chain_halo(&operations, 0), (unsigned)shape->height);

    image.format = shape->channels % 2 == 0 ? FORMAT_PNG : FORMAT_PAM;
    return image;
}

struct image chain_expect(const struct stream_options *options, const struct shape *shape)
{
    struct image image = chain_image(options, shape), result;
    const struct operations operations = chain_operations(options, &image);
    struct error error;

    for (int i = 0; i < options->work.op_count; i++) {
        const enum op op = (enum op)options->work.ops[i];
        if (op == OP_SMOOTH)
            halo_fill(&image, options->work.filter.edge, chain_weights.halo_x,
                      chain_weights.halo_y);
        NEED(run_variant(registry_reference(op), &image, &operations.request, NULL,
                         chain_halo(&operations, i + 1), &result, &error) == STATUS_OK);
        image_free(&image);
        image = result;
    }
    return image;
}

static bool are_same(const struct view *one, const struct view *other)
{
    return one->width == other->width && one->height == other->height &&
           compare_views(one, other).samples == 0;
}

static enum status differs(const struct stream_options *options, const struct shape *shape,
                           int64_t rows, struct error *error)
{
    return fail(error, STATUS_DIFFERENT,
                "%lld x %lld, %d channels, maxval %u, halo %lld,%lld, edge %d, %s, bands of %lld: "
                "differs",
                (long long)shape->width, (long long)shape->height, (int)shape->channels,
                shape->maxval, (long long)chain_weights.halo_x, (long long)chain_weights.halo_y,
                (int)options->work.filter.edge, options->work.variant, (long long)rows);
}

enum status chain_run(const struct stream_options *options, struct dispatcher *dispatcher,
                      const struct shape *shape, struct report *report, struct error *error)
{
    const struct stream_context context = {
        .options = options, .weights = &chain_weights, .dispatcher = dispatcher, .threads = 2};
    struct image image = chain_image(options, shape), wanted = chain_expect(options, shape);
    struct operations operations = chain_operations(options, &image);
    enum status status;

    operations.request.threads = 2;
    *report = NO_REPORT;
    status = operations_run(&context, &operations, &image, report, error);
    if (status == STATUS_OK && !are_same(&image.view, &wanted.view))
        status = differs(options, shape, shape->height, error);
    image_free(&image);
    image_free(&wanted);
    return status;
}

/* What a run in bands reads, and what it should write. Returns the image's header. */
static struct image write_files(const struct stream_options *options, const struct shape *shape)
{
    struct image image = chain_image(options, shape), wanted = chain_expect(options, shape), header;

    image_describe(&header, shape);
    header.format = image.format;
    image.format = wanted.format = FORMAT_PAM;
    band_write(scratch_path("in"), FORMAT_PAM, false, &image, 1);
    band_write(scratch_path("wanted"), FORMAT_PAM, false, &wanted, 1);
    image_free(&image);
    image_free(&wanted);
    return header;
}

enum status chain_run_bands(const struct stream_options *options, const struct shape *shape,
                            int64_t rows, int threads, bool *lost, struct error *error)
{
    const struct image header = write_files(options, shape);
    struct bands bands = {
        .operations = chain_operations(options, &header), .rows = rows, .threads = threads};
    enum status status;

    NEED(dispatcher_open(&options->work, &bands.dispatcher, error) == STATUS_OK);
    status = band_run(&bands, scratch_path("in"), scratch_path("out"), FORMAT_PAM,
                      ROWS_IN_ANY_ORDER, error);
    *lost = dispatcher_is_lost(bands.dispatcher);
    dispatcher_close(bands.dispatcher);
    return status != STATUS_OK || same_files(scratch_path("out"), scratch_path("wanted"))
               ? status
               : differs(options, shape, rows, error);
}

enum status chain_run_alone(const struct stream_options *options, const struct shape *shape,
                            bool *lost, struct error *error)
{
    struct dispatcher *dispatcher;
    struct report report;
    enum status status;

    NEED(dispatcher_open(&options->work, &dispatcher, error) == STATUS_OK);
    status = chain_run(options, dispatcher, shape, &report, error);
    *lost = dispatcher_is_lost(dispatcher);
    dispatcher_close(dispatcher);
    return status;
}
