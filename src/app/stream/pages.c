/* SPDX-License-Identifier: MIT */
/* Does all operations on a whole image in memory, or on the pages of a volume, some at a time. */
#include "src/app/stream/passage.h"

#include "kernels/common/numbers.h"
#include "kernels/common/clock.h"
#include "src/lib/filter/registry.h"
#include "src/files/codec/carried.h"
#include "src/files/image/compare.h"

#include <stdlib.h>
#include <string.h>

/* A volume is computed in steps of several pages. If a run would need more than this number of
 * bytes, its steps get fewer pages, down to halo / 2, unless --edge wrap keeps all pages in memory
 * anyway. Only the limit of the budget makes a step smaller than halo / 2 pages. */
#define MOST_BYTES ((int64_t)224 << 20)
#define VOLUME_STEP(HALO) (4 * (HALO) + 4) /* pages of a step, if no limit makes it smaller */

/* The state of pages_run, for which a single image is a volume of one page. The window is the part
 * of the volume that is in memory: the `held` pages of the input from number `base` on. */
struct run {
    const struct passage *passage;
    const struct work_options *work;
    struct smoothimg_context *library;
    bool volume, wraps, verifies;
    int64_t halo; /* along z, in pages */
    /* room: how many pages the window can hold; step: the most that are computed at once; each:
     * bytes that each thread needs to encode and write; 0 if the writer does not take bands. */
    int64_t room, step, each;
    int threads;
    int64_t taken;       /* bytes reserved in the budget */
    struct image window; /* the window's pages, one below the other */
    struct page {
        struct image kind;        /* the header of the page's result, without samples */
        struct metadata metadata; /* the page's metadata, if the input is a volume */
    } * pages;                    /* one for each page in the window */
    int64_t base, held, next;     /* next: the number of the page that is computed next */
    bool ended;                   /* the last page is in the window */
};

/* --- How much memory a run needs, and how many pages and threads fit into it. */

static struct shape shape_of(const struct image *page, int64_t count)
{
    struct shape shape = image_shape(page);

    if (__builtin_mul_overflow(shape.height, count, &shape.height))
        shape.height = INT64_MAX;
    return shape;
}

/* Returns the bytes of memory that the run needs at its peak: to read, to compute one operation
 * after the other, and to write. --verify keeps the source and the result while the reference
 * computes. */
static int64_t bytes_of(const struct run *run)
{
    const struct operations *operations = &run->passage->operations;
    const struct shape first = shape_of(run->passage->header, run->room);
    const struct shape last = shape_of(&run->passage->result, run->step);
    struct shape from = first, to = shape_of(run->passage->header, run->step);
    struct part part = {.src_pages = run->room,
                        .dst_pages = run->step,
                        .page = min(run->halo, run->room - run->step)};
    double most = 0;

    for (int i = 0; i < run->work->op_count; i++) {
        double bytes;

        to = operations_shape(operations, i, &to);
        bytes = (double)image_lay_out(&part.src, &from) + (double)image_lay_out(&part.dst, &to);
        bytes += operations_bytes(operations, i, run->threads, &part);
        most = bytes > most ? bytes : most;
        from = to;
        part.src_pages = run->step;
        part.page = 0;
    }
    if (run->verifies)
        most += (double)image_lay_out(&part.dst, &last) +
                (run->work->op_count > 1 ? (double)image_lay_out(&part.src, &first) : 0);
    most += (double)run->each * run->threads + (double)run->passage->reader->bytes;
    return most < 0x1p62 ? (int64_t)most : INT64_MAX;
}

/* Sets run->step, and run->room, the number of pages in the window. Neither exceeds the number of
 * all pages, if that is known. With --edge wrap the result of the first page depends on the last
 * pages, so the window then has to hold all pages. */
static void set_step(struct run *run, int64_t step)
{
    const int64_t known = max(run->passage->reader->planes, run->passage->reader->most_images);
    const int64_t all = known > 0 ? known : INT64_MAX;

    run->step = min(step, all);
    run->room = run->wraps && known > 0 ? all : min(run->step + 2 * run->halo, all);
}

/* Chooses how many pages are computed at once: about 4 halos, or fewer if memory is short. The halo
 * pages before and after a step's own pages are filtered along x and y a second time; with 4 halos
 * these extra pages are half as many as the step's own. A step has at least halo / 2 pages, if the
 * limit allows. The remaining memory decides the number of threads. */
static void choose(struct run *run)
{
    const int64_t limit = budget_limit(run->passage->context->budget, INT64_MAX);
    const int64_t most = run->passage->context->threads > 1 ? limit / 4 * 3 : limit;
    const int64_t enough = run->wraps ? INT64_MAX : max(run->halo / 2, 1);

    run->threads = 1;
    set_step(run, run->volume ? VOLUME_STEP(run->halo) : 1);
    while (run->step > 1 && bytes_of(run) > min(most, run->step > enough ? MOST_BYTES : INT64_MAX))
        set_step(run, run->step - run->step / 8 - 1);
    run->threads = run->passage->context->threads;
    while (run->threads > 1 && bytes_of(run) > limit)
        run->threads -= run->threads / 8 + 1;
}

static enum status reserve(struct run *run, struct error *error)
{
    const struct passage *passage = run->passage;
    const int64_t bytes = bytes_of(run);
    struct string_list less = {0};
    char what[128] = "in memory as a whole";
    enum status status;

    if (run->work->op_count > 1)
        string_list_add(&less, "with one --op at a time");
    if (run->verifies)
        string_list_add(&less, "without --verify");
    if (run->volume)
        string_list_add(&less, run->wraps ? "with another --edge"
                                          : "with a smaller third number of --sigma");
    else if (run->work->ops[0] != OPERATION_TRANSPOSE && !passage->writer->takes_bands)
        string_list_add(&less, "into a file of PNG, TIFF, NPY or raw PGM, PPM or PAM");
    if (run->volume)
        snprintf(what, sizeof what, "%lld pages at once, through which it is filtered",
                 (long long)run->room);
    status = passage_take_memory(passage, bytes, what, &less, error);
    run->taken = status == STATUS_OK ? bytes : 0;
    return status;
}

static enum status begin(struct run *run, struct error *error)
{
    const struct passage *passage = run->passage;
    const struct image_writer *writer = passage->writer;
    struct shape shape;
    struct error why;
    enum status status;

    if (writer->takes_bands)
        run->each = writer->bytes;
    choose(run);
    status = reserve(run, error);
    if (status != STATUS_OK)
        return status;
    shape = shape_of(passage->header, run->room);
    run->pages = calloc((size_t)run->room, sizeof *run->pages);
    status = image_alloc(&run->window, &shape, &why);
    if (!run->pages || status != STATUS_OK)
        return fail(error, STATUS_NO_MEMORY, "%s: %s", passage->reader->name,
                    run->pages ? why.text : "no memory for its pages");
    return computer_lend(passage->operations.computer, run->threads, &run->library, error);
}

static void end(struct run *run, enum status status)
{
    for (int64_t i = 0; i < run->held; i++)
        metadata_clear(&run->pages[i].metadata);
    free(run->pages);
    image_free(&run->window);
    if (run->taken > 0)
        budget_give(run->passage->context->budget, run->taken);
    computer_give(run->passage->operations.computer, run->library, status);
}

/* --- Reads pages of the source into the window, and drops them. */

static enum status check_page(const struct run *run, const struct image *header,
                              struct error *error)
{
    const struct image *first_header = run->passage->header;
    /* In linear light every page has the maxval of light. */
    const struct image file = image_file(header), first_file = image_file(first_header);
    const struct shape shape = image_shape(&file), first = image_shape(&first_file);

    if (shape.width == first.width && shape.height == first.height &&
        shape.channels == first.channels && shape.maxval == first.maxval &&
        image_alpha(header) == image_alpha(first_header))
        return STATUS_OK;
    return fail(error, STATUS_INPUT,
                "%s: page %lld is of another size or kind than the first; a volume's pages are "
                "alike: smooth each by itself, with two numbers",
                run->passage->reader->name, (long long)(run->base + run->held + 1));
}

/* Reads into the window the page that the reader has begun. */
static enum status take_page(struct run *run, const struct image *header, struct error *error)
{
    const struct passage *passage = run->passage;
    struct page *taken = &run->pages[run->held];
    struct image page;
    enum status status = check_page(run, header, error);

    if (status == STATUS_OK)
        status = image_reader_load(passage->reader, header, passage->context->threads,
                                   image_row(&run->window, run->held * header->view.height), &page,
                                   error);
    if (status != STATUS_OK)
        return status;
    taken->kind = operations_result(&passage->operations, &page);
    if (run->volume &&
        taken->kind.metadata) /* reading the next page would free the reader's metadata */
        metadata_move(&passage->reader->metadata, &taken->metadata);
    run->held++;
    return STATUS_OK;
}

/* Reads pages until the window is full or there are no more. */
static enum status fill(struct run *run, struct image *header, struct error *error)
{
    const struct passage *passage = run->passage;
    double mark = clock_seconds();
    enum status status = STATUS_OK;

    while (status == STATUS_OK && !run->ended && run->held < run->room) {
        bool found = false;

        status = take_page(run, header, error);
        if (status == STATUS_OK && run->volume)
            status = image_reader_begin(passage->reader, header, &found, error);
        if (status == STATUS_OK && found)
            passage_note_image(passage, header);
        run->ended = !found;
    }
    clock_add_since(&mark, &passage->report->times.read);
    if (status == STATUS_OK && !run->ended && run->next == 0 && run->wraps)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: --edge wrap needs all pages in memory, and only %lld are kept of a file "
                    "that does not say how many it has; %s, or choose another --edge",
                    passage->reader->name, (long long)run->room,
                    run->step < VOLUME_STEP(run->halo) ? "raise --max-memory"
                                                       : "convert it to TIFF or NPY");
    return status;
}

/* Drops the pages that no later result needs. With --edge wrap the results of the last pages need
 * the first pages, so none is dropped. */
static void slide(struct run *run)
{
    const int64_t gone = run->wraps ? 0 : max(0, run->next - run->halo - run->base);
    const int64_t rows = run->passage->header->view.height;
    const size_t kept = (size_t)(run->held - gone);

    for (int64_t i = 0; i < gone; i++)
        metadata_clear(&run->pages[i].metadata);
    memmove(image_row(&run->window, 0), image_row(&run->window, gone * rows),
            kept * (size_t)(rows * run->window.view.stride_bytes));
    memmove(run->pages, run->pages + gone, kept * sizeof *run->pages);
    memset(run->pages + kept, 0, (size_t)gone * sizeof *run->pages);
    run->base += gone;
    run->held -= gone;
}

/* --- Computes, verifies and writes the results. */

/* Computes the results of the next `count` pages by all operations, and sets *result to them.
 * Without `keep`, the window's samples are freed after the first operation, which saves memory. The
 * caller frees *result and what is left of the window, also after a failure. */
static enum status run_all(struct run *run, bool reference, bool keep,
                           struct smoothimg_context *library, int threads, int64_t count,
                           struct image *result, struct stage_times *times, struct error *error)
{
    const struct operations *operations = &run->passage->operations;
    struct shape shape = shape_of(run->passage->header, count);
    struct part part = {.src = run->window,
                        .src_pages = run->held,
                        .dst_pages = count,
                        .page = run->next - run->base};
    enum status status = STATUS_OK;

    part.src.view.height = run->held * run->passage->header->view.height;
    *result = (struct image){0};
    for (int i = 0; i < run->work->op_count && status == STATUS_OK; i++) {
        struct image before = *result;

        shape = operations_shape(operations, i, &shape);
        status = image_alloc(result, &shape, error);
        part.dst = *result;
        if (status == STATUS_OK)
            status = operations_compute(operations, i, reference, library, threads, &part,
                                        &times->ops[i], error);
        image_free(&before);
        if (!keep)
            image_free(&run->window);
        part.src = *result;
        part.src_pages = count;
        part.page = 0;
    }
    return status;
}

/* Compares the result with the reference's result, which one thread computes. */
static enum status verify(struct run *run, int64_t count, const struct image *result,
                          struct error *error)
{
    struct computer *computer = run->passage->operations.computer;
    const int last = run->work->op_count - 1;
    const int op = run->work->ops[last];
    const char *word = op_words[operation_smooths(op) ? OP_SMOOTH : op],
               *name = computer->variants[last];
    const int32_t bytes = result->view.sample_bytes;
    struct smoothimg_context *library = NULL;
    struct stage_times unused = {0};
    struct difference difference = {0};
    struct image wanted = {0};
    enum status status = computer_status(computer, NULL, smoothimg_open(1, &library), error);

    if (status == STATUS_OK)
        status = run_all(run, true, true, library, 1, count, &wanted, &unused, error);
    if (status == STATUS_OK)
        difference = compare_views(&wanted.view, &result->view);
    image_free(&wanted);
    smoothimg_close(library);
    if (status != STATUS_OK || difference.samples == 0)
        return status;
    return fail(error, STATUS_DIFFERENT,
                "%s%s %s differs from the reference in %lld sample%s; the first is column %lld, "
                "row %lld, channel %d: %s, where the reference has %s; nothing was written; use "
                "--variant reference until it is fixed; in a build folder, "
                "'tests/random/check --engine %s' finds a request to replay",
                last > 0 ? "the chain that ends with " : "", word, name,
                (long long)difference.samples, difference.samples == 1 ? "" : "s",
                (long long)difference.x, (long long)difference.y, (int)difference.channel,
                sample_text(difference.got, bytes).text, sample_text(difference.wanted, bytes).text,
                name);
}

/* Writes the `count` pages of *result. The first is page run->next. */
static enum status put_pages(const struct run *run, int64_t count, const struct image *result,
                             struct error *error)
{
    const struct passage *passage = run->passage;
    double mark = clock_seconds();
    enum status status = STATUS_OK;

    passage->writer->options.threads = run->volume ? passage->context->threads : run->threads;
    for (int64_t i = 0; i < count && status == STATUS_OK; i++) {
        struct page *page = &run->pages[run->next + i - run->base];
        struct image image = *result;

        image.view.height = result->view.height / count;
        image.view.origin = image_row(result, i * image.view.height);
        image_copy_kind(&image, &page->kind);
        if (run->volume && image.metadata) {
            image.metadata = &page->metadata;
            carried_note_lost(&image, passage->report->format, false,
                              &passage->report->not_carried);
        }
        passage_choose_format(passage, &image);
        status = image_writer_put(passage->writer, &image, error);
    }
    clock_add_since(&mark, &passage->report->times.write);
    return status;
}

/* Computes and writes as many pages as the window allows. */
static enum status advance(struct run *run, struct error *error)
{
    const int64_t end = run->base + run->held, last = run->ended ? end : end - run->halo;
    const int64_t count = min(run->step, last - run->next);
    const bool keeps = run->verifies || !run->ended || run->next + count < end;
    struct image made;
    enum status status;

    if (count <= 0) /* the window has no room for pages that the reader did not count */
        return fail(error, STATUS_INPUT, "%s: has more pages than it says",
                    run->passage->reader->name);
    status = run_all(run, false, keeps, run->library, run->threads, count, &made,
                     &run->passage->report->times, error);
    if (status == STATUS_OK && run->verifies)
        status = verify(run, count, &made, error);
    if (status == STATUS_OK)
        status = put_pages(run, count, &made, error);
    image_free(&made);
    run->next += count;
    if (run->window.memory)
        slide(run);
    return status;
}

enum status pages_run(const struct passage *passage, struct error *error)
{
    const struct stream_options *options = passage->context->options;
    const int64_t halo = options->work.filter.z.halo;
    struct run run = {.passage = passage,
                      .work = &options->work,
                      .volume = halo > 0,
                      .wraps = halo > 0 && options->work.filter.edge == EDGE_WRAP,
                      .verifies = options->verify,
                      .halo = halo};
    struct image header = *passage->header;
    enum status status = begin(&run, error);

    while (status == STATUS_OK && (!run.ended || run.next < run.base + run.held)) {
        status = fill(&run, &header, error);
        if (status == STATUS_OK)
            status = advance(&run, error);
    }
    end(&run, status);
    return status;
}
