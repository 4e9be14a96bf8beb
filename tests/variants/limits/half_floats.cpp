// SPDX-License-Identifier: MIT
// Every shape of fused_fp16 (fused/fp16/) on the emulated device, against the reference: for each
// number of channels all halos that change the shape. A shape has to pass its trial, and then to
// compute the image, with all that the filter reaches beside it, without, and one so dense that
// products of bytes do it again: it is launched four times.
//
//     half_floats [HEIGHT]     with 353 rows, thread blocks use each of their buffers again
#include "src/emulator/emulated.h"

#include "tests/unit/unit.h"

#include <cstring>
#include <cuda_runtime.h>
#include <set>

extern "C" {
#include "src/lib/filter/gauss.h"
#include "src/lib/filter/registry.h"
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
std::set<const void *> kernels; // shapes that were launched

// Half of the image is black and white, the rest noise; dense: it is a chequer, whose results lie
// near halves.
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

// There is room for the border.
view view_in(char *memory, int channels)
{
    const int64_t stride = (WIDTH + 2 * 16) * 4 + 64;

    return {memory + 16 * (stride / 16 * 16) + 64, WIDTH, height, stride / 16 * 16, channels, 1};
}

constexpr size_t BYTES = ((WIDTH + 2 * 16) * 4 + 64) * (MOST_HEIGHT + 2 * 16) + 128;
alignas(16) char src[BYTES], wanted[BYTES], got[BYTES];

// How often a shape was launched since the last call.
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

void smooth_on_device(job job, const variant &fp16)
{
    void *in, *out, *scratch;

    NEED(cudaMalloc(&in, BYTES) == cudaSuccess && cudaMalloc(&out, BYTES) == cudaSuccess);
    NEED(cudaMemcpy(in, src, BYTES, cudaMemcpyHostToDevice) == cudaSuccess);
    NEED(cudaMemset(out, 0, BYTES) == cudaSuccess);
    job.src.origin = (char *)in + ((char *)job.src.origin - src);
    job.dst.origin = (char *)out + ((char *)job.dst.origin - wanted);
    NEED(cudaMalloc(&scratch, fp16.scratch_bytes(&job)) == cudaSuccess);
    job.scratch = scratch;
    const char *failure = fp16.run(&job);
    CHECK(failure == nullptr, "%s", failure);
    NEED(cudaMemcpy(got, out, BYTES, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (void *memory : {in, out, scratch})
        cudaFree(memory);
}

void check_image(const job &job, const variant &fp16, bool dense)
{
    const size_t before = kernels.size();

    memset(src, 0, BYTES);
    memset(wanted, 0, BYTES);
    paint(job.src, job.halo, (uint64_t)(job.halo * 8 + job.src.channels), dense);
    CHECK(registry_reference(OP_SMOOTH)->run(&job) == nullptr, "the reference");
    smooth_on_device(job, fp16);
    const int launches = count_launches();
    const int first = kernels.size() > before ? 1 : 0; // of this shape: its trial

    CHECK(launches == 1 + first, "halo %d, %d channels: %d launches", (int)job.halo,
          job.src.channels, launches);
    CHECK(memcmp(wanted, got, BYTES) == 0, "halo %d, %d channels, %d left of it%s: wrong",
          (int)job.halo, job.src.channels, (int)job.beside.left, dense ? ", dense" : "");
}

void check(const row &row, int64_t halo, const variant &fp16)
{
    const filter_axis axis = {halo, 0};
    const struct filter filter = {axis,           axis,          NORM_SUM, EDGE_MIRROR,
                                  ALPHA_SEPARATE, NAN_PROPAGATE, {0, 0}};
    static filter_weights weights;
    struct error error;
    job job = {};

    NEED(filter_weights_make(&filter, &weights, &error) == STATUS_OK);
    job.src = view_in(src, row.channels);
    job.dst = view_in(wanted, row.channels);
    job.maxval = 255;
    job.threads = 1;
    job_set_filter(&job, &weights);
    check_image(job, fp16, false);
    job.edge = EDGE_MIRROR;
    job.beside = {};
    check_image(job, fp16, false);
    check_image(job, fp16, true);
}

} // namespace

int main(int argc, char **argv)
{
    height = argc > 1 ? atoi(argv[1]) : 41;
    NEED(height <= MOST_HEIGHT);
    const struct variant *fp16 = registry_variant(OP_SMOOTH, "fused:fp16");

    NEED(fp16 != nullptr);
    emulated::take_launches();
    for (const row &row : rows)
        for (const int64_t halo : row.halos)
            check(row, halo, *fp16);
    CHECK(kernels.size() == SHAPES, "%zu shapes", kernels.size());
    return unit_result();
}
