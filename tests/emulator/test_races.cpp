// SPDX-License-Identifier: MIT
// Tests the tracer (src/emulator/trace/trace.h), which records a kernel's accesses to memory. The
// tracer must report the race of each wrong kernel, and no race of a right kernel. Results alone do
// not show every race: some racing kernels give the same results in every order of their threads.
#include "src/emulator/emulated.h"
#include "src/emulator/trace/trace.h"
#include "tests/emulator/kernels/wrong_kernels.cuh"

#include "tests/unit/unit.h"

using emulated::order;

// The results of a kernel of 64 threads, and the tracer's first complaint about it.
struct outcome {
    int values[64];
    std::string complaint;

    bool operator==(const outcome &other) const
    {
        return std::equal(values, values + 64, other.values);
    }
};

static outcome run(const char *name, void (*kernel)(int *), order order, unsigned blocks = 1)
{
    outcome outcome = {};
    int *memory;

    NEED(cudaMalloc(&memory, sizeof outcome.values) == cudaSuccess);
    emulated::set_order(order);
    emulated::trace_start(emulated::races::of_all_memory);
    emulated::launch(name, false, kernel, blocks, 64, 0, nullptr, memory);
    NEED(cudaMemcpy(outcome.values, memory, sizeof outcome.values, cudaMemcpyDeviceToHost) ==
         cudaSuccess);
    emulated::trace_stop();
    if (!emulated::trace_complaints().empty())
        outcome.complaint = emulated::trace_complaints()[0];
    cudaFree(memory);
    return outcome;
}

// Runs a kernel in three orders of its threads. In each order the tracer's first complaint must
// contain `words`; if `words` is "", it must not complain. The results must differ between orders
// if results_differ, else be equal.
static void check(const char *name, void (*kernel)(int *), bool results_differ, const char *words)
{
    const outcome results[] = {run(name, kernel, order::forward), run(name, kernel, order::reverse),
                               run(name, kernel, order::random)};

    for (const outcome &outcome : results)
        CHECK(*words == '\0' ? outcome.complaint.empty()
                             : outcome.complaint.find(words) != std::string::npos,
              "%s: \"%s\" instead of \"%s\"", name, outcome.complaint.c_str(), words);
    CHECK((results[0] == results[1] && results[0] == results[2]) == !results_differ,
          "%s: results %s", name, results_differ ? "are equal" : "differ");
}

// Tests several random orders of 8 blocks of 64 threads. In some orders the block that runs last
// must be neither the first nor the last block; in some, the thread that runs last must be neither
// the first nor the last of its block.
static void check_orders()
{
    const auto last = [](order order) {
        return run("last one", last_one_wins, order, 8).values[0];
    };
    bool is_random[2] = {};

    CHECK(last(order::forward) == 8 * 64 - 1 && last(order::reverse) == 0, "the last thread");
    CHECK(last(order::mixed) == 8 * 64 - 1 && last(order::mixed) == 0, "mixed orders");
    for (int i = 0; i < 20; i++) {
        const int found = last(order::random);

        is_random[0] = is_random[0] || (found / 64 > 0 && found / 64 < 7);
        is_random[1] = is_random[1] || (found % 64 > 0 && found % 64 < 63);
    }
    CHECK(is_random[0] && is_random[1], "blocks %d, threads %d", is_random[0], is_random[1]);
}

// The second block reads shared memory that only the first one has written.
static void check_blocks()
{
    const outcome found = run("first block", first_block_writes, order::forward, 2);

    CHECK(found.complaint.find("block (1,0,0)") != std::string::npos, "%s",
          found.complaint.c_str());
}

// Of the operations of a warp, only __syncwarp orders accesses to memory. The CUDA guide says that
// votes and shuffles "do not guarantee any memory ordering", and PTX promises no ordering by
// products of matrices.
template <void (*ORDER)()> static void check_warps(const char *name, const char *words)
{
    check(name, rotate_within_warps<ORDER>, false, words);
    check(name, rotate_in_global_memory<ORDER>, false, words);
}

static void check_lanes()
{
    const char race[] = "with no barrier between";

    check_warps<warp_barrier>("a barrier of the warp", "");
    check_warps<shuffle>("a shuffle", race);
    check_warps<vote>("a vote", race);
    check_warps<product>("a product", race);
    check("a barrier of half the warp", rotate_within_warps<barrier_of_halves>, false, race);
    check("a barrier of half the warp", rotate_in_global_memory<barrier_of_halves>, false, "");
    check("a barrier of pairs", rotate_in_global_memory<barrier_of_pairs>, false, "");
    check("half a warp has ended", half_a_warp_ends, false, race);
}

int main()
{
    const outcome right = run("rotate", rotate<3>, order::forward);

    for (int i = 0; i < 64; i++)
        CHECK(right.values[i] == (i + 3) % 64, "%d: %d", i, right.values[i]);
    check("rotate", rotate<3>, false, "");
    check("hand over", hand_over<hand_over_fault::none>, false, "");
    check("hand over without a wait", hand_over<hand_over_fault::no_wait>, true,
          "wrong_kernels.cuh");
    check("hand over too early", hand_over<hand_over_fault::writes_late>, false,
          "written by thread");
    check("count atomically", counts_atomically, false, "");
    check_lanes();
    check("copies", copies_for_neighbour<copy_fault::none>, false, "");
    check("copies, barrier before the wait", copies_for_neighbour<copy_fault::barrier_before_wait>,
          true, "with no barrier between");

    check("rotate without the first barrier", rotate<2>, true, "wrong_kernels.cuh:");
    check("rotate without the second barrier", rotate<1>, true, "with no barrier between");
    check("rotate with a barrier of the warp only", rotate<6>, false, "with no barrier between");
    check("two write one", two_write_one, false, "writes what is written by");
    check("reads unwritten memory", reads_unwritten, false, "no thread of its block has written");
    check("reads while another writes", reads_while_another_writes, true,
          "with no barrier between");
    check("writes misaligned", writes_misaligned, false, "an address that is not aligned");
    check_orders();
    check_blocks();
    return unit_result();
}
