/* SPDX-License-Identifier: MIT */
/* Tests smoothimg.h when memory is short. Each allocation of the library fails in turn, first
 * alone, then with all later ones. Starts of threads fail in the same way. A call must return
 * SMOOTHIMG_NO_MEMORY and succeed when it is repeated, and nothing may stay allocated. The linker
 * replaces libc's functions by those here (-Wl,--wrap). */
#include "tests/unit/api/samples.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#define WIDTH 300
#define HEIGHT 120

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void *memory);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void __wrap_free(void *memory);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);

/* The allocations number `first` to `last` fail, and so do the starts of threads with these
 * numbers. Both are counted from 1. */
static long first, last;
static atomic_long allocations, starts, blocks; /* blocks: allocated and not yet freed */
static atomic_long aligned; /* bytes that aligned_alloc() has returned, which are working memory */

static bool fails(atomic_long *calls)
{
    const long number = atomic_fetch_add(calls, 1) + 1;

    return number >= first && number <= last;
}

static void *counted(void *memory)
{
    atomic_fetch_add(&blocks, memory != NULL);
    return memory;
}

void *__wrap_malloc(size_t bytes)
{
    return fails(&allocations) ? NULL : counted(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails(&allocations) ? NULL : counted(__real_calloc(count, bytes));
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    atomic_fetch_add(&aligned, (long)bytes);
    return fails(&allocations) ? NULL : counted(__real_aligned_alloc(alignment, bytes));
}

void __wrap_free(void *memory)
{
    atomic_fetch_sub(&blocks, memory != NULL);
    __real_free(memory);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    return fails(&starts) ? EAGAIN : __real_pthread_create(thread, attributes, run, argument);
}

/* --- A program that uses the library. Each step is one call, and can be repeated if it fails. */

enum step { OPEN, FILTER, RESERVE, SMOOTH, WEIGHTED, SLOPES, TRANSPOSE, REVERSE, STEPS };

static uint8_t samples[HEIGHT][WIDTH][4], results[STEPS][2][HEIGHT * WIDTH * 4],
    right[STEPS][2][HEIGHT * WIDTH * 4];

static uint8_t stack[2][90 * 1000 * 6 * 3]; /* source and result of the largest call */

struct program {
    struct smoothimg_context *context;
    struct smoothimg_filter *filter, *weighted, *slopes;
};

static void free_filters(struct program *program)
{
    smoothimg_filter_free(program->filter);
    smoothimg_filter_free(program->weighted);
    smoothimg_filter_free(program->slopes);
    program->filter = program->weighted = program->slopes = NULL;
}

static void end(struct program *program)
{
    free_filters(program);
    smoothimg_close(program->context);
}

/* Creates a filter with two results, the derivatives along y and x. */
static enum smoothimg_status create_slopes(struct program *program)
{
    const struct smoothimg_axis smooth = {.sigma = 1.5}, slope = {.sigma = 1.5, .order = 1};
    const struct smoothimg_axis axis[2 * STACK_AXES] = {
        [1] = slope, [2] = smooth, [STACK_AXES + 1] = smooth, [STACK_AXES + 2] = slope};
    const struct smoothimg_filter_options options = {
        .axes = STACK_AXES, .terms = 2, .axis = axis, .combination = SMOOTHIMG_APART};

    return smoothimg_filter_create(program->context, &options, &program->slopes);
}

static enum smoothimg_status create_filters(struct program *program)
{
    const struct smooth smooth = {.y.sigma = 1.5, .x.sigma = 1.5};
    struct smooth weighted = smooth_of(40, 40, SMOOTHIMG_NEAREST);
    enum smoothimg_status status = filter_create(program->context, smooth, &program->filter);

    weighted.missing = SMOOTHIMG_ALPHA;
    if (status == SMOOTHIMG_OK)
        status = filter_create(program->context, weighted, &program->weighted);
    if (status == SMOOTHIMG_OK)
        status = create_slopes(program);
    if (status != SMOOTHIMG_OK)
        free_filters(program);
    return status;
}

static enum smoothimg_status do_step(struct program *program, enum step step)
{
    const struct stack src = {.data = samples, .width = WIDTH, .height = HEIGHT, .channels = 4};
    struct stack dst = result_of(step == TRANSPOSE ? SMOOTHIMG_TRANSPOSE : SMOOTHIMG_SMOOTH, src);
    struct stack_array from, to;
    struct smoothimg_array both[2];

    dst.data = results[step][0];
    switch (step) {
    case OPEN:
        return smoothimg_open(3, &program->context);
    case FILTER:
        return create_filters(program);
    case RESERVE:
        return reserve(program->context, program->filter, &src);
    case SMOOTH:
        return call(program->context, SMOOTHIMG_SMOOTH, program->filter, &src, &dst);
    case WEIGHTED: /* needs more memory than RESERVE has reserved */
        return call(program->context, SMOOTHIMG_SMOOTH, program->weighted, &src, &dst);
    case SLOPES: /* also needs more memory than RESERVE has reserved */
        both[0] = both[1] = *stack_array(&dst, &to);
        both[1].data = results[step][1];
        return smoothimg_filter(program->context, program->slopes, stack_array(&src, &from), both,
                                NULL, NULL);
    case TRANSPOSE:
        return call(program->context, SMOOTHIMG_TRANSPOSE, NULL, &src, &dst);
    default:
        return call(program->context, SMOOTHIMG_REVERSE, NULL, &src, &dst);
    }
}

/* Runs all steps, and repeats a step that fails. Returns whether all steps succeeded in the end. */
static bool do_steps(struct program *program, bool reserves)
{
    for (enum step step = OPEN; step < STEPS; step++) {
        const long before = allocations;
        enum smoothimg_status status;

        if (step == RESERVE && !reserves)
            continue;
        status = do_step(program, step);
        CHECK(step != SMOOTH || !reserves || allocations == before, "allocates what is reserved");
        if (status != SMOOTHIMG_OK) {
            CHECK(status == SMOOTHIMG_NO_MEMORY, "step %d: status %d", (int)step, (int)status);
            CHECK(step == OPEN || strstr(smoothimg_message(program->context), "memory"),
                  "step %d: %s", (int)step, smoothimg_message(program->context));
            status = do_step(program, step);
        }
        if (status != SMOOTHIMG_OK)
            return false;
        CHECK(memcmp(results[step], right[step], sizeof right[step]) == 0, "step %d", (int)step);
    }
    return true;
}

/* Runs all steps while allocations from..to fail. Returns whether all steps succeeded in the end.
 */
static bool run(long from, long to, bool reserves)
{
    struct program program = {NULL};
    bool done;

    first = from, last = to;
    allocations = starts = blocks = 0;
    memset(results, 0, sizeof results);
    done = do_steps(&program, reserves);
    end(&program);
    CHECK(blocks == 0, "%ld blocks are left after calls %ld..%ld failed", (long)blocks, from, to);
    return done;
}

/* The reference needs less memory than the fastest variant, so the reserved memory shows which of
 * the two the context uses. */
static void check_choice(void)
{
    struct program program = {NULL};
    long before;

    first = 0, last = -1;
    NEED(do_step(&program, OPEN) == SMOOTHIMG_OK && do_step(&program, FILTER) == SMOOTHIMG_OK);
    NEED(smoothimg_choose(program.context, "reference") == SMOOTHIMG_OK);
    NEED(do_step(&program, RESERVE) == SMOOTHIMG_OK);
    before = allocations;
    NEED(smoothimg_choose(program.context, "none") == SMOOTHIMG_INVALID);
    NEED(do_step(&program, RESERVE) == SMOOTHIMG_OK);
    CHECK(allocations == before, "a choice that was refused changes what was chosen");
    NEED(smoothimg_choose(program.context, NULL) == SMOOTHIMG_OK);
    NEED(do_step(&program, RESERVE) == SMOOTHIMG_OK);
    CHECK(allocations > before, "the fastest variant is not back");
    end(&program);
}

/* Reserves memory for src and dst. Then all further allocations fail, so later calls have only that
 * memory. */
static void reserve_for(struct program *program, const struct smoothimg_filter *filter,
                        const struct stack *src, const struct stack *dst)
{
    struct stack_array from, to;

    CHECK(smoothimg_reserve(program->context, filter, stack_array(src, &from),
                            stack_array(dst, &to)) == SMOOTHIMG_OK,
          "%s", smoothimg_message(program->context));
    first = allocations + 1, last = LONG_MAX;
}

/* Memory that is reserved for a stack must be enough for smaller images, and for fewer images. */
static void check_smaller(struct stack like, struct stack smaller)
{
    struct program program = {NULL};

    first = 0, last = -1;
    NEED(do_step(&program, OPEN) == SMOOTHIMG_OK && do_step(&program, FILTER) == SMOOTHIMG_OK);
    reserve_for(&program, program.filter, &like, &like);
    for (int call_number = 0; call_number < 2; call_number++) {
        struct stack src = call_number == 0 ? like : smaller, dst = src;

        src.data = stack[0], dst.data = stack[1];
        CHECK(call(program.context, SMOOTHIMG_SMOOTH, program.filter, &src, &dst) == SMOOTHIMG_OK,
              "%d images of %d x %d need more than was reserved", (int)src.count, (int)src.width,
              (int)src.height);
    }
    end(&program);
}

static void check_stacks(void)
{
    static const int64_t shapes[][6] = {
        {100, 90, 40, 9, 90, 40},  {100, 90, 40, 100, 90, 7},  {60, 40, 100, 60, 40, 10},
        {100, 90, 40, 64, 30, 11}, {300, 200, 5, 100, 200, 5}, {90, 1000, 6, 90, 200, 6},
        {500, 60, 6, 300, 60, 6},  {3, 3, 2, 2, 3, 2},
    };

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int channels = 1; channels < 4; channels += 2) {
            const int64_t *shape = shapes[i];

            check_smaller(
                (struct stack){
                    .width = shape[0], .height = shape[1], .count = shape[2], .channels = channels},
                (struct stack){.width = shape[3],
                               .height = shape[4],
                               .count = shape[5],
                               .channels = channels});
        }
}

/* Memory that is reserved for a part of an image must be enough for all parts of that size, in the
 * middle or at the edges: 40 rows, or 40 x 70 pixels, smoothed or differentiated. */
static void check_parts(void)
{
    static const int64_t places[][2] = {{0, 0}, {50, 0}, {80, 0}, {9, 9}, {80, 70}, {1, 230}};
    struct stack src = {.data = samples, .width = WIDTH, .height = HEIGHT, .channels = 4};
    struct stack dst = {.data = stack[1], .width = WIDTH, .height = 40, .channels = 4};
    struct stack_array from, to;

    for (int kind = 0; kind < 4; kind++) {
        struct program program = {NULL};
        const struct smoothimg_filter *filter;

        first = 0, last = -1;
        NEED(do_step(&program, OPEN) == SMOOTHIMG_OK && do_step(&program, FILTER) == SMOOTHIMG_OK);
        filter = kind < 2 ? program.filter : program.slopes;
        dst.width = kind % 2 == 0 ? WIDTH : 70;
        reserve_for(&program, filter, &src, &dst);
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            const int64_t start[] = {0, places[i][0], kind % 2 == 0 ? 0 : places[i][1], 0};
            struct smoothimg_array both[2];

            both[0] = both[1] = *stack_array(&dst, &to);
            both[1].data = stack[0];
            CHECK(smoothimg_filter(program.context, filter, stack_array(&src, &from), both, start,
                                   NULL) == SMOOTHIMG_OK,
                  "part %d, %d: %s", kind, (int)i, smoothimg_message(program.context));
        }
        end(&program);
    }
}

/* A call in a fresh context with one thread must allocate what smoothimg_measure() gives, rounded
 * up to 64 bytes. Tests an image and a part of it, smoothed, weighted and differentiated. */
static void check_measured(void)
{
    const struct stack src = {.data = samples, .width = WIDTH, .height = HEIGHT, .channels = 4};

    first = 0, last = -1;
    for (int kind = 0; kind < 6; kind++) {
        const int64_t start[] = {0, kind < 3 ? 0 : 31, 0, 0};
        struct stack dst = {.data = stack[0], .width = WIDTH, .height = HEIGHT, .channels = 4};
        struct stack_array from, to;
        struct smoothimg_array in, out[2];
        struct program program;
        const struct smoothimg_filter *filter;
        int64_t bytes;
        long before;

        NEED(smoothimg_open(1, &program.context) == SMOOTHIMG_OK);
        NEED(create_filters(&program) == SMOOTHIMG_OK);
        filter = kind % 3 == 0 ? program.filter : kind % 3 == 1 ? program.weighted : program.slopes;
        dst.height -= start[1];
        in = *stack_array(&src, &from), out[0] = out[1] = *stack_array(&dst, &to);
        in.data = out[0].data = out[1].data = NULL;
        CHECK(smoothimg_measure(program.context, filter, &in, out, start, &bytes) == SMOOTHIMG_OK,
              "%s", smoothimg_message(program.context));
        in.data = samples, out[0].data = stack[0], out[1].data = stack[1];
        smoothimg_close(program.context);
        NEED(smoothimg_open(1, &program.context) == SMOOTHIMG_OK);
        before = aligned;
        NEED(smoothimg_filter(program.context, filter, &in, out, start, NULL) == SMOOTHIMG_OK);
        CHECK(bytes > 0 && aligned - before >= bytes && aligned - before < bytes + 64,
              "%d: %ld bytes were allocated, and %ld measured", kind, aligned - before,
              (long)bytes);
        end(&program);
    }
}

int main(void)
{
    struct program program = {NULL};
    long calls;

    for (size_t i = 0; i < sizeof samples; i++)
        ((uint8_t *)samples)[i] = (uint8_t)(i * i / 7);
    for (enum step step = OPEN; step < STEPS; step++)
        NEED(do_step(&program, step) == SMOOTHIMG_OK);
    memcpy(right, results, sizeof right);
    end(&program);
    for (int reserves = 0; reserves < 2; reserves++) {
        CHECK(run(0, -1, reserves == 1), "without faults");
        /* The number of allocations varies: a thread that gets no rows to compute allocates
         * nothing. */
        calls = allocations;
        CHECK(calls >= 4 && starts >= 2, "%ld allocations, %ld threads", calls, (long)starts);
        for (long call = 1; call <= calls; call++) {
            CHECK(run(call, call, reserves == 1), "call %ld failed alone", call);
            run(call, LONG_MAX, reserves == 1); /* may succeed: one thread can do all the work */
        }
    }
    check_choice();
    check_stacks();
    check_measured();
    check_parts();
    return unit_result();
}
