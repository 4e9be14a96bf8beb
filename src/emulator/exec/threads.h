// SPDX-License-Identifier: MIT
// The threads of the running block, and the functions that run and suspend them.
#ifndef SMOOTHIMG_EMULATED_THREADS_H
#define SMOOTHIMG_EMULATED_THREADS_H

#include "src/emulator/exec/fiber.h"
#include "src/emulator/machine.h"

namespace emulated
{

enum class status : unsigned char {
    unstarted,
    ready,
    at_block,   // waits for all threads of its block
    at_barrier, // waits at a barrier in shared memory
    at_lanes,   // waits for other lanes of its warp
    exited
};

struct thread {
    status state;
    warp_op op;       // at_lanes: the operation for which it waits
    unsigned mask;    // at_lanes: bit i is set if it waits for lane i
    int source;       // shuffle: the lane to read from
    uint64_t bits;    // the value passed to the wait; afterwards the wait's result
    uint32_t barrier; // at_barrier: the barrier's address in shared memory
    unsigned parity;  // at_barrier: parity of the phase whose end it waits for
    place where;      // the source line of the wait
    uint3 index;      // threadIdx
    bool awaited;     // the thread has called await_kernel_before()
    fiber *on;        // the fiber that runs the thread
};

extern thread threads[MAX_THREADS];
extern unsigned thread_count;

unsigned current_warp(); // the warp's number in the block
unsigned current_thread();
// How many times all threads of the running block have met at a __syncthreads.
extern unsigned block_meetings;

extern const launch_site *site;

// scheduler.cpp: reports a fault of the running thread and ends the kernel.
[[noreturn]] void fault_here(cudaError_t error, place where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Faults if the device's compute capability is below major.0; `what` is for the message.
void need_capability(int major, const char *what, place where);
// Suspends the running thread until the barrier's phase whose number has this parity (barriers.cpp)
// has ended.
void wait_at_barrier(uint32_t barrier, unsigned parity, place where);

// order.cpp: chooses the order of the next launch (set_order in emulated.h).
void next_order();
// Returns 0..count-1 in the order of the launch.
std::vector<unsigned> numbers_in_order(std::size_t count);
// Shuffles the list if the order is random.
void shuffle_if_random(std::vector<unsigned> &list);

// pipeline.cpp: drops the pending copies of the previous block.
void pipelines_begin_block();

// reports.cpp: returns, for example, "thread (1,0,0) waits for its block at file:line".
std::string waiting(unsigned thread);
// Reports a fault that is caused by two threads together.
void fault_between(unsigned a, unsigned b, const char *why);

// rendezvous.cpp: called when every thread of the block waits or has ended, and at least one waits.
// Makes those threads ready whose wait is over. Returns false after a fault, such as a deadlock, or
// a __syncthreads that not all threads reach.
bool release_waiting();

} // namespace emulated

#endif
