// SPDX-License-Identifier: MIT
// The seeds' profile, to the last digit: what the naive and the coalesced smoothing of 1280 x 1280
// samples with halo 4 and blocks of 12 x 12 threads ask of global memory, in lines of 128 bytes for
// loads and segments of 32 for stores.
#include "trace.h"
#include "variant.h"

#include "../../unit.h"

#include <cinttypes>
#include <cuda_runtime.h>

extern "C" const struct variant variant_smooth_naive, variant_smooth_coalesced;

static constexpr int64_t SIZE = 1280, HALO = 4, PITCH = SIZE + 2 * HALO;

// A plane with its border, at the start of an allocation.
static view new_plane()
{
    void *memory = nullptr;

    NEED(cudaMalloc(&memory, PITCH * PITCH) == cudaSuccess);
    NEED(cudaMemset(memory, 7, PITCH * PITCH) == cudaSuccess);
    NEED((uintptr_t)memory % 128 == 0);
    return {(char *)memory + HALO * PITCH + HALO, SIZE, SIZE, PITCH, 1, 1};
}

static void check_counts(const struct variant &variant, uint64_t load_transactions,
                         uint64_t store_transactions)
{
    const uint64_t weights[2 * HALO + 1] = {0, 0, 0, 0, (uint64_t)1 << 46, 0, 0, 0, 0};
    struct job job = {new_plane(), new_plane(), 255, HALO, weights, nullptr, 1, 12, nullptr};

    emulated::trace_start(emulated::FERMI);
    CHECK(variant.run(&job) == NULL, "%s", variant.name);
    CHECK(cudaDeviceSynchronize() == cudaSuccess, "%s", variant.name);
    const emulated::counts counts = emulated::trace_stop();

    printf("%s: loads %" PRIu64 " / %" PRIu64 " (%" PRIu64 " sectors), stores %" PRIu64
           " / %" PRIu64 "\n",
           variant.name, counts.loads.transactions, counts.loads.requests, counts.loads.sectors,
           counts.stores.transactions, counts.stores.requests);
    CHECK(counts.loads.requests == 4619511, "%s", variant.name);
    CHECK(counts.loads.transactions == load_transactions, "%s", variant.name);
    CHECK(counts.stores.requests == 57031, "%s", variant.name);
    CHECK(counts.stores.transactions == store_transactions, "%s", variant.name);
    CHECK(counts.shared_loads.requests + counts.shared_stores.requests == 0, "%s", variant.name);
    CHECK(emulated::trace_complaints().empty(), "%s", emulated::trace_complaints()[0].c_str());
}

int main()
{
    check_counts(variant_smooth_coalesced, 58968536, 201067);
    check_counts(variant_smooth_naive, 223349760, 699520);
    return unit_result();
}
