/* SPDX-License-Identifier: MIT */
/* Bands by GPU variants, through the dispatcher, against the whole image: with one thread and with
 * several, with too little device memory, and with a device that fails. Runs on the emulated
 * device. */
#include "tests/unit/app/band_files.h"
#include "src/app/dispatch/dispatcher.h"
#include "src/lib/filter/engine_plan.h"
#include "src/lib/filter/registry.h"
#include "src/lib/run/run.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <cuda_runtime_api.h>
#include <string.h>

static const struct shape shapes[] = {
    {1, 1, 1, 255},   {7, 1, 1, 255},  {1, 23, 1, 1},     {9, 40, 1, 255},
    {66, 31, 1, 255}, {13, 9, 3, 255}, {6, 17, 3, 65535}, {37, 33, 1, 300},
};
static const struct {
    int64_t x, y;
} halos[] = {{0, 0}, {1, 1}, {4, 4}, {11, 11}, {0, 3}, {5, 0}, {2, 7}};
static const int64_t heights[] = {1, 2, 5, 0}; /* of a band */

static struct filter_weights weights;
static struct filter filter;

/* Counts how often engines are chosen. */
static int plans;

enum status __real_engine_plan_make(const struct variant *variant, const struct job *job,
                                    struct engine_plan *plan, struct error *error);
enum status __wrap_engine_plan_make(const struct variant *variant, const struct job *job,
                                    struct engine_plan *plan, struct error *error);
enum status __wrap_engine_plan_make(const struct variant *variant, const struct job *job,
                                    struct engine_plan *plan, struct error *error)
{
    __atomic_fetch_add(&plans, 1, __ATOMIC_RELAXED);
    return __real_engine_plan_make(variant, job, plan, error);
}

/* Processes the file `in` in bands of so many rows, and writes `out`. */
static enum status run_bands(struct dispatcher *dispatcher, int threads, int64_t rows,
                             struct error *error)
{
    const enum op op = dispatcher_variant(dispatcher, 0)->op;
    const struct bands bands = {.dispatcher = dispatcher,
                                .operations = band_operations(op, &weights),
                                .threads = threads,
                                .rows = rows};

    return band_run(&bands, scratch_path("in"), scratch_path("out"), FORMAT_PAM, ROWS_IN_ANY_ORDER,
                    error);
}

/* Writes the files `in` and `wanted`, the reference's result for the whole image. */
static void make_files(enum op op, const struct shape *shape)
{
    struct image image = scratch_image(shape->width, shape->height, shape->channels, shape->maxval,
                                       filter_halo(&filter), (unsigned)shape->height);

    band_write(scratch_path("in"), FORMAT_PAM, false, &image, 1);
    halo_fill(&image, filter.edge, image.halo, image.halo);
    band_expect(registry_reference(op), scratch_path("wanted"), FORMAT_PAM, &image,
                op == OP_SMOOTH ? &weights : NULL);
    image_free(&image);
}

static bool out_is_right(void)
{
    return same_files(scratch_path("out"), scratch_path("wanted"));
}

/* Checks one shape with every GPU variant of the operation; draws the height of the bands, and one
 * to three threads. */
static void check_shape(enum op op, const struct shape *shape)
{
    const struct variant *variant = NULL;
    struct error error;

    make_files(op, shape);
    while ((variant = registry_best(op, ON_GPU, variant))) {
        const int threads = 1 + (int)unit_draw(2);
        const int64_t rows = heights[unit_draw(3)];
        struct dispatcher *dispatcher;

        dispatcher = band_dispatcher(op, variant->name, threads, 0);
        CHECK(run_bands(dispatcher, threads, rows, &error) == STATUS_OK, "%s", error.text);
        CHECK(out_is_right(),
              "%s %s, %lld x %lld, %d channels, maxval %u, halo %lld,%lld, edge %d, bands of %lld, "
              "%d threads",
              op_word(op), variant->name, (long long)shape->width, (long long)shape->height,
              (int)shape->channels, shape->maxval, (long long)filter.x.halo,
              (long long)filter.y.halo, (int)filter.edge, (long long)rows, threads);
        dispatcher_close(dispatcher);
    }
}

static void test_results(void)
{
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int edge = EDGE_CLAMP; edge <= EDGE_ZERO; edge++)
            for (size_t h = 0; h < sizeof halos / sizeof *halos; h++) {
                band_filter(&filter, &weights, halos[h].x, halos[h].y, (enum edge)edge);
                check_shape(OP_SMOOTH, &shapes[s]);
            }
        band_filter(&filter, &weights, 0, 0, EDGE_CLAMP);
        for (int i = 0; i < 6; i++)
            check_shape(OP_REVERSE, &shapes[s]);
    }
}

/* Images of several sizes by the same sessions, which keep their memory and let it grow. */
static void test_many(void)
{
    struct dispatcher *dispatcher;
    struct error error;
    struct phrase gpus;

    unit_set("EMULATED_DEVICES", 2);
    dispatcher = band_dispatcher(OP_SMOOTH, "fused", 2, 1);
    band_filter(&filter, &weights, 3, 3, EDGE_MIRROR);
    for (size_t i = 0; i < 3 * sizeof shapes / sizeof *shapes; i++) {
        const struct shape *shape = &shapes[i * 5 % (sizeof shapes / sizeof *shapes)];

        make_files(OP_SMOOTH, shape);
        CHECK(run_bands(dispatcher, 2, 4, &error) == STATUS_OK, "%s", error.text);
        CHECK(out_is_right(), "image %zu", i);
    }
    gpus = dispatcher_gpus(dispatcher);
    CHECK(strcmp(gpus.text, "1: Emulated device") == 0, "the device: %s", gpus.text);
    dispatcher_close(dispatcher);
    unit_set("EMULATED_DEVICES", 1);
}

static void test_reverse_by_halves(const struct shape *shape)
{
    struct dispatcher *dispatcher = band_dispatcher(OP_REVERSE, "shared", 1, 0);
    struct error error;

    band_filter(&filter, &weights, 0, 0, EDGE_CLAMP);
    make_files(OP_REVERSE, shape);
    CHECK(run_bands(dispatcher, 1, shape->height - 1, &error) == STATUS_OK, "%s", error.text);
    CHECK(out_is_right(), "reverse, by halves");
    dispatcher_close(dispatcher);
}

/* The device has no memory for the whole image, which is then done by halves; or none for a single
 * band, which fails. With enough pinned host memory, with little, and without. */
static void test_past_memory(void)
{
    static const struct shape shape = {100, 3000, 1, 255};
    static const int pinned[] = {1000000, 10000, 0};

    unit_set("EMULATED_MEMORY", 200000);
    band_filter(&filter, &weights, 2, 2, EDGE_CLAMP);
    make_files(OP_SMOOTH, &shape);
    for (size_t i = 0; i < sizeof pinned / sizeof *pinned; i++) {
        struct dispatcher *dispatcher;
        struct error error;

        unit_set("EMULATED_PINNED", pinned[i]);
        dispatcher = band_dispatcher(OP_SMOOTH, "shared", 2, 0);
        CHECK(run_bands(dispatcher, 2, 100, &error) == STATUS_OK, "%s", error.text);
        CHECK(out_is_right(), "%d pinned bytes", pinned[i]);
        CHECK(run_bands(dispatcher, 2, 3000, &error) == STATUS_OK, "%s", error.text);
        CHECK(out_is_right(), "%d pinned bytes, by halves", pinned[i]);
        CHECK(!dispatcher_is_lost(dispatcher), "the device is still there");
        dispatcher_close(dispatcher);
        unit_set("EMULATED_MEMORY", 500);
        dispatcher = band_dispatcher(OP_SMOOTH, "shared", 2, 0);
        CHECK(run_bands(dispatcher, 2, 10, &error) == STATUS_DEVICE &&
                  strstr(error.text, "has no memory for the image"),
              "%s", error.text);
        unit_set("EMULATED_MEMORY", 200000);
        CHECK(!dispatcher_is_lost(dispatcher), "the device is still there");
        dispatcher_close(dispatcher);
    }
    unsetenv("EMULATED_PINNED");
    test_reverse_by_halves(&shape);
    unsetenv("EMULATED_MEMORY");
}

/* Runs on the device, which breaks at its request number n + 1; repairs it afterwards. */
static enum status run_breaking(const char *variant, int threads, int n, bool *lost)
{
    struct dispatcher *dispatcher;
    struct error error;
    enum status status;

    unit_set("EMULATED_FAILS_AFTER", n);
    dispatcher = band_dispatcher(OP_SMOOTH, variant, threads, 0);
    status = run_bands(dispatcher, threads, 2, &error);
    *lost = dispatcher_is_lost(dispatcher);
    CHECK(status == STATUS_OK ? out_is_right() : status == STATUS_DEVICE && *error.text,
          "%s, at request %d: %s", variant, n, error.text);
    if (*lost) /* it stays lost */
        CHECK(run_bands(dispatcher, threads, 2, &error) == STATUS_DEVICE, "no longer lost");
    dispatcher_close(dispatcher);
    NEED(cudaSetDevice(0) == cudaSuccess && cudaDeviceReset() == cudaSuccess);
    return status;
}

/* Whenever the device breaks, the run fails, and the dispatcher says that the device is lost. */
static void test_failing(void)
{
    static const struct shape shape = {66, 31, 1, 255};
    int failures = 0, whole = 0;

    unit_set("EMULATED_FAILING_DEVICE", 0);
    band_filter(&filter, &weights, 4, 4, EDGE_WRAP);
    make_files(OP_SMOOTH, &shape);
    for (int n = 0; n < 250; n += n < 40 ? 1 : 7) {
        const bool alone = n % 2;
        bool lost;
        enum status status = run_breaking(alone ? "fused" : "shared", alone ? 1 : 3, n, &lost);

        CHECK(status == STATUS_OK || lost, "at request %d", n);
        failures += status != STATUS_OK;
        whole += status == STATUS_OK;
    }
    CHECK(failures > 20 && whole > 0, "%d failed, %d did not", failures, whole);
    unsetenv("EMULATED_FAILING_DEVICE");
}

/* A block size that a variant refuses for a whole image, it refuses in bands too. */
static void test_refusal(void)
{
    static const struct shape shape = {66, 31, 1, 255};
    struct dispatcher *dispatcher = band_dispatcher(OP_SMOOTH, "naive", 2, 0);
    struct bands bands = {.dispatcher = dispatcher,
                          .operations = band_operations(OP_SMOOTH, &weights),
                          .threads = 2,
                          .rows = 4};
    struct error error;

    bands.operations.request.block = 1000;
    band_filter(&filter, &weights, 0, 0, EDGE_CLAMP);
    make_files(OP_SMOOTH, &shape);
    CHECK(band_run(&bands, scratch_path("in"), scratch_path("out"), FORMAT_PAM, ROWS_IN_ANY_ORDER,
                   &error) == STATUS_UNSUPPORTED,
          "%s", error.text);
    CHECK(!dispatcher_is_lost(dispatcher), "the device is still there");
    dispatcher_close(dispatcher);
}

/* A thread plans an image once, and not each of its bands. */
static void test_plans(void)
{
    static const struct shape shape = {66, 310, 1, 255};
    struct dispatcher *dispatcher = band_dispatcher(OP_SMOOTH, "shared", 2, 0);
    struct error error;

    band_filter(&filter, &weights, 4, 4, EDGE_WRAP);
    make_files(OP_SMOOTH, &shape);
    plans = 0;
    CHECK(run_bands(dispatcher, 2, 5, &error) == STATUS_OK && out_is_right(), "%s", error.text);
    CHECK(plans >= 1 && plans <= 2, "%d plans", plans);
    dispatcher_close(dispatcher);
}

/* A GPU gets one thread for each of its sessions, and up to four times as many to compress PNG. */
static void test_threads(void)
{
    struct dispatcher *dispatcher = band_dispatcher(OP_SMOOTH, "fused", 20, 0);

    CHECK(dispatcher_threads(dispatcher, 5, false) == 2, "two sessions");
    CHECK(dispatcher_threads(dispatcher, 5, true) == 5, "all threads");
    CHECK(dispatcher_threads(dispatcher, 20, true) == 8, "four times as many as two");
    dispatcher_close(dispatcher);
    dispatcher = band_dispatcher(OP_SMOOTH, "cpu", 20, 0);
    CHECK(dispatcher_threads(dispatcher, 20, false) == 20, "the processor's");
    dispatcher_close(dispatcher);
}

int main(void)
{
    scratch_make();
    test_results();
    test_many();
    test_past_memory();
    test_failing();
    test_refusal();
    test_plans();
    test_threads();
    return unit_result();
}
