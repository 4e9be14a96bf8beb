/* SPDX-License-Identifier: MIT */
/* Filters by axis through smoothimg.h: what is given and what follows from it. */
#include "src/lib/smoothimg.h"
#include "tests/unit/unit.h"

#include <string.h>

#define WIDTH 37
#define HEIGHT 23

static struct smoothimg_context *context;

/* Noise (splitmix64's last step), smoothed. */
static void smooth(const struct smoothimg_filter_options *options, uint8_t dst[HEIGHT][WIDTH])
{
    static uint8_t noise[HEIGHT][WIDTH];
    const struct smoothimg_image in = {
        .data = noise, .width = WIDTH, .height = HEIGHT, .channels = 1};
    struct smoothimg_image out = in;
    struct smoothimg_filter *filter;

    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        noise[i / WIDTH][i % WIDTH] = (uint8_t)((i + 1) * 2654435761u >> 24);
    out.data = dst;
    NEED(smoothimg_filter_create(context, options, &filter) == SMOOTHIMG_OK);
    CHECK(smoothimg_smooth(context, filter, &in, &out, NULL) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
    smoothimg_filter_free(filter);
}

/* Pairs of options that are the same filter, and the first of each pair with the other axis. */
static void check_defaults(void)
{
    static const struct {
        struct smoothimg_filter_options given, complete;
    } pairs[] = {
        {{.halo_x = 6}, {.halo_x = 6, .sigma_x = 2}},
        {{.halo_y = 6}, {.halo_y = 6, .sigma_y = 2}},
        {{.sigma_x = 1.25}, {.halo_x = 4, .sigma_x = 1.25}},
        {{.sigma_y = 1.25}, {.halo_y = 4, .sigma_y = 1.25}},
        {{.sigma_x = 2, .halo_y = 3}, {.halo_x = 6, .sigma_x = 2, .halo_y = 3, .sigma_y = 1}},
        {{.halo_x = 9, .sigma_x = .5, .sigma_y = 3},
         {.halo_x = 9, .sigma_x = .5, .halo_y = 9, .sigma_y = 3}},
    };
    uint8_t given[HEIGHT][WIDTH], complete[HEIGHT][WIDTH], turned[HEIGHT][WIDTH];

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct smoothimg_filter_options *options = &pairs[i].given;

        smooth(options, given);
        smooth(&pairs[i].complete, complete);
        CHECK(memcmp(given, complete, sizeof given) == 0, "pair %d", (int)i);
        smooth(&(struct smoothimg_filter_options){.halo_x = options->halo_y,
                                                  .halo_y = options->halo_x,
                                                  .sigma_x = options->sigma_y,
                                                  .sigma_y = options->sigma_x},
               turned);
        CHECK(memcmp(given, turned, sizeof given) != 0, "pair %d: the axes are one", (int)i);
    }
}

/* One axis alone leaves the other as it is: rows of equal samples stay so under x. */
static void check_alone(void)
{
    uint8_t rows[HEIGHT][WIDTH], columns[HEIGHT][WIDTH], got[HEIGHT][WIDTH];
    const struct smoothimg_image in[] = {
        {.data = rows, .width = WIDTH, .height = HEIGHT, .channels = 1},
        {.data = columns, .width = WIDTH, .height = HEIGHT, .channels = 1}};
    const struct smoothimg_filter_options options[] = {{.sigma_x = 1.5}, {.halo_y = 5}};
    struct smoothimg_filter *filter;

    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            rows[y][x] = (uint8_t)(y * 71);
            columns[y][x] = (uint8_t)(x * 71);
        }
    for (int image = 0; image < 2; image++)
        for (int axis = 0; axis < 2; axis++) {
            struct smoothimg_image out = in[image];

            out.data = got;
            NEED(smoothimg_filter_create(context, &options[axis], &filter) == SMOOTHIMG_OK);
            NEED(smoothimg_smooth(context, filter, &in[image], &out, NULL) == SMOOTHIMG_OK);
            CHECK((memcmp(got, in[image].data, sizeof got) == 0) == (image == axis),
                  "image %d, axis %d", image, axis);
            smoothimg_filter_free(filter);
        }
}

/* A row of doubles, filtered. */
static void filter_row(const struct smoothimg_axis *axis, double row[WIDTH])
{
    static const int64_t shape[] = {WIDTH};
    double from[WIDTH];
    const struct smoothimg_array in = {
        .data = from, .axes = 1, .shape = shape, .type = SMOOTHIMG_F64};
    struct smoothimg_array out = in;
    struct smoothimg_array_filter *filter;

    for (int x = 0; x < WIDTH; x++)
        from[x] = (x * 71 % 40 + 1) / 7.;
    out.data = row;
    NEED(smoothimg_array_filter_create(
             context, &(struct smoothimg_array_filter_options){.axes = 1, .terms = 1, .axis = axis},
             &filter) == SMOOTHIMG_OK);
    CHECK(smoothimg_filter_array(context, filter, &in, &out, NULL, NULL) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
    smoothimg_array_filter_free(filter);
}

/* The same of an axis of arrays, of which SciPy's halo is the default. */
static void check_defaults_of_arrays(void)
{
    static const struct {
        struct smoothimg_axis given, complete;
    } pairs[] = {
        {{.sigma = 1.5}, {.halo = 6, .sigma = 1.5}},
        {{.sigma = 1.25, .order = 1}, {.halo = 5, .sigma = 1.25, .order = 1}},
        {{.sigma = 1.375}, {.halo = 6, .sigma = 1.375}}, /* 4 sigma + 1/2 is 6 */
        {{.sigma = 0.1, .order = 2}, {.halo = SMOOTHIMG_NO_HALO, .sigma = 0.1, .order = 2}},
        {{.halo = 6}, {.halo = 6, .sigma = 2}},
        {{.halo = 3, .order = 2}, {.halo = 3, .sigma = 1, .order = 2}},
    };
    double unchanged[WIDTH], given[WIDTH], complete[WIDTH];

    filter_row(&(struct smoothimg_axis){0}, unchanged);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        filter_row(&pairs[i].given, given);
        filter_row(&pairs[i].complete, complete);
        CHECK(memcmp(given, complete, sizeof given) == 0, "pair %d", (int)i);
        CHECK(memcmp(given, unchanged, sizeof given) != 0, "pair %d: nothing is filtered", (int)i);
    }
    filter_row(&(struct smoothimg_axis){.halo = SMOOTHIMG_NO_HALO, .sigma = 2}, given);
    CHECK(memcmp(given, unchanged, sizeof given) == 0, "a window of one sample");
    filter_row(&(struct smoothimg_axis){.halo = SMOOTHIMG_NO_HALO, .sigma = 2, .order = 2}, given);
    for (int x = 0; x < WIDTH; x++)
        CHECK(given[x] == -unchanged[x] / 4, "the centre alone: %g", given[x]);
}

int main(void)
{
    NEED(smoothimg_open(2, &context) == SMOOTHIMG_OK);
    for (int index = 0; smoothimg_variant(SMOOTHIMG_SMOOTH, SMOOTHIMG_HOST, index); index++) {
        NEED(smoothimg_choose(context, smoothimg_variant(SMOOTHIMG_SMOOTH, SMOOTHIMG_HOST,
                                                         index)) == SMOOTHIMG_OK);
        check_defaults();
        check_alone();
    }
    check_defaults_of_arrays();
    smoothimg_close(context);
    return unit_result();
}
