/* SPDX-License-Identifier: MIT */
/* Bands of a GPU's variants against the whole image, by way of the chooser: on one lane and on
 * several, on one device and on several, past the device's memory, and where a device fails. On the
 * emulated device. */
#include "band_files.h"
#include "chooser.h"
#include "registry.h"
#include "run.h"
#include "scratch.h"
#include "unit.h"

#include <cuda_runtime_api.h>
#include <string.h>

static const struct shape shapes[] = {
    {1, 1, 1, 255},   {7, 1, 1, 255},  {1, 23, 1, 1},     {9, 40, 1, 255},
    {66, 31, 1, 255}, {13, 9, 3, 255}, {6, 17, 3, 65535}, {37, 33, 1, 300},
};
static const int64_t halos[] = {0, 1, 4, 11};
static const int64_t heights[] = {1, 2, 5, 0}; /* of a band */

static uint64_t weights[2 * MAX_HALO + 1];
static struct filter filter;

static void set_number(const char *name, int number)
{
    char text[20];

    snprintf(text, sizeof text, "%d", number);
    NEED(setenv(name, text, 1) == 0);
}

static struct options options_for(enum op op, const char *variant, int lanes, int64_t device)
{
    struct options options = {
        .op_count = 1, .variant = variant, .threads = lanes, .side_by_side = 1};

    options.ops[0] = (int)op;
    options.device = device;
    return options;
}

static struct chooser *open_chooser(const struct options *options, int first)
{
    const struct glance expected = {1, {64, 64, 1, 255}, false};
    struct chooser *chooser;
    struct error error;

    NEED(chooser_open(options, &expected, first, &chooser, &error) == STATUS_OK);
    return chooser;
}

/* The file `in` in bands of so many rows, as the chooser has it done, into `out`. */
static enum status run_bands(struct chooser *chooser, const struct options *options, int64_t rows,
                             const struct shape *shape, struct error *error)
{
    struct bands bands = {.weights = weights,
                          .halo = filter.halo,
                          .edge = filter.edge,
                          .threads = (int)options->threads,
                          .rows = rows};
    struct image about;

    image_describe(&about, shape);
    chooser_choose(chooser, &about);
    bands.variant = chooser_variants(chooser)[0];
    bands.lanes = chooser_lanes(chooser);
    return band_run(&bands, scratch_path("in"), scratch_path("out"), FORMAT_PAM, ROWS_IN_ANY_ORDER,
                    error);
}

/* Makes the files `in` and, of the whole image, `wanted`. */
static void make_files(enum op op, const struct shape *shape)
{
    struct image image = scratch_image(shape->width, shape->height, shape->channels, shape->maxval,
                                       filter.halo, (unsigned)shape->height);

    band_write(scratch_path("in"), FORMAT_PAM, false, &image, 1);
    halo_fill(&image, filter.edge);
    band_expect(registry_reference(op), scratch_path("wanted"), FORMAT_PAM, &image, &filter,
                weights);
    image_free(&image);
}

static bool is_right(void)
{
    return same_files(scratch_path("out"), scratch_path("wanted"));
}

/* 0..most, the same in every run. */
static int any_number(int most)
{
    static unsigned state = 1;

    state = state * 1103515245 + 12345;
    return (int)(state >> 16) % (most + 1);
}

/* One shape, by every variant of the operation on the GPU, in bands of some height, on one to three
 * lanes, on one to three devices. */
static void check_shape(enum op op, const struct shape *shape)
{
    const struct variant *variant = NULL;
    struct error error;

    make_files(op, shape);
    while ((variant = registry_best(op, ON_GPU, variant))) {
        const int lanes = 1 + any_number(2), devices = 1 + any_number(2);
        const int64_t rows = heights[any_number(3)];
        const struct options options =
            options_for(op, variant->name, lanes, devices == 1 ? 0 : DEVICE_ALL);
        struct chooser *chooser;

        set_number("EMULATED_DEVICES", devices);
        chooser = open_chooser(&options, any_number(3));
        CHECK(run_bands(chooser, &options, rows, shape, &error) == STATUS_OK, "%s", error.text);
        CHECK(is_right(),
              "%s %s, %lld x %lld, %d channels, maxval %u, halo %lld, edge %d, bands of %lld, %d "
              "lanes, %d devices",
              op_word(op), variant->name, (long long)shape->width, (long long)shape->height,
              (int)shape->channels, shape->maxval, (long long)filter.halo, (int)filter.edge,
              (long long)rows, lanes, devices);
        chooser_close(chooser);
    }
}

static void test_results(void)
{
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int edge = EDGE_CLAMP; edge <= EDGE_ZERO; edge++)
            for (size_t h = 0; h < sizeof halos / sizeof *halos; h++) {
                band_filter(&filter, weights, halos[h], (enum edge)edge);
                check_shape(OP_SMOOTH, &shapes[s]);
            }
        band_filter(&filter, weights, 0, EDGE_CLAMP);
        for (int i = 0; i < 6; i++)
            check_shape(OP_REVERSE, &shapes[s]);
    }
}

/* Images of several sizes by the same lanes, whose memory grows and stays. */
static void test_many(void)
{
    const struct options options = options_for(OP_SMOOTH, "fused", 2, DEVICE_ALL);
    struct chooser *chooser;
    struct error error;
    char devices[100];

    set_number("EMULATED_DEVICES", 2);
    chooser = open_chooser(&options, 0);
    band_filter(&filter, weights, 3, EDGE_MIRROR);
    for (size_t i = 0; i < 3 * sizeof shapes / sizeof *shapes; i++) {
        const struct shape *shape = &shapes[i * 5 % (sizeof shapes / sizeof *shapes)];

        make_files(OP_SMOOTH, shape);
        CHECK(run_bands(chooser, &options, 4, shape, &error) == STATUS_OK, "%s", error.text);
        CHECK(is_right(), "image %zu", i);
    }
    chooser_name_gpu(chooser, devices, sizeof devices);
    CHECK(strcmp(devices, "0: Emulated device, 1: Emulated device") == 0, "a lane on each: %s",
          devices);
    chooser_close(chooser);
}

static void test_reverse_by_halves(const struct shape *shape)
{
    const struct options options = options_for(OP_REVERSE, "shared", 1, 0);
    struct chooser *chooser = open_chooser(&options, 0);
    struct error error;

    band_filter(&filter, weights, 0, EDGE_CLAMP);
    make_files(OP_REVERSE, shape);
    CHECK(run_bands(chooser, &options, shape->height - 1, shape, &error) == STATUS_OK, "%s",
          error.text);
    CHECK(is_right(), "reverse, by halves");
    chooser_close(chooser);
}

/* An image that has no room on the device as a whole, and a band that has none; with and without
 * memory of the host's that the device reaches by itself. */
static void test_past_memory(void)
{
    static const struct shape shape = {100, 3000, 1, 255};
    static const int pinned[] = {1000000, 10000, 0};

    set_number("EMULATED_DEVICES", 1);
    set_number("EMULATED_MEMORY", 200000);
    band_filter(&filter, weights, 2, EDGE_CLAMP);
    make_files(OP_SMOOTH, &shape);
    for (size_t i = 0; i < sizeof pinned / sizeof *pinned; i++) {
        const struct options options = options_for(OP_SMOOTH, "shared", 2, 0);
        struct chooser *chooser;
        struct error error;

        set_number("EMULATED_PINNED", pinned[i]);
        chooser = open_chooser(&options, 0);
        CHECK(run_bands(chooser, &options, 100, &shape, &error) == STATUS_OK, "%s", error.text);
        CHECK(is_right(), "%d pinned bytes", pinned[i]);
        CHECK(run_bands(chooser, &options, 3000, &shape, &error) == STATUS_OK, "%s", error.text);
        CHECK(is_right(), "%d pinned bytes, by halves", pinned[i]);
        CHECK(!chooser_is_lost(chooser), "the device is still there");
        chooser_close(chooser);
        set_number("EMULATED_MEMORY", 500);
        chooser = open_chooser(&options, 0);
        CHECK(run_bands(chooser, &options, 10, &shape, &error) == STATUS_DEVICE &&
                  strstr(error.text, "has no memory for the image"),
              "%s", error.text);
        set_number("EMULATED_MEMORY", 200000);
        CHECK(!chooser_is_lost(chooser), "the device is still there");
        chooser_close(chooser);
    }
    unsetenv("EMULATED_PINNED");
    test_reverse_by_halves(&shape);
    unsetenv("EMULATED_MEMORY");
}

/* Two devices, of which number 1 breaks at its request number n + 1; and it is mended afterwards.
 * `first` is the device of lane 0. */
static enum status run_breaking(const struct options *options, int first, int n, bool *lost)
{
    static const struct shape shape = {66, 31, 1, 255};
    struct chooser *chooser;
    struct error error;
    enum status status;

    set_number("EMULATED_FAILS_AFTER", n);
    chooser = open_chooser(options, first);
    status = run_bands(chooser, options, 2, &shape, &error);
    *lost = chooser_is_lost(chooser);
    if (status != STATUS_OK)
        CHECK(status == STATUS_DEVICE && *error.text, "%s", error.text);
    if (strcmp(options->variant, "auto") == 0 || status == STATUS_OK)
        CHECK(status == STATUS_OK && is_right(), "%s, at request %d: differs", options->variant, n);
    if (*lost && options->threads == 1) /* and stays so */
        CHECK(run_bands(chooser, options, 2, &shape, &error) == STATUS_DEVICE, "no longer lost");
    chooser_close(chooser);
    NEED(cudaSetDevice(1) == cudaSuccess && cudaDeviceReset() == cudaSuccess);
    return status;
}

/* Wherever a device breaks: auto goes on, with the same bytes; and a variant that was named fails,
 * and tells that the device is gone. */
static void test_failing(void)
{
    static const struct shape shape = {66, 31, 1, 255};
    const struct options automatic = options_for(OP_SMOOTH, "auto", 3, DEVICE_ALL);
    const struct options named = options_for(OP_SMOOTH, "fused", 1, 1);
    const struct options shared = options_for(OP_SMOOTH, "shared", 3, DEVICE_ALL);
    int failures = 0, whole = 0;
    bool lost;

    set_number("EMULATED_DEVICES", 2);
    set_number("EMULATED_FAILING_DEVICE", 1);
    NEED(setenv("EMULATED_AUTO", "free", 1) == 0);
    band_filter(&filter, weights, 4, EDGE_WRAP);
    make_files(OP_SMOOTH, &shape);
    for (int n = 0; n < 250; n += n < 40 ? 1 : 7) {
        const int first = n % 2;

        CHECK(run_breaking(&automatic, first, n, &lost) == STATUS_OK && !lost, "auto, %d", n);
        if (run_breaking(&named, 0, n, &lost) == STATUS_OK) {
            whole++;
        } else {
            CHECK(lost, "at request %d", n);
            failures++;
        }
        if (run_breaking(&shared, first, n, &lost) != STATUS_OK)
            CHECK(lost, "shared, at request %d", n);
    }
    CHECK(failures > 20 && whole > 0, "%d failed, %d did not", failures, whole);
    /* A lane beyond the first that cannot be opened leaves its bands to the others. */
    CHECK(run_breaking(&shared, 0, 0, &lost) == STATUS_OK && !lost, "lane 1 is not needed");
    unsetenv("EMULATED_FAILING_DEVICE");
    unsetenv("EMULATED_AUTO");
}

/* Under auto, whether the GPU is opened beforehand goes by the work to come, where that is known.
 */
static void test_expected(void)
{
    struct options options = options_for(OP_SMOOTH, "auto", 1, DEVICE_NOT_GIVEN);
    const struct glance few = {1, {64, 64, 1, 255}, false};
    const struct glance many = {1000, {4096, 4096, 1, 255}, false};
    struct chooser *chooser;
    struct error error;

    options.filter.halo = 16;
    NEED(setenv("EMULATED_AUTO", "usual", 1) == 0);
    NEED(chooser_open(&options, &few, 0, &chooser, &error) == STATUS_OK);
    CHECK(!chooser_wants_gpu(chooser), "for one small image");
    chooser_close(chooser);
    NEED(chooser_open(&options, &many, 0, &chooser, &error) == STATUS_OK);
    CHECK(chooser_wants_gpu(chooser), "not for a thousand large ones");
    chooser_close(chooser);
    unsetenv("EMULATED_AUTO");
}

/* What a variant refuses, it refuses in bands too. */
static void test_refusal(void)
{
    static const struct shape shape = {66, 31, 1, 255};
    const struct options options = options_for(OP_SMOOTH, "naive", 2, DEVICE_NOT_GIVEN);
    struct chooser *chooser = open_chooser(&options, 0);
    struct bands bands = {.variant = chooser_variants(chooser)[0],
                          .lanes = chooser_lanes(chooser),
                          .weights = weights,
                          .threads = 2,
                          .rows = 4,
                          .block = 1000};
    struct error error;

    band_filter(&filter, weights, 0, EDGE_CLAMP);
    make_files(OP_SMOOTH, &shape);
    CHECK(band_run(&bands, scratch_path("in"), scratch_path("out"), FORMAT_PAM, ROWS_IN_ANY_ORDER,
                   &error) == STATUS_UNSUPPORTED,
          "%s", error.text);
    CHECK(!chooser_is_lost(chooser), "the device is still there");
    chooser_close(chooser);
}

/* Lanes of which only the first can be had. */
static enum status open_first(void *context, int lane, struct gpu **gpu, struct error *error)
{
    *gpu = NULL;
    (void)context;
    return lane == 0 ? STATUS_OK : fail(error, STATUS_DEVICE, "there is no lane %d", lane);
}

static enum status run_anywhere(void *context, int lane, const struct job *job,
                                struct gpu_times *times, struct error *error)
{
    (void)context, (void)lane;
    *times = (struct gpu_times){0};
    return run_job(registry_best(OP_SMOOTH, ON_CPU, NULL), job, NULL, error);
}

static void test_sole_lane(void)
{
    static const struct shape shape = {66, 31, 1, 255};
    const struct band_lanes lanes = {.most = 4, .open = open_first, .run = run_anywhere};
    const struct bands bands = {.variant = registry_best(OP_SMOOTH, ON_GPU, NULL),
                                .lanes = &lanes,
                                .weights = weights,
                                .halo = 4,
                                .edge = EDGE_CLAMP,
                                .threads = 4,
                                .rows = 2};
    struct error error;

    band_filter(&filter, weights, 4, EDGE_CLAMP);
    make_files(OP_SMOOTH, &shape);
    CHECK(band_run(&bands, scratch_path("in"), scratch_path("out"), FORMAT_PAM, ROWS_IN_ANY_ORDER,
                   &error) == STATUS_OK,
          "%s", error.text);
    CHECK(is_right(), "by one lane of four");
}

int main(void)
{
    scratch_make();
    test_sole_lane();
    test_results();
    test_many();
    test_past_memory();
    test_failing();
    test_expected();
    test_refusal();
    return unit_result();
}
