// SPDX-License-Identifier: MIT
// The threads of the block that runs.
#ifndef SMOOTHIMG_EMULATED_THREADS_H
#define SMOOTHIMG_EMULATED_THREADS_H

#include "fiber.h"
#include "machine.h"

namespace emulated
{

enum class status : unsigned char { unstarted, ready, at_block, at_lanes, exited };

struct thread {
    status state;
    warp_op op;    // at_lanes: what it waits for
    unsigned mask; // with which lanes
    int source;    // shuffle: whose bits it wants
    uint64_t bits; // its own, later the result
    place where;   // it waits
    uint3 index;   // threadIdx
    fiber *on;
};

extern thread threads[MAX_THREADS];
extern unsigned thread_count;

unsigned current_warp(); // of the block

extern const launch_site *site;

// pipeline.cpp: no copies are under way.
void pipelines_begin_block();

// reports.cpp: "thread (1,0,0) waits for its block at file:line"
std::string waiting(unsigned thread);
// The fault that two threads are to blame for.
void fault_between(unsigned a, unsigned b, const char *why);

// All threads wait or have ended, and not all have ended: makes those ready that have waited for
// the right ones. False if there are none, or too many: a fault.
bool release_waiting();

} // namespace emulated

#endif
