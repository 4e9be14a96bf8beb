/* SPDX-License-Identifier: MIT */
/* smoothimg.h without memory: each allocation of the library fails in turn, and then all from one
 * on; so do starts of threads. A call ends with SMOOTHIMG_NO_MEMORY and can be repeated, the
 * results are right, and nothing is left allocated. The linker puts the functions here in the place
 * of libc's
 * (-Wl,--wrap). */
#include "src/lib/smoothimg.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

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

/* What fails: calls first..last of allocations, and of starts of threads; counted from 1. */
static long first, last;
static atomic_long allocations, starts, blocks; /* blocks: allocated, and not freed */

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

/* --- One program, in steps that can be repeated. */

enum step { OPEN, FILTER, RESERVE, SMOOTH, WEIGHTED, TRANSPOSE, REVERSE, STEPS };

static uint8_t samples[HEIGHT][WIDTH][4], results[STEPS][HEIGHT * WIDTH * 4],
    right[STEPS][HEIGHT * WIDTH * 4];

static uint8_t stack[2][90 * 1000 * 6 * 3]; /* of the largest call */

struct program {
    struct smoothimg_context *context;
    struct smoothimg_filter *filter, *weighted;
};

static enum smoothimg_status do_step(struct program *program, enum step step)
{
    const struct smoothimg_filter_options options = {.sigma_x = 1.5, .sigma_y = 1.5},
                                          weighted = {
                                              .halo_x = 40, .halo_y = 40, .alpha_weighted = 1};
    struct smoothimg_image src = {.data = samples, .width = WIDTH, .height = HEIGHT, .channels = 4};
    struct smoothimg_image dst = src;
    enum smoothimg_status status;

    dst.data = results[step];
    switch (step) {
    case OPEN:
        return smoothimg_open(3, &program->context);
    case FILTER:
        status = smoothimg_filter_create(program->context, &options, &program->filter);
        if (status == SMOOTHIMG_OK)
            status = smoothimg_filter_create(program->context, &weighted, &program->weighted);
        if (status != SMOOTHIMG_OK) {
            smoothimg_filter_free(program->filter);
            program->filter = NULL;
        }
        return status;
    case RESERVE:
        return smoothimg_reserve(program->context, program->filter, &src);
    case SMOOTH:
        return smoothimg_smooth(program->context, program->filter, &src, &dst, NULL);
    case WEIGHTED: /* needs more than was reserved */
        return smoothimg_smooth(program->context, program->weighted, &src, &dst, NULL);
    case TRANSPOSE:
        dst.width = HEIGHT, dst.height = WIDTH;
        return smoothimg_transpose(program->context, &src, &dst, NULL);
    default:
        return smoothimg_reverse(program->context, &src, &dst, NULL);
    }
}

/* Runs all steps; one that fails is done once more. True if all succeeded. */
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

/* With calls from..to failing; returns whether all steps came to an end. */
static bool run(long from, long to, bool reserves)
{
    struct program program = {NULL, NULL, NULL};
    bool done;

    first = from, last = to;
    allocations = starts = blocks = 0;
    memset(results, 0, sizeof results);
    done = do_steps(&program, reserves);
    smoothimg_filter_free(program.filter);
    smoothimg_filter_free(program.weighted);
    smoothimg_close(program.context);
    CHECK(blocks == 0, "%ld blocks are left after calls %ld..%ld failed", (long)blocks, from, to);
    return done;
}

/* The memory that is reserved shows which variant would compute: the reference needs less. */
static void check_choice(void)
{
    struct program program = {NULL, NULL, NULL};
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
    smoothimg_filter_free(program.filter);
    smoothimg_filter_free(program.weighted);
    smoothimg_close(program.context);
}

/* What is reserved for a stack serves stacks of images and numbers of them that are smaller. */
static void check_smaller(struct smoothimg_image like, struct smoothimg_image smaller)
{
    struct program program = {NULL, NULL, NULL};
    long before;

    first = 0, last = -1;
    NEED(do_step(&program, OPEN) == SMOOTHIMG_OK && do_step(&program, FILTER) == SMOOTHIMG_OK);
    NEED(smoothimg_reserve(program.context, program.filter, &like) == SMOOTHIMG_OK);
    before = allocations;
    for (int call = 0; call < 2; call++) {
        struct smoothimg_image src = call == 0 ? like : smaller, dst;

        src.data = stack[0];
        dst = src;
        dst.data = stack[1];
        NEED(smoothimg_smooth(program.context, program.filter, &src, &dst, NULL) == SMOOTHIMG_OK);
        CHECK(allocations == before, "%d images of %d x %d need more than was reserved",
              (int)src.count, (int)src.width, (int)src.height);
    }
    smoothimg_filter_free(program.filter);
    smoothimg_filter_free(program.weighted);
    smoothimg_close(program.context);
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
                (struct smoothimg_image){
                    .width = shape[0], .height = shape[1], .count = shape[2], .channels = channels},
                (struct smoothimg_image){.width = shape[3],
                                         .height = shape[4],
                                         .count = shape[5],
                                         .channels = channels});
        }
}

int main(void)
{
    struct program program = {NULL, NULL, NULL};
    long calls;

    for (size_t i = 0; i < sizeof samples; i++)
        ((uint8_t *)samples)[i] = (uint8_t)(i * i / 7);
    for (enum step step = OPEN; step < STEPS; step++)
        NEED(do_step(&program, step) == SMOOTHIMG_OK);
    memcpy(right, results, sizeof right);
    smoothimg_filter_free(program.filter);
    smoothimg_filter_free(program.weighted);
    smoothimg_close(program.context);
    for (int reserves = 0; reserves < 2; reserves++) {
        CHECK(run(0, -1, reserves == 1), "without faults");
        calls = allocations; /* varies: a thread that finds no band allocates nothing */
        CHECK(calls >= 4 && starts >= 2, "%ld allocations, %ld threads", calls, (long)starts);
        for (long call = 1; call <= calls; call++) {
            CHECK(run(call, call, reserves == 1), "call %ld failed alone", call);
            run(call, LONG_MAX, reserves == 1); /* a thread that has memory may do all the work */
        }
    }
    check_choice();
    check_stacks();
    return unit_result();
}
