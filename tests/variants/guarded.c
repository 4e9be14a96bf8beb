/* SPDX-License-Identifier: MIT */
#include "tests/variants/guarded.h"

#include "src/lib/image/compare.h"
#include "src/lib/run/run.h"
#include "kernels/common/sample.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define POISON 0x69
#define GUARDED_ROWS 100 /* at either end of many: mappings take time */

/* Rows of `row_bytes`, each in pages of its own, with a page without access after each and before
 * the first one; of many rows, only of the first and the last GUARDED_ROWS. */
struct rows {
    char *memory, *first;
    size_t bytes, row_bytes, stride;
    int64_t count;
    struct view view;
    bool apart; /* gigabytes, and no pages without access */
};

static void must(bool done, const char *what)
{
    if (done)
        return;
    perror(what);
    exit(99);
}

/* Rows of the shape of *like, with a border of `border` pixels. Every page can be written until
 * protect_rows. */
static struct rows make_rows(const struct view *like, int64_t border, enum guarded_side side)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t pixel_bytes = (size_t)(like->channels * like->sample_bytes);
    const size_t row_bytes = (size_t)(like->width + 2 * border) * pixel_bytes;
    const size_t room = (row_bytes + page - 1) / page * page;
    struct rows rows = {.row_bytes = row_bytes,
                        .stride = room + page,
                        .count = like->height + 2 * border,
                        .view = *like,
                        .apart = side == GUARDED_APART};

    if (rows.apart) /* by some bytes that keep rows from lying in the same sets of a cache; of three
                       channels they are not aligned, as others are, and take other ways */
        rows.stride =
            (size_t)((int64_t)1 << 32) + 3 * page + 192 + (like->channels == 3 ? pixel_bytes : 0);
    rows.bytes = page + (size_t)rows.count * rows.stride;
    rows.memory = mmap(NULL, rows.bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    must(rows.memory != MAP_FAILED, "mmap");
    if (rows.apart) /* of which each row would fill one */
        madvise(rows.memory, rows.bytes, MADV_NOHUGEPAGE);
    rows.first = rows.memory + page + (side == GUARDED_BEHIND ? room - row_bytes : 0);
    rows.view.stride_bytes = (int64_t)rows.stride;
    rows.view.origin = rows.first + (size_t)border * (rows.stride + pixel_bytes);
    return rows;
}

/* Takes access from the pages between the rows. access: that which the rows' own pages get. */
static void protect_rows(const struct rows *rows, int access)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    must(mprotect(rows->memory, rows->bytes, access) == 0, "mprotect");
    for (int64_t y = 0; y <= rows->count && !rows->apart; y++)
        if (y <= GUARDED_ROWS || y >= rows->count - GUARDED_ROWS)
            must(mprotect(rows->memory + (size_t)y * rows->stride, page, PROT_NONE) == 0,
                 "mprotect");
}

static struct rows copy_rows(const struct view *from, int64_t border, enum guarded_side side)
{
    const struct rows rows = make_rows(from, border, side);

    for (int64_t y = 0; y < rows.count; y++)
        memcpy(rows.first + (size_t)y * rows.stride, sample_address(from, y - border, -border, 0),
               rows.row_bytes);
    protect_rows(&rows, PROT_READ);
    return rows;
}

static struct rows fresh_rows(const struct view *like, enum guarded_side side)
{
    const struct rows rows = make_rows(like, 0, side);

    for (int64_t y = 0; y < rows.count; y++)
        memset(rows.first + (size_t)y * rows.stride, POISON, rows.row_bytes);
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

static bool run(const struct variant *variant, const struct job *job,
                const struct guarded_fault *fault)
{
    const struct sigaction action = {.sa_handler = report_fault};
    struct sigaction before;
    struct error error;
    enum status status;

    current = *fault;
    must(sigaction(SIGSEGV, &action, &before) == 0, "sigaction");
    status = run_job(variant, job, NULL, &error);
    must(sigaction(SIGSEGV, &before, NULL) == 0, "sigaction");
    return status == STATUS_OK;
}

/* The lower part of an axis of so many places, or the upper one, which may be empty. */
struct part {
    int64_t first, last;
};

static struct part part_of(int64_t extent, int which)
{
    const int64_t half = (extent + 1) / 2;

    return which == 0 ? (struct part){0, half} : (struct part){half, extent};
}

/* These rows and columns of an image without a border. */
static struct job quarter_of(const struct job *job, struct part rows, struct part columns)
{
    const int64_t pixel = job->src.channels * job->src.sample_bytes;
    struct job quarter = *job;

    quarter.beside = (struct beside){.left = columns.first,
                                     .right = job->src.width - columns.last,
                                     .above = rows.first,
                                     .below = job->src.height - rows.last};
    quarter.src.height = quarter.dst.height = rows.last - rows.first;
    quarter.src.width = quarter.dst.width = columns.last - columns.first;
    quarter.src.origin =
        (char *)job->src.origin + rows.first * job->src.stride_bytes + columns.first * pixel;
    quarter.dst.origin =
        (char *)job->dst.origin + rows.first * job->dst.stride_bytes + columns.first * pixel;
    return quarter;
}

/* In quarters: rows and columns that are there, or not, beside each. */
static bool run_bare(const struct variant *variant, const struct job *job,
                     const struct guarded_fault *fault)
{
    bool ran = true;

    for (int i = 0; i < 4 && ran; i++) {
        const struct job quarter =
            quarter_of(job, part_of(job->src.height, i / 2), part_of(job->src.width, i % 2));

        ran = quarter.src.height == 0 || quarter.src.width == 0 || run(variant, &quarter, fault);
    }
    return ran;
}

bool guarded_run(const struct variant *variant, const struct job *job, const struct view *wanted,
                 enum guarded_side side, bool bare, const struct guarded_fault *fault)
{
    const struct rows src = copy_rows(&job->src, bare ? 0 : job->halo, side);
    const struct rows dst = fresh_rows(wanted, side);
    struct job guarded = *job;
    bool same;

    guarded.src = src.view;
    guarded.dst = dst.view;
    same = (bare ? run_bare : run)(variant, &guarded, fault) &&
           compare_views(wanted, &dst.view).samples == 0;
    munmap(src.memory, src.bytes);
    munmap(dst.memory, dst.bytes);
    return same;
}
