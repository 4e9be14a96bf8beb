// SPDX-License-Identifier: MIT
// test_complaints none|some STEM: traces the variant STEM, such as smooth_tiled, on several kinds
// of images. The tracer (src/emulator/trace/trace.h) records the accesses of kernels on the
// emulated device, and complains about races, reads of unwritten shared memory and misaligned
// accesses. With `none` the test passes if there is no complaint; with `some`, if there is one.
#include "kernels/common/edge.h"
#include "kernels/common/engine.h"
#include "src/emulator/trace/trace.h"

#include "tests/unit/unit.h"

#include <cstring>
#include <string>
#include <cuda_runtime.h>

extern "C" {
#include "src/lib/filter/plan.h"
#include "src/lib/filter/registry.h"
}

static constexpr uint64_t one = (uint64_t)1 << 46;
static uint64_t weights[2 * MAX_HALO + 1]; // their sum is `one`
static int traced;                         // number of traced runs of the variant

// Makes an image of zeros on the device, with `border` more pixels on each side. If `aligned`, its
// rows begin at multiples of 16 bytes; else the whole image is shifted by `shift` samples.
static view new_view(int64_t width, int64_t height, int channels, int bytes, int64_t border,
                     bool aligned, int shift)
{
    const int64_t pixel = channels * bytes, row = (width + 2 * border) * pixel;
    const int64_t before = border * pixel;
    const int64_t left = aligned ? (before + 15) / 16 * 16 : before + shift * bytes;
    const int64_t stride = aligned ? (row + 47) / 16 * 16 : row;
    const int64_t size = stride * (height + 2 * border) + 16;
    void *memory = nullptr;

    NEED(cudaMalloc(&memory, (size_t)size) == cudaSuccess);
    NEED(cudaMemset(memory, 0, (size_t)size) == cudaSuccess);
    return {(char *)memory + border * stride + left, width, height, stride, channels, bytes};
}

struct kind {
    int64_t width, height;
    int channels, bytes; // bytes of a sample
    bool weighted;
    int64_t halo;
    int shift;    // shift of the whole image, in samples; unused if aligned
    bool aligned; // rows begin at multiples of 16 bytes
};

// Sets the weights of a box filter.
static void set_weights(int64_t halo)
{
    for (int64_t k = 0; k <= 2 * halo; k++)
        weights[k] = one / (uint64_t)(2 * halo + 1);
    weights[halo] += one % (uint64_t)(2 * halo + 1);
}

// Runs the variant on an image. Returns how many complaints the tracer has, or 0 if the variant
// refuses the image. If `one_row`, the grid has a single row of blocks, so that each block computes
// several parts of the image, one after the other. If `bare`, the image has no border of samples,
// so that kernels apply the edge rule where a window extends beyond the image.
static size_t complaints_about(const struct variant &variant, const kind &image, bool one_row,
                               bool bare)
{
    const bool turned = variant.op == OP_TRANSPOSE;
    const int64_t halo = variant.op == OP_SMOOTH ? image.halo : 0, border = bare ? 0 : halo;
    struct plan plan = {};
    struct error error;
    struct request request = {};

    request.src = {nullptr, image.width, image.height, 0, image.channels, image.bytes};
    request.maxval = image.bytes == 1 ? 255 : image.bytes == 2 ? 65535 : FLOAT_SAMPLES;
    request.weighted = image.weighted;
    request.halo = request.halo_x = request.halo_y = halo;
    request.beside = {border, border, border, border};
    // With EDGE_ZERO, kernels write rows of zeros to shared memory. This code must be traced, too.
    request.edge = EDGE_ZERO;
    request.weights_x = request.weights_y = weights;
    request.threads = 1;
    set_weights(halo);
    setenv("EMULATED_GRID", one_row ? "1" : "65535", 1);
    request.src = new_view(image.width, image.height, image.channels, image.bytes, border,
                           image.aligned, image.shift);
    request.dst = new_view(turned ? image.height : image.width, turned ? image.width : image.height,
                           image.channels, image.bytes, 0, image.aligned, image.shift);
    if (plan_make(&variant, &request, &plan, &error) != STATUS_OK) {
        printf("%s: %d channels of %d bytes, halo %d: refused: %s\n", variant.name, image.channels,
               image.bytes, (int)image.halo, error.text);
        cudaDeviceReset();
        return 0;
    }
    struct piece piece = plan_piece(&plan);

    if (plan.scratch_bytes > 0)
        NEED(cudaMalloc(&piece.scratch, plan.scratch_bytes) == cudaSuccess);
    emulated::trace_start();
    CHECK(plan_run(&plan, &piece) == NULL, "%s", variant.name);
    plan_free(&plan);
    traced++;
    CHECK(cudaDeviceSynchronize() == cudaSuccess, "%s", variant.name);
    emulated::trace_stop();
    size_t complaints = 0;

    // If rows are aligned, kernels read whole tiles from shared memory. A tile may include samples
    // beside the image, which no thread has written and no result uses. Complaints about these
    // reads are not counted.
    for (const std::string &complaint : emulated::trace_complaints())
        if (!image.aligned || complaint.find("has written") == std::string::npos) {
            printf("%s\n", complaint.c_str());
            complaints++;
        }
    cudaDeviceReset();
    return complaints;
}

// Returns true if the variant is traced on this kind of image. Only variants that smooth get the
// kind with halo 108, for which the samples of a tile are loaded in two chunks. Only transpose and
// reverse get the kind with halo 0, whose image is so large that a block transposes several tiles.
static bool serves(const struct variant &variant, const kind &image)
{
    if (image.halo == 0 || image.halo > 100)
        return (variant.op == OP_SMOOTH) == (image.halo > 0);
    return true;
}

static size_t complaints_of_one(const struct variant &variant, const kind &image)
{
    return complaints_about(variant, image, true, false) +
           (variant.op == OP_SMOOTH ? complaints_about(variant, image, true, true) : 0);
}

// Traces the engine (implementation) that the variant chooses, and then each engine of the variant.
static size_t complaints_of_all(const struct variant &variant, const kind &image)
{
    size_t complaints = complaints_about(variant, image, false, false);

    for (int i = 0; i < variant.count; i++)
        complaints += complaints_of_one(variant_of_engine(&variant, &variant.engines[i]), image);
    return complaints;
}

int main(int argc, char **argv)
{
    NEED(argc == 3);
    const bool none = strcmp(argv[1], "none") == 0;
    const struct variant *const *row = registry;
    size_t complaints = 0;

    while (*row && std::string(op_words[(*row)->op]) + "_" + (*row)->name != argv[2])
        row++;
    NEED(*row != NULL && (*row)->count > 0);
    for (const int bytes : {1, 2, 4})
        for (const kind &image :
             std::initializer_list<kind>{{161, 37, 1, bytes, false, 4, 0, false},
                                         {161, 37, 3, bytes, false, 4, 0, false},
                                         {161, 37, 4, bytes, false, 4, 0, false},
                                         {161, 37, 4, bytes, true, 4, 0, false},
                                         {161, 38, 2, bytes, true, 5, 1, false},
                                         {161, 39, 4, bytes, true, 4, 0, false},
                                         {161, 9, 4, bytes, true, 12, 0, false},
                                         {150, 10, 4, bytes, true, 12, 0, true},
                                         {33, 9, 1, bytes, false, 33, 0, false},
                                         {3, 9, 1, bytes, false, 108, 0, false},
                                         {140, 300, 1, bytes, false, 0, 0, true},
                                         {600, 37, 1, bytes, false, 2, 0, true},
                                         {300, 70, 1, bytes, false, 4, 0, true},
                                         {300, 37, 1, bytes, false, 14, 0, true}})
            if (serves(**row, image))
                complaints += complaints_of_all(**row, image);
    CHECK(none == (complaints == 0), "%s: %zu complaints", argv[2], complaints);
    CHECK(traced > 0, "%s: it refuses every image", argv[2]);
    return unit_result();
}
