/* SPDX-License-Identifier: MIT */
/* Tests calls that the library refuses although each argument is valid by itself, for example with
 * arrays that overlap. Also tests contexts, and how many threads a call uses. */
#include "tests/unit/api/samples.h"

#define WIDTH 12
#define HEIGHT 10

static unsigned char memory[2][HEIGHT * 160];

static struct smoothimg_context *context;

static void check_message(const char *wanted)
{
    CHECK(strcmp(smoothimg_message(context), wanted) == 0, "%s\nwanted: %s",
          smoothimg_message(context), wanted);
}

static struct stack image(int which)
{
    return (struct stack){.data = memory[which], .width = WIDTH, .height = HEIGHT, .channels = 1};
}

/* Places dst at each distance from 256 bytes before src to 383 bytes after it. The library must
 * refuse a dst that shares bytes with src. The rows of both arrays start 32 bytes apart and have 12
 * bytes, so the rows of dst may lie in the gaps between the rows of src. */
static void check_overlap(void)
{
    struct smoothimg_filter *filter = filter_make(context, smooth_of(2, 2, SMOOTHIMG_REFLECT));
    struct stack src = image(0), dst = image(0);

    src.pitch = dst.pitch = 32;
    src.data = memory[0] + 8 * 32;
    for (int64_t at = 0; at < 20 * 32; at++) {
        const int64_t apart = at - 8 * 32, beside = ((apart % 32) + 32) % 32;
        const bool free_of = apart <= -(HEIGHT - 1) * 32 - WIDTH ||
                             apart >= (HEIGHT - 1) * 32 + WIDTH ||
                             (beside >= WIDTH && beside + WIDTH <= 32);
        enum smoothimg_status status;

        dst.data = memory[0] + at;
        status = call(context, SMOOTHIMG_SMOOTH, filter, &src, &dst);
        CHECK(status == (free_of ? SMOOTHIMG_OK : SMOOTHIMG_INVALID), "%d bytes apart", (int)apart);
        if (!free_of)
            check_message("src and dst overlap");
    }
    smoothimg_filter_free(filter);
}

/* Sets `bit` in marks[i] for each byte memory[0][i] of the images and their borders. */
static void mark(const struct stack *stack, unsigned char *marks, unsigned char bit)
{
    const int64_t border = stack->border;

    for (int64_t i = 0; i < stack->count; i++)
        for (int64_t y = -border; y < stack->height + border; y++)
            for (int64_t x = -border; x < stack->width + border; x++)
                marks[pixel_of(stack, i, y, x) - memory[0]] |= bit;
}

/* Tests two stacks of images of 5 x 3 bytes, with all pairs of pitches and of strides, at many
 * offsets. The library must refuse a call if the stacks share a byte, and accept it if dst ends
 * before src begins. */
static void check_overlap_of_stacks(enum smoothimg_op op)
{
    static const int64_t pitches[] = {7, 8, 11, 16}, strides[] = {48, 49, 52, 55, 64, 96};
    struct smoothimg_filter *filter = filter_make(context, smooth_of(1, 1, SMOOTHIMG_REFLECT));

    for (int k = 0; k < 4 * 4 * 6 * 6 * 2; k++)
        for (int64_t at = 0; at < 480; at += 1 + (k + (int)op) % 3) {
            struct stack src = {.data = memory[0] + 240,
                                .width = 5,
                                .height = 3,
                                .pitch = pitches[k % 4],
                                .count = 2 + k / 576,
                                .stride = strides[k / 16 % 6],
                                .channels = 1,
                                .border = op == SMOOTHIMG_SMOOTH && at % 5 == 0};
            struct stack dst = src;
            unsigned char marks[sizeof memory] = {0};
            bool shared = false;
            enum smoothimg_status status;

            dst.data = memory[0] + at;
            dst.pitch = pitches[k / 4 % 4], dst.stride = strides[k / 96 % 6];
            dst.border = 0;
            mark(&src, marks, 1), mark(&dst, marks, 2);
            for (size_t i = 0; i < 1200; i++)
                shared |= marks[i] == 3;
            status = call(context, op, filter, &src, &dst);
            CHECK(status == SMOOTHIMG_INVALID || !shared,
                  "pitches %d, %d, strides %d, %d, %d images, %d bytes apart: a byte is shared",
                  (int)src.pitch, (int)dst.pitch, (int)src.stride, (int)dst.stride, (int)src.count,
                  (int)at - 240);
            if (at + dst.stride * (dst.count - 1) + dst.pitch * 2 + 5 + src.border * 17 <= 240)
                CHECK(status == SMOOTHIMG_OK, "images that end before: %s",
                      smoothimg_message(context));
        }
    smoothimg_filter_free(filter);
}

/* A filter that is weighted by alpha needs at least one channel beside alpha. */
static void check_one_channel(void)
{
    struct smooth smooth = smooth_of(2, 2, SMOOTHIMG_REFLECT);
    const struct stack src = image(0), dst = image(1);
    struct smoothimg_filter *filter;

    smooth.missing = SMOOTHIMG_ALPHA;
    filter = filter_make(context, smooth);
    CHECK(call(context, SMOOTHIMG_SMOOTH, filter, &src, &dst) == SMOOTHIMG_INVALID, "smooth");
    check_message("src: 1 channel; a filter that is weighted by alpha needs at least 2");
    CHECK(reserve(context, filter, &src) == SMOOTHIMG_INVALID, "reserve");
    smoothimg_filter_free(filter);
}

static void check_contexts(void)
{
    char version[40];
    struct smoothimg_context *other;
    const struct stack one = image(0);

    CHECK(smoothimg_open(-1, &other) == SMOOTHIMG_INVALID && !other, "threads");
    CHECK(smoothimg_open(0, &other) == SMOOTHIMG_OK, "a thread for each processor");
    smoothimg_close(other);
    CHECK(smoothimg_open(1025, &other) == SMOOTHIMG_INVALID && !other, "threads");
    CHECK(smoothimg_choose(context, "none") == SMOOTHIMG_INVALID, "variant");
    check_message("no operation has a variant none; smoothimg_variant() names them");
    CHECK(reserve(context, NULL, &one) == SMOOTHIMG_OK, "nothing to reserve");
    CHECK(smoothimg_use_device(context, -1) == SMOOTHIMG_INVALID, "device -1");
    check_message("device is -1; it has to be at least 0");
    CHECK(smoothimg_use_device(context, 1000) == SMOOTHIMG_NO_DEVICE, "device 1000");
    snprintf(version, sizeof version, "%d.%d.%d", SMOOTHIMG_VERSION_MAJOR, SMOOTHIMG_VERSION_MINOR,
             SMOOTHIMG_VERSION_PATCH);
    CHECK(strcmp(smoothimg_version(), version) == 0, "%s, header %s", smoothimg_version(), version);
    CHECK(strcmp(smoothimg_variant(SMOOTHIMG_SMOOTH, SMOOTHIMG_HOST, 2), "cpu") == 0, "variant");
    CHECK(!smoothimg_variant(SMOOTHIMG_SMOOTH, SMOOTHIMG_HOST, 3), "variants");
    CHECK(!smoothimg_variant(SMOOTHIMG_SMOOTH, SMOOTHIMG_HOST, -1), "variants");
}

/* Returns the bytes that smoothimg_measure() gives for smoothing a volume along its first axis. */
static int64_t measured(int threads, enum smoothimg_type type, int64_t side)
{
    const struct smoothimg_axis axis[3] = {{.radius = 4}};
    const struct smoothimg_filter_options options = {.axes = 3, .axis = axis};
    const int64_t shape[] = {20, side, side};
    const struct smoothimg_array array = {.axes = 3, .shape = shape, .type = type};
    struct smoothimg_context *other;
    struct smoothimg_filter *filter;
    int64_t bytes;

    NEED(smoothimg_open(threads, &other) == SMOOTHIMG_OK);
    NEED(smoothimg_filter_create(other, &options, &filter) == SMOOTHIMG_OK);
    NEED(smoothimg_measure(other, filter, &array, &array, NULL, &bytes) == SMOOTHIMG_OK);
    smoothimg_filter_free(filter);
    smoothimg_close(other);
    return bytes;
}

/* Each thread has its own working memory, so the bytes that smoothimg_measure() returns show how
 * many threads a call uses. The library counts 4 + radius products of weights and samples for each
 * sample. A call uses four threads for 1.6 million products, or for 0.2 million if samples have 64
 * bits. */
static void check_threads(void)
{
    static const int64_t sides[] = {20, 100, 400};
    static const int64_t wanted[][3] = {{1, 4, 8}, {1, 8, 8}};

    for (int wide = 0; wide < 2; wide++)
        for (int i = 0; i < 3; i++) {
            const enum smoothimg_type type = wide ? SMOOTHIMG_I64 : SMOOTHIMG_I16;
            const int64_t one = measured(1, type, sides[i]);
            const int64_t each = measured(2, type, 400) - measured(1, type, 400);
            const int64_t more = measured(8, type, sides[i]) - one;

            CHECK(i == 0 ? more == 0 : more / each == wanted[wide][i] - 1, "%d, side %d: %d by %d",
                  wide, (int)sides[i], (int)more, (int)each);
        }
}

/* A move of arrays without samples succeeds. A build with sanitizers checks that it computes no
 * addresses from NULL. */
static void check_empty_move(void)
{
    static const int flip[] = {1, 1};
    const int64_t shape[] = {0, 5}, strides[] = {-5, -1};
    const struct smoothimg_array none = {.axes = 2, .shape = shape, .strides = strides};

    CHECK(smoothimg_move(context, NULL, flip, &none, &none, NULL) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
}

/* smoothimg_measure() returns the same before and after other calls, which leave more memory with
 * the context than this call needs. */
static void check_measure(void)
{
    struct smoothimg_filter *filter = filter_make(context, smooth_of(2, 2, SMOOTHIMG_REFLECT));
    const struct stack src = image(0), dst = image(1);
    struct stack_array from, to;
    const struct smoothimg_array *in = stack_array(&src, &from), *out = stack_array(&dst, &to);
    struct smoothimg_context *fresh;
    int64_t before, after;

    NEED(smoothimg_open(2, &fresh) == SMOOTHIMG_OK);
    NEED(smoothimg_measure(fresh, filter, in, out, NULL, &before) == SMOOTHIMG_OK);
    NEED(smoothimg_reserve(fresh, filter, in, out) == SMOOTHIMG_OK);
    NEED(smoothimg_measure(fresh, filter, in, out, NULL, &after) == SMOOTHIMG_OK);
    CHECK(before == after, "%d bytes, then %d", (int)before, (int)after);
    smoothimg_filter_free(filter);
    smoothimg_close(fresh);
}

int main(void)
{
    NEED(smoothimg_open(2, &context) == SMOOTHIMG_OK);
    check_overlap();
    check_overlap_of_stacks(SMOOTHIMG_SMOOTH);
    check_overlap_of_stacks(SMOOTHIMG_REVERSE);
    check_one_channel();
    check_contexts();
    check_threads();
    check_empty_move();
    check_measure();
    smoothimg_close(context);
    return unit_result();
}
