/* SPDX-License-Identifier: MIT */
/* smoothimg.h at hostile shapes: single pixels, rows and columns, radii beyond the image, odd
 * pitches and addresses, gaps between images. Every variant of the host gives the bytes that the
 * reference gives without gaps, and writes nothing else. */
#include "tests/unit/api/samples.h"

/* An aligned address or none, with a pitch that is aligned or not; 2 and 64 are of those that
 * transpose asks for at 64 pixels and more. */
static const struct gaps layouts[] = {{0, 0, 0, 0},   {1, 0, 0, 0},   {3, 1, 0, 0},
                                      {0, 13, 5, 0},  {7, 64, 1, 0},  {0, 2, 0, 0},
                                      {0, 64, 64, 0}, {64, 1, 63, 0}, {32, 32, 0, 0}};

#define LAYOUTS ((int64_t)(sizeof layouts / sizeof *layouts))

/* One operation of images like *like, by every variant and in every layout: the source in one, the
 * destination in another. Smooth, which takes long, in every second one. */
static void check(struct smoothimg_context *context, enum smoothimg_op op,
                  const struct smoothimg_filter *filter, struct stack like)
{
    const int64_t each = op == SMOOTHIMG_SMOOTH ? 2 : 1;
    const struct stack plain = stack_make(like, layouts[0]),
                       wanted = stack_make(result_of(op, like), layouts[0]);
    const char *name;

    fill(&plain);
    NEED(smoothimg_choose(context, "reference") == SMOOTHIMG_OK);
    NEED(call(context, op, filter, &plain, &wanted) == SMOOTHIMG_OK);
    for (int v = 0; (name = smoothimg_variant(op, SMOOTHIMG_HOST, v)); v++)
        for (int64_t l = draw(each); l < LAYOUTS; l += each) {
            const struct stack src = stack_make(like, layouts[l]),
                               dst = stack_make(result_of(op, like), layouts[(l + 2) % LAYOUTS]);

            stack_copy(&plain, &src, SMOOTHIMG_NEAREST);
            NEED(smoothimg_choose(context, name) == SMOOTHIMG_OK);
            CHECK(call(context, op, filter, &src, &dst) == SMOOTHIMG_OK &&
                      stack_same(&dst, &wanted),
                  "operation %d, variant %s, %d x %d x %d, type %d, layout %d: %s", (int)op, name,
                  (int)like.width, (int)like.height, (int)like.channels, (int)like.type, (int)l,
                  smoothimg_message(context));
            stack_drop(&src), stack_drop(&dst);
        }
    stack_drop(&plain), stack_drop(&wanted);
}

/* With radii in the image, and beyond it; the reference takes (2 radius + 1)^2 steps a sample. */
static void check_smooth(struct smoothimg_context *context, struct stack like)
{
    const int64_t pixels = like.width * like.height;
    const int64_t radii[] = {0, 1, 4, pixels < 100 ? 30 : 9, pixels == 1 ? 200 : 2};

    for (size_t r = 0; r < sizeof radii / sizeof *radii; r++) {
        struct smooth smooth = smooth_of(radii[draw(2) == 1 ? r : (r + 2) % 5], radii[r],
                                         (enum smoothimg_edge)draw(5));
        struct smoothimg_filter *filter;

        smooth.norm = (enum smoothimg_norm)draw(2);
        if (like.channels > 1 && like.type != SMOOTHIMG_F32 && draw(2) == 1)
            smooth.missing = SMOOTHIMG_ALPHA;
        else if (draw(2) == 1)
            smooth.missing = SMOOTHIMG_NAN;
        filter = filter_make(context, smooth);
        check(context, SMOOTHIMG_SMOOTH, filter, like);
        smoothimg_filter_free(filter);
    }
}

/* Analytic weights of a small sigma add up to more than 1: an image of maxval alone stays as it is,
 * also where the type has room above it. */
static void check_maxval(struct smoothimg_context *context, enum smoothimg_type type,
                         uint64_t maxval)
{
    const struct smoothimg_axis axis = {.sigma = 0.3};
    const struct stack like = {
        .width = 37, .height = 5, .count = 2, .channels = 1, .type = type, .maxval = maxval};
    const struct stack src = stack_make(like, layouts[0]), dst = stack_make(like, layouts[0]);
    struct smoothimg_filter *filter =
        filter_make(context, (struct smooth){.y = axis, .x = axis, .norm = SMOOTHIMG_ANALYTIC});
    const char *name;

    for (int64_t i = 0; i < 2 * 37 * 5; i++)
        if (type == SMOOTHIMG_U8)
            src.bytes[i] = (uint8_t)maxval;
        else
            ((uint16_t *)src.data)[i] = (uint16_t)maxval;
    for (int v = 0; (name = smoothimg_variant(SMOOTHIMG_SMOOTH, SMOOTHIMG_HOST, v)); v++) {
        NEED(smoothimg_choose(context, name) == SMOOTHIMG_OK);
        CHECK(call(context, SMOOTHIMG_SMOOTH, filter, &src, &dst) == SMOOTHIMG_OK &&
                  stack_same(&dst, &src),
              "maxval %d, variant %s: another sample", (int)maxval, name);
    }
    smoothimg_filter_free(filter);
    stack_drop(&src), stack_drop(&dst);
}

int main(void)
{
    static const uint64_t maxvals[] = {1, 15, UINT8_MAX, 4095, UINT16_MAX};
    static const int64_t shapes[][2] = {{1, 1}, {1, 97}, {97, 1}, {2, 3}, {31, 17}, {5, 130}};
    /* whole blocks and lines of the processor's cache, and beside them; too many for the reference
     * of smooth */
    static const int64_t blocks[][2] = {{128, 128}, {64, 64},  {65, 64},
                                        {63, 192},  {256, 64}, {200, 130}};
    struct smoothimg_context *context;

    _Static_assert(sizeof blocks == sizeof shapes, "one for each");
    NEED(smoothimg_open(3, &context) == SMOOTHIMG_OK);
    for (size_t m = 0; m < sizeof maxvals / sizeof *maxvals; m++)
        for (int type = SMOOTHIMG_U8; type <= SMOOTHIMG_U16; type++)
            if (type == SMOOTHIMG_U16 || maxvals[m] <= UINT8_MAX)
                check_maxval(context, (enum smoothimg_type)type, maxvals[m]);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int kind = 0; kind < 15; kind++) {
            struct stack like = {.width = shapes[s][0],
                                 .height = shapes[s][1],
                                 .count = 1 + kind % 3,
                                 .channels = 1 + kind % 5,
                                 .type = (enum smoothimg_type)(kind % 3)};

            if (like.type != SMOOTHIMG_F32)
                like.maxval = kind % 6 == 0 ? 1
                              : like.type == SMOOTHIMG_U16
                                  ? (uint64_t)(300 + draw(UINT16_MAX - 300))
                                  : 0;
            check_smooth(context, like);
            for (int block = 0; block < 2; block++) {
                check(context, SMOOTHIMG_TRANSPOSE, NULL, like);
                check(context, SMOOTHIMG_REVERSE, NULL, like);
                like.width = blocks[s][0], like.height = blocks[s][1];
            }
        }
    smoothimg_close(context);
    return unit_result();
}
