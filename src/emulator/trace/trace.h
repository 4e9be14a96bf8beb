// SPDX-License-Identifier: MIT
// Counts a kernel's memory transactions and bank conflicts, and finds races for shared memory
// within a block. For kernels compiled with the hooks of hooks.cpp: see meson.build.
//
// The lanes of a warp that execute the same instruction together make one request. Its cost follows
// a model of the hardware without caches. The accesses are those of the source; nvcc may merge
// some.
#ifndef SMOOTHIMG_EMULATED_TRACE_H
#define SMOOTHIMG_EMULATED_TRACE_H

#include <cstdint>
#include <string>
#include <vector>

namespace emulated
{

// The transactions of a global load: transactions_per_line for every line that the request touches.
// line_bytes is a multiple of 32.
struct load_model {
    unsigned line_bytes, transactions_per_line;
};
constexpr load_model FERMI = {128,
                              4}; // a line of the L1 cache is four transactions of 32 bytes with L2
constexpr load_model SECTORS = {32, 1};

struct global_counts {
    uint64_t requests;
    uint64_t bytes;        // that the lanes asked for, each counted
    uint64_t transactions; // loads: by the model; stores: segments of 32 bytes
    uint64_t sectors;      // of 32 bytes, as current profilers count
};

struct shared_counts {
    uint64_t requests;
    uint64_t conflicts;    // passes beyond the unavoidable ones
    unsigned worst_degree; // passes of the worst request: 1 without conflicts, 0 without requests
};

struct counts {
    global_counts loads, stores;
    shared_counts shared_loads, shared_stores;
};

// Starts counting. trace_stop returns the sums over all launches since.
void trace_start(load_model model = FERMI);
counts trace_stop();

// Since trace_start: races for shared memory, reads of unwritten shared memory, and misaligned
// accesses; one sentence for each pair of instructions, with threads and source lines.
const std::vector<std::string> &trace_complaints();
// Is it of a read of unwritten shared memory? That is no fault where the value is not used.
bool is_unwritten_read(const std::string &complaint);

} // namespace emulated

#endif
