/* SPDX-License-Identifier: MIT */
/* Several operations on an image, one after the other, against their references: on a GPU and on
 * the processor, with too little of the GPU's memory, and on a device that fails. Runs on the
 * emulated device. */
#include "src/app/stream/operations/operations.h"
#include "src/lib/filter/registry.h"
#include "src/lib/image/compare.h"
#include "src/lib/image/halo.h"
#include "tests/unit/run_variant.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

static const struct shape shapes[] = {
    {1, 1, 1, 255},    {7, 1, 1, 255},  {1, 23, 1, 1},    {66, 31, 1, 255}, {150, 9, 1, 255},
    {6, 17, 3, 65535}, {13, 40, 3, 99}, {37, 33, 1, 300}, {40, 20, 2, 255}, {9, 30, 4, 1000},
};
static const struct {
    int64_t x, y;
} halos[] = {{0, 0}, {1, 1}, {4, 4}, {11, 11}, {0, 3}, {5, 0}, {2, 7}, {40, 3}};

static struct filter_weights weights; /* those of the last chain_options */

/* No operation yet, by this variant. */
static struct stream_options chain_options(const char *variant, int64_t halo_x, int64_t halo_y,
                                           enum edge edge)
{
    const struct filter filter = {.x = {.halo = halo_x}, .y = {.halo = halo_y}, .edge = edge};
    struct stream_options options = {
        .work = {.filter = filter, .variant = variant, .threads = 2, .device = 0}};
    struct error error;

    NEED(filter_weights_make(&filter, &weights, &error) == STATUS_OK);
    return options;
}

/* Adds operations: s, t and r. */
static void chain_add(struct stream_options *options, const char *letters)
{
    for (; *letters; letters++)
        options->work.ops[options->work.op_count++] = *letters == 's'   ? OP_SMOOTH
                                                      : *letters == 't' ? OP_TRANSPOSE
                                                                        : OP_REVERSE;
}

static struct operations chain_operations(const struct stream_options *options,
                                          const struct image *header)
{
    const struct stream_context context = {.options = options, .weights = &weights};

    return operations_of(&context, header);
}

/* An image with the border that the first operation needs; of 2 and 4 channels with alpha. */
static struct image chain_image(const struct stream_options *options, const struct shape *shape)
{
    const struct operations operations = chain_operations(options, &(struct image){0});
    struct image image = scratch_image(shape->width, shape->height, shape->channels, shape->maxval,
                                       operations_halo(&operations, 0), (unsigned)shape->height);

    image.format = shape->channels % 2 == 0 ? FORMAT_PNG : FORMAT_PAM;
    return image;
}

/* What the references of the operations make of it. */
static struct image chain_expect(const struct stream_options *options, const struct shape *shape)
{
    struct image image = chain_image(options, shape), result;
    const struct operations operations = chain_operations(options, &image);
    struct error error;

    for (int i = 0; i < options->work.op_count; i++) {
        const enum op op = (enum op)options->work.ops[i];
        if (op == OP_SMOOTH)
            halo_fill(&image, options->work.filter.edge, weights.halo_x, weights.halo_y);
        NEED(run_variant(registry_reference(op), &image, &operations.request, NULL,
                         operations_halo(&operations, i + 1), &result, &error) == STATUS_OK);
        image_free(&image);
        image = result;
    }
    return image;
}

static bool are_same(const struct view *one, const struct view *other)
{
    return one->width == other->width && one->height == other->height &&
           compare_views(one, other).samples == 0;
}

static enum status differs(const struct stream_options *options, const struct shape *shape,
                           struct error *error)
{
    return fail(error, STATUS_DIFFERENT,
                "%lld x %lld, %d channels, maxval %u, halo %lld,%lld, edge %d, %s: differs",
                (long long)shape->width, (long long)shape->height, (int)shape->channels,
                shape->maxval, (long long)weights.halo_x, (long long)weights.halo_y,
                (int)options->work.filter.edge, options->work.variant);
}

/* Runs the operations on that image: STATUS_DIFFERENT if the result is another. */
static enum status chain_run(const struct stream_options *options, struct dispatcher *dispatcher,
                             const struct shape *shape, struct report *report, struct error *error)
{
    const struct stream_context context = {
        .options = options, .weights = &weights, .dispatcher = dispatcher, .threads = 2};
    struct image image = chain_image(options, shape), wanted = chain_expect(options, shape);
    struct operations operations = chain_operations(options, &image);
    enum status status;

    operations.request.threads = 2;
    *report = NO_REPORT;
    status = operations_run(&context, &operations, &image, report, error);
    if (status == STATUS_OK && !are_same(&image.view, &wanted.view))
        status = differs(options, shape, error);
    image_free(&image);
    image_free(&wanted);
    return status;
}

/* The same, by a dispatcher of its own. *lost: dispatcher_is_lost. */
static enum status chain_run_alone(const struct stream_options *options, const struct shape *shape,
                                   bool *lost, struct error *error)
{
    struct dispatcher *dispatcher;
    struct report report;
    enum status status;

    NEED(dispatcher_open(&options->work, &dispatcher, error) == STATUS_OK);
    status = chain_run(options, dispatcher, shape, &report, error);
    *lost = dispatcher_is_lost(dispatcher);
    dispatcher_close(dispatcher);
    return status;
}

/* Two to six random operations, whose letters come to be in `letters`, with a random border. */
static struct stream_options draw_chain(const char *variant, char letters[8])
{
    const unsigned h = unit_draw(sizeof halos / sizeof *halos - 1);
    struct stream_options options =
        chain_options(variant, halos[h].x, halos[h].y, (enum edge)unit_draw(EDGE_ZERO));

    memset(letters, 0, 8);
    for (int i = (int)unit_draw(4) + 1; i >= 0; i--)
        letters[i] = "sstr"[unit_draw(3)];
    chain_add(&options, letters);
    return options;
}

/* Chains of all kinds, by each variant that all operations have. */
static void test_results(void)
{
    static const char *const words[] = {"gpu", "naive", "shared", "coalesced", "cpu"};
    struct error error;
    bool lost;

    for (int k = 0; k < 400; k++) {
        const struct shape *shape = &shapes[unit_draw(sizeof shapes / sizeof *shapes - 1)];
        char letters[8];
        const struct stream_options options = draw_chain(words[k % 5], letters);

        CHECK(chain_run_alone(&options, shape, &lost, &error) == STATUS_OK, "%s: %s", letters,
              error.text);
    }
}

/* By one dispatcher, whose sessions keep their memory: images that grow and shrink. */
static void test_many(void)
{
    struct stream_options options = chain_options("gpu", 3, 5, EDGE_REFLECT);
    struct dispatcher *dispatcher;
    struct report report;
    const struct op_times *ops = report.times.ops;
    struct error error;

    chain_add(&options, "tsstrs");
    NEED(dispatcher_open(&options.work, &dispatcher, &error) == STATUS_OK);
    for (size_t i = 0; i < 3 * sizeof shapes / sizeof *shapes; i++)
        CHECK(chain_run(&options, dispatcher, &shapes[i * 7 % (sizeof shapes / sizeof *shapes)],
                        &report, &error) == STATUS_OK,
              "%s", error.text);
    for (int i = 0; i < 6; i++)
        CHECK(ops[i].gpu.upload_bytes > 0 && ops[i].gpu.kernel_bytes > 0 &&
                  ops[i].gpu.download_bytes > 0,
              "operation %d has its own upload and download", i);
    dispatcher_close(dispatcher);
}

/* What the device has no memory for is done by halves; a transpose is not. */
static void test_past_memory(void)
{
    static const struct shape shape = {66, 31, 1, 255};
    struct stream_options options = chain_options("shared", 4, 4, EDGE_MIRROR);
    struct error error;
    bool lost;

    unit_set("EMULATED_MEMORY", 12000);
    chain_add(&options, "ssr");
    CHECK(chain_run_alone(&options, &shape, &lost, &error) == STATUS_OK && !lost, "%s", error.text);
    chain_add(&options, "t");
    CHECK(chain_run_alone(&options, &shape, &lost, &error) == STATUS_DEVICE && !lost &&
              strstr(error.text, "has no memory for the"),
          "%s", error.text);
    unsetenv("EMULATED_MEMORY");
}

/* On the device, which breaks at its request number n + 1. Repairs it afterwards. */
static enum status run_breaking(int n, bool *lost, struct error *error)
{
    static const struct shape shape = {66, 31, 1, 255};
    struct stream_options options = chain_options("gpu", 4, 4, EDGE_WRAP);
    enum status status;

    chain_add(&options, "stsr");
    unit_set("EMULATED_FAILS_AFTER", n);
    status = chain_run_alone(&options, &shape, lost, error);
    NEED(cudaSetDevice(0) == cudaSuccess && cudaDeviceReset() == cudaSuccess);
    return status;
}

/* The run fails, and the dispatcher says that the device is lost. */
static void test_failing(void)
{
    int failures = 0, whole = 0;
    struct error error;
    bool lost;

    unit_set("EMULATED_FAILING_DEVICE", 0);
    for (int n = 0; n < 500; n += n < 70 ? 1 : 20) {
        const enum status status = run_breaking(n, &lost, &error);

        CHECK(status == STATUS_OK ? !lost : status == STATUS_DEVICE && lost, "at request %d: %s", n,
              error.text);
        failures += status != STATUS_OK;
        whole += status == STATUS_OK;
    }
    CHECK(failures > 20 && whole > 5, "%d failed, %d did not", failures, whole);
    unsetenv("EMULATED_FAILING_DEVICE");
}

int main(void)
{
    scratch_make();
    test_results();
    test_many();
    test_past_memory();
    test_failing();
    return unit_result();
}
