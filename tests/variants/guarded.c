/* SPDX-License-Identifier: MIT */
#include "tests/variants/guarded.h"

#include "kernels/common/engine.h"
#include "kernels/common/numbers.h"
#include "kernels/common/sample.h"
#include "src/lib/filter/plan.h"
#include "src/lib/gpu/arrays.h"
#include "src/lib/run/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define POISON 0x69
#define GUARDED_ROWS 100 /* at either end of many: mappings take time */
#define UNIT 16          /* bytes that a GPU's kernel may read together */

/* Rows of `row_bytes`, each in pages of its own, with a page without access after each and before
 * the first one; of many rows, only of the first and the last GUARDED_ROWS. */
struct rows {
    char *memory, *first;
    size_t bytes, row_bytes, stride;
    int64_t count;
    struct view view;
    bool unguarded;  /* no pages without access */
    struct gpu *gpu; /* whose memory it is; NULL: the host's */
};

static void must(bool done, const char *what)
{
    if (done)
        return;
    perror(what);
    exit(99);
}

static void must_be_ok(enum status status, const struct error *error)
{
    if (status == STATUS_OK)
        return;
    printf("  %s\n", error->text);
    exit(99);
}

/* Pages that can be written. */
static char *make_memory(struct gpu *gpu, size_t bytes)
{
    struct error error;
    void *memory;

    if (gpu) {
        must_be_ok(gpu_array_make(gpu, (int64_t)bytes, "guarded rows", &memory, &error), &error);
        return memory;
    }
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
    must(memory != MAP_FAILED, "mmap");
    return memory;
}

static void free_rows(const struct rows *rows)
{
    if (rows->gpu)
        gpu_array_free(rows->gpu, rows->memory);
    else
        munmap(rows->memory, rows->bytes);
}

static void put_row(const struct rows *rows, int64_t y, const void *from)
{
    char *to = rows->first + (size_t)y * rows->stride;
    struct error error;

    if (rows->gpu)
        must_be_ok(gpu_array_put(rows->gpu, to, from, (int64_t)rows->row_bytes, &error), &error);
    else
        memcpy(to, from, rows->row_bytes);
}

static void get_row(const struct rows *rows, int64_t y, void *to)
{
    const char *from = rows->first + (size_t)y * rows->stride;
    struct error error;

    if (rows->gpu)
        must_be_ok(gpu_array_get(rows->gpu, to, from, (int64_t)rows->row_bytes, &error), &error);
    else
        memcpy(to, from, rows->row_bytes);
}

/* Rows of the shape of *like, with a border of `border` pixels. Every page can be written until
 * protect_rows. */
static struct rows make_rows(const struct view *like, int64_t border, const struct guarded_way *way)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t pixel_bytes = (size_t)(like->channels * like->sample_bytes);
    const size_t row_bytes = (size_t)(like->width + 2 * border) * pixel_bytes;
    const size_t room = (row_bytes + page - 1) / page * page;
    const size_t end = way->in_units ? (row_bytes + UNIT - 1) / UNIT * UNIT : row_bytes;
    const bool apart = way->side == GUARDED_APART;
    struct rows rows = {.row_bytes = row_bytes,
                        .stride = room + page,
                        .count = like->height + 2 * border,
                        .view = *like,
                        .unguarded = apart || (way->gpu && !gpu_is_emulated()),
                        .gpu = way->gpu};

    if (apart) /* by some bytes that keep rows from lying in the same sets of a cache; of three
                  channels they are not aligned, as others are, and take other ways */
        rows.stride =
            (size_t)((int64_t)1 << 32) + 3 * page + 192 + (like->channels == 3 ? pixel_bytes : 0);
    rows.bytes = page + (size_t)rows.count * rows.stride;
    rows.memory = make_memory(rows.gpu, rows.bytes);
    if (apart) /* of which each row would fill one */
        madvise(rows.memory, rows.bytes, MADV_NOHUGEPAGE);
    rows.first = rows.memory + page + (way->side == GUARDED_BEHIND ? room - end : 0);
    rows.view.stride_bytes = (int64_t)rows.stride;
    rows.view.origin = rows.first + (size_t)border * (rows.stride + pixel_bytes);
    return rows;
}

/* Takes access from the pages between the rows. access: that which the rows' own pages get. */
static void protect_rows(const struct rows *rows, int access)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (rows->gpu && rows->unguarded)
        return;
    must(mprotect(rows->memory, rows->bytes, access) == 0, "mprotect");
    for (int64_t y = 0; y <= rows->count && !rows->unguarded; y++)
        if (y <= GUARDED_ROWS || y >= rows->count - GUARDED_ROWS)
            must(mprotect(rows->memory + (size_t)y * rows->stride, page, PROT_NONE) == 0,
                 "mprotect");
}

static struct rows copy_rows(const struct view *from, int64_t border, const struct guarded_way *way)
{
    const struct rows rows = make_rows(from, border, way);

    for (int64_t y = 0; y < rows.count; y++)
        put_row(&rows, y, sample_address(from, y - border, -border, 0));
    protect_rows(&rows, PROT_READ);
    return rows;
}

static struct rows fresh_rows(const struct view *like, const struct guarded_way *way)
{
    const struct rows rows = make_rows(like, 0, way);
    char *poison = malloc(rows.row_bytes);

    must(poison != NULL, "malloc");
    memset(poison, POISON, rows.row_bytes);
    for (int64_t y = 0; y < rows.count; y++)
        put_row(&rows, y, poison);
    free(poison);
    protect_rows(&rows, PROT_READ | PROT_WRITE);
    return rows;
}

static struct guarded_fault current;

/* The handler of SIGSEGV. It may run on one of the variant's threads. */
static void report_fault(int number)
{
    (void)number;
    if (write(STDOUT_FILENO, current.text, strlen(current.text)) < 0)
        _exit(98);
    _exit(current.status);
}

static enum status run_on_host(const struct variant *variant, const struct request *request,
                               struct error *error)
{
    const struct sigaction action = {.sa_handler = report_fault};
    struct sigaction before;
    enum status status;

    must(sigaction(SIGSEGV, &action, &before) == 0, "sigaction");
    status = run_request(variant, request, NULL, error);
    must(sigaction(SIGSEGV, &before, NULL) == 0, "sigaction");
    return status;
}

/* A request whose images are in the device's memory. */
static enum status run_on_device(struct gpu *gpu, const struct variant *variant,
                                 const struct request *request, struct error *error)
{
    struct plan plan = {.state = NULL};
    struct piece piece;
    char done;
    enum status status = plan_make(variant, request, &plan, error);
    const size_t bytes = plan.scratch_bytes + 1;

    if (status != STATUS_OK) {
        plan_free(&plan);
        return status;
    }
    piece = plan_piece(&plan);
    piece.stream = gpu_stream(gpu);
    must_be_ok(gpu_array_make(gpu, (int64_t)bytes, "scratch", &piece.scratch, error), error);
    must_be_ok(gpu_array_set(gpu, piece.scratch, POISON, (int64_t)bytes, error), error);
    status = run_outcome(variant->op, ON_GPU, &plan, plan_run(&plan, &piece), error);
    if (status == STATUS_OK) /* waits for the kernels */
        status = gpu_array_get(gpu, &done, (char *)piece.scratch + bytes - 1, 1, error);
    gpu_array_free(gpu, piece.scratch);
    plan_free(&plan);
    return status;
}

/* The emulated device reports a fault as a failure. */
static enum status run(const struct variant *variant, const struct request *request,
                       const struct guarded_way *way, const struct guarded_fault *fault)
{
    struct error error;
    enum status status;

    current = *fault;
    if (!way->gpu)
        return run_on_host(variant, request, &error);
    status = run_on_device(way->gpu, variant, request, &error);
    if (status == STATUS_DEVICE) {
        printf("  %s\n%s", error.text, fault->text);
        exit(fault->status);
    }
    return status;
}

/* The lower part of an axis of so many places, or the upper one, which may be empty. */
struct part {
    int64_t first, last;
};

/* The upper part begins at a multiple of `unit`. */
static struct part part_of(int64_t extent, int which, int64_t unit)
{
    const int64_t half = min(round_up((extent + 1) / 2, unit), extent);

    return which == 0 ? (struct part){0, half} : (struct part){half, extent};
}

static struct view part_of_view(const struct view *view, struct part rows, struct part columns)
{
    struct view part = *view;

    part.origin = sample_address(view, rows.first, columns.first, 0);
    part.width = columns.last - columns.first;
    part.height = rows.last - rows.first;
    return part;
}

/* These rows and columns of an image without a border. */
static struct request quarter_of(const struct request *request, struct part rows,
                                 struct part columns)
{
    struct request quarter = *request;

    quarter.beside = (struct beside){.left = columns.first,
                                     .right = request->src.width - columns.last,
                                     .above = rows.first,
                                     .below = request->src.height - rows.last};
    quarter.src = part_of_view(&request->src, rows, columns);
    quarter.dst = part_of_view(&request->dst, rows, columns);
    return quarter;
}

/* Whether the result is right. */
static bool same_rows(const struct rows *rows, const struct view *wanted, struct part which,
                      struct part columns)
{
    const size_t pixel = (size_t)(wanted->channels * wanted->sample_bytes);
    char *row = malloc(rows->row_bytes);
    bool same = true;

    must(row != NULL, "malloc");
    for (int64_t y = which.first; y < which.last && same; y++) {
        get_row(rows, y, row);
        same =
            memcmp(row + (size_t)columns.first * pixel, sample_address(wanted, y, columns.first, 0),
                   (size_t)(columns.last - columns.first) * pixel) == 0;
    }
    free(row);
    return same;
}

/* In quarters: rows and columns that are there, or not, beside each. What a quarter writes beside
 * it is found where another was before, so they come in either order. */
static bool run_bare(const struct variant *variant, const struct request *request,
                     const struct rows *dst, const struct view *wanted,
                     const struct guarded_way *way, const struct guarded_fault *fault)
{
    const int64_t unit = way->in_units ? UNIT : 1;
    enum status ran[4];
    bool same = true;

    for (int i = 0; i < 4; i++) {
        const int which = way->side == GUARDED_BEHIND ? 3 - i : i;
        const struct request quarter =
            quarter_of(request, part_of(request->src.height, which / 2, 1),
                       part_of(request->src.width, which % 2, unit));

        ran[which] = quarter.src.height == 0 || quarter.src.width == 0
                         ? STATUS_OK
                         : run(variant, &quarter, way, fault);
    }
    for (int i = 0; i < 4 && same; i++)
        same = ran[i] == STATUS_OK ? same_rows(dst, wanted, part_of(request->src.height, i / 2, 1),
                                               part_of(request->src.width, i % 2, unit))
                                   : way->gpu && ran[i] == STATUS_UNSUPPORTED;
    return same;
}

bool guarded_run(const struct variant *variant, const struct request *request,
                 const struct view *wanted, const struct guarded_way *way,
                 const struct guarded_fault *fault)
{
    const struct rows src = copy_rows(&request->src, way->bare ? 0 : request->halo, way);
    const struct rows dst = fresh_rows(wanted, way);
    struct request guarded = *request;
    bool same;

    guarded.src = src.view;
    guarded.dst = dst.view;
    same = way->bare ? run_bare(variant, &guarded, &dst, wanted, way, fault)
                     : run(variant, &guarded, way, fault) == STATUS_OK &&
                           same_rows(&dst, wanted, (struct part){0, wanted->height},
                                     (struct part){0, wanted->width});
    free_rows(&src);
    free_rows(&dst);
    return same;
}
