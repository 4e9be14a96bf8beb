/* SPDX-License-Identifier: MIT */
/* Filters an array of 8 short axes with a radius of 777. Its windows have more than 2^64 samples,
 * since edge rules use each sample many times. The definition and the engine of arrays have to give
 * the same results, and a NaN has to reach all of them. */
#include "src/lib/smoothimg.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

#define AXES 8
#define SAMPLES (1 << AXES)

static void filter(struct smoothimg_context *context, const struct smoothimg_filter *filter,
                   const char *variant, double *samples, double *results)
{
    static const int64_t shape[AXES] = {2, 2, 2, 2, 2, 2, 2, 2};
    const struct smoothimg_array src = {
        .data = samples, .axes = AXES, .shape = shape, .type = SMOOTHIMG_F64};
    struct smoothimg_array dst = src;

    dst.data = results;
    NEED(smoothimg_choose(context, variant) == SMOOTHIMG_OK);
    CHECK(smoothimg_filter(context, filter, &src, &dst, NULL, NULL) == SMOOTHIMG_OK, "%s",
          smoothimg_message(context));
}

static void check_filter(struct smoothimg_context *context, int order)
{
    struct smoothimg_axis axis[AXES] = {0};
    const struct smoothimg_filter_options options = {.axes = AXES, .axis = axis, .outside = 3};
    double samples[SAMPLES], results[SAMPLES], defined[SAMPLES];
    struct smoothimg_filter *made;

    for (int a = 0; a < AXES; a++) {
        axis[a].radius = 777;
        axis[a].edge = (enum smoothimg_edge)(a % (SMOOTHIMG_CONSTANT + 1));
    }
    axis[0].order = order;
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = i * i % 101 - 50;
    NEED(smoothimg_filter_create(context, &options, &made) == SMOOTHIMG_OK);
    filter(context, made, NULL, samples, results);
    filter(context, made, "reference", samples, defined);
    CHECK(memcmp(results, defined, sizeof results) == 0, "order %d: %g and %g", order, results[0],
          defined[0]);
    CHECK(results[0] != 0, "order %d: nothing is summed", order);
    samples[SAMPLES / 3] = NAN;
    filter(context, made, NULL, samples, results);
    for (int i = 0; i < SAMPLES; i++)
        CHECK(isnan(results[i]), "order %d: result %d is %g", order, i, results[i]);
    smoothimg_filter_free(made);
}

/* Where the taps along some axes are all 0, the sum is 0, and takes no time. */
static void check_no_taps(struct smoothimg_context *context)
{
    struct smoothimg_axis axis[AXES] = {0};
    const struct smoothimg_filter_options options = {.axes = AXES, .axis = axis};
    double samples[SAMPLES] = {NAN}, results[SAMPLES];
    struct smoothimg_filter *made;

    for (int a = 0; a < AXES; a++)
        axis[a] = (struct smoothimg_axis){.radius = 777, .sigma = a < 3 ? 1e18 : 0, .order = a < 3};
    NEED(smoothimg_filter_create(context, &options, &made) == SMOOTHIMG_OK);
    filter(context, made, NULL, samples, results);
    for (int i = 0; i < SAMPLES; i++)
        CHECK(results[i] == 0, "result %d is %g", i, results[i]);
    smoothimg_filter_free(made);
}

#define MOST_AXES 17

/* A window over 17 axes of 12 samples, which all lie at one place, takes more memory than there is.
 */
static void check_memory(struct smoothimg_context *context)
{
    static const int64_t zeros[MOST_AXES];
    struct smoothimg_axis axis[MOST_AXES] = {0};
    const struct smoothimg_filter_options options = {.axes = MOST_AXES, .axis = axis};
    int64_t shape[MOST_AXES], ones[MOST_AXES], bytes;
    uint8_t sample = 1, result;
    const struct smoothimg_array src = {
        .data = &sample, .axes = MOST_AXES, .shape = shape, .strides = zeros};
    const struct smoothimg_array dst = {.data = &result, .axes = MOST_AXES, .shape = ones};
    struct smoothimg_filter *made;

    for (int a = 0; a < MOST_AXES; a++)
        shape[a] = axis[a].radius = 12, ones[a] = 1;
    NEED(smoothimg_filter_create(context, &options, &made) == SMOOTHIMG_OK);
    CHECK(smoothimg_measure(context, made, &src, &dst, zeros, &bytes) == SMOOTHIMG_OK &&
              bytes > INT32_MAX,
          "%lld bytes", (long long)bytes);
    CHECK(smoothimg_filter(context, made, &src, &dst, zeros, NULL) == SMOOTHIMG_NO_MEMORY, "%s",
          smoothimg_message(context));
    smoothimg_filter_free(made);
}

int main(void)
{
    struct smoothimg_context *context;

    NEED(smoothimg_open(1, &context) == SMOOTHIMG_OK);
    check_filter(context, 0);
    check_filter(context, 1);
    check_no_taps(context);
    check_memory(context);
    smoothimg_close(context);
    return unit_result();
}
