/* SPDX-License-Identifier: MIT */
/* Filters by axis through smoothimg.h: what is given and what follows from it. */
#include "tests/unit/api/samples.h"

#define WIDTH 37
#define HEIGHT 23

static struct smoothimg_context *context;

static struct stack image_of(void *data)
{
    return (struct stack){.data = data, .width = WIDTH, .height = HEIGHT, .channels = 1};
}

static void smooth_image(struct smooth smooth, uint8_t src[HEIGHT][WIDTH],
                         uint8_t dst[HEIGHT][WIDTH])
{
    const struct stack in = image_of(src), out = image_of(dst);
    struct smoothimg_filter *filter = filter_make(context, smooth);

    CHECK(call(context, SMOOTHIMG_SMOOTH, filter, &in, &out) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
    smoothimg_filter_free(filter);
}

/* Pairs of options that are the same filter, and the first of each pair with the other axis. */
static void check_defaults(void)
{
    static const struct {
        struct smooth given, complete;
    } pairs[] = {
        {{.x.radius = 6}, {.x = {.radius = 6, .sigma = 2}}},
        {{.y.radius = 6}, {.y = {.radius = 6, .sigma = 2}}},
        {{.x.sigma = 1.25}, {.x = {.radius = 5, .sigma = 1.25}}},
        {{.y.sigma = 1.375}, {.y = {.radius = 6, .sigma = 1.375}}}, /* 4 sigma + 1/2 is 6 */
        {{.x.sigma = 2, .y.radius = 3},
         {.x = {.radius = 8, .sigma = 2}, .y = {.radius = 3, .sigma = 1}}},
        {{.x = {.radius = 9, .sigma = .5}, .y.sigma = 3},
         {.x = {.radius = 9, .sigma = .5}, .y = {.radius = 12, .sigma = 3}}},
        {{.x = {.radius = -1, .sigma = 9}, .y.sigma = 2}, {.y = {.radius = 8, .sigma = 2}}},
    };
    uint8_t noise[HEIGHT][WIDTH], given[HEIGHT][WIDTH], complete[HEIGHT][WIDTH];

    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        noise[i / WIDTH][i % WIDTH] = (uint8_t)((i + 1) * 2654435761u >> 24);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct smooth *smooth = &pairs[i].given;

        smooth_image(*smooth, noise, given);
        smooth_image(pairs[i].complete, noise, complete);
        CHECK(memcmp(given, complete, sizeof given) == 0, "pair %d", (int)i);
        CHECK(memcmp(given, noise, sizeof given) != 0, "pair %d: nothing is filtered", (int)i);
        smooth_image((struct smooth){.y = smooth->x, .x = smooth->y}, noise, complete);
        CHECK(memcmp(given, complete, sizeof given) != 0, "pair %d: the axes are one", (int)i);
    }
}

/* One axis alone leaves the other as it is: rows of equal samples stay so under x. */
static void check_alone(void)
{
    static const struct smooth smooths[] = {{.x.sigma = 1.5}, {.y.radius = 5}};
    uint8_t images[2][HEIGHT][WIDTH], got[HEIGHT][WIDTH];

    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            images[0][y][x] = (uint8_t)(y * 71);
            images[1][y][x] = (uint8_t)(x * 71);
        }
    for (int image = 0; image < 2; image++)
        for (int axis = 0; axis < 2; axis++) {
            smooth_image(smooths[axis], images[image], got);
            CHECK((memcmp(got, images[image], sizeof got) == 0) == (image == axis),
                  "image %d, axis %d", image, axis);
        }
}

/* A row of doubles, filtered. */
static void filter_row(const struct smoothimg_axis *axis, double row[WIDTH])
{
    static const int64_t shape[] = {WIDTH};
    const struct smoothimg_filter_options options = {.axes = 1, .axis = axis};
    double from[WIDTH];
    const struct smoothimg_array in = {
        .data = from, .axes = 1, .shape = shape, .type = SMOOTHIMG_F64};
    struct smoothimg_array out = in;
    struct smoothimg_filter *filter;

    for (int x = 0; x < WIDTH; x++)
        from[x] = (x * 71 % 40 + 1) / 7.;
    out.data = row;
    NEED(smoothimg_filter_create(context, &options, &filter) == SMOOTHIMG_OK);
    CHECK(smoothimg_filter(context, filter, &in, &out, NULL, NULL) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
    smoothimg_filter_free(filter);
}

/* The same of derivatives and of other samples than images have. */
static void check_defaults_of_arrays(void)
{
    static const struct {
        struct smoothimg_axis given, complete;
    } pairs[] = {
        {{.sigma = 1.5}, {.radius = 6, .sigma = 1.5}},
        {{.sigma = 1.25, .order = 1}, {.radius = 5, .sigma = 1.25, .order = 1}},
        {{.sigma = 0.1, .order = 2}, {.radius = -1, .sigma = 0.1, .order = 2}},
        {{.radius = 6}, {.radius = 6, .sigma = 2}},
        {{.radius = 3, .order = 2}, {.radius = 3, .sigma = 1, .order = 2}},
        {{.radius = 3, .order = 1}, {.radius = 3, .order = 1, .scale = 1}},
        {{.radius = 3, .edge = SMOOTHIMG_REFLECT}, {.radius = 3, .sigma = 1}},
    };
    double unchanged[WIDTH], given[WIDTH], complete[WIDTH];

    filter_row(&(struct smoothimg_axis){0}, unchanged);
    for (int x = 0; x < WIDTH; x++)
        CHECK(unchanged[x] == (x * 71 % 40 + 1) / 7., "left alone: %g", unchanged[x]);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        filter_row(&pairs[i].given, given);
        filter_row(&pairs[i].complete, complete);
        CHECK(memcmp(given, complete, sizeof given) == 0, "pair %d", (int)i);
        CHECK(memcmp(given, unchanged, sizeof given) != 0, "pair %d: nothing is filtered", (int)i);
    }
    filter_row(&(struct smoothimg_axis){.radius = -1, .sigma = 2}, given);
    CHECK(memcmp(given, unchanged, sizeof given) == 0, "a window of one sample");
    filter_row(&(struct smoothimg_axis){.radius = -1, .sigma = 2, .order = 2}, given);
    for (int x = 0; x < WIDTH; x++)
        CHECK(given[x] == -unchanged[x] / 4, "the centre alone: %g", given[x]);
}

int main(void)
{
    const char *variant;

    NEED(smoothimg_open(2, &context) == SMOOTHIMG_OK);
    for (int i = 0; (variant = smoothimg_variant(SMOOTHIMG_SMOOTH, SMOOTHIMG_HOST, i)); i++) {
        NEED(smoothimg_choose(context, variant) == SMOOTHIMG_OK);
        check_defaults();
        check_alone();
    }
    check_defaults_of_arrays();
    smoothimg_close(context);
    return unit_result();
}
