// SPDX-License-Identifier: MIT
// Compares each kernel ("shape") of fused:fp16 on the emulated device with the reference. Channels
// and halo decide which kernel computes. The test launches each kernel four times: for the trial
// that the kernel must pass before its first use; for an image with samples beside it; for one
// without them; and for one with so many results near halves that products of bytes compute it
// again.
//
//     half_floats [HEIGHT]     with 353 rows, thread blocks reuse each of their buffers
#include "src/emulator/emulated.h"

#include "tests/unit/unit.h"

#include <cstring>
#include <cuda_runtime.h>
#include <set>

extern "C" {
#include "src/bench/run/plane.h"
#include "src/lib/filter/registry.h"
#include "src/bench/run/run.h"
#include "tests/bounds/trial.h"
}

namespace
{

constexpr int64_t WIDTH = 71, MOST_HEIGHT = 353;
constexpr int SHAPES = 17;

struct row {
    int channels;
    std::initializer_list<int64_t> halos;
};

const row rows[] = {
    {1, {2, 4, 5, 8, 12, 16}},
    {2, {2, 4, 5, 8, 9, 12, 13, 16}},
    {3, {2, 4, 5, 6, 7, 8, 9, 12, 16}},
    {4, {4, 5, 6, 8, 10, 12, 14, 16}},
};

int64_t height;
std::set<const void *> kernels; // the kernels that were launched so far

// Paints the upper half black and white at random, the rest with noise. If `dense`, paints a
// chequer of black and white pixels instead: nearly every result is close to 127.5, and has to be
// recomputed exactly.
void paint(const view &src, int64_t border, uint64_t seed, bool dense)
{
    for (int64_t y = -border; y < src.height + border; y++)
        for (int64_t x = -border * src.channels; x < (src.width + border) * src.channels; x++) {
            const uint64_t bits = trial_hash(seed << 32 ^ (uint64_t)(y * 100003 + x));
            uint8_t *sample = (uint8_t *)src.origin + y * src.stride_bytes + x;

            *sample =
                dense ? (uint8_t)(((x + border * src.channels) / src.channels + y) & 1 ? 255 : 0)
                : y < src.height / 2 ? (uint8_t)(bits & 1 ? 255 : 0)
                                     : (uint8_t)bits;
        }
}

// Returns a view of an image in `memory`, with space for the samples beside it.
view view_in(char *memory, int channels)
{
    const int64_t stride = (WIDTH + 2 * 16) * 4 + 64;

    return {memory + 16 * (stride / 16 * 16) + 64, WIDTH, height, stride / 16 * 16, channels, 1};
}

constexpr size_t BYTES = ((WIDTH + 2 * 16) * 4 + 64) * (MOST_HEIGHT + 2 * 16) + 128;
alignas(16) char src[BYTES], wanted[BYTES], got[BYTES];

// Returns how often kernels of fused:fp16 were launched since the last call.
int count_launches()
{
    int count = 0;

    for (const emulated::launched &launch : emulated::take_launches())
        if (launch.name.find("fused_fp16") != std::string::npos) {
            kernels.insert(launch.kernel);
            count++;
        }
    return count;
}

void smooth_on_device(request request, const variant &fp16)
{
    void *in, *out, *scratch;

    NEED(cudaMalloc(&in, BYTES) == cudaSuccess && cudaMalloc(&out, BYTES) == cudaSuccess);
    NEED(cudaMemcpy(in, src, BYTES, cudaMemcpyHostToDevice) == cudaSuccess);
    NEED(cudaMemset(out, 0, BYTES) == cudaSuccess);
    request.src.origin = (char *)in + ((char *)request.src.origin - src);
    request.dst.origin = (char *)out + ((char *)request.dst.origin - wanted);
    struct plan plan = {};
    struct error error;

    NEED(plan_make(&fp16, &request, &plan, &error) == STATUS_OK);
    NEED(cudaMalloc(&scratch, plan.scratch_bytes) == cudaSuccess);
    struct piece piece = plan_piece(&plan);

    piece.scratch = scratch;
    const char *failure = plan_run(&plan, &piece);
    plan_free(&plan);
    CHECK(failure == nullptr, "%s", failure);
    NEED(cudaMemcpy(got, out, BYTES, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (void *memory : {in, out, scratch})
        cudaFree(memory);
}

void check_image(const request &request, const variant &fp16, bool dense)
{
    const size_t before = kernels.size();

    memset(src, 0, BYTES);
    memset(wanted, 0, BYTES);
    paint(request.src, request.halo, (uint64_t)(request.halo * 8 + request.src.channels), dense);
    struct error error;

    NEED(run_request(registry_named(OP_SMOOTH, "reference")->variant, &request, nullptr, &error) ==
         STATUS_OK);
    smooth_on_device(request, fp16);
    const int launches = count_launches();
    // before its first use, a kernel is tried once on a small image
    const int first = kernels.size() > before ? 1 : 0;

    CHECK(launches == 1 + first, "halo %d, %d channels: %d launches", (int)request.halo,
          request.src.channels, launches);
    CHECK(memcmp(wanted, got, BYTES) == 0, "halo %d, %d channels, %d left of it%s: wrong",
          (int)request.halo, request.src.channels, (int)request.beside.left,
          dense ? ", dense" : "");
}

void check(const row &row, int64_t halo, const variant &fp16)
{
    const filter_axis axis = {halo, 0};
    const struct filter filter = {axis, axis, NORM_SUM, EDGE_MIRROR};
    static plane_filter weights;
    struct error error;
    request request = {};

    NEED(plane_filter_make(&filter, &weights, &error) == STATUS_OK);
    request.src = view_in(src, row.channels);
    request.dst = view_in(wanted, row.channels);
    request.maxval = 255;
    request.threads = 1;
    request_set_filter(&request, &weights);
    request.beside = request_reach(&request);
    check_image(request, fp16, false);
    request.edge = EDGE_MIRROR;
    request.beside = {};
    check_image(request, fp16, false);
    check_image(request, fp16, true);
}

} // namespace

int main(int argc, char **argv)
{
    height = argc > 1 ? atoi(argv[1]) : 41;
    NEED(height <= MOST_HEIGHT);
    struct variant fp16;

    NEED(registry_variant(OP_SMOOTH, "fused:fp16", &fp16));
    emulated::take_launches();
    for (const row &row : rows)
        for (const int64_t halo : row.halos)
            check(row, halo, fp16);
    CHECK(kernels.size() == SHAPES, "%zu shapes", kernels.size());
    return unit_result();
}
