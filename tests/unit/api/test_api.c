/* SPDX-License-Identifier: MIT */
/* smoothimg.h, as a program uses it that has nothing else: against the reference, on images whose
 * border this test fills by a rule of its own. */
#include "src/lib/smoothimg.h"
#include "tests/unit/api/samples.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define POISON 0xa5
#define MAX_BORDER 10 /* pixels: more than any halo here */

/* Where the sample of position i of a line comes from; -1: it is 0. One step after the other. */
static int64_t fold(enum smoothimg_edge edge, int64_t i, int64_t length)
{
    while (i < 0 || i >= length) {
        if (edge == SMOOTHIMG_ZERO)
            return -1;
        if (edge == SMOOTHIMG_CLAMP)
            i = i < 0 ? 0 : length - 1;
        else if (edge == SMOOTHIMG_WRAP)
            i += i < 0 ? length : -length;
        else if (edge == SMOOTHIMG_REFLECT)
            i = i < 0 ? -1 - i : 2 * length - 1 - i;
        else
            i = length == 1 ? 0 : i < 0 ? -i : 2 * length - 2 - i;
    }
    return i;
}

/* An image with a border of its own, in new memory that is all poison. */
static struct smoothimg_image make(struct smoothimg_image like, int64_t border, int64_t gap)
{
    const int64_t bytes = sample_bytes(&like);
    const int64_t pixel = bytes * like.channels;
    char *memory;

    like.border = border;
    like.pitch = (like.width + 2 * border) * pixel + gap * bytes;
    like.stride = like.pitch * (like.height + 2 * border) + gap * bytes;
    memory = malloc((size_t)(like.stride * like.count));
    NEED(memory);
    memset(memory, POISON, (size_t)(like.stride * like.count));
    like.data = memory + border * (like.pitch + pixel);
    return like;
}

static void drop(const struct smoothimg_image *image)
{
    const int64_t pixel = image->channels * sample_bytes(image);

    free((char *)image->data - image->border * (image->pitch + pixel));
}

static char *address(const struct smoothimg_image *image, int64_t i, int64_t y, int64_t x)
{
    const int64_t pixel = image->channels * sample_bytes(image);

    return (char *)image->data + i * image->stride + y * image->pitch + x * pixel;
}

/* Copies src into *to, with its border. */
static void copy_bordered(const struct smoothimg_image *src, const struct smoothimg_image *to,
                          enum smoothimg_edge edge)
{
    const size_t pixel = (size_t)(address(src, 0, 0, 1) - address(src, 0, 0, 0));

    for (int64_t i = 0; i < src->count; i++)
        for (int64_t y = -to->border; y < src->height + to->border; y++)
            for (int64_t x = -to->border; x < src->width + to->border; x++) {
                const int64_t from_y = fold(edge, y, src->height),
                              from_x = fold(edge, x, src->width);

                if (from_y < 0 || from_x < 0)
                    memset(address(to, i, y, x), 0, pixel);
                else
                    memcpy(address(to, i, y, x), address(src, i, from_y, from_x), pixel);
            }
}

/* Are all samples equal, and is all between the rows of *image still poison? */
static void check_equal(const struct smoothimg_image *image, const struct smoothimg_image *wanted,
                        const char *what)
{
    const int64_t row = address(image, 0, 0, image->width) - address(image, 0, 0, 0);

    for (int64_t i = 0; i < image->count; i++)
        for (int64_t y = 0; y < image->height; y++) {
            const unsigned char *end = (unsigned char *)address(image, i, y, 0) + row;

            CHECK(memcmp(end - row, address(wanted, i, y, 0), (size_t)row) == 0,
                  "%s: image %d, row %d differs", what, (int)i, (int)y);
            for (int64_t x = 0; x < image->pitch - row; x++)
                CHECK(end[x] == POISON, "%s: written after row %d", what, (int)y);
        }
}

/* Images of this shape, smoothed in three ways. */
static void check_call(struct smoothimg_context *context,
                       const struct smoothimg_filter_options *options, struct smoothimg_image like)
{
    const struct smoothimg_image src = make(like, 0, draw(9)), dst = make(like, 0, draw(9));
    const struct smoothimg_image in = make(like, MAX_BORDER, 1), out = make(like, 0, 1);
    struct smoothimg_filter *filter;

    NEED(smoothimg_filter_create(context, options, &filter) == SMOOTHIMG_OK);
    fill(&src);
    copy_bordered(&src, &in, options->edge);
    NEED(smoothimg_choose(context, "reference") == SMOOTHIMG_OK);
    CHECK(smoothimg_smooth(context, filter, &in, &out, NULL) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
    NEED(smoothimg_choose(context, NULL) == SMOOTHIMG_OK);
    CHECK(smoothimg_smooth(context, filter, &src, &dst, NULL) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
    check_equal(&dst, &out, "without a border");
    fill(&dst);
    CHECK(smoothimg_smooth(context, filter, &in, &dst, NULL) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
    check_equal(&dst, &out, "with a border");
    smoothimg_filter_free(filter);
    drop(&src), drop(&dst), drop(&in), drop(&out);
}

/* One image or several, of any shape. large: so much that several threads get bands of it. */
static void check_smooth(struct smoothimg_context *context, bool large)
{
    const int64_t most = large ? 2 : 4; /* the reference takes its time */
    const int64_t halo = draw(4) * draw(most), other = draw(4) * draw(most);
    const enum smoothimg_type type = (enum smoothimg_type)draw(3);
    const int32_t channels = 1 + (int32_t)draw(4);
    const struct smoothimg_filter_options options = {
        .halo_x = halo,
        .halo_y = draw(2) ? halo : other,
        .norm = (enum smoothimg_norm)draw(2),
        .edge = (enum smoothimg_edge)draw(5),
        .alpha_weighted = draw(2) == 1 && channels > 1 && type != SMOOTHIMG_F32,
        .skip_nan = draw(2) == 1};
    const struct smoothimg_image like = {
        .width = large ? 600 + draw(90) : 1 + draw(70) * (1 + draw(5)),
        .height = large ? 500 + draw(9) : 1 + draw(30) * draw(7),
        .count = 1 + draw(3) * (large ? 1 : draw(12)),
        .channels = channels,
        .type = type,
        .maxval = type == SMOOTHIMG_F32 ? 0 : 1 + (uint32_t)draw(255)};

    check_call(context, &options, like);
}

/* Images side by side that by themselves would be in bands, since they are few and high. */
static void check_few_images(struct smoothimg_context *context)
{
    for (int64_t halo_y = 0; halo_y < 4; halo_y++)
        for (int64_t count = 2; count < 9; count += 3)
            check_call(context, &(struct smoothimg_filter_options){.halo_x = 2, .halo_y = halo_y},
                       (struct smoothimg_image){.width = 30,
                                                .height = 40 + 60 * halo_y,
                                                .count = count,
                                                .channels = 1,
                                                .type = SMOOTHIMG_U8,
                                                .maxval = 255});
}

/* transpose and reverse, sample by sample. */
static void check_moves(struct smoothimg_context *context)
{
    const enum smoothimg_type type = (enum smoothimg_type)draw(3);
    const struct smoothimg_image like = {.width = 1 + draw(90),
                                         .height = 1 + draw(90),
                                         .count = 1 + draw(20),
                                         .channels = 1 + (int32_t)draw(4),
                                         .type = type,
                                         .maxval = type == SMOOTHIMG_F32 ? 0 : 255};
    struct smoothimg_image turned = like;
    const struct smoothimg_image src = make(like, 0, draw(9));
    struct smoothimg_image dst, wanted;

    turned.width = like.height, turned.height = like.width;
    fill(&src);
    for (int op = 0; op < 2; op++) {
        const struct smoothimg_image *shape = op == 0 ? &turned : &like;
        const size_t pixel = (size_t)(address(&src, 0, 0, 1) - address(&src, 0, 0, 0));

        dst = make(*shape, 0, draw(9)), wanted = make(*shape, 0, 0);
        for (int64_t i = 0; i < like.count; i++)
            for (int64_t y = 0; y < like.height; y++)
                for (int64_t x = 0; x < like.width; x++)
                    memcpy(op == 0 ? address(&wanted, i, x, y)
                                   : address(&wanted, i, like.height - 1 - y, like.width - 1 - x),
                           address(&src, i, y, x), pixel);
        CHECK((op == 0 ? smoothimg_transpose : smoothimg_reverse)(context, &src, &dst, NULL) ==
                  SMOOTHIMG_OK,
              "%s", smoothimg_message(context));
        check_equal(&dst, &wanted, op == 0 ? "transpose" : "reverse");
        drop(&dst), drop(&wanted);
    }
    drop(&src);
}

/* --- Several threads, each with a context, and one filter. */

#define USERS 4

struct user {
    const struct smoothimg_filter *filter;
    struct smoothimg_image src, dst;
    enum smoothimg_status status; /* of its last call */
};

static void *use(void *argument)
{
    struct user *user = argument;
    struct smoothimg_context *context;

    user->status = smoothimg_open(2, &context);
    for (int k = 0; k < 5 && user->status == SMOOTHIMG_OK; k++)
        user->status = smoothimg_smooth(context, user->filter, &user->src, &user->dst, NULL);
    smoothimg_close(context);
    return NULL;
}

static void check_users(struct smoothimg_context *context)
{
    const struct smoothimg_image like = {
        .width = 200, .height = 150, .count = 3, .channels = 3, .maxval = 255};
    const struct smoothimg_filter_options options = {.sigma_x = 2, .sigma_y = 2};
    struct smoothimg_filter *filter;
    struct user users[USERS];
    pthread_t threads[USERS];

    NEED(smoothimg_filter_create(context, &options, &filter) == SMOOTHIMG_OK);
    users[0] = (struct user){filter, make(like, 0, 1), make(like, 0, 1), SMOOTHIMG_OK};
    fill(&users[0].src);
    for (int i = 0; i < USERS; i++) {
        if (i > 0)
            users[i] = (struct user){filter, users[0].src, make(like, 0, 1), SMOOTHIMG_OK};
        NEED(pthread_create(&threads[i], NULL, use, &users[i]) == 0);
    }
    for (int i = 0; i < USERS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(users[i].status == SMOOTHIMG_OK, "user %d: status %d", i, (int)users[i].status);
    }
    for (int i = 1; i < USERS; i++) {
        check_equal(&users[i].dst, &users[0].dst, "several users");
        drop(&users[i].dst);
    }
    drop(&users[0].src), drop(&users[0].dst);
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
