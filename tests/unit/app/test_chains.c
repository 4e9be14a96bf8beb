/* SPDX-License-Identifier: MIT */
/* Several operations on an image, against their references one after the other: in memory as a
 * whole and in bands; on a GPU with one upload and one download, with too little of its memory, and
 * with a device that fails. Runs on the emulated device; the linker puts the copies here in the
 * place of its own (--wrap). */
#include "src/app/stream/bands/bands.h"
#include "src/app/stream/operations.h"
#include "src/lib/filter/registry.h"
#include "src/lib/filter/run.h"
#include "src/lib/image/compare.h"
#include "src/lib/image/halo.h"
#include "tests/unit/app/band_files.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <cuda_runtime_api.h>
#include <string.h>

static const struct shape shapes[] = {
    {1, 1, 1, 255},    {7, 1, 1, 255},  {1, 23, 1, 1},    {66, 31, 1, 255}, {150, 9, 1, 255},
    {6, 17, 3, 65535}, {13, 40, 3, 99}, {37, 33, 1, 300}, {40, 20, 2, 255}, {9, 30, 4, 1000},
};
static const struct {
    int64_t x, y;
} halos[] = {{0, 0}, {1, 1}, {4, 4}, {11, 11}, {0, 3}, {5, 0}, {2, 7}, {40, 3}};

static int64_t copied[2]; /* bytes: to the device, to the host */
static struct filter_weights weights;

cudaError_t __real_cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind,
                                     cudaStream_t stream);
cudaError_t __wrap_cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind,
                                     cudaStream_t stream);
cudaError_t __wrap_cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind,
                                     cudaStream_t stream)
{
    __atomic_fetch_add(&copied[kind == cudaMemcpyDeviceToHost], (int64_t)(width * height),
                       __ATOMIC_RELAXED);
    return __real_cudaMemcpy2DAsync(dst, dst_pitch, src, src_pitch, width, height, kind, stream);
}

static void set_number(const char *name, int number)
{
    char text[20];

    snprintf(text, sizeof text, "%d", number);
    NEED(setenv(name, text, 1) == 0);
}

/* Pseudo-random, 0..most; the same sequence in every run. */
static int draw(int most)
{
    static unsigned state = 1;

    state = state * 1103515245 + 12345;
    return (int)(state >> 16) % (most + 1);
}

/* Operations and how they are done; the weights are those of the last. */
static struct stream_options make_options(const char *variant, int64_t halo_x, int64_t halo_y,
                                          enum edge edge)
{
    const struct filter filter = {.x = {.halo = halo_x}, .y = {.halo = halo_y}, .edge = edge};
    struct stream_options options = {
        .work = {.filter = filter, .variant = variant, .threads = 2, .device = 0}};
    struct error error;

    NEED(filter_weights_make(&filter, &weights, &error) == STATUS_OK);
    return options;
}

static void add_ops(struct stream_options *options, const char *letters)
{
    for (; *letters; letters++)
        options->work.ops[options->work.op_count++] = *letters == 's'   ? OP_SMOOTH
                                                      : *letters == 't' ? OP_TRANSPOSE
                                                                        : OP_REVERSE;
}

static struct operations operations_for(const struct stream_options *options,
                                        const struct image *header)
{
    const struct stream_context context = {.options = options, .weights = &weights};

    return operations_of(&context, header, 1);
}

/* An image with the border that the first operation needs; of 2 and 4 channels with alpha. */
static struct image make_image(const struct stream_options *options, const struct shape *shape)
{
    const struct operations operations = operations_for(options, &(struct image){0});
    struct image image = scratch_image(shape->width, shape->height, shape->channels, shape->maxval,
                                       chain_halo(&operations, 0), (unsigned)shape->height);

    image.format = shape->channels % 2 == 0 ? FORMAT_PNG : FORMAT_PAM;
    return image;
}

/* What the references make of it. */
static struct image expect(const struct stream_options *options, const struct shape *shape)
{
    struct image image = make_image(options, shape), result;
    const struct operations operations = operations_for(options, &image);
    struct error error;

    for (int i = 0; i < options->work.op_count; i++) {
        const enum op op = (enum op)options->work.ops[i];
        const struct run_options run = {.filter = op == OP_SMOOTH ? &weights : NULL,
                                        .weighted = op == OP_SMOOTH && operations.weighted,
                                        .threads = 1};

        if (op == OP_SMOOTH)
            halo_fill(&image, options->work.filter.edge, weights.halo_x, weights.halo_y);
        NEED(run_variant(registry_reference(op), &image, &run, chain_halo(&operations, i + 1),
                         &result, &error) == STATUS_OK);
        image_free(&image);
        image = result;
    }
    return image;
}

/* Runs the operations, and compares where they succeed. */
static enum status run_chain(const struct stream_options *options, struct dispatcher *dispatcher,
                             const struct shape *shape, struct report *report, struct error *error)
{
    const struct stream_context context = {
        .options = options, .weights = &weights, .dispatcher = dispatcher, .threads = 2};
    struct image image = make_image(options, shape), wanted = expect(options, shape);
    enum status status;

    *report = NO_REPORT;
    status = operations_run(&context, 2, 1, &image, report, error);
    CHECK(status != STATUS_OK ||
              (image.view.width == wanted.view.width && image.view.height == wanted.view.height &&
               compare_views(&image.view, &wanted.view).samples == 0),
          "%lld x %lld, %d channels, maxval %u, %d operations, halo %lld,%lld, edge %d, %s",
          (long long)shape->width, (long long)shape->height, (int)shape->channels, shape->maxval,
          options->work.op_count, (long long)weights.halo_x, (long long)weights.halo_y,
          (int)options->work.filter.edge, options->work.variant);
    image_free(&image);
    image_free(&wanted);
    return status;
}

static enum status run_alone(const struct stream_options *options, const struct shape *shape,
                             bool *lost, struct error *error)
{
    struct dispatcher *dispatcher;
    struct report report;
    enum status status;

    NEED(dispatcher_open(&options->work, &dispatcher, error) == STATUS_OK);
    status = run_chain(options, dispatcher, shape, &report, error);
    *lost = dispatcher_is_lost(dispatcher);
    dispatcher_close(dispatcher);
    return status;
}

/* The source with its border goes up, and the result comes down: no more. */
static void check_copies(const struct stream_options *options, const struct shape *shape)
{
    const int64_t halo = options->work.ops[0] == OP_SMOOTH ? filter_halo(&options->work.filter) : 0;
    const int64_t pixel = pixel_bytes(shape);

    CHECK(copied[0] == (shape->width + 2 * halo) * (shape->height + 2 * halo) * pixel &&
              copied[1] == shape->width * shape->height * pixel,
          "%lld bytes went up, %lld down", (long long)copied[0], (long long)copied[1]);
}

/* Chains of all kinds, by each variant that all operations have. */
static void test_results(void)
{
    static const char *const words[] = {"gpu", "naive", "shared", "coalesced"};
    struct error error;
    bool lost;

    for (int k = 0; k < 400; k++) {
        const struct shape *shape = &shapes[draw(sizeof shapes / sizeof *shapes - 1)];
        const int h = draw(sizeof halos / sizeof *halos - 1);
        struct stream_options options =
            make_options(words[k % 4], halos[h].x, halos[h].y, (enum edge)draw(EDGE_ZERO));
        char letters[8] = "";

        for (int i = draw(4) + 1; i >= 0; i--)
            letters[i] = "sstr"[draw(3)];
        add_ops(&options, letters);
        copied[0] = copied[1] = 0;
        CHECK(run_alone(&options, shape, &lost, &error) == STATUS_OK, "%s: %s", letters,
              error.text);
        check_copies(&options, shape);
    }
}

/* The same in bands of so many rows, from file to file. */
static void check_bands(const struct stream_options *options, const struct shape *shape,
                        int64_t rows, const char *letters)
{
    const char *in = scratch_path("in"), *out = scratch_path("out"),
               *right = scratch_path("wanted");
    struct image image = make_image(options, shape), wanted = expect(options, shape);
    struct bands bands = {.operations = operations_for(options, &image), .rows = rows};
    struct dispatcher *dispatcher;
    struct error error;

    bands.threads = 1 + draw(2);
    image.format = wanted.format = FORMAT_PAM;
    band_write(in, FORMAT_PAM, false, &image, 1);
    band_write(right, FORMAT_PAM, false, &wanted, 1);
    NEED(dispatcher_open(&options->work, &dispatcher, &error) == STATUS_OK);
    bands.dispatcher = dispatcher;
    CHECK(band_run(&bands, in, out, FORMAT_PAM, ROWS_IN_ANY_ORDER, &error) == STATUS_OK, "%s",
          error.text);
    CHECK(same_files(out, right),
          "%s, %lld x %lld, %d channels, halo %lld,%lld, edge %d, bands of %lld, %s", letters,
          (long long)shape->width, (long long)shape->height, (int)shape->channels,
          (long long)weights.halo_x, (long long)weights.halo_y, (int)options->work.filter.edge,
          (long long)rows, options->work.variant);
    dispatcher_close(dispatcher);
    image_free(&image);
    image_free(&wanted);
}

static void test_bands(void)
{
    static const char *const words[] = {"gpu", "cpu", "shared"};
    static const int64_t heights[] = {1, 2, 5, 13};

    for (int k = 0; k < 250; k++) {
        const struct shape *shape = &shapes[draw(sizeof shapes / sizeof *shapes - 1)];
        const int h = draw(sizeof halos / sizeof *halos - 1);
        struct stream_options options =
            make_options(words[k % 3], halos[h].x, halos[h].y, (enum edge)draw(EDGE_ZERO));
        char letters[8] = "";

        for (int i = draw(3) + 1; i >= 0; i--)
            letters[i] = "ssr"[draw(2)];
        add_ops(&options, letters);
        check_bands(&options, shape, heights[draw(3)], letters);
    }
}

/* By one dispatcher, whose sessions keep their memory: images that grow and shrink. */
static void test_many(void)
{
    struct stream_options options = make_options("gpu", 3, 5, EDGE_REFLECT);
    struct dispatcher *dispatcher;
    struct report report;
    struct error error;

    add_ops(&options, "tsstrs");
    NEED(dispatcher_open(&options.work, &dispatcher, &error) == STATUS_OK);
    for (size_t i = 0; i < 3 * sizeof shapes / sizeof *shapes; i++)
        CHECK(run_chain(&options, dispatcher, &shapes[i * 7 % (sizeof shapes / sizeof *shapes)],
                        &report, &error) == STATUS_OK,
              "%s", error.text);
    CHECK(report.gpu[0].upload.bytes > 0 && report.gpu[5].upload.bytes == 0 &&
              report.gpu[0].download.bytes == 0 && report.gpu[5].download.bytes > 0 &&
              report.gpu[3].kernel.bytes > 0,
          "the first operation has the upload, the last the download");
    dispatcher_close(dispatcher);
}

/* What the device has no memory for at once is done by operations, and these by halves; a transpose
 * is not. */
static void test_past_memory(void)
{
    static const struct shape shape = {66, 31, 1, 255};
    struct stream_options options = make_options("shared", 4, 4, EDGE_MIRROR);
    struct error error;
    bool lost;

    set_number("EMULATED_MEMORY", 12000);
    add_ops(&options, "ssr");
    copied[0] = 0;
    CHECK(run_alone(&options, &shape, &lost, &error) == STATUS_OK && !lost, "%s", error.text);
    CHECK(copied[0] > 2 * 74 * 39, "by halves: %lld bytes went up", (long long)copied[0]);
    add_ops(&options, "t");
    CHECK(run_alone(&options, &shape, &lost, &error) == STATUS_DEVICE && !lost &&
              strstr(error.text, "has no memory for the"),
          "%s", error.text);
    unsetenv("EMULATED_MEMORY");
}

/* Device 1 breaks at its request number n + 1: the other does the work, from the input; without
 * another the run fails. It is repaired afterwards. */
static void test_failing(void)
{
    static const struct shape shape = {66, 31, 1, 255};
    int failures = 0, whole = 0;
    struct error error;
    bool lost;

    set_number("EMULATED_DEVICES", 2);
    set_number("EMULATED_FAILING_DEVICE", 1);
    for (int n = 0; n < 100; n++)
        for (int both = 0; both < 2; both++) {
            struct stream_options options = make_options("gpu", 4, 4, EDGE_WRAP);
            enum status status;

            options.work.device = both ? DEVICE_ALL : 1;
            add_ops(&options, "stsr");
            set_number("EMULATED_FAILS_AFTER", n);
            status = run_alone(&options, &shape, &lost, &error);
            CHECK(status == STATUS_OK ? !lost : status == STATUS_DEVICE && lost && !both,
                  "at request %d: %s", n, error.text);
            failures += status != STATUS_OK;
            whole += status == STATUS_OK && !both;
            NEED(cudaSetDevice(1) == cudaSuccess && cudaDeviceReset() == cudaSuccess);
        }
    CHECK(failures > 20 && whole > 10, "%d failed, %d did not", failures, whole);
    unsetenv("EMULATED_FAILING_DEVICE");
    set_number("EMULATED_DEVICES", 1);
}

/* Runs images until the GPU has computed one, or has failed. */
static const char *run_automatic(struct dispatcher *dispatcher,
                                 const struct stream_options *options, int64_t *gpu_pieces)
{
    static const struct shape shape = {66, 31, 1, 255};
    const char *why = NULL;

    *gpu_pieces = 0;
    for (int i = 0; i < 1000 && *gpu_pieces < 3; i++) {
        struct report report;
        struct error error;

        CHECK(run_chain(options, dispatcher, &shape, &report, &error) == STATUS_OK, "%s",
              error.text);
        for (int op = 1; op < options->work.op_count; op++)
            CHECK(report.work[op].pieces[ON_GPU] == report.work[0].pieces[ON_GPU],
                  "operation %d is computed elsewhere", op);
        *gpu_pieces += report.work[0].pieces[ON_GPU];
        dispatcher_pause(dispatcher);
        why = dispatcher_why_no_gpu(dispatcher);
        if (why && strcmp(why, "the GPU failed") == 0)
            break;
    }
    return why;
}

/* auto: after the processor has done images a GPU does all operations of others; if it fails, at
 * whichever request, the processor does them from the input. */
static void test_automatic(void)
{
    int failed = 0, whole = 0;

    NEED(setenv("EMULATED_AUTO", "1e-9", 1) == 0 && setenv("EMULATED_SPEED", "1e9", 1) == 0);
    set_number("EMULATED_FAILING_DEVICE", 0);
    for (int n = 4; n < 1000; n += n < 150 ? 5 : 150) {
        struct stream_options options = make_options("auto", 4, 4, EDGE_CLAMP);
        struct dispatcher *dispatcher;
        struct error error;
        int64_t gpu_pieces;
        const char *why;

        options.work.threads = 8; /* then dispatcher_pause waits */
        add_ops(&options, "srst");
        set_number("EMULATED_FAILS_AFTER", n);
        NEED(dispatcher_open(&options.work, &dispatcher, &error) == STATUS_OK);
        dispatcher_expect(dispatcher, 1e9);
        why = run_automatic(dispatcher, &options, &gpu_pieces);
        CHECK(why ? strcmp(why, "the GPU failed") == 0 : gpu_pieces == 3, "%s, %lld pieces",
              why ? why : "", (long long)gpu_pieces);
        failed += why && gpu_pieces > 0;
        whole += !why;
        dispatcher_close(dispatcher);
        NEED(cudaSetDevice(0) == cudaSuccess && cudaDeviceReset() == cudaSuccess);
    }
    CHECK(failed > 3 && whole > 3, "%d failed in the middle, %d did not fail", failed, whole);
    unsetenv("EMULATED_FAILING_DEVICE");
}

int main(void)
{
    scratch_make();
    test_results();
    test_bands();
    test_many();
    test_past_memory();
    test_failing();
    test_automatic();
    return unit_result();
}
