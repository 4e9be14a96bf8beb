// SPDX-License-Identifier: MIT
// Counts what a kernel's accesses would cost a GPU, and finds threads of a block that race for
// shared memory. For kernels that are compiled with the hooks in trace_hooks.cpp: see meson.build.
//
// The lanes of a warp that come to the same instruction at the same time make one request. What
// that costs is a model of the hardware, without caches: the count of the source's accesses, of
// which the compiler for the GPU may merge some.
#ifndef SMOOTHIMG_EMULATED_TRACE_H
#define SMOOTHIMG_EMULATED_TRACE_H

#include <cstdint>
#include <string>
#include <vector>

namespace emulated
{

// The transactions of a global load: every line that the request touches costs so many. A line is
// 32 bytes or a multiple.
struct load_model {
    unsigned line_bytes, transactions_per_line;
};
constexpr load_model FERMI = {128, 4}; // a line is four transactions of 32 bytes with the L2 cache
constexpr load_model SECTORS = {32, 1};

struct global_counts {
    uint64_t requests;
    uint64_t bytes;        // that their lanes asked for, each for itself
    uint64_t transactions; // loads: by the model; stores: segments of 32 bytes
    uint64_t sectors;      // of 32 bytes, as today's profilers count them
};

struct shared_counts {
    uint64_t requests;
    uint64_t conflicts;    // passes that they take beyond those that nothing could save
    unsigned worst_degree; // passes of the worst one: 1 without conflicts, 0 without accesses
};

struct counts {
    global_counts loads, stores;
    shared_counts shared_loads, shared_stores;
};

// From here to trace_stop(), which returns the sums over all launches that ran in between.
void trace_start(load_model model = FERMI);
counts trace_stop();

// Races for shared memory since trace_start, reads of what nobody has written, and accesses that
// are not aligned: a sentence for each pair of instructions, with threads and lines of the source.
const std::vector<std::string> &trace_complaints();

} // namespace emulated

#endif
