/* SPDX-License-Identifier: MIT */
/* Images in memory for tests of smoothimg.h, and calls of the library with them. Samples are
 * pseudo-random, with the seed unit_turn() (unit.h). */
#ifndef SMOOTHIMG_TEST_SAMPLES_H
#define SMOOTHIMG_TEST_SAMPLES_H

#include "src/lib/smoothimg.h"
#include "tests/unit/splitmix.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define POISON 0xa5

/* Returns a random number from 0 to below - 1. */
static inline int64_t draw(int64_t below)
{
    static uint64_t draw_state; /* 0 until the first call seeds it */

    if (draw_state == 0)
        draw_state = 1 + (uint64_t)unit_turn();
    return (int64_t)(splitmix(&draw_state) % (uint64_t)below);
}

/* A stack: `count` images of one shape, whose samples are an array of count x height x width x
 * channels. */
struct stack {
    void *data; /* pixel (0, 0) of the first image */
    int64_t width, height, channels;
    int64_t pitch;            /* bytes from one row to the next; 0: no gaps */
    int64_t count;            /* number of images; 0 means 1 */
    int64_t stride;           /* bytes from one image to the next; 0: no gaps */
    enum smoothimg_type type; /* of 8 or 16 bits */
    enum smoothimg_memory memory;
    int64_t border;       /* pixels in memory on each side of each image */
    unsigned char *bytes; /* start of the memory that stack_make() allocates, of `size` bytes */
    size_t size;
};

static inline int64_t sample_bytes(const struct stack *stack)
{
    return stack->type == SMOOTHIMG_U8 ? 1 : 2;
}

static inline int64_t pixel_size(const struct stack *stack)
{
    return stack->channels * sample_bytes(stack);
}

/* Returns the size in bytes of a row's pixels, without border and gap. */
static inline int64_t row_bytes(const struct stack *stack)
{
    return stack->width * pixel_size(stack);
}

/* Describes the operation's result for images like `like`: without border, and of the same size,
 * except that a transpose exchanges width and height. */
static inline struct stack result_of(enum smoothimg_op op, struct stack like)
{
    const int64_t width = like.width;

    if (op == SMOOTHIMG_TRANSPOSE)
        like.width = like.height, like.height = width;
    like.border = 0;
    return like;
}

/* Returns the stack. Computes its pitch, count and stride where these are 0. */
static inline struct stack stack_complete(struct stack stack)
{
    if (stack.pitch == 0)
        stack.pitch = row_bytes(&stack) + 2 * stack.border * pixel_size(&stack);
    if (stack.count == 0)
        stack.count = 1;
    if (stack.stride == 0)
        stack.stride = stack.pitch * (stack.height + 2 * stack.border);
    return stack;
}

/* Returns the number of bytes from the first pixel of the border to pixel (0, 0). */
static inline int64_t border_bytes(const struct stack *stack)
{
    return stack->border * (stack->pitch + pixel_size(stack));
}

/* Returns the address of pixel (0, y) of image i, in host memory. */
static inline unsigned char *row_of(const struct stack *stack, int64_t i, int64_t y)
{
    return (unsigned char *)stack->data + i * stack->stride + y * stack->pitch;
}

static inline unsigned char *pixel_of(const struct stack *stack, int64_t i, int64_t y, int64_t x)
{
    return row_of(stack, i, y) + x * pixel_size(stack);
}

/* Numbers of unused samples around the images of a stack in memory. */
struct gaps {
    /* samples from the start of the memory, a multiple of 64 bytes, to the first image's border */
    int64_t before;
    int64_t row;     /* samples after each row */
    int64_t between; /* samples after each image */
    int64_t after;   /* more samples after the last image */
};

/* Allocates host memory for a stack with the shape and type of `like`, and fills it with POISON. */
static inline struct stack stack_make(struct stack like, struct gaps gaps)
{
    const int64_t sample = sample_bytes(&like);

    like = stack_complete(like);
    like.pitch = row_bytes(&like) + 2 * like.border * pixel_size(&like) + gaps.row * sample;
    like.stride = like.pitch * (like.height + 2 * like.border) + gaps.between * sample;
    like.size =
        (size_t)((like.stride * like.count + (gaps.before + gaps.after) * sample) / 64 * 64 + 64);
    like.bytes = (unsigned char *)aligned_alloc(64, like.size);
    NEED(like.bytes);
    memset(like.bytes, POISON, like.size);
    like.data = like.bytes + gaps.before * sample + border_bytes(&like);
    return like;
}

static inline void stack_drop(const struct stack *stack)
{
    free(stack->bytes);
}

/* Sets all bytes that stack_make() has allocated to random values. */
static inline void fill(const struct stack *stack)
{
    for (size_t i = 0; i < stack->size; i++)
        stack->bytes[i] = (unsigned char)draw(256);
}

/* Returns whether both stacks have equal samples and all other bytes of *stack are still POISON.
 * stack_make() must have allocated *stack. */
static inline bool stack_same(const struct stack *stack, const struct stack *wanted)
{
    unsigned char *all = (unsigned char *)malloc(stack->size);
    bool same;

    NEED(all);
    memset(all, POISON, stack->size);
    for (int64_t i = 0; i < stack->count; i++)
        for (int64_t y = 0; y < stack->height; y++)
            memcpy(all + (row_of(stack, i, y) - stack->bytes), row_of(wanted, i, y),
                   (size_t)row_bytes(stack));
    same = memcmp(all, stack->bytes, stack->size) == 0;
    free(all);
    return same;
}

/* --- Images as arrays. */

#define STACK_AXES 4

struct stack_array {
    struct smoothimg_array array;
    int64_t shape[STACK_AXES], strides[STACK_AXES];
};

/* Describes a stack as an array of its images with their borders. Returns the array, which is in
 * *made. */
static inline const struct smoothimg_array *stack_array(const struct stack *stack,
                                                        struct stack_array *made)
{
    const struct stack all = stack_complete(*stack);
    const int64_t shape[] = {all.count, all.height + 2 * all.border, all.width + 2 * all.border,
                             all.channels};
    const int64_t strides[] = {all.stride, all.pitch, pixel_size(&all), sample_bytes(&all)};
    struct smoothimg_array *array = &made->array;

    memset(made, 0, sizeof *made);
    memcpy(made->shape, shape, sizeof shape);
    memcpy(made->strides, strides, sizeof strides);
    array->data = all.data ? (char *)all.data - border_bytes(&all) : NULL;
    array->axes = STACK_AXES;
    array->shape = made->shape;
    array->strides = made->strides;
    array->type = all.type;
    array->memory = all.memory;
    return array;
}

struct smooth {
    /* Along the images of a stack, down their columns, along their rows; all members 0: no
     * smoothing along this axis. */
    struct smoothimg_axis z, y, x;
    enum smoothimg_edge edge; /* edge rule of all axes */
    enum smoothimg_missing missing;
};

static inline struct smooth smooth_of(int64_t radius_y, int64_t radius_x, enum smoothimg_edge edge)
{
    struct smooth smooth;

    memset(&smooth, 0, sizeof smooth);
    smooth.y.radius = radius_y;
    smooth.x.radius = radius_x;
    smooth.edge = edge;
    return smooth;
}

static inline struct smoothimg_filter *filter_make(struct smoothimg_context *context,
                                                   struct smooth smooth)
{
    struct smoothimg_axis axis[STACK_AXES];
    struct smoothimg_filter_options options;
    struct smoothimg_filter *filter;

    memset(axis, 0, sizeof axis);
    memset(&options, 0, sizeof options);
    axis[0] = smooth.z, axis[1] = smooth.y, axis[2] = smooth.x;
    axis[0].edge = axis[1].edge = axis[2].edge = smooth.edge;
    options.axes = STACK_AXES;
    options.axis = axis;
    options.missing = smooth.missing;
    NEED(smoothimg_filter_create(context, &options, &filter) == SMOOTHIMG_OK);
    return filter;
}

/* Calls the library for any operation. Only smoothing uses `filter`. */
static inline enum smoothimg_status call_on(struct smoothimg_context *context, enum smoothimg_op op,
                                            const struct smoothimg_filter *filter,
                                            const struct stack *src, const struct stack *dst,
                                            void *stream)
{
    static const int turned[] = {0, 2, 1, 3}, both[] = {0, 1, 1, 0};
    const int64_t first[] = {0, src->border, src->border, 0};
    struct stack_array from, to;
    const struct smoothimg_array *in = stack_array(src, &from), *out = stack_array(dst, &to);

    return op == SMOOTHIMG_SMOOTH
               ? smoothimg_filter(context, filter, in, out, src->border > 0 ? first : NULL, stream)
           : op == SMOOTHIMG_TRANSPOSE ? smoothimg_move(context, turned, NULL, in, out, stream)
                                       : smoothimg_move(context, NULL, both, in, out, stream);
}

static inline enum smoothimg_status call(struct smoothimg_context *context, enum smoothimg_op op,
                                         const struct smoothimg_filter *filter,
                                         const struct stack *src, const struct stack *dst)
{
    return call_on(context, op, filter, src, dst, NULL);
}

/* Reserves memory to smooth images like *like, or to transpose or reverse them if the filter is
 * NULL. */
static inline enum smoothimg_status reserve(struct smoothimg_context *context,
                                            const struct smoothimg_filter *filter,
                                            const struct stack *like)
{
    struct stack_array made;
    const struct smoothimg_array *array = stack_array(like, &made);

    return smoothimg_reserve(context, filter, array, filter ? array : NULL);
}

#endif
