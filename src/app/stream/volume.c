/* SPDX-License-Identifier: MIT */
#include "src/app/stream/volume.h"

#include "kernels/common/numbers.h"
#include "src/app/dispatch/arrays.h"
#include "src/lib/base/clock.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((int64_t)224 << 20) /* of all, where that is enough */

/* Page number `base` of the input is the first in the window. */
struct volume {
    const struct stream_context *context;
    struct image_reader *reader;
    struct image_output *destination;
    struct report *report;
    struct operations operations;  /* one, a filter of arrays */
    const struct combine *combine; /* of it */
    struct smoothimg_context *library;

    struct pages {
        struct shape shape; /* of each page */
        int64_t bytes;      /* of a page in memory */
        char *data;
    } window, made;       /* room and step pages */
    int32_t *derivatives; /* of step pages, without gaps; NULL: the library makes the samples */
    int64_t halo;         /* through the pages */
    int64_t room, step; /* pages that the window has room for; that are computed at once, at most */
    int64_t taken;      /* bytes of the budget */
    int threads;        /* of the library: in no more than a quarter of the limit */
    struct image *kinds; /* of the pages in the window: without samples, with their own metadata */
    struct metadata *metadata;
    int64_t base, held, next; /* next: the page that is computed next */
    bool ended;               /* the last page is in the window */
};

static struct image page_at(const struct pages *pages, int64_t i)
{
    struct image page;

    image_place(&page, &pages->shape, 0, pages->data + i * pages->bytes);
    return page;
}

static bool wraps(const struct volume *volume)
{
    return volume->context->options->work.filter.edge == EDGE_WRAP;
}

static int64_t page_samples(const struct volume *volume)
{
    const struct shape *shape = &volume->made.shape;

    return shape->width * shape->height * shape->channels;
}

/* Of a page that is computed, with its derivatives. */
static int64_t made_bytes(const struct volume *volume)
{
    const bool derives = arrays_derive(volume->combine, sample_bytes_of(volume->made.shape.maxval));

    return volume->made.bytes + (derives ? page_samples(volume) * (int64_t)sizeof(int32_t) : 0);
}

/* The window, another page while it is read, the pages that are computed at once, and the library's
 * memory. */
static int64_t bytes_of(const struct volume *volume, int64_t room, int64_t step)
{
    return (room + 1) * volume->window.bytes + step * made_bytes(volume) +
           volume->threads * ARRAYS_VOLUME_THREAD_BYTES;
}

static enum status reserve(struct volume *volume, struct error *error)
{
    const int64_t bytes = bytes_of(volume, volume->room, volume->step);
    char what[512];
    enum status status;

    snprintf(what, sizeof what,
             "%s: %lld pages of %lld x %lld pixels, through which it is filtered,",
             volume->reader->name, (long long)volume->room, (long long)volume->made.shape.width,
             (long long)volume->made.shape.height);
    status = budget_take(volume->context->budget, bytes, what,
                         wraps(volume) ? "; less is needed with another --edge"
                                       : "; less is needed with a smaller third number of --sigma",
                         error);
    volume->taken = status == STATUS_OK ? bytes : 0;
    return status;
}

/* A few more pages than the filter reaches. */
static int64_t wanted_step(const struct volume *volume)
{
    return 4 * volume->halo + 4;
}

/* As many as are wanted, and at least half of what the filter reaches to one side: all that are
 * around are filtered again for each step. The window has all that there are, if that is known,
 * where the first needs the last. */
static void choose_step(struct volume *volume)
{
    const int64_t around = 2 * volume->halo, limit = volume->context->budget->limit;
    const int64_t all = wraps(volume) ? volume->reader->planes : 0;
    const int64_t fixed = bytes_of(volume, all > 0 ? all : around, 0);
    const int64_t page = bytes_of(volume, all > 0 ? all : around + 1, 1) - fixed;
    const int64_t most = max(MOST_BYTES, fixed + volume->halo / 2 * page);
    const int64_t left = (wraps(volume) ? limit : min(most, limit)) - fixed;

    volume->step = max(1, min(all > 0 ? all : wanted_step(volume), left / page));
    volume->room = all > 0 ? all : volume->step + around;
}

static enum status allocate(struct volume *volume, struct error *error)
{
    struct pages *window = &volume->window, *made = &volume->made;
    bool there;
    enum status status = image_measure(&window->shape, 0, &window->bytes, error);

    if (status == STATUS_OK)
        status = image_measure(&made->shape, 0, &made->bytes, error);
    if (status == STATUS_OK) {
        choose_step(volume);
        status = reserve(volume, error);
    }
    if (status != STATUS_OK)
        return status;
    window->data = aligned_alloc(ROW_ALIGNMENT, (size_t)(volume->room * window->bytes));
    made->data = aligned_alloc(ROW_ALIGNMENT, (size_t)(volume->step * made->bytes));
    volume->kinds = calloc((size_t)volume->room, sizeof *volume->kinds);
    volume->metadata = calloc((size_t)volume->room, sizeof *volume->metadata);
    there = window->data && made->data && volume->kinds && volume->metadata;
    if (there && made_bytes(volume) > made->bytes) {
        volume->derivatives = malloc((size_t)(volume->step * (made_bytes(volume) - made->bytes)));
        there = volume->derivatives;
    }
    return there
               ? STATUS_OK
               : fail(error, STATUS_NO_MEMORY, "%s: no memory for its pages", volume->reader->name);
}

static void release(struct volume *volume)
{
    for (int64_t i = 0; i < volume->held; i++)
        metadata_clear(&volume->metadata[i]);
    budget_give(volume->context->budget, volume->taken);
    free(volume->window.data);
    free(volume->made.data);
    free(volume->derivatives);
    free(volume->kinds);
    free(volume->metadata);
    smoothimg_close(volume->library);
}

static enum status check_page(const struct volume *volume, const struct image *header,
                              struct error *error)
{
    const struct shape shape = image_shape(header), *first = &volume->window.shape;

    if (shape.width == first->width && shape.height == first->height &&
        shape.channels == first->channels && shape.maxval == first->maxval)
        return STATUS_OK;
    return fail(error, STATUS_INPUT,
                "%s: page %lld is of another size or kind than the first; a volume's pages are "
                "alike: smooth each by itself, with two numbers",
                volume->reader->name, (long long)(volume->base + volume->held + 1));
}

/* Takes the page that the reader has begun into the window. */
static enum status take_page(struct volume *volume, const struct image *header, struct error *error)
{
    const struct image page = page_at(&volume->window, volume->held);
    struct image image, *kind = &volume->kinds[volume->held];
    enum status status = check_page(volume, header, error);

    if (status == STATUS_OK)
        status =
            image_reader_load(volume->reader, header, 0, volume->context->threads, &image, error);
    if (status != STATUS_OK)
        return status;
    for (int64_t y = 0; y < page.view.height; y++)
        memcpy(image_row(&page, y), image_row(&image, y), image_row_bytes(&image));
    *kind = operations_result(&volume->operations, &image);
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
        wraps(volume))
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: --edge wrap needs the last pages for the first, and only %lld are kept in "
                    "memory; %s, or choose another rule",
                    volume->reader->name, (long long)volume->room,
                    volume->step < wanted_step(volume) ? "raise --max-memory"
                                                       : "all are where the input is NPY");
    return status;
}

/* Makes the samples of `count` pages, the first of which is number `held` of the window. */
static void combine_pages(const struct volume *volume, int64_t held, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const struct job job = {.src = page_at(&volume->window, held + i).view,
                                .dst = page_at(&volume->made, i).view,
                                .maxval = volume->window.shape.maxval,
                                .threads = volume->context->threads};

        combine_job(volume->combine, volume->operations.kept_channels,
                    volume->derivatives ? volume->derivatives + i * page_samples(volume) : NULL,
                    &job);
    }
}

/* Computes the next `count` pages. */
static enum status compute(struct volume *volume, int64_t count, struct error *error)
{
    const struct view page = page_at(&volume->window, 0).view,
                      made = page_at(&volume->made, 0).view;
    const int64_t first[ARRAYS_AXES] = {volume->next - volume->base};
    int64_t from[ARRAYS_AXES], to[ARRAYS_AXES], apart[ARRAYS_AXES], beside[ARRAYS_AXES];
    const struct smoothimg_array src =
        arrays_of(&page, volume->held, volume->window.bytes, 0, 0, from, apart);
    double mark = clock_seconds();
    enum status status =
        arrays_filter(volume->library, dispatcher_arrays(volume->context->dispatcher, 0), &src,
                      arrays_of(&made, count, volume->made.bytes, 0, 0, to, beside), first,
                      volume->derivatives, error);

    if (status == STATUS_OK && volume->combine->kind != COMBINE_SMOOTH)
        combine_pages(volume, first[0], count);
    add_time_since(&mark, &volume->report->times.ops[0].compute);
    return status;
}

static enum status give_pages(struct volume *volume, int64_t count, struct error *error)
{
    double mark = clock_seconds();
    enum status status = STATUS_OK;

    volume->destination->writer.options.threads = volume->context->threads;
    for (int64_t i = 0; i < count && status == STATUS_OK; i++) {
        const int64_t held = volume->next + i - volume->base;
        struct image image = page_at(&volume->made, i);

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
    const int64_t gone = wraps(volume) ? 0 : max(0, volume->next - volume->halo - volume->base);
    const size_t kept = (size_t)(volume->held - gone);

    for (int64_t i = 0; i < gone; i++)
        metadata_clear(&volume->metadata[i]);
    memmove(volume->window.data, volume->window.data + gone * volume->window.bytes,
            kept * (size_t)volume->window.bytes);
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
                       const struct operations *operations, struct report *report,
                       struct error *error)
{
    const struct image result = operations_result(operations, header);
    const int64_t quarter =
        context->budget->limit / 4 / ARRAYS_VOLUME_THREAD_BYTES; /* in threads */
    struct volume volume = {.context = context,
                            .reader = reader,
                            .destination = destination,
                            .report = report,
                            .operations = *operations,
                            .combine = operations->combines,
                            .window = {.shape = image_shape(header)},
                            .made = {.shape = image_shape(&result)},
                            .halo = context->options->work.filter.z.halo,
                            .threads = (int)max(1, min(context->threads, quarter))};
    struct image next = *header;
    enum status status =
        arrays_status(NULL, smoothimg_open(volume.threads, &volume.library), error);

    report->times.ops[0].variant = report->times.ops[0].engine =
        dispatcher_variant(context->dispatcher, 0);
    if (status == STATUS_OK)
        status = allocate(&volume, error);
    do {
        if (status == STATUS_OK)
            status = fill(&volume, &next, error);
        if (status == STATUS_OK)
            status = advance(&volume, error);
    } while (status == STATUS_OK && (!volume.ended || volume.next < volume.base + volume.held));
    release(&volume);
    return status;
}
