// SPDX-License-Identifier: MIT
// Counts a kernel's memory transactions and bank conflicts, and finds races within a block. The
// kernel must be compiled with calls of the hooks in hooks.cpp: see meson.build.
//
// The accesses of the lanes of a warp that execute the same instruction together are one request.
// The cost of a request follows a model of the hardware without caches. The accesses are those of
// the source code; nvcc may merge some of them.
#ifndef SMOOTHIMG_EMULATED_TRACE_H
#define SMOOTHIMG_EMULATED_TRACE_H

#include <cstdint>
#include <string>
#include <vector>

namespace emulated
{

struct global_counts {
    uint64_t requests;
    uint64_t bytes; // sum of the bytes of all lanes' accesses
    // By the rules of Fermi GPUs: a load has 4 for each line of 128 bytes that it touches; a store
    // has 1 for each sector.
    uint64_t transactions;
    uint64_t sectors; // of 32 bytes, as current profilers count
};

struct shared_counts {
    uint64_t requests;
    uint64_t conflicts;    // additional passes that bank conflicts cost
    unsigned worst_degree; // passes of the worst request: 1 without conflicts, 0 without requests
};

struct counts {
    global_counts loads, stores;
    shared_counts shared_loads, shared_stores;
};

// trace_start starts to count, and to find races: in shared memory or, with of_all_memory, in
// shared and global memory. trace_stop ends this, and returns the sums of the counts over all
// launches since trace_start. Finding races takes 52 bytes of the host's memory for each byte that
// a kernel uses.
enum class races { of_shared_memory, of_all_memory };
void trace_start(races wanted = races::of_shared_memory);
counts trace_stop();

// The complaints since trace_start: races, reads of unwritten shared memory, and misaligned
// accesses. Each complaint is a sentence about one instruction or about two, and names the threads
// and the source lines. There is at most one complaint about the same two instructions.
const std::vector<std::string> &trace_complaints();
// True if the complaint is about a read of unwritten shared memory, which is not a fault if the
// value is not used.
bool is_unwritten_read(const std::string &complaint);

} // namespace emulated

#endif
