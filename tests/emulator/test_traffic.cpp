// SPDX-License-Identifier: MIT
// The memory traffic of the variants, exactly.
//
// Smoothing 1280 x 1280 samples with halo 4 and blocks of 12 x 12 threads is the example of a
// course on GPU memory. Its profiler, of a Fermi GPU (lines of 128 bytes for loads, segments of 32
// for stores), printed the transactions below. With the row pitch of lib/gpu/cuda_memory.c, the
// sectors equal those that Nsight Compute counted on an H200.
#include "src/emulator/trace/trace.h"
#include "kernels/common/engine.h"

#include "tests/unit/unit.h"

#include <cinttypes>
#include <cuda_runtime.h>

extern "C" {
#include "src/lib/filter/plan.h"
}

extern "C" const struct variant variant_smooth_naive, variant_smooth_coalesced,
    variant_transpose_naive, variant_transpose_coalesced, variant_transpose_shared;

static constexpr int64_t SIZE = 1280, HALO = 4;

// A plane of SIZE x SIZE pixels, the first of which is `offset` bytes into an allocation of `rows`
// rows.
static view new_plane(int64_t stride, int64_t rows, int64_t offset, int32_t channels = 1)
{
    void *memory = nullptr;

    NEED(cudaMalloc(&memory, stride * rows) == cudaSuccess);
    NEED(cudaMemset(memory, 7, stride * rows) == cudaSuccess);
    NEED((uintptr_t)memory % 256 == 0);
    return {(char *)memory + offset, SIZE, SIZE, stride, channels, 1};
}

static emulated::counts counted(const struct variant &variant, const struct request &request)
{
    struct plan plan = {};
    struct error error;

    NEED(plan_make(&variant, &request, &plan, &error) == STATUS_OK);
    const struct piece piece = plan_piece(&plan);

    emulated::trace_start();
    CHECK(plan_run(&plan, &piece) == NULL, "%s", variant.name);
    CHECK(cudaDeviceSynchronize() == cudaSuccess, "%s", variant.name);
    const emulated::counts counts = emulated::trace_stop();

    CHECK(emulated::trace_complaints().empty(), "%s", emulated::trace_complaints()[0].c_str());

    return counts;
}

static const uint64_t weights[2 * HALO + 1] = {0, 0, 0, 0, (uint64_t)1 << 46, 0, 0, 0, 0};

static emulated::counts smoothing(const struct variant &variant, const view &src, const view &dst)
{
    struct request request = {};

    request.src = src;
    request.dst = dst;
    request.maxval = 255;
    request.halo = request.halo_x = request.halo_y = HALO;
    request.beside = {HALO, HALO, HALO, HALO};
    request.weights_x = request.weights_y = weights;
    request.block = 12;
    const emulated::counts counts = counted(variant, request);

    printf("smooth %s, stride %" PRId64 ": loads %" PRIu64 " / %" PRIu64 " (%" PRIu64
           " sectors), stores %" PRIu64 " / %" PRIu64 "\n",
           variant.name, src.stride_bytes, counts.loads.transactions, counts.loads.requests,
           counts.loads.sectors, counts.stores.transactions, counts.stores.requests);
    CHECK(counts.loads.requests == 4619511, "%s", variant.name);
    CHECK(counts.stores.requests == 57031, "%s", variant.name);
    CHECK(counts.shared_loads.requests + counts.shared_stores.requests == 0, "%s", variant.name);
    return counts;
}

// Both planes with their borders, at the start of their memory, without padding.
static void check_course(const struct variant &variant, uint64_t loads, uint64_t stores)
{
    const int64_t stride = SIZE + 2 * HALO, offset = HALO * stride + HALO;
    const view src = new_plane(stride, stride, offset), dst = new_plane(stride, stride, offset);
    const emulated::counts counts = smoothing(variant, src, dst);

    CHECK(counts.loads.transactions == loads, "%s", variant.name);
    CHECK(counts.stores.transactions == stores, "%s", variant.name);
}

// As in the program: the first pixel of each row is aligned to 256 bytes.
static void check_h200(const struct variant &variant, uint64_t load_sectors, uint64_t store_sectors)
{
    const int64_t stride = 256 + 1536, offset = HALO * stride + 256;
    const view src = new_plane(stride, SIZE + 2 * HALO, offset), dst = new_plane(SIZE, SIZE, 0);
    const emulated::counts counts = smoothing(variant, src, dst);

    CHECK(counts.loads.sectors == load_sectors, "%s", variant.name);
    CHECK(counts.stores.sectors == store_sectors, "%s", variant.name);
}

// Pixels of 1 byte or of 4, in blocks of 32 x 32 threads.
static void check_transpose(const struct variant &variant, int32_t pixel_bytes,
                            unsigned worst_degree, uint64_t store_sectors_per_request)
{
    const int64_t stride = SIZE * pixel_bytes;
    struct request request = {};

    request.src = new_plane(stride, SIZE, 0, pixel_bytes);
    request.dst = new_plane(stride, SIZE, 0, pixel_bytes);
    request.maxval = 255;
    request.block = 32;
    const emulated::counts counts = counted(variant, request);

    printf("transpose %s, %d bytes a pixel: shared loads %u-way, %.1f sectors a store\n",
           variant.name, pixel_bytes, counts.shared_loads.worst_degree,
           (double)counts.stores.sectors / (double)counts.stores.requests);
    CHECK(counts.shared_loads.worst_degree == worst_degree, "%s", variant.name);
    CHECK(counts.stores.sectors == store_sectors_per_request * counts.stores.requests, "%s",
          variant.name);
}

int main()
{
    check_course(variant_smooth_coalesced, 58968536, 201067);
    check_course(variant_smooth_naive, 223349760, 699520);
    check_h200(variant_smooth_coalesced, 17422101, 200107);
    check_h200(variant_smooth_naive, 57576960, 698880);
    check_transpose(variant_transpose_naive, 1, 0, 32);
    check_transpose(variant_transpose_naive, 4, 0, 32);
    check_transpose(variant_transpose_coalesced, 1, 8, 1);
    check_transpose(variant_transpose_coalesced, 4, 32, 4);
    check_transpose(variant_transpose_shared, 1, 1, 1);
    check_transpose(variant_transpose_shared, 4, 1, 4);
    return unit_result();
}
