/* SPDX-License-Identifier: MIT */
/* Tests that a second call with equal arguments, or with fewer rows (at least half as many), uses
 * the plan of the first call. A plan is the engine (implementation) that the library selects, with
 * the tables that it computes for such calls. The linker replaces plan_make() by a function that
 * counts its calls, and memory_need() by one that counts the allocations. */
#include "src/lib/filter/plan.h"
#include "src/lib/smoothimg.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

static int plans;
/* The greatest width and the least height in requests for plans, since check_pieces() began. */
static int64_t widest, lowest;

enum status __real_plan_make(const struct variant *variant, const struct request *request,
                             struct plan *plan, struct error *error);
enum status __wrap_plan_make(const struct variant *variant, const struct request *request,
                             struct plan *plan, struct error *error);
enum status __wrap_plan_make(const struct variant *variant, const struct request *request,
                             struct plan *plan, struct error *error)
{
    plans++;
    widest = request->src.width > widest ? request->src.width : widest;
    lowest = request->src.height < lowest ? request->src.height : lowest;
    return __real_plan_make(variant, request, plan, error);
}

static int allocations;

enum status __real_memory_need(void **memory, size_t *room, size_t bytes, const char *purpose,
                               struct error *error);
enum status __wrap_memory_need(void **memory, size_t *room, size_t bytes, const char *purpose,
                               struct error *error);
enum status __wrap_memory_need(void **memory, size_t *room, size_t bytes, const char *purpose,
                               struct error *error)
{
    allocations += bytes > *room;
    return __real_memory_need(memory, room, bytes, purpose, error);
}

#define SIDE 300

static uint8_t from[SIDE * SIDE], to[SIDE * SIDE], wanted[SIDE * SIDE];
static struct smoothimg_context *context, *other_context;

/* Makes a filter of two axes, or, for a stack of images, of three. */
static struct smoothimg_filter *filter_of(int64_t radius, bool of_stack)
{
    const struct smoothimg_axis axes[] = {{.radius = -1}, {.radius = radius}, {.radius = radius}};
    const struct smoothimg_filter_options options = {.axes = 2 + of_stack,
                                                     .axis = axes + !of_stack};
    struct smoothimg_filter *filter;

    NEED(smoothimg_filter_create(context, &options, &filter) == SMOOTHIMG_OK);
    return filter;
}

/* Filters `from`. Checks the result in `to`. Returns how many plans the call makes. */
static int made_by_call(const struct smoothimg_filter *filter, struct smoothimg_array src,
                        struct smoothimg_array dst, const int64_t *first)
{
    int made;

    src.data = from, dst.data = to;
    plans = 0;
    memset(to, 0, sizeof to);
    memset(wanted, 0, sizeof wanted);
    CHECK(smoothimg_filter(context, filter, &src, &dst, first, NULL) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
    made = plans;
    dst.data = wanted;
    CHECK(smoothimg_filter(other_context, filter, &src, &dst, first, NULL) == SMOOTHIMG_OK &&
              memcmp(to, wanted, sizeof to) == 0,
          "%d axes, %d places of axis 0", dst.axes, (int)dst.shape[0]);
    plans = made; /* callers print `plans` in their messages */
    return made;
}

/* Filters a source of `all` rows, but computes only the result's rows row..row + rows - 1. */
static int made_by_part(const struct smoothimg_filter *filter, int64_t all, int64_t row,
                        int64_t rows, uint64_t maxval)
{
    const int64_t shape[] = {all, SIDE}, extent[] = {rows, SIDE}, first[] = {row, 0};
    const struct smoothimg_array src = {.axes = 2, .shape = shape, .maxval = maxval},
                                 dst = {.axes = 2, .shape = extent, .maxval = maxval};

    return made_by_call(filter, src, dst, first);
}

static int made_by(const struct smoothimg_filter *filter, int64_t rows, uint64_t maxval)
{
    return made_by_part(filter, rows, 0, rows, maxval);
}

/* Smooths a stack of small images. The library copies several of them side by side, and smooths
 * them together. */
static int made_by_stack(const struct smoothimg_filter *filter, int64_t rows)
{
    const int64_t shape[] = {40, rows, 30};
    const struct smoothimg_array stack = {.axes = 3, .shape = shape};

    return made_by_call(filter, stack, stack, NULL);
}

static void check_stacks(void)
{
    struct smoothimg_filter *filter = filter_of(2, true);

    CHECK(made_by_stack(filter, 60) == 1, "a stack: %d", plans);
    CHECK(made_by_stack(filter, 40) == 0, "a stack of lower images: %d", plans);
    smoothimg_filter_free(filter);
}

/* Tests the sizes for which plans are made: half the rows of an image that two threads compute, and
 * more columns than an image has where small images of a stack are copied side by side. */
static void check_pieces(void)
{
    const int64_t shape[] = {SIDE, SIDE};
    const struct smoothimg_array src = {.data = from, .axes = 2, .shape = shape};
    struct smoothimg_array dst = src;
    struct smoothimg_filter *filter = filter_of(64, false);
    struct smoothimg_context *two;

    lowest = INT64_MAX, widest = 0, dst.data = to;
    NEED(smoothimg_open(2, &two) == SMOOTHIMG_OK &&
         smoothimg_filter(two, filter, &src, &dst, NULL, NULL) == SMOOTHIMG_OK);
    CHECK(lowest == SIDE / 2, "a piece of %d rows", (int)lowest);
    check_stacks();
    CHECK(widest > SIDE, "%d columns side by side", (int)widest);
    smoothimg_filter_free(filter);
    smoothimg_close(two);
}

/* After smoothimg_reserve() calls with fewer rows allocate nothing. An image of 300 rows is divided
 * into bands for four threads. If the threads sleep, an image of 100 rows is computed by one
 * thread, as a single band, which is higher. */
static void check_reserve(void)
{
    int64_t shape[] = {SIDE, SIDE};
    const struct smoothimg_array src = {.data = from, .axes = 2, .shape = shape};
    struct smoothimg_array dst = src;
    struct smoothimg_filter *filter = filter_of(5, false);
    struct smoothimg_context *four;

    dst.data = to;
    NEED(smoothimg_open(4, &four) == SMOOTHIMG_OK &&
         smoothimg_reserve(four, filter, &src, &dst) == SMOOTHIMG_OK);
    for (; shape[0] > 0; shape[0] -= 50) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); /* the threads fall asleep */
        allocations = 0;
        CHECK(smoothimg_filter(four, filter, &src, &dst, NULL, NULL) == SMOOTHIMG_OK, "%s",
              smoothimg_message(four));
        CHECK(allocations == 0, "%d allocations for %d rows", allocations, (int)shape[0]);
    }
    smoothimg_filter_free(filter);
    smoothimg_close(four);
}

int main(void)
{
    struct smoothimg_filter *one, *other;

    NEED(smoothimg_open(1, &context) == SMOOTHIMG_OK &&
         smoothimg_open(1, &other_context) == SMOOTHIMG_OK &&
         smoothimg_choose(other_context, "reference") == SMOOTHIMG_OK);
    for (int i = 0; i < SIDE * SIDE; i++)
        from[i] = (uint8_t)((int64_t)i * i % 101);
    check_reserve();
    one = filter_of(2, false), other = filter_of(2, false);
    CHECK(made_by(one, 200, 0) == 1, "the first call: %d", plans);
    for (int i = 0; i < 5; i++)
        CHECK(made_by(one, 200, 0) == 0, "a call like it: %d", plans);
    CHECK(made_by(one, 199, 0) == 0 && made_by(one, 100, 0) == 0, "some rows less: %d", plans);
    CHECK(made_by(one, 99, 0) == 1, "less than half of the rows: %d", plans);
    CHECK(made_by(one, 201, 0) == 1, "more rows: %d", plans);
    CHECK(made_by_part(one, 300, 0, 150, 0) == 0 && made_by_part(one, 300, 100, 150, 0) == 0,
          "samples around the rows: %d", plans);
    CHECK(made_by(one, 200, 100) == 1, "another maxval: %d", plans);
    CHECK(made_by(other, 200, 0) == 1, "another filter: %d", plans);
    CHECK(made_by(one, 200, 0) == 0 && made_by(one, 99, 0) == 0 && made_by(other, 200, 0) == 0,
          "they are kept: %d", plans);
    check_pieces();
    NEED(smoothimg_choose(context, "reference") == SMOOTHIMG_OK);
    CHECK(made_by(one, 20, 0) == 1 && made_by(one, 20, 0) == 0, "another variant: %d", plans);
    for (uint64_t maxval = 100; maxval < 120; maxval++)
        CHECK(made_by(one, 20, maxval) == 1, "a maxval of %d: %d", (int)maxval, plans);
    smoothimg_filter_free(one);
    smoothimg_filter_free(other);
    smoothimg_close(context);
    smoothimg_close(other_context);
    return unit_result();
}
