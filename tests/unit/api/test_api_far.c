/* SPDX-License-Identifier: MIT */
/* smoothimg.h with rows and images that lie gigabytes apart, in address space of which few pages
 * are touched: every operation gives what it gives of images without gaps, and writes nothing
 * beside a row. */
#include "tests/unit/api/samples.h"

#include <sys/mman.h>

#define GIB (INT64_C(1) << 30)
#define BORDER 3  /* pixels: the radius */
#define BESIDE 64 /* bytes after each row that stay 0 */

/* Bytes, but for the gap of a sample that makes both odd; 0: without a gap. */
struct layout {
    int64_t pitch, stride;
};

static const struct layout layouts[] = {
    {0, 3 * GIB}, /* beyond 2^31 and, at the second image, 2^32 */
    {0, 2 * GIB}, {GIB / 2, 0}, {2 * GIB, 0}, {3 * GIB, 256 * GIB},
};

static struct smoothimg_context *context;

/* The bytes of the images with their borders. */
static size_t extent(const struct stack *stack)
{
    return (size_t)(2 * border_bytes(stack) + (stack->count - 1) * stack->stride +
                    stack->height * stack->pitch + BESIDE);
}

/* Zeros in a layout; NULL: without gaps. */
static struct stack make(struct stack like, const struct layout *layout)
{
    const int64_t sample = sample_bytes(&like);
    void *memory;

    if (layout && layout->pitch > 0)
        like.pitch = layout->pitch + sample;
    if (layout && layout->stride > 0)
        like.stride = layout->stride + sample;
    like = stack_complete(like);
    memory = mmap(NULL, extent(&like), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        exit(77); /* skipped: no such address space here */
    like.data = (char *)memory + border_bytes(&like);
    return like;
}

static void drop(const struct stack *stack)
{
    munmap((char *)stack->data - border_bytes(stack), extent(stack));
}

static bool same(const struct stack *stack, const struct stack *wanted)
{
    static const unsigned char zeros[BESIDE];
    const int64_t row = row_bytes(stack), gap = stack->pitch - row;
    bool equal = true;

    for (int64_t i = 0; i < stack->count; i++)
        for (int64_t y = 0; y < stack->height; y++)
            equal = equal && memcmp(row_of(stack, i, y), row_of(wanted, i, y), (size_t)row) == 0 &&
                    memcmp(row_of(stack, i, y) + row, zeros,
                           (size_t)(gap < BESIDE ? gap : BESIDE)) == 0;
    return equal;
}

/* By each variant: the source far apart, the destination, and both. */
static void check(enum smoothimg_op op, const struct smoothimg_filter *filter, struct stack like,
                  const struct layout *layout)
{
    const struct stack plain = make(like, NULL), wanted = make(result_of(op, like), NULL);
    const char *name;

    if (op == SMOOTHIMG_SMOOTH)
        like.border = draw(2) * BORDER;
    fill(&plain);
    NEED(smoothimg_choose(context, "reference") == SMOOTHIMG_OK);
    NEED(call(context, op, filter, &plain, &wanted) == SMOOTHIMG_OK);
    for (int v = 0; (name = smoothimg_variant(op, SMOOTHIMG_HOST, v)); v++)
        for (int far = 1; far < 4; far++) {
            const struct stack src = make(like, far & 1 ? layout : NULL);
            const struct stack dst = make(result_of(op, like), far & 2 ? layout : NULL);

            stack_copy(&plain, &src, SMOOTHIMG_NEAREST);
            NEED(smoothimg_choose(context, name) == SMOOTHIMG_OK);
            CHECK(
                call(context, op, filter, &src, &dst) == SMOOTHIMG_OK && same(&dst, &wanted),
                "operation %d, variant %s, %d channels, type %d, border %d, pitches %lld and %lld, "
                "strides %lld and %lld: %s",
                (int)op, name, (int)like.channels, (int)like.type, (int)src.border,
                (long long)src.pitch, (long long)dst.pitch, (long long)src.stride,
                (long long)dst.stride, smoothimg_message(context));
            drop(&src), drop(&dst);
        }
    drop(&plain), drop(&wanted);
}

int main(void)
{
    struct smoothimg_filter *filter;

    if (sizeof(void *) < 8)
        return 77; /* skipped */
    NEED(smoothimg_open(3, &context) == SMOOTHIMG_OK);
    filter = filter_make(context, smooth_of(2, BORDER, SMOOTHIMG_NEAREST));
    for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++)
        for (int kind = 0; kind < 6; kind++) {
            struct stack like = {.width = 70, /* pixels: more than a block of transpose */
                                 .height = 5,
                                 .count = 3,
                                 .channels = 1 + kind / 3 * 2,
                                 .type = (enum smoothimg_type)(kind % 3)};

            check(SMOOTHIMG_SMOOTH, filter, like, &layouts[l]);
            check(SMOOTHIMG_REVERSE, NULL, like, &layouts[l]);
            check(SMOOTHIMG_TRANSPOSE, NULL, like, &layouts[l]);
            like.width = 5, like.height = 70;
            check(SMOOTHIMG_TRANSPOSE, NULL, like, &layouts[l]);
        }
    smoothimg_filter_free(filter);
    smoothimg_close(context);
    return unit_result();
}
