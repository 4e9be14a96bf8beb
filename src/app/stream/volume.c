/* SPDX-License-Identifier: MIT */
#include "src/app/stream/volume.h"

#include "kernels/common/numbers.h"
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
    struct operations operations; /* one */
    struct smoothimg_context *library;

    struct stack {
        struct shape shape; /* of each page */
        int64_t bytes;      /* of a page in memory */
        char *data;
    } window, made;     /* room and step pages */
    int64_t halo;       /* through the pages */
    int64_t room, step; /* pages that the window has room for; that are computed at once, at most */
    int64_t taken;      /* bytes of the budget */
    int threads;        /* of the library: in no more than a quarter of the limit */
    struct image *kinds; /* of the pages in the window: without samples, with their own metadata */
    struct metadata *metadata;
    int64_t base, held, next; /* next: the page that is computed next */
    bool ended;               /* the last page is in the window */
};

static struct image page_at(const struct stack *stack, int64_t i)
{
    struct image page;

    image_place(&page, &stack->shape, 0, stack->data ? stack->data + i * stack->bytes : NULL);
    return page;
}

static bool wraps(const struct volume *volume)
{
    return volume->context->options->work.filter.edge == EDGE_WRAP;
}

/* Pages of the stack, from number `first` on. */
static struct pages pages_at(const struct stack *stack, int64_t first, int64_t count)
{
    const struct image page = page_at(stack, first);
    struct pages pages = pages_of(&page);

    pages.count = count;
    pages.apart = stack->bytes;
    return pages;
}

/* `count` pages are made of those of the window, from `first` on. */
static struct part part_of(const struct volume *volume, int64_t held, int64_t first, int64_t count)
{
    return (struct part){.src = pages_at(&volume->window, 0, held),
                         .dst = pages_at(&volume->made, 0, count),
                         .page = first};
}

/* The window, the pages that are computed at once, and what the library works in. */
static int64_t bytes_of(const struct volume *volume, int64_t room, int64_t step)
{
    const struct part part = part_of(volume, room, min(volume->halo, room - step), step);
    const double bytes = (double)room * (double)volume->window.bytes +
                         (double)step * (double)volume->made.bytes +
                         operations_bytes(&volume->operations, 0, volume->threads, &part);

    return bytes < 0x1p62 ? (int64_t)bytes : INT64_MAX;
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

/* The window has all pages that there are, if that is known, where the first needs the last. */
static int64_t room_for(const struct volume *volume, int64_t step)
{
    return wraps(volume) && volume->reader->planes > 0 ? volume->reader->planes
                                                       : step + 2 * volume->halo;
}

static int64_t bytes_for(const struct volume *volume, int64_t step)
{
    return bytes_of(volume, room_for(volume, step), step);
}

/* As many as are wanted, and at least half of what the filter reaches to one side: all that are
 * around are filtered again for each step. Where they are all in memory, as many as it has room
 * for. */
static void choose_step(struct volume *volume)
{
    const int64_t limit = volume->context->budget->limit, all = volume->reader->planes;
    const bool keeps_all = wraps(volume) && all > 0;
    const int64_t wanted = keeps_all ? all : wanted_step(volume);
    const int64_t enough =
        max(MOST_BYTES, bytes_for(volume, max(min(volume->halo / 2, wanted), 1)));
    const int64_t most = wraps(volume) ? limit : min(enough, limit);
    int64_t low = 1, high = wanted;

    while (low < high) {
        const int64_t middle = high - (high - low) / 2;

        if (bytes_for(volume, middle) <= most)
            low = middle;
        else
            high = middle - 1;
    }
    volume->step = low;
    volume->room = room_for(volume, low);
}

/* No more threads than work in a quarter of the limit. */
static int choose_threads(const struct volume *volume)
{
    const struct part part = part_of(volume, room_for(volume, 1), 0, 1);
    const double each = operations_bytes(&volume->operations, 0, 1, &part);
    const double quarter = (double)volume->context->budget->limit / 4;

    return each * volume->context->threads <= quarter ? volume->context->threads
                                                      : (int)max((int64_t)(quarter / each), 1);
}

static enum status allocate(struct volume *volume, struct error *error)
{
    struct stack *window = &volume->window, *made = &volume->made;
    enum status status = image_measure(&window->shape, 0, &window->bytes, error);

    if (status == STATUS_OK)
        status = image_measure(&made->shape, 0, &made->bytes, error);
    if (status == STATUS_OK) {
        volume->threads = choose_threads(volume);
        choose_step(volume);
        status = reserve(volume, error);
    }
    if (status != STATUS_OK)
        return status;
    window->data = aligned_alloc(ROW_ALIGNMENT, (size_t)(volume->room * window->bytes));
    made->data = aligned_alloc(ROW_ALIGNMENT, (size_t)(volume->step * made->bytes));
    volume->kinds = calloc((size_t)volume->room, sizeof *volume->kinds);
    volume->metadata = calloc((size_t)volume->room, sizeof *volume->metadata);
    if (!window->data || !made->data || !volume->kinds || !volume->metadata)
        return fail(error, STATUS_NO_MEMORY, "%s: no memory for its pages", volume->reader->name);
    return computer_lend(volume->operations.computer, volume->threads, &volume->library, error);
}

static void release(struct volume *volume)
{
    for (int64_t i = 0; i < volume->held; i++)
        metadata_clear(&volume->metadata[i]);
    budget_give(volume->context->budget, volume->taken);
    free(volume->window.data);
    free(volume->made.data);
    free(volume->kinds);
    free(volume->metadata);
    computer_give(volume->operations.computer, volume->library);
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
    char *const memory = volume->window.data + volume->held * volume->window.bytes;
    struct image page, *kind = &volume->kinds[volume->held];
    enum status status = check_page(volume, header, error);

    if (status == STATUS_OK)
        status = image_reader_load(volume->reader, header, volume->context->threads, memory, &page,
                                   error);
    if (status != STATUS_OK)
        return status;
    *kind = operations_result(&volume->operations, &page);
    if (kind->metadata) /* the reader's, which would free it with the next page */
        metadata_move(&volume->reader->metadata, &volume->metadata[volume->held]);
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

/* Computes the next `count` pages. */
static enum status compute(struct volume *volume, int64_t count, struct error *error)
{
    const struct part part = part_of(volume, volume->held, volume->next - volume->base, count);

    return operations_compute(&volume->operations, 0, false, volume->library, volume->threads,
                              &part, &volume->report->times.ops[0], error);
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
    struct volume volume = {.context = context,
                            .reader = reader,
                            .destination = destination,
                            .report = report,
                            .operations = *operations,
                            .window = {.shape = image_shape(header)},
                            .made = {.shape = image_shape(&result)},
                            .halo = context->options->work.filter.z.halo};
    struct image next = *header;
    enum status status = allocate(&volume, error);

    do {
        if (status == STATUS_OK)
            status = fill(&volume, &next, error);
        if (status == STATUS_OK)
            status = advance(&volume, error);
    } while (status == STATUS_OK && (!volume.ended || volume.next < volume.base + volume.held));
    release(&volume);
    return status;
}
