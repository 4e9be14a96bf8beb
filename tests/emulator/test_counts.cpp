// SPDX-License-Identifier: MIT
// Compares the emulated device's counts of memory traffic with numbers that were computed by hand.
// A line has 128 bytes. A sector has 32, and so has a segment of a store. A load counts 4
// transactions for each line; a store counts 1 for each segment.
#include "tests/emulator/kernels/bulk_kernels.cuh"
#include "tests/emulator/kernels/micro_kernels.cuh"
#include "src/emulator/trace/trace.h"

#include "tests/unit/unit.h"

extern "C" {
#include "kernels/memory/experiments.h"
}

#include <cinttypes>

struct expected {
    uint64_t load_requests, load_lines, load_sectors, store_requests, store_segments;
};

static void *in, *out; // 64 KiB each

template <typename T>
static emulated::counts count(const char *name, void (*kernel)(T *, std::remove_const_t<T> *),
                              dim3 block)
{
    emulated::trace_start();
    emulated::launch(name, false, kernel, 1, block, 0, nullptr, (T *)in,
                     (std::remove_const_t<T> *)out);
    CHECK(cudaDeviceSynchronize() == cudaSuccess, "%s", name);
    const emulated::counts counts = emulated::trace_stop();

    for (const std::string &complaint : emulated::trace_complaints())
        CHECK(false, "%s", complaint.c_str());
    return counts;
}

#define CHECK_GLOBAL(KERNEL, ...) check_global(#KERNEL, count(#KERNEL, KERNEL, 32), {__VA_ARGS__})

static void check_global(const char *name, const emulated::counts &counts, const expected &expected)
{
    const struct {
        const char *what;
        uint64_t found, right;
    } rows[] = {
        {"load requests", counts.loads.requests, expected.load_requests},
        {"lines loaded", counts.loads.transactions, 4 * expected.load_lines},
        {"sectors loaded", counts.loads.sectors, expected.load_sectors},
        {"store requests", counts.stores.requests, expected.store_requests},
        {"segments stored", counts.stores.transactions, expected.store_segments},
    };

    for (const auto &row : rows)
        CHECK(row.found == row.right, "%s, %s: %" PRIu64 " instead of %" PRIu64, name, row.what,
              row.found, row.right);
}

// turn_tile stores a tile row by row, and loads it column by column. A row has PITCH elements of
// type T. Of the loads, the slowest must take DEGREE passes over the banks (worst_degree in
// trace.h), and all together must have CONFLICTS bank conflicts.
#define CHECK_TILE(T, PITCH, DEGREE, CONFLICTS)                                                    \
    check_tile(#T " [32][" #PITCH "]",                                                             \
               count("turn_tile<" #T ", " #PITCH ">", turn_tile<T, PITCH>, dim3(32, 32)), DEGREE,  \
               CONFLICTS)

static void check_tile(const char *name, const emulated::counts &counts, unsigned degree,
                       uint64_t conflicts)
{
    CHECK(counts.shared_loads.requests == 32 && counts.shared_stores.requests == 32, "%s", name);
    CHECK(counts.shared_stores.worst_degree == 1, "%s, along the rows: %u", name,
          counts.shared_stores.worst_degree);
    CHECK(counts.shared_loads.worst_degree == degree, "%s: %u ways instead of %u", name,
          counts.shared_loads.worst_degree, degree);
    CHECK(counts.shared_loads.conflicts == conflicts,
          "%s: %" PRIu64 " conflicts instead of %" PRIu64, name, counts.shared_loads.conflicts,
          conflicts);
}

// A bulk copy of a row counts as one load access, with all bytes of the row.
static void check_bulk_copy()
{
    emulated::trace_start();
    emulated::launch("copy_row", false, copy_row, 1, 32, 0, nullptr, (const uint8_t *)in,
                     (uint8_t *)out, 304, true);
    CHECK(cudaDeviceSynchronize() == cudaSuccess, "copy_row");
    const emulated::counts counts = emulated::trace_stop();

    CHECK(counts.loads.requests == 1 && counts.loads.sectors == 10 && counts.loads.bytes == 304,
          "%" PRIu64 " loads of %" PRIu64 " bytes", counts.loads.requests, counts.loads.bytes);
    CHECK(counts.stores.bytes == 304, "stores of %" PRIu64 " bytes", counts.stores.bytes);
}

// Each asynchronous copy of a warp counts as one load request and one store to shared memory.
static void check_asynchronous_copy(const char *name, void (*kernel)(const uint4 *, uint4 *),
                                    uint64_t copies, uint64_t bytes)
{
    const emulated::counts counts = count(name, kernel, 32);

    CHECK(counts.loads.requests == copies && counts.loads.bytes == bytes &&
              counts.loads.sectors == bytes / 32,
          "%s: %" PRIu64 " loads, %" PRIu64 " bytes, %" PRIu64 " sectors", name,
          counts.loads.requests, counts.loads.bytes, counts.loads.sectors);
    CHECK(counts.shared_stores.requests == copies && counts.shared_stores.conflicts == 0,
          "%s: %" PRIu64 " stores to shared memory", name, counts.shared_stores.requests);
}

static array array_of(const array_spec &want, double &bytes)
{
    const size_t size = (size_t)want.count * element_bytes(want.type);
    void *memory = nullptr;

    NEED(size == 0 || cudaMalloc(&memory, size) == cudaSuccess);
    bytes += (double)size;
    return {memory, want.count, want.type};
}

// Checks an experiment's `work`, its own counts of bytes, at a size that is a multiple of its
// blocks. useful_bytes must be all bytes of the inputs and the result, or, for groups in uses_part,
// at most these. asked_bytes must be the bytes that the kernel loads and stores, as the tracer
// (trace.h) counts them. For an experiment without a kernel on the GPU, asked_bytes must be the
// bytes of the inputs and the result.
static void check_work(const struct experiment &experiment)
{
    const std::string group = experiment.group;
    const bool uses_part = group == "strided-add" || group == "smoothing" || group == "peaks";
    experiment_job job = {};
    array_specs shape = {};
    experiment_work work = {};
    double bytes = 0, scratch_bytes = 0;

    job.row = &experiment;
    job.size = {96, 64, 4, 32};
    experiment.work(&experiment, &job.size, &work);
    experiment.shape(&experiment, &job.size, &shape);
    for (int i = 0; i < MAX_INPUTS; i++)
        job.in[i] = array_of(shape.in[i], bytes);
    job.out = array_of(shape.out, bytes);
    job.scratch = array_of(shape.scratch, scratch_bytes);
    CHECK(uses_part ? work.useful_bytes <= bytes : work.useful_bytes == bytes,
          "%s, %s: %.0f of %.0f bytes", experiment.group, experiment.row, work.useful_bytes, bytes);
    if (experiment.place == ON_GPU && experiment.geometry != nullptr) {
        emulated::trace_start();
        NEED(experiment.run(&job) == nullptr && cudaDeviceSynchronize() == cudaSuccess);
        const emulated::counts counts = emulated::trace_stop();

        bytes = (double)(counts.loads.bytes + counts.stores.bytes);
    }
    CHECK(work.asked_bytes == bytes, "%s, %s: asks for %.0f bytes instead of %.0f",
          experiment.group, experiment.row, bytes, work.asked_bytes);
}

int main()
{
    NEED(cudaMalloc(&in, 64 << 10) == cudaSuccess && cudaMalloc(&out, 64 << 10) == cudaSuccess);
    cudaMemset(in, 0, 64 << 10);

    CHECK_GLOBAL(copy_words, 1, 1, 4, 1, 4);
    CHECK_GLOBAL(copy_shifted_words, 1, 2, 5, 1, 5);
    CHECK_GLOBAL(copy_lines_apart, 1, 32, 32, 1, 32);
    CHECK_GLOBAL(copy_bytes, 1, 1, 1, 1, 1);
    CHECK_GLOBAL(copy_quads, 1, 4, 16, 1, 16);
    CHECK_GLOBAL(copy_through_shared, 1, 4, 16, 1, 16);
    CHECK_GLOBAL(add_one, 1, 1, 4, 1, 4);
    CHECK_GLOBAL(stage_rows, 20, 20, 50, 1, 4);
    CHECK_GLOBAL(uneven_turns, 4, 4, 16, 1, 4);
    CHECK_GLOBAL(both_ways, 2, 2, 5, 1, 4);

    // Bytes that the lanes request: 32 words of 4 bytes; 32 units of 16 bytes; and 80 words, since
    // lane i loads i % 4 + 1 of them.
    CHECK(count("copy_words", copy_words, 32).loads.bytes == 128, "bytes of copy_words");
    CHECK(count("copy_quads", copy_quads, 32).stores.bytes == 512, "bytes of copy_quads");
    CHECK(count("uneven_turns", uneven_turns, 32).loads.bytes == 320, "bytes of uneven_turns");

    const emulated::counts staged = count("stage_rows", stage_rows, 32);

    CHECK(staged.shared_stores.requests == 20 && staged.shared_stores.conflicts == 0,
          "%" PRIu64 " requests, %" PRIu64 " conflicts", staged.shared_stores.requests,
          staged.shared_stores.conflicts);

    CHECK_TILE(float, 32, 32, 32 * 31);
    CHECK_TILE(float, 33, 1, 0);
    CHECK_TILE(unsigned char, 32, 8, 32 * 7);
    CHECK_TILE(unsigned char, 33, 2, 24);
    CHECK_TILE(unsigned char, 36, 1, 0);
    CHECK_TILE(uint64_t, 32, 16, 32 * 2 * 15);
    CHECK_TILE(uint64_t, 33, 1, 0);

    check_bulk_copy();
    check_asynchronous_copy("copy_through_shared", copy_through_shared, 1, 512);
    check_asynchronous_copy("copy_half_rows", copy_half_rows, 2, 2 * 256);
    for (int i = 0; experiment_at(i) != nullptr; i++)
        check_work(*experiment_at(i));
    return unit_result();
}
