/* SPDX-License-Identifier: MIT */
/* Several operations on an image, against their references one after the other: in memory as a
 * whole and in bands; on a GPU with one upload and one download, and with too little of its memory.
 * Runs on the emulated device; the linker puts the copies here in the place of its own (--wrap). */
#include "tests/unit/app/chain_runs.h"
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

/* The source with its border goes up, and the result comes down: no more. */
static void check_copies(const struct stream_options *options, const struct shape *shape)
{
    const int64_t halo = options->work.ops[0] == OP_SMOOTH ? filter_halo(&options->work.filter) : 0;
    const int64_t pixel = pixel_bytes(shape);

    CHECK(copied[0] == (shape->width + 2 * halo) * (shape->height + 2 * halo) * pixel &&
              copied[1] == shape->width * shape->height * pixel,
          "%lld bytes went up, %lld down", (long long)copied[0], (long long)copied[1]);
}

/* Two to `most` + 2 random operations out of `kinds`, whose letters come to be in `letters`, with a
 * random border. */
static struct stream_options draw_chain(const char *variant, const char *kinds, unsigned most,
                                        char letters[8])
{
    const unsigned h = unit_draw(sizeof halos / sizeof *halos - 1);
    struct stream_options options =
        chain_options(variant, halos[h].x, halos[h].y, (enum edge)unit_draw(EDGE_ZERO));

    memset(letters, 0, 8);
    for (int i = (int)unit_draw(most) + 1; i >= 0; i--)
        letters[i] = kinds[unit_draw((unsigned)strlen(kinds) - 1)];
    chain_add(&options, letters);
    return options;
}

/* Chains of all kinds, by each variant that all operations have. */
static void test_results(void)
{
    static const char *const words[] = {"gpu", "naive", "shared", "coalesced"};
    struct error error;
    bool lost;

    for (int k = 0; k < 400; k++) {
        const struct shape *shape = &shapes[unit_draw(sizeof shapes / sizeof *shapes - 1)];
        char letters[8];
        const struct stream_options options = draw_chain(words[k % 4], "sstr", 4, letters);

        copied[0] = copied[1] = 0;
        CHECK(chain_run_alone(&options, shape, &lost, &error) == STATUS_OK, "%s: %s", letters,
              error.text);
        check_copies(&options, shape);
    }
}

static void test_bands(void)
{
    static const char *const words[] = {"gpu", "cpu", "shared"};
    static const int64_t heights[] = {1, 2, 5, 13};
    struct error error;
    bool lost;

    for (int k = 0; k < 250; k++) {
        const struct shape *shape = &shapes[unit_draw(sizeof shapes / sizeof *shapes - 1)];
        char letters[8];
        const struct stream_options options = draw_chain(words[k % 3], "ssr", 3, letters);

        CHECK(chain_run_bands(&options, shape, heights[unit_draw(3)], 1 + (int)unit_draw(2), &lost,
                              &error) == STATUS_OK,
              "%s: %s", letters, error.text);
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
    CHECK(ops[0].gpu.upload_bytes > 0 && ops[5].gpu.upload_bytes == 0 &&
              ops[0].gpu.download_bytes == 0 && ops[5].gpu.download_bytes > 0 &&
              ops[3].gpu.kernel_bytes > 0,
          "the first operation has the upload, the last the download");
    dispatcher_close(dispatcher);
}

/* What the device has no memory for at once is done by operations, and these by halves; a transpose
 * is not. */
static void test_past_memory(void)
{
    static const struct shape shape = {66, 31, 1, 255};
    struct stream_options options = chain_options("shared", 4, 4, EDGE_MIRROR);
    struct error error;
    bool lost;

    unit_set("EMULATED_MEMORY", 12000);
    chain_add(&options, "ssr");
    copied[0] = 0;
    CHECK(chain_run_alone(&options, &shape, &lost, &error) == STATUS_OK && !lost, "%s", error.text);
    CHECK(copied[0] > 2 * 74 * 39, "by halves: %lld bytes went up", (long long)copied[0]);
    CHECK(chain_run_bands(&options, &shape, 20, 1, &lost, &error) == STATUS_OK && !lost,
          "in bands: %s", error.text);
    chain_add(&options, "t");
    CHECK(chain_run_alone(&options, &shape, &lost, &error) == STATUS_DEVICE && !lost &&
              strstr(error.text, "has no memory for the"),
          "%s", error.text);
    unsetenv("EMULATED_MEMORY");
}

int main(void)
{
    scratch_make();
    test_results();
    test_bands();
    test_many();
    test_past_memory();
    return unit_result();
}
