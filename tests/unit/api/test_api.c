/* SPDX-License-Identifier: MIT */
/* smoothimg.h, as a program uses it that has nothing else: against the reference, on images whose
 * border this test fills by a rule of its own. */
#include "tests/unit/api/samples.h"

#include <pthread.h>

#define MAX_BORDER 10 /* pixels: more than any radius here */

static struct gaps some_gaps(void)
{
    return (struct gaps){.row = draw(9), .between = draw(9)};
}

static void must(struct smoothimg_context *context, enum smoothimg_status status)
{
    CHECK(status == SMOOTHIMG_OK, "%s", smoothimg_message(context));
}

/* Images of this shape, smoothed in three ways. */
static void check_call(struct smoothimg_context *context, struct smooth smooth, struct stack like)
{
    const struct stack src = stack_make(like, some_gaps()), dst = stack_make(like, some_gaps()),
                       out = stack_make(like, (struct gaps){.row = 1, .between = 1});
    struct smoothimg_filter *filter = filter_make(context, smooth);

    like.border = MAX_BORDER;
    const struct stack in = stack_make(like, (struct gaps){.row = 1, .between = 1});

    fill(&src);
    stack_copy(&src, &in, smooth.edge);
    NEED(smoothimg_choose(context, "reference") == SMOOTHIMG_OK);
    must(context, call(context, SMOOTHIMG_SMOOTH, filter, &in, &out));
    NEED(smoothimg_choose(context, NULL) == SMOOTHIMG_OK);
    must(context, call(context, SMOOTHIMG_SMOOTH, filter, &src, &dst));
    CHECK(stack_same(&dst, &out), "without a border");
    fill(&dst);
    must(context, call(context, SMOOTHIMG_SMOOTH, filter, &in, &dst));
    CHECK(stack_same(&dst, &out), "with a border");
    smoothimg_filter_free(filter);
    stack_drop(&src), stack_drop(&dst), stack_drop(&in), stack_drop(&out);
}

/* One image or several, of any shape. large: so much that several threads get bands of it. */
static void check_smooth(struct smoothimg_context *context, bool large)
{
    const int64_t most = large ? 2 : 4; /* the reference takes its time */
    const int64_t radius = draw(4) * draw(most), other = draw(4) * draw(most);
    struct smooth smooth =
        smooth_of(draw(2) ? radius : other, radius, (enum smoothimg_edge)draw(5));
    const struct stack like = {.width = large ? 600 + draw(90) : 1 + draw(70) * (1 + draw(5)),
                               .height = large ? 500 + draw(9) : 1 + draw(30) * draw(7),
                               .count = 1 + draw(3) * (large ? 1 : draw(12)),
                               .channels = 1 + draw(4),
                               .type = (enum smoothimg_type)draw(3),
                               .maxval = 1 + (uint64_t)draw(255)};

    smooth.norm = (enum smoothimg_norm)draw(2);
    if (draw(2) == 1 && like.channels > 1 && like.type != SMOOTHIMG_F32)
        smooth.missing = SMOOTHIMG_ALPHA;
    else if (draw(2) == 1)
        smooth.missing = SMOOTHIMG_NAN;
    if (smooth.x.radius == 0 && draw(2) == 1)
        smooth.x.radius = -1; /* the sample itself alone, instead of left alone */
    check_call(context, smooth, without_maxval_of_floats(like));
}

/* Images side by side that by themselves would be in bands, since they are few and high. */
static void check_few_images(struct smoothimg_context *context)
{
    for (int64_t radius_y = 0; radius_y < 4; radius_y++)
        for (int64_t count = 2; count < 9; count += 3)
            check_call(
                context, smooth_of(radius_y, 2, SMOOTHIMG_NEAREST),
                (struct stack){
                    .width = 30, .height = 40 + 60 * radius_y, .count = count, .channels = 1});
}

/* transpose and reverse, sample by sample. */
static void check_moves(struct smoothimg_context *context)
{
    const struct stack like = {.width = 1 + draw(90),
                               .height = 1 + draw(90),
                               .count = 1 + draw(20),
                               .channels = 1 + draw(4),
                               .type = (enum smoothimg_type)draw(3)};
    const struct stack src = stack_make(like, some_gaps());

    fill(&src);
    for (enum smoothimg_op op = SMOOTHIMG_TRANSPOSE; op <= SMOOTHIMG_REVERSE; op++) {
        const struct stack dst = stack_make(result_of(op, like), some_gaps()),
                           wanted = stack_make(result_of(op, like), (struct gaps){0});

        for (int64_t i = 0; i < like.count; i++)
            for (int64_t y = 0; y < like.height; y++)
                for (int64_t x = 0; x < like.width; x++)
                    memcpy(op == SMOOTHIMG_TRANSPOSE
                               ? pixel_of(&wanted, i, x, y)
                               : pixel_of(&wanted, i, like.height - 1 - y, like.width - 1 - x),
                           pixel_of(&src, i, y, x), (size_t)pixel_size(&src));
        must(context, call(context, op, NULL, &src, &dst));
        CHECK(stack_same(&dst, &wanted), "operation %d", (int)op);
        stack_drop(&dst), stack_drop(&wanted);
    }
    stack_drop(&src);
}

/* --- Several threads, each with a context, and one filter. */

#define USERS 4

struct user {
    const struct smoothimg_filter *filter;
    struct stack src, dst;
    enum smoothimg_status status; /* of its last call */
};

static void *use(void *argument)
{
    struct user *user = argument;
    struct smoothimg_context *context;

    user->status = smoothimg_open(2, &context);
    for (int k = 0; k < 5 && user->status == SMOOTHIMG_OK; k++)
        user->status = call(context, SMOOTHIMG_SMOOTH, user->filter, &user->src, &user->dst);
    smoothimg_close(context);
    return NULL;
}

static void check_users(struct smoothimg_context *context)
{
    const struct stack like = {.width = 200, .height = 150, .count = 3, .channels = 3};
    const struct stack src = stack_make(like, (struct gaps){.row = 1});
    struct smoothimg_filter *filter =
        filter_make(context, (struct smooth){.y.sigma = 2, .x.sigma = 2});
    struct user users[USERS];
    pthread_t threads[USERS];

    fill(&src);
    for (int i = 0; i < USERS; i++) {
        users[i] =
            (struct user){filter, src, stack_make(like, (struct gaps){.row = 1}), SMOOTHIMG_OK};
        NEED(pthread_create(&threads[i], NULL, use, &users[i]) == 0);
    }
    for (int i = 0; i < USERS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(users[i].status == SMOOTHIMG_OK, "user %d: status %d", i, (int)users[i].status);
        CHECK(stack_same(&users[i].dst, &users[0].dst), "user %d", i);
    }
    for (int i = 0; i < USERS; i++)
        stack_drop(&users[i].dst);
    stack_drop(&src);
    smoothimg_filter_free(filter);
}

int main(void)
{
    for (int threads = 0; threads < 4; threads++) {
        struct smoothimg_context *context;

        NEED(smoothimg_open(threads, &context) == SMOOTHIMG_OK);
        for (int k = 0; k < 40; k++)
            check_smooth(context, k < 2);
        check_few_images(context);
        for (int k = 0; k < 10; k++)
            check_moves(context);
        check_users(context);
        smoothimg_close(context);
    }
    return unit_result();
}
