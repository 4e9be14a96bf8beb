/* SPDX-License-Identifier: MIT */
#include "src/app/stream/volume.h"

#include "kernels/common/numbers.h"
#include "src/lib/base/clock.h"
#include "src/lib/smoothimg.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((int64_t)240 << 20) /* of pages in memory, where that is enough */

/* Page number `base` of the input is the first in the window. */
struct volume {
    const struct stream_context *context;
    struct image_reader *reader;
    struct image_output *destination;
    struct report *report;
    struct smoothimg_context *library;
    struct smoothimg_array_filter *filter;

    struct shape shape; /* of each page */
    int64_t page_bytes; /* of a page in memory */
    int64_t stride;     /* of its rows */
    int64_t halo;       /* through the pages */
    int64_t room, step; /* pages that the window has room for; that are computed at once, at most */
    char *window, *made; /* room and step pages */
    struct image *kinds; /* of the pages in the window: without samples, with their own metadata */
    struct metadata *metadata;
    int64_t base, held, next; /* next: the page that is computed next */
    bool ended;               /* the last page is in the window */
};

/* A status of the library as one of the program's. */
static enum status from_library(const struct volume *volume, enum smoothimg_status status,
                                struct error *error)
{
    if (status == SMOOTHIMG_OK)
        return STATUS_OK;
    return fail(error, status == SMOOTHIMG_NO_MEMORY ? STATUS_NO_MEMORY : STATUS_INVALID, "%s",
                volume->library ? smoothimg_message(volume->library) : "no memory");
}

static struct smoothimg_axis axis_of(const struct filter_axis *axis, enum edge edge)
{
    return (struct smoothimg_axis){
        .halo = axis->halo, .sigma = gauss_sigma(axis), .edge = (enum smoothimg_edge)edge};
}

/* Of arrays of pages, rows, pixels and samples. */
static enum status make_filter(struct volume *volume, struct error *error)
{
    const struct filter *filter = &volume->context->options->work.filter;
    const struct smoothimg_axis axes[4] = {axis_of(&filter->z, filter->edge),
                                           axis_of(&filter->y, filter->edge),
                                           axis_of(&filter->x, filter->edge)};
    const struct smoothimg_array_filter_options options = {.axes = 4, .terms = 1, .axis = axes};
    const enum smoothimg_status status = smoothimg_open(volume->context->threads, &volume->library);

    return from_library(volume,
                        status == SMOOTHIMG_OK ? smoothimg_array_filter_create(
                                                     volume->library, &options, &volume->filter)
                                               : status,
                        error);
}

static enum status check(const struct volume *volume, const struct image *header,
                         struct error *error)
{
    const struct dispatch_options *work = &volume->context->options->work;

    if (image_has_alpha(header) && work->filter.alpha == ALPHA_WEIGHTED)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: has alpha, which does not weigh through the pages; say --alpha separate",
                    volume->reader->name);
    return STATUS_OK;
}

static enum status allocate(struct volume *volume, const struct image *header, struct error *error)
{
    struct image placed;
    char what[512];
    enum status status;

    volume->shape = image_shape(header);
    status = image_measure(&volume->shape, 0, &volume->page_bytes, error);
    if (status != STATUS_OK)
        return status;
    image_place(&placed, &volume->shape, 0, NULL);
    volume->stride = placed.view.stride_bytes;
    volume->step =
        max(1, min(4 * volume->halo + 4, (MOST_BYTES / volume->page_bytes - 2 * volume->halo) / 2));
    volume->room = volume->step + 2 * volume->halo;
    snprintf(what, sizeof what,
             "%s: %lld pages of %lld x %lld pixels, through which it is smoothed,",
             volume->reader->name, (long long)volume->room, (long long)volume->shape.width,
             (long long)volume->shape.height);
    status =
        budget_take(volume->context->budget, (volume->room + volume->step + 1) * volume->page_bytes,
                    what, "; less is needed with a smaller third number of --sigma", error);
    if (status != STATUS_OK)
        return status;
    volume->window = aligned_alloc(ROW_ALIGNMENT, (size_t)(volume->room * volume->page_bytes));
    volume->made = aligned_alloc(ROW_ALIGNMENT, (size_t)(volume->step * volume->page_bytes));
    volume->kinds = calloc((size_t)volume->room, sizeof *volume->kinds);
    volume->metadata = calloc((size_t)volume->room, sizeof *volume->metadata);
    return volume->window && volume->made && volume->kinds && volume->metadata
               ? STATUS_OK
               : fail(error, STATUS_NO_MEMORY, "%s: no memory for its pages", volume->reader->name);
}

static void release(struct volume *volume)
{
    for (int64_t i = 0; i < volume->held; i++)
        metadata_clear(&volume->metadata[i]);
    if (volume->room > 0)
        budget_give(volume->context->budget,
                    (volume->room + volume->step + 1) * volume->page_bytes);
    free(volume->window);
    free(volume->made);
    free(volume->kinds);
    free(volume->metadata);
    smoothimg_array_filter_free(volume->filter);
    smoothimg_close(volume->library);
}

static enum status check_page(const struct volume *volume, const struct image *header,
                              struct error *error)
{
    const struct shape shape = image_shape(header);

    if (shape.width == volume->shape.width && shape.height == volume->shape.height &&
        shape.channels == volume->shape.channels && shape.maxval == volume->shape.maxval)
        return STATUS_OK;
    return fail(error, STATUS_INPUT,
                "%s: page %lld is of another size or kind than the first; a volume's pages are "
                "alike: smooth each by itself, with two numbers",
                volume->reader->name, (long long)(volume->base + volume->held + 1));
}

/* Takes the page that the reader has begun into the window. */
static enum status take_page(struct volume *volume, const struct image *header, struct error *error)
{
    char *const page = volume->window + volume->held * volume->page_bytes;
    struct image image, *kind = &volume->kinds[volume->held];
    enum status status = check_page(volume, header, error);

    if (status == STATUS_OK)
        status =
            image_reader_load(volume->reader, header, 0, volume->context->threads, &image, error);
    if (status != STATUS_OK)
        return status;
    for (int64_t y = 0; y < volume->shape.height; y++)
        memcpy(page + y * volume->stride, image_row(&image, y), image_row_bytes(&image));
    *kind = (struct image){0};
    image_describe(kind, &volume->shape);
    image_copy_kind(kind, &image);
    image_note_op(kind, OP_SMOOTH, 1);
    image_free(&image);
    if (kind->metadata) { /* the reader's, which would free it with the next page */
        volume->metadata[volume->held] = volume->reader->metadata;
        volume->reader->metadata.items = NULL;
        volume->reader->metadata.count = volume->reader->metadata.room = 0;
        volume->reader->metadata.bytes = 0;
    }
    volume->held++;
    return STATUS_OK;
}

/* Reads pages until the window is full, or there are no more. */
static enum status fill(struct volume *volume, struct image *header, struct error *error)
{
    double mark = clock_seconds();
    enum status status = STATUS_OK;

    while (status == STATUS_OK && !volume->ended && volume->held < volume->room) {
        bool found = false;

        status = take_page(volume, header, error);
        if (status == STATUS_OK)
            status = image_reader_begin(volume->reader, header, &found, error);
        if (status == STATUS_OK && found)
            report_note_image(volume->report, volume->reader, header);
        volume->ended = !found;
    }
    add_time_since(&mark, &volume->report->times.read);
    if (status == STATUS_OK && !volume->ended && volume->base == 0 && volume->next == 0 &&
        volume->context->options->work.filter.edge == EDGE_WRAP)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: --edge wrap needs the last pages for the first; choose another rule",
                    volume->reader->name);
    return status;
}

static struct smoothimg_array array_of(const struct volume *volume, char *data,
                                       const int64_t shape[4], const int64_t strides[4])
{
    return (struct smoothimg_array){.data = data,
                                    .axes = 4,
                                    .shape = shape,
                                    .strides = strides,
                                    .type = volume->shape.maxval == FLOAT_SAMPLES ? SMOOTHIMG_F32
                                            : volume->shape.maxval > UINT8_MAX    ? SMOOTHIMG_U16
                                                                                  : SMOOTHIMG_U8};
}

/* Computes the next `count` pages. */
static enum status compute(struct volume *volume, int64_t count, struct error *error)
{
    const struct shape *shape = &volume->shape;
    const int64_t bytes = sample_bytes_of(shape->maxval);
    const int64_t strides[4] = {volume->page_bytes, volume->stride, shape->channels * bytes, bytes};
    const int64_t from[4] = {volume->held, shape->height, shape->width, shape->channels};
    const int64_t to[4] = {count, shape->height, shape->width, shape->channels};
    const int64_t first[4] = {volume->next - volume->base};
    const struct smoothimg_array src = array_of(volume, volume->window, from, strides);
    const struct smoothimg_array dst = array_of(volume, volume->made, to, strides);
    double mark = clock_seconds();
    const enum smoothimg_status status =
        smoothimg_filter_array(volume->library, volume->filter, &src, &dst, first, NULL);

    add_time_since(&mark, &volume->report->times.ops[0].compute);
    return from_library(volume, status, error);
}

static enum status give_pages(struct volume *volume, int64_t count, struct error *error)
{
    double mark = clock_seconds();
    enum status status = STATUS_OK;

    volume->destination->writer.options.threads = volume->context->threads;
    for (int64_t i = 0; i < count && status == STATUS_OK; i++) {
        const int64_t held = volume->next + i - volume->base;
        struct image image;

        image_place(&image, &volume->shape, 0, volume->made + i * volume->page_bytes);
        image_copy_kind(&image, &volume->kinds[held]);
        image.metadata = volume->kinds[held].metadata ? &volume->metadata[held] : NULL;
        status = image_output_put(volume->destination, &image, error);
    }
    add_time_since(&mark, &volume->report->times.write);
    return status;
}

/* Drops the pages that no later one needs. The last ones of a volume that repeats need the first.
 */
static void slide(struct volume *volume)
{
    const bool wraps = volume->context->options->work.filter.edge == EDGE_WRAP;
    const int64_t gone = wraps ? 0 : max(0, volume->next - volume->halo - volume->base);
    const size_t kept = (size_t)(volume->held - gone);

    for (int64_t i = 0; i < gone; i++)
        metadata_clear(&volume->metadata[i]);
    memmove(volume->window, volume->window + gone * volume->page_bytes,
            kept * (size_t)volume->page_bytes);
    memmove(volume->kinds, volume->kinds + gone, kept * sizeof *volume->kinds);
    memmove(volume->metadata, volume->metadata + gone, kept * sizeof *volume->metadata);
    memset(volume->metadata + kept, 0, (size_t)gone * sizeof *volume->metadata);
    volume->base += gone;
    volume->held -= gone;
}

/* Computes and writes what the window is enough for. */
static enum status advance(struct volume *volume, struct error *error)
{
    const int64_t end = volume->base + volume->held;
    const int64_t last = volume->ended ? end : end - volume->halo;
    const int64_t count = min(volume->step, last - volume->next);
    enum status status = compute(volume, count, error);

    if (status == STATUS_OK)
        status = give_pages(volume, count, error);
    volume->next += count;
    slide(volume);
    return status;
}

enum status volume_run(const struct stream_context *context, struct image_reader *reader,
                       struct image_output *destination, const struct image *header,
                       struct report *report, struct error *error)
{
    struct volume volume = {.context = context,
                            .reader = reader,
                            .destination = destination,
                            .report = report,
                            .halo = context->options->work.filter.z.halo};
    struct image next = *header;
    enum status status = check(&volume, header, error);

    if (status == STATUS_OK)
        status = image_output_check(destination, header, error);
    report->format = destination->writer.format;
    report->times.ops[0].variant = report->times.ops[0].engine =
        dispatcher_variant(context->dispatcher, 0);
    if (status == STATUS_OK)
        status = make_filter(&volume, error);
    if (status == STATUS_OK)
        status = allocate(&volume, header, error);
    do {
        if (status == STATUS_OK)
            status = fill(&volume, &next, error);
        if (status == STATUS_OK)
            status = advance(&volume, error);
    } while (status == STATUS_OK && (!volume.ended || volume.next < volume.base + volume.held));
    release(&volume);
    return status;
}
